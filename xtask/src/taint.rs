//! `cargo xtask taint`: memcheck as a witness of constant time.
//!
//! The subject marks keys and texts as undefined, and memcheck follows that through every instruction. A
//! branch or an address made of it is a complaint, and a complaint is a failure, with one exception.
//!
//! Whether a tag matches is public: `open` has to say so, and has to branch for it. Only there, and on
//! nothing but the whole comparison's one bit. So a conditional jump is let pass if it belongs, by the
//! debug information, to a line of source code that calls [`COMPARISON`]. The function's own lines are not
//! among these: a comparison that stopped at the first difference would be found out. What comes after
//! the jump is public again, since memcheck follows data and not control. Nothing in evariste knows of this.

mod report;

use crate::subject::{self, Profile};
use anyhow::{Context, Result, ensure};
use report::{Complaint, JUMP, Report, USE};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What may be branched on: the result of this, on the line of the call.
const COMPARISON: &str = "ct::tags_equal(";

/// The backends that run under valgrind, which knows AVX2 but neither VAES nor AVX-512. Exactly these: one
/// that is skipped is not shown to be constant-time.
const BACKENDS: &[&str] = &["aesni", "aesni+ssse3", "aesni-avx", "portable", "ssse3", "ssse3+pclmul"];

pub(crate) fn run() -> Result<()> {
    let mut bad = 0;
    for profile in [Profile::Debug, Profile::Release] {
        let subject = subject::build(profile)?;
        planted_leaks_are_found(&memcheck(&subject, "planted")?)?;
        let report = memcheck(&subject, "operations")?;
        let ran = ran(&report)?;
        println!("{profile:?}: {} operations on {}", report.operations.len(), ran.join(", "));
        let complaints = report.complaints.iter().filter(|c| !is_comparison(c)).collect::<Vec<_>>();
        print(&complaints);
        bad += complaints.len();
        // Otherwise the secret does not reach the tag, or the exception is out of date.
        ensure!(report.complaints.iter().any(is_comparison), "no tag was compared");
    }
    ensure!(bad == 0, "{bad} complaints of memcheck");
    Ok(())
}

fn memcheck(subject: &Path, modes: &str) -> Result<Report> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=memcheck", "--error-limit=no", "--leak-check=no", "--fullpath-after=", "--num-callers=24"]);
    valgrind.arg(subject).args(["taint", modes]);
    // Backtraces of a subject that fails take minutes there.
    valgrind.env("RUST_BACKTRACE", "0").env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
    let output = valgrind.output().context("valgrind, which Debian has under that name")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{log}\n{}: {}", subject.display(), output.status);
    Report::parse(&log)
}

/// The backends that ran, if they are those that should.
fn ran(report: &Report) -> Result<Vec<&str>> {
    let ran: BTreeSet<_> = report.operations.iter().filter_map(|operation| operation.split(':').next()).collect();
    let ran: Vec<_> = ran.into_iter().collect();
    ensure!(ran == BACKENDS, "ran on {ran:?}, should have on {BACKENDS:?}");
    Ok(ran)
}

/// One complaint about each line of source code, and how many there are.
fn print(complaints: &[&Complaint]) {
    let mut by_line = BTreeMap::<_, Vec<_>>::new();
    complaints.iter().for_each(|c| by_line.entry(c.source()).or_default().push(c));
    for those in by_line.values() {
        println!("{}    {} like this", those[0], those.len());
    }
}

fn is_comparison(complaint: &Complaint) -> bool {
    complaint.what == JUMP
        && complaint.source().is_some_and(|(file, line)| {
            let text = std::fs::read_to_string(subject::workspace().join(file)).unwrap_or_default();
            text.lines().nth(line - 1).is_some_and(|line| line.contains(COMPARISON))
        })
}

fn planted_leaks_are_found(report: &Report) -> Result<()> {
    ensure!(!report.operations.is_empty(), "nothing was planted");
    for operation in &report.operations {
        let what = if operation.contains("index") { USE } else { JUMP };
        let mut found = report.complaints.iter().filter(|c| c.operation == *operation && c.what.starts_with(what));
        ensure!(found.any(|c| !is_comparison(c)), "memcheck does not see the planted leak \"{operation}\"");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(what: &str, place: &str) -> Report {
        let log = format!("operation: portable: gcm seal 1\n==1== {what}\n==1==    at 0x1: f ({place})\n");
        Report::parse(&(log + "==1== ERROR SUMMARY: 1 errors from 1 contexts (")).expect("a log")
    }

    /// Where the line of `file` with `text` is.
    fn line(file: &str, text: &str) -> String {
        let source = std::fs::read_to_string(subject::workspace().join(file)).expect("a source file");
        let line = source.lines().position(|line| line.contains(text)).expect("a line");
        format!("{file}:{}", line + 1)
    }

    #[test]
    fn only_the_comparison_passes() {
        let call = line("crates/evariste/src/gcm.rs", COMPARISON);
        let passes = |what, place: &str| is_comparison(&report(what, place).complaints[0]);
        assert!(passes(JUMP, &call));
        assert!(!passes(USE, &call));
        assert!(!passes(JUMP, &line("crates/evariste/src/gcm.rs", "let expected")));
        assert!(!passes(JUMP, &line("crates/evariste/src/ct.rs", "== 0")));
        assert!(!passes(JUMP, "no/such/file.rs:1"));
    }

    #[test]
    fn skipped_backends_are_noticed() {
        assert!(ran(&report(JUMP, "gcm.rs:1")).is_err());
    }

    #[test]
    fn unseen_leaks_are_reported() {
        let planted = |what| planted_leaks_are_found(&report(what, "planted.rs:1"));
        assert!(planted(JUMP).is_ok());
        assert!(planted(USE).is_err());
    }
}
