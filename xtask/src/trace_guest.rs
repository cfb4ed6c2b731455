//! `cargo xtask trace-guest`: what `trace` does, on CPUs that are not here.
//!
//! The subject runs twice in an emulator, with different keys and texts of the same lengths and all else the
//! same, down to the random numbers. A plugin hashes the addresses of all instructions of an operation and of
//! all they read and write. Where the hashes differ, both runs are repeated to find the first difference.

use crate::compared::{Compared, planted_leaks_are_found};
use crate::guest::{self, Guest, Plugin, Target};
use anyhow::{Context, Result, ensure};

/// What is looked at by default: of each architecture the CPU that can run the most backends.
pub(crate) const DEFAULT: &str = "aarch64:neoverse-v1,powerpc64le:power10,powerpc64:power10";

/// On all backends of these CPUs.
pub(crate) fn run(targets: &[String]) -> Result<()> {
    let plugin = Plugin::new()?;
    let mut leaks = 0;
    for text in targets {
        let (target, cpus) = Target::parse(text)?;
        let program = guest::build(target, "xtask/subject/Cargo.toml", "subject")?;
        for cpu in cpus {
            let guest = Guest { plugin: &plugin, target, cpu, program: &program, root: None, environment: &[] };
            for backend in guest.run(&["backends"])?.lines() {
                let pair = Pair { guest: &guest, backend };
                planted_leaks_are_found(&pair.compare("planted")?)?;
                let results = pair.compare("operations")?;
                let (bad, instructions) = print(&results);
                let (target, cpu, all) = (target.name, cpu.name, results.len());
                println!(
                    "{target}:{cpu} {backend}: {all} operations, {instructions} instructions compared, {bad} leaks"
                );
                leaks += bad;
            }
        }
    }
    ensure!(leaks == 0, "{leaks} operations show their secrets");
    Ok(())
}

/// Those that leak; their number, and that of the instructions of the others.
fn print(results: &[Compared]) -> (usize, u64) {
    let bad = results.iter().filter_map(|r| Some((&r.operation, r.outcome.as_ref().err()?)));
    let bad = bad.inspect(|(operation, difference)| println!("{operation}: {difference}")).count();
    (bad, results.iter().filter_map(|r| r.outcome.as_ref().ok()).sum())
}

/// Two runs that differ in their secrets.
struct Pair<'a> {
    guest: &'a Guest<'a>,
    backend: &'a str,
}

impl Pair<'_> {
    fn compare(&self, modes: &str) -> Result<Vec<Compared>> {
        let runs = ["0", "1"].map(|secret| self.run("job=trace", modes, secret));
        let [(names, a), (others, b)] = both(runs)?;
        ensure!(names == others, "one run prints other operations");
        let names: Vec<_> = names.lines().collect();
        let (a, b): (Vec<_>, Vec<_>) = (a.lines().collect(), b.lines().collect());
        ensure!(a.len() == names.len() && b.len() == names.len(), "an operation without its marks");
        let compare = |n: usize| {
            let outcome = if a[n] == b[n] { Ok(instructions(a[n])?) } else { Err(self.difference(modes, n)?) };
            Ok(Compared { operation: names[n].to_owned(), outcome })
        };
        (0..names.len()).map(compare).collect()
    }

    /// Where the runs part in operation `n`.
    fn difference(&self, modes: &str, n: usize) -> Result<String> {
        let job = format!("job=trace,record={n}");
        let [(_, a), (_, b)] = both(["0", "1"].map(|secret| self.run(&job, modes, secret)))?;
        first_difference(&a, &b).context("no difference the second time: what else is not the same?")
    }

    fn run(&self, job: &str, modes: &str, secret: &str) -> Result<(String, String)> {
        self.guest.watch(job, &["trace", modes, self.backend, secret])
    }
}

fn both<T>([a, b]: [Result<T>; 2]) -> Result<[T; 2]> {
    Ok([a?, b?])
}

/// Of `INSTRUCTIONS ACCESSES HASH`.
fn instructions(line: &str) -> Result<u64> {
    let count = line.split(' ').next().context("an empty line")?;
    count.parse().with_context(|| format!("the plugin says {line}"))
}

/// The first line in which two recordings differ, and the instruction that it belongs to or comes after.
fn first_difference(a: &str, b: &str) -> Option<String> {
    let is_access = |line: &str| line.starts_with("r ") || line.starts_with("w ");
    let (mut lines, mut others) = (a.lines(), b.lines());
    let mut last = None;
    loop {
        match (lines.next(), others.next()) {
            (None, None) => return None,
            (line, other) if line == other => last = line.filter(|line| !is_access(line)).or(last),
            (line, other) => {
                let name = |line: Option<&str>| match line {
                    None => "the end".to_owned(),
                    Some(line) if is_access(line) => line.to_owned(),
                    Some(line) => place(line),
                };
                return Some(format!(
                    "after {}: {} or {}",
                    last.map_or("the start".to_owned(), place),
                    name(line),
                    name(other)
                ));
            }
        }
    }
}

/// Of `ADDRESS FUNCTION`, where the function's name is not known everywhere.
fn place(line: &str) -> String {
    match line.split_once(' ') {
        Some((address, symbol)) if !symbol.is_empty() => {
            format!("{address} in {:#}", rustc_demangle::demangle(symbol))
        }
        _ => line.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let a = "10 f\nr 8 7000\n14 f\n18 f\n";
        let of = |b| first_difference(a, b);
        assert_eq!(of(a), None);
        assert_eq!(of("10 f\nr 8 7008\n14 f\n18 f\n").as_deref(), Some("after 10 in f: r 8 7000 or r 8 7008"));
        assert_eq!(of("10 f\nr 8 7000\n20 f\n18 f\n").as_deref(), Some("after 10 in f: 14 in f or 20 in f"));
        assert_eq!(of("10 f\nr 8 7000\n14 f\n").as_deref(), Some("after 14 in f: 18 in f or the end"));
        assert_eq!(first_difference("10 \n", "14 \n").as_deref(), Some("after the start: 10 or 14"));
    }

    #[test]
    fn unseen_leaks_are_reported() {
        let result = |outcome| Compared { operation: "planted".to_owned(), outcome };
        assert!(planted_leaks_are_found(&[result(Err("difference".to_owned()))]).is_ok());
        assert!(planted_leaks_are_found(&[result(Ok(1))]).is_err());
        assert!(planted_leaks_are_found(&[]).is_err());
    }

    #[test]
    fn counts_are_read() {
        assert_eq!(instructions("1234 56 00ff").ok(), Some(1234));
        assert!(instructions("error").is_err());
    }
}
