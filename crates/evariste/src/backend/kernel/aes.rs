//! AES: the key schedule, whole blocks, and the counter mode.

use super::counters::{Counters, Taken, first_round};
use super::{Aes, AesOps, Vector, at, number, splat_keys};
use crate::block::{Counter, inc32_le};
use crate::key::{AesKey, Secret};
use crate::{Block, InOut};

/// KEYEXPANSION (FIPS 197 §5.2) of a key of `4·NK` bytes. A word depends on the one before it, so the
/// words of a block are running sums: two shifts and two additions.
#[inline(always)]
pub(crate) fn expand<I: Aes, const NK: usize>(i: I, key: &[u8], out: &mut AesKey) {
    let n = i.narrow();
    if NK == 4 {
        schedule::<I::Narrow, NK>(n, i.block(key), n.splat(0), out);
    } else if NK == 8 {
        schedule::<I::Narrow, NK>(n, i.block(&key[..16]), i.block(&key[16..]), out);
    } else {
        begin::<NK>(out);
        // Six words a step do not fit blocks.
        let words = out.round_keys.as_flattened_mut().as_chunks_mut::<4>().0;
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = *bytes;
        }
        let mut rcon = 1u8;
        for m in 6..52 {
            let mut t = u32::from_le_bytes(words[m - 1]);
            if m % 6 == 0 {
                t = n.to_u128(n.sub_last(n.splat((t as u128) << 96), true, rcon)) as u32;
                rcon = xtime(rcon);
            }
            words[m] = (u32::from_le_bytes(words[m - 6]) ^ t).to_le_bytes();
        }
    }
}

/// Prepares a place for the round keys of a key of `4·NK` bytes.
#[inline(always)]
fn begin<const NK: usize>(out: &mut AesKey) {
    out.rounds = NK as u64 + 6;
    // A longer key that was here before must not outlive this one.
    out.round_keys[NK + 7..].fill([0; 16]);
}

/// The same of a key of one block or two, which are there as vectors: `a`, and `b` if `NK` is 8.
#[inline(always)]
pub(super) fn schedule<I: AesOps, const NK: usize>(n: I, mut a: I::V, mut b: I::V, out: &mut AesKey) {
    begin::<NK>(out);
    let k = &mut out.round_keys;
    let mut rcon = 1u8;
    macro_rules! next {
        ($k:expr, $sub:expr) => {{
            let a = n.xor($k, n.slide($k));
            n.xor(n.xor(a, n.slide(n.slide(a))), $sub)
        }};
    }
    if NK == 4 {
        n.store(a, &mut k[..1]);
        for r in 1..=10 {
            a = next!(a, n.sub_last(a, true, rcon));
            n.store(a, &mut k[r..r + 1]);
            rcon = xtime(rcon);
        }
    } else {
        n.store(a, &mut k[..1]);
        n.store(b, &mut k[1..2]);
        for r in 1..=7 {
            a = next!(a, n.sub_last(b, true, rcon));
            n.store(a, &mut k[2 * r..2 * r + 1]);
            if r < 7 {
                b = next!(b, n.sub_last(a, false, 0));
                n.store(b, &mut k[2 * r + 1..2 * r + 2]);
            }
            rcon = xtime(rcon);
        }
    }
}

/// XTIMES (FIPS 197 §4.2).
#[inline(always)]
fn xtime(b: u8) -> u8 {
    (b << 1) ^ (0x1b & (b >> 7).wrapping_neg())
}

/// The round keys of the equivalent inverse cipher, in the order of use (§5.3.5).
#[inline(always)]
pub(crate) fn expand_decrypt<I: Aes>(i: I, key: &AesKey, out: &mut AesKey) {
    let n = i.narrow();
    let last = (key.rounds as usize).min(14);
    out.rounds = key.rounds;
    for r in 0..=last {
        let k = n.load(&key.round_keys[last - r..][..1]);
        let k = if r == 0 || r == last { k } else { n.inv_mix_columns(k) };
        n.store(k, &mut out.round_keys[r..r + 1]);
    }
}

