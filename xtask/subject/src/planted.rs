//! Leaks planted for the checks to find: a check that does not is worth nothing.

use crate::message::{Message, Mode};
use evariste::Backend;
use std::hint::black_box;

/// One leak of each kind.
pub(crate) const MODES: &[Mode] = &[
    Mode { name: "branch on a key", keys: &[16], lens: &[16], aad: 0, tag: false, seal: branch, open: None },
    Mode { name: "index from a key", keys: &[16], lens: &[16], aad: 0, tag: false, seal: index, open: None },
    Mode { name: "branch on a text", keys: &[16], lens: &[16], aad: 0, tag: false, seal: branch_text, open: None },
];

fn branch(_: Backend, m: &mut Message) -> Option<()> {
    if m.key[2] & 1 == 1 {
        black_box(&mut m.data)[0] ^= 1;
    }
    Some(())
}

fn index(_: Backend, m: &mut Message) -> Option<()> {
    static TABLE: [u8; 256] = [1; 256];
    m.data[1] ^= black_box(&TABLE)[m.key[2] as usize];
    Some(())
}

fn branch_text(_: Backend, m: &mut Message) -> Option<()> {
    if m.data[5] >= 0x20 {
        black_box(&mut m.data)[0] ^= 1;
    }
    Some(())
}
