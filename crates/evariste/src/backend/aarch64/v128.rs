//! One block per vector: `armv8`, the same with EOR3, and the two halves of the former for CPUs that have
//! only one.
//!
//! There is no intrinsic for EOR3 here: where it may, the compiler makes one of two XORs.

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
use core::arch::aarch64::*;

/// The CPU has AES and PMULL.
#[derive(Clone, Copy)]
pub(super) struct Armv8(());

/// The CPU has AES, PMULL and EOR3.
#[derive(Clone, Copy)]
pub(super) struct Armv8Sha3(());

/// The CPU has AES.
#[derive(Clone, Copy)]
pub(super) struct Armv8Aes(());

/// The CPU has PMULL of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Armv8Pmull(());

// For the table of backends only, which hands them out where the CPU has what they say.
pub(super) const ARMV8: Armv8 = Armv8(());
pub(super) const SHA3: Armv8Sha3 = Armv8Sha3(());
pub(super) const AES: Armv8Aes = Armv8Aes(());
pub(super) const PMULL: Armv8Pmull = Armv8Pmull(());

/// x^63 + x^62 + x^57.
const POLY: u64 = 0xc2 << 56;

pub(super) type V = uint8x16_t;

// Of intrinsics for what follows the compiler makes more than one instruction: it loads the halves of a power
// one by one, computes them so, or builds a vector by insertion, rather than take upper halves where they are.

/// One instruction with one operand.
macro_rules! one {
    ($template:literal, $a:expr) => {{
        let v: V;
        // SAFETY: one instruction between registers, which the features of the caller include.
        unsafe {
            core::arch::asm!($template, out(vreg) v, in(vreg) $a, options(pure, nomem, nostack, preserves_flags));
        }
        v
    }};
}

/// One instruction with two operands.
macro_rules! two {
    ($template:literal, $a:expr, $b:expr) => {{
        let v: V;
        // SAFETY: as above.
        unsafe {
            core::arch::asm!(
                $template, out(vreg) v, in(vreg) $a, in(vreg) $b,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        v
    }};
}

macro_rules! vector128 {
    ($name:ident) => {
        isa! {
            impl Vector for $name with "neon" [
                const BLOCKS: usize = 1;
                const PAIRS: bool = true;
                type V = V;
                type Narrow = Self;
                #[inline(always)]
                fn narrow(self) -> Self { self }
                #[inline(always)]
                fn block(self, bytes: &[u8]) -> V { read128(bytes) }
                #[inline(always)]
                fn nonce(self, bytes: &[u8; 12]) -> V { read128(bytes) }
                #[inline(always)]
                fn read(self, data: &[u8], lane: usize) -> V {
                    if lane > 0 { self.splat(0) } else { read128(data) }
                }
                #[inline(always)]
                fn write(self, v: V, data: &mut [u8], lane: usize) -> V {
                    if lane > 0 { self.splat(0) } else { write128(v, data) }
                }
            ]
            load(s: &[Block]) -> V { load128(&s[0]) }
            store(v: V, d: &mut [Block]) -> () { store128(v, &mut d[0]) }
            splat(b: u128) -> V { from_u128(b) }
            lane(b: u128, _n: usize) -> V { from_u128(b) }
            spread(v: V) -> V { v }
            widen(v: V) -> V { v }
            first(v: V) -> V { v }
            to_u128(v: V) -> u128 { number(v) }
            join(p: &[V; 4]) -> V { p[0] }
            part(v: V, _n: usize) -> V { v }
            fold(v: V) -> V { v }
            xor(a: V, b: V) -> V { veorq_u8(a, b) }
            and(a: V, b: V) -> V { vandq_u8(a, b) }
            add32(a: V, b: V) -> V { vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))) }
            reverse(v: V) -> V {
                let v = vrev64q_u8(v);
                vextq_u8::<8>(v, v)
            }
            swap(v: V) -> V { vextq_u8::<8>(v, v) }
            pin(v: V) -> V {
                let mut v = v;
                // SAFETY: the template is a comment.
                unsafe { core::arch::asm!("/* {0:v} */", inout(vreg) v, options(nomem, nostack, preserves_flags)) };
                v
            }
        }
    };
}

