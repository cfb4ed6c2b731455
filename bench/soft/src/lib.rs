//! AES-CTR of RustCrypto's portable backend, for evariste-bench to load.
//!
//! That backend is chosen by a flag for the whole build, so it has a build of its own. Without the
//! flag this library is empty.
#![cfg(aes_backend = "soft")]

use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, consts::U16};
use aes::{Aes128, Aes256};
use bench_abi::{Messages, Peer, export};
use core::ffi::CStr;
use ctr::CtrCore;
use ctr::flavors::Ctr128BE;

export!(Key);

/// An expanded key.
#[allow(clippy::large_enum_variant, reason = "one key per measurement")]
pub enum Key {
    /// Of 16 bytes.
    Aes128(Aes128),
    /// Of 32 bytes.
    Aes256(Aes256),
}

impl Peer for Key {
    const NAME: &'static CStr = c"rustcrypto-soft";

    fn key(algorithm: &str, _: bool, key: &[u8]) -> Option<Self> {
        match algorithm {
            "aes-128-ctr" => Some(Self::Aes128(Aes128::new_from_slice(key).ok()?)),
            "aes-256-ctr" => Some(Self::Aes256(Aes256::new_from_slice(key).ok()?)),
            _ => None,
        }
    }

    fn run(&mut self, messages: Messages<'_>) -> bool {
        match self {
            Self::Aes128(aes) => ctr(aes, messages),
            Self::Aes256(aes) => ctr(aes, messages),
        }
    }
}

fn ctr<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>>(aes: &C, messages: Messages<'_>) -> bool {
    messages.each(|m| {
        let core = CtrCore::<_, Ctr128BE>::inner_iv_init(aes, m.nonce.into());
        ctr::Ctr128BE::from_core(core).try_apply_keystream(m.parts().0).is_ok()
    })
}
