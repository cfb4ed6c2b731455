//! The tables, as they stand in docs/performance.md.

use super::goals::{Limit, Section, Verdict};
use super::measure::{BIG, CPUS, EVARISTE, Figures, KEYED, LITTLE, OPERATIONS, Quantity, What};
use Quantity::{Block, Bound, Cycles, Key, Message};
use std::fmt::Write;

/// What writes the tables into the document.
pub(crate) const COMMAND: &str = "cargo xtask figures power --write";

const SECTIONS: [(Section, &str); 3] =
    [(Section::Figures, "little endian"), (Section::Founding, "founding ratio"), (Section::ByteOrder, "big endian")];

/// All tables; `with` is what was measured with.
pub(crate) fn text(figures: &Figures, verdicts: &[Verdict], with: &[String]) -> String {
    let missed = verdicts.iter().filter(|v| !v.met()).count();
    let mut text = format!("{}. {missed} of {} goals are missed.\n", with.join(", "), verdicts.len());
    for (section, title) in SECTIONS {
        for name in names(verdicts, section) {
            let on = verdicts.iter().filter(|v| v.section == section && v.goal == name && !v.met()).map(|v| v.cpu);
            let on = on.collect::<Vec<_>>().join(", ");
            if !on.is_empty() {
                let _ = write!(text, "\n- missed, {title}: {name} on {on}");
            }
        }
    }
    text += if missed > 0 { "\n" } else { "" };
    text += "\n### Goals\n\n";
    text += &goals(verdicts, Section::Figures, "little endian");
    text += "\n### Founding ratios\n\n";
    text += &goals(verdicts, Section::Founding, "OpenSSL with OPENSSL_ppccap=0 / evariste, instructions a block");
    text += "\n### Big endian\n\n";
    text += &goals(verdicts, Section::ByteOrder, "big endian / little endian");
    text += "\n### Beside others\n\n";
    text += &blocks(figures);
    text += "\n";
    text += &messages(figures);
    text += "\n";
    text += &keys(figures);
    text
}

/// A row for each goal, a column for each CPU.
fn goals(verdicts: &[Verdict], section: Section, title: &str) -> String {
    let mut table = head(&[title, CPUS[0], CPUS[1], CPUS[2]]);
    let mine = || verdicts.iter().filter(move |v| v.section == section);
    for name in names(verdicts, section) {
        let cell = |cpu| mine().find(|v| v.goal == name && v.cpu == cpu).map_or_else(none, verdict);
        row(&mut table, name, &CPUS.map(cell));
    }
    table
}

/// The goals of a section, in their order.
fn names(verdicts: &[Verdict], section: Section) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for verdict in verdicts.iter().filter(|v| v.section == section) {
        if !names.contains(&&*verdict.goal) {
            names.push(&verdict.goal);
        }
    }
    names
}

fn verdict(v: &Verdict) -> String {
    let sign = if v.limit.is_least() { "≥" } else { "≤" };
    let word = if v.met() { "PASS" } else { "**MISS**" };
    let decimals = match (v.section, v.limit) {
        (Section::ByteOrder, _) => 3,
        (_, Limit::AtLeast(_)) => 1,
        _ if v.limit.number() < 100.0 => 2,
        _ => 0,
    };
    format!("{:.decimals$} {sign} {} {word}", v.value, v.limit.number())
}

/// Long messages.
fn blocks(figures: &Figures) -> String {
    let titles = CPUS.map(|cpu| format!("{cpu}, cycles (bound)"));
    let counts = CPUS.map(|cpu| format!("{cpu}, instructions"));
    let mut table =
        head(&[&["a block"], &titles.each_ref().map(|t| &**t)[..], &counts.each_ref().map(|t| &**t)].concat());
    each(figures, &mut table, |name, target, algorithm, direction| {
        let get = |cpu, quantity| figures.get(target, cpu, name, What { algorithm, direction, quantity });
        let cycles = CPUS.map(|cpu| {
            let both = get(cpu, Cycles).zip(get(cpu, Bound));
            both.map_or_else(none, |(cycles, bound)| format!("{cycles:.2} ({bound:.2})"))
        });
        let counts = CPUS.map(|cpu| get(cpu, Block).map_or_else(none, |count| format!("{count:.2}")));
        [cycles, counts].concat()
    });
    table
}

/// Short messages: instructions on the three CPUs.
fn messages(figures: &Figures) -> String {
    let mut table = head(&["instructions a message", "64 bytes", "16 bytes"]);
    each(figures, &mut table, |name, target, algorithm, direction| {
        let cell = |size| three(figures, target, name, What { algorithm, direction, quantity: Message(size) });
        vec![cell(64), cell(16)]
    });
    table
}

