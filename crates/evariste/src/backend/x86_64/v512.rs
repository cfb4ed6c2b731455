//! Four blocks per vector: VAES and VPCLMULQDQ on AVX-512, whose masks also read and write what is less
//! than a vector.

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
use core::mem::MaybeUninit;

/// The CPU has VAES, VPCLMULQDQ, AES-NI, PCLMULQDQ, AVX-512 F, BW, DQ and VL, and BMI2.
#[derive(Clone, Copy)]
pub(super) struct Vaes512(());

/// For the table of backends only, which hands it out where the CPU has all that.
pub(super) const TOKEN: Vaes512 = Vaes512(());

impl Wider for Vaes512 {}

isa! {
    impl Vector for Vaes512 with "avx512f,avx512bw,avx512vl,avx512dq,bmi2" [
        const BLOCKS: usize = 4;
        type V = __m512i;
        type Narrow = AesNiAvx;
        #[inline(always)]
        fn narrow(self) -> AesNiAvx { AesNiAvx::implied_by(self) }
    ]
    load(s: &[Block]) -> __m512i {
        let s = s.first_chunk::<4>().expect("four blocks");
        // SAFETY: an unaligned load of the 64 bytes `s` refers to.
        unsafe { _mm512_loadu_si512(s.as_ptr().cast()) }
    }
    store(v: __m512i, d: &mut [Block]) -> () {
        let d = d.first_chunk_mut::<4>().expect("four blocks");
        // SAFETY: an unaligned store to the 64 bytes `d` refers to.
        unsafe { _mm512_storeu_si512(d.as_mut_ptr().cast(), v) }
    }
    block(b: &[u8]) -> __m128i {
        let nowhere = MaybeUninit::<[u8; 16]>::uninit();
        let p = if b.is_empty() { nowhere.as_ptr().cast() } else { b.as_ptr() };
        // SAFETY: the bytes in the mask are those of `b`; the others are not touched.
        unsafe { _mm_maskz_loadu_epi8(_bzhi_u32(0xffff, b.len().min(16) as u32) as u16, p.cast()) }
    }
    read(data: &[u8], lane: usize) -> __m512i {
        // A fault costs 90 ns on AMD, even masked out: where there are no bytes, read none of the stack's.
        let nowhere = MaybeUninit::<[u8; 64]>::uninit();
        let p = if data.is_empty() { nowhere.as_ptr().cast() } else { data.as_ptr().wrapping_sub(16 * lane) };
        // SAFETY: the bytes in the mask are those of `data`; the others are not touched.
        unsafe { _mm512_maskz_loadu_epi8(window(data.len(), lane), p.cast()) }
    }
    write(v: __m512i, data: &mut [u8], lane: usize) -> __m512i {
        let m = window(data.len(), lane);
        let mut nowhere = MaybeUninit::<[u8; 64]>::uninit();
        let p = if data.is_empty() { nowhere.as_mut_ptr().cast() } else { data.as_mut_ptr().wrapping_sub(16 * lane) };
        // SAFETY: the bytes in the mask are those of `data`; the others are not touched.
        unsafe { _mm512_mask_storeu_epi8(p.cast(), m, v) };
        _mm512_maskz_mov_epi8(m, v)
    }
    splat(b: u128) -> __m512i { _mm512_broadcast_i32x4(from_u128(b)) }
    lane(b: u128, n: usize) -> __m512i { _mm512_maskz_broadcast_i64x2(3 << (2 * n), from_u128(b)) }
    spread(v: __m128i) -> __m512i { _mm512_broadcast_i32x4(v) }
    widen(v: __m128i) -> __m512i { _mm512_zextsi128_si512(v) }
    first(v: __m512i) -> __m128i { _mm512_castsi512_si128(v) }
    nonce(bytes: &[u8; 12]) -> __m128i { words_avx(bytes) }
    to_u128(v: __m512i) -> u128 { number(_mm512_castsi512_si128(v)) }
    join(p: &[__m128i; 4]) -> __m512i {
        let v = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(p[0]), p[1]);
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(v, p[2]), p[3])
    }
    part(v: __m512i, n: usize) -> __m128i {
        match n {
            0 => _mm512_castsi512_si128(v),
            1 => _mm512_extracti32x4_epi32::<1>(v),
            2 => _mm512_extracti32x4_epi32::<2>(v),
            _ => _mm512_extracti32x4_epi32::<3>(v),
        }
    }
    odd(a: __m512i, b: __m512i) -> __m512i { _mm512_mask_blend_epi64(0b11001100, a, b) }
    upper(a: __m512i, b: __m512i) -> __m512i { _mm512_mask_blend_epi64(0b11110000, a, b) }
    shifted(a: __m512i, b: __m512i) -> __m512i { _mm512_alignr_epi64::<6>(b, a) }
    fold(v: __m512i) -> __m128i {
        let v = _mm256_xor_si256(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
        _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v))
    }
    xor(a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
    and(a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(a, b) }
    add32(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
    reverse(v: __m512i) -> __m512i { _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(reversal())) }
    swap(v: __m512i) -> __m512i { _mm512_shuffle_epi32::<0x4e>(v) }
    pin(v: __m512i) -> __m512i {
        let mut v = v;
        // SAFETY: the template is a comment.
        unsafe { core::arch::asm!("/* {0} */", inout(zmm_reg) v, options(nomem, nostack, preserves_flags)) };
        v
    }
}