macro_rules! aes128 {
    ($name:ident with $features:literal) => {
        isa! {
            impl AesOps for $name with $features [
                const KEY_FIRST: bool = true;
            ]
            whiten(s: V, _k: V) -> V { s }
            round(s: V, before: V, _after: V) -> V { vaesmcq_u8(vaeseq_u8(s, before)) }
            last_round(s: V, before: V, after: V) -> V { veorq_u8(vaeseq_u8(s, before), after) }
            column(v: V, n: usize) -> V {
                match n {
                    0 => one!("mov {0:s}, {1:v}.s[0]", v),
                    1 => one!("mov {0:s}, {1:v}.s[1]", v),
                    2 => one!("mov {0:s}, {1:v}.s[2]", v),
                    _ => one!("mov {0:s}, {1:v}.s[3]", v),
                }
            }
            inv_round(s: V, before: V, _after: V) -> V { vaesimcq_u8(vaesdq_u8(s, before)) }
            inv_last_round(s: V, before: V, after: V) -> V { veorq_u8(vaesdq_u8(s, before), after) }
            inv_mix_columns(k: V) -> V { vaesimcq_u8(k) }
            sub_last(v: V, rot: bool, rcon: u8) -> V {
                // All columns alike, so ShiftRows changes nothing.
                let w = vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(v)));
                let s = vreinterpretq_u32_u8(vaeseq_u8(w, vdupq_n_u8(0)));
                let s = if rot { vorrq_u32(vshrq_n_u32::<8>(s), vshlq_n_u32::<24>(s)) } else { s };
                vreinterpretq_u8_u32(veorq_u32(s, vdupq_n_u32(rcon as u32)))
            }
            slide(v: V) -> V { vextq_u8::<12>(vdupq_n_u8(0), v) }
        }
    };
}

macro_rules! clmul128 {
    ($name:ident with $features:literal) => {
        isa! {
            impl ClmulOps for $name with $features []
            element(v: V) -> V { vextq_u8::<8>(v, v) }
            reflect(v: V) -> V { vrev64q_u8(v) }
            mul_lo(a: V, b: V) -> V { two!("pmull2 {0:v}.1q, {1:v}.2d, {2:v}.2d", a, b) }
            mul_hi(a: V, b: V) -> V { two!("pmull {0:v}.1q, {1:v}.1d, {2:v}.1d", a, b) }
            mids(a: V, b: V) -> V {
                veorq_u8(two!("trn1 {0:v}.2d, {1:v}.2d, {2:v}.2d", a, b), two!("trn2 {0:v}.2d, {1:v}.2d, {2:v}.2d", a, b))
            }
            mul_poly(a: V) -> V { vreinterpretq_u8_p128(vmull_p64(half::<0>(a), POLY)) }
            add_swapped(a: V, b: V) -> V { veorq_u8(vextq_u8::<8>(a, a), b) }
        }
    };
}

pub(super) use vector128;

vector128!(Armv8Aes);
aes128!(Armv8Aes with "neon,aes");
cipher!(Armv8Aes with "neon,aes", stride 8, lanes 8 8);

vector128!(Armv8Pmull);
clmul128!(Armv8Pmull with "neon,aes");
hash!(Armv8Pmull with "neon,aes", stride 8);

vector128!(Armv8);
aes128!(Armv8 with "neon,aes");
clmul128!(Armv8 with "neon,aes");
// It implies both halves, which the pairs have, too: one copy of each.
by_cipher!(Armv8, |_both| Armv8Aes(()));
by_hash!(Armv8, |_both| Armv8Pmull(()));
backend!(Armv8 "armv8" with "neon,aes", stride 8, short 240, few 4);

vector128!(Armv8Sha3);
aes128!(Armv8Sha3 with "neon,aes");
clmul128!(Armv8Sha3 with "neon,aes");
cipher!(Armv8Sha3 with "neon,aes,sha3", stride 8, lanes 8 8);
hash!(Armv8Sha3 with "neon,aes,sha3", stride 8);
backend!(Armv8Sha3 "armv8-sha3" with "neon,aes,sha3", stride 8, short 240, few 4);

#[inline(always)]
fn half<const N: i32>(v: V) -> u64 {
    // SAFETY: NEON is baseline here.
    unsafe { vgetq_lane_u64::<N>(vreinterpretq_u64_u8(v)) }
}

#[inline(always)]
pub(super) fn from_u128(b: u128) -> V {
    // SAFETY: NEON is baseline here.
    unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(b as u64), vcreate_u64((b >> 64) as u64))) }
}

#[inline(always)]
pub(super) fn number(v: V) -> u128 {
    (half::<1>(v) as u128) << 64 | half::<0>(v) as u128
}

#[inline(always)]
pub(super) fn load128(b: &Block) -> V {
    // SAFETY: 16 readable bytes; NEON is baseline here.
    unsafe { vld1q_u8(b.as_ptr()) }
}

#[inline(always)]
pub(super) fn store128(v: V, b: &mut Block) {
    // SAFETY: 16 writable bytes; NEON is baseline here.
    unsafe { vst1q_u8(b.as_mut_ptr(), v) }
}

/// At most 16 bytes; zeros beyond their end.
#[inline(always)]
pub(super) fn read128(data: &[u8]) -> V {
    if let Some(b) = data.first_chunk::<16>() { load128(b) } else { from_u128(partial::read(data)) }
}

/// At most 16 bytes; returns what was written, zeros beyond.
#[inline(always)]
pub(super) fn write128(v: V, data: &mut [u8]) -> V {
    if let Some(b) = data.first_chunk_mut::<16>() {
        store128(v, b);
        v
    } else {
        from_u128(partial::write(number(v), data))
    }
}
