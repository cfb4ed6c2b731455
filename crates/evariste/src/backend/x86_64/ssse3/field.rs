//! GHASH and POLYVAL from tables of sixteen bytes.
//!
//! # A product
//! For each power of H its sixteen multiples by a nibble are kept, transposed: table i has byte i of all of them.
//! PSHUFB of table i by the lower nibbles of a block picks, for all sixteen of these at once, byte i of their
//! multiples. What byte n of that has belongs at byte i + n of the product: the sum of all, each moved up by
//! i bytes. Upper nibbles go the same way and are moved by four bits more, at the end.
//!
//! No index goes to memory: a table is a register, and all of them are read for every block.
//!
//! # Sums
//! Table i of several powers is added up over several blocks before it is moved, and the whole is reduced once. A
//! byte leaves at the lower end in each of the sixteen turns, so that the lower half of the product is complete
//! when the last has left.

use super::Ssse3;
use super::table::nibbles;
use crate::Block;
use crate::backend::kernel::Vector;
use crate::backend::x86_64::v128::{bytes, load128};
use crate::field::mulx;
use crate::key::{self, HashKey};
use core::arch::x86_64::*;
use zeroize::optimization_barrier;

/// Blocks per reduction, and powers kept.
const GROUP: usize = 6;

/// Tables of a power.
const TABLES: usize = 16;

/// Powers whose tables are in [`HashKey::powers`]; those of the others are in [`HashKey::mids`].
const FIRST: usize = 4;

const _: () = assert!(FIRST * TABLES <= key::POWERS + 4 && (GROUP - FIRST) * TABLES <= key::GROUP / 2);

/// Stores the powers that hashing `blocks` blocks at once needs, highest first.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn hash_key(i: Ssse3, h: u128, blocks: usize, out: &mut HashKey) {
    let have = blocks.clamp(1, GROUP);
    let mut power = h;
    set_power(power, out, GROUP - 1);
    for n in (GROUP - have..GROUP - 1).rev() {
        power = i.to_u128(dot::<1>(i, out, [i.splat(power)]));
        set_power(power, out, n);
    }
    out.have = have as u64;
}

/// Absorbs `blocks`, byte-reversed or not.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn absorb<const REVERSE: bool>(i: Ssse3, key: &HashKey, acc: &mut u128, mut blocks: &[Block]) {
    let have = (key.have as usize).clamp(1, GROUP);
    let mut y = i.splat(*acc);
    macro_rules! group {
        ($n:literal, $blocks:expr) => {{
            let mut x = [i.splat(0); $n];
            for n in 0..$n {
                let v = load128(&$blocks[n]);
                x[n] = if REVERSE { i.reverse(v) } else { v };
            }
            x[0] = i.xor(x[0], y);
            y = dot::<$n>(i, key, x);
        }};
    }
    while !blocks.is_empty() {
        let (now, later) = blocks.split_at(blocks.len().min(have));
        blocks = later;
        match now.len() {
            1 => group!(1, now),
            2 => group!(2, now),
            3 => group!(3, now),
            4 => group!(4, now),
            5 => group!(5, now),
            _ => group!(6, now),
        }
    }
    *acc = i.to_u128(y);
}

/// The sum of the products of `x` and the lowest `N` powers, highest first, times x^-128 (RFC 8452 §3).
#[inline]
#[target_feature(enable = "ssse3")]
fn dot<const N: usize>(i: Ssse3, key: &HashKey, x: [__m128i; N]) -> __m128i {
    let (powers, mids) = (key.powers.as_chunks::<TABLES>().0, key.mids.as_chunks::<TABLES>().0);
    let mut index = [(i.splat(0), i.splat(0)); N];
    for n in 0..N {
        index[n] = nibbles(x[n]);
    }
    // What is complete, and what is not, of the products of lower and of upper nibbles.
    let (mut low_done, mut low) = (i.splat(0), i.splat(0));
    let (mut high_done, mut high) = (i.splat(0), i.splat(0));
    for t in 0..TABLES {
        for n in 0..N {
            let p = GROUP - N + n;
            let table = load128(if p < FIRST { &powers[p][t] } else { &mids[p - FIRST][t] });
            low = i.xor(low, _mm_shuffle_epi8(table, index[n].0));
            high = i.xor(high, _mm_shuffle_epi8(table, index[n].1));
        }
        low_done = _mm_alignr_epi8::<1>(low, low_done);
        low = _mm_bsrli_si128::<1>(low);
        high_done = _mm_alignr_epi8::<1>(high, high_done);
        high = _mm_bsrli_si128::<1>(high);
    }
    // The upper nibbles' product four bits up: what leaves each 64 bits joins the next.
    let (done, above) = (_mm_srli_epi64::<60>(high_done), _mm_srli_epi64::<60>(high));
    let done = i.xor(_mm_slli_epi64::<4>(high_done), _mm_bslli_si128::<8>(done));
    let above = i.xor(_mm_slli_epi64::<4>(high), _mm_alignr_epi8::<8>(above, _mm_srli_epi64::<60>(high_done)));
    reduce(i, i.xor(low_done, done), i.xor(low, above))
}

