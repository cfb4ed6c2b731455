//! AES-GCM-SIV (RFC 8452): a message in one call, from the keys of its nonce to its tag.
//!
//! These keys live for one message, so what counts is how long it takes to make them. The key schedule is one
//! chain, the powers of the hash key are another, and in one function the CPU runs the two side by side. Only
//! as many powers are made as the message has blocks, up to four vectors.
//!
//! The blocks of a hash stand in a row with the lengths at its end, and zeros before it up to whole vectors:
//! they add nothing, and each vector of blocks meets a vector of powers as it was stored.

use super::aes::{rounds, schedule};
use super::counters::IOTA;
use super::field::{Sum, mul};
use super::{Aes, AesOps, ClmulOps, Isa, Vector, at, number, unroll};
use crate::backend::Imp;
use crate::key::{AesKey, Secret};
use crate::{Block, InOut, gcm_siv};

/// Bytes of text to seal for which more powers than here do not pay (Zen 4, 2026-11-30, all tiers).
const SHORT_SEAL: usize = 4096;

/// The same to open, which wants a stitched loop sooner, the sooner the narrower vectors are.
const fn short_open<I: Vector>() -> usize {
    512 + 1024 * I::BLOCKS
}

/// Bytes of additional data that go vector by vector.
const SHORT_AAD: usize = 1024;

/// Powers of the hash key in four vectors of the widest ISA: highest first, `[…, H^2, H^1]`.
type Powers = Secret<[Block; 16]>;

/// What a counter has, and what is encrypted for the tag has not (§4).
const TOP: u128 = 1 << 127;

/// Seals a message and returns its tag; or decrypts one that came with `tag`, and returns the tag it should have.
#[inline(always)]
pub(crate) fn siv<I: Isa + Imp + 'static>(
    i: I,
    key: &AesKey,
    nonce: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
    tag: Option<&Block>,
) -> u128 {
    let short = if tag.is_some() { short_open::<I>() } else { SHORT_SEAL };
    if data.len() > short || aad.len() > SHORT_AAD {
        return gcm_siv::message::<dyn Imp>(&i, key, nonce, aad, data, tag);
    }
    let data = data.local();
    let (mut powers, mut enc) = (Secret([[0; 16]; 16]), AesKey::ZERO);
    let acc = prepare(i, key, nonce, aad, data.len(), &mut powers, &mut enc);
    let lengths = lengths(aad, data.len());
    let n = i.narrow();
    if let Some(tag) = tag {
        let acc = crypt::<I, true>(i, &enc, &powers, i.block(tag), acc, data, lengths);
        n.to_u128(made(i, &enc, acc, nonce))
    } else {
        let acc = polyval(i, &powers, acc, data.input(), lengths);
        let tag = made(i, &enc, acc, nonce);
        crypt::<I, false>(i, &enc, &powers, tag, acc, data, 0);
        n.to_u128(tag)
    }
}

/// The keys of a nonce (§4), and the hash of the additional data.
#[inline(always)]
fn prepare<I: Isa>(
    i: I,
    key: &AesKey,
    nonce: &[u8; 12],
    aad: &[u8],
    text: usize,
    powers: &mut Powers,
    enc: &mut AesKey,
) -> <I::Narrow as Vector>::V {
    let n = i.narrow();
    let auth = if key.rounds == 10 {
        let s = derive::<I, 4>(i, key, nonce);
        schedule::<I::Narrow, 4>(n, join(n, s[2], s[3]), n.splat(0), enc);
        join(n, s[0], s[1])
    } else {
        let s = derive::<I, 6>(i, key, nonce);
        schedule::<I::Narrow, 8>(n, join(n, s[2], s[3]), join(n, s[4], s[5]), enc);
        join(n, s[0], s[1])
    };
    let h = n.element(auth);
    let with_aad = aad.len().div_ceil(16).min(I::BLOCKS);
    make_powers(i, h, with_aad.max(text.div_ceil(16) + 1), powers);
    if aad.len() <= 16 {
        // One block does not wait for more than H.
        return if aad.is_empty() { n.splat(0) } else { mul(n, n.element(i.block(aad)), h) };
    }
    let (mut acc, mut rest) = (n.splat(0), aad);
    let (left, mut lane) = row::<I>(aad.len().div_ceil(16));
    let p = i.load(&powers[16 - I::BLOCKS..]);
    for _ in 0..left {
        let x = i.element(read::<I, 1>(i, rest, lane, 0));
        acc = i.fold(mul(i, i.xor(x, place(i, acc, lane)), p));
        rest = &rest[rest.len().min(16 * (I::BLOCKS - lane))..];
        lane = 0;
    }
    acc
}

