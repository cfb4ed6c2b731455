//! `ssse3`: x86-64 without AES-NI and PCLMULQDQ, and either half for CPUs that have one of them.
//!
//! PSHUFB looks up sixteen bytes at once in a table of sixteen, a register. AES of few blocks, and of chains, goes by
//! such tables ([`table`]), and so does GHASH ([`field`]). AES of eight blocks goes by bits (`kernel/bitslice.rs`).
//! docs/backends.md has what was measured.

mod field;
mod table;
mod tower;

use super::v128::{bytes, from_u128, load128, number, read128, reversal, vector128, words, write128};
use crate::backend::kernel::aes::expand;
use crate::backend::kernel::bitslice::{ByteOps, RoundKeys, WIDTH, crypt, ctr_many, ctr32_le_many, ecb_many};
use crate::backend::kernel::ccm::{cbc_mac, ccm};
use crate::backend::kernel::isa::{by_shuffles, entries, isa};
use crate::backend::kernel::{AesOps, Vector};
use crate::block::Counter;
use crate::key::{AesKey, HashKey};
use crate::{Block, InOut};
use core::arch::x86_64::*;

/// The CPU has SSSE3.
#[derive(Clone, Copy)]
pub(super) struct Ssse3(());

// For the table of backends only, which hands it out where the CPU has what it says.
pub(super) const SSSE3: Ssse3 = Ssse3(());

vector128!(Ssse3 with "ssse3", nonce words);
isa! {
    impl AesOps for Ssse3 with "ssse3" [
        const LONG_ROUNDS: bool = true;
    ]
    whiten(s: __m128i, k: __m128i) -> __m128i { table::whiten(s, k) }
    inv_whiten(s: __m128i, k: __m128i) -> __m128i { table::inv_whiten(s, k) }
    round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { table::round(s, after) }
    last_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { table::last_round(s, after) }
    inv_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { table::inv_round(s, after) }
    inv_last_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { table::inv_last_round(s, after) }
    inv_mix_columns(k: __m128i) -> __m128i { table::inv_mix(k) }
    sub_last(v: __m128i, rot: bool, rcon: u8) -> __m128i {
        let w = if rot { 0x0c0f0e0d } else { 0x0f0e0d0c };
        _mm_xor_si128(_mm_shuffle_epi8(table::sub(v), _mm_set1_epi32(w)), _mm_set1_epi32(rcon as i32))
    }
    slide(v: __m128i) -> __m128i { _mm_bslli_si128::<4>(v) }
}

isa! {
    impl ByteOps for Ssse3 with "ssse3" [
        // Eight blocks by bits take 185 ns here and 75 for the keys, by tables 220 (Zen 4, 2026-11-30); on narrower
        // CPUs bits are ahead: docs/backends.md.
        const FEW: usize = 7;
    ]
    or(a: __m128i, b: __m128i) -> __m128i { _mm_or_si128(a, b) }
    not(a: __m128i) -> __m128i { _mm_xor_si128(a, _mm_set1_epi8(-1)) }
    shuffle(v: __m128i, from: __m128i) -> __m128i { _mm_shuffle_epi8(v, from) }
    words_down(v: __m128i) -> __m128i { _mm_shuffle_epi32::<0x39>(v) }
    exchange(a: __m128i, b: __m128i, by: u8) -> (__m128i, __m128i) {
        let (down, mask) = match by {
            1 => (_mm_srli_epi64::<1>(a), 0x55),
            2 => (_mm_srli_epi64::<2>(a), 0x33),
            _ => (_mm_srli_epi64::<4>(a), 0x0f),
        };
        let t = _mm_and_si128(_mm_xor_si128(down, b), _mm_set1_epi8(mask));
        let up = match by {
            1 => _mm_slli_epi64::<1>(t),
            2 => _mm_slli_epi64::<2>(t),
            _ => _mm_slli_epi64::<4>(t),
        };
        (_mm_xor_si128(a, up), _mm_xor_si128(b, t))
    }
    spread_bit(v: __m128i, n: usize) -> __m128i {
        let bit = _mm_set1_epi8((1u8 << n) as i8);
        _mm_cmpeq_epi8(_mm_and_si128(v, bit), bit)
    }
    round_key(key: &AesKey, n: usize, inverse: bool) -> __m128i { table::plain(key, n, inverse) }
    encrypt_eight(keys: &RoundKeys<Ssse3>, blocks: &mut [__m128i; WIDTH]) -> () {
        crypt::<Ssse3, false>(SSSE3, keys, blocks)
    }
    decrypt_eight(keys: &RoundKeys<Ssse3>, blocks: &mut [__m128i; WIDTH]) -> () {
        crypt::<Ssse3, true>(SSSE3, keys, blocks)
    }
}

by_shuffles!(Ssse3 "ssse3" with "ssse3", schedule schedule);

/// KEYEXPANSION (FIPS 197 §5.2), for the rounds of this backend.
#[inline]
#[target_feature(enable = "ssse3")]
fn schedule<I: AesOps<V = __m128i, Narrow: AesOps>, const NK: usize>(i: I, key: &[u8], out: &mut AesKey) {
    expand::<I, NK>(i, key, out);
    table::settle::<false>(out);
}

/// The round keys of the equivalent inverse cipher (§5.3.5), for the rounds of this backend.
#[inline]
#[target_feature(enable = "ssse3")]
fn expand_decrypt(_: Ssse3, key: &AesKey, out: &mut AesKey) {
    let last = (key.rounds as usize).min(14);
    out.rounds = key.rounds;
    for r in 0..=last {
        let k = table::plain(key, last - r, false);
        out.round_keys[r] = bytes(if r == 0 || r == last { k } else { table::inv_mix(k) });
    }
    table::settle::<true>(out);
}
