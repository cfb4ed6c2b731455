//! The unit of everything here: sixteen bytes.

use crate::partial;

/// One AES block: 16 bytes in wire order (FIPS 197 §3.4).
pub type Block = [u8; 16];

/// A block that counts, and whether it may be looked at.
///
/// Counters are public but for GCM's under a nonce that is not 96 bits long: those are a hash under the
/// secret H, and a branch on when their bytes wrap would tell of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The block first and aligned: what was just written as a whole is read in halves.
#[repr(C, align(16))]
pub(crate) struct Counter {
    pub(crate) block: Block,
    pub(crate) secret: bool,
}

impl Counter {
    /// A counter that an attacker may know.
    #[inline(always)]
    pub(crate) fn public(block: Block) -> Self {
        Self { block, secret: false }
    }

    /// inc32 by `by` (SP 800-38D §6.2).
    #[inline(always)]
    pub(crate) fn advance(&mut self, by: usize) {
        inc32(&mut self.block, by as u32);
    }
}

/// The start of `bytes`, at most a block, padded with zeros.
#[inline(always)]
pub(crate) fn padded(bytes: &[u8]) -> Block {
    bytes.first_chunk().copied().unwrap_or_else(|| partial::read(bytes).to_le_bytes())
}

/// What an unfinished block of `used` bytes has room for, and what comes after it. A block of none is not
/// unfinished.
#[inline]
pub(crate) fn split_unfinished(used: usize, data: &[u8]) -> (&[u8], &[u8]) {
    let room = if used == 0 { 0 } else { 16 - used.min(16) };
    data.split_at(data.len().min(room))
}

/// `a ^= b`.
#[inline(always)]
pub(crate) fn xor(a: &mut Block, b: &Block) {
    *a = (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes();
}

/// inc32: adds `by` to the last four bytes, big-endian, modulo 2^32 (SP 800-38D §6.2).
#[inline(always)]
pub(crate) fn inc32(block: &mut Block, by: u32) {
    let c = u128::from_be_bytes(*block);
    *block = (c >> 32 << 32 | (c as u32).wrapping_add(by) as u128).to_be_bytes();
}

/// inc32 of RFC 8452 §4: the first four bytes, little-endian, modulo 2^32.
#[inline(always)]
pub(crate) fn inc32_le(block: &mut Block, by: u32) {
    let c = u128::from_le_bytes(*block);
    *block = (c >> 32 << 32 | (c as u32).wrapping_add(by) as u128).to_le_bytes();
}
