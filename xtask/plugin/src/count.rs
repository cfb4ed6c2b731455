//! `job=count`.

use crate::qemu::Block;
use std::sync::atomic::{AtomicU64, Ordering};

static INSTRUCTIONS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn translate(block: &Block) {
    block.add_at_each_run(&INSTRUCTIONS, block.instructions().len() as u64);
}

pub(crate) fn report() -> String {
    format!("{}\n", INSTRUCTIONS.load(Ordering::Relaxed))
}
