//! `neon`: AArch64 without the AES and PMULL instructions, and either half for CPUs that have one of them.
//!
//! AES of few blocks, and of chains, is a table that fits sixteen registers ([`table`]); from five blocks on it
//! goes by bits, eight at once (`kernel/bitslice.rs`). GHASH is made of products of bytes ([`field`]).
//! docs/backends.md has what was measured, also of what is not here.

mod field;
mod table;

use super::v128::{V, from_u128, load128, number, read128, store128, vector128, write128};
use crate::backend::kernel::aes::{expand, expand_decrypt};
use crate::backend::kernel::bitslice::{ByteOps, RoundKeys, WIDTH, crypt, ctr_many, ctr32_le_many, ecb_many};
use crate::backend::kernel::ccm::{cbc_mac, ccm};
use crate::backend::kernel::isa::{by_shuffles, entries, isa};
use crate::backend::kernel::{AesOps, Vector};
use crate::block::Counter;
use crate::key::{AesKey, HashKey};
use crate::{Block, InOut};
use core::arch::aarch64::*;

/// The CPU has NEON.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

// For the table of backends only, which hands it out where the CPU has what it says.
pub(super) const NEON: Neon = Neon(());

vector128!(Neon);
isa! {
    impl AesOps for Neon with "neon" []
    whiten(s: V, k: V) -> V { veorq_u8(s, k) }
    round(s: V, _before: V, after: V) -> V { table::round(s, after) }
    last_round(s: V, _before: V, after: V) -> V { veorq_u8(table::sub_shift(s), after) }
    inv_round(s: V, _before: V, after: V) -> V { table::inv_mix(table::inv_sub_shift(s), after) }
    inv_last_round(s: V, _before: V, after: V) -> V { veorq_u8(table::inv_sub_shift(s), after) }
    inv_mix_columns(k: V) -> V { table::inv_mix(k, vdupq_n_u8(0)) }
    sub_last(v: V, rot: bool, rcon: u8) -> V {
        let w = vreinterpretq_u32_u8(table::sub(vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(v)))));
        let w = if rot { vorrq_u32(vshrq_n_u32::<8>(w), vshlq_n_u32::<24>(w)) } else { w };
        vreinterpretq_u8_u32(veorq_u32(w, vdupq_n_u32(rcon as u32)))
    }
    slide(v: V) -> V { vextq_u8::<12>(vdupq_n_u8(0), v) }
}

isa! {
    impl ByteOps for Neon with "neon" [
        // Four blocks take 1360 cycles on a model of Cortex-A72 by the table, side by side, and 1602 by bits, five 1892
        // and 1604 (AES-128, llvm-mca, 2026-11-30).
        const FEW: usize = 4;
    ]
    or(a: V, b: V) -> V { vorrq_u8(a, b) }
    not(a: V) -> V { vmvnq_u8(a) }
    shuffle(v: V, from: V) -> V { vqtbl1q_u8(v, from) }
    words_down(v: V) -> V { vextq_u8::<4>(v, v) }
    exchange(a: V, b: V, by: u8) -> (V, V) {
        match by {
            1 => (vbslq_u8(vdupq_n_u8(0x55), a, vshlq_n_u8::<1>(b)), vbslq_u8(vdupq_n_u8(0x55), vshrq_n_u8::<1>(a), b)),
            2 => (vbslq_u8(vdupq_n_u8(0x33), a, vshlq_n_u8::<2>(b)), vbslq_u8(vdupq_n_u8(0x33), vshrq_n_u8::<2>(a), b)),
            _ => (vsliq_n_u8::<4>(a, b), vsriq_n_u8::<4>(b, a)),
        }
    }
    spread_bit(v: V, n: usize) -> V { vtstq_u8(v, vdupq_n_u8(1 << n)) }
    round_key(key: &AesKey, n: usize, _inverse: bool) -> V { load128(&key.round_keys[n]) }
    encrypt_eight(keys: &RoundKeys<Neon>, blocks: &mut [V; WIDTH]) -> () { crypt::<Neon, false>(NEON, keys, blocks) }
    decrypt_eight(keys: &RoundKeys<Neon>, blocks: &mut [V; WIDTH]) -> () { crypt::<Neon, true>(NEON, keys, blocks) }
}

by_shuffles!(Neon "neon" with "neon", schedule expand);
