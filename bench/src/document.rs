//! The tables of docs/performance.md: one for each algorithm and direction, a column for each size.

use crate::measure::Figure;
use crate::report::{OWN, TIE, own, title};
use anyhow::Result;
use std::fmt::Write;

/// What writes them.
const COMMAND: &str = "evariste-bench --write";

/// The sizes from here on are told as speed, those below as time.
const LONG: usize = 4096;

/// Puts all that was measured into the document.
pub(crate) fn write(tables: &[Vec<Figure>], with: &str) -> Result<()> {
    document::write(document::PERFORMANCE, COMMAND, &text(tables, with))
}

/// All tables; `with` is what was measured with.
fn text(tables: &[Vec<Figure>], with: &str) -> String {
    let mut text = format!("{with}.\n");
    for figures in tables.iter().filter(|figures| !figures.is_empty()) {
        let mut sizes: Vec<usize> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for figure in figures {
            if !sizes.contains(&figure.size) {
                sizes.push(figure.size);
            }
            if !names.contains(&&*figure.implementation) {
                names.push(&figure.implementation);
            }
        }
        let _ = write!(text, "\n| {} |", title(&figures[0]));
        for &size in &sizes {
            let _ = write!(text, " {}, {} |", bytes(size), if size < LONG { "ns" } else { "GB/s" });
        }
        let _ = writeln!(text, "\n|---|{}", "---|".repeat(sizes.len()));
        for name in names {
            let strong = if name == OWN { "**" } else { "" };
            let _ = write!(text, "| {strong}{name}{strong} |");
            for &size in &sizes {
                let _ = write!(text, " {} |", cell(figures, name, size));
            }
            text.push('\n');
        }
    }
    text
}

/// `16`, `16k`, `1M`.
fn bytes(size: usize) -> String {
    match size {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{}M", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{}k", n >> 10),
        n => n.to_string(),
    }
}

/// A figure, bold where no implementation is faster by more than a tie; `-` where there is none. Backends that
/// were named do not take part: the automatic choice is one of them.
fn cell(figures: &[Figure], name: &str, size: usize) -> String {
    let Some(figure) = figures.iter().find(|figure| figure.size == size && figure.implementation == name) else {
        return "-".into();
    };
    let takes_part = |figure: &&Figure| !own(figure) || figure.implementation == OWN;
    let others = figures.iter().filter(|other| other.size == size).filter(takes_part);
    let best = others.map(|other| other.ns).fold(f64::MAX, f64::min);
    let bold = if takes_part(&figure) && best >= TIE * figure.ns { "**" } else { "" };
    let value = if size < LONG { figure.ns } else { figure.gbps() };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{bold}{value:.digits$}{bold}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, Direction};
    use crate::measure::Column;

    fn figure(implementation: &str, size: usize, ns: f64) -> Figure {
        let (column, algorithm, direction) = (Column::Steady, Algorithm::Aes128Gcm, Direction::Seal);
        let implementation = implementation.to_owned();
        Figure { column, algorithm, direction, implementation, aad: 13, size, ns, spread: 0.0, runs: vec![ns] }
    }

    #[test]
    fn a_table_has_all_figures() {
        let figures = vec![
            figure("evariste", 16, 10.0),
            figure("evariste:portable", 16, 900.0),
            figure("ring", 16, 9.0),
            figure("evariste", 16384, 1638.4),
            figure("ring", 16384, 2000.0),
        ];
        let expected = "Here.\n\n\
            | aes-128-gcm seal | 16, ns | 16k, GB/s |\n|---|---|---|\n\
            | **evariste** | 10.0 | **10.0** |\n\
            | evariste:portable | 900 | - |\n\
            | ring | **9.00** | 8.19 |\n";
        assert_eq!(text(&[figures, Vec::new()], "Here"), expected);
    }

    #[test]
    fn tables_have_a_place() {
        let there = std::fs::read_to_string(document::path(document::PERFORMANCE)).expect("the document");
        assert!(document::splice(&there, COMMAND, "new\n").is_ok());
    }
}
