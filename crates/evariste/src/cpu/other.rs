//! CPUs of which nothing is asked.

use super::Features;

pub(super) fn detect() -> Features {
    Features::NONE
}

pub(crate) fn slow_512() -> bool {
    false
}

pub(super) fn name(_: &mut [u8; 48]) {}

/// Nothing to set.
pub(super) struct Timing;

impl Timing {
    pub(super) fn start() -> Self {
        Self
    }

    pub(super) fn is_on(&self) -> bool {
        false
    }
}
