//! memcheck's complaints, among which the subject names its operations.

use anyhow::{Context, Result, ensure};
use std::fmt;

/// The complaint about a branch.
pub(crate) const JUMP: &str = "Conditional jump or move depends on uninitialised value(s)";
/// The beginning of the one about an address.
pub(crate) const USE: &str = "Use of uninitialised value of size";

/// All that a run says.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) operations: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
}

/// A complaint. The same one is told once, in the first operation that gives reason for it.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) operation: String,
    pub(crate) what: String,
    /// Innermost first: address, function, file and line.
    frames: Vec<String>,
}

impl Report {
    pub(crate) fn parse(log: &str) -> Result<Self> {
        let mut report = Self { operations: Vec::new(), complaints: Vec::new() };
        let (mut before, mut summary) = ("", None);
        for line in log.lines() {
            if let Some(operation) = line.strip_prefix("operation: ") {
                report.operations.push(operation.to_owned());
            }
            let Some((_, line)) = line.strip_prefix("==").and_then(|l| l.split_once("== ")) else { continue };
            if let Some(frame) = line.strip_prefix("   at ") {
                let operation = report.operations.last().cloned().unwrap_or_default();
                report.complaints.push(Complaint { operation, what: before.into(), frames: vec![frame.into()] });
            } else if let Some(frame) = line.strip_prefix("   by ") {
                let complaint = report.complaints.last_mut().context("a frame of nothing")?;
                complaint.frames.push(frame.into());
            } else if let Some(s) = line.strip_prefix("ERROR SUMMARY: ") {
                summary = s.split(' ').nth(3).and_then(|contexts| contexts.parse().ok());
            }
            before = line;
        }
        // Or this module has not understood.
        ensure!(summary == Some(report.complaints.len()), "{log}\nvalgrind counts other complaints");
        Ok(report)
    }
}

impl Complaint {
    /// File and line of the innermost frame.
    pub(crate) fn source(&self) -> Option<(&str, usize)> {
        let (_, place) = self.frames.first()?.strip_suffix(')')?.rsplit_once('(')?;
        let (file, line) = place.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n  {}", self.operation, self.what)?;
        // Down to the subject's own.
        let frames = self.frames.iter().take_while(|frame| !frame.contains("/xtask/subject/"));
        frames.into_iter().try_for_each(|frame| writeln!(f, "    {frame}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
==7== Memcheck, a memory error detector
==7==\u{20}
operation: portable: ghash seal 1
operation: portable: ghash seal 16
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x1234EF: open_inout (crates/evariste/src/gcm.rs:165)
==7==    by 0x12E986: <evariste::ccm::Ccm as evariste::aead::Aead>::open (crates/evariste/src/aead.rs:97)
==7==\u{20}
operation: portable: polyval seal 1
==7== Use of uninitialised value of size 8
==7==    at 0x1234F0: ??? (in /usr/bin/subject)
==7==\u{20}
==7== HEAP SUMMARY:
==7== ERROR SUMMARY: 3 errors from 2 contexts (suppressed: 0 from 0)
";

    #[test]
    fn complaints_are_read() {
        let report = Report::parse(LOG).expect("a log");
        assert_eq!(report.operations.len(), 3);
        let [jump, used] = &report.complaints[..] else { panic!("two complaints") };
        assert_eq!((&*jump.operation, &*jump.what), ("portable: ghash seal 16", JUMP));
        assert_eq!(jump.frames.len(), 2);
        assert_eq!(jump.source(), Some(("crates/evariste/src/gcm.rs", 165)));
        assert!(used.what.starts_with(USE));
        assert_eq!((&*used.operation, used.source()), ("portable: polyval seal 1", None));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(Report::parse(&LOG.replace("2 contexts", "3 contexts")).is_err());
        assert!(Report::parse(&LOG.replace("ERROR SUMMARY", "SUMMARY")).is_err());
    }
}
