//! AES-GCM, with the names of the crate `aes-gcm` 0.10.

pub use super::aes;
pub use crate::aes_gcm::{A_MAX, Aes128Gcm, Aes256Gcm, AesGcm, P_MAX, TagSize};
pub use aead_05::{self as aead, AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser};

use super::authenticated::{authenticated, key_init};
use crate::aes::AesCipher;
use aead_05::consts::U16;
use aead_05::generic_array::{ArrayLength, GenericArray};

/// Longest text with its tag: 2^36 − 16 bytes.
pub const C_MAX: u64 = P_MAX + 16;

/// A nonce of `NonceSize` bytes, at least one; 12 are usual and fast.
pub type Nonce<NonceSize> = GenericArray<u8, NonceSize>;

/// A tag of `TagSize` bytes.
pub type Tag<TagSize = U16> = GenericArray<u8, TagSize>;

key_init!([Aes: AesCipher + KeySizeUser, NonceSize, TagSize: self::TagSize] AesGcm<Aes, NonceSize, TagSize>, <Aes as KeySizeUser>::KeySize);
authenticated!([Aes: AesCipher, NonceSize: ArrayLength<u8>, TagSize: self::TagSize] AesGcm<Aes, NonceSize, TagSize>, NonceSize, TagSize);
