//! Multiplication in GF(2^128), the powers of H, GHASH and POLYVAL.
//!
//! Elements are POLYVAL's (RFC 8452 §3): natural bit order, and the product a·b·x^-128 modulo
//! x^128 + x^127 + x^126 + x^121 + 1. GHASH is the same on byte-reversed blocks with the key times x
//! (RFC 8452 appendix A; docs/field.md derives both).
//!
//! Four products of halves make the product of two elements, or three with Karatsuba:
//! `mid = (a.lo + a.hi)·(b.lo + b.hi)` is the sum of the crossed products, plus lo, plus hi. Its operands
//! are made for two elements at once by [`Clmul::mids`], and those of the powers are kept in the key.
//! Where carry-less multiplication runs once in two cycles (Zen) three beat four by 12 %.

use super::{Clmul, ClmulOps, Vector, at, unroll};
use crate::Block;
use crate::key::{GROUP, HashKey, POWERS};

/// A sum of 256-bit products per lane, not yet reduced, with Karatsuba's middle term.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    lo: V,
    mid: V,
    hi: V,
}

impl<V: Copy> Sum<V> {
    #[inline(always)]
    pub(super) fn zero<I: Clmul<V = V>>(i: I) -> Self {
        let z = i.splat(0);
        Self { lo: z, mid: z, hi: z }
    }

    /// Adds `x·h`.
    #[inline(always)]
    pub(super) fn add<I: Clmul<V = V>>(&mut self, i: I, x: V, h: V) {
        self.lo = i.xor(self.lo, i.mul_lo(x, h));
        self.hi = i.xor(self.hi, i.mul_hi(x, h));
        self.mid = i.xor(self.mid, i.mul_lo(i.xor(x, i.swap(x)), i.xor(h, i.swap(h))));
    }

    /// The same for who waits for `x`: where the ISA can, no sum before the products, but one product more, and a middle
    /// term that is complete.
    #[inline(always)]
    pub(super) fn add_late<I: Clmul<V = V>>(&mut self, i: I, x: V, h: V) {
        if !I::CROSSED {
            return self.add(i, x, h);
        }
        self.lo = i.xor(self.lo, i.mul_lo(x, h));
        self.hi = i.xor(self.hi, i.mul_hi(x, h));
        self.mid = i.xor(self.mid, i.mul_crossed(x, h));
    }

    /// `x0·h0 + x1·h1`; `LATE` in the form that [`add_late`](Self::add_late) adds to.
    #[inline(always)]
    pub(super) fn of_two<I: Clmul<V = V>, const LATE: bool>(i: I, x: [V; 2], h: [V; 2]) -> Self {
        let mut sum = Self::zero(i);
        if I::CROSSED {
            sum.add_late(i, x[0], h[0]);
            sum.add_late(i, x[1], h[1]);
            return if LATE { sum } else { sum.late(i) };
        }
        let mids = i.mids(h[0], h[1]);
        for part in 0..3 {
            sum.add_part(i, part, x, h, mids);
        }
        sum
    }

    /// Part 0, 1 or 2 of adding `x0·h0 + x1·h1`, given `mids(h0, h1)`: two multiplications each.
    #[inline(always)]
    pub(super) fn add_part<I: Clmul<V = V>>(&mut self, i: I, part: usize, x: [V; 2], h: [V; 2], mids: V) {
        match part {
            0 => self.lo = i.pin(i.xor(self.lo, i.xor(i.mul_lo(x[0], h[0]), i.mul_lo(x[1], h[1])))),
            1 => self.hi = i.pin(i.xor(self.hi, i.xor(i.mul_hi(x[0], h[0]), i.mul_hi(x[1], h[1])))),
            _ => {
                let m = i.mids(x[0], x[1]);
                self.mid = i.pin(i.xor(self.mid, i.xor(i.mul_lo(m, mids), i.mul_hi(m, mids))));
            }
        }
    }

    /// The element that the sum is congruent to.
    #[inline(always)]
    pub(super) fn reduce<I: Clmul<V = V>>(mut self, i: I) -> V {
        self.mid = i.xor(self.mid, i.xor(self.lo, self.hi));
        self.reduce_complete(i)
    }

    /// The sum over all lanes, and `other`.
    #[inline(always)]
    pub(super) fn fold<I: Clmul<V = V>>(
        self,
        i: I,
        other: Sum<<I::Narrow as Vector>::V>,
    ) -> Sum<<I::Narrow as Vector>::V> {
        let n = i.narrow();
        Sum {
            lo: n.xor(i.fold(self.lo), other.lo),
            mid: n.xor(i.fold(self.mid), other.mid),
            hi: n.xor(i.fold(self.hi), other.hi),
        }
    }

