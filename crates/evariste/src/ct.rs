//! Comparison that takes the same time whatever it finds.

use crate::Block;

/// Whether `tag` is the first `tag.len()` bytes of `expected`, a number in the byte order of the machine. At most 16
/// count.
///
/// One number holds all differences and is looked at once: no early exit, no branch on a byte.
#[inline(always)]
pub(crate) fn tags_equal(expected: u128, tag: &[u8]) -> bool {
    if let Some(full) = tag.first_chunk::<16>().filter(|_| tag.len() == 16) {
        return expected ^ u128::from_ne_bytes(*full) == 0;
    }
    let mut block: Block = [0; 16];
    let Some(start) = block.get_mut(..tag.len()).filter(|start| !start.is_empty()) else { return false };
    start.copy_from_slice(tag);
    (expected ^ u128::from_ne_bytes(block)).to_le() & !(!0 << (8 * tag.len())) == 0
}

#[cfg(test)]
mod tests {
    use super::tags_equal;

    #[test]
    fn only_equal_prefixes_are_equal() {
        let t = 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100u128;
        let bytes = t.to_ne_bytes();
        for len in 1..=16 {
            assert!(tags_equal(t, &bytes[..len]));
            for bit in 0..8 * len {
                let mut bad = bytes;
                bad[bit / 8] ^= 1 << (bit % 8);
                assert!(!tags_equal(t, &bad[..len]), "{len} {bit}");
            }
        }
        assert!(!tags_equal(t, &[0; 17]) && !tags_equal(t, &[]));
    }
}