isa! {
    impl AesOps for Vaes512 with "avx512f,avx512bw,vaes" []
    whiten(s: __m512i, k: __m512i) -> __m512i { _mm512_xor_si512(s, k) }
    round(s: __m512i, _before: __m512i, after: __m512i) -> __m512i { _mm512_aesenc_epi128(s, after) }
    last_round(s: __m512i, _before: __m512i, after: __m512i) -> __m512i { _mm512_aesenclast_epi128(s, after) }
    inv_round(s: __m512i, _before: __m512i, after: __m512i) -> __m512i { _mm512_aesdec_epi128(s, after) }
    inv_last_round(s: __m512i, _before: __m512i, after: __m512i) -> __m512i { _mm512_aesdeclast_epi128(s, after) }
    inv_mix_columns(k: __m512i) -> __m512i {
        // AESENCLAST undoes what AESDEC does before its InvMixColumns.
        _mm512_aesdec_epi128(_mm512_aesenclast_epi128(k, _mm512_setzero_si512()), _mm512_setzero_si512())
    }
    sub_last(v: __m512i, _rot: bool, _rcon: u8) -> __m512i { v }
    slide(v: __m512i) -> __m512i { _mm512_bslli_epi128::<4>(v) }
}

isa! {
    impl ClmulOps for Vaes512 with "avx512f,vpclmulqdq" [ const CROSSED: bool = true; ]
    mul_lo(a: __m512i, b: __m512i) -> __m512i { _mm512_clmulepi64_epi128::<0x00>(a, b) }
    mul_hi(a: __m512i, b: __m512i) -> __m512i { _mm512_clmulepi64_epi128::<0x11>(a, b) }
    mul_crossed(a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(_mm512_clmulepi64_epi128::<0x01>(a, b), _mm512_clmulepi64_epi128::<0x10>(a, b)) }
    mul_poly(a: __m512i) -> __m512i { _mm512_clmulepi64_epi128::<0x00>(a, _mm512_set1_epi64(POLY)) }
    mids(a: __m512i, b: __m512i) -> __m512i {
        _mm512_xor_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
    }
}

cipher!(Vaes512 with "aes,avx512f,avx512bw,avx512vl,avx512dq,bmi2,vaes", stride 8, lanes 2 2);
hash!(Vaes512 with "pclmulqdq,avx512f,avx512bw,avx512vl,avx512dq,bmi2,vpclmulqdq", stride 8);
backend!(Vaes512 "vaes512" with "aes,pclmulqdq,avx512f,avx512bw,avx512vl,avx512dq,bmi2,vaes,vpclmulqdq", stride 8, short 2080, few 6);

/// The bytes of a vector that stand for `len` bytes from `lane` on.
#[inline]
#[target_feature(enable = "bmi2")]
fn window(len: usize, lane: usize) -> u64 {
    _bzhi_u64(!0, (len + 16 * lane).min(64) as u32) & !0 << (16 * lane)
}
