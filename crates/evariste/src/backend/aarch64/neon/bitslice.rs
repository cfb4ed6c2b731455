//! AES on eight blocks at once, by bits: `portable`'s circuits and order of rows (`portable/bitslice.rs`), in
//! vectors of bytes.
//!
//! Slice b holds bit b of all bytes: byte 4r + q of it those in row r and column q, bit n that of block n. Rows
//! are whole words here, so that the row below is one EXT away.
//!
//! ShiftRows is never done: after round i the byte of row r and column c stands in column c + ir, in the inverse
//! cipher in column c - ir. The row below then also moves by i columns, and TBL does both.

use super::V;
use crate::Block;
use crate::backend::aarch64::v128::load128;
use crate::backend::sbox;
use crate::key::AesKey;
use core::arch::aarch64::*;
use core::ops::{BitAnd, BitOr, BitXor, Not};
use zeroize::optimization_barrier;

/// Blocks treated at once.
pub(super) const WIDTH: usize = 8;

/// A bit of all bytes of all blocks.
#[derive(Clone, Copy)]
struct Slice(V);

type Slices = [Slice; 8];

impl BitXor for Slice {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: NEON is baseline here.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }
}

impl BitAnd for Slice {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: NEON is baseline here.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }
}

impl BitOr for Slice {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: NEON is baseline here.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }
}

impl Not for Slice {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: NEON is baseline here.
        Self(unsafe { vmvnq_u8(self.0) })
    }
}

/// Round keys of CIPHER or of the equivalent inverse cipher, with what [`sbox::sub`] leaves out.
pub(super) struct RoundKeys<const INVERSE: bool> {
    /// To be added before [`crypt`](Self::crypt).
    pub(super) first: V,
    /// Those between, spread over all blocks.
    keys: [Slices; 13],
    /// To be added after it.
    pub(super) last: V,
    rounds: usize,
}

impl<const INVERSE: bool> Drop for RoundKeys<INVERSE> {
    fn drop(&mut self) {
        // SAFETY: NEON is baseline here.
        let zero = unsafe { vdupq_n_u8(0) };
        (self.first, self.last) = (zero, zero);
        self.keys = [[Slice(zero); 8]; 13];
        optimization_barrier(self);
    }
}

impl<const INVERSE: bool> RoundKeys<INVERSE> {
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn new(key: &AesKey) -> Self {
        let rounds = (key.rounds as usize).clamp(10, 14);
        // Left out of the S-box, at the end of a round, and put into its inverse, at the start.
        let add_63 = |n: usize| veorq_u8(load128(&key.round_keys[n]), vdupq_n_u8(0x63));
        let (first, last) = if INVERSE {
            (add_63(0), load128(&key.round_keys[rounds]))
        } else {
            (load128(&key.round_keys[0]), add_63(rounds))
        };
        let mut keys = [[Slice(vdupq_n_u8(0)); 8]; 13];
        for n in 1..rounds {
            let turns = if INVERSE { 4 - n % 4 } else { n };
            let key = vqtbl1q_u8(add_63(n), load128(&PLACES[turns % 4]));
            for b in 0..8 {
                keys[n - 1][b] = Slice(vtstq_u8(key, vdupq_n_u8(1 << b)));
            }
        }
        Self { first, keys, last, rounds }
    }

    /// CIPHER (FIPS 197 §5.1) or the equivalent inverse cipher (§5.3.5), but for the first and the last round
    /// key.
    #[target_feature(enable = "neon")]
    pub(super) fn crypt(&self, blocks: &mut [V; WIDTH]) {
        let mut s = blocks.map(Slice);
        for block in &mut s {
            block.0 = vqtbl1q_u8(block.0, load128(&PLACES[0]));
        }
        transpose(&mut s);
        let k = &self.keys;
        let mut n = 0;
        loop {
            s = if INVERSE { inv_round::<3>(s, &k[n]) } else { round::<1>(s, &k[n]) };
            if n + 2 >= self.rounds {
                break;
            }
            s = if INVERSE { inv_round::<2>(s, &k[n + 1]) } else { round::<2>(s, &k[n + 1]) };
            s = if INVERSE { inv_round::<1>(s, &k[n + 2]) } else { round::<3>(s, &k[n + 2]) };
            if n + 4 >= self.rounds {
                break;
            }
            s = if INVERSE { inv_round::<0>(s, &k[n + 3]) } else { round::<0>(s, &k[n + 3]) };
            n += 4;
        }
        s = if INVERSE { sbox::inv_sub(s) } else { sbox::sub(s) };
        transpose(&mut s);
        // Two columns off, or none: the same in both directions.
        let back = load128(&FROM_PLACES[self.rounds % 4 / 2]);
        for (block, s) in blocks.iter_mut().zip(s) {
            *block = vqtbl1q_u8(s.0, back);
        }
    }
}

