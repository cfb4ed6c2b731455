//! The table at the end.

use super::found::Found;
use super::job::Guest;
use super::reference::Expected;
use crate::table::table;

const HEAD: [&str; 8] = ["target", "CPU", "EVARISTE_DISABLE", "expected", "found", "tests", "vectors", "time"];

/// What was expected and what was found in all cases.
pub(crate) struct Report {
    rows: Vec<[String; 8]>,
    /// In which case, and what.
    differences: Vec<(String, Vec<String>)>,
    /// How many cases are not as they must be.
    pub(crate) bad: usize,
}

impl Report {
    pub(crate) fn new<'a>(cases: impl Iterator<Item = (&'a Guest<'a>, &'a Expected, &'a Found)>) -> Self {
        let (mut rows, mut differences) = (Vec::new(), Vec::new());
        for (guest, expected, found) in cases {
            rows.push(row(guest, expected, found));
            differences.push((name(guest), found.differences(expected)));
        }
        differences.retain(|(_, differences)| !differences.is_empty());
        Self { rows, bad: differences.len(), differences }
    }

    pub(crate) fn print(&self) {
        println!("\n{}", table(&HEAD, &self.rows));
        for (case, differences) in &self.differences {
            println!("\n{case}");
            differences.iter().for_each(|difference| println!("    {difference}"));
        }
    }
}

/// A case that is done, in a line.
pub(crate) fn line(guest: &Guest<'_>, expected: &Expected, found: &Found) -> String {
    let [.., found_backend, tests, vectors, time] = row(guest, expected, found);
    let outcome = if found.differences(expected).is_empty() { "ok" } else { "WRONG" };
    format!("{}: {outcome}, {found_backend}, tests {tests}, vectors {vectors}, {time}", name(guest))
}

fn name(guest: &Guest<'_>) -> String {
    let mut name = format!("{} {}", guest.target.triple, or(guest.case.cpu, "default"));
    if !guest.case.disable.is_empty() {
        name += &format!(" without {}", guest.case.disable);
    }
    name
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

fn row(guest: &Guest<'_>, expected: &Expected, found: &Found) -> [String; 8] {
    [
        guest.target.architecture().to_owned(),
        or(guest.case.cpu, "default").to_owned(),
        or(guest.case.disable, "-").to_owned(),
        expected.usable[0].to_owned(),
        or(&found.active, "none").to_owned(),
        format!("{} passed, {} failed", found.passed.len(), found.failed.len()),
        format!("{} passed", found.vectors.passed),
        format!("{:.0} s", found.time.as_secs_f64()),
    ]
}
