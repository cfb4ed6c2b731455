//! Whole messages under a 96-bit nonce: J0, additional data, text, length block and tag in one call.
//!
//! Short ones take one pass with one reduction: block n of m is multiplied by H^(m+1-n), the additional data before
//! them by H^(m+2), the lengths behind them by H. Long ones go by strides first and end the same way.

use super::aes::{expand, rounds};
use super::counters::{Counters, IOTA};
use super::field::{Sum, absorb, hash_key, is_complete, mul, some, some_powers};
use super::lane::{one_vector, shortest};
use super::stitch::strides;
use super::{AesOps, ClmulOps, Isa, Vector, at, number, unroll};
use crate::backend::Imp;
use crate::field::mulx;
use crate::key::{GROUP, GcmKey, POWERS};
use crate::{Block, InOut, gcm};

/// What AES-GCM needs of a key of `4·NK` bytes.
#[inline(always)]
pub(crate) fn gcm_key<I: Isa, const NK: usize>(i: I, key: &[u8], blocks: usize, out: &mut GcmKey) {
    expand::<I, NK>(i, key, &mut out.aes);
    let n = i.narrow();
    let k = |r: usize| n.splat(number(&out.aes.round_keys[r]));
    let mut s = n.whiten(n.splat(0), k(0));
    for r in 1..NK + 6 {
        s = n.round(s, k(r - 1), k(r));
    }
    s = n.last_round(s, k(NK + 5), k(NK + 6));
    let h = mulx(n.to_u128(n.reverse(s)));
    if blocks <= some::<I>() {
        some_powers(i, h, blocks, &mut out.hash);
    } else {
        hash_key(i, h, usize::MAX, &mut out.hash);
    }
}

/// A message of at most [`Isa::SHORT`] bytes with at most one block of additional data.
#[inline(always)]
pub(crate) fn short<I: Isa, const SEAL: bool>(i: I, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
    if matches!(data.len(), 1..=16) {
        return shortest::<I, SEAL>(i, key, iv, aad, data);
    }
    if I::BLOCKS > 2 && data.len() <= 16 * (I::BLOCKS - 1) {
        return one_vector::<I, SEAL>(i, key, iv, aad, data);
    }
    if data.len() > 16 * I::FEW * I::BLOCKS {
        return i.chunks::<SEAL>(key, iv, aad, data);
    }
    whole::<I, SEAL, SEAL>(i, key, iv, aad, data).one()
}

/// The same of more than [`Isa::FEW`] vectors.
#[inline(always)]
pub(crate) fn chunks<I: Isa, const SEAL: bool>(i: I, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
    whole::<I, SEAL, false>(i, key, iv, aad, data).run()
}

/// What a short message starts with.
#[inline(always)]
fn whole<'a, I: Isa, const SEAL: bool, const LATE: bool>(
    i: I,
    key: &'a GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: &'a mut [u8],
) -> Finish<'a, I, SEAL, true> {
    let n = i.narrow();
    let sum = not_text::<I, LATE>(i, key, aad, data.len());
    let iv = i.nonce(iv);
    let j0 = n.xor(iv, n.load(&WIRE[1..2]));
    Finish::new(i, key, j0, i.spread(iv), sum.widen(i), data.into())
}

/// The hash of a block of additional data and of the lengths. Neither waits for the cipher.
#[inline(always)]
pub(super) fn not_text<I: Isa, const LATE: bool>(
    i: I,
    key: &GcmKey,
    aad: &[u8],
    text: usize,
) -> Sum<<I::Narrow as Vector>::V> {
    let (n, powers) = (i.narrow(), &key.hash.powers);
    let x = [n.reflect(i.block(aad)), n.element(n.splat(lengths(aad.len(), text)))];
    let h = [n.load(&powers[POWERS - 2 - text.div_ceil(16)..][..1]), n.load(&powers[POWERS - 1..POWERS])];
    Sum::of_two::<_, LATE>(n, x, h)
}

