//! Whole messages under a 96-bit nonce: J0, additional data, text, length block and tag in one call.
//!
//! Short ones take one pass with one reduction. The blocks stand in a row: J0 for AES and the additional
//! data for GHASH, then the text, then the lengths; block n of m is multiplied by H^(m-n). Long ones go
//! by strides first and end the same way.

use super::aes::expand;
use super::counters::{Counters, IOTA};
use super::field::{Sum, absorb, hash_key, mul};
use super::lane::shortest;
use super::stitch::strides;
use super::{AesOps, ClmulOps, Isa, Vector, at, number, unroll};
use crate::field::mulx;
use crate::key::{GROUP, GcmKey, POWERS};
use crate::{Block, InOut, gcm};

/// Everything AES-GCM needs of a key of `4·NK` bytes.
#[inline(always)]
pub(crate) fn gcm_key<I: Isa, const NK: usize>(i: I, key: &[u8], out: &mut GcmKey) {
    expand::<I, NK>(i, key, &mut out.aes);
    let n = i.narrow();
    let k = |r: usize| n.splat(number(&out.aes.round_keys[r]));
    let mut s = n.whiten(n.splat(0), k(0));
    for r in 1..NK + 6 {
        s = n.round(s, k(r - 1), k(r));
    }
    s = n.last_round(s, k(NK + 5), k(NK + 6));
    hash_key(i, mulx(n.to_u128(n.reverse(s))), usize::MAX, &mut out.hash);
}

/// A message of at most [`Isa::SHORT`] bytes with at most one block of additional data.
#[inline(always)]
pub(crate) fn short<I: Isa, const SEAL: bool>(i: I, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
    if matches!(data.len(), 1..=16) {
        return shortest::<I, SEAL>(i, key, iv, aad, data);
    }
    let ctr = i.spread(i.block(iv));
    let acc = i.widen(i.narrow().reflect(i.block(aad)));
    Finish::<I, SEAL, true>::new(i, key, ctr, acc, lengths(aad.len(), data.len()), data.into()).run()
}

/// A message of any length.
#[inline(always)]
pub(crate) fn long<I: Isa, const N: usize, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
) -> u128 {
    let n = i.narrow();
    let data = data.local();
    let hash = &key.hash;
    let one = n.load(&IOTA[1..2]);
    let j0 = n.add32(n.reverse(i.block(iv)), one);
    let lengths = lengths(aad.len(), data.len());
    let (blocks, tail) = aad.as_chunks::<16>();
    let mut acc = n.splat(0);
    if !blocks.is_empty() {
        acc = absorb::<I, N, true>(i, hash, i.widen(acc), blocks);
    }
    if !tail.is_empty() {
        acc = mul(n, n.xor(acc, n.reflect(i.block(tail))), n.load(&hash.powers[POWERS - 1..POWERS]));
    }
    let mut acc = i.widen(acc);
    let stride = N * I::BLOCKS;
    let done = if data.len() > I::SHORT { data.len() / (16 * stride) * stride } else { 0 };
    let (whole, end) = data.split_at(16 * done);
    let mut unhashed: &[Block] = &[];
    if done > 0 {
        let ctr = Counters::new(i, n.add32(j0, one), 2);
        let whole = whole.into_blocks().0;
        // A copy per key length of the strides alone: the rest of a message is not worth the code.
        (acc, unhashed) = match key.aes.rounds {
            10 => strides::<I, 10, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole),
            12 => strides::<I, 12, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole),
            _ => strides::<I, 14, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole),
        };
    }
    // The counters go on from there, but J0 stays in lane 0.
    let (all, lane0) = (i.splat(done as u32 as u128), i.lane(done as u32 as u128, 0));
    let ctr = i.add32(i.spread(j0), i.add32(i.load(&IOTA[..I::BLOCKS]), i.xor(all, lane0)));
    let mut finish = Finish::<I, SEAL, false>::new(i, key, ctr, i.splat(0), lengths, end);
    finish.step = i.add32(finish.step, lane0);
    if SEAL && done > 0 {
        // The last stride joins the end's single reduction, the blocks before it in its first.
        let after = finish.data.len().div_ceil(16) + 1;
        let powers = &hash.powers[POWERS - after - stride..][..stride];
        for n in 0..N / 2 {
            let mut x = [i.reflect(at(i, unhashed, 2 * n)), i.reflect(at(i, unhashed, 2 * n + 1))];
            if n == 0 {
                x[0] = i.xor(x[0], acc);
            }
            let h = [at(i, powers, 2 * n), at(i, powers, 2 * n + 1)];
            for part in 0..3 {
                finish.sum.add_part(i, part, x, h, i.mids(h[0], h[1]));
            }
        }
    } else {
        // `acc` is due one multiplication less than J0, like the block after it.
        finish.sum.add(i, acc, i.widen(n.load(&finish.powers[1..2])));
    }
    finish.run()
}

