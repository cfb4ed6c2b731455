//! One block per vector: `aesni` in SSE encodings, `aesni-avx` in three-operand ones, and the two halves
//! of the former for CPUs that have only one.

use super::POLY;
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
use crate::backend::pair::{by_cipher, by_hash};
use crate::block::Counter;
use crate::inout::Feeds;
use crate::key::{AesKey, GcmKey, HashKey};
use crate::lanes::Lanes;
use crate::{Block, InOut, partial};
use core::arch::x86_64::*;

/// The CPU has AES-NI, PCLMULQDQ and SSSE3.
#[derive(Clone, Copy)]
pub(super) struct AesNi(());

/// The CPU has AES-NI, PCLMULQDQ and AVX.
#[derive(Clone, Copy)]
pub(super) struct AesNiAvx(());

/// The CPU has AES-NI and SSSE3.
#[derive(Clone, Copy)]
pub(super) struct SseAes(());

/// The CPU has PCLMULQDQ and SSSE3.
#[derive(Clone, Copy)]
pub(super) struct SseClmul(());

// For the table of backends only, which hands them out where the CPU has what they say.
pub(super) const SSE: AesNi = AesNi(());
pub(super) const AVX: AesNiAvx = AesNiAvx(());
pub(super) const SSE_AES: SseAes = SseAes(());
pub(super) const SSE_CLMUL: SseClmul = SseClmul(());

impl AesNiAvx {
    /// What a wider ISA implies.
    #[inline(always)]
    pub(super) fn implied_by(_: impl Wider) -> Self {
        Self(())
    }
}

/// ISAs that include AES-NI, PCLMULQDQ and AVX.
pub(super) trait Wider {}

macro_rules! vector128 {
    ($name:ident with $features:literal, nonce $words:ident) => {
        isa! {
            impl Vector for $name with $features [
                const BLOCKS: usize = 1;
                type V = __m128i;
                type Narrow = Self;
                #[inline(always)]
                fn narrow(self) -> Self { self }
                #[inline(always)]
                fn block(self, bytes: &[u8]) -> __m128i { read128(bytes) }
                #[inline(always)]
                fn read(self, data: &[u8], lane: usize) -> __m128i {
                    if lane > 0 { self.splat(0) } else { read128(data) }
                }
                #[inline(always)]
                fn write(self, v: __m128i, data: &mut [u8], lane: usize) -> __m128i {
                    if lane > 0 { self.splat(0) } else { write128(v, data) }
                }
            ]
            load(s: &[Block]) -> __m128i { load128(&s[0]) }
            store(v: __m128i, d: &mut [Block]) -> () { d[0] = bytes(v) }
            splat(b: u128) -> __m128i { from_u128(b) }
            lane(b: u128, _n: usize) -> __m128i { from_u128(b) }
            spread(v: __m128i) -> __m128i { v }
            widen(v: __m128i) -> __m128i { v }
            first(v: __m128i) -> __m128i { v }
            nonce(bytes: &[u8; 12]) -> __m128i { $words(bytes) }
            to_u128(v: __m128i) -> u128 { number(v) }
            join(p: &[__m128i; 4]) -> __m128i { p[0] }
            part(v: __m128i, _n: usize) -> __m128i { v }
            fold(v: __m128i) -> __m128i { v }
            xor(a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
            and(a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(a, b) }
            add32(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
            reverse(v: __m128i) -> __m128i { _mm_shuffle_epi8(v, reversal()) }
            swap(v: __m128i) -> __m128i { _mm_shuffle_epi32::<0x4e>(v) }
            pin(v: __m128i) -> __m128i {
                let mut v = v;
                // SAFETY: the template is a comment.
                unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) v, options(nomem, nostack, preserves_flags)) };
                v
            }
        }
    };
}

macro_rules! aes128 {
    ($name:ident with $features:literal) => {
        isa! {
            impl AesOps for $name with $features []
            whiten(s: __m128i, k: __m128i) -> __m128i { _mm_xor_si128(s, k) }
            round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { _mm_aesenc_si128(s, after) }
            last_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { _mm_aesenclast_si128(s, after) }
            inv_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { _mm_aesdec_si128(s, after) }
            inv_last_round(s: __m128i, _before: __m128i, after: __m128i) -> __m128i { _mm_aesdeclast_si128(s, after) }
            inv_mix_columns(k: __m128i) -> __m128i { _mm_aesimc_si128(k) }
            sub_last(v: __m128i, rot: bool, rcon: u8) -> __m128i {
                // All columns alike, so ShiftRows changes nothing. AESKEYGENASSIST would take longer.
                let w = if rot { 0x0c0f0e0d } else { 0x0f0e0d0c };
                _mm_aesenclast_si128(_mm_shuffle_epi8(v, _mm_set1_epi32(w)), _mm_set1_epi32(rcon as i32))
            }
            slide(v: __m128i) -> __m128i { _mm_bslli_si128::<4>(v) }
        }
    };
}