/// `(low + high x^128) x^-128` modulo P = x^128 + x^127 + x^126 + x^121 + 1.
///
/// qP has `low` for its lower half if q is low·(1 + x^121 + x^126 + x^127): the squares of these are out of sight.
/// Added, it leaves its upper half, q(1 + x^-1 + x^-2 + x^-7) as far as that is whole.
#[inline]
#[target_feature(enable = "ssse3")]
fn reduce(i: Ssse3, low: __m128i, high: __m128i) -> __m128i {
    // Bits that leave a half, at its other end.
    let passed = |v| i.xor(_mm_slli_epi64::<63>(v), i.xor(_mm_slli_epi64::<62>(v), _mm_slli_epi64::<57>(v)));
    let q = i.xor(low, _mm_bslli_si128::<8>(passed(low)));
    let down = i.xor(_mm_srli_epi64::<1>(q), i.xor(_mm_srli_epi64::<2>(q), _mm_srli_epi64::<7>(q)));
    i.xor(i.xor(high, q), i.xor(down, _mm_bsrli_si128::<8>(passed(q))))
}

/// Stores the tables of a power as number `n`.
#[inline]
#[target_feature(enable = "ssse3")]
fn set_power(power: u128, out: &mut HashKey, n: usize) {
    let tables = if n < FIRST {
        &mut out.powers.as_chunks_mut::<TABLES>().0[n]
    } else {
        &mut out.mids.as_chunks_mut::<TABLES>().0[n - FIRST]
    };
    let mut multiples = [0; TABLES];
    multiples[1] = power;
    for n in 2..TABLES {
        multiples[n] = if n % 2 == 0 { mulx(multiples[n / 2]) } else { multiples[n - 1] ^ power };
    }
    let mut rows = [_mm_setzero_si128(); TABLES];
    for n in 0..TABLES {
        rows[n] = load128(&multiples[n].to_le_bytes());
    }
    // Four perfect shuffles of 256 bytes exchange the halves of their numbers.
    for _ in 0..4 {
        let before = rows;
        for n in 0..8 {
            rows[2 * n] = _mm_unpacklo_epi8(before[n], before[n + 8]);
            rows[2 * n + 1] = _mm_unpackhi_epi8(before[n], before[n + 8]);
        }
    }
    for n in 0..TABLES {
        tables[n] = bytes(rows[n]);
    }
    multiples.fill(0);
    rows.fill(_mm_setzero_si128());
    optimization_barrier(&multiples);
    optimization_barrier(&rows);
}

#[cfg(test)]
mod tests {
    use super::super::SSSE3;
    use crate::Block;
    use crate::backend::portable::Portable;
    use crate::backend::{Backend, Hash};
    use crate::key::HashKey;

    /// Every number of powers and every length of a group.
    #[test]
    fn groups() {
        if Backend::by_name("ssse3").is_none() {
            return;
        }
        let blocks: [Block; 27] = core::array::from_fn(|n| core::array::from_fn(|i| (31 * n + 57 * i) as u8 | 1));
        let h = 0x0123456789abcdef_fedcba9876543211;
        let mut expected_key = HashKey::ZERO;
        Portable.hash_key(h, usize::MAX, &mut expected_key);
        for have in [0, 1, 2, 3, 4, 5, 6, 7, usize::MAX] {
            let mut key = HashKey::ZERO;
            SSSE3.hash_key(h, have, &mut key);
            for n in 0..=27 {
                let (mut acc, mut expected) = (5, 5);
                SSSE3.polyval(&key, &mut acc, &blocks[..n]);
                Portable.polyval(&expected_key, &mut expected, &blocks[..n]);
                assert_eq!(acc, expected, "{have} {n}");
            }
        }
    }
}
