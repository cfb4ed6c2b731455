//! The S-box as permutations of sixteen bytes, after M. Hamburg, "Accelerating AES with Vector Permute
//! Instructions" (CHES 2009): the tables and how they come about.
//!
//! # The tower
//! GF(2^8) is GF(2^4) with a root ω of w^2 + aw + a, for an a that makes it irreducible: a byte is k + iω, two
//! nibbles. ω + a is the other root, so that the inverse is (k + ai + iω)/N with N = k^2 + aik + ai^2.
//!
//! # Inverses of nibbles alone
//! With j = i + k, let
//!
//! ```text
//! u = 1/(1/i + a/k) + j = N/(k + ai)
//! v = 1/(1/j + a/k) + i = N/(k + aj)
//! ```
//!
//! Then (k + ai)/N is 1/u, and ak/N is 1/u + 1/v, so that the inverse is 1/u (1 + ω(a + 1)/a^2) + 1/v ω/a^2: a sum
//! of two functions of a nibble each. Any linear map behind it, a multiple for MixColumns or another way to write
//! a byte down, costs nothing.
//!
//! # Nothing and everything
//! 1/0 is taken to be ∞, and 1/∞ to be 0, which makes all of this right for every byte. ∞ is any byte above 7f:
//! it stays one whatever nibble is added, and PSHUFB makes 0 of it. The sum of two is a nibble, but only 0
//! comes to that, where u and v are ∞ all the same.

use crate::Block;

/// Bytes as sums: of a function of the lower nibble and one of the upper.
pub(super) struct Sum(pub(super) Block, pub(super) Block);

/// Nibbles of a byte of the tower: 1/x, and a/x.
pub(super) static INVERSE: Block = nibbles(1);
pub(super) static A_OVER: Block = nibbles(A);

/// From bytes as FIPS 197 has them to the tower's, and back.
pub(super) static ENTER: Sum = linear(Map::Enter);
pub(super) static LEAVE: Sum = linear(Map::Leave);
/// The same before the inverse S-box, whose affine map comes first, but for its constant.
pub(super) static ENTER_INVERSE: Sum = linear(Map::EnterInverse);
pub(super) static LEAVE_INVERSE: Sum = linear(Map::LeaveInverse);

/// SubBytes of 1/u and 1/v without the constant 63; the same, times {02}, in the tower.
pub(super) static SUB: Sum = outcome(1, Map::Affine, Map::None);
pub(super) static SUB_1: Sum = outcome(1, Map::Affine, Map::Enter);
pub(super) static SUB_2: Sum = outcome(2, Map::Affine, Map::Enter);

/// InvSubBytes, once plain and, ready for the next, times the coefficients of InvMixColumns.
pub(super) static INV_SUB: Sum = outcome(1, Map::None, Map::None);
pub(super) static INV_SUB_E: Sum = outcome(0xe, Map::None, Map::EnterInverse);
pub(super) static INV_SUB_B: Sum = outcome(0xb, Map::None, Map::EnterInverse);
pub(super) static INV_SUB_D: Sum = outcome(0xd, Map::None, Map::EnterInverse);
pub(super) static INV_SUB_9: Sum = outcome(0x9, Map::None, Map::EnterInverse);

/// Linear maps of bytes.
#[derive(Clone, Copy)]
enum Map {
    None,
    /// That of SubBytes (FIPS 197 §5.1.1).
    Affine,
    Enter,
    EnterInverse,
    Leave,
    LeaveInverse,
}

/// Generates GF(2^4): {03} generates all but 0, and its 17th power all of those with x^15 = 1.
const GAMMA: u8 = power(3, 17);

/// The smallest byte that has what it takes.
const OMEGA: u8 = {
    let mut w = 2;
    while A_OF[w] == 0 {
        w += 1;
    }
    w as u8
};

const A: u8 = A_OF[OMEGA as usize];

/// For each byte its sum with its conjugate, if that is also their product, and not 0.
const A_OF: [u8; 256] = {
    let mut a = [0; 256];
    let mut w = 0;
    while w < 256 {
        let sum = power(w as u8, 16) ^ w as u8;
        if sum == power(w as u8, 17) {
            a[w] = sum;
        }
        w += 1;
    }
    a
};

/// Product in FIPS 197's field (§4.2).
const fn times(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 8);
    while bit > 0 {
        bit -= 1;
        product = (product << 1) ^ (0x1b * (product >> 7)) ^ (a * (b >> bit & 1));
    }
    product
}

const fn power(a: u8, exponent: u8) -> u8 {
    let (mut product, mut n) = (1, 0);
    while n < exponent {
        product = times(product, a);
        n += 1;
    }
    product
}

/// 1/a, and 0 of 0.
const fn inverse(a: u8) -> u8 {
    power(a, 254)
}

