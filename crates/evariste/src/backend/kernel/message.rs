//! Whole messages under a 96-bit nonce: J0, additional data, text, length block and tag in one call.
//!
//! Short ones take one pass with one reduction: block n of m is multiplied by H^(m+1-n), the additional data before
//! them by H^(m+2), the lengths behind them by H. Long ones go by strides first and end the same way.

use super::aes::expand;
use super::counters::{Counters, IOTA};
use super::field::{Hash, Sum, absorb, mul};
use super::finish::{Finish, group};
use super::lane::{one_vector, shortest};
use super::powers::{first_powers, has_stride, is_complete};
use super::stitch::strides;
use super::{AesOps, ClmulOps, Isa, Vector, apart, at, number};
use crate::backend::Imp;
use crate::field::mulx;
use crate::key::{GcmKey, HashKey, POWERS};
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
    first_powers(i, h, blocks, &mut out.hash);
}

/// Up to how many bytes [`short`] takes under `key`: with few powers a power for each block, and one each for the lengths
/// and the additional data; with more, all.
pub(crate) fn short_of<I: Isa>(key: &HashKey) -> usize {
    let powers = (key.have as usize).saturating_sub(2);
    if powers < group::<I>() { 16 * powers } else { I::SHORT }
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
    let blocks = data.len().div_ceil(16);
    if blocks as u64 + 2 <= key.hash.have {
        return whole::<I, SEAL, false>(i, key, iv, aad, data).run();
    }
    let n = i.narrow();
    let mut sum = Sum::zero(n);
    sum.add(n, n.reflect(i.block(aad)), n.load(&key.hash.powers[POWERS - 2 - group::<I>()..][..1]));
    let lengths = n.element(n.splat(lengths(aad.len(), data.len())));
    begin::<I, SEAL>(i, key, iv, sum.widen(i), data).grouped(lengths).run()
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
    let sum = not_text::<I, LATE>(i, key, aad, data.len());
    begin(i, key, iv, sum.widen(i), data)
}

#[inline(always)]
fn begin<'a, I: Isa, const SEAL: bool>(
    i: I,
    key: &'a GcmKey,
    iv: &[u8; 12],
    sum: Sum<I::V>,
    data: &'a mut [u8],
) -> Finish<'a, I, SEAL, true> {
    let (n, iv) = (i.narrow(), i.nonce(iv));
    let j0 = n.xor(iv, n.load(&WIRE[1..2]));
    Finish::new(i, key, j0, i.spread(iv), sum, data.into())
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
    let is_short = data.len() <= I::SHORT;
    if if is_short { data.len() > short_of::<I>(&key.hash) } else { !has_stride::<I, N>(&key.hash) } {
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
    let done = if is_short { 0 } else { data.len() / (16 * stride) * stride };
    let (whole, end) = data.split_at(16 * done);
    let mut unhashed: &[Block] = &[];
    let group = hash.mids_of as usize / stride;
    if done > 0 {
        let ctr = Counters::new(i, n.add32(j0, one), 2);
        let whole = whole.into_blocks().0;
        // A copy per key length of the strides alone: the rest of a message is not worth the code.
        (acc, unhashed) = match key.aes.rounds {
            10 => apart!(i, strides::<I, 10, N, SEAL, false, true>(i, &key.aes, hash, group, ctr, acc, whole)),
            12 => apart!(i, strides::<I, 12, N, SEAL, false, true>(i, &key.aes, hash, group, ctr, acc, whole)),
            _ => apart!(i, strides::<I, 14, N, SEAL, false, true>(i, &key.aes, hash, group, ctr, acc, whole)),
        };
    }
    let ctr = i.add32(i.spread(j0), i.add32(i.load(&IOTA[..I::BLOCKS]), i.splat((done as u32 + 1) as u128)));
    let lengths = n.element(n.splat(lengths));
    let mut sum = Sum::zero(n);
    let is_grouped = end.len().div_ceil(16) as u64 >= hash.have;
    if !is_grouped {
        sum.add(n, lengths, n.load(&hash.powers[POWERS - 1..POWERS]));
    }
    let mut finish = Finish::<I, SEAL, false>::new(i, key, n.reverse(j0), ctr, sum.widen(i), end);
    if is_grouped {
        finish = finish.grouped(lengths);
    }
    if SEAL && done > 0 && !is_complete(hash) {
        // There are no powers for the last stride and the end together.
        finish.acc = i.widen(i.fold(Hash::<I, N, true>::new(i, hash, 0, Sum::zero(i), acc, unhashed).all().reduce(i)));
    } else if SEAL && done > 0 {
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
