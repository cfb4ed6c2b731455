//! The unit of everything here: sixteen bytes.

/// One AES block: 16 bytes in wire order (FIPS 197 §3.4).
pub type Block = [u8; 16];

/// A block that counts, and whether it may be looked at.
///
/// Counters are public but for GCM's under a nonce that is not 96 bits long: those are a hash under the
/// secret H, and a branch on when their bytes wrap would tell of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    let mut block = [0; 16];
    let n = bytes.len().min(16);
    block[..n].copy_from_slice(&bytes[..n]);
    block
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

/// Fewer than 16 bytes as a little-endian number, zeros beyond their end. Through registers: a detour over
/// the stack would miss store forwarding.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn read_partial(d: &[u8]) -> u128 {
    if let (Some(a), Some(b)) = (d.first_chunk::<8>(), d.last_chunk::<8>()) {
        // The two may overlap, on equal bits.
        u64::from_le_bytes(*a) as u128 | (u64::from_le_bytes(*b) as u128) << (8 * d.len() - 64)
    } else if let (Some(a), Some(b)) = (d.first_chunk::<4>(), d.last_chunk::<4>()) {
        (u32::from_le_bytes(*a) as u64 | (u32::from_le_bytes(*b) as u64) << (8 * d.len() - 32)) as u128
    } else if let (Some(a), Some(b)) = (d.first_chunk::<2>(), d.last_chunk::<2>()) {
        (u16::from_le_bytes(*a) as u64 | (u16::from_le_bytes(*b) as u64) << (8 * d.len() - 16)) as u128
    } else {
        d.first().copied().unwrap_or(0) as u128
    }
}

/// Writes `v` to fewer than 16 bytes, and returns what of it was written.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn write_partial(v: u128, d: &mut [u8]) -> u128 {
    let n = d.len();
    if n >= 8 {
        *d.last_chunk_mut::<8>().expect("n >= 8") = ((v >> (8 * n - 64)) as u64).to_le_bytes();
        *d.first_chunk_mut::<8>().expect("n >= 8") = (v as u64).to_le_bytes();
    } else if n >= 4 {
        *d.last_chunk_mut::<4>().expect("n >= 4") = ((v as u64 >> (8 * n - 32)) as u32).to_le_bytes();
        *d.first_chunk_mut::<4>().expect("n >= 4") = (v as u32).to_le_bytes();
    } else if n >= 2 {
        *d.last_chunk_mut::<2>().expect("n >= 2") = ((v as u32 >> (8 * n - 16)) as u16).to_le_bytes();
        *d.first_chunk_mut::<2>().expect("n >= 2") = (v as u16).to_le_bytes();
    } else if n == 1 {
        d[0] = v as u8;
    }
    v & !(!0 << (8 * n))
}