/// The rounds between whitening and the last.
#[inline(always)]
pub(super) fn middle<I: AesOps, const N: usize>(i: I, k: impl Fn(usize) -> I::V, rounds: usize, s: &mut [I::V; N]) {
    if I::LONG_ROUNDS {
        for r in 1..rounds {
            for n in 0..N {
                s[n] = i.pin(i.round(s[n], k(r - 1), k(r)));
            }
        }
        return;
    }
    for r in 1..10 {
        for n in 0..N {
            s[n] = i.pin(i.round(s[n], k(r - 1), k(r)));
        }
    }
    longer(i, k, rounds, s);
}

/// The same of a state from [`Counters::take`].
#[inline(always)]
pub(super) fn middle_of<I: Aes, const N: usize>(
    i: I,
    k: impl Fn(usize) -> I::V,
    rounds: usize,
    taken: Taken<I::V, N>,
) -> [I::V; N] {
    let Taken { mut s, mut before } = taken;
    if !I::KEY_FIRST {
        middle(i, k, rounds, &mut s);
        return s;
    }
    for r in first_round::<I>()..10 {
        for n in 0..N {
            s[n] = i.pin(i.round(s[n], before, k(r)));
        }
        before = k(r);
    }
    longer(i, k, rounds, &mut s);
    s
}

/// The rounds that AES-192 and AES-256 have more than AES-128. A loop would keep the keys in memory, and on Arm a move
/// for each state: AES-256-CTR of 64 bytes takes 17.2 ns instead of 9.8 (Zen 4, 2026-11-30), and 40 instructions a block
/// instead of 34 on Arm. A copy of everything for each length of key takes more than it saves.
#[inline(always)]
fn longer<I: AesOps, const N: usize>(i: I, k: impl Fn(usize) -> I::V, rounds: usize, s: &mut [I::V; N]) {
    macro_rules! rounds {
        ($($r:literal)*) => { $(
            for n in 0..N {
                s[n] = i.pin(i.round(s[n], k($r - 1), k($r)));
            }
        )* };
    }
    if rounds > 10 {
        rounds!(10 11);
        if rounds > 12 {
            rounds!(12 13);
        }
    }
}

/// CIPHER of whitened vectors (FIPS 197 §5.1), for short messages: the number of rounds is looked at, since a copy of
/// these for each would take more than it saves.
#[inline(always)]
pub(super) fn rounds<I: AesOps, const N: usize>(i: I, key: &AesKey, s: &mut [I::V; N]) {
    let k = |r: usize| i.splat(number(&key.round_keys[r]));
    macro_rules! rounds {
        ($($r:literal)*) => { $(
            for n in 0..N {
                s[n] = i.pin(i.round(s[n], k($r - 1), k($r)));
            }
        )* };
    }
    rounds!(1 2 3 4 5 6 7 8 9);
    if key.rounds > 10 {
        rounds!(10 11);
        if key.rounds > 12 {
            rounds!(12 13);
        }
    }
    let last = (key.rounds as usize).clamp(1, 14);
    for n in 0..N {
        // Pinned, or the rounds of partial vectors sink into the branches that write them.
        s[n] = i.pin(i.last_round(s[n], k(last - 1), k(last)));
    }
}

/// CIPHER or INVCIPHER on each block: strides of `N` vectors, then four, two and single blocks. The number of rounds is
/// counted: eight states, or a chain, hide that.
#[inline(always)]
pub(crate) fn ecb<I: Aes, const N: usize, const INVERSE: bool>(i: I, key: &AesKey, blocks: &mut [Block]) {
    let rest = ecb_strides::<I, N, INVERSE>(i, key, blocks);
    let rest = if I::BLOCKS > 1 { ecb_strides::<I, 4, INVERSE>(i, key, rest) } else { rest };
    let rest = ecb_strides::<I::Narrow, 4, INVERSE>(i.narrow(), key, rest);
    let rest = ecb_strides::<I::Narrow, 2, INVERSE>(i.narrow(), key, rest);
    ecb_strides::<I::Narrow, 1, INVERSE>(i.narrow(), key, rest);
}

