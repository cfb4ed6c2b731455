//! AES-GCM-SIV, with the names of the crate `aes-gcm-siv` 0.11.

pub use super::aes;
pub use crate::aes_gcm_siv::{A_MAX, Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv, C_MAX, P_MAX};
pub use aead_05::{self as aead, AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser};

use super::authenticated::{authenticated, key_init};
use crate::aes::SivCipher;
use aead_05::consts::{U12, U16};
use aead_05::generic_array::GenericArray;

/// A nonce: 12 bytes.
pub type Nonce = GenericArray<u8, U12>;

/// A tag: 16 bytes.
pub type Tag = GenericArray<u8, U16>;

key_init!([Aes: SivCipher + KeySizeUser] AesGcmSiv<Aes>, <Aes as KeySizeUser>::KeySize);
authenticated!([Aes: SivCipher] AesGcmSiv<Aes>, U12, U16);
