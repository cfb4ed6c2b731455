//! Multiplication in POLYVAL's field from the CPU's integer multiplication, without a table.
//!
//! # Holes
//! Of a 64-bit half take every fourth bit: 16 bits with three zeros above each. In the integer product of
//! two such words, column i, the four bits from 4i, counts the pairs of ones whose numbers add up to i.
//! While no count exceeds 15, no column reaches into the next, and the lowest bit of each is its count's
//! parity: the carry-less product. The other three are noise. XOR keeps them apart, so sums of products
//! are masked once, at the end.
//!
//! # The bound
//! Column i counts at most min(i + 1, 31 - i) pairs: 16 for i = 15, at most 15 for all others. So the
//! lowest bit of one factor, the key's, is left out. Columns 0 to 15 then count at most i pairs, and those
//! above never had that bit: at most 15 everywhere. Karatsuba's operands are sums (XOR) of such words,
//! hence such words, and products are only added by XOR: the bound is that of a single product.
//!
//! Left out are the lowest four bits of each half of the key, one for each place of the holes; they
//! are kept as eight masks, and the other factor is added under them.
//!
//! # Karatsuba
//! A half is a polynomial of degree 3 in x, with polynomials in x^4 for coefficients. Two levels of Karatsuba's
//! trick multiply two of them in nine products instead of sixteen, and one more level multiplies the whole
//! with three products of halves: 27 multiplications of 64 by 64 bits for a block. The nine
//! operands of each half of a power are stored; those of the sum of both are one XOR away.
//!
//! # Grouping
//! Eight blocks times eight powers are summed before the products are put together and reduced. GHASH of 16 KiB,
//! GB/s, AMD EPYC 9004 (Zen 4), 2026-11, where the portable code of the crate `polyval` makes 0.34:
//!
//! | what | GB/s |
//! |---|---|
//! | groups of 8, 4, 2, 1 | 0.62, 0.52, 0.39, 0.37 |
//! | 81 products of 32 bits, in SSE2 where the compiler finds it, groups of 4 | 0.30 |
//!
//! Each further power takes 70 ns of a key's time.
//!
//! The CPU's multiplication must take the same time for all operands. On 32-bit targets the compiler
//! makes it of 32-bit ones.

use crate::Block;
use crate::key::{self, HashKey, POWERS};

/// Blocks per reduction.
const GROUP: usize = 8;

/// Blocks of [`HashKey::powers`] for a power: [`sums`] of its halves, two to a block.
const OPERANDS: usize = 9;

/// Blocks of [`HashKey::mids`] for a power: the masks of the bits left out, two to a block.
const MASKS: usize = 4;

const _: () = assert!(GROUP * OPERANDS <= POWERS + 4 && GROUP * MASKS <= key::GROUP / 2);

/// Every fourth bit.
const HOLES: u64 = 0x1111_1111_1111_1111;

/// Stores the powers that hashing `blocks` blocks at once needs, highest first.
pub(super) fn hash_key(h: u128, blocks: usize, out: &mut HashKey) {
    let have = blocks.clamp(1, GROUP);
    let operands = out.powers.as_chunks_mut::<OPERANDS>().0;
    let masks = out.mids.as_chunks_mut::<MASKS>().0;
    let last = GROUP - 1;
    set_power(h, &mut operands[last], &mut masks[last]);
    let mut power = h;
    for n in (GROUP - have..last).rev() {
        let mut product = Product::new();
        product.add(power, &operands[last], &masks[last]);
        power = product.reduce();
        set_power(power, &mut operands[n], &mut masks[n]);
    }
    out.have = have as u64;
}

/// Absorbs `blocks`, which `load` makes elements of the field.
#[inline(always)]
pub(super) fn absorb(key: &HashKey, acc: &mut u128, blocks: &[Block], load: impl Fn(Block) -> u128) {
    let operands = &key.powers.as_chunks().0[..GROUP];
    let masks = &key.mids.as_chunks().0[..GROUP];
    for group in blocks.chunks((key.have as usize).clamp(1, GROUP)) {
        let from = GROUP - group.len();
        let mut product = Product::new();
        for (block, (operands, masks)) in group.iter().zip(operands[from..].iter().zip(&masks[from..])) {
            product.add(*acc ^ load(*block), operands, masks);
            *acc = 0;
        }
        *acc = product.reduce();
    }
}

fn set_power(h: u128, operands: &mut [Block; OPERANDS], masks: &mut [Block; MASKS]) {
    let (low, high) = (h as u64, (h >> 64) as u64);
    let (low_sums, high_sums) = (sums(low & !0xf), sums(high & !0xf));
    for n in 0..9 {
        operands[n] = pair(low_sums[n], high_sums[n]);
    }
    for n in 0..4 {
        masks[n] = pair((low >> n & 1).wrapping_neg(), (high >> n & 1).wrapping_neg());
    }
}

