//! `neon`: AArch64 without the AES and PMULL instructions, and either half for CPUs that have one of them.
//!
//! AES of few blocks, and of chains, is a table that fits sixteen registers ([`table`]); from five blocks on it
//! goes by bits, eight at once ([`bitslice`]). GHASH is made of products of bytes ([`field`]).
//! docs/backends.md has what was measured, also of what is not here.

mod bitslice;
mod field;
mod table;

use self::bitslice::{RoundKeys, WIDTH};
use super::v128::{V, from_u128, load128, number, read128, store128, vector128, write128};
use crate::backend::kernel::aes::{ctr_strides, ecb, expand, expand_decrypt};
use crate::backend::kernel::ccm::{cbc_mac, ccm};
use crate::backend::kernel::counters::Counters;
use crate::backend::kernel::isa::{entries, isa};
use crate::backend::kernel::{Aes, AesOps, Vector};
use crate::backend::{Cipher, Hash, Imp};
use crate::block::{Counter, inc32_le};
use crate::key::{AesKey, HashKey};
use crate::{Block, InOut};
use core::arch::aarch64::*;

/// The CPU has NEON.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

// For the table of backends only, which hands it out where the CPU has what it says.
pub(super) const NEON: Neon = Neon(());

/// Up to this many blocks go through the table side by side, more go by bits: four take 1360 cycles on a model of
/// Cortex-A72 the one way and 1602 the other, five 1892 and 1604 (AES-128, llvm-mca, 2026-11-30).
const FEW: usize = 4;

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

impl Imp for Neon {
    fn name(&self) -> &'static str {
        "neon"
    }
}

impl Cipher for Neon {
    entries! { Neon with "neon";
        fn expand(key: &[u8], out: &mut AesKey) -> Result<(), crate::KeyError> = expand::<NK>;
        fn expand_decrypt(key: &AesKey, out: &mut AesKey) = expand_decrypt;
        fn encrypt(key: &AesKey, blocks: &mut [Block]) = crypt::<NR, false> by rounds of key;
        fn decrypt(key: &AesKey, blocks: &mut [Block]) = crypt::<NR, true> by rounds of key;
        fn ctr32(key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) = ctr32::<NR> by rounds of key;
        fn ctr32_le(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) = ctr32_le::<NR> by rounds of key;
        fn cbc_mac(key: &AesKey, mac: &mut Block, blocks: &[Block]) = cbc_mac::<NR> by rounds of key;
        fn ccm_seal(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, true> by rounds of key;
        fn ccm_open(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, false> by rounds of key;
    }
}

impl Hash for Neon {
    entries! { Neon with "neon";
        fn hash_key(h: u128, blocks: usize, out: &mut HashKey) = field::hash_key;
        fn ghash(key: &HashKey, acc: &mut u128, blocks: &[Block]) = field::absorb::<true>;
        fn polyval(key: &HashKey, acc: &mut u128, blocks: &[Block]) = field::absorb::<false>;
    }
}

/// CIPHER or the equivalent inverse cipher on each block.
#[inline]
#[target_feature(enable = "neon")]
fn crypt<I: Aes<V = V>, const NR: usize, const INVERSE: bool>(i: I, key: &AesKey, mut blocks: &mut [Block]) {
    if blocks.len() > FEW {
        let keys = RoundKeys::<INVERSE>::new(key);
        while blocks.len() > FEW {
            let (now, later) = blocks.split_at_mut(blocks.len().min(WIDTH));
            blocks = later;
            let mut s = [keys.first; WIDTH];
            for (s, block) in s.iter_mut().zip(&*now) {
                *s = i.xor(*s, load128(block));
            }
            keys.crypt(&mut s);
            for (s, block) in s.iter().zip(now) {
                store128(i.xor(*s, keys.last), block);
            }
        }
    }
    ecb::<I, NR, 4, INVERSE>(i, key, blocks);
}

#[inline]
#[target_feature(enable = "neon")]
fn ctr32<I: Aes<V = V>, const NR: usize>(i: I, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) {
    let first = u128::from_be_bytes(ctr.block);
    ctr.advance(data.len());
    counter_mode::<I, NR, false>(i, key, first, ctr.secret, data.local());
}

#[inline]
#[target_feature(enable = "neon")]
fn ctr32_le<I: Aes<V = V>, const NR: usize>(i: I, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let first = u128::from_le_bytes(*ctr);
    inc32_le(ctr, data.len() as u32);
    counter_mode::<I, NR, true>(i, key, first, true, data.local());
}

/// Counter mode from the number `first` on.
#[inline]
#[target_feature(enable = "neon")]
fn counter_mode<I: Aes<V = V>, const NR: usize, const LE: bool>(
    i: I,
    key: &AesKey,
    mut first: u128,
    secret: bool,
    mut data: InOut<'_, Block>,
) {
    if data.len() > FEW {
        let keys = RoundKeys::<false>::new(key);
        let mut counter = Counters::<V, LE>::from(i, first, secret);
        while data.len() > FEW {
            let len = data.len().min(WIDTH);
            let (mut now, later) = data.split_at(len);
            data = later;
            let mut s = counter.whitened::<I, WIDTH>(i, keys.first);
            keys.crypt(&mut s);
            for n in 0..len {
                let text = i.xor(load128(&now.input()[n]), keys.last);
                store128(i.xor(s[n], text), &mut now.output()[n]);
            }
            first = first >> 32 << 32 | (first as u32).wrapping_add(len as u32) as u128;
        }
    }
    ctr_strides::<I, NR, 4, LE>(i, key, first, secret, data.into_bytes(), &mut [0; 16]);
}
