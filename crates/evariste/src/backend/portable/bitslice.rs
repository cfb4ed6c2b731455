//! AES on eight blocks at once, without a table: every bit of the state has a word of its own.
//!
//! A state is 8 slices of 4 words: word c of slice b holds bit b of the 32 bytes in column c, that of
//! block n and row r at position 8r + n. So one 128-bit operation treats a bit of all bytes of all blocks.
//!
//! ShiftRows is never done ("fixslicing": A. Adomnicai and T. Peyrin, TCHES 2021/1). After round i
//! the byte of row r and column c stands in column c + ir instead. MixColumns then finds the byte below
//! a byte i columns further on, so there is one of it for every i modulo 4, and round keys are stored
//! in the same order. After 10 or 14 rounds the odd rows are two columns off, after 12 none is.
//!
//! The operations are loops over the four words, long enough that the compiler keeps them as loops
//! and makes vectors of them. Only XOR, AND and moves by whole words stand between the loops: in straight
//! code it takes rotations for dear, and goes back to scalars.
//!
//! AES-128-CTR, 16 KiB, GB/s, AMD EPYC 9004 (Zen 4), SSE2, 2026-07: SPEED

use super::sbox;
use crate::Block;
use crate::key::AesKey;

/// Blocks treated at once.
pub(super) const WIDTH: usize = 8;

/// The columns of [`WIDTH`] blocks, row 0 in the lowest byte.
pub(super) type State = [[u32; 4]; WIDTH];

/// A state by bits; also a round key.
type Slices = [[u32; 4]; 8];

/// Round keys, spread over all blocks.
pub(super) struct RoundKeys {
    keys: [Slices; 15],
    rounds: usize,
}

impl RoundKeys {
    #[inline]
    pub(super) fn new(key: &AesKey) -> Self {
        let mut keys = [[[0; 4]; 8]; 15];
        let rounds = (key.rounds as usize).min(14);
        for (key, slices) in key.round_keys[..=rounds].iter().zip(&mut keys) {
            let words = columns(key);
            for b in 0..8 {
                for c in 0..4 {
                    let bits = words[c] >> b & 0x01010101;
                    slices[b][c] = (bits << 8).wrapping_sub(bits);
                }
            }
        }
        Self { keys, rounds }
    }

    /// CIPHER (FIPS 197 §5.1).
    pub(super) fn encrypt(&self, s: &mut State) {
        let Self { keys, rounds } = self;
        transpose(s);
        add(s, &keys[0]);
        for (n, k) in keys[..*rounds].iter().enumerate().skip(1) {
            match n % 4 {
                0 => round::<0>(s, k),
                1 => round::<1>(s, k),
                2 => round::<2>(s, k),
                _ => round::<3>(s, k),
            }
        }
        last_round(s, &keys[*rounds]);
        transpose(s);
        if rounds % 4 == 2 {
            shift_two(s);
        }
    }

    /// INVCIPHER (FIPS 197 §5.3).
    pub(super) fn decrypt(&self, s: &mut State) {
        let Self { keys, rounds } = self;
        if rounds % 4 == 2 {
            shift_two(s);
        }
        transpose(s);
        add(s, &keys[*rounds]);
        for (n, k) in keys[..*rounds].iter().enumerate().skip(1).rev() {
            match n % 4 {
                0 => inv_round::<0>(s, k),
                1 => inv_round::<1>(s, k),
                2 => inv_round::<2>(s, k),
                _ => inv_round::<3>(s, k),
            }
        }
        inv_last_round(s, &keys[0]);
        transpose(s);
    }
}

/// The round key of round `round`, as it is kept in an [`AesKey`], from its four words: in the order of the
/// state after that round, and with what [`sbox::sub`] leaves out, which MixColumns does not change.
pub(super) fn round_key(words: &[u32; 4], round: usize) -> Block {
    let mut key = [0; 16];
    for c in 0..4 {
        let column = words[c].to_le_bytes();
        for r in 0..4 {
            key[(4 * c + (4 * round + 1) * r) % 16] = column[r] ^ if round > 0 { 0x63 } else { 0 };
        }
    }
    key
}

/// SUBWORD (FIPS 197 §5.2).
pub(super) fn sub_word(word: u32) -> u32 {
    let mut bits = [0; 8];
    for b in 0..8 {
        bits[b] = word >> b & 0x01010101;
    }
    let bits = sbox::sub(bits);
    (0..8).fold(0x63636363, |word, b| word ^ bits[b] << b)
}

/// The four columns of a block.
#[inline(always)]
pub(super) fn columns(block: &Block) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The block of four columns.
#[inline(always)]
pub(super) fn block(columns: &[u32; 4]) -> Block {
    let mut block = [0; 16];
    for (word, bytes) in columns.iter().zip(block.as_chunks_mut().0) {
        *bytes = word.to_le_bytes();
    }
    block
}

#[inline(always)]
fn load(s: &Slices, c: usize) -> [u32; 8] {
    [s[0][c], s[1][c], s[2][c], s[3][c], s[4][c], s[5][c], s[6][c], s[7][c]]
}