fn pair(low: u64, high: u64) -> Block {
    (low as u128 | (high as u128) << 64).to_ne_bytes()
}

fn unpair(block: &Block) -> (u64, u64) {
    let pair = u128::from_ne_bytes(*block);
    (pair as u64, (pair >> 64) as u64)
}

/// The coefficients of x^0 to x^3 of a half, and their sums for two levels of Karatsuba's trick.
#[inline(always)]
fn sums(half: u64) -> [u64; 9] {
    let [a, b, c, d] = [half & HOLES, half >> 1 & HOLES, half >> 2 & HOLES, half >> 3 & HOLES];
    [a, b, c, d, a ^ b, c ^ d, a ^ c, b ^ d, a ^ b ^ c ^ d]
}

/// A sum of products, neither put together nor reduced.
struct Product {
    low: [u128; 9],
    high: [u128; 9],
    /// Of the sums of both halves.
    cross: [u128; 9],
    /// The other factor times the bits 0 to 3 of the low half of the key's factor, and of the high one.
    left_out: [[u128; 4]; 2],
}

// All numbers here are u128, even where pairs of u64 would do: of those the compiler makes vectors, with more
// moves than operations (0.28 instead of 0.54 GB/s in groups of 4, 2026-11).
impl Product {
    #[inline(always)]
    fn new() -> Self {
        Self { low: [0; 9], high: [0; 9], cross: [0; 9], left_out: [[0; 4]; 2] }
    }

    /// Adds the product of `x` and a power.
    #[inline(always)]
    fn add(&mut self, x: u128, operands: &[Block; OPERANDS], masks: &[Block; MASKS]) {
        let (low, high) = (sums(x as u64), sums((x >> 64) as u64));
        for n in 0..9 {
            let (h_low, h_high) = unpair(&operands[n]);
            self.low[n] ^= low[n] as u128 * h_low as u128;
            self.high[n] ^= high[n] as u128 * h_high as u128;
            self.cross[n] ^= (low[n] ^ high[n]) as u128 * (h_low ^ h_high) as u128;
        }
        for n in 0..4 {
            let (low, high) = unpair(&masks[n]);
            // The sign fills the upper half.
            self.left_out[0][n] ^= x & low as i64 as u128;
            self.left_out[1][n] ^= x & high as i64 as u128;
        }
    }

    /// The sum times x^-128, in the field (RFC 8452 §3).
    #[inline(always)]
    fn reduce(&self) -> u128 {
        let [(low_left_out, low_carry), (high_left_out, high_carry)] =
            [weigh(&self.left_out[0]), weigh(&self.left_out[1])];
        let (low, high) = (join(&self.low), join(&self.high));
        let mid = join(&self.cross) ^ low ^ high ^ high_left_out;
        montgomery(low ^ low_left_out ^ mid << 64, high ^ mid >> 64 ^ low_carry ^ high_carry << 64)
    }
}

/// The product of two halves from Karatsuba's nine.
#[inline(always)]
fn join(p: &[u128; 9]) -> u128 {
    let [a, b, c, d, ab, cd, ac, bd, abcd] = *p;
    let (x1, x5) = (ab ^ a ^ b, cd ^ c ^ d);
    let (x2, x4) = (ac ^ a ^ c ^ b, bd ^ b ^ d ^ c);
    let x3 = abcd ^ ac ^ bd ^ x1 ^ x5;
    // x^4 is the next hole, so x^4 to x^6 join x^0 to x^2 before masking.
    [a ^ x4 << 4, x1 ^ x5 << 4, x2 ^ d << 4, x3]
        .iter()
        .enumerate()
        .fold(0, |product, (n, sum)| product | (sum & (HOLES as u128 | (HOLES as u128) << 64)) << n)
}

/// The sum of `parts[n]` x^n, in 128 bits and the rest.
#[inline(always)]
fn weigh(parts: &[u128; 4]) -> (u128, u128) {
    let [a, b, c, d] = *parts;
    (a ^ b << 1 ^ c << 2 ^ d << 3, b >> 127 ^ c >> 126 ^ d >> 125)
}

