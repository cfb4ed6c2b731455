//! AES on eight blocks at once, without a table: every bit of the state has a word of its own.
//!
//! A state is 8 slices of 4 words: word c of slice b holds bit b of the 32 bytes in column c, that of
//! block n and row r at position 8r + n. A 128-bit operation treats one bit of all bytes of all blocks.
//!
//! ShiftRows is never done ("fixslicing": A. Adomnicai and T. Peyrin, TCHES 2021/1). After round i
//! the byte of row r and column c stands in column c + ir instead. MixColumns then finds the byte below
//! a byte i columns further on: there is one of it for every i modulo 4, and round keys are stored
//! in the same order. After 10 or 14 rounds the odd rows are two columns off, after 12 none is.
//!
//! The operations are loops over the four words, long enough for the compiler to keep them as loops
//! and make vectors of them. Only XOR, AND and moves of whole words stand between the loops: rotations
//! there would go back to scalars, as they cost more in SSE2.
//!
//! AES-128 in counter mode, 16 KiB, GB/s, built for plain x86-64 (SSE2), AMD EPYC 9004 (Zen 4),
//! 2026-11; the soft backend of the crate `aes` 0.9, in turn with it, makes 0.21 to 0.30:
//!
//! | what | GB/s |
//! |---|---|
//! | this | 0.55 |
//! | all as straight code, without loops | 0.14 |
//! | slices of 8 words, 16 blocks at once | 0.43 |
//! | each row in slices of its own: no rotations, 64 blocks at once, 1.7 µs for the first | 0.60 |
//! | the same with 16 blocks, in 64-bit scalars | 0.39 |

use crate::Block;
use crate::backend::sbox;
use crate::key::AesKey;
use zeroize::optimization_barrier;

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

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.keys = [[[0; 4]; 8]; 15];
        optimization_barrier(self);
    }
}

impl RoundKeys {
    #[inline]
    pub(super) fn new(key: &AesKey) -> Self {
        let rounds = (key.rounds as usize).clamp(10, 14);
        let mut this = Self { keys: [[[0; 4]; 8]; 15], rounds };
        for (key, slices) in key.round_keys[..=rounds].iter().zip(&mut this.keys) {
            let words = columns(key);
            for b in 0..8 {
                for c in 0..4 {
                    let bits = words[c] >> b & 0x01010101;
                    slices[b][c] = (bits << 8).wrapping_sub(bits);
                }
            }
        }
        this
    }

    /// CIPHER (FIPS 197 §5.1).
    pub(super) fn encrypt(&self, s: &mut State) {
        transpose(s);
        add(s, &self.keys[0]);
        let mut n = 1;
        loop {
            round::<1>(s, &self.keys[n]);
            if n + 1 >= self.rounds {
                break;
            }
            round::<2>(s, &self.keys[n + 1]);
            round::<3>(s, &self.keys[n + 2]);
            if n + 3 >= self.rounds {
                break;
            }
            round::<0>(s, &self.keys[n + 3]);
            n += 4;
        }
        for c in 0..4 {
            store(s, c, sbox::sub(load(s, c)));
        }
        add(s, &self.keys[self.rounds]);
        self.realign(s);
        transpose(s);
    }

    /// INVCIPHER (FIPS 197 §5.3).
    pub(super) fn decrypt(&self, s: &mut State) {
        transpose(s);
        self.realign(s);
        add(s, &self.keys[self.rounds]);
        for c in 0..4 {
            store(s, c, sbox::inv_sub(load(s, c)));
        }
        add(s, &self.keys[self.rounds - 1]);
        for n in (1..self.rounds).rev() {
            let k = &self.keys[n - 1];
            match n % 4 {
                0 => inv_round::<0>(s, k),
                1 => inv_round::<1>(s, k),
                2 => inv_round::<2>(s, k),
                _ => inv_round::<3>(s, k),
            }
        }
        transpose(s);
    }