    /// The sum of both.
    #[inline(always)]
    pub(super) fn plus<I: Vector<V = V>>(self, i: I, other: Self) -> Self {
        Self { lo: i.xor(self.lo, other.lo), mid: i.xor(self.mid, other.mid), hi: i.xor(self.hi, other.hi) }
    }

    /// In lane 0 of wider vectors.
    #[inline(always)]
    pub(super) fn widen<I: Vector>(self, i: I) -> Sum<I::V>
    where
        I::Narrow: Vector<V = V>,
    {
        Sum { lo: i.widen(self.lo), mid: i.widen(self.mid), hi: i.widen(self.hi) }
    }

    /// The form that [`add_late`](Self::add_late) adds to, of that which the others add to, or the other way round.
    #[inline(always)]
    pub(super) fn late<I: Clmul<V = V>>(self, i: I) -> Self {
        if I::CROSSED { Self { mid: i.xor(self.mid, i.xor(self.lo, self.hi)), ..self } } else { self }
    }

    /// [`reduce`](Self::reduce) of products that [`add_late`](Self::add_late) added.
    #[inline(always)]
    pub(super) fn reduce_late<I: Clmul<V = V>>(self, i: I) -> V {
        if I::CROSSED { self.reduce_complete(i) } else { self.reduce(i) }
    }

    /// Montgomery's reduction, of a complete middle term: adds the multiple of the polynomial that cancels the low 64 bits, twice.
    /// Its lowest word is 1, so the word to cancel is its own multiplier; the others are x^57 + x^62 +
    /// x^63 of the second word and 1 of the third, which is what `mul_poly` and `swap` add.
    #[inline(always)]
    fn reduce_complete<I: Clmul<V = V>>(self, i: I) -> V {
        let mid = i.xor(self.mid, i.xor(i.swap(self.lo), i.mul_poly(self.lo)));
        i.add_swapped(i.xor(self.hi, i.mul_poly(mid)), mid)
    }
}

/// GHASH of one stride of `N` vectors, in pieces of two multiplications to weave into something else.
pub(super) struct Hash<'a, I: Clmul, const N: usize, const REVERSE: bool> {
    i: I,
    powers: &'a [Block],
    mids: &'a [Block],
    input: &'a [Block],
    acc: I::V,
    x: [I::V; 2],
    pub(super) sum: Sum<I::V>,
}

impl<'a, I: Clmul, const N: usize, const REVERSE: bool> Hash<'a, I, N, REVERSE> {
    pub(super) const PIECES: usize = 3 * N / 2;

    /// `later` strides follow before the reduction.
    #[inline(always)]
    pub(super) fn new(i: I, key: &'a HashKey, later: usize, sum: Sum<I::V>, acc: I::V, input: &'a [Block]) -> Self {
        let (len, from) = (N * I::BLOCKS, (later + 1) * N * I::BLOCKS);
        let (powers, mids) = (&key.powers[POWERS - from..][..len], &key.mids[(GROUP - from) / 2..][..len / 2]);
        Self { i, powers, mids, input: &input[..len], acc, x: [acc; 2], sum }
    }

    #[inline(always)]
    pub(super) fn piece(&mut self, p: usize) {
        let (i, powers) = (self.i, self.powers);
        // The first pair waits for the accumulator, so it comes last.
        let pair = (p / 3 + 1) % (N / 2);
        if p.is_multiple_of(3) {
            self.x = [field::<I, REVERSE>(i, self.input, 2 * pair), field::<I, REVERSE>(i, self.input, 2 * pair + 1)];
            if pair == 0 {
                self.x[0] = i.xor(self.x[0], self.acc);
            }
        }
        let h = [at(i, powers, 2 * pair), at(i, powers, 2 * pair + 1)];
        self.sum.add_part(i, p % 3, self.x, h, at(i, self.mids, pair));
    }

    #[inline(always)]
    pub(super) fn all(mut self) -> Sum<I::V> {
        unroll! { P in [0 1 2 3 4 5 6 7 8 9 10 11] {
            if P < Self::PIECES { self.piece(P) }
        } }
        self.sum
    }
}

/// Vector `n` of `blocks` as elements of the field.
#[inline(always)]
fn field<I: Clmul, const REVERSE: bool>(i: I, blocks: &[Block], n: usize) -> I::V {
    let v = at(i, blocks, n);
    // Pinned, or LLVM merges the reversals into the shuffles of `mids` and makes three of two (16 KiB
    // AES-128-GCM on 256-bit vectors, Zen 4, 2026-11-30: 10.6 GB/s without, 12.5 with).
    if REVERSE { i.pin(i.reflect(v)) } else { i.element(v) }
}

