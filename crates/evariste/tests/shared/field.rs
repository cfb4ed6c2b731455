//! Multiplication as the standards define it, a bit at a time.

/// X • Y of SP 800-38D §6.3. A block is a big-endian number here, so that bit 0 is the highest.
pub(crate) fn ghash_mul(x: u128, y: u128) -> u128 {
    let (mut z, mut v) = (0, y);
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            z ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z
}
