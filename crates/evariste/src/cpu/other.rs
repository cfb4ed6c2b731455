//! CPUs of which nothing is asked.

use super::Features;

pub(super) fn detect() -> Features {
    Features::NONE
}

pub(super) fn name(_: &mut [u8; 48]) {}
