//! The S-box and its inverse as circuits of AND and XOR, on 32 bytes at a time.
//!
//! Both are a linear map, the inversion in GF(2^8), and a linear map. The inversion is the core of
//! J. Boyar and R. Peralta, "A new combinational logic minimization technique with applications to
//! cryptology" (SEA 2010): a byte is a pair (a, b) over GF(2^4), whose inverse is that of the norm
//! ab + ν(a + b)^2, times b and times a. Products in GF(2^4) are Karatsuba's, twice: nine ANDs of the
//! four bits and their [`Sums`]. Multiplying out is left to the linear maps, so that they share it.
//!
//! The linear maps were found anew with the heuristic of that paper, in random order, within seconds;
//! those after the inversion as the transposes of such programs. Sizes: 23 + 62 + 28 gates, and
//! 23 + 62 + 29 for the inverse. The constant 0x63 is left to the round keys.

/// Bit i of 32 bytes in word i.
type Bits = [u32; 8];

/// An element of GF(2^4) as Karatsuba wants it: p, q, p + q in the first row, r, s, r + s in the
/// second, the sum of both in the third.
type Sums = [u32; 9];

/// SubBytes (FIPS 197 §5.1.1), without the final addition of 0x63.
#[inline(always)]
pub(super) fn sub(x: Bits) -> Bits {
    let y0 = x[7] ^ x[1];
    let y1 = x[4] ^ x[2];
    let y2 = x[7] ^ x[2];
    let y3 = y1 ^ y0;
    let y4 = x[7] ^ x[4];
    let y5 = y3 ^ x[3];
    let y6 = y5 ^ x[6];
    let y7 = y6 ^ y4;
    let y8 = y7 ^ x[0];
    let y9 = y5 ^ x[2];
    let y10 = y9 ^ x[0];
    let y11 = x[6] ^ x[5];
    let y12 = y11 ^ x[0];
    let y13 = y11 ^ y9;
    let y14 = y11 ^ y7;
    let y15 = y12 ^ x[4];
    let y16 = y14 ^ y0;
    let y17 = y16 ^ x[1];
    let y18 = y15 ^ y4;
    let y19 = y13 ^ y2;
    let y20 = y15 ^ y3;
    let y21 = y14 ^ y9;
    let y22 = y20 ^ y2;

    let (a, b) = invert(
        [y9, y10, x[0], y14, y12, y8, y21, y13, y7],
        [y3, y20, y15, y0, y22, y18, y1, y2, y4],
        [y6, y19, y16, y17],
    );

    let t0 = a[3] ^ a[0];
    let t1 = a[4] ^ t0;
    let t2 = b[1] ^ b[6];
    let t3 = b[0] ^ b[8] ^ t2;
    let t4 = a[1] ^ t1;
    let t5 = t3 ^ t4;
    let t6 = a[6] ^ t1;
    let t7 = a[8] ^ a[0] ^ t6;
    let t8 = t3 ^ t7;
    let t9 = b[3] ^ b[8];
    let t10 = a[7] ^ t6 ^ a[2];
    let t11 = a[5] ^ t0 ^ a[2];
    let t12 = b[4] ^ b[6] ^ t9 ^ t11;
    let t13 = b[5] ^ t9 ^ t10;
    [t12, t10 ^ t12, b[2] ^ t2 ^ t13, t5 ^ t11, t5, b[7] ^ t7 ^ t13, t4 ^ t8, t8]
}

