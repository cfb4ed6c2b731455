//! The table of the README: a row for each algorithm and direction, a column for each implementation.

use crate::measure::Figure;
use crate::report::{OWN, TIE, own, title};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;

/// Sizes whose times are told, and the one whose speed is.
const SHORT: [usize; 3] = [16, 256, 1350];
const LONG: usize = 16 << 10;

/// Writes what has been measured of evariste's automatic choice and of the peers.
pub(crate) fn write(tables: &[Vec<Figure>], path: &Path) -> Result<()> {
    let shown = |figure: &&Figure| !own(figure) || figure.implementation == OWN;
    let mut names: Vec<&str> = Vec::new();
    for figure in tables.iter().flatten().filter(shown) {
        if !names.contains(&&*figure.implementation) {
            names.push(&figure.implementation);
        }
    }
    let mut text = String::from("| |");
    names.iter().try_for_each(|name| write!(text, " {name} |"))?;
    write!(text, "\n|---|{}\n", "---|".repeat(names.len()))?;
    for table in tables.iter().filter(|table| !table.is_empty()) {
        write!(text, "| {} |", title(&table[0]))?;
        names.iter().try_for_each(|name| write!(text, " {} |", cell(table, name)))?;
        text.push('\n');
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// `16.1 · **34.1** · 132 · 15.3`, bold where nobody is faster by more than a tie; `-` where there is nothing.
fn cell(table: &[Figure], name: &str) -> String {
    let one = |size: usize| {
        let figure = table.iter().find(|figure| figure.size == size && figure.implementation == name)?;
        let times = table.iter().filter(|figure| figure.size == size).map(|figure| figure.ns);
        let value = if size == LONG { figure.gbps() } else { figure.ns };
        let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        let bold = if times.fold(f64::MAX, f64::min) >= TIE * figure.ns { "**" } else { "" };
        Some(format!("{bold}{value:.digits$}{bold}"))
    };
    let cells: Vec<_> = SHORT.into_iter().chain([LONG]).filter_map(one).collect();
    if cells.is_empty() { "-".into() } else { cells.join(" · ") }
}
