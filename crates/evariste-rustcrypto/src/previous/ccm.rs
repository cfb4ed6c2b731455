//! AES-CCM, with the names of the crate `ccm` 0.5.

pub use crate::ccm::{Ccm, NonceSize, TagSize};
pub use aead_05::{self as aead, AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser, consts};

use super::authenticated::{authenticated, key_init};
use crate::aes::AesCipher;
use aead_05::generic_array::GenericArray;

/// A nonce of `NonceSize` bytes.
pub type Nonce<NonceSize> = GenericArray<u8, NonceSize>;

/// A tag of `TagSize` bytes.
pub type Tag<TagSize> = GenericArray<u8, TagSize>;

key_init!([C: AesCipher + KeySizeUser, M: TagSize, N: NonceSize] Ccm<C, M, N>, <C as KeySizeUser>::KeySize);
authenticated!([C: AesCipher, M: TagSize, N: NonceSize] Ccm<C, M, N>, N, M);
