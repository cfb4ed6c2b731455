//! AES on one block: the S-box by permutations of tables that fit a register ([`tower`]).
//!
//! No index goes to memory: PSHUFB picks bytes of a register, in the same time for all indices.
//!
//! Between rounds bytes are those of the tower, in the inverse cipher after the affine map of InvSubBytes.
//! Round keys are kept that way ([`settle`]).

use super::tower::{self, Sum};
use crate::Block;
use crate::backend::kernel::aes::shift_rows;
use crate::backend::x86_64::v128::{bytes, load128};
use crate::key::AesKey;
use core::arch::x86_64::*;

/// Brings round keys, in the order of use, into the form that the rounds want: with the 63 that is left out at
/// the end of SubBytes, and at the start of its inverse.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn settle<const INVERSE: bool>(key: &mut AesKey) {
    let rounds = (key.rounds as usize).min(14);
    for n in 0..=rounds {
        let mut k = load128(&key.round_keys[n]);
        if n != if INVERSE { rounds } else { 0 } {
            k = _mm_xor_si128(k, _mm_set1_epi8(0x63));
        }
        if n > 0 && n < rounds {
            k = linear(if INVERSE { &tower::ENTER_INVERSE } else { &tower::ENTER }, k);
        }
        key.round_keys[n] = bytes(k);
    }
}

/// Round key `n` as it was before [`settle`].
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn plain(key: &AesKey, n: usize, inverse: bool) -> __m128i {
    let mut k = load128(&key.round_keys[n]);
    let rounds = key.rounds as usize;
    if n > 0 && n < rounds {
        k = linear(if inverse { &tower::LEAVE_INVERSE } else { &tower::LEAVE }, k);
    }
    if n != if inverse { rounds } else { 0 } { _mm_xor_si128(k, _mm_set1_epi8(0x63)) } else { k }
}

/// The state before the first round (FIPS 197 §5.1), from the key as it is.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn whiten(s: __m128i, k: __m128i) -> __m128i {
    linear(&tower::ENTER, _mm_xor_si128(s, k))
}

/// The state before the first round of the equivalent inverse cipher (§5.3.5).
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn inv_whiten(s: __m128i, k: __m128i) -> __m128i {
    linear(&tower::ENTER_INVERSE, _mm_xor_si128(s, k))
}

/// SUBBYTES, SHIFTROWS, MIXCOLUMNS and ADDROUNDKEY.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn round(s: __m128i, k: __m128i) -> __m128i {
    let uv = invert(s);
    let (one, two) = (sum(&tower::SUB_1, uv), sum(&tower::SUB_2, uv));
    // {02}a + {03}a′ + a″ + a‴, with a′, a″, a‴ for the bytes below a.
    let three = _mm_xor_si128(one, two);
    let ends = _mm_xor_si128(below(two, 0), below(one, 2));
    _mm_xor_si128(_mm_xor_si128(ends, k), _mm_xor_si128(below(three, 1), below(one, 3)))
}

/// The last round, without MIXCOLUMNS.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn last_round(s: __m128i, k: __m128i) -> __m128i {
    _mm_xor_si128(below(sum(&tower::SUB, invert(s)), 0), k)
}

/// INVSUBBYTES, INVSHIFTROWS, INVMIXCOLUMNS and ADDROUNDKEY.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn inv_round(s: __m128i, k: __m128i) -> __m128i {
    let uv = invert(s);
    let part = |by: &Sum, n: usize| inv_below(sum(by, uv), n);
    let first = _mm_xor_si128(part(&tower::INV_SUB_E, 0), part(&tower::INV_SUB_B, 1));
    let last = _mm_xor_si128(part(&tower::INV_SUB_D, 2), part(&tower::INV_SUB_9, 3));
    _mm_xor_si128(_mm_xor_si128(first, last), k)
}

