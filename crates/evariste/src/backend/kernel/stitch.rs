//! CTR and GHASH or POLYVAL woven together: AES and carry-less multiplication have units of their own, and a
//! stride of each takes about as long.

use super::aes::{last, middle_of};
use super::counters::{Counters, Taken, first_round};
use super::field::{Hash, Sum};
use super::{ClmulOps, Isa, Vector, splat_keys, unroll};
use crate::backend::whole_strides;
use crate::block::{Counter, inc32_le};
use crate::key::{AesKey, GROUP, GcmKey, HashKey};
use crate::{Block, InOut};

/// CTR and GHASH over the ciphertext of whole strides.
#[inline(always)]
pub(crate) fn crypt<I: Isa, const NR: usize, const N: usize, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    ctr: &mut Counter,
    acc: &mut u128,
    data: InOut<'_, Block>,
) {
    if data.len() < N * I::BLOCKS {
        return;
    }
    let counters = Counters::from(i, u128::from_be_bytes(ctr.block), ctr.secret);
    ctr.advance(data.len());
    let group = key.hash.mids_of as usize / (N * I::BLOCKS);
    all::<I, NR, N, SEAL, false, true>(i, &key.aes, &key.hash, group, counters, acc, data);
}

/// CTR, and POLYVAL over the plaintext, of the whole strides of GCM-SIV's `data`; returns how many blocks that was.
/// Sealing has no such thing: its counter starts at the tag.
#[inline(always)]
pub(crate) fn siv_strides<I: Isa, const N: usize>(
    i: I,
    enc: &AesKey,
    auth: &HashKey,
    ctr: &mut Block,
    acc: &mut u128,
    data: InOut<'_, Block>,
) -> usize {
    let (data, _) = whole_strides(N * I::BLOCKS, data);
    let blocks = data.len();
    // A short message has too few powers.
    let group = auth.mids_of as usize / (N * I::BLOCKS);
    if blocks == 0 || group == 0 {
        return 0;
    }
    let counters = Counters::from(i, u128::from_le_bytes(*ctr), true);
    inc32_le(ctr, blocks as u32);
    if enc.rounds == 10 {
        all::<I, 10, N, true, true, false>(i, enc, auth, group, counters, acc, data);
    } else {
        all::<I, 14, N, true, true, false>(i, enc, auth, group, counters, acc, data);
    }
    blocks
}

/// Whole strides, and the hash of the last one.
#[inline(always)]
fn all<I: Isa, const NR: usize, const N: usize, const OUTPUT: bool, const LE: bool, const REVERSE: bool>(
    i: I,
    key: &AesKey,
    hash: &HashKey,
    group: usize,
    counters: Counters<I::V, LE>,
    acc: &mut u128,
    data: InOut<'_, Block>,
) {
    let first = i.element(i.lane(*acc, 0));
    let (sum, unhashed) = strides::<I, NR, N, OUTPUT, LE, REVERSE>(i, key, hash, group, counters, first, data);
    let mut sum = i.first(sum);
    if OUTPUT {
        let all = Hash::<I, N, REVERSE>::new(i, hash, 0, Sum::zero(i), i.widen(sum), unhashed).all();
        sum = i.fold(all.reduce(i));
    }
    let n = i.narrow();
    *acc = n.to_u128(n.element(sum));
}

/// Whole strides, one reduction per `group` of them. Who hashes the `OUTPUT` hashes what was written one stride ago,
/// so the last stride is left to the caller: it comes back beside the sum. Else what is about to be decrypted is hashed.
#[inline(always)]
pub(super) fn strides<
    'a,
    I: Isa,
    const NR: usize,
    const N: usize,
    const OUTPUT: bool,
    const LE: bool,
    const REVERSE: bool,
>(
    i: I,
    key: &AesKey,
    hash: &HashKey,
    group: usize,
    mut ctr: Counters<I::V, LE>,
    mut acc: I::V,
    data: InOut<'a, Block>,
) -> (I::V, &'a [Block]) {
    let stride = N * I::BLOCKS;
    let mut data = data.local();
    let mut k = splat_keys::<I, NR>(i, key);
    // In memory, from which rounds take them as operands: with all of them in registers the loop spills other things
    // (16 KiB of AES-128 opened: 1028 ns, or 1060; Zen 4, 2026-11-30).
    core::hint::black_box(&mut k);
    let ends = [k[NR - 1], k[NR]];
    let mut written: &[Block] = &[];
    if OUTPUT {
        let (now, later) = data.split_at(stride);
        data = later;
        let s = middle_of::<I, N>(i, |r| k[r], NR, ctr.take(i, [k[0], k[1]]));
        written = last::<I, N>(i, ends, s, now);
    }
    // GCM's first group may be shorter, GCM-SIV's last: a division by what is not constant takes longer. GCM has all
    // powers, or those of a stride.
    let mut left = data.len() / stride;
    while left > 0 {
        let now = match group {
            _ if LE => left.min(group),
            1 => 1,
            _ => (left - 1) % (GROUP / stride) + 1,
        };
        left -= now;
        let mut sum = Sum::zero(i);
        for later in (0..now).rev() {
            let (now, rest) = data.split_at(stride);
            data = rest;
            let input = if OUTPUT { written } else { now.input() };
            let s;
            let hash = Hash::new(i, hash, later, sum, acc, input);
            (s, sum) = stitch::<I, NR, N, LE, REVERSE>(i, &k, &mut ctr, hash);
            written = last::<I, N>(i, ends, s, now);
            acc = i.splat(0);
        }
        acc = i.widen(i.fold(sum.reduce(i)));
    }
    (acc, written)
}

/// One stride of keystream, but for the last round, with the pieces of `hash` spread evenly between its
/// rounds: half a round of the stride, a piece, and so on. Merged further apart it loses 10 to 30 %.
#[inline(always)]
fn stitch<I: Isa, const NR: usize, const N: usize, const LE: bool, const REVERSE: bool>(
    i: I,
    k: &[<I as Vector>::V; 15],
    ctr: &mut Counters<I::V, LE>,
    mut hash: Hash<'_, I, N, REVERSE>,
) -> ([I::V; N], Sum<I::V>) {
    let pieces = Hash::<I, N, REVERSE>::PIECES;
    let Taken { mut s, before } = ctr.take::<I, N>(i, [k[0], k[1]]);
    let slots = (NR - first_round::<I>()) * 2;
    // The last round of a long key stays free, so that the sums are ready when it ends.
    let span = slots.min(2 * pieces);
    unroll! { T in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25] {
        if T < slots {
            let (r, half) = (T / 2 + first_round::<I>(), T % 2 * (N / 2));
            let before = if T < 2 { before } else { k[r - 1] };
            for m in half..half + N / 2 {
                s[m] = i.pin(i.round(s[m], before, k[r]));
            }
            let (from, to) = (T * pieces / span, (T + 1) * pieces / span);
            if from < to && T < span {
                hash.piece(from);
            }
        }
    } }
    (s, hash.sum)
}