/// A message of any length.
#[inline(always)]
pub(crate) fn long<I: Isa + Imp, const N: usize, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
) -> u128 {
    if !is_complete(&key.hash) {
        return gcm::message::<SEAL, _>(&i, key, gcm::j0_96(iv), aad, data);
    }
    let n = i.narrow();
    let data = data.local();
    let hash = &key.hash;
    let one = n.load(&IOTA[1..2]);
    let j0 = n.add32(n.reverse(i.nonce(iv)), one);
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
    let ctr = i.add32(i.spread(j0), i.add32(i.load(&IOTA[..I::BLOCKS]), i.splat((done as u32 + 1) as u128)));
    let mut sum = Sum::zero(n);
    sum.add(n, n.element(n.splat(lengths)), n.load(&hash.powers[POWERS - 1..POWERS]));
    let mut finish = Finish::<I, SEAL, false>::new(i, key, n.reverse(j0), ctr, sum.widen(i), end);
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
        finish.acc = acc;
    }
    if finish.left <= I::FEW { finish.one() } else { finish.run() }
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

/// The end of a message, or all of a short one (`WHOLE`), in chunks of up to four vectors, or [`Isa::FEW`] where it is
/// all. Vectors are of text only, so that all but the last are whole; J0 has a narrow one.
struct Finish<'a, I: Isa, const SEAL: bool, const WHOLE: bool> {
    i: I,
    key: &'a GcmKey,
    /// Those of the blocks to go; H of the lengths comes after.
    powers: &'a [Block],
    /// J0, and what it becomes.
    j0: <I::Narrow as Vector>::V,
    /// The nonce in every lane if `WHOLE`, else the next counters as numbers.
    ctr: I::V,
    wire: &'static [Block],
    /// The hash of what came before, still to be multiplied.
    acc: I::V,
    sum: Sum<I::V>,
    /// The chunk before, which SEAL has still to hash.
    late: ([I::V; 6], &'a [Block]),
    data: InOut<'a>,
    /// Vectors to go.
    left: usize,
}

impl<'a, I: Isa, const SEAL: bool, const WHOLE: bool> Finish<'a, I, SEAL, WHOLE> {
    #[inline(always)]
    fn new(i: I, key: &'a GcmKey, j0: <I::Narrow as Vector>::V, ctr: I::V, sum: Sum<I::V>, data: InOut<'a>) -> Self {
        let blocks = data.len().div_ceil(16);
        let zero = i.splat(0);
        Self {
            i,
            key,
            powers: &key.hash.powers[POWERS - 1 - blocks..],
            j0,
            ctr,
            wire: &WIRE[2..],
            acc: zero,
            sum,
            late: ([zero; 6], &[]),
            data,
            left: blocks.div_ceil(I::BLOCKS),
        }
    }

    /// The tag, after more than one chunk.
    #[inline(always)]
    fn run(mut self) -> u128 {
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
        let sum = self.sum.reduce(self.i);
        self.tag(sum)
    }

    /// The tag, after one chunk or none. SEAL waits for each product.
    #[inline(always)]
    fn one(mut self) -> u128 {
        if SEAL && !WHOLE {
            self.sum = self.sum.late(self.i);
        }
        match self.left {
            0 => self.none(),
            1 => self.chunk::<1, true, true>(),
            2 => self.chunk::<2, true, true>(),
            3 => self.chunk::<3, true, true>(),
            5 if I::FEW >= 5 => self.chunk::<5, true, true>(),
            6 if I::FEW >= 6 => self.chunk::<6, true, true>(),
            _ => self.chunk::<4, true, true>(),
        }
        let sum = if SEAL { self.sum.reduce_late(self.i) } else { self.sum.reduce(self.i) };
        self.tag(sum)
    }

    /// No vector: what was hashed before meets the lengths.
    #[inline(always)]
    fn none(&mut self) {
        let (i, n) = (self.i, self.i.narrow());
        if SEAL {
            self.sum.add_late(i, self.acc, at(i, self.powers, 0));
        } else {
            self.sum.add(i, self.acc, at(i, self.powers, 0));
        }
        let mut s = [n.whiten(self.j0, n.splat(number(&self.key.aes.round_keys[0])))];
        rounds(n, &self.key.aes, &mut s);
        [self.j0] = s;
    }

