//! Test data.

/// `len` bytes with a period of 251, a prime: blocks that trade places show.
pub(crate) fn paint(len: usize, start: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + start) % 251) as u8).collect()
}
