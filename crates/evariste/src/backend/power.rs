//! POWER8, POWER9, POWER10: the AES and polynomial instructions of ISA 2.07, and what later ones add to loads and
//! sums. Little and big endian from one source.
//!
//! Rust's vector types, intrinsics and target features for this architecture are not stable; `asm!` is. So the
//! kernels are assembly: [`words`] has what all of them share. Most are one piece of code for all; the loop that
//! carries long messages has a version for each.
#![allow(unsafe_code)]

#[macro_use]
mod words;
mod aes;
mod ccm;
mod ctr;
mod gcm;
mod ghash;
mod message;

use super::choice::Entry;
use super::pair::Pair as Halves;
use super::portable::Portable;
use super::{Cipher, Hash, Imp};
use crate::block::Counter;
use crate::cpu::Features;
use crate::field::mulx;
use crate::key::{AesKey, GcmKey, HashKey, Secret};
use crate::{Block, InOut, KeyError};
use core::marker::PhantomData;

const BOTH: Features = Features::AES.and(Features::CLMUL);

/// Fastest first.
pub(super) const ENTRIES: &[Entry] = &[
    Entry { needs: BOTH.and(Features::ISA300).and(Features::ISA310), imp: &Power::<Power10>(PhantomData) },
    Entry { needs: BOTH.and(Features::ISA300), imp: &Power::<Power9>(PhantomData) },
    Entry { needs: BOTH, imp: &Power::<Power8>(PhantomData) },
    Entry {
        needs: Features::AES,
        imp: &Halves { name: "power8+portable", cipher: &Power::<Power8>(PhantomData), hash: &Portable },
    },
    Entry {
        needs: Features::CLMUL,
        imp: &Halves { name: "portable+power8", cipher: &Portable, hash: &Power::<Power8>(PhantomData) },
    },
    Entry::PORTABLE,
];

/// The kernels of one tier. A value is the proof that the CPU has its instructions: they stand in the table only.
struct Power<T>(PhantomData<T>);

/// What differs between them.
trait Tier: Sync {
    const NAME: &str;
    const SEAL: gcm::Strides;
    const OPEN: gcm::Strides;
    const GHASH: &'static ghash::Form;
}

struct Power8;
struct Power9;
struct Power10;

impl Tier for Power8 {
    const NAME: &str = "power8";
    const SEAL: gcm::Strides = gcm::seal8;
    const OPEN: gcm::Strides = gcm::open8;
    const GHASH: &'static ghash::Form = &ghash::GHASH;
}

impl Tier for Power9 {
    const NAME: &str = "power9";
    const SEAL: gcm::Strides = gcm::seal9;
    const OPEN: gcm::Strides = gcm::open9;
    const GHASH: &'static ghash::Form = &ghash::GHASH9;
}

impl Tier for Power10 {
    const NAME: &str = "power10";
    const SEAL: gcm::Strides = gcm::seal10;
    const OPEN: gcm::Strides = gcm::open10;
    const GHASH: &'static ghash::Form = &ghash::GHASH9;
}

impl<T: Tier> Cipher for Power<T> {
    fn expand(&self, key: &[u8], out: &mut AesKey) -> Result<(), KeyError> {
        aes::expand(key, out)
    }
    fn expand_decrypt(&self, key: &AesKey, out: &mut AesKey) {
        aes::expand_decrypt(key, out);
    }
    fn encrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        aes::encrypt(key, blocks);
    }
    fn keystream(&self, key: &AesKey, block: &Block) -> Secret<Block> {
        Secret(aes::cipher(key, u128::from_be_bytes(*block)).to_be_bytes())
    }
    fn decrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        aes::decrypt(key, blocks);
    }
    fn ctr32(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) {
        ctr::ctr32(key, &mut ctr.block, data);
    }
    fn ctr(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_>, rest: &mut Block) {
        let (whole, tail) = data.into_blocks();
        ctr::ctr32(key, &mut ctr.block, whole);
        if !tail.is_empty() {
            ctr::keystream(key, &mut ctr.block, rest);
            tail.xor(rest);
        }
    }
    fn ctr32_le(&self, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
        ctr::ctr32_le(key, ctr, data);
    }
    fn cbc_mac(&self, key: &AesKey, mac: &mut Block, blocks: &[Block]) {
        ccm::cbc_mac(key, mac, blocks);
    }
    fn ccm_seal(&self, key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
        ccm::seal(key, mac, ctr, data);
    }
    fn ccm_open(&self, key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
        ccm::open(key, mac, ctr, data);
    }
}

impl<T: Tier> Hash for Power<T> {
    fn hash_key(&self, h: u128, blocks: usize, out: &mut HashKey) {
        ghash::hash_key(h, blocks, out);
    }
    fn ghash(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        ghash::absorb(T::GHASH, key, acc, blocks);
    }
    fn polyval(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        ghash::absorb(&ghash::POLYVAL, key, acc, blocks);
    }
}

impl<T: Tier> Imp for Power<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }
    fn gcm_key(&self, key: &[u8], _: usize, out: &mut GcmKey) -> Result<(), KeyError> {
        aes::expand(key, &mut out.aes)?;
        ghash::hash_key(mulx(aes::cipher(&out.aes, 0)), usize::MAX, &mut out.hash);
        Ok(())
    }
    fn seal(&self, key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) {
        message::piece::<T, true>(key, ctr, acc, data);
    }
    fn open(&self, key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) {
        message::piece::<T, false>(key, ctr, acc, data);
    }
    fn short(&self, _: &HashKey) -> usize {
        message::SHORT
    }
    fn seal_short(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
        message::short::<true>(key, iv, aad, data)
    }
    fn open_short(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
        message::short::<false>(key, iv, aad, data)
    }
    fn mac(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8]) -> u128 {
        match aad.len() {
            ..=16 => message::short::<false>(key, iv, aad, &mut []),
            _ => message::message::<T, false>(key, iv, aad, (&mut []).into()),
        }
    }
    fn seal_long(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
        message::message::<T, true>(key, iv, aad, data)
    }
    fn open_long(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
        message::message::<T, false>(key, iv, aad, data)
    }
}

/// 128 bits for `lxvd2x`: the upper half first, whatever the byte order.
type Pair = [u64; 2];

/// For `vpermxor`: reverses the halves of its first operand and leaves the second as it is.
const ADD: Pair = [0x70615243_34251607, 0xf8e9dacb_bcad9e8f];

/// The reduction constant p in the lower half, and, for POWER8 on little endian, the mask that reverses halves.
static C: [Pair; 2] = [[0, 0xc2000000_00000000], [0x07060504_03020100, 0x0f0e0d0c_0b0a0908]];

#[inline(always)]
fn halves(number: u128) -> Pair {
    [(number >> 64) as u64, number as u64]
}

#[inline(always)]
fn number([hi, lo]: Pair) -> u128 {
    (hi as u128) << 64 | lo as u128
}

/// The keys from which the last ten are those of rounds 1 to 10, as they are with 128 bits of key.
#[inline(always)]
fn late(key: &AesKey) -> *const Block {
    key.round_keys.as_ptr().wrapping_add((key.rounds as usize).wrapping_sub(10))
}