/// What the halves of the keys are the lower halves of.
#[inline(always)]
fn derive<I: Aes, const N: usize>(i: I, key: &AesKey, nonce: &[u8; 12]) -> [<I::Narrow as Vector>::V; N] {
    let n = i.narrow();
    let nonce = n.slide(i.nonce(nonce));
    let mut s = [nonce; N];
    for c in 0..N {
        s[c] = n.xor(nonce, n.splat(c as u128));
    }
    cipher(n, key, &mut s);
    s
}

/// The lower half of `a`, and that of `b` above it.
#[inline(always)]
fn join<N: Vector>(n: N, a: N::V, b: N::V) -> N::V {
    let low = n.splat(u64::MAX as u128);
    n.xor(n.and(a, low), n.swap(n.and(b, low)))
}

/// CIPHER of each vector (FIPS 197 §5.1).
#[inline(always)]
fn cipher<I: AesOps, const N: usize>(i: I, key: &AesKey, s: &mut [I::V; N]) {
    let k0 = i.splat(number(&key.round_keys[0]));
    for n in 0..N {
        s[n] = i.whiten(s[n], k0);
    }
    rounds(i, key, s);
}

/// As many powers as `blocks` blocks have use for.
#[inline(always)]
fn make_powers<I: Isa>(i: I, h: <I::Narrow as Vector>::V, blocks: usize, powers: &mut Powers) {
    let (n, l) = (i.narrow(), I::BLOCKS);
    // In registers: to load a vector that was just stored block by block takes longer than to make it.
    let mut p = i.lane(n.to_u128(h), l - 1);
    if l > 1 {
        let h2 = n.to_u128(mul(n, h, h));
        p = i.xor(p, i.lane(h2, l - 2));
        // Two blocks do not wait for more than H^2.
        if l > 2 && blocks > 2 {
            let low = i.xor(i.lane(h2, 0), i.lane(n.to_u128(h), 1));
            p = i.xor(p, mul(i, low, i.splat(h2)));
        }
    }
    i.store(p, &mut powers[16 - l..]);
    if blocks > l {
        let q = mul(i, p, i.spread(i.first(p)));
        i.store(q, &mut powers[16 - 2 * l..16 - l]);
        if blocks > 2 * l {
            let top = i.spread(i.first(q));
            i.store(mul(i, p, top), &mut powers[16 - 3 * l..16 - 2 * l]);
            i.store(mul(i, q, top), &mut powers[16 - 4 * l..16 - 3 * l]);
        }
    }
}

/// The tag, from the hash of everything.
#[inline(always)]
fn made<I: Isa>(i: I, enc: &AesKey, acc: <I::Narrow as Vector>::V, nonce: &[u8; 12]) -> <I::Narrow as Vector>::V {
    let n = i.narrow();
    let mut s = [n.and(n.xor(n.element(acc), i.nonce(nonce)), n.splat(!TOP))];
    cipher(n, enc, &mut s);
    s[0]
}

/// The length block (§4).
#[inline(always)]
fn lengths(aad: &[u8], text: usize) -> u128 {
    u128::from_le_bytes(gcm_siv::lengths(aad.len(), text))
}

/// Vectors to go, and the lane in which the first starts.
#[inline(always)]
fn row<I: Vector>(blocks: usize) -> (usize, usize) {
    let vectors = blocks.div_ceil(I::BLOCKS);
    (vectors, vectors * I::BLOCKS - blocks)
}

/// Does `$body` with `C` vectors, of the `$left` that are to go: the rest of four first, then always four.
macro_rules! chunks {
    ($left:ident, $c:ident $body:block) => {
        while $left > 0 {
            match $left % 4 {
                1 => {
                    const $c: usize = 1;
                    $body
                }
                2 => {
                    const $c: usize = 2;
                    $body
                }
                3 => {
                    const $c: usize = 3;
                    $body
                }
                _ => {
                    const $c: usize = 4;
                    $body
                }
            }
        }
    };
}

/// Absorbs `data`, padded, and `lengths` after it.
#[inline(always)]
fn polyval<I: Isa>(
    i: I,
    powers: &Powers,
    mut acc: <I::Narrow as Vector>::V,
    mut data: &[u8],
    lengths: u128,
) -> <I::Narrow as Vector>::V {
    let (mut left, mut lane) = row::<I>(data.len().div_ceil(16) + 1);
    let end = i.element(i.lane(lengths, I::BLOCKS - 1));
    chunks! { left, C {
        let before = place(i, acc, lane);
        let mut x;
        (x, data) = texts::<I, C>(i, data, lane);
        (lane, left) = (0, left - C);
        x[0] = i.xor(x[0], before);
        if left == 0 {
            x[C - 1] = i.xor(x[C - 1], end);
        }
        acc = product(i, powers, &x);
    } }
    acc
}