#[inline(always)]
pub(super) fn mul<I: Clmul>(i: I, a: I::V, b: I::V) -> I::V {
    let mut sum = Sum::zero(i);
    sum.add(i, a, b);
    sum.reduce(i)
}

/// Adds the products of all blocks with as many powers, the first ones of these; `acc` joins the first. The sum comes
/// back in the form that [`Sum::add_late`] adds to: for one or two vectors four products each take less than their sums.
#[inline(always)]
pub(super) fn add_all<I: Clmul, const REVERSE: bool>(
    i: I,
    mut sum: Sum<I::V>,
    mut acc: I::V,
    mut blocks: &[Block],
    mut powers: &[Block],
) -> Sum<I::V> {
    while blocks.len() >= 2 * I::BLOCKS {
        let h = [at(i, powers, 0), at(i, powers, 1)];
        let x = [i.xor(acc, field::<I, REVERSE>(i, blocks, 0)), field::<I, REVERSE>(i, blocks, 1)];
        for part in 0..3 {
            sum.add_part(i, part, x, h, i.mids(h[0], h[1]));
        }
        (acc, blocks, powers) = (i.splat(0), &blocks[2 * I::BLOCKS..], &powers[2 * I::BLOCKS..]);
    }
    sum = sum.late(i);
    if blocks.len() >= I::BLOCKS {
        sum.add_late(i, i.xor(acc, field::<I, REVERSE>(i, blocks, 0)), at(i, powers, 0));
        (acc, blocks, powers) = (i.splat(0), &blocks[I::BLOCKS..], &powers[I::BLOCKS..]);
    }
    if !blocks.is_empty() {
        // Zeros in the other lanes.
        let x = i.read(blocks.as_flattened(), 0);
        let x = if REVERSE { i.reflect(x) } else { i.element(x) };
        sum.add_late(i, i.xor(acc, x), at(i, powers, 0));
    }
    sum
}

/// Absorbs groups of two strides of `N` vectors, and what is left at once; with few powers vectors, then single
/// blocks.
#[inline(always)]
pub(super) fn absorb<I: Clmul, const N: usize, const REVERSE: bool>(
    i: I,
    key: &HashKey,
    mut acc: I::V,
    blocks: &[Block],
) -> <I::Narrow as Vector>::V {
    let n = i.narrow();
    let stride = N * I::BLOCKS;
    let zero = i.splat(0);
    let has_strides = key.mids_of >= 2 * stride as u64;
    let in_groups = if has_strides { blocks.len() / (2 * stride) * (2 * stride) } else { 0 };
    let (groups, blocks) = blocks.split_at(in_groups);
    for group in groups.chunks_exact(2 * stride) {
        let sum = Hash::<I, N, REVERSE>::new(i, key, 1, Sum::zero(i), acc, &group[..stride]).all();
        let sum = Hash::<I, N, REVERSE>::new(i, key, 0, sum, zero, &group[stride..]).all();
        acc = i.widen(i.fold(sum.reduce(i)));
    }
    if has_strides && blocks.len() > 1 {
        let sum = add_all::<I, REVERSE>(i, Sum::zero(i), acc, blocks, &key.powers[POWERS - blocks.len()..]);
        return i.fold(sum.reduce_late(i));
    }
    let in_vectors = if key.have >= I::BLOCKS as u64 { blocks.len() / I::BLOCKS * I::BLOCKS } else { 0 };
    let (vectors, blocks) = blocks.split_at(in_vectors);
    for v in vectors.chunks_exact(I::BLOCKS) {
        let x = i.xor(acc, field::<I, REVERSE>(i, v, 0));
        acc = i.widen(i.fold(mul(i, x, i.load(&key.powers[POWERS - I::BLOCKS..POWERS]))));
    }
    let mut acc = i.first(acc);
    for block in blocks.chunks_exact(1) {
        let x = n.xor(acc, field::<I::Narrow, REVERSE>(n, block, 0));
        acc = mul(n, x, n.load(&key.powers[POWERS - 1..POWERS]));
    }
    acc
}

/// GHASH.
#[inline(always)]
pub(crate) fn ghash<I: Clmul, const N: usize>(i: I, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    let n = i.narrow();
    let a = absorb::<I, N, true>(i, key, i.element(i.lane(*acc, 0)), blocks);
    *acc = n.to_u128(n.element(a));
}

/// POLYVAL.
#[inline(always)]
pub(crate) fn polyval<I: Clmul, const N: usize>(i: I, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    let n = i.narrow();
    let a = absorb::<I, N, false>(i, key, i.element(i.lane(*acc, 0)), blocks);
    *acc = n.to_u128(n.element(a));
}