/// Whole strides; returns what they leave over.
#[inline(always)]
fn ecb_strides<'a, I: Aes, const N: usize, const INVERSE: bool>(
    i: I,
    key: &AesKey,
    blocks: &'a mut [Block],
) -> &'a mut [Block] {
    let last = (key.rounds as usize).clamp(1, 14);
    let k = |r: usize| i.splat(number(&key.round_keys[r]));
    let mut strides = blocks.chunks_exact_mut(N * I::BLOCKS);
    for stride in &mut strides {
        let mut before = k(0);
        let mut s = [before; N];
        for n in 0..N {
            let block = at(i, stride, n);
            s[n] = if INVERSE { i.inv_whiten(block, before) } else { i.whiten(block, before) };
        }
        for r in 1..last {
            let after = k(r);
            for n in 0..N {
                s[n] = i.pin(if INVERSE { i.inv_round(s[n], before, after) } else { i.round(s[n], before, after) });
            }
            before = after;
        }
        let after = k(last);
        for n in 0..N {
            let s = if INVERSE { i.inv_last_round(s[n], before, after) } else { i.last_round(s[n], before, after) };
            i.store(s, &mut stride[n * I::BLOCKS..][..I::BLOCKS]);
        }
    }
    strides.into_remainder()
}

/// SHIFTROWS (FIPS 197 §5.1.2) as a shuffle, and more of its kind: where bytes come from when row r goes r·`left` columns to the left and all then go `up`
/// rows up.
pub(crate) const fn shift_rows(left: usize, up: usize) -> Block {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        let (row, column) = ((n + up) % 4, n / 4);
        from[n] = ((column + left * row) % 4 * 4 + row) as u8;
        n += 1;
    }
    from
}

/// XORs finished keystream into one stride and returns what it wrote. The last round's key takes the
/// data along, which saves an instruction a vector. `ends` are the two last round keys.
#[inline(always)]
pub(super) fn last<'a, I: Aes, const N: usize>(
    i: I,
    ends: [I::V; 2],
    mut s: [I::V; N],
    mut stride: InOut<'a, Block>,
) -> &'a [Block] {
    let [before, after] = ends;
    for n in 0..N {
        let data = at(i, &stride.input()[..N * I::BLOCKS], n);
        s[n] = i.last_round(s[n], before, i.xor(after, data));
        if !I::PAIRS {
            i.store(s[n], &mut stride.output()[..N * I::BLOCKS][n * I::BLOCKS..][..I::BLOCKS]);
        }
    }
    if I::PAIRS {
        // All loads before all stores, which may be to the same place.
        for n in 0..N {
            i.store(s[n], &mut stride.output()[..N * I::BLOCKS][n * I::BLOCKS..][..I::BLOCKS]);
        }
    }
    stride.into_output()
}

/// CTR; of a last block that is not whole, `rest` is the keystream.
#[inline(always)]
pub(crate) fn ctr<I: Aes, const N: usize>(i: I, key: &AesKey, ctr: &mut Counter, data: InOut<'_>, rest: &mut Block) {
    let first = u128::from_be_bytes(ctr.block);
    ctr.advance(data.len().div_ceil(16));
    either::<I, N, false>(i, key, first, ctr.secret, data.local(), rest);
}

/// The same with RFC 8452's counter, which starts at the tag: public soon, but nobody looks at it here.
#[inline(always)]
pub(crate) fn ctr32_le<I: Aes, const N: usize>(i: I, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let first = u128::from_le_bytes(*ctr);
    inc32_le(ctr, data.len() as u32);
    either::<I, N, true>(i, key, first, true, data.local().into_bytes(), &mut [0; 16]);
}

