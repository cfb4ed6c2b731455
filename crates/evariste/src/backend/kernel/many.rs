//! CCM of several messages side by side, one to a lane.
//!
//! One message's CBC-MAC leaves the AES unit idle for most of each round's latency; those of other messages fill it.
//! Each lane has round keys of its own, which are operands in memory anyway where there are not 32 registers: messages
//! under many keys take no longer than those under one.

use super::{Aes, Vector};
use crate::inout::feeds::Group;
use crate::inout::{Feeds, Link};
use crate::lanes::{Lanes, QUAD, Quad};

/// The blocks of vector `n`, by a method of [`Group`].
macro_rules! join {
    ($i:ident, $group:expr, $which:ident, $n:expr, $step:expr) => {{
        let mut lanes = [$i.narrow().splat(0); QUAD];
        for lane in 0..I::BLOCKS {
            lanes[lane] = $i.narrow().load(core::slice::from_ref($group.$which($n * I::BLOCKS + lane, $step)));
        }
        $i.join(&lanes)
    }};
}

/// Steps of all lanes. `N` vectors go together where there is text to encrypt beside the chains, `CHAINS` where not.
#[inline(always)]
pub(crate) fn ccm_lanes<I: Aes, const N: usize, const CHAINS: usize>(
    i: I,
    lanes: &mut Lanes<'_>,
    feeds: &mut Feeds<'_>,
) {
    match feeds.link() {
        Link::Chains => groups::<I, CHAINS, { Link::Chains as u8 }>(i, lanes, feeds),
        Link::Seal => groups::<I, N, { Link::Seal as u8 }>(i, lanes, feeds),
        Link::Open => groups::<I, N, { Link::Open as u8 }>(i, lanes, feeds),
        Link::Mixed => groups::<I, N, { Link::Mixed as u8 }>(i, lanes, feeds),
    }
}

/// As many lanes at a time as are in `N` vectors.
#[inline(always)]
fn groups<I: Aes, const N: usize, const LINK: u8>(i: I, lanes: &mut Lanes<'_>, feeds: &mut Feeds<'_>) {
    let steps = feeds.steps();
    let rounds = lanes.rounds;
    let mut first = 0;
    for quads in lanes.quads.chunks_exact_mut(N * I::BLOCKS / QUAD) {
        if feeds.is_busy(first, N * I::BLOCKS) {
            group::<I, N, LINK>(i, quads, rounds, feeds.group(first), steps);
        }
        first += N * I::BLOCKS;
    }
}

/// All steps of these lanes.
#[inline(always)]
fn group<I: Aes, const N: usize, const LINK: u8>(
    i: I,
    quads: &mut [Quad],
    rounds: u64,
    mut group: Group<'_>,
    steps: usize,
) {
    // Vector `n` of what stands in the quads.
    macro_rules! vector {
        ($n:expr, $($field:tt)*) => {
            i.load(&quads[$n * I::BLOCKS / QUAD].$($field)*[$n * I::BLOCKS % QUAD..][..I::BLOCKS])
        };
    }
    macro_rules! k {
        ($n:expr, $r:expr) => {
            vector!($n, round_keys[$r])
        };
    }
    let text = LINK != Link::Chains as u8;
    let seal = LINK == Link::Seal as u8;
    let open = LINK == Link::Open as u8;
    let zero = i.splat(0);
    // The chains, with the next block in them and whitened; and that block, and the one after it.
    let (mut m, mut block, mut later) = ([zero; N], [zero; N], [zero; N]);
    // The counters as numbers.
    let mut ctr = [zero; N];
    for n in 0..N {
        block[n] = join!(i, group, mac, n, 0);
        later[n] = join!(i, group, mac, n, 1);
        m[n] = i.xor(vector!(n, macs), i.whiten(block[n], k!(n, 0)));
        ctr[n] = i.reverse(vector!(n, ctrs));
    }
    for step in 0..steps {
        let mut s = [zero; N];
        if text {
            for n in 0..N {
                s[n] = i.whiten(i.reverse(ctr[n]), k!(n, 0));
                ctr[n] = i.add32(ctr[n], i.splat(1));
            }
        }
        macro_rules! rounds {
            ($($r:literal)*) => { $(
                for n in 0..N {
                    m[n] = i.pin(i.round(m[n], k!(n, $r - 1), k!(n, $r)));
                    if text {
                        s[n] = i.pin(i.round(s[n], k!(n, $r - 1), k!(n, $r)));
                    }
                }
            )* };
        }
        rounds!(1 2 3 4 5 6 7 8 9);
        if rounds > 10 {
            rounds!(10 11);
            if rounds > 12 {
                rounds!(12 13);
            }
        }
        let last = (rounds as usize).clamp(1, 14);
        for n in 0..N {
            let (before, after) = (k!(n, last - 1), k!(n, last));
            if !open {
                later[n] = join!(i, group, mac, n, step + 1);
            }
            // The last round takes the next block along, and its whitening: the chain need not wait for another sum.
            m[n] = i.last_round(m[n], before, i.xor(after, i.whiten(later[n], k!(n, 0))));
            if text {
                // Gathered once where that is enough.
                let input = if seal { block[n] } else { join!(i, group, input, n, step) };
                let output = i.last_round(s[n], before, i.xor(after, input));
                scatter(i, &mut group, n, step, output);
                block[n] = later[n];
                later[n] = output;
            } else {
                block[n] = later[n];
            }
        }
    }
    for n in 0..N {
        let quad = &mut quads[n * I::BLOCKS / QUAD];
        i.store(
            i.xor(m[n], i.whiten(block[n], i.load(&quad.round_keys[0][n * I::BLOCKS % QUAD..][..I::BLOCKS]))),
            &mut quad.macs[n * I::BLOCKS % QUAD..][..I::BLOCKS],
        );
    }
}

/// Writes the blocks of vector `n`.
#[inline(always)]
fn scatter<I: Vector>(i: I, group: &mut Group<'_>, n: usize, step: usize, v: I::V) {
    for lane in 0..I::BLOCKS {
        i.narrow().store(i.part(v, lane), core::slice::from_mut(group.output(n * I::BLOCKS + lane, step)));
    }
}
