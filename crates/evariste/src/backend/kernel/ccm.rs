//! CBC-MAC, and CCM's pair of it and the counter mode.

use super::aes::middle;
use super::counters::Counters;
use super::{Aes, AesOps, Vector, at, splat_keys};
use crate::key::AesKey;
use crate::{Block, InOut};

/// CBC-MAC: a chain, at the latency of a block each.
#[inline(always)]
pub(crate) fn cbc_mac<I: Aes, const NR: usize>(i: I, key: &AesKey, mac: &mut Block, blocks: &[Block]) {
    let i = i.narrow();
    let k = splat_keys::<I::Narrow, NR>(i, key);
    let mut m = i.load(core::slice::from_ref(mac));
    for n in 0..blocks.len() {
        let mut s = [i.whiten(i.xor(m, at(i, blocks, n)), k[0])];
        middle(i, |r| k[r], NR, &mut s);
        m = i.last_round(s[0], k[NR - 1], k[NR]);
    }
    i.store(m, core::slice::from_mut(mac));
}

/// CCM on whole blocks: the chain takes all the time there is, and the counter's block goes beside it.
/// Opening runs the counter one block ahead, so that the chain does not wait for it.
#[inline(always)]
pub(crate) fn ccm<I: Aes, const NR: usize, const SEAL: bool>(
    i: I,
    key: &AesKey,
    mac: &mut Block,
    ctr: Block,
    data: InOut<'_, Block>,
) {
    if data.is_empty() {
        return;
    }
    let mut data = data.local();
    let i = i.narrow();
    let k = splat_keys::<I::Narrow, NR>(i, key);
    let first = u128::from_be_bytes(ctr);
    let mut counter = Counters::<_, false>::from(i, first, false);
    let mut m = i.load(core::slice::from_ref(mac));
    // OPEN's plaintext of the block at hand.
    let mut text = m;
    if !SEAL {
        let mut s = counter.whitened::<_, 1>(i, k[0]);
        middle(i, |r| k[r], NR, &mut s);
        text = i.last_round(s[0], k[NR - 1], i.xor(k[NR], at(i, data.input(), 0)));
    }
    while !data.is_empty() {
        let (mut now, later) = data.split_at(1);
        data = later;
        if SEAL {
            text = at(i, now.input(), 0);
        }
        let ctr = counter.whitened::<_, 1>(i, k[0])[0];
        let mut s = [i.whiten(i.xor(m, text), k[0]), ctr];
        middle(i, |r| k[r], NR, &mut s);
        m = i.last_round(s[0], k[NR - 1], k[NR]);
        if SEAL {
            i.store(i.last_round(s[1], k[NR - 1], i.xor(k[NR], text)), now.output());
        } else {
            i.store(text, now.output());
            if !data.is_empty() {
                text = i.last_round(s[1], k[NR - 1], i.xor(k[NR], at(i, data.input(), 0)));
            }
        }
    }
    i.store(m, core::slice::from_mut(mac));
}