/// The byte k + iω whose nibbles are k and i.
const fn leave(tower: u8) -> u8 {
    let (mut byte, mut bit, mut gamma) = (0, 0, 1);
    while bit < 4 {
        byte ^= gamma * (tower >> bit & 1);
        byte ^= times(gamma, OMEGA) * (tower >> (bit + 4) & 1);
        gamma = times(gamma, GAMMA);
        bit += 1;
    }
    byte
}

const fn enter(byte: u8) -> u8 {
    ENTERED[byte as usize]
}

const ENTERED: [u8; 256] = {
    let (mut table, mut n) = ([0; 256], 0);
    while n < 256 {
        table[leave(n as u8) as usize] = n as u8;
        n += 1;
    }
    table
};

const fn map(byte: u8, map: Map) -> u8 {
    match map {
        Map::None => byte,
        Map::Affine => affine(byte),
        Map::Enter => enter(byte),
        Map::EnterInverse => enter(byte.rotate_left(1) ^ byte.rotate_left(3) ^ byte.rotate_left(6)),
        Map::Leave => leave(byte),
        Map::LeaveInverse => affine(leave(byte)),
    }
}

const fn affine(byte: u8) -> u8 {
    byte ^ byte.rotate_left(1) ^ byte.rotate_left(2) ^ byte.rotate_left(3) ^ byte.rotate_left(4)
}

/// For each nibble of GF(2^4) `by` over it.
const fn nibbles(by: u8) -> Block {
    // ∞.
    let mut table = [0x80; 16];
    let mut n = 1;
    while n < 16 {
        table[n] = enter(times(by, inverse(leave(n as u8))));
        n += 1;
    }
    table
}

const fn linear(by: Map) -> Sum {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut n = 0;
    while n < 16 {
        low[n] = map(n as u8, by);
        high[n] = map((n as u8) << 4, by);
        n += 1;
    }
    Sum(low, high)
}

/// For nibbles u and v their parts in the inverse, after a map, multiplication and another map.
const fn outcome(by: u8, first: Map, last: Map) -> Sum {
    let over_a2 = inverse(times(A, A));
    let of_v = times(OMEGA, over_a2);
    let of_u = 1 ^ times(of_v, A ^ 1);
    let (mut u, mut v) = ([0; 16], [0; 16]);
    let mut n = 0;
    while n < 16 {
        let inverse = inverse(leave(n as u8));
        u[n] = map(times(by, map(times(inverse, of_u), first)), last);
        v[n] = map(times(by, map(times(inverse, of_v), first)), last);
        n += 1;
    }
    Sum(u, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PSHUFB of one byte.
    fn look_up(table: &Block, at: u8) -> u8 {
        if at > 0x7f { 0 } else { table[at as usize % 16] }
    }

    fn sum(of: &Sum, low: u8, high: u8) -> u8 {
        look_up(&of.0, low) ^ look_up(&of.1, high)
    }

    fn uv(byte: u8) -> (u8, u8) {
        let (k, i) = (byte & 0xf, byte >> 4);
        let (j, over, a_over_k) = (i ^ k, |n| look_up(&INVERSE, n), look_up(&A_OVER, k));
        (over(over(i) ^ a_over_k) ^ j, over(over(j) ^ a_over_k) ^ i)
    }

    /// FIPS 197 §5.1.1 and §5.3.2, for all bytes, with all multiples.
    #[test]
    fn all_bytes() {
        for x in 0..=255u8 {
            let s = 0x63 ^ affine(inverse(x));
            let tower = sum(&ENTER, x & 0xf, x >> 4);
            assert_eq!(sum(&LEAVE, tower & 0xf, tower >> 4), x);
            let (u, v) = uv(tower);
            let leave = |tower: u8| sum(&LEAVE, tower & 0xf, tower >> 4);
            assert_eq!(sum(&SUB, u, v) ^ 0x63, s);
            assert_eq!(leave(sum(&SUB_1, u, v)) ^ 0x63, s);
            assert_eq!(leave(sum(&SUB_2, u, v)), times(2, s ^ 0x63));

            let y = s ^ 0x63;
            let tower = sum(&ENTER_INVERSE, y & 0xf, y >> 4);
            let leave = |tower: u8| sum(&LEAVE_INVERSE, tower & 0xf, tower >> 4);
            assert_eq!(leave(tower), y);
            let (u, v) = uv(tower);
            assert_eq!(sum(&INV_SUB, u, v), x);
            for (by, of) in [(0xe, &INV_SUB_E), (0xb, &INV_SUB_B), (0xd, &INV_SUB_D), (0x9, &INV_SUB_9)] {
                assert_eq!(leave(sum(of, u, v)), times(by, x));
            }
        }
    }
}
