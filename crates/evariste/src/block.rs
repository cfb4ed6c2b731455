//! The unit of everything here: sixteen bytes.

/// One AES block: 16 bytes in wire order (FIPS 197 §3.4).
pub type Block = [u8; 16];

/// The start of `bytes`, at most a block, padded with zeros.
#[inline(always)]
pub(crate) fn padded(bytes: &[u8]) -> Block {
    let mut block = [0; 16];
    let n = bytes.len().min(16);
    block[..n].copy_from_slice(&bytes[..n]);
    block
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