    /// Moves rows between their places after the last round and the standard's.
    #[inline(always)]
    fn realign(&self, s: &mut Slices) {
        if self.rounds % 4 == 2 {
            let turned = turn(s, 2);
            for b in 0..8 {
                for c in 0..4 {
                    s[b][c] ^= (s[b][c] ^ turned[b][c]) & 0xff00ff00;
                }
            }
        }
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

/// SUBBYTES, MIXCOLUMNS (FIPS 197 §5.1.3) after `I` rounds, ADDROUNDKEY.
///
/// With a′, a″, a‴ for the bytes below a, {02}a + {03}a′ + a″ + a‴ = {02}(a + a′) + a′ + (a″ + a‴).
#[inline(always)]
fn round<const I: usize>(s: &mut Slices, k: &Slices) {
    let (mut sums, mut below) = ([[0; 4]; 8], [[0; 4]; 8]);
    for c in 0..4 {
        let x = sbox::sub(load(s, c));
        store(&mut sums, c, x);
        store(&mut below, c, x.map(|x| x.rotate_right(8)));
    }
    let below = turn(&below, I);
    add(&mut sums, &below);
    let two_below = turn(&sums, 2 * I);
    for c in 0..4 {
        let (x, y, z, k) = (double(load(&sums, c)), load(&below, c), load(&two_below, c), load(k, c));
        for b in 0..8 {
            s[b][c] = x[b] ^ y[b] ^ z[b].rotate_right(16) ^ k[b];
        }
    }
}

/// INVMIXCOLUMNS (FIPS 197 §5.3.3) after `I` rounds, INVSUBBYTES, and ADDROUNDKEY of the round before.
///
/// {0e}a + {0b}a′ + {0d}a″ + {09}a‴ = {02}(a + a′ + {02}(a + a″ + {02}(a + a′ + a″ + a‴))) + a′ + a″ + a‴.
#[inline(always)]
fn inv_round<const I: usize>(s: &mut Slices, k: &Slices) {
    let (below, two_below, three_below) = (turn(s, I), turn(s, 2 * I), turn(s, 3 * I));
    for c in 0..4 {
        let (w, x, y, z) = (load(s, c), load(&below, c), load(&two_below, c), load(&three_below, c));
        let x = x.map(|x| x.rotate_right(8));
        let y = y.map(|y| y.rotate_right(16));
        let z = z.map(|z| z.rotate_right(24));
        let (wx, yz) = (sum(w, x), sum(y, z));
        let eight = double(sum(wx, yz));
        let four = double(sum(sum(w, y), eight));
        let two = double(sum(wx, four));
        let mixed = sum(two, sum(x, yz));
        store(s, c, sum(sbox::inv_sub(mixed), load(k, c)));
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

#[inline(always)]
fn sum(mut x: [u32; 8], y: [u32; 8]) -> [u32; 8] {
    for b in 0..8 {
        x[b] ^= y[b];
    }
    x
}

/// Times x, modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
#[inline(always)]
fn double(a: [u32; 8]) -> [u32; 8] {
    [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(a: u8, b: u8) -> u8 {
        let double = |a: u8| (a << 1) ^ (0x1b * (a >> 7));
        (0..8).rev().fold(0, |r, i| double(r) ^ (a * (b >> i & 1)))
    }

    /// FIPS 197 §4.5: every column times a matrix of which `by` is the first row, on a state in the order
    /// after `round` rounds.
    fn textbook(state: &Block, by: [u8; 4], round: usize) -> Block {
        let at = |r: usize, c: usize| (4 * c + (4 * round + 1) * r) % 16;
        let mut out = [0; 16];
        for c in 0..4 {
            for r in 0..4 {
                for n in 0..4 {
                    out[at(r, c)] ^= times(by[n], state[at((r + n) % 4, c)]);
                }
            }
        }
        out
    }

    /// Eight different blocks as slices.
    fn slices(blocks: &[Block; 8]) -> Slices {
        let mut s = blocks.each_ref().map(columns);
        transpose(&mut s);
        s
    }

    fn each(mut s: Slices, map: impl Fn([u32; 8]) -> [u32; 8]) -> Slices {
        for c in 0..4 {
            let x = map(load(&s, c));
            store(&mut s, c, x);
        }
        s
    }

    /// Apart from the S-box a round is linear, so that agreement on a basis, with each vector in every
    /// block, is agreement.
    fn linear_layer<const I: usize>() {
        let zero = [[0; 4]; 8];
        for first in 0..128 {
            let vectors: [Block; 8] = core::array::from_fn(|n| (1u128 << ((first + n) % 128)).to_le_bytes());
            let s = slices(&vectors);

            let mut forward = each(s, sbox::inv_sub);
            round::<I>(&mut forward, &zero);
            assert_eq!(forward, slices(&vectors.map(|v| textbook(&v, [2, 3, 1, 1], I))));

            let mut back = s;
            inv_round::<I>(&mut back, &zero);
            assert_eq!(each(back, sbox::sub), slices(&vectors.map(|v| textbook(&v, [0xe, 0xb, 0xd, 9], I))));
        }
    }

    #[test]
    fn linear_layers() {
        linear_layer::<0>();
        linear_layer::<1>();
        linear_layer::<2>();
        linear_layer::<3>();
    }

    #[test]
    fn slices_hold_bits() {
        for bit in 0..128 {
            for n in 0..8 {
                let mut blocks = [[0; 16]; 8];
                blocks[n] = (1u128 << bit).to_le_bytes();
                let mut expected = [[0; 4]; 8];
                expected[bit % 8][bit / 32] = 1 << (bit / 8 % 4 * 8 + n);
                let mut s = slices(&blocks);
                assert_eq!(s, expected);
                transpose(&mut s);
                assert_eq!(s.each_ref().map(block), blocks);
            }
        }
    }
}
