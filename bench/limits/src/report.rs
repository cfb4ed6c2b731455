//! Tables, on the terminal or in a document, and JSON.

use crate::architecture::WIDTHS;
use crate::floors::Floor;
use crate::probe::How;
use crate::reached::Reached;
use crate::units::Units;
use serde_json::{Value, json};
use std::fmt::Write;

/// All that was measured.
pub(crate) struct Report {
    pub(crate) cpu: String,
    pub(crate) core: usize,
    pub(crate) rounds: u32,
    pub(crate) date: String,
    pub(crate) ghz: f64,
    pub(crate) units: Units,
    pub(crate) floors: Vec<Floor>,
    pub(crate) reached: Vec<Reached>,
}

struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Report {
    /// For people.
    pub(crate) fn text(&self) -> String {
        self.format(Table::text)
    }

    /// For a document.
    pub(crate) fn markdown(&self) -> String {
        self.format(Table::markdown)
    }

    pub(crate) fn json(&self) -> Value {
        let unit = |unit: &crate::units::Unit| {
            let how = if unit.how == How::Chain { "latency" } else { "throughput" };
            let (cycles, lacks) = (unit.cycles.ok(), unit.cycles.err());
            json!({ "name": unit.name, "bits": unit.bits, "how": how, "cycles": cycles, "cpu_lacks": lacks })
        };
        let floor = |floor: &Floor| {
            let gbps = self.gbps(floor.cycles);
            json!({ "name": floor.name, "bits": floor.bits, "cycles_per_block": floor.cycles, "gbps": gbps })
        };
        let reached = |r: &Reached| {
            json!({
                "algorithm": r.algorithm, "backend": r.backend.name(), "size": r.size, "cycles_per_block": r.cycles,
                "gbps": self.gbps(r.cycles), "floor": r.floor.name, "share": r.share(),
            })
        };
        json!({
            "cpu": self.cpu, "core": self.core, "rounds": self.rounds, "date": self.date, "ghz": self.ghz,
            "units": self.units.0.iter().map(unit).collect::<Vec<_>>(),
            "floors": self.floors.iter().map(floor).collect::<Vec<_>>(),
            "reached": self.reached.iter().map(reached).collect::<Vec<_>>(),
        })
    }

    fn format(&self, table: impl Fn(&Table) -> String) -> String {
        let Self { cpu, core, rounds, date, ghz, .. } = self;
        let mut text = format!("{cpu}, core {core} at {ghz:.2} GHz; {rounds} rounds; {date}\n");
        let mut part = |title: &str, part: &Table| {
            let _ = write!(text, "\n{title}\n\n{}", table(part));
        };
        part("Cycles for one of many instructions, and for one that waits for another:", &self.units());
        if !self.floors.is_empty() {
            part("Floors: GB/s, and cycles for a block of 16 bytes:", &self.floors());
        }
        if !self.reached.is_empty() {
            part("What evariste reaches: GB/s, and its share of the floor:", &self.reached());
        }
        let missing = self.missing();
        if !missing.is_empty() {
            let _ = writeln!(text, "\nNot measured, for what the CPU lacks:\n\n- {}", missing.join("\n- "));
        }
        text
    }

    fn gbps(&self, cycles: f64) -> f64 {
        16.0 * self.ghz / cycles
    }

    fn units(&self) -> Table {
        let cell = |name, bits| {
            let cycles = |how| self.units.cycles(name, bits, how);
            match (cycles(How::Many), cycles(How::Chain)) {
                (Some(many), Some(chain)) => format!("{many:.2}, {chain:.1}"),
                (Some(many), None) => format!("{many:.2}"),
                _ => "-".to_owned(),
            }
        };
        let row = |name: &'static str| {
            [vec![name.to_owned()], WIDTHS.iter().map(|&bits| cell(name, bits)).collect()].concat()
        };
        Table { head: widths(), rows: self.units.names().into_iter().map(row).collect() }
    }

    fn floors(&self) -> Table {
        let mut names: Vec<&str> = Vec::new();
        for floor in &self.floors {
            if !names.contains(&&*floor.name) {
                names.push(&floor.name);
            }
        }
        let cell = |name: &str, bits| {
            let floor = self.floors.iter().find(|floor| floor.name == name && floor.bits == bits);
            floor.map_or("-".to_owned(), |f| format!("{:.2} ({:.2})", self.gbps(f.cycles), f.cycles))
        };
        let row =
            |name: &&str| [vec![(*name).to_owned()], WIDTHS.iter().map(|&bits| cell(name, bits)).collect()].concat();
        Table { head: widths(), rows: names.iter().map(row).collect() }
    }

    /// A row for each algorithm and size, a column for each backend.
    fn reached(&self) -> Table {
        let mut backends = Vec::new();
        let mut keys = Vec::new();
        for r in &self.reached {
            if !backends.contains(&r.backend) {
                backends.push(r.backend);
            }
            if !keys.contains(&(&*r.algorithm, r.size)) {
                keys.push((&*r.algorithm, r.size));
            }
        }
        keys.sort_by_key(|(algorithm, _)| self.reached.iter().position(|r| r.algorithm == *algorithm));
        let cell = |(algorithm, size): (&str, usize), backend: evariste::Backend| {
            let mut all = self.reached.iter();
            let found = all.find(|r| (&*r.algorithm, r.size, r.backend) == (algorithm, size, backend));
            found.map_or("-".to_owned(), |r| format!("{:.2}, {:.0} %", self.gbps(r.cycles), 100.0 * r.share()))
        };
        let row = |&(algorithm, size): &(&str, usize)| {
            let title = format!("{algorithm}, {size} bytes");
            [vec![title], backends.iter().map(|&backend| cell((algorithm, size), backend)).collect()].concat()
        };
        let head = [vec![String::new()], backends.iter().map(|b| b.name().to_owned()).collect()].concat();
        Table { head, rows: keys.iter().map(row).collect() }
    }

    /// `512 bits without vaes: aesenc, aesenclast`, for all that was not measured.
    fn missing(&self) -> Vec<String> {
        let mut all: Vec<(u32, &str, Vec<&str>)> = Vec::new();
        for unit in &self.units.0 {
            let Err(lacks) = unit.cycles else { continue };
            match all.iter_mut().find(|(bits, feature, _)| (*bits, *feature) == (unit.bits, lacks)) {
                Some((.., names)) if names.contains(&unit.name) => {}
                Some((.., names)) => names.push(unit.name),
                None => all.push((unit.bits, lacks, vec![unit.name])),
            }
        }
        all.iter().map(|(bits, lacks, names)| format!("{bits} bits without {lacks}: {}", names.join("; "))).collect()
    }
}

fn widths() -> Vec<String> {
    [vec![String::new()], WIDTHS.iter().map(|bits| format!("{bits} bits")).collect()].concat()
}

impl Table {
    fn text(&self) -> String {
        let lines = || [&self.head].into_iter().chain(&self.rows);
        let width = |n: usize| lines().map(|line| line[n].len()).max().unwrap_or(0);
        let mut text = String::new();
        for line in lines() {
            let cells = line.iter().enumerate().map(|(n, cell)| match n {
                0 => format!("{cell:0$}", width(n)),
                _ => format!("{cell:>0$}", width(n)),
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{rule}{rows}", line(&self.head))
    }
}
