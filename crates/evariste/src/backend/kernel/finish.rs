//! The end of a GCM message, or all of a short one: text in whole vectors but for the last, J0 beside it, the hash
//! between the rounds or, where there is one chunk to seal, behind them.
//!
//! One reduction is enough where there are powers for all blocks. Where there are fewer, the blocks go in groups of
//! [`group`], each with powers from H^2 on, as before the lengths; what it is reduced to is the hash so far times H, and
//! joins the next group as one product more: Y·H·H^n for n blocks. To make 34 powers and reduce 1 KiB twice takes less
//! time than to make 66 (new key and 1 KiB of AES-128-GCM: 244 ns, so 162; Xeon with VAES and AVX-512, 2026-12-01).

use super::aes::rounds;
use super::field::Sum;
use super::message::WIRE;
use super::{AesOps, ClmulOps, Isa, Vector, at, number, unroll};
use crate::key::{GcmKey, POWERS};
use crate::{Block, InOut};

/// The end of a message, or all of a short one (`WHOLE`), in chunks of up to four vectors, or [`Isa::FEW`] where it is
/// all. Vectors are of text only, so that all but the last are whole; J0 has a narrow one.
pub(super) struct Finish<'a, I: Isa, const SEAL: bool, const WHOLE: bool> {
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
    pub(super) acc: I::V,
    pub(super) sum: Sum<I::V>,
    /// The lengths, if they are not in `sum` yet: they belong to the last group.
    lengths: <I::Narrow as Vector>::V,
    /// Vectors to go when this group ends; none in the last.
    group_end: usize,
    /// The chunk before, which SEAL has still to hash.
    late: ([I::V; 6], &'a [Block]),
    pub(super) data: InOut<'a>,
    /// Vectors to go.
    pub(super) left: usize,
}

impl<'a, I: Isa, const SEAL: bool, const WHOLE: bool> Finish<'a, I, SEAL, WHOLE> {
    #[inline(always)]
    pub(super) fn new(
        i: I,
        key: &'a GcmKey,
        j0: <I::Narrow as Vector>::V,
        ctr: I::V,
        sum: Sum<I::V>,
        data: InOut<'a>,
    ) -> Self {
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
            lengths: i.narrow().splat(0),
            group_end: 0,
            late: ([zero; 6], &[]),
            data,
            left: blocks.div_ceil(I::BLOCKS),
        }
    }

    /// The blocks in groups, and the element of the lengths in the sum of the last. The powers are those that a group of its own would
    /// have, so that all sums but the last come out multiplied by H.
    #[inline(always)]
    pub(super) fn grouped(mut self, lengths: <I::Narrow as Vector>::V) -> Self {
        self.powers = &self.key.hash.powers[POWERS - 1 - group::<I>()..];
        self.lengths = lengths;
        self.group_end = self.left - group::<I>() / I::BLOCKS;
        self
    }

    /// The tag, after more than one chunk.
    #[inline(always)]
    pub(super) fn run(mut self) -> u128 {
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
    pub(super) fn one(mut self) -> u128 {
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
        let begins = !FIRST && self.left == self.group_end;
        if begins {
            self.begin_group();
        }
        let (powers, later) = self.powers.split_at(C * I::BLOCKS);
        self.powers = later;
        self.left -= C;
        let mut s = self.counters::<C>();
        let mut text = s;
        let mut x = s;
        if !SEAL {
            if begins {
                self.end_group();
            }
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
        if SEAL && begins {
            self.end_group();
        }
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

    /// Blocks of the group that begins with the next chunk.
    #[inline(always)]
    fn now(&self) -> usize {
        group::<I>().min(self.data.len().div_ceil(16))
    }

    /// The powers of the next group.
    #[inline(always)]
    fn begin_group(&mut self) {
        self.powers = &self.key.hash.powers[POWERS - 1 - self.now()..];
        self.group_end = self.left.saturating_sub(group::<I>() / I::BLOCKS);
    }

    /// Once all of the group before is in the sum: what it comes to joins the new group, as one product more.
    #[inline(always)]
    fn end_group(&mut self) {
        let (i, n) = (self.i, self.i.narrow());
        let before = i.fold(self.sum.reduce(i));
        let powers = &self.key.hash.powers;
        let mut sum = Sum::zero(n);
        sum.add(n, before, n.load(&powers[POWERS - self.now()..][..1]));
        if self.group_end == 0 {
            sum.add(n, self.lengths, n.load(&powers[POWERS - 1..POWERS]));
        }
        self.sum = sum.widen(i);
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

/// Blocks to a group where there are not powers for all: two chunks.
#[inline(always)]
pub(super) const fn group<I: Vector>() -> usize {
    8 * I::BLOCKS
}

/// `x` and, in place of what is not there, its first.
#[inline(always)]
fn six<V: Copy, const C: usize>(x: &[V; C]) -> [V; 6] {
    let mut y = [x[0]; 6];
    y[..C].copy_from_slice(x);
    y
}
