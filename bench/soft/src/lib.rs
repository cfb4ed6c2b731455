//! AES-CTR of RustCrypto's portable backend, for evariste-bench to load.
//!
//! That backend is chosen by a flag for the whole build, so it has a build of its own. Without the
//! flag this library is empty.
#![cfg(aes_backend = "soft")]

use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, consts::U16};
use aes::{Aes128, Aes192, Aes256};
use ctr::CtrCore;
use ctr::flavors::Ctr128BE;

/// An expanded key.
#[allow(clippy::large_enum_variant, reason = "one key per measurement")]
pub enum Key {
    /// Of 16 bytes.
    Aes128(Aes128),
    /// Of 24 bytes.
    Aes192(Aes192),
    /// Of 32 bytes.
    Aes256(Aes256),
}

/// Expands a key; null for a length that AES does not have.
///
/// # Safety
/// `key` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn soft_key(key: *const u8, len: usize) -> Option<Box<Key>> {
    // SAFETY: the caller's promise.
    let key = unsafe { core::slice::from_raw_parts(key, len) };
    Some(Box::new(match len {
        16 => Key::Aes128(Aes128::new_from_slice(key).ok()?),
        24 => Key::Aes192(Aes192::new_from_slice(key).ok()?),
        32 => Key::Aes256(Aes256::new_from_slice(key).ok()?),
        _ => return None,
    }))
}

/// XORs the keystream that starts at `iv` into the data.
///
/// # Safety
/// `data` points to `len` bytes that nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn soft_ctr(key: &Key, iv: &[u8; 16], data: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    let data = unsafe { core::slice::from_raw_parts_mut(data, len) };
    match key {
        Key::Aes128(aes) => ctr(aes, iv, data),
        Key::Aes192(aes) => ctr(aes, iv, data),
        Key::Aes256(aes) => ctr(aes, iv, data),
    }
}

fn ctr<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>>(aes: &C, iv: &[u8; 16], data: &mut [u8]) {
    let core = CtrCore::<_, Ctr128BE>::inner_iv_init(aes, iv.into());
    ctr::Ctr128BE::from_core(core).apply_keystream(data);
}
