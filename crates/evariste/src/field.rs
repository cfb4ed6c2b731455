//! What GHASH needs of the field on every backend: how its keys become POLYVAL's. The rest is the backends'.

/// POLYVAL key equivalent to the GHASH key `h` (RFC 8452 appendix A).
#[inline(always)]
pub(crate) fn mulx(h: u128) -> u128 {
    (h << 1) ^ ((h >> 127).wrapping_neg() & 0xc2000000_00000000_00000000_00000001)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of `mulX_POLYVAL` there.
    #[test]
    fn rfc_8452_appendix_a() {
        let of = |bytes: u128| mulx(bytes.swap_bytes()).swap_bytes();
        assert_eq!(of(0x01000000_00000000_00000000_00000000), 0x02000000_00000000_00000000_00000000);
        assert_eq!(of(0x9c98c04d_f9387ded_828175a9_2ba652d8), 0x3931819b_f271fada_0503eb52_574ca572);
    }
}
