//! Messages whose cipher is on one lane: those without text, and those of at most a block of it.

use super::aes::rounds;
use super::field::{Sum, absorb, add_all};
use super::message::{WIRE, lengths, not_text};
use super::powers::is_complete;
use super::{AesOps, ClmulOps, Isa, Vector, at, number};
use crate::backend::Imp;
use crate::key::{GcmKey, POWERS};
use crate::{Block, gcm};

/// A message without text: nothing that is hashed waits for the cipher.
#[inline(always)]
pub(crate) fn mac<I: Isa + Imp + 'static, const N: usize>(i: I, key: &GcmKey, iv: &[u8; 12], aad: &[u8]) -> u128 {
    if aad.len() > 16 && !is_complete(&key.hash) {
        return gcm::message::<true, dyn Imp>(&i, key, gcm::j0_96(iv), aad, (&mut []).into());
    }
    let (n, hash) = (i.narrow(), &key.hash);
    let mut s = [n.whiten(n.xor(i.nonce(iv), n.load(&WIRE[1..2])), n.splat(number(&key.aes.round_keys[0])))];
    rounds(n, &key.aes, &mut s);
    let [e_j0] = s;
    if aad.len() <= 16 {
        let sum = not_text::<I, true>(i, key, aad, 0);
        return n.to_u128(n.xor(n.reflect(sum.reduce_late(n)), e_j0));
    }
    let (mut blocks, tail) = aad.as_chunks();
    let mut acc = i.splat(0);
    if blocks.len() + 2 > POWERS {
        // What there are not enough powers for goes in groups, but for a block.
        let over = (blocks.len() + 2 - POWERS).next_multiple_of(2 * N * I::BLOCKS).min(blocks.len() - 1);
        let (front, rest) = blocks.split_at(over);
        acc = i.widen(absorb::<I, N, true>(i, hash, acc, front));
        blocks = rest;
    }
    let power = |p: usize| n.load(&hash.powers[POWERS - p..][..1]);
    let mut aside = Sum::zero(n);
    aside.add_late(n, n.element(n.splat(lengths(aad.len(), 0))), power(1));
    if !tail.is_empty() {
        aside.add_late(n, n.reflect(i.block(tail)), power(2));
    }
    let after = 1 + !tail.is_empty() as usize;
    let sum = add_all::<I, true>(i, Sum::zero(i), acc, blocks, &hash.powers[POWERS - after - blocks.len()..]);
    n.to_u128(n.xor(n.reflect(i.fold(sum.plus(i, aside.widen(i)).reduce_late(i))), e_j0))
}

/// A block of text, or less, and of additional data: on one lane. Only the text waits for the cipher.
#[inline(always)]
pub(super) fn shortest<I: Isa, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
) -> u128 {
    let n = i.narrow();
    let iv = i.nonce(iv);
    let k0 = n.splat(number(&key.aes.round_keys[0]));
    let counter = |c: usize| n.whiten(n.xor(iv, n.load(&WIRE[c..][..1])), k0);
    let mut s = [counter(1), counter(2)];
    let mut text = i.block(data);
    let mut sum = not_text::<I, true>(i, key, aad, data.len());
    let h = n.load(&key.hash.powers[POWERS - 2..][..1]);
    if !SEAL {
        sum.add_late(n, n.reflect(text), h);
    }
    rounds(n, &key.aes, &mut s);
    text = n.write(n.xor(text, s[1]), data, 0);
    if SEAL {
        sum.add_late(n, n.reflect(text), h);
    }
    n.to_u128(n.xor(n.reflect(sum.reduce_late(n)), s[0]))
}

/// Text of one lane less than a vector: J0 goes in its last.
#[inline(always)]
pub(super) fn one_vector<I: Isa, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
) -> u128 {
    let n = i.narrow();
    let k0 = i.splat(number(&key.aes.round_keys[0]));
    let counters = i.load(&WITH_J0[4 - I::BLOCKS..]);
    let mut s = [i.whiten(i.xor(i.spread(i.nonce(iv)), counters), k0)];
    let mut text = i.read(data, 0);
    let mut sum = not_text::<I, true>(i, key, aad, data.len());
    let h = at(i, &key.hash.powers[POWERS - 1 - data.len().div_ceil(16)..], 0);
    let of_text = |text| {
        let mut sum = Sum::zero(i);
        sum.add_late(i, i.reflect(text), h);
        sum
    };
    if !SEAL {
        sum = of_text(text).fold(i, sum);
    }
    rounds(i, &key.aes, &mut s);
    text = i.write(i.xor(text, s[0]), data, 0);
    if SEAL {
        sum = of_text(text).fold(i, sum);
    }
    n.to_u128(n.xor(n.reflect(sum.reduce_late(n)), i.part(s[0], I::BLOCKS - 1)))
}

/// The counters of a vector's blocks, up to four, but for the last one, which is J0's.
const WITH_J0: [Block; 4] = [WIRE[2], WIRE[3], WIRE[4], WIRE[1]];
