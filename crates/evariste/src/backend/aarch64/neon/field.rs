//! GHASH and POLYVAL from products of bytes: PMULL on 8-bit polynomials, which every NEON has.
//!
//! # A product of halves
//! PMULL multiplies eight bytes by eight bytes to eight 16-bit products. Of a half a with the bytes a_0, …, a_7
//! and one of the key, b, all 64 products a_i b_j are needed, each 8(i + j) bits up. Eight PMULLs with b turned
//! by k = 0..7 bytes make them: lane i of the k-th has a_i b_(i+k mod 8). That lane belongs at byte 2i + k, or,
//! where i + k passes 7, at 2i + k - 8. It stands at byte 2i; so the k-th sum moves up by k bytes as a whole,
//! and the lanes that passed down by eight (`gather`).
//!
//! The key's turned halves are stored, and sums of products over many blocks are kept as they are, so that a
//! block costs 24 PMULLs, with one level of Karatsuba, and as many additions. The 24 sums stay in registers.
//!
//! # Karatsuba
//! `mid = (a.lo + a.hi)·(b.lo + b.hi)`; the operands of two blocks share a vector. docs/field.md has the rest,
//! and the reduction.

use super::{Neon, V, load128};
use crate::Block;
use crate::backend::kernel::Vector;
use crate::key::{GROUP as MIDS, HashKey, POWERS};
use core::arch::aarch64::*;
use zeroize::optimization_barrier;

/// Blocks per reduction.
const GROUP: usize = 8;

/// What a half is turned by, in bytes.
const TURNS: usize = 8;

const _: () = assert!(GROUP * TURNS <= POWERS + 4 && GROUP / 2 * TURNS <= MIDS / 2);

/// Stores the powers that hashing `blocks` blocks at once needs, highest first.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn hash_key(i: Neon, h: u128, blocks: usize, out: &mut HashKey) {
    let have = blocks.clamp(1, GROUP);
    let mut x = [i.splat(0); GROUP];
    x[GROUP - 1] = i.splat(h);
    for n in (GROUP - have..GROUP).rev() {
        if n + 1 < GROUP {
            x[GROUP - 1] = dot(i, out, &x, GROUP / 2 - 1);
        }
        let power = i.to_u128(x[GROUP - 1]);
        let powers = out.powers.as_chunks_mut().0;
        powers[n] = turned(power as u64, (power >> 64) as u64);
        let mid = |n: usize| {
            let power = u128::from_le_bytes(powers[n][0]);
            power as u64 ^ (power >> 64) as u64
        };
        out.mids.as_chunks_mut().0[n / 2] = turned(mid(n / 2 * 2), mid(n / 2 * 2 + 1));
    }
    wipe(i, &mut x);
    out.have = have as u64;
}

/// Absorbs `blocks`, byte-reversed or not.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn absorb<const REVERSE: bool>(i: Neon, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    let mut y = i.splat(*acc);
    let mut x = [i.splat(0); GROUP];
    for group in blocks.chunks((key.have as usize).clamp(1, GROUP)) {
        let from = GROUP - group.len();
        x[..from].fill(i.splat(0));
        for (x, block) in x[from..].iter_mut().zip(group) {
            let v = load128(block);
            *x = if REVERSE { i.reverse(v) } else { v };
        }
        x[from] = i.xor(x[from], y);
        y = dot(i, key, &x, from / 2);
    }
    wipe(i, &mut x);
    *acc = i.to_u128(y);
}

#[inline]
#[target_feature(enable = "neon")]
fn wipe(i: Neon, x: &mut [V; GROUP]) {
    x.fill(i.splat(0));
    optimization_barrier(x);
}

/// The sum of all `x[n]` times the n-th power, from pair `first` on, times x^-128 (RFC 8452 §3).
#[inline]
#[target_feature(enable = "neon")]
fn dot(i: Neon, key: &HashKey, x: &[V; GROUP], first: usize) -> V {
    let (powers, mids) = (key.powers.as_chunks::<TURNS>().0, key.mids.as_chunks::<TURNS>().0);
    let zero = [i.splat(0); TURNS];
    let (mut lo, mut hi) = (zero, zero);
    for n in 2 * first..GROUP {
        for k in 0..TURNS {
            let h = load128(&powers[n][k]);
            lo[k] = i.xor(lo[k], mul_lo(x[n], h));
            hi[k] = i.xor(hi[k], mul_hi(x[n], h));
        }
    }
    // All 24 sums at once, with what they need, are more than there are registers: these two are finished first.
    let (lo, hi) = (i.pin(gather(i, &lo)), i.pin(gather(i, &hi)));
    let mut mid = zero;
    for n in first..GROUP / 2 {
        let m = mids_of(x[2 * n], x[2 * n + 1]);
        for k in 0..TURNS {
            let h = load128(&mids[n][k]);
            mid[k] = i.xor(mid[k], i.xor(mul_lo(m, h), mul_hi(m, h)));
        }
    }
    let mid = i.xor(gather(i, &mid), i.xor(lo, hi));
    // Montgomery's reduction (docs/field.md §5).
    let mid = i.xor(mid, i.xor(i.swap(lo), mul_poly(lo)));
    i.xor(hi, i.xor(i.swap(mid), mul_poly(mid)))
}