/// The length block, as GHASH sees it.
#[inline(always)]
pub(super) fn lengths(aad: usize, text: usize) -> u128 {
    u128::from_be_bytes(gcm::lengths(aad as u64, text as u64))
}

/// Counter blocks less the nonce, up to the end of a short message: no sum, no byte reversal.
pub(super) const WIRE: [Block; POWERS + 4] = {
    let mut b = [[0; 16]; POWERS + 4];
    let mut n = 0;
    while n < b.len() {
        b[n][15] = n as u8;
        n += 1;
    }
    b
};

/// The end of a message, or all of a short one (`WHOLE`), in chunks of up to four vectors.
struct Finish<'a, I: Isa, const SEAL: bool, const WHOLE: bool> {
    i: I,
    key: &'a GcmKey,
    powers: &'a [Block],
    /// The nonce in every lane if `WHOLE`, else the next counters as numbers.
    ctr: I::V,
    wire: &'static [Block],
    /// What to add to `ctr` after the next vector.
    step: I::V,
    /// What GHASH takes in J0's place.
    acc: I::V,
    lengths: I::V,
    sum: Sum<I::V>,
    /// The chunk before, which SEAL has still to hash.
    late: ([I::V; 4], &'a [Block]),
    data: InOut<'a>,
    /// Vectors to go.
    left: usize,
    e_j0: I::V,
}

impl<'a, I: Isa, const SEAL: bool, const WHOLE: bool> Finish<'a, I, SEAL, WHOLE> {
    #[inline(always)]
    fn new(i: I, key: &'a GcmKey, ctr: I::V, acc: I::V, lengths: u128, data: InOut<'a>) -> Self {
        let blocks = data.len().div_ceil(16) + 2;
        Self {
            i,
            key,
            powers: &key.hash.powers[POWERS - blocks..],
            left: blocks.div_ceil(I::BLOCKS),
            ctr,
            wire: &WIRE[1..],
            step: i.splat(I::BLOCKS as u128),
            acc,
            lengths: i.element(i.lane(lengths, (blocks - 1) % I::BLOCKS)),
            sum: Sum::zero(i),
            late: ([acc; 4], &[]),
            data,
            e_j0: acc,
        }
    }

    /// The tag.
    #[inline(always)]
    fn run(mut self) -> u128 {
        if self.left > 4 {
            self.chunk::<4, true, false>();
            while self.left > 4 {
                self.chunk::<4, false, false>();
            }
            match self.left {
                1 => self.chunk::<1, false, true>(),
                2 => self.chunk::<2, false, true>(),
                3 => self.chunk::<3, false, true>(),
                _ => self.chunk::<4, false, true>(),
            }
        } else {
            match self.left {
                1 => self.chunk::<1, true, true>(),
                2 => self.chunk::<2, true, true>(),
                3 => self.chunk::<3, true, true>(),
                _ => self.chunk::<4, true, true>(),
            }
        }
        let (i, n) = (self.i, self.i.narrow());
        n.to_u128(n.xor(n.reflect(i.fold(self.sum.reduce(i))), i.first(self.e_j0)))
    }

    /// `C` vectors; the `FIRST` chunk starts with J0, the `LAST` ends with the lengths. The hash of OPEN's
    /// own data, or of what SEAL wrote a chunk ago, goes between the rounds.
    #[inline(always)]
    fn chunk<const C: usize, const FIRST: bool, const LAST: bool>(&mut self) {
        let i = self.i;
        let (powers, later) = self.powers.split_at(C * I::BLOCKS);
        self.powers = later;
        self.left -= C;
        let mut s = self.counters::<C>();
        let mut text = s;
        let mut x = s;
        if !SEAL {
            let mut ahead = self.data.input();
            for n in 0..C {
                text[n] = read::<I, C, FIRST, LAST>(i, ahead, n);
                x[n] = i.reflect(text[n]);
                ahead = &ahead[ahead.len().min(span::<I>(FIRST, n))..];
            }
            self.join::<C, FIRST, LAST>(&mut x);
        }
        // `late` is taken by value: the compiler keeps it in registers.
        let (woven, their_powers, pieces) =
            if SEAL { (self.late.0, self.late.1, 6 * !FIRST as usize) } else { (four(&x), powers, C / 2 * 3) };
        self.rounds(&mut s, &woven, their_powers, pieces);
        if FIRST {
            self.e_j0 = s[0];
        }
        for n in 0..C {
            if SEAL {
                text[n] = read::<I, C, FIRST, LAST>(i, self.data.input(), n);
            }
            let mut sealed = i.xor(text[n], s[n]);
            if is_whole(C, FIRST, LAST, n) {
                i.store(sealed, &mut self.data.output().as_chunks_mut().0[..I::BLOCKS]);
            } else {
                sealed = i.write(sealed, self.data.output(), first(FIRST, n));
            }
            self.data.advance(span::<I>(FIRST, n));
            if SEAL {
                x[n] = i.reflect(sealed);
            }
        }
        if SEAL {
            self.join::<C, FIRST, LAST>(&mut x);
        }
        if SEAL && !LAST {
            self.late.0[..C].copy_from_slice(&x);
            self.late.1 = powers;
            return;
        }
        if SEAL {
            unroll! { P in [0 1 2 3 4 5] {
                if P < C / 2 * 3 { self.hash(&four(&x), powers, P) }
            } }
        }
        if C % 2 == 1 {
            self.sum.add(i, x[C - 1], at(i, powers, C - 1));
        }
    }

