//! Less than a block, through registers.

/// Fewer than 16 bytes as a little-endian number, zeros beyond their end. Through registers: a detour over
/// the stack would miss store forwarding.
#[inline(always)]
pub(crate) fn read(d: &[u8]) -> u128 {
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
pub(crate) fn write(v: u128, d: &mut [u8]) -> u128 {
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