/// The last round of the inverse cipher.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn inv_last_round(s: __m128i, k: __m128i) -> __m128i {
    _mm_xor_si128(inv_below(sum(&tower::INV_SUB, invert(s)), 0), k)
}

/// SUBBYTES of bytes as they are.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn sub(s: __m128i) -> __m128i {
    _mm_xor_si128(sum(&tower::SUB, invert(linear(&tower::ENTER, s))), _mm_set1_epi8(0x63))
}

/// INVMIXCOLUMNS of bytes as they are, for round keys: of a after SubBytes the inverse cipher's round makes it.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn inv_mix(k: __m128i) -> __m128i {
    let double = |v: __m128i| {
        let carry = _mm_and_si128(_mm_cmpgt_epi8(_mm_setzero_si128(), v), _mm_set1_epi8(0x1b));
        _mm_xor_si128(_mm_add_epi8(v, v), carry)
    };
    let up = |v: __m128i, n: usize| _mm_shuffle_epi8(v, load128(&UP[n]));
    // {0e}, {0b}, {0d}, {09} are {02}, {03}, {01}, {01} times {05}, 0, {04}, 0.
    let a = _mm_xor_si128(k, double(double(_mm_xor_si128(k, up(k, 2)))));
    let pair = _mm_xor_si128(a, up(a, 1));
    _mm_xor_si128(_mm_xor_si128(double(pair), up(a, 1)), up(pair, 2))
}

/// The nibbles u and v of `tower`.
#[inline]
#[target_feature(enable = "ssse3")]
fn invert(s: __m128i) -> (__m128i, __m128i) {
    let (k, i) = nibbles(s);
    let over = |v: __m128i| _mm_shuffle_epi8(load128(&tower::INVERSE), v);
    let j = _mm_xor_si128(i, k);
    let a_over_k = _mm_shuffle_epi8(load128(&tower::A_OVER), k);
    let u = _mm_xor_si128(over(_mm_xor_si128(over(i), a_over_k)), j);
    let v = _mm_xor_si128(over(_mm_xor_si128(over(j), a_over_k)), i);
    (u, v)
}

#[inline]
#[target_feature(enable = "ssse3")]
fn linear(map: &Sum, s: __m128i) -> __m128i {
    sum(map, nibbles(s))
}

#[inline]
#[target_feature(enable = "ssse3")]
fn sum(of: &Sum, (a, b): (__m128i, __m128i)) -> __m128i {
    _mm_xor_si128(_mm_shuffle_epi8(load128(&of.0), a), _mm_shuffle_epi8(load128(&of.1), b))
}

/// The lower nibbles of all bytes, and the upper.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn nibbles(s: __m128i) -> (__m128i, __m128i) {
    let mask = _mm_set1_epi8(0x0f);
    (_mm_and_si128(s, mask), _mm_and_si128(_mm_srli_epi16::<4>(s), mask))
}

/// SHIFTROWS, then for each byte the one `n` below it in its column.
#[inline]
#[target_feature(enable = "ssse3")]
fn below(s: __m128i, n: usize) -> __m128i {
    _mm_shuffle_epi8(s, load128(&SHIFT_ROWS[n]))
}

/// INVSHIFTROWS, then the same.
#[inline]
#[target_feature(enable = "ssse3")]
fn inv_below(s: __m128i, n: usize) -> __m128i {
    _mm_shuffle_epi8(s, load128(&INV_SHIFT_ROWS[n]))
}

static SHIFT_ROWS: [Block; 4] = [shift_rows(1, 0), shift_rows(1, 1), shift_rows(1, 2), shift_rows(1, 3)];
static INV_SHIFT_ROWS: [Block; 4] = [shift_rows(3, 0), shift_rows(3, 1), shift_rows(3, 2), shift_rows(3, 3)];
static UP: [Block; 4] = [shift_rows(0, 0), shift_rows(0, 1), shift_rows(0, 2), shift_rows(0, 3)];
