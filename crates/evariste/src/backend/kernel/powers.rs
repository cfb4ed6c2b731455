//! The powers of H: as many as what is to be hashed has use for.

use super::field::mul;
use super::finish::group;
use super::{Clmul, ClmulOps, Isa, Vector, at, number, unroll};
use crate::Block;
use crate::backend::Hash;
use crate::key::{GROUP, HashKey, POWERS};

/// Messages of fewer blocks than this are hashed vector by vector, with one vector of powers: it takes
/// a long message to pay for the others.
const FEW: usize = 96;

/// Messages of fewer blocks than this are hashed with two strides of powers, on vectors so narrow that to make all
/// takes longer than what they save.
const MANY: usize = 1024;

/// Blocks of a message up to which making all powers takes longer than the reductions that they save.
const LONG: usize = 1026;

/// The powers of H by doubling: H^(n+1..=2n) = H^(1..=n)·H^n.
#[inline(always)]
pub(crate) fn hash_key<I: Clmul>(i: I, h: u128, blocks: usize, key: &mut HashKey) {
    let n = i.narrow();
    let h = n.element(n.splat(h));
    if blocks < I::BLOCKS {
        n.store(h, &mut key.powers[POWERS - 1..POWERS]);
        return key.replaced(1, 0);
    }
    let h = i.spread(h);
    let square = if I::BLOCKS > 1 { mul(i, h, h) } else { h };
    i.store(lowest(i, h, square), &mut key.powers[POWERS - I::BLOCKS..POWERS]);
    if blocks < FEW {
        return key.replaced(I::BLOCKS, 0);
    }
    let strides = (16 * I::BLOCKS).min(GROUP);
    let (have, of_group) = if strides < GROUP && blocks < MANY { (strides, strides) } else { (POWERS, GROUP) };
    double(i, &mut key.powers, I::BLOCKS, have);
    key.replaced(have, of_group);
    let group = &key.powers[POWERS - GROUP..];
    for k in (GROUP - of_group) / I::BLOCKS / 2..GROUP / I::BLOCKS / 2 {
        let m = i.mids(at(i, group, 2 * k), at(i, group, 2 * k + 1));
        i.store(m, &mut key.mids[k * I::BLOCKS..][..I::BLOCKS]);
    }
}

/// How many powers a message of so many blocks is to have, those of its additional data and lengths among them, and of
/// how many of them the operands in `mids`; `None` for all.
#[inline(always)]
pub(super) fn some<I: Isa>(blocks: usize) -> Option<(usize, usize)> {
    // Each its own, as long as they are fewer than `absorb` takes strides with; then those of a group, or of a stride.
    let each = if I::BLOCKS < 4 { 11 * I::BLOCKS } else { group::<I>() + 2 };
    match blocks {
        _ if blocks <= each => Some((blocks, 0)),
        _ if blocks <= I::SHORT / 16 + 2 => Some((group::<I>() + 2, 0)),
        _ if blocks <= LONG => Some((group::<I>() + 2, group::<I>())),
        _ => None,
    }
}

/// At least the lowest `want` powers, of [`some`] and more than two, given the lowest two. This is for a message that
/// follows at once: a load that more than one store has to serve waits until all of them are in the cache. They are
/// stored the way messages of whole vectors load them: H by itself, for the lengths, and vectors from H^2 on (new key
/// and 256 bytes of AES-128-GCM: 106 ns, so 93; Xeon with VAES and AVX-512, 2026-12-01).
#[inline(always)]
fn more_powers<I: Clmul>(i: I, (want, mids): (usize, usize), key: &mut HashKey) {
    let n = i.narrow();
    let [square, h] = [2, 1].map(|p| number(&key.powers[POWERS - p]));
    if want <= 3 {
        // In one lane, which does not take what whole vectors take.
        n.store(mul(n, n.splat(square), n.splat(h)), &mut key.powers[POWERS - 3..][..1]);
        return key.replaced(3, 0);
    }
    let vectors = want.clamp(1, 12 * I::BLOCKS).div_ceil(I::BLOCKS);
    // Vector k is H^((k+1)·BLOCKS), …, H^(k·BLOCKS+1).
    let mut p = [lowest(i, i.splat(h), i.splat(square)); 12];
    unroll! { L in [0 1 2 3] {
        let have = 1 << L;
        if vectors > have {
            let top = i.spread(i.first(p[have - 1]));
            unroll! { K in [0 1 2 3 4 5 6 7] {
                if K < have && have + K < 12 && have + K < vectors {
                    p[have + K] = mul(i, p[K], top);
                }
            } }
        }
    } }
    unroll! { K in [11 10 9 8 7 6 5 4 3 2 1 0] {
        if K + 1 == vectors {
            i.store(p[K], &mut key.powers[POWERS - (K + 1) * I::BLOCKS..POWERS - K * I::BLOCKS]);
        } else if K + 1 < vectors {
            let from = POWERS - 1 - (K + 1) * I::BLOCKS;
            i.store(i.shifted(p[(K + 1) % 12], p[K]), &mut key.powers[from..from + I::BLOCKS]);
        }
    } }
    n.store(n.splat(h), &mut key.powers[POWERS - 1..POWERS]);
    key.replaced(vectors * I::BLOCKS, mids);
    if mids > 0 {
        unroll! { K in [0 1 2 3] {
            let m = i.mids(p[7 - 2 * K], p[6 - 2 * K]);
            i.store(m, &mut key.mids[GROUP / 2 - (4 - K) * I::BLOCKS..][..I::BLOCKS]);
        } }
    }
}

/// The lowest vector of powers, given H and H^2 in all lanes. Whole vectors take no longer than one lane of them.
#[inline(always)]
fn lowest<I: Clmul>(i: I, h: I::V, square: I::V) -> I::V {
    let two = if I::BLOCKS == 1 { h } else { i.odd(square, h) };
    if I::BLOCKS <= 2 { two } else { i.upper(mul(i, two, square), two) }
}

/// As many powers as `blocks` blocks have use for, at least two, of another key's hash.
#[inline(always)]
pub(super) fn first_powers<I: Isa + Hash>(i: I, h: u128, blocks: usize, key: &mut HashKey) {
    match some::<I>(blocks) {
        Some(want) => {
            let n = i.narrow();
            let h = n.element(n.splat(h));
            n.store(mul(n, h, h), &mut key.powers[POWERS - 2..][..1]);
            n.store(h, &mut key.powers[POWERS - 1..POWERS]);
            if want.0 > 2 {
                more_powers(i, want, key);
            } else {
                key.replaced(2, 0);
            }
        }
        // A call: it takes longer than all before it, and here it would stand three times.
        None => i.hash_key(h, usize::MAX, key),
    }
}

/// The same, given the first; those that are there are made anew.
#[inline(always)]
pub(crate) fn complete<I: Isa + Hash>(i: I, key: &mut HashKey, blocks: usize) {
    let want = some::<I>(blocks);
    let (powers, mids) = want.unwrap_or((POWERS, GROUP));
    if powers as u64 <= key.have && mids as u64 <= key.mids_of {
        return;
    }
    match want {
        Some(want) => more_powers(i, want, key),
        None => {
            let n = i.narrow();
            i.hash_key(n.to_u128(n.element(n.load(&key.powers[POWERS - 1..POWERS]))), usize::MAX, key)
        }
    }
}

/// Whether what stitched loops need for a stride is there.
#[inline(always)]
pub(crate) fn has_stride<I: Vector, const N: usize>(key: &HashKey) -> bool {
    key.mids_of >= (N * I::BLOCKS) as u64
}

/// Whether all powers are there.
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