/// Keys: the same.
fn keys(figures: &Figures) -> String {
    let mut table = head(&["instructions a key", "new", "in place of another"]);
    for &algorithm in KEYED {
        rows(figures, &mut table, &algorithm.to_uppercase(), &|name, target| {
            let cell = |how| three(figures, target, name, What { algorithm, direction: "", quantity: Key(how) });
            vec![cell("new"), cell("in-place")]
        });
    }
    table
}

/// Rows for all operations, each under its name.
fn each(figures: &Figures, table: &mut String, cells: impl Fn(&str, &str, &'static str, &'static str) -> Vec<String>) {
    for &(algorithm, direction, _) in OPERATIONS {
        let name = match direction {
            "seal" | "open" => format!("{}, {direction}", algorithm.to_uppercase()),
            _ => algorithm.to_uppercase(),
        };
        rows(figures, table, &name, &|name, target| cells(name, target, algorithm, direction));
    }
}

/// A row for everybody who has figures, in both byte orders, below the title.
fn rows(figures: &Figures, table: &mut String, title: &str, cells: &dyn Fn(&str, &str) -> Vec<String>) {
    let mut titled = false;
    for (target, note) in [(LITTLE, ""), (BIG, ", big endian")] {
        for name in figures.implementations() {
            let cells = cells(name, target);
            if cells.iter().all(|cell| *cell == none()) {
                continue;
            }
            if !titled {
                row(table, &format!("**{title}**"), &vec![String::new(); cells.len()]);
                titled = true;
            }
            let bold = if name == EVARISTE { "**" } else { "" };
            row(table, &format!("{bold}{name}{bold}{note}"), &cells);
        }
    }
}

/// On the three CPUs, or once if it is the same.
fn three(figures: &Figures, target: &str, name: &str, what: What) -> String {
    let cells = CPUS.map(|cpu| figures.get(target, cpu, name, what).map_or_else(none, |v| format!("{v:.0}")));
    if cells.iter().all(|cell| *cell == cells[0]) { cells[0].clone() } else { cells.join(" / ") }
}

fn none() -> String {
    "-".to_owned()
}

fn head(titles: &[&str]) -> String {
    format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()))
}

fn row(table: &mut String, name: &str, cells: &[String]) {
    let _ = writeln!(table, "| {name} | {} |", cells.join(" | "));
}

#[cfg(test)]
mod tests {
    use super::super::goals::{tests::figures, verdicts};
    use super::*;

    #[test]
    fn verdicts_have_a_word() {
        let of =
            |value, limit| verdict(&Verdict { section: Section::Figures, goal: String::new(), cpu: "", value, limit });
        assert_eq!(of(23.5, Limit::AtMost(23.5)), "23.50 ≤ 23.5 PASS");
        assert_eq!(of(391.0, Limit::AtMost(390.0)), "391 ≤ 390 **MISS**");
        assert_eq!(of(75.04, Limit::AtLeast(18.0)), "75.0 ≥ 18 PASS");
    }

    #[test]
    fn tables_have_a_row_for_everybody() {
        let figures = figures();
        let all = verdicts(&figures).expect("figures");
        let text = text(&figures, &all, &["llvm-mca 22".to_owned()]);
        assert!(text.starts_with("llvm-mca 22. 0 of ") && !text.contains("missed,"));
        for line in [
            "| AES-128-GCM, seal: instructions a block | 1.00 ≤ 24.5 PASS | 1.00 ≤ 23.5 PASS | 1.00 ≤ 21.5 PASS |",
            "| AES-128-CTR, openssl-3.0 | 36.0 ≥ 31.4 PASS | 36.0 ≥ 31.4 PASS | 36.0 ≥ 31.4 PASS |",
            "| **evariste**, big endian | 1 | 1 |",
            "| openssl-3.0, OPENSSL_ppccap=0 | - | - | - | 36.00 | 36.00 | 36.00 |",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }

    #[test]
    fn what_is_missed_is_listed() {
        let missed = |goal: &str, cpu, value| {
            let (section, goal) = (Section::ByteOrder, goal.to_owned());
            Verdict { section, goal, cpu, value, limit: Limit::AtMost(1.05) }
        };
        let all = [missed("a", "power8", 1.1), missed("b", "power8", 1.0), missed("a", "power9", 1.2)];
        let text = text(&Figures::default(), &all, &["qemu 7".to_owned()]);
        let list = "qemu 7. 2 of 3 goals are missed.\n\n- missed, big endian: a on power8, power9\n\n### Goals\n";
        assert!(text.starts_with(list), "{text}");
    }

    #[test]
    fn tables_have_a_place() {
        let there = std::fs::read_to_string(document::path(document::PERFORMANCE)).expect("the document");
        assert!(document::splice(&there, COMMAND, "new\n").is_ok());
    }
}