macro_rules! clmul128 {
    ($name:ident with $features:literal) => {
        isa! {
            impl ClmulOps for $name with $features [ const CROSSED: bool = true; ]
            mul_lo(a: __m128i, b: __m128i) -> __m128i { _mm_clmulepi64_si128::<0x00>(a, b) }
            mul_hi(a: __m128i, b: __m128i) -> __m128i { _mm_clmulepi64_si128::<0x11>(a, b) }
            mul_crossed(a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b)) }
            mul_poly(a: __m128i) -> __m128i { _mm_clmulepi64_si128::<0x00>(a, _mm_set1_epi64x(POLY)) }
            mids(a: __m128i, b: __m128i) -> __m128i {
                _mm_xor_si128(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
            }
        }
    };
}

vector128!(SseAes with "ssse3", nonce words);
aes128!(SseAes with "aes,ssse3");
cipher!(SseAes with "aes,ssse3", stride 8, lanes 4 8);

vector128!(SseClmul with "ssse3", nonce words);
clmul128!(SseClmul with "pclmulqdq,ssse3");
hash!(SseClmul with "pclmulqdq,ssse3", stride 8);

vector128!(AesNi with "ssse3", nonce words);
aes128!(AesNi with "aes,ssse3");
clmul128!(AesNi with "pclmulqdq,ssse3");
// It implies both halves, which the pairs have, too: one copy of each.
by_cipher!(AesNi, |_both| SseAes(()));
by_hash!(AesNi, |_both| SseClmul(()));
// Two-operand encodings leave no registers for eight states beside the sums: one that is spilled puts a
// store and a load into every round (AES-256-GCM 3.2 GB/s in some builds, 5.6 in others; Zen 4, 2026-11-30).
backend!(AesNi "aesni" with "aes,pclmulqdq,ssse3", stride 6, short 240, few 4);

vector128!(AesNiAvx with "avx", nonce words_avx);
aes128!(AesNiAvx with "aes,avx");
clmul128!(AesNiAvx with "pclmulqdq,avx");
cipher!(AesNiAvx with "aes,avx", stride 8, lanes 4 8);
hash!(AesNiAvx with "pclmulqdq,avx", stride 8);
backend!(AesNiAvx "aesni-avx" with "aes,pclmulqdq,avx", stride 8, short 240, few 4);

pub(super) use vector128;

/// The shuffle that reverses the bytes of a block.
#[inline(always)]
pub(super) fn reversal() -> __m128i {
    from_u128(0x00010203_04050607_08090a0b_0c0d0e0f)
}

#[inline(always)]
pub(super) fn from_u128(b: u128) -> __m128i {
    // SAFETY: both are 16 bytes of plain data.
    unsafe { core::mem::transmute(b) }
}

#[inline(always)]
pub(super) fn number(v: __m128i) -> u128 {
    // SAFETY: both are 16 bytes of plain data.
    unsafe { core::mem::transmute(v) }
}

#[inline(always)]
pub(super) fn load128(b: &Block) -> __m128i {
    // SAFETY: an unaligned load of the 16 bytes `b` refers to; SSE2 is baseline.
    unsafe { _mm_loadu_si128(b.as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn bytes(v: __m128i) -> Block {
    number(v).to_le_bytes()
}

/// A nonce, by loads of its words: TLS, QUIC and IPsec have just written it, in pieces of four and eight bytes, and a
/// load of what more than one store wrote waits for them all (64 bytes of GCM, a new counter before each call: 32 ns, or
/// 17; Zen 4, 2026-11-30).
#[inline(always)]
pub(super) fn words(b: &[u8; 12]) -> __m128i {
    let w = |n: usize| i32::from_le_bytes([b[n], b[n + 1], b[n + 2], b[n + 3]]);
    // SAFETY: SSE2 is baseline here.
    unsafe { _mm_setr_epi32(w(0), w(4), w(8), 0) }
}

/// The same with AVX: here LLVM does not join two of the loads.
#[inline]
#[target_feature(enable = "avx")]
pub(super) fn words_avx(b: &[u8; 12]) -> __m128i {
    let v;
    // SAFETY: three loads of what `b` refers to; the CPU has AVX.
    unsafe {
        core::arch::asm!(
            "vmovd {v}, dword ptr [{b}]",
            "vpinsrd {v}, {v}, dword ptr [{b} + 4], 1",
            "vpinsrd {v}, {v}, dword ptr [{b} + 8], 2",
            b = in(reg) b.as_ptr(), v = out(xmm_reg) v,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    v
}

/// At most 16 bytes; zeros beyond their end.
#[inline(always)]
pub(super) fn read128(data: &[u8]) -> __m128i {
    if let Some(b) = data.first_chunk::<16>() { load128(b) } else { from_u128(partial::read(data)) }
}

/// At most 16 bytes; returns what was written, zeros beyond.
#[inline(always)]
pub(super) fn write128(v: __m128i, data: &mut [u8]) -> __m128i {
    if let Some(b) = data.first_chunk_mut::<16>() {
        *b = bytes(v);
        v
    } else {
        from_u128(partial::write(number(v), data))
    }
}
