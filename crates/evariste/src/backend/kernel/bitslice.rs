//! AES on eight blocks at once, by bits: `portable`'s circuits and order of rows (`portable/bitslice.rs`), in
//! vectors of bytes, for CPUs without AES but with byte shuffles. Few blocks take rounds of [`AesOps`], which
//! look up tables in registers there.
//!
//! Slice b holds bit b of all bytes: byte 4r + q of it those in row r and column q, bit n that of block n. Rows
//! are whole words here, so that the row below is one instruction away.
//!
//! ShiftRows is never done: after round i the byte of row r and column c stands in column c + ir, in the inverse
//! cipher in column c - ir. The row below then also moves by i columns, and a shuffle does both.

use super::aes::{ctr_strides, ecb};
use super::counters::Counters;
use super::{Aes, Vector};
use crate::backend::sbox;
use crate::block::{Counter, inc32_le};
use crate::key::AesKey;
use crate::{Block, InOut};
use core::ops::{BitAnd, BitOr, BitXor, Not};
use zeroize::optimization_barrier;

/// Blocks treated at once.
pub(crate) const WIDTH: usize = 8;

/// What bitslicing takes of a one-lane ISA beyond [`Aes`].
pub(crate) trait ByteOps: Aes {
    /// Up to this many blocks take rounds, more go by bits.
    const FEW: usize;

    /// Bitwise or.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise complement.
    fn not(self, a: Self::V) -> Self::V;
    /// The bytes that stand where `from` says.
    fn shuffle(self, v: Self::V, from: Self::V) -> Self::V;
    /// The words one place down, around the end.
    fn words_down(self, v: Self::V) -> Self::V;
    /// In each byte, the bits of `a` from 2·`by`·n + `by` on exchanged with those of `b` from 2·`by`·n on, `by` of
    /// them, for all n. `by` is 1, 2 or 4.
    fn exchange(self, a: Self::V, b: Self::V, by: u8) -> (Self::V, Self::V);
    /// For each byte, all ones where bit `n` is set, and zero elsewhere.
    fn spread_bit(self, v: Self::V, n: usize) -> Self::V;
    /// A round key of CIPHER or of the equivalent inverse cipher as FIPS 197 has it.
    fn round_key(self, key: &AesKey, n: usize, inverse: bool) -> Self::V;
    /// [`crypt`] for CIPHER, not inlined.
    fn encrypt_eight(self, keys: &RoundKeys<Self>, blocks: &mut [Self::V; WIDTH]);
    /// [`crypt`] for the equivalent inverse cipher, not inlined.
    fn decrypt_eight(self, keys: &RoundKeys<Self>, blocks: &mut [Self::V; WIDTH]);
}

/// CIPHER or the equivalent inverse cipher on each block.
#[inline(always)]
pub(crate) fn ecb_many<I: ByteOps, const INVERSE: bool>(i: I, key: &AesKey, mut blocks: &mut [Block]) {
    if blocks.len() > I::FEW {
        let mut keys = RoundKeys::new::<INVERSE>(i, key);
        while blocks.len() > I::FEW {
            let (now, later) = blocks.split_at_mut(blocks.len().min(WIDTH));
            blocks = later;
            let mut s = [keys.first; WIDTH];
            for n in 0..now.len() {
                s[n] = i.xor(s[n], i.load(&now[n..n + 1]));
            }
            if INVERSE {
                i.decrypt_eight(&keys, &mut s);
            } else {
                i.encrypt_eight(&keys, &mut s);
            }
            for n in 0..now.len() {
                i.store(i.xor(s[n], keys.last), &mut now[n..n + 1]);
            }
        }
        keys.wipe(i);
    }
    ecb::<I, 4, INVERSE>(i, key, blocks);
}

/// CTR; of a last block that is not whole, `rest` is the keystream.
#[inline(always)]
pub(crate) fn ctr_many<I: ByteOps>(i: I, key: &AesKey, ctr: &mut Counter, data: InOut<'_>, rest: &mut Block) {
    let first = u128::from_be_bytes(ctr.block);
    ctr.advance(data.len().div_ceil(16));
    counter_mode::<I, false>(i, key, first, ctr.secret, data.local(), rest);
}

/// The same on whole blocks with RFC 8452's counter.
#[inline(always)]
pub(crate) fn ctr32_le_many<I: ByteOps>(i: I, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let first = u128::from_le_bytes(*ctr);
    inc32_le(ctr, data.len() as u32);
    counter_mode::<I, true>(i, key, first, true, data.local().into_bytes(), &mut [0; 16]);
}

