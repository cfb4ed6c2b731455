//! AES-GCM (SP 800-38D), with the names of the crate `aes-gcm` 0.11.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use evariste_rustcrypto::aes_gcm::{Aes256Gcm, KeyInit, aead::{Aead, Payload}};
//!
//! let cipher = Aes256Gcm::new(&[7; 32].into());
//! let nonce = [0; 12].into(); // never the same one twice under a key
//! let sealed = cipher.encrypt(&nonce, Payload { msg: b"text", aad: b"header" })?;
//! assert_eq!(sealed.len(), 4 + 16);
//! assert_eq!(cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"header" })?, b"text");
//! assert!(cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"other" }).is_err());
//! # }
//! # Ok::<(), evariste_rustcrypto::aes_gcm::Error>(())
//! ```

pub use crate::aes;
pub use aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};

use crate::aes::{Aes128, Aes256, AesCipher};
use crate::authenticated::authenticated;
use crate::length::made;
use aead::array::{Array, ArraySize};
use aead::consts::{U12, U13, U14, U15, U16};
use core::fmt;
use core::marker::PhantomData;
use evariste::{Backend, Gcm, KeyError};
use zeroize::ZeroizeOnDrop;

/// Longest additional data: 2^61 − 1 bytes (SP 800-38D §5.2.1.1).
pub const A_MAX: u64 = evariste::limits::GCM_AAD;

/// Longest text: 2^36 − 32 bytes (SP 800-38D §5.2.1.1).
pub const P_MAX: u64 = evariste::limits::GCM_TEXT;

/// A nonce of `NonceSize` bytes, at least one; 12 are usual and fast.
pub type Nonce<NonceSize> = Array<u8, NonceSize>;

/// A tag of `TagSize` bytes.
pub type Tag<TagSize = U16> = Array<u8, TagSize>;

/// AES-128-GCM: a key of 16 bytes, nonces of 12, tags of 16.
pub type Aes128Gcm = AesGcm<Aes128, U12>;

/// AES-256-GCM: a key of 32 bytes, nonces of 12, tags of 16.
pub type Aes256Gcm = AesGcm<Aes256, U12>;

/// Lengths of tags: 12 to 16 bytes; with the feature `hazmat` 4 and 8, for protocols that bound messages and forgeries
/// as SP 800-38D appendix C demands. Sealed.
pub trait TagSize: crate::length::Length + sealed::TagSize {}

mod sealed {
    pub trait TagSize {
        /// Whether these are tags that the core wants to be asked for.
        const SHORT: bool = false;
    }
}

macro_rules! tag_size {
    ($($size:ty),*) => {
        $(impl sealed::TagSize for $size {}
        impl TagSize for $size {})*
    };
}

tag_size!(U12, U13, U14, U15, U16);

#[cfg(feature = "hazmat")]
mod short {
    use aead::consts::{U4, U8};

    impl super::sealed::TagSize for U4 {
        const SHORT: bool = true;
    }
    impl super::TagSize for U4 {}

    impl super::sealed::TagSize for U8 {
        const SHORT: bool = true;
    }
    impl super::TagSize for U8 {}
}

/// AES-GCM with nonces of `NonceSize` bytes and tags of `TagSize`.
///
/// A nonce must never be used twice under one key. Text is at most [`P_MAX`] bytes, additional data at most [`A_MAX`],
/// and a nonce at least one byte; anything else is [`Error`] before a byte of output is written. A message that is not
/// authentic is `Error` and leaves zeros. `Debug` shows no key; it is wiped on drop.
pub struct AesGcm<Aes, NonceSize, TagSize = U16>
where
    TagSize: self::TagSize,
{
    pub(crate) mode: Gcm,
    sizes: PhantomData<(Aes, NonceSize, TagSize)>,
}

impl<Aes, NonceSize, TagSize: self::TagSize> AesGcm<Aes, NonceSize, TagSize> {
    #[inline]
    pub(crate) fn with_key(key: &[u8]) -> Self {
        let new = if TagSize::SHORT { Gcm::with_short_tag } else { Gcm::with_tag_len };
        Self::of(new(key, Backend::active(), TagSize::USIZE))
    }

    #[inline]
    fn of(mode: Result<Gcm, KeyError>) -> Self {
        Self { mode: made(mode), sizes: PhantomData }
    }
}

impl<Aes: AesCipher, NonceSize, TagSize: self::TagSize> From<Aes> for AesGcm<Aes, NonceSize, TagSize> {
    fn from(aes: Aes) -> Self {
        let new = if TagSize::SHORT { Gcm::from_aes_short_tag } else { Gcm::from_aes };
        Self::of(new(aes.as_core(), TagSize::USIZE))
    }
}

impl<Aes: KeySizeUser, NonceSize, TagSize: self::TagSize> KeySizeUser for AesGcm<Aes, NonceSize, TagSize> {
    type KeySize = Aes::KeySize;
}

impl<Aes: AesCipher, NonceSize, TagSize: self::TagSize> KeyInit for AesGcm<Aes, NonceSize, TagSize> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_key(key)
    }
}

authenticated!([Aes: AesCipher, NonceSize: ArraySize, TagSize: self::TagSize] AesGcm<Aes, NonceSize, TagSize>, NonceSize, TagSize);

impl<Aes, NonceSize, TagSize: self::TagSize> Clone for AesGcm<Aes, NonceSize, TagSize> {
    fn clone(&self) -> Self {
        Self { mode: self.mode.clone(), sizes: PhantomData }
    }
}

impl<Aes, NonceSize, TagSize: self::TagSize> fmt::Debug for AesGcm<Aes, NonceSize, TagSize> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesGcm").finish_non_exhaustive()
    }
}

impl<Aes, NonceSize, TagSize: self::TagSize> ZeroizeOnDrop for AesGcm<Aes, NonceSize, TagSize> {}
