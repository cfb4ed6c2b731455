//! AES-GCM-SIV (RFC 8452), with the names of the crate `aes-gcm-siv` 0.12.
//!
//! ```
//! use evariste_rustcrypto::aes_gcm_siv::{Aes256GcmSiv, KeyInit, aead::AeadInOut};
//!
//! let cipher = Aes256GcmSiv::new(&[7; 32].into());
//! let mut data = *b"text";
//! let tag = cipher.encrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into())?;
//! cipher.decrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_rustcrypto::aes_gcm_siv::Error>(())
//! ```

pub use crate::aes;
pub use aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};

use crate::aes::{Aes128, Aes256, SivCipher};
use crate::authenticated::authenticated;
use crate::length::made;
use aead::array::Array;
use aead::consts::{U12, U16};
use core::fmt;
use core::marker::PhantomData;
use evariste::GcmSiv;
use zeroize::ZeroizeOnDrop;

/// Longest additional data: 2^36 bytes (RFC 8452 §6).
pub const A_MAX: u64 = evariste::limits::GCM_SIV;

/// Longest text: 2^36 bytes (RFC 8452 §6).
pub const P_MAX: u64 = evariste::limits::GCM_SIV;

/// Longest text with its tag: 2^36 + 16 bytes (RFC 8452 §6).
pub const C_MAX: u64 = P_MAX + 16;

/// A nonce: 12 bytes.
pub type Nonce = Array<u8, U12>;

/// A tag: 16 bytes.
pub type Tag = Array<u8, U16>;

/// AES-128-GCM-SIV: a key of 16 bytes.
pub type Aes128GcmSiv = AesGcmSiv<Aes128>;

/// AES-256-GCM-SIV: a key of 32 bytes.
pub type Aes256GcmSiv = AesGcmSiv<Aes256>;

/// AES-GCM-SIV: nonces of 12 bytes, tags of 16.
///
/// A nonce used twice tells no more than whether two messages are equal. Text is at most [`P_MAX`] bytes, additional
/// data at most [`A_MAX`]; longer ones are [`Error`] before a byte of output is written. A message that is not authentic
/// is `Error` and leaves zeros. `Debug` shows no key; it is wiped on drop.
pub struct AesGcmSiv<Aes> {
    pub(crate) mode: GcmSiv,
    aes: PhantomData<Aes>,
}

impl<Aes> AesGcmSiv<Aes> {
    #[inline]
    pub(crate) fn with_key(key: &[u8]) -> Self {
        Self { mode: made(GcmSiv::new(key)), aes: PhantomData }
    }
}

impl<Aes: SivCipher> From<Aes> for AesGcmSiv<Aes> {
    fn from(aes: Aes) -> Self {
        Self { mode: made(GcmSiv::from_aes(aes.as_core())), aes: PhantomData }
    }
}

impl<Aes: KeySizeUser> KeySizeUser for AesGcmSiv<Aes> {
    type KeySize = Aes::KeySize;
}

impl<Aes: SivCipher> KeyInit for AesGcmSiv<Aes> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_key(key)
    }
}

authenticated!([Aes: SivCipher] AesGcmSiv<Aes>, U12, U16);

impl<Aes> Clone for AesGcmSiv<Aes> {
    fn clone(&self) -> Self {
        Self { mode: self.mode.clone(), aes: PhantomData }
    }
}

impl<Aes> fmt::Debug for AesGcmSiv<Aes> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesGcmSiv").finish_non_exhaustive()
    }
}

impl<Aes> ZeroizeOnDrop for AesGcmSiv<Aes> {}
