//! How far it has come, for someone who watches.

use super::input::Input;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::io::{IsTerminal, stderr};

/// Below this an input is done before anyone can read the bar.
const LONG: u64 = 64 << 20;

/// A bar that goes away at the end; a hidden one where nobody watches, or it would be in the way.
pub(crate) fn bar(input: &Input, quiet: bool) -> Result<ProgressBar> {
    let short = input.len.is_some_and(|len| len < LONG);
    if quiet || short || input.file.is_terminal() || !stderr().is_terminal() {
        return Ok(ProgressBar::hidden());
    }
    let (bar, template) = match input.len {
        Some(len) => (
            ProgressBar::new(len),
            "{binary_bytes} of {binary_total_bytes} {wide_bar} {binary_bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::no_length(), "{binary_bytes}, {binary_bytes_per_sec}"),
    };
    Ok(bar.with_style(ProgressStyle::with_template(template)?).with_finish(ProgressFinish::AndClear))
}