    #[inline(always)]
    fn tag(self, sum: I::V) -> u128 {
        let (i, n) = (self.i, self.i.narrow());
        n.to_u128(n.xor(n.reflect(i.fold(sum)), self.j0))
    }

    /// `C` vectors; the `LAST` chunk encrypts J0 and ends anywhere. The hash of OPEN's own data, or of what SEAL wrote
    /// a chunk ago, goes between the rounds.
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
                text[n] = if LAST && n == C - 1 { i.read(ahead, 0) } else { at(i, ahead.as_chunks().0, 0) };
                x[n] = i.reflect(text[n]);
                ahead = &ahead[ahead.len().min(16 * I::BLOCKS)..];
            }
            x[0] = i.xor(x[0], self.acc);
        }
        // `late` is taken by value: the compiler keeps it in registers.
        let (woven, their_powers, pieces) =
            if SEAL { (self.late.0, self.late.1, 6 * !FIRST as usize) } else { (six(&x), powers, C / 2 * 3) };
        self.rounds::<C, LAST>(&mut s, &woven, their_powers, pieces);
        for n in 0..C {
            if SEAL {
                let input = self.data.input();
                text[n] = if LAST && n == C - 1 { i.read(input, 0) } else { at(i, input.as_chunks().0, 0) };
            }
            let mut sealed = i.xor(text[n], s[n]);
            if LAST && n == C - 1 {
                sealed = i.write(sealed, self.data.output(), 0);
            } else {
                i.store(sealed, &mut self.data.output().as_chunks_mut().0[..I::BLOCKS]);
            }
            self.data.advance(16 * I::BLOCKS);
            if SEAL {
                x[n] = i.reflect(sealed);
            }
        }
        if SEAL {
            x[0] = i.xor(x[0], self.acc);
        }
        self.acc = i.splat(0);
        if SEAL && !LAST {
            self.late.0[..C].copy_from_slice(&x);
            self.late.1 = powers;
            return;
        }
        if SEAL && FIRST && I::CROSSED {
            for n in 0..C {
                self.sum.add_late(i, x[n], at(i, powers, n));
            }
            return;
        }
        if SEAL {
            unroll! { P in [0 1 2 3 4 5 6 7 8] {
                if P < C / 2 * 3 { self.hash(&six(&x), powers, P) }
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
                self.ctr = i.add32(self.ctr, i.splat(I::BLOCKS as u128));
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
    fn rounds<const C: usize, const LAST: bool>(
        &mut self,
        s: &mut [I::V; C],
        x: &[I::V; 6],
        powers: &[Block],
        pieces: usize,
    ) {
        let (i, n) = (self.i, self.i.narrow());
        let aes = &self.key.aes;
        let mut before = i.splat(number(&aes.round_keys[0]));
        let mut j0 = n.whiten(self.j0, i.first(before));
        let slots = if C > 4 { 9 } else { 6 };
        macro_rules! rounds {
            ($($r:literal)*) => { $(
                let after = i.splat(number(&aes.round_keys[$r]));
                for n in 0..C {
                    s[n] = i.pin(i.round(s[n], before, after));
                }
                if LAST {
                    j0 = n.pin(n.round(j0, i.first(before), i.first(after)));
                }
                before = after;
                let p = ($r - 1) * slots / 9;
                if p < $r * slots / 9 && p < pieces {
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
        if LAST {
            self.j0 = n.last_round(j0, i.first(before), i.first(after));
        }
    }

    /// Piece `p` of hashing the pairs of `x`.
    #[inline(always)]
    fn hash(&mut self, x: &[I::V; 6], powers: &[Block], p: usize) {
        let (i, n) = (self.i, p / 3 * 2);
        let h = [at(i, powers, n), at(i, powers, n + 1)];
        self.sum.add_part(i, p % 3, [x[n], x[n + 1]], h, i.mids(h[0], h[1]));
    }
}

/// `x` and, in place of what is not there, its first.
#[inline(always)]
fn six<V: Copy, const C: usize>(x: &[V; C]) -> [V; 6] {
    let mut y = [x[0]; 6];
    y[..C].copy_from_slice(x);
    y
}
