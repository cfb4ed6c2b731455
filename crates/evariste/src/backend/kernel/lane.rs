//! Messages whose cipher is on one lane: those without text, and those of at most a block of it.

use super::aes::rounds;
use super::field::{Sum, absorb, add_all};
use super::message::{WIRE, lengths};
use super::{AesOps, ClmulOps, Isa, Vector, number};
use crate::key::{GcmKey, POWERS};

/// A message without text: nothing that is hashed waits for the cipher.
#[inline(always)]
pub(crate) fn mac<I: Isa, const N: usize>(i: I, key: &GcmKey, iv: &[u8; 12], aad: &[u8]) -> u128 {
    let (n, hash) = (i.narrow(), &key.hash);
    let mut s = [n.whiten(n.xor(i.block(iv), n.load(&WIRE[1..2])), n.splat(number(&key.aes.round_keys[0])))];
    rounds(n, &key.aes, &mut s);
    let [e_j0] = s;
    let lengths = n.element(n.splat(lengths(aad.len(), 0)));
    if aad.len() <= 16 {
        let mut sum = Sum::zero(n);
        let h = [n.load(&hash.powers[POWERS - 2..][..1]), n.load(&hash.powers[POWERS - 1..][..1])];
        let x = [n.reflect(i.block(aad)), lengths];
        for part in 0..3 {
            sum.add_part(n, part, x, h, n.mids(h[0], h[1]));
        }
        return n.to_u128(n.xor(n.reflect(sum.reduce(n)), e_j0));
    }
    let (mut blocks, tail) = aad.as_chunks();
    let mut acc = i.splat(0);
    if blocks.len() + 2 > POWERS {
        // What there are not enough powers for goes in groups.
        let over = (blocks.len() + 2 - POWERS).next_multiple_of(2 * N * I::BLOCKS).min(blocks.len());
        let (front, rest) = blocks.split_at(over);
        acc = i.widen(absorb::<I, N, true>(i, hash, acc, front));
        blocks = rest;
    }
    let after = 1 + !tail.is_empty() as usize;
    let power = |n: usize| i.widen(i.narrow().load(&hash.powers[POWERS - n..][..1]));
    let mut sum = Sum::zero(i);
    if !blocks.is_empty() {
        sum = add_all::<I, true>(i, sum, acc, blocks, &hash.powers[POWERS - after - blocks.len()..]);
        acc = i.splat(0);
    }
    if !tail.is_empty() {
        sum.add(i, i.xor(acc, i.widen(n.reflect(i.block(tail)))), power(2));
        acc = i.splat(0);
    }
    sum.add(i, i.xor(acc, i.widen(lengths)), power(1));
    n.to_u128(n.xor(n.reflect(i.fold(sum.reduce(i))), e_j0))
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
    let (n, powers) = (i.narrow(), &key.hash.powers);
    let iv = i.block(iv);
    let k0 = n.splat(number(&key.aes.round_keys[0]));
    let counter = |c: usize| n.whiten(n.xor(iv, n.load(&WIRE[c..][..1])), k0);
    let mut s = [counter(1), counter(2)];
    let mut text = i.block(data);
    let h = |p: usize| n.load(&powers[POWERS - p..][..1]);
    let mut sum = Sum::zero(n);
    let x = [n.reflect(i.block(aad)), n.element(n.splat(lengths(aad.len(), data.len())))];
    for part in 0..3 {
        sum.add_part(n, part, x, [h(3), h(1)], n.mids(h(3), h(1)));
    }
    if !SEAL {
        sum.add(n, n.reflect(text), h(2));
    }
    rounds(n, &key.aes, &mut s);
    text = n.write(n.xor(text, s[1]), data, 0);
    if SEAL {
        sum.add(n, n.reflect(text), h(2));
    }
    n.to_u128(n.xor(n.reflect(sum.reduce(n)), s[0]))
}