/// Counter mode from the number `first` on.
#[inline(always)]
fn counter_mode<I: ByteOps, const LE: bool>(
    i: I,
    key: &AesKey,
    mut first: u128,
    secret: bool,
    mut data: InOut<'_>,
    rest: &mut Block,
) {
    if data.len() / 16 > I::FEW {
        let mut keys = RoundKeys::new::<false>(i, key);
        let mut counter = Counters::<I::V, LE>::from(i, first, secret);
        while data.len() / 16 > I::FEW {
            let len = (data.len() / 16).min(WIDTH);
            let (now, later) = data.split_at(16 * len);
            data = later;
            let mut now = now.into_blocks().0;
            let mut s = counter.added::<I, WIDTH>(i, keys.first);
            i.encrypt_eight(&keys, &mut s);
            for n in 0..len {
                let text = i.xor(i.load(&now.input()[n..n + 1]), keys.last);
                i.store(i.xor(s[n], text), &mut now.output()[n..n + 1]);
            }
            first = first >> 32 << 32 | (first as u32).wrapping_add(len as u32) as u128;
        }
        keys.wipe(i);
    }
    ctr_strides::<I, 4, LE>(i, key, first, secret, data, rest);
}

/// Round keys of CIPHER or of the equivalent inverse cipher, with what [`sbox::sub`] leaves out.
pub(crate) struct RoundKeys<I: Vector> {
    /// To be added before [`crypt`].
    first: I::V,
    /// Those between, spread over all blocks.
    keys: [[I::V; 8]; 13],
    /// To be added after it.
    last: I::V,
    rounds: usize,
}

impl<I: ByteOps> RoundKeys<I> {
    #[inline(always)]
    fn new<const INVERSE: bool>(i: I, key: &AesKey) -> Self {
        let rounds = (key.rounds as usize).min(14);
        // Left out of the S-box, at the end of a round, and put into its inverse, at the start.
        let all_63 = i.splat(u128::from_le_bytes([0x63; 16]));
        let (mut first, mut last) = (i.round_key(key, 0, INVERSE), i.round_key(key, rounds, INVERSE));
        if INVERSE {
            first = i.xor(first, all_63);
        } else {
            last = i.xor(last, all_63);
        }
        let mut keys = [[i.splat(0); 8]; 13];
        for n in 1..rounds {
            let turns = if INVERSE { 4 - n % 4 } else { n };
            let key = i.xor(i.round_key(key, n, INVERSE), all_63);
            let key = i.shuffle(key, i.load(&PLACES[turns % 4..][..1]));
            for b in 0..8 {
                keys[n - 1][b] = i.spread_bit(key, b);
            }
        }
        Self { first, keys, last, rounds }
    }

    #[inline(always)]
    fn wipe(&mut self, i: I) {
        (self.first, self.last) = (i.splat(0), i.splat(0));
        self.keys = [[i.splat(0); 8]; 13];
        optimization_barrier(self);
    }
}

/// CIPHER (FIPS 197 §5.1) or the equivalent inverse cipher (§5.3.5), but for the first and the last round key.
#[inline(always)]
pub(crate) fn crypt<I: ByteOps, const INVERSE: bool>(i: I, keys: &RoundKeys<I>, blocks: &mut [I::V; WIDTH]) {
    let mut s = blocks.map(|block| Slice(i, block));
    for n in 0..WIDTH {
        s[n].1 = i.shuffle(s[n].1, i.load(&PLACES[..1]));
    }
    transpose(&mut s);
    let k = &keys.keys;
    let mut n = 0;
    loop {
        s = if INVERSE { inv_round::<I, 3>(s, &k[n]) } else { round::<I, 1>(s, &k[n]) };
        if n + 2 >= keys.rounds {
            break;
        }
        s = if INVERSE { inv_round::<I, 2>(s, &k[n + 1]) } else { round::<I, 2>(s, &k[n + 1]) };
        s = if INVERSE { inv_round::<I, 1>(s, &k[n + 2]) } else { round::<I, 3>(s, &k[n + 2]) };
        if n + 4 >= keys.rounds {
            break;
        }
        s = if INVERSE { inv_round::<I, 0>(s, &k[n + 3]) } else { round::<I, 0>(s, &k[n + 3]) };
        n += 4;
    }
    s = if INVERSE { sbox::inv_sub(s) } else { sbox::sub(s) };
    transpose(&mut s);
    // Two columns off, or none: the same in both directions.
    let back = i.load(&FROM_PLACES[keys.rounds % 4 / 2..][..1]);
    for n in 0..WIDTH {
        blocks[n] = i.shuffle(s[n].1, back);
    }
}