/// On wide vectors, or on narrow ones where there is not even one to fill: round keys in every lane take
/// longer to set up than so few blocks to encrypt.
#[inline(always)]
fn either<I: Aes, const N: usize, const LE: bool>(
    i: I,
    key: &AesKey,
    first: u128,
    secret: bool,
    data: InOut<'_>,
    rest: &mut Block,
) {
    if data.len() < 16 * I::BLOCKS {
        ctr_strides::<I::Narrow, 4, LE>(i.narrow(), key, first, secret, data, rest);
    } else {
        ctr_strides::<I, N, LE>(i, key, first, secret, data, rest);
    }
}

/// Strides of `N` vectors, then of four, and what they leave over at once. The long ones have the round keys in
/// registers, or where those are few, in memory once for all lanes; the others would wait for that.
#[inline(always)]
pub(crate) fn ctr_strides<I: Aes, const N: usize, const LE: bool>(
    i: I,
    key: &AesKey,
    first: u128,
    secret: bool,
    mut data: InOut<'_>,
    rest: &mut Block,
) {
    let rounds = key.rounds as usize;
    let at_use = |r: usize| i.splat(number(&key.round_keys[r.min(14)]));
    let mut counter = Counters::<I::V, LE>::from(i, first, secret);
    macro_rules! strides {
        ($n:expr, $rounds:expr, $k:expr, $ends:expr) => {
            while data.len() >= $n * 16 * I::BLOCKS {
                let (now, later) = data.split_at($n * 16 * I::BLOCKS);
                data = later;
                let s = middle_of::<I, { $n }>(i, $k, $rounds, counter.take(i, [($k)(0), ($k)(1)]));
                last::<I, { $n }>(i, $ends, s, now.into_blocks().0);
            }
        };
    }
    macro_rules! long {
        ($rounds:literal) => {{
            let k = splat_keys::<I, $rounds>(i, key);
            strides!(N, $rounds, |r: usize| k[r], [k[$rounds - 1], k[$rounds]]);
        }};
    }
    if N > 4 && data.len() >= N * 16 * I::BLOCKS {
        match rounds {
            _ if LE => strides!(N, rounds, at_use, [at_use(rounds.wrapping_sub(1)), at_use(rounds)]),
            10 => long!(10),
            12 => long!(12),
            _ => long!(14),
        }
    }
    strides!(4, rounds, at_use, [at_use(rounds.wrapping_sub(1)), at_use(rounds)]);
    macro_rules! end {
        ($n:literal) => {{
            let s = middle_of::<I, $n>(i, at_use, rounds, counter.take(i, [at_use(0), at_use(1)]));
            end::<I, $n>(i, [at_use(rounds.wrapping_sub(1)), at_use(rounds)], s, data, rest)
        }};
    }
    match data.len().div_ceil(16 * I::BLOCKS) {
        0 => {}
        1 => end!(1),
        2 => end!(2),
        3 => end!(3),
        _ => end!(4),
    }
}

/// The last vectors, of which the last one may be a part.
#[inline(always)]
fn end<I: Aes, const N: usize>(i: I, ends: [I::V; 2], s: [I::V; N], mut data: InOut<'_>, rest: &mut Block) {
    for n in 0..N - 1 {
        let (now, later) = data.split_at(16 * I::BLOCKS);
        data = later;
        last::<I, 1>(i, ends, [s[n]], now.into_blocks().0);
    }
    if data.len() == 16 * I::BLOCKS {
        last::<I, 1>(i, ends, [s[N - 1]], data.into_blocks().0);
        return;
    }
    let keystream = i.last_round(s[N - 1], ends[0], ends[1]);
    if !data.len().is_multiple_of(16) {
        let mut blocks = Secret([[0; 16]; 4]);
        i.store(keystream, &mut blocks[..I::BLOCKS]);
        *rest = blocks[data.len() / 16 % I::BLOCKS];
    }
    let v = i.xor(keystream, i.read(data.input(), 0));
    i.write(v, data.output(), 0);
}
