//! Two blocks per vector: VAES and VPCLMULQDQ on AVX2, which Alder Lake, Zen 3 and their like have.

use super::POLY;
use super::v128::{AesNiAvx, Wider, from_u128, number, reversal, words_avx};
use crate::backend::kernel::aes::{ctr, ctr32_le, ecb, expand, expand_decrypt};
use crate::backend::kernel::ccm::{cbc_mac, ccm};
use crate::backend::kernel::field::{ghash, polyval};
use crate::backend::kernel::isa::{backend, cipher, entries, hash, isa};
use crate::backend::kernel::lane::mac;
use crate::backend::kernel::many::ccm_lanes;
use crate::backend::kernel::message::{gcm_key, long, short};
use crate::backend::kernel::powers::{complete, has_stride, hash_key};
use crate::backend::kernel::siv::siv;
use crate::backend::kernel::stitch::{crypt, siv_strides};
use crate::backend::kernel::{AesOps, ClmulOps, Isa, Vector};
use crate::block::Counter;
use crate::inout::Feeds;
use crate::key::{AesKey, GcmKey, HashKey};
use crate::lanes::Lanes;
use crate::{Block, InOut};
use core::arch::x86_64::*;

/// The CPU has VAES, VPCLMULQDQ, AES-NI, PCLMULQDQ and AVX2.
#[derive(Clone, Copy)]
pub(super) struct Vaes256(());

/// For the table of backends only, which hands it out where the CPU has all that.
pub(super) const TOKEN: Vaes256 = Vaes256(());

impl Wider for Vaes256 {}

isa! {
    impl Vector for Vaes256 with "avx2" [
        const BLOCKS: usize = 2;
        type V = __m256i;
        type Narrow = AesNiAvx;
        #[inline(always)]
        fn narrow(self) -> AesNiAvx { AesNiAvx::implied_by(self) }
        #[inline(always)]
        fn block(self, bytes: &[u8]) -> __m128i { self.narrow().block(bytes) }
        // LLVM does not inline functions as big as the next two if they have features of their own, and a
        // call through memory costs 20 ns: they are composed of small ones instead.
        #[inline(always)]
        fn read(self, data: &[u8], lane: usize) -> __m256i {
            if lane == 0 && let Some(s) = data.first_chunk::<32>() {
                return self.load(s.as_chunks().0);
            }
            let (low, high) = if lane == 0 { (data, data.get(16..).unwrap_or(&[])) } else { (&[][..], data) };
            self.pair(self.block(low), self.block(high))
        }
        #[inline(always)]
        fn write(self, v: __m256i, data: &mut [u8], lane: usize) -> __m256i {
            if lane == 0 && let Some(s) = data.first_chunk_mut::<32>() {
                self.store(v, s.as_chunks_mut().0);
                return v;
            }
            let (n, upper) = (self.narrow(), self.swap_lanes(v));
            if lane == 0 {
                let low = n.write(self.first(v), data, 0);
                let high = n.write(self.first(upper), data.get_mut(16..).unwrap_or(&mut []), 0);
                self.pair(low, high)
            } else {
                self.pair(n.splat(0), n.write(self.first(upper), data, 0))
            }
        }
    ]
    load(s: &[Block]) -> __m256i {
        let s = s.first_chunk::<2>().expect("two blocks");
        // SAFETY: an unaligned load of the 32 bytes `s` refers to.
        unsafe { _mm256_loadu_si256(s.as_ptr().cast()) }
    }
    store(v: __m256i, d: &mut [Block]) -> () {
        let d = d.first_chunk_mut::<2>().expect("two blocks");
        // SAFETY: an unaligned store to the 32 bytes `d` refers to.
        unsafe { _mm256_storeu_si256(d.as_mut_ptr().cast(), v) }
    }
    splat(b: u128) -> __m256i { _mm256_broadcastsi128_si256(from_u128(b)) }
    lane(b: u128, n: usize) -> __m256i {
        let v = _mm256_zextsi128_si256(from_u128(b));
        if n == 0 { v } else { _mm256_permute4x64_epi64::<0x4e>(v) }
    }
    spread(v: __m128i) -> __m256i { _mm256_broadcastsi128_si256(v) }
    widen(v: __m128i) -> __m256i { _mm256_zextsi128_si256(v) }
    first(v: __m256i) -> __m128i { _mm256_castsi256_si128(v) }
    nonce(bytes: &[u8; 12]) -> __m128i { words_avx(bytes) }
    to_u128(v: __m256i) -> u128 { number(_mm256_castsi256_si128(v)) }
    join(p: &[__m128i; 4]) -> __m256i { _mm256_set_m128i(p[1], p[0]) }
    part(v: __m256i, n: usize) -> __m128i {
        if n == 0 { _mm256_castsi256_si128(v) } else { _mm256_extracti128_si256::<1>(v) }
    }
    odd(a: __m256i, b: __m256i) -> __m256i { _mm256_blend_epi32::<0xf0>(a, b) }
    upper(a: __m256i, b: __m256i) -> __m256i { _mm256_blend_epi32::<0xf0>(a, b) }
    shifted(a: __m256i, b: __m256i) -> __m256i { _mm256_permute2x128_si256::<0x21>(a, b) }
    fold(v: __m256i) -> __m128i { _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)) }
    xor(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
    and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
    add32(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
    reverse(v: __m256i) -> __m256i { _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(reversal())) }
    swap(v: __m256i) -> __m256i { _mm256_shuffle_epi32::<0x4e>(v) }
    pin(v: __m256i) -> __m256i {
        let mut v = v;
        // SAFETY: the template is a comment.
        unsafe { core::arch::asm!("/* {0} */", inout(ymm_reg) v, options(nomem, nostack, preserves_flags)) };
        v
    }
}

