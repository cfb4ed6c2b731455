//! What was measured, as text and as JSON.

use super::algorithm::Algorithm;
use evariste::{Backend, cpu};
use serde::Serialize;
use std::fmt::Write;

/// All figures of a run.
pub(crate) struct Report {
    /// How they were taken, for a reader.
    pub(crate) conditions: String,
    /// Message sizes in bytes, ascending.
    pub(crate) sizes: Vec<usize>,
    /// By algorithm, then by backend.
    pub(crate) rows: Vec<Row>,
    /// How many backends each algorithm ran on.
    pub(crate) backends: usize,
    /// Whether the backend was the automatic choice.
    pub(crate) automatic: bool,
    /// Whether messages were opened.
    pub(crate) decrypt: bool,
    /// Bytes of additional data, where the algorithm takes any.
    pub(crate) aad: usize,
}

/// The figures of an algorithm on a backend.
pub(crate) struct Row {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) backend: Backend,
    /// Nanoseconds per message of each size.
    pub(crate) ns: Vec<f64>,
}

impl Row {
    /// Bytes per nanosecond, which is GB/s, for each size.
    pub(crate) fn gbps(&self, sizes: &[usize]) -> Vec<f64> {
        sizes.iter().zip(&self.ns).map(|(size, ns)| *size as f64 / ns).collect()
    }
}

impl Report {
    /// The name of a row: rows tell their backend where there are several.
    pub(crate) fn label(&self, row: &Row) -> String {
        let name = row.algorithm.name;
        if self.backends > 1 { format!("{name} {}", row.backend) } else { name.into() }
    }

    /// The algorithm, unless there are several.
    pub(crate) fn only_algorithm(&self) -> Option<&'static Algorithm> {
        self.rows.first().map(|row| row.algorithm).filter(|_| self.rows.len() == self.backends)
    }

    /// Tables like those of `openssl speed`.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("evariste {} on {}\n", env!("CARGO_PKG_VERSION"), cpu::name());
        out += &format!("{}\n\n", self.conditions);
        out += "The 'numbers' are in 1000s of bytes per second processed.\n";
        self.table(&mut out, |row| Some(row.gbps(&self.sizes).iter().map(|g| format!("{:.2}k", g * 1e6)).collect()));
        out += "\nNanoseconds per message.\n";
        self.table(&mut out, |row| Some(row.ns.iter().map(|ns| format!("{ns:.1}")).collect()));
        if self.rows.iter().any(|row| self.portable(row).is_some()) {
            out += "\nTimes as fast as portable.\n";
            self.table(&mut out, |row| {
                let portable = self.portable(row)?;
                Some(portable.ns.iter().zip(&row.ns).map(|(portable, ns)| format!("{:.2}x", portable / ns)).collect())
            });
        }
        out
    }

    /// One array with an object a line.
    pub(crate) fn json(&self) -> serde_json::Result<String> {
        let mut lines = Vec::new();
        for row in &self.rows {
            for (n, gbps) in row.gbps(&self.sizes).into_iter().enumerate() {
                lines.push(serde_json::to_string(&Figure {
                    algorithm: row.algorithm.name,
                    direction: row.algorithm.direction(self.decrypt),
                    aad: if row.algorithm.takes_aad() { self.aad } else { 0 },
                    size: self.sizes[n],
                    implementation: match self.automatic {
                        true => "evariste".into(),
                        false => format!("evariste:{}", row.backend),
                    },
                    ns: (row.ns[n] * 1e2).round() / 1e2,
                    gbps: (gbps * 1e5).round() / 1e5,
                })?);
            }
        }
        Ok(format!("[\n{}\n]\n", lines.join(",\n")))
    }

    /// The row that `row` is to be compared with, unless it is that itself.
    fn portable(&self, row: &Row) -> Option<&Row> {
        let same = |other: &&Row| other.algorithm == row.algorithm && other.backend.name() == "portable";
        self.rows.iter().find(same).filter(|portable| portable.backend != row.backend)
    }

    fn table(&self, out: &mut String, cells: impl Fn(&Row) -> Option<Vec<String>>) {
        let rows: Vec<_> = self.rows.iter().filter_map(|row| Some((self.label(row), cells(row)?))).collect();
        let names = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(16);
        let heads: Vec<_> = self.sizes.iter().map(|size| format!("{size} bytes")).collect();
        let width = rows.iter().flat_map(|(_, cells)| cells).chain(&heads).map(String::len).max().unwrap_or(0).max(12);
        let head = ("type".to_string(), heads);
        for (name, cells) in [&head].into_iter().chain(&rows) {
            _ = write!(out, "{name:names$}");
            for cell in cells {
                _ = write!(out, " {cell:>width$}");
            }
            out.push('\n');
        }
    }
}

/// An element of the JSON form.
#[derive(Serialize)]
struct Figure {
    algorithm: &'static str,
    direction: &'static str,
    aad: usize,
    size: usize,
    implementation: String,
    ns: f64,
    gbps: f64,
}
