//! What was found in one case, and how it differs from what must be.

use super::job::{Ran, Work};
use super::reference::Expected;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What was found in one case.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) active: String,
    pub(crate) usable: Vec<String>,
    /// Tests, as `program::name`.
    pub(crate) passed: BTreeSet<String>,
    pub(crate) failed: BTreeSet<String>,
    pub(crate) checks: Tally,
    pub(crate) vectors: Tally,
    /// What the programs ended with, where it was no success.
    pub(crate) crashes: Vec<String>,
    pub(crate) time: Duration,
}

/// How many did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Found {
    /// Takes in what a program printed and how it ended.
    pub(crate) fn add(&mut self, work: &Work<'_>, ran: Ran) {
        match work {
            Work::Cpu => self.add_backends(&ran.text),
            Work::Selftest => self.checks = checks(&ran.text),
            Work::Vectors => self.vectors = vectors(&ran.text),
            Work::Tests(program) => {
                for (name, outcome) in ran.text.lines().filter_map(|l| l.strip_prefix("test ")?.split_once(" ... ")) {
                    let set = if outcome == "ok" { &mut self.passed } else { &mut self.failed };
                    set.insert(format!("{program}::{name}"));
                }
            }
        }
        self.crashes.extend(ran.failure.map(|how| format!("{work}: {how}")));
        self.time += ran.time;
    }

    /// From `evariste cpu --json`.
    fn add_backends(&mut self, text: &str) {
        let machine: Value = serde_json::from_str(text).unwrap_or_default();
        for backend in machine["backends"].as_array().into_iter().flatten() {
            let name = backend["name"].as_str().unwrap_or_default();
            if backend["active"] == true {
                self.active = name.to_owned();
            }
            if backend["usable"] == true {
                self.usable.push(name.to_owned());
            }
        }
    }

    /// All that is not as it must be.
    pub(crate) fn differences(&self, expected: &Expected) -> Vec<String> {
        let mut all = self.crashes.clone();
        if self.active != expected.usable[0] {
            all.push(format!("active is {:?}, must be {:?}", self.active, expected.usable[0]));
        }
        if self.usable != expected.usable {
            all.push(format!("usable are {:?}, must be {:?}", self.usable, expected.usable));
        }
        all.extend(self.failed.iter().map(|test| format!("{test} failed")));
        let ran: BTreeSet<_> = self.passed.union(&self.failed).cloned().collect();
        let mut missing = BTreeMap::<_, Vec<_>>::new();
        for (program, name) in expected.tests.difference(&ran).filter_map(|test| test.split_once("::")) {
            missing.entry(program).or_default().push(name);
        }
        all.extend(missing.iter().map(|(program, names)| format!("{program} did not run {}", names.join(", "))));
        for (what, Tally { passed, failed }, must) in
            [("checks of the self-test", self.checks, expected.checks), ("vectors", self.vectors, expected.vectors)]
        {
            if (passed, failed) != (must, 0) {
                all.push(format!("{passed} {what} passed, {failed} failed; {must} must pass"));
            }
        }
        all
    }
}

/// From the last line of `evariste selftest`.
pub(crate) fn checks(text: &str) -> Tally {
    let line = text.lines().next_back().unwrap_or_default();
    let number = |word| number_before(line, word).unwrap_or(0);
    Tally { passed: number(" of "), failed: number(" failed") }
}

/// From all lines of `evariste vectors`.
pub(crate) fn vectors(text: &str) -> Tally {
    let sum = |word| text.lines().filter_map(|line| number_before(line, word)).sum();
    Tally { passed: sum(" passed, "), failed: sum(" failed, ") }
}

fn number_before(line: &str, word: &str) -> Option<usize> {
    line.split_once(word)?.0.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: &str = r#"{"backends": [
        {"name": "fast", "usable": false, "active": false}, {"name": "half", "usable": true, "active": true},
        {"name": "portable", "usable": true, "active": false}]}"#;

    fn ran(text: &str) -> Ran {
        Ran { text: text.into(), failure: None, time: Duration::from_secs(1) }
    }

    fn expected() -> Expected {
        let tests = ["a::one".to_owned(), "a::two".to_owned()].into();
        Expected { usable: vec!["half", "portable"], tests, checks: 30, vectors: 8 }
    }

    /// As expected, but for what one program prints in place of the right thing.
    fn found(other: Option<(Work<'static>, Ran)>) -> Vec<String> {
        let mut all = vec![
            (Work::Cpu, ran(CPU)),
            (Work::Selftest, ran("…\n30 of 30 checks passed, 0 failed\n")),
            (
                Work::Vectors,
                ran("a half: 3 passed, 0 failed, 0 skipped\nb half: 5 passed, 0 failed, 1 skipped (x: 1)\n"),
            ),
            (Work::Tests("a"), ran("running 2 tests\ntest one ... ok\ntest two ... ok\n\ntest result: ok.\n")),
        ];
        if let Some((work, ran)) = other {
            all.retain(|(w, _)| *w != work);
            all.push((work, ran));
        }
        let mut found = Found::default();
        all.into_iter().for_each(|(work, ran)| found.add(&work, ran));
        assert_eq!(found.time, Duration::from_secs(4));
        found.differences(&expected())
    }

    #[test]
    fn nothing_differs() {
        assert_eq!(found(None), [""; 0]);
    }

    #[test]
    fn wrong_backends_are_found() {
        let slow = CPU.replace("true, \"active\": true", "false, \"active\": false");
        let differences = found(Some((Work::Cpu, ran(&slow))));
        assert_eq!(differences.len(), 2, "{differences:?}");
        assert!(differences[0].contains("active is \"\", must be \"half\""));
        assert!(differences[1].contains("usable are [\"portable\"]"));
        // One too many is as wrong as one too few.
        let fast = CPU.replacen("false", "true", 1);
        assert_eq!(found(Some((Work::Cpu, ran(&fast)))).len(), 1);
        assert_eq!(found(Some((Work::Cpu, ran("")))).len(), 2);
    }

    #[test]
    fn tests_that_fail_or_do_not_run_are_found() {
        let tests = |text: &str| found(Some((Work::Tests("a"), ran(text))));
        assert_eq!(tests("test one ... ok\ntest two ... FAILED\n"), ["a::two failed"]);
        assert_eq!(tests("test one ... ok\ntest two ... ignored\n"), ["a::two failed"]);
        assert_eq!(tests("test two ... ok\n"), ["a did not run one"]);
        assert_eq!(tests("running 0 tests\n"), ["a did not run one, two"]);
        // What only the target has is welcome.
        assert_eq!(tests("test one ... ok\ntest three ... ok\ntest two ... ok\n"), [""; 0]);
    }

    #[test]
    fn wrong_sums_are_found() {
        for (work, text) in [
            (Work::Selftest, "29 of 30 checks passed, 1 failed\n"),
            (Work::Selftest, "15 of 15 checks passed, 0 failed\n"),
            (Work::Selftest, ""),
            (Work::Vectors, "a half: 7 passed, 0 failed, 1 skipped (y: 1)\n"),
            (Work::Vectors, "a half: 8 passed, 1 failed, 0 skipped\n"),
            (Work::Vectors, ""),
        ] {
            assert_eq!(found(Some((work, ran(text)))).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_crash_is_named() {
        let crash = Ran { failure: Some("signal: 4 (SIGILL)".into()), ..ran("test one ... ok\n") };
        let differences = found(Some((Work::Tests("a"), crash)));
        assert_eq!(differences, ["tests of a: signal: 4 (SIGILL)", "a did not run two"]);
    }
}