#[inline(always)]
fn store(s: &mut Slices, c: usize, x: [u32; 8]) {
    for b in 0..8 {
        s[b][c] = x[b];
    }
}

/// Swaps the number of the block with that of the bit; its own inverse.
#[inline(always)]
fn transpose(s: &mut Slices) {
    for c in 0..4 {
        let mut x = load(s, c);
        for n in [0, 2, 4, 6] {
            swap(&mut x, n, n + 1, 1, 0x55555555);
        }
        for n in [0, 1, 4, 5] {
            swap(&mut x, n, n + 2, 2, 0x33333333);
        }
        for n in [0, 1, 2, 3] {
            swap(&mut x, n, n + 4, 4, 0x0f0f0f0f);
        }
        store(s, c, x);
    }
}

/// Swaps the bits of `x[i]` above `mask` with those of `x[j]` in `mask`.
#[inline(always)]
fn swap(x: &mut [u32; 8], i: usize, j: usize, by: u32, mask: u32) {
    let t = (x[i] >> by ^ x[j]) & mask;
    x[j] ^= t;
    x[i] ^= t << by;
}

/// ADDROUNDKEY (FIPS 197 §5.1.4).
#[inline(always)]
fn add(s: &mut Slices, k: &Slices) {
    for b in 0..8 {
        for c in 0..4 {
            s[b][c] ^= k[b][c];
        }
    }
}

/// Moves the odd rows by two columns.
#[inline(always)]
fn shift_two(s: &mut State) {
    for [a, b, c, d] in s {
        let (t, u) = ((*a ^ *c) & 0xff00ff00, (*b ^ *d) & 0xff00ff00);
        (*a, *b, *c, *d) = (*a ^ t, *b ^ u, *c ^ t, *d ^ u);
    }
}

#[inline(always)]
fn round<const I: usize>(s: &mut Slices, k: &Slices) {
    let mut below = [[0; 4]; 8];
    for c in 0..4 {
        let x = sbox::sub(load(s, c));
        store(s, c, x);
        store(&mut below, c, x.map(|x| x.rotate_right(8)));
    }
    mix_columns::<I>(s, &below, k);
}

#[inline(always)]
fn last_round(s: &mut Slices, k: &Slices) {
    for c in 0..4 {
        store(s, c, sbox::sub(load(s, c)));
    }
    add(s, k);
}

/// INVMIXCOLUMNS is MIXCOLUMNS of a + {04}(a + a″), where a″ is the byte two rows below: the inverse of
/// c(x) = {03}x^3 + {01}x^2 + {01}x + {02} modulo x^4 + 1 is c(x)({04}x^2 + {05}).
#[inline(always)]
fn inv_round<const I: usize>(s: &mut Slices, k: &Slices) {
    let mut below = [[0; 4]; 8];
    for c in 0..4 {
        let (x, k) = (sbox::inv_sub(load(s, c)), load(k, c));
        for b in 0..8 {
            s[b][c] = x[b] ^ k[b];
            below[b][c] = s[b][c].rotate_right(16);
        }
    }
    let two_below = turn(&below, 2 * I);
    for c in 0..4 {
        let (x, y) = (load(s, c), load(&two_below, c));
        let mut sum = x;
        for b in 0..8 {
            sum[b] ^= y[b];
        }
        let four = double(double(sum));
        for b in 0..8 {
            s[b][c] = x[b] ^ four[b];
            below[b][c] = s[b][c].rotate_right(8);
        }
    }
    mix_columns::<I>(s, &below, &[[0; 4]; 8]);
}

#[inline(always)]
fn inv_last_round(s: &mut Slices, k: &Slices) {
    for c in 0..4 {
        store(s, c, sbox::inv_sub(load(s, c)));
    }
    add(s, k);
}

/// MIXCOLUMNS (FIPS 197 §5.1.3) after `I` rounds, and ADDROUNDKEY. `below` is `s` with the rows moved
/// up by one.
///
/// With a, a′, a″, a‴ for a byte and those below it, {02}a + {03}a′ + a″ + a‴ = {02}(a + a′) + a′ + (a″ + a‴).
#[inline(always)]
fn mix_columns<const I: usize>(s: &mut Slices, below: &Slices, k: &Slices) {
    let (one, two, three) = (turn(below, I), turn(s, 2 * I), turn(below, 3 * I));
    for c in 0..4 {
        let (one, two, three, k) = (load(&one, c), load(&two, c), load(&three, c), load(k, c));
        let mut sum = load(s, c);
        for b in 0..8 {
            sum[b] ^= one[b];
        }
        let twice = double(sum);
        for b in 0..8 {
            s[b][c] = twice[b] ^ one[b] ^ (two[b] ^ three[b]).rotate_right(16) ^ k[b];
        }
    }
}

/// Moves all columns by `by`.
#[inline(always)]
fn turn(s: &Slices, by: usize) -> Slices {
    let mut turned = *s;
    for b in 0..8 {
        for c in 0..4 {
            turned[b][c] = s[b][(c + by) % 4];
        }
    }
    turned
}

/// Times x, modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
#[inline(always)]
fn double(a: [u32; 8]) -> [u32; 8] {
    [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]
}