/// A bit of all bytes of all blocks.
#[derive(Clone, Copy)]
struct Slice<I: Vector>(I, I::V);

type Slices<I> = [Slice<I>; 8];

impl<I: ByteOps> BitXor for Slice<I> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0, self.0.xor(self.1, other.1))
    }
}

impl<I: ByteOps> BitAnd for Slice<I> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0, self.0.and(self.1, other.1))
    }
}

impl<I: ByteOps> BitOr for Slice<I> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0, self.0.or(self.1, other.1))
    }
}

impl<I: ByteOps> Not for Slice<I> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0, self.0.not(self.1))
    }
}

/// SUBBYTES, MIXCOLUMNS after `R` rounds, ADDROUNDKEY.
#[inline(always)]
fn round<I: ByteOps, const R: usize>(s: Slices<I>, k: &[I::V; 8]) -> Slices<I> {
    mix::<I, R>(sbox::sub(s), k)
}

/// INVSUBBYTES, INVMIXCOLUMNS as if after `R` rounds forward, ADDROUNDKEY.
///
/// {0e}a + {0b}a′ + {0d}a″ + {09}a‴ is MIXCOLUMNS of a + {04}(a + a″).
#[inline(always)]
fn inv_round<I: ByteOps, const R: usize>(s: Slices<I>, k: &[I::V; 8]) -> Slices<I> {
    let s = sbox::inv_sub(s);
    let mut sums = s;
    for b in 0..8 {
        sums[b] = s[b] ^ two_below::<I, R>(s[b]);
    }
    let mut four = double(double(sums));
    for b in 0..8 {
        four[b] = four[b] ^ s[b];
    }
    mix::<I, R>(four, k)
}

/// MIXCOLUMNS (FIPS 197 §5.1.3) after `R` rounds, ADDROUNDKEY.
///
/// With a′, a″, a‴ for the bytes below a, {02}a + {03}a′ + a″ + a‴ = {02}(a + a′) + a′ + (a″ + a‴).
#[inline(always)]
fn mix<I: ByteOps, const R: usize>(s: Slices<I>, k: &[I::V; 8]) -> Slices<I> {
    let (mut sums, mut rest) = (s, s);
    for b in 0..8 {
        let below = below::<I, R>(s[b]);
        sums[b] = s[b] ^ below;
        rest[b] = below ^ Slice(s[b].0, k[b]);
    }
    let mut out = double(sums);
    for b in 0..8 {
        out[b] = out[b] ^ rest[b] ^ two_below::<I, R>(sums[b]);
    }
    out
}

/// For each byte the one in the row below, after `R` rounds.
#[inline(always)]
fn below<I: ByteOps, const R: usize>(Slice(i, v): Slice<I>) -> Slice<I> {
    Slice(i, if R == 0 { i.words_down(v) } else { i.shuffle(v, i.load(&BELOW[R..R + 1])) })
}

/// The one two rows below.
#[inline(always)]
fn two_below<I: ByteOps, const R: usize>(Slice(i, v): Slice<I>) -> Slice<I> {
    Slice(i, if R.is_multiple_of(2) { i.swap(v) } else { i.shuffle(v, i.load(&TWO_BELOW)) })
}

/// Times x, modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
#[inline(always)]
fn double<I: ByteOps>(a: Slices<I>) -> Slices<I> {
    [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]
}

/// Swaps the number of the block with that of the bit; its own inverse.
#[inline(always)]
fn transpose<I: ByteOps>(x: &mut Slices<I>) {
    // A loop over this would stay one.
    macro_rules! exchange {
        ($by:literal: $($n:literal)*) => { $(
            (x[$n].1, x[$n + $by].1) = x[$n].0.exchange(x[$n].1, x[$n + $by].1, $by);
        )* };
    }
    exchange!(1: 0 2 4 6);
    exchange!(2: 0 1 4 5);
    exchange!(4: 0 1 2 3);
}

/// Where slices have, after i rounds, the bytes of a block.
static PLACES: [Block; 4] = [places(0), places(1), places(2), places(3)];

/// Where a block has the bytes of slices, after 0 and after 2 rounds.
static FROM_PLACES: [Block; 2] = [inverse(places(0)), inverse(places(2))];

/// For each byte the place of the one in the row below, after i rounds; that of the one two rows below, after an
/// odd number of rounds.
static BELOW: [Block; 4] = [moved(1, 0), moved(1, 1), moved(1, 2), moved(1, 3)];
static TWO_BELOW: [Block; 1] = [moved(2, 2)];

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