impl Vaes256 {
    #[inline(always)]
    fn pair(self, low: __m128i, high: __m128i) -> __m256i {
        // SAFETY: `self` is the proof that the CPU has AVX.
        unsafe { _mm256_set_m128i(high, low) }
    }

    #[inline(always)]
    fn swap_lanes(self, v: __m256i) -> __m256i {
        // SAFETY: `self` is the proof that the CPU has AVX2.
        unsafe { _mm256_permute4x64_epi64::<0x4e>(v) }
    }
}

isa! {
    impl AesOps for Vaes256 with "avx2,vaes" []
    whiten(s: __m256i, k: __m256i) -> __m256i { _mm256_xor_si256(s, k) }
    round(s: __m256i, _before: __m256i, after: __m256i) -> __m256i { _mm256_aesenc_epi128(s, after) }
    last_round(s: __m256i, _before: __m256i, after: __m256i) -> __m256i { _mm256_aesenclast_epi128(s, after) }
    inv_round(s: __m256i, _before: __m256i, after: __m256i) -> __m256i { _mm256_aesdec_epi128(s, after) }
    inv_last_round(s: __m256i, _before: __m256i, after: __m256i) -> __m256i { _mm256_aesdeclast_epi128(s, after) }
    inv_mix_columns(k: __m256i) -> __m256i {
        // AESENCLAST undoes what AESDEC does before its InvMixColumns.
        _mm256_aesdec_epi128(_mm256_aesenclast_epi128(k, _mm256_setzero_si256()), _mm256_setzero_si256())
    }
    sub_last(v: __m256i, _rot: bool, _rcon: u8) -> __m256i { v }
    slide(v: __m256i) -> __m256i { _mm256_bslli_epi128::<4>(v) }
}

isa! {
    impl ClmulOps for Vaes256 with "avx2,vpclmulqdq" [ const CROSSED: bool = true; ]
    mul_lo(a: __m256i, b: __m256i) -> __m256i { _mm256_clmulepi64_epi128::<0x00>(a, b) }
    mul_hi(a: __m256i, b: __m256i) -> __m256i { _mm256_clmulepi64_epi128::<0x11>(a, b) }
    mul_crossed(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(_mm256_clmulepi64_epi128::<0x01>(a, b), _mm256_clmulepi64_epi128::<0x10>(a, b)) }
    mul_poly(a: __m256i) -> __m256i { _mm256_clmulepi64_epi128::<0x00>(a, _mm256_set1_epi64x(POLY)) }
    mids(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    }
}

cipher!(Vaes256 with "aes,avx2,vaes", stride 8, lanes 4 4);
hash!(Vaes256 with "pclmulqdq,avx2,vpclmulqdq", stride 8);
backend!(Vaes256 "vaes256" with "aes,pclmulqdq,avx2,vaes,vpclmulqdq", stride 8, short 496, few 4);