/// SUBBYTES, MIXCOLUMNS after `I` rounds, ADDROUNDKEY.
#[inline]
#[target_feature(enable = "neon")]
fn round<const I: usize>(s: Slices, k: &Slices) -> Slices {
    mix::<I>(sbox::sub(s), k)
}

/// INVSUBBYTES, INVMIXCOLUMNS as if after `I` rounds forward, ADDROUNDKEY.
///
/// {0e}a + {0b}a′ + {0d}a″ + {09}a‴ is MIXCOLUMNS of a + {04}(a + a″).
#[inline]
#[target_feature(enable = "neon")]
fn inv_round<const I: usize>(s: Slices, k: &Slices) -> Slices {
    let s = sbox::inv_sub(s);
    let mut sums = s;
    for b in 0..8 {
        sums[b] = s[b] ^ two_below::<I>(s[b]);
    }
    let mut four = double(double(sums));
    for b in 0..8 {
        four[b] = four[b] ^ s[b];
    }
    mix::<I>(four, k)
}

/// MIXCOLUMNS (FIPS 197 §5.1.3) after `I` rounds, ADDROUNDKEY.
///
/// With a′, a″, a‴ for the bytes below a, {02}a + {03}a′ + a″ + a‴ = {02}(a + a′) + a′ + (a″ + a‴).
#[inline]
#[target_feature(enable = "neon")]
fn mix<const I: usize>(s: Slices, k: &Slices) -> Slices {
    let (mut sums, mut rest) = (s, s);
    for b in 0..8 {
        let below = below::<I>(s[b]);
        sums[b] = s[b] ^ below;
        rest[b] = below ^ k[b];
    }
    let mut out = double(sums);
    for b in 0..8 {
        out[b] = out[b] ^ rest[b] ^ two_below::<I>(sums[b]);
    }
    out
}

/// For each byte the one in the row below, after `I` rounds.
#[inline]
#[target_feature(enable = "neon")]
fn below<const I: usize>(s: Slice) -> Slice {
    Slice(if I == 0 { vextq_u8::<4>(s.0, s.0) } else { vqtbl1q_u8(s.0, load128(&BELOW[I])) })
}

/// The one two rows below.
#[inline]
#[target_feature(enable = "neon")]
fn two_below<const I: usize>(s: Slice) -> Slice {
    Slice(if I.is_multiple_of(2) { vextq_u8::<8>(s.0, s.0) } else { vqtbl1q_u8(s.0, load128(&TWO_BELOW)) })
}

/// Times x, modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
#[inline(always)]
fn double(a: Slices) -> Slices {
    [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]
}

/// Swaps the number of the block with that of the bit; its own inverse.
#[inline]
#[target_feature(enable = "neon")]
fn transpose(x: &mut Slices) {
    // Swaps the bits of the one above the mask with those of the other in it.
    macro_rules! swap {
        ($by:literal, $mask:literal, $($i:literal $j:literal),*) => { $(
            let (a, b, mask) = (x[$i].0, x[$j].0, vdupq_n_u8($mask));
            x[$i].0 = vbslq_u8(mask, a, vshlq_n_u8::<$by>(b));
            x[$j].0 = vbslq_u8(mask, vshrq_n_u8::<$by>(a), b);
        )* };
    }
    swap!(1, 0x55, 0 1, 2 3, 4 5, 6 7);
    swap!(2, 0x33, 0 2, 1 3, 4 6, 5 7);
    for n in 0..4 {
        let (a, b) = (x[n].0, x[n + 4].0);
        x[n].0 = vsliq_n_u8::<4>(a, b);
        x[n + 4].0 = vsriq_n_u8::<4>(b, a);
    }
}

/// Where slices have, after i rounds, the bytes of a block.
static PLACES: [Block; 4] = [places(0), places(1), places(2), places(3)];

/// Where a block has the bytes of slices, after 0 and after 2 rounds.
static FROM_PLACES: [Block; 2] = [inverse(places(0)), inverse(places(2))];

/// For each byte the place of the one in the row below, after i rounds; that of the one two rows below, after an
/// odd number of rounds.
static BELOW: [Block; 4] = [moved(1, 0), moved(1, 1), moved(1, 2), moved(1, 3)];
static TWO_BELOW: Block = moved(2, 2);

const fn places(i: usize) -> Block {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        let (r, q) = (n / 4, n % 4);
        from[n] = (4 * ((q + 3 * i * r) % 4) + r) as u8;
        n += 1;
    }
    from
}

const fn inverse(places: Block) -> Block {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        from[places[n] as usize] = n as u8;
        n += 1;
    }
    from
}

const fn moved(rows: usize, columns: usize) -> Block {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        from[n] = (4 * ((n / 4 + rows) % 4) + (n + columns) % 4) as u8;
        n += 1;
    }
    from
}