/// InvSubBytes (FIPS 197 §5.3.2) of x + 0x63.
#[inline(always)]
pub(super) fn inv_sub(x: Bits) -> Bits {
    let y0 = x[6] ^ x[4];
    let y1 = x[3] ^ x[0];
    let y2 = x[7] ^ x[6];
    let y3 = x[4] ^ x[3];
    let y4 = y2 ^ y1;
    let y5 = y3 ^ x[0];
    let y6 = y5 ^ x[1];
    let y7 = y6 ^ y0;
    let y8 = y7 ^ y3;
    let y9 = y8 ^ x[5];
    let y10 = y3 ^ y2;
    let y11 = y9 ^ x[1];
    let y12 = y2 ^ y0;
    let y13 = y9 ^ y7;
    let y14 = y12 ^ x[6];
    let y15 = y10 ^ y6;
    let y16 = y9 ^ y5;
    let y17 = x[7] ^ x[2];
    let y18 = y17 ^ x[5];
    let y19 = y17 ^ y8;
    let y20 = y17 ^ y7;
    let y21 = y18 ^ y14;
    let y22 = y21 ^ y16;

    let (a, b) = invert(
        [y21, y14, y18, y16, y5, y9, y22, y4, y19],
        [y15, y12, y8, y6, y0, y7, y10, y2, y3],
        [y20, y1, y11, y13],
    );

    let t0 = b[4] ^ b[6];
    let t1 = a[5] ^ a[7] ^ a[3];
    let t2 = b[3] ^ b[8] ^ t0;
    let t3 = a[8] ^ t2;
    let t4 = t1 ^ t3;
    let t5 = a[0] ^ t1;
    let t6 = a[2] ^ a[7] ^ t5;
    let t7 = b[0] ^ b[8] ^ b[2] ^ b[7];
    let t8 = b[1] ^ b[6] ^ b[2] ^ t6;
    let t9 = a[4] ^ a[3] ^ t3;
    let t10 = a[1] ^ t5 ^ t9;
    let t11 = a[6] ^ t9;
    let t12 = b[5] ^ t0 ^ t8 ^ t10;
    [t7, t11, t10, b[7] ^ t8 ^ t11, t4 ^ t6, t12, t2 ^ t7 ^ t12, t4]
}

/// The partial products of n·a and n·b, where n is the inverse of the norm of (a, b); `c` is the part
/// of the norm that is linear, ν(a + b)^2, with what the products leave out.
#[inline(always)]
fn invert(a: Sums, b: Sums, c: [u32; 4]) -> (Sums, Sums) {
    let p = and(a, b);
    let (even, odd) = (p[6] ^ p[8], p[7] ^ p[8]);
    let d0 = p[0] ^ p[1] ^ even ^ c[0];
    let d1 = p[0] ^ p[2] ^ odd ^ c[1];
    let d2 = p[3] ^ p[4] ^ even ^ c[2];
    let d3 = p[3] ^ p[5] ^ odd ^ c[3];

    // The inverse in GF(2^4), five ANDs.
    let d01 = d0 ^ d1;
    let d02 = d0 & d2;
    let u = d3 ^ d02;
    let n5 = d1 ^ (d01 & u);
    let n2 = d3 ^ ((d1 ^ d02) & (d2 ^ d3));
    let v = d3 & (u ^ n2);
    let n1 = v ^ d2 ^ n2;
    let n4 = d01 ^ (n5 & (u ^ v));

    let (n0, n3) = (n1 ^ n2, n4 ^ n5);
    let (n7, n8) = (n1 ^ n4, n2 ^ n5);
    let n = [n0, n1, n2, n3, n4, n5, n7 ^ n8, n7, n8];
    (and(n, a), and(n, b))
}

#[inline(always)]
fn and(a: Sums, b: Sums) -> Sums {
    let mut p = [0; 9];
    for i in 0..9 {
        p[i] = a[i] & b[i];
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(a: u8) -> u8 {
        (a << 1) ^ (0x1b * (a >> 7))
    }

    fn multiply(a: u8, b: u8) -> u8 {
        (0..8).rev().fold(0, |r, i| double(r) ^ (a * (b >> i & 1)))
    }

    /// FIPS 197 §5.1.1: the inverse, or 0, and the affine map.
    fn textbook(x: u8) -> u8 {
        let inverse = (0..=255).find(|y| multiply(x, *y) == 1).unwrap_or(0);
        (1..5).fold(inverse, |s, i| s ^ inverse.rotate_left(i)) ^ 0x63
    }

    fn slice(bytes: [u8; 32]) -> Bits {
        core::array::from_fn(|bit| (0..32).fold(0, |w, n| w | u32::from(bytes[n] >> bit & 1) << n))
    }

    /// Every input in every lane, among 31 other inputs.
    #[test]
    fn all_inputs_in_all_lanes() {
        let table: [u8; 256] = core::array::from_fn(|x| textbook(x as u8));
        assert_eq!(table[..4], [0x63, 0x7c, 0x77, 0x7b]);
        for first in 0..=255u8 {
            let x: [u8; 32] = core::array::from_fn(|n| first.wrapping_add(n as u8 * 7));
            let y = x.map(|x| table[x as usize] ^ 0x63);
            assert_eq!(sub(slice(x)), slice(y));
            assert_eq!(inv_sub(slice(y)), slice(x));
        }
    }
}
