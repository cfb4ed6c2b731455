//! The powers of H: as many as what is to be hashed has use for.

use super::field::mul;
use super::{Clmul, ClmulOps, Vector, at, number};
use crate::Block;
use crate::backend::Hash;
use crate::key::{GROUP, HashKey, POWERS};

/// Messages of fewer blocks than this are hashed vector by vector, with one vector of powers: it takes
/// a long message to pay for the others.
const FEW: usize = 96;

/// Messages of fewer blocks than this are hashed with two strides of powers, on vectors so narrow that to make all
/// takes longer than what they save.
const MANY: usize = 1024;

/// The powers of H by doubling: H^(n+1..=2n) = H^(1..=n)·H^n.
#[inline(always)]
pub(crate) fn hash_key<I: Clmul>(i: I, h: u128, blocks: usize, key: &mut HashKey) {
    // One vector's worth block by block, then whole vectors.
    let n = i.narrow();
    n.store(n.element(n.splat(h)), &mut key.powers[POWERS - 1..POWERS]);
    key.have = 1;
    if blocks < I::BLOCKS {
        return;
    }
    double(n, &mut key.powers, 1, I::BLOCKS);
    key.have = I::BLOCKS as u64;
    if blocks < FEW {
        return;
    }
    let strides = (16 * I::BLOCKS).min(GROUP);
    let (have, of_group) = if strides < GROUP && blocks < MANY { (strides, strides) } else { (POWERS, GROUP) };
    double(i, &mut key.powers, I::BLOCKS, have);
    key.have = have as u64;
    let group = &key.powers[POWERS - GROUP..];
    for k in (GROUP - of_group) / I::BLOCKS / 2..GROUP / I::BLOCKS / 2 {
        let m = i.mids(at(i, group, 2 * k), at(i, group, 2 * k + 1));
        i.store(m, &mut key.mids[k * I::BLOCKS..][..I::BLOCKS]);
    }
}

/// Blocks for which powers of their own take less time than all; fewer than [`absorb`] takes strides with.
pub(super) const fn some<I: Vector>() -> usize {
    if I::BLOCKS < 4 { 11 * I::BLOCKS } else { 34 }
}

/// As many powers as `blocks` blocks have use for, at most [`some`].
#[inline(always)]
pub(super) fn some_powers<I: Clmul>(i: I, h: u128, blocks: usize, key: &mut HashKey) {
    let n = i.narrow();
    n.store(n.element(n.splat(h)), &mut key.powers[POWERS - 1..POWERS]);
    double(n, &mut key.powers, 1, I::BLOCKS);
    let have = blocks.clamp(1, some::<I>()).next_multiple_of(I::BLOCKS);
    double(i, &mut key.powers, I::BLOCKS, have);
    key.replaced(have);
}

/// As many powers as `blocks` blocks have use for, given the first; those that are there are made anew.
#[inline(always)]
pub(crate) fn complete<I: Clmul + Hash>(i: I, key: &mut HashKey, blocks: usize) {
    if blocks as u64 <= key.have || is_complete(key) {
        return;
    }
    let n = i.narrow();
    let h = n.to_u128(n.element(n.load(&key.powers[POWERS - 1..POWERS])));
    if blocks <= some::<I>() {
        some_powers(i, h, blocks, key);
    } else {
        i.hash_key(h, usize::MAX, key);
    }
}

/// Whether all powers are there, which stitched loops need.
#[inline(always)]
pub(crate) fn is_complete(key: &HashKey) -> bool {
    key.have == POWERS as u64
}

/// From the lowest `have` powers to `want`.
#[inline(always)]
fn double<I: Clmul>(i: I, powers: &mut [Block], mut have: usize, want: usize) {
    while have < want {
        let top = i.splat(number(&powers[POWERS - have]));
        let more = have.min(want - have);
        let (high, low) = powers[..POWERS].split_at_mut(POWERS - have);
        let (high, low) = (&mut high[POWERS - have - more..], &low[have - more..]);
        for k in 0..more / I::BLOCKS {
            i.store(mul(i, at(i, low, k), top), &mut high[k * I::BLOCKS..][..I::BLOCKS]);
        }
        have += more;
    }
}
