//! Whole messages under a 96-bit nonce: J0, additional data, text, length block and tag in one call.
//!
//! Short ones take one pass with one reduction: block n of m is multiplied by H^(m+1-n), the additional data before
//! them by H^(m+2), the lengths behind them by H. Long ones go by strides first and end the same way.

use super::aes::expand;
use super::counters::{Counters, IOTA};
use super::field::{Sum, absorb, mul};
use super::finish::Finish;
use super::lane::{one_vector, shortest};
use super::powers::{is_complete, some, some_powers};
use super::stitch::strides;
use super::{AesOps, ClmulOps, Isa, Vector, apart, at, number};
use crate::backend::Imp;
use crate::field::mulx;
use crate::key::{GROUP, GcmKey, POWERS};
use crate::{Block, InOut, gcm};

/// What AES-GCM needs of a key of `4·NK` bytes.
#[inline(always)]
pub(crate) fn gcm_key<I: Isa + Imp, const NK: usize>(i: I, key: &[u8], blocks: usize, out: &mut GcmKey) {
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
        // A call: it takes longer than all before it, and here it would stand three times.
        i.hash_key(h, usize::MAX, &mut out.hash);
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
pub(crate) fn long<I: Isa + Imp + 'static, const N: usize, const SEAL: bool>(
    i: I,
    key: &GcmKey,
    iv: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
) -> u128 {
    if !is_complete(&key.hash) {
        return gcm::message::<SEAL, dyn Imp>(&i, key, gcm::j0_96(iv), aad, data);
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
            10 => apart!(i, strides::<I, 10, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole)),
            12 => apart!(i, strides::<I, 12, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole)),
            _ => apart!(i, strides::<I, 14, N, SEAL, false, true>(i, &key.aes, hash, GROUP / stride, ctr, acc, whole)),
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
    if finish.left <= I::FEW { apart!(i, finish.one()) } else { apart!(i, finish.run()) }
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