    /// The next counter blocks, whitened.
    #[inline(always)]
    fn counters<const C: usize>(&mut self) -> [I::V; C] {
        let i = self.i;
        let k0 = i.splat(number(&self.key.aes.round_keys[0]));
        let mut s = [k0; C];
        for n in 0..C {
            if WHOLE {
                s[n] = i.whiten(i.xor(self.ctr, at(i, self.wire, n)), k0);
            } else {
                s[n] = i.whiten(i.reverse(self.ctr), k0);
                self.ctr = i.add32(self.ctr, self.step);
                self.step = i.splat(I::BLOCKS as u128);
            }
        }
        if WHOLE {
            self.wire = &self.wire[C * I::BLOCKS..];
        }
        s
    }

    /// All rounds, with the first `pieces` pieces of hashing `x` spread between them. The number of rounds
    /// is looked at, since a copy per key length would triple the code for 3 % at 1 KiB.
    #[inline(always)]
    fn rounds<const C: usize>(&mut self, s: &mut [I::V; C], x: &[I::V; 4], powers: &[Block], pieces: usize) {
        let i = self.i;
        let aes = &self.key.aes;
        let mut before = i.splat(number(&aes.round_keys[0]));
        macro_rules! rounds {
            ($($r:literal)*) => { $(
                let after = i.splat(number(&aes.round_keys[$r]));
                for n in 0..C {
                    s[n] = i.pin(i.round(s[n], before, after));
                }
                before = after;
                let p = ($r - 1) * 6 / 9;
                if p < $r * 6 / 9 && p < pieces {
                    self.hash(x, powers, p);
                }
            )* };
        }
        rounds!(1 2 3 4 5 6 7 8 9);
        if aes.rounds > 10 {
            rounds!(10 11);
            if aes.rounds > 12 {
                rounds!(12 13);
            }
        }
        let after = i.splat(number(&aes.round_keys[(aes.rounds as usize).min(14)]));
        for n in 0..C {
            // Pinned, or the rounds of partial vectors sink into the branches that write them.
            s[n] = i.pin(i.last_round(s[n], before, after));
        }
    }

    /// Piece `p` of hashing the pairs of `x`.
    #[inline(always)]
    fn hash(&mut self, x: &[I::V; 4], powers: &[Block], p: usize) {
        let (i, n) = (self.i, p / 3 * 2);
        let h = [at(i, powers, n), at(i, powers, n + 1)];
        self.sum.add_part(i, p % 3, [x[n], x[n + 1]], h, i.mids(h[0], h[1]));
    }

    /// The blocks that are not text.
    #[inline(always)]
    fn join<const C: usize, const FIRST: bool, const LAST: bool>(&self, x: &mut [I::V; C]) {
        if FIRST {
            x[0] = self.i.xor(x[0], self.acc);
        }
        if LAST {
            x[C - 1] = self.i.xor(x[C - 1], self.lengths);
        }
    }
}

/// Whether vector `n` of a chunk is text throughout. The end of the text is in the last vector or, where
/// that has room for nothing but the lengths, in the one before, which may belong to the chunk before.
#[inline(always)]
fn is_whole(c: usize, is_first: bool, is_last: bool, n: usize) -> bool {
    n + 1 + (is_last as usize) < c && first(is_first, n) == 0
}

/// Vector `n` of a chunk, which `data` starts with.
#[inline(always)]
fn read<I: Isa, const C: usize, const FIRST: bool, const LAST: bool>(i: I, data: &[u8], n: usize) -> I::V {
    if is_whole(C, FIRST, LAST, n) { at(i, data.as_chunks().0, 0) } else { i.read(data, first(FIRST, n)) }
}

/// `x` and, in place of what is not there, its first.
#[inline(always)]
fn four<V: Copy, const C: usize>(x: &[V; C]) -> [V; 4] {
    let mut y = [x[0]; 4];
    y[..C].copy_from_slice(x);
    y
}

/// The lane in which the text of vector `n` starts: 1 after J0.
#[inline(always)]
fn first(first: bool, n: usize) -> usize {
    (first && n == 0) as usize
}

/// Bytes of text in vector `n`.
#[inline(always)]
fn span<I: Vector>(is_first: bool, n: usize) -> usize {
    16 * (I::BLOCKS - first(is_first, n))
}
