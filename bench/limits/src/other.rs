//! Architectures without loops.

use crate::probe::Probe;

pub(crate) const ROUND: &str = "";
pub(crate) const PRODUCT: &str = "";
pub(crate) const WIDTHS: &[u32] = &[];
pub(crate) const ADDITIONS: u64 = 1;

/// Nothing is measured, so nobody counts.
pub(crate) fn additions(_: u64) {}

/// None.
pub(crate) fn probes() -> Vec<Probe> {
    Vec::new()
}
