//! The S-box and its inverse as circuits of AND and XOR, on as many bytes as a word or vector has bits.
//!
//! Both are a linear map, the inversion in GF(2^8), and a linear map. The inversion is the core of
//! J. Boyar and R. Peralta, "A new combinational logic minimization technique with applications to
//! cryptology" (SEA 2010): a byte is a pair (a, b) over GF(2^4), whose inverse is that of the norm
//! ab + ν(a + b)^2, times b and times a. Products in GF(2^4) are Karatsuba's, twice: nine ANDs of the
//! four bits and their [`Sums`]. Multiplying out is left to the linear maps, so that they share it.
//!
//! The linear maps were found anew with the heuristic of that paper, in random order, within seconds;
//! those after the inversion as the transposes of such programs. The maps before it and the inversion in
//! GF(2^4) are not the smallest but those of three steps, since vectors wait for one another. Sizes:
//! 25 + 61 + 28 gates, 19 one after the other at most; 25 + 61 + 29 and 20 for the inverse. With one gate less and
//! 29 one after the other, AES-128-CTR took 163 cycles a block where it takes 142 (Cortex-A72 in llvm-mca,
//! 2026-11-30; the same to 2 % on Zen 4). The constant 0x63 is left to the round keys.

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// A bit each of many bytes.
pub(crate) trait Bit:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
}
impl<T: Copy + BitXor<Output = T> + BitAnd<Output = T> + BitOr<Output = T> + Not<Output = T>> Bit for T {}

/// An element of GF(2^4) as Karatsuba wants it: p, q, p + q in the first row, r, s, r + s in the
/// second, the sum of both in the third.
type Sums<T> = [T; 9];

/// SubBytes (FIPS 197 §5.1.1) of the bytes whose bits i are in `x[i]`, without the final addition of 0x63.
#[inline(always)]
pub(crate) fn sub<T: Bit>(x: [T; 8]) -> [T; 8] {
    let y0 = x[7] ^ x[1];
    let y1 = x[7] ^ x[2];
    let y2 = x[3] ^ x[1];
    let y3 = x[7] ^ x[4];
    let y4 = x[4] ^ x[0];
    let y5 = x[4] ^ x[2];
    let y6 = x[5] ^ x[2];
    let y7 = x[6] ^ x[5];
    let y8 = y0 ^ y5;
    let y9 = y3 ^ y2;
    let y10 = y6 ^ y2;
    let y11 = y3 ^ y6;
    let y12 = y7 ^ x[0];
    let y13 = y7 ^ y4;
    let y14 = y9 ^ x[0];
    let y15 = y0 ^ y10;
    let y16 = x[7] ^ y10;
    let y17 = y7 ^ y10;
    let y18 = y12 ^ y10;
    let y19 = x[7] ^ y12;
    let y20 = y12 ^ x[1];
    let y21 = y8 ^ y13;
    let y22 = y9 ^ y7;
    let y23 = y3 ^ y17;
    let y24 = y22 ^ y1;

    let (a, b) = invert(
        [y9, y14, x[0], y10, y12, y18, y11, y22, y17],
        [y8, y21, y13, y0, y20, y19, y5, y1, y3],
        [y23, y24, y15, y16],
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
pub(crate) fn inv_sub<T: Bit>(x: [T; 8]) -> [T; 8] {
    let y0 = x[1] ^ x[0];
    let y1 = x[2] ^ x[1];
    let y2 = x[3] ^ x[0];
    let y3 = x[7] ^ x[4];
    let y4 = x[4] ^ x[3];
    let y5 = x[5] ^ x[2];
    let y6 = x[7] ^ x[6];
    let y7 = x[6] ^ x[4];
    let y8 = x[4] ^ y2;
    let y9 = y4 ^ y0;
    let y10 = y4 ^ y1;
    let y11 = x[7] ^ y5;
    let y12 = x[5] ^ y4;
    let y13 = y6 ^ y0;
    let y14 = y6 ^ y2;
    let y15 = x[7] ^ y7;
    let y16 = y7 ^ y0;
    let y17 = y6 ^ y4;
    let y18 = y7 ^ y5;
    let y19 = y7 ^ y9;
    let y20 = y14 ^ y1;
    let y21 = y14 ^ y10;
    let y22 = y18 ^ y10;
    let y23 = y16 ^ x[5];
    let y24 = y23 ^ x[1];

    let (a, b) = invert(
        [y18, y15, y11, y22, y8, y23, y10, y14, y21],
        [y13, y3, y16, y9, y7, y19, y17, y6, y4],
        [y20, y2, y24, y12],
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
fn invert<T: Bit>(a: Sums<T>, b: Sums<T>, c: [T; 4]) -> (Sums<T>, Sums<T>) {
    let p = and(a, b);
    let (even, odd) = (p[6] ^ p[8], p[7] ^ p[8]);
    let d0 = p[0] ^ p[1] ^ even ^ c[0];
    let d1 = p[0] ^ p[2] ^ odd ^ c[1];
    let d2 = p[3] ^ p[4] ^ even ^ c[2];
    let d3 = p[3] ^ p[5] ^ odd ^ c[3];

    // The inverse in GF(2^4): 15 gates, three deep.
    let (d01, d23, d02) = (d0 ^ d1, d2 ^ d3, d0 & d2);
    let (d12, d03) = (d1 & d2, d0 & d3);
    let (e1, e4) = (d23 & !d12, d01 & !d03);
    let (n1, n4) = (d02 ^ e1, d02 ^ e4);
    let n2 = (d2 | d03) ^ (d23 & !d01);
    let n5 = (d0 | d12) ^ (d01 & !d23);

    let (n0, n3) = (n1 ^ n2, n4 ^ n5);
    let (n7, n8) = (e1 ^ e4, n2 ^ n5);
    let n = [n0, n1, n2, n3, n4, n5, n7 ^ n8, n7, n8];
    (and(n, a), and(n, b))
}

#[inline(always)]
fn and<T: Bit>(a: Sums<T>, b: Sums<T>) -> Sums<T> {
    let mut p = a;
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

    fn slice(bytes: [u8; 32]) -> [u32; 8] {
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