/// Karatsuba's operands of two elements.
#[inline]
#[target_feature(enable = "neon")]
fn mids_of(a: V, b: V) -> V {
    let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
    vreinterpretq_u8_u64(veorq_u64(vtrn1q_u64(a, b), vtrn2q_u64(a, b)))
}

/// Two halves, each turned down by 0 to 7 bytes.
fn turned(low: u64, high: u64) -> [Block; TURNS] {
    let mut out = [[0; 16]; TURNS];
    for (k, block) in out.iter_mut().enumerate() {
        let turn = |half: u64| half.rotate_right(8 * k as u32) as u128;
        *block = (turn(low) | turn(high) << 64).to_le_bytes();
    }
    out
}

/// The product of two halves from its eight parts.
#[inline]
#[target_feature(enable = "neon")]
fn gather(i: Neon, parts: &[V; TURNS]) -> V {
    let (mut all, mut passed) = (parts[0], i.splat(0));
    macro_rules! parts {
        ($($k:literal)*) => { $(
            let up = vextq_u8::<{ 16 - $k }>(parts[$k], parts[$k]);
            all = i.xor(all, up);
            passed = i.xor(passed, vandq_u8(up, load128(&PASSED[$k])));
        )* };
    }
    parts!(1 2 3 4 5 6 7);
    i.xor(all, i.xor(passed, i.swap(passed)))
}

/// The bytes of lanes i > 7 - k, after they moved up by k bytes, around the end.
static PASSED: [Block; TURNS] = {
    let mut masks = [[0; 16]; TURNS];
    let mut k = 0;
    while k < TURNS {
        let mut byte = 16 - 2 * k;
        while byte < 16 {
            masks[k][(byte + k) % 16] = 0xff;
            byte += 1;
        }
        k += 1;
    }
    masks
};

/// `a.lo·(x^63 + x^62 + x^57)`: what the shifts push out of the lower half stands in the upper one.
#[inline]
#[target_feature(enable = "neon")]
fn mul_poly(a: V) -> V {
    let a = vdupq_laneq_u64::<0>(vreinterpretq_u64_u8(a));
    let by = |n: i64| vshlq_u64(a, vcombine_s64(vcreate_s64(n as u64), vcreate_s64((n - 64) as u64)));
    vreinterpretq_u8_u64(veorq_u64(veorq_u64(by(63), by(62)), by(57)))
}

/// Products of the lower eight bytes.
#[inline]
#[target_feature(enable = "neon")]
fn mul_lo(a: V, b: V) -> V {
    let half = |v| vreinterpret_p8_u8(vget_low_u8(v));
    vreinterpretq_u8_p16(vmull_p8(half(a), half(b)))
}

/// Products of the upper eight bytes.
#[inline]
#[target_feature(enable = "neon")]
fn mul_hi(a: V, b: V) -> V {
    vreinterpretq_u8_p16(vmull_high_p8(vreinterpretq_p8_u8(a), vreinterpretq_p8_u8(b)))
}

#[cfg(test)]
mod tests {
    use super::super::NEON;
    use crate::Block;
    use crate::backend::Hash;
    use crate::backend::portable::Portable;
    use crate::key::HashKey;

    /// Every number of powers and every length of a group.
    #[test]
    fn groups() {
        let blocks: [Block; 27] = core::array::from_fn(|n| core::array::from_fn(|i| (31 * n + 57 * i) as u8 | 1));
        let h = 0x0123456789abcdef_fedcba9876543211;
        let mut expected_key = HashKey::ZERO;
        Portable.hash_key(h, usize::MAX, &mut expected_key);
        for have in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, usize::MAX] {
            let mut key = HashKey::ZERO;
            NEON.hash_key(h, have, &mut key);
            for n in 0..=27 {
                let (mut acc, mut expected) = (5, 5);
                NEON.polyval(&key, &mut acc, &blocks[..n]);
                Portable.polyval(&expected_key, &mut expected, &blocks[..n]);
                assert_eq!(acc, expected, "{have} {n}");
            }
        }
    }
}