/// CTR from `tag` on (§4), and POLYVAL of what it decrypts and of `lengths` where that is asked for.
#[inline(always)]
fn crypt<I: Isa, const OPEN: bool>(
    i: I,
    enc: &AesKey,
    powers: &Powers,
    tag: <I::Narrow as Vector>::V,
    mut acc: <I::Narrow as Vector>::V,
    mut data: InOut<'_>,
    lengths: u128,
) -> <I::Narrow as Vector>::V {
    let n = i.narrow();
    let (mut left, mut lane) = row::<I>(data.len().div_ceil(16) + OPEN as usize);
    let end = i.element(i.lane(lengths, I::BLOCKS - 1));
    let first = i.spread(n.xor(n.and(tag, n.splat(!TOP)), n.splat(TOP)));
    // The lanes before the first block get the counters before it, modulo 2^32.
    let before = i.splat((lane as u32).wrapping_neg() as u128);
    let mut ctr = i.add32(first, i.add32(i.load(&IOTA[..I::BLOCKS]), before));
    chunks! { left, C {
        let mut s = [ctr; C];
        for n in 0..C {
            s[n] = ctr;
            ctr = i.add32(ctr, i.splat(I::BLOCKS as u128));
        }
        cipher(i, enc, &mut s);
        let before = place(i, acc, lane);
        (s, data) = add::<I, C>(i, s, data, lane);
        (lane, left) = (0, left - C);
        if OPEN {
            s[0] = i.xor(s[0], before);
            if left == 0 {
                s[C - 1] = i.xor(s[C - 1], end);
            }
            acc = product(i, powers, &s);
        }
    } }
    acc
}

/// `C` vectors of the start of `data` as elements of the field, from lane `lane` on, and what follows them.
#[inline(always)]
fn texts<I: Isa, const C: usize>(i: I, mut data: &[u8], lane: usize) -> ([I::V; C], &[u8]) {
    let mut x = [i.splat(0); C];
    unroll! { N in [0 1 2 3] {
        if N < C {
            let lane = if N == 0 { lane } else { 0 };
            x[N] = i.element(read::<I, C>(i, data, lane, N));
            data = &data[data.len().min(16 * (I::BLOCKS - lane))..];
        }
    } }
    (x, data)
}

/// Adds `C` vectors of keystream to the start of `data`; returns what that makes as elements of the field, and what
/// follows.
#[inline(always)]
fn add<'a, I: Isa, const C: usize>(i: I, mut s: [I::V; C], mut data: InOut<'a>, lane: usize) -> ([I::V; C], InOut<'a>) {
    unroll! { N in [0 1 2 3] {
        if N < C {
            let lane = if N == 0 { lane } else { 0 };
            let v = i.xor(s[N], read::<I, C>(i, data.input(), lane, N));
            s[N] = i.element(write::<I, C>(i, v, data.output(), lane, N));
            data.advance(16 * (I::BLOCKS - lane));
        }
    } }
    (s, data)
}

/// The sum of the products of `C` vectors with as many of powers, reduced.
#[inline(always)]
fn product<I: Isa, const C: usize>(i: I, powers: &Powers, x: &[I::V; C]) -> <I::Narrow as Vector>::V {
    let powers = &powers[16 - C * I::BLOCKS..];
    let mut sum = Sum::zero(i);
    for p in 0..C / 2 {
        let h = [at(i, powers, 2 * p), at(i, powers, 2 * p + 1)];
        for part in 0..3 {
            sum.add_part(i, part, [x[2 * p], x[2 * p + 1]], h, i.mids(h[0], h[1]));
        }
    }
    if C % 2 == 1 {
        sum.add(i, x[C - 1], at(i, powers, C - 1));
    }
    i.fold(sum.reduce(i))
}

/// `acc` in lane `lane`.
#[inline(always)]
fn place<I: Isa>(i: I, acc: <I::Narrow as Vector>::V, lane: usize) -> I::V {
    i.lane(i.narrow().to_u128(acc), lane)
}

/// Whether vector `n` of a chunk of `c` is text throughout. What is before the text is in the first vector; the
/// end of the text is in the last, or where that has room for nothing but the lengths, in the one before.
#[inline(always)]
fn is_whole<I: Vector>(c: usize, n: usize) -> bool {
    if I::BLOCKS == 1 { n + 2 < c } else { 0 < n && n + 1 < c }
}

/// Vector `n` of a chunk of `C`, which starts `data`, in the lanes from `lane` on.
#[inline(always)]
fn read<I: Vector, const C: usize>(i: I, data: &[u8], lane: usize, n: usize) -> I::V {
    if is_whole::<I>(C, n) { at(i, data.as_chunks().0, 0) } else { i.read(data, lane) }
}

/// The same to be written; returns `v` with zeros where nothing was.
#[inline(always)]
fn write<I: Vector, const C: usize>(i: I, v: I::V, data: &mut [u8], lane: usize, n: usize) -> I::V {
    if is_whole::<I>(C, n) {
        i.store(v, &mut data.as_chunks_mut().0[..I::BLOCKS]);
        v
    } else {
        i.write(v, data, lane)
    }
}
