//! What comes of comparing two runs with different secrets, natively (`trace`) or emulated (`trace_guest`).

use anyhow::{Result, ensure};

/// An operation, and how many instructions were the same in both runs, or the first that was not.
pub(crate) struct Compared {
    pub(crate) operation: String,
    pub(crate) outcome: Result<u64, String>,
}

/// The check can fail: every leak that was planted is found.
pub(crate) fn planted_leaks_are_found(results: &[Compared]) -> Result<()> {
    ensure!(!results.is_empty(), "nothing was planted");
    for result in results {
        ensure!(result.outcome.is_err(), "the planted leak \"{}\" leaves no trace", result.operation);
    }
    Ok(())
}