/// `(low + high x^128) x^-128` modulo P = x^128 + x^127 + x^126 + x^121 + 1.
///
/// Adding wP makes the lowest word w vanish, and adds w(x^121 + x^126 + x^127 + x^128) above it; so twice.
#[inline(always)]
fn montgomery(low: u128, high: u128) -> u128 {
    let fold = |w: u64| {
        let w = w as u128;
        w << 64 ^ w << 63 ^ w << 62 ^ w << 57
    };
    let first = low >> 64 ^ fold(low as u64);
    high ^ first >> 64 ^ fold(first as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// dot of RFC 8452 §3, bit by bit: the sum of a x^(i - 128) over the bits i of b.
    fn textbook(a: u128, b: u128) -> u128 {
        (0..128).fold(0, |sum: u128, i| {
            let sum = sum ^ if b >> i & 1 == 1 { a } else { 0 };
            // P is x^128 + x^127 + x^126 + x^121 + 1; a multiple of it makes the sum divisible by x.
            let odd = if sum & 1 == 1 { 1 << 127 | 1 << 126 | 1 << 125 | 1 << 120 } else { 0 };
            sum >> 1 ^ odd
        })
    }

    fn multiply(a: u128, b: u128) -> u128 {
        let (mut operands, mut masks) = ([[0; 16]; OPERANDS], [[0; 16]; MASKS]);
        set_power(b, &mut operands, &mut masks);
        let mut product = Product::new();
        product.add(a, &operands, &masks);
        product.reduce()
    }

    /// A carry-less product, bit by bit.
    fn carry_less(a: u64, b: u64) -> u128 {
        (0..64).fold(0, |sum, i| sum ^ if b >> i & 1 == 1 { (a as u128) << i } else { 0 })
    }

    /// The product of two halves, without the bits that are left out.
    fn halves(a: u64, b: u64) -> u128 {
        let (a, b) = (sums(a), sums(b & !0xf));
        let mut products = [0; 9];
        for n in 0..9 {
            products[n] = a[n] as u128 * b[n] as u128;
        }
        join(&products)
    }

    /// xorshift128: full period, and no more is asked of it.
    fn random(state: &mut u128) -> u128 {
        *state ^= *state << 29;
        *state ^= *state >> 51;
        *state ^= *state << 77;
        *state ^ *state >> 64
    }

    /// The heaviest: all ones, all but one, all of some places of the holes, and those but for one.
    fn heavy() -> impl Iterator<Item = u128> {
        let places = (0..16u128).map(|set| set * (HOLES as u128 | (HOLES as u128) << 64));
        places.flat_map(|p| (0..128).map(move |n| p & !(1 << n)).chain([p]))
    }

    #[test]
    fn halves_of_basis_vectors() {
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(halves(1 << i, 1 << j), carry_less(1 << i, 1 << j & !0xf), "{i} {j}");
            }
        }
    }

    #[test]
    fn halves_of_heavy_weight() {
        for a in heavy() {
            for b in [!0, HOLES, HOLES << 1, HOLES << 2, HOLES << 3, 0x3333 * 0x1_0001_0001_0001, a as u64] {
                assert_eq!(halves(a as u64, b), carry_less(a as u64, b & !0xf), "{a:x} {b:x}");
            }
        }
    }

    #[test]
    fn basis_vectors() {
        for i in 0..128 {
            for j in 0..128 {
                assert_eq!(multiply(1 << i, 1 << j), textbook(1 << i, 1 << j), "{i} {j}");
            }
        }
    }

    #[test]
    fn heavy_weight() {
        for a in heavy() {
            for b in [!0, a, !(0xf << 60), HOLES as u128 * ((1 << 64) + 1)] {
                assert_eq!(multiply(a, b), textbook(a, b), "{a:x} {b:x}");
                assert_eq!(multiply(b, a), textbook(b, a), "{b:x} {a:x}");
            }
        }
    }

    /// 2^16 pairs, for a tenth of a second; 2^24 passed too (2026-11, 20 s).
    #[test]
    fn random_pairs() {
        let mut state = 1;
        for _ in 0..1 << 16 {
            let (a, b) = (random(&mut state), random(&mut state));
            assert_eq!(multiply(a, b), textbook(a, b), "{a:x} {b:x}");
        }
    }

    /// Every power, every number of powers, every length of a group.
    #[test]
    fn groups() {
        let mut state = 1;
        let blocks: [Block; 27] = core::array::from_fn(|_| random(&mut state).to_le_bytes());
        let h = random(&mut state);
        for have in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, usize::MAX] {
            let mut key = HashKey::ZERO;
            hash_key(h, have, &mut key);
            for n in 0..=27 {
                let mut acc = 5;
                absorb(&key, &mut acc, &blocks[..n], u128::from_le_bytes);
                let expected = blocks[..n].iter().fold(5, |y, x| textbook(y ^ u128::from_le_bytes(*x), h));
                assert_eq!(acc, expected, "{have} {n}");
            }
        }
    }
}
