//! AES-CCM (SP 800-38C), with the names of the crate `ccm` 0.6.
//!
//! ```
//! use evariste_rustcrypto::aes::Aes128;
//! use evariste_rustcrypto::ccm::{Ccm, KeyInit, aead::AeadInOut, consts::{U8, U13}};
//!
//! let ccm = Ccm::<Aes128, U8, U13>::new(&[7; 16].into()); // tags of 8 bytes, nonces of 13
//! let mut data = *b"text";
//! let tag = ccm.encrypt_inout_detached(&[0; 13].into(), b"header", (&mut data[..]).into())?;
//! ccm.decrypt_inout_detached(&[0; 13].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_rustcrypto::ccm::Error>(())
//! ```

pub use aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, consts};

use crate::aes::AesCipher;
use crate::authenticated::authenticated;
use crate::length::made;
use aead::array::Array;
use consts::{U4, U6, U7, U8, U9, U10, U11, U12, U13, U14, U16};
use core::fmt;
use core::marker::PhantomData;
use evariste::{Backend, KeyError};
use zeroize::ZeroizeOnDrop;

/// A nonce of `NonceSize` bytes.
pub type Nonce<NonceSize> = Array<u8, NonceSize>;

/// A tag of `TagSize` bytes.
pub type Tag<TagSize> = Array<u8, TagSize>;

/// Lengths of tags: 4, 6, 8, 10, 12, 14 or 16 bytes (SP 800-38C §A.1). Those below 8 are for protocols that bound the
/// forgeries tried under a key (appendix B). Sealed.
pub trait TagSize: crate::length::Length + sealed::TagSize {}

/// Lengths of nonces: 7 to 13 bytes (SP 800-38C §A.1). Sealed.
pub trait NonceSize: crate::length::Length + sealed::NonceSize {}

mod sealed {
    pub trait TagSize {
        /// Whether these are tags that the core wants to be asked for.
        const SHORT: bool;
    }

    pub trait NonceSize {}
}

macro_rules! tag_size {
    ($short:literal: $($size:ty),*) => {
        $(impl sealed::TagSize for $size {
            const SHORT: bool = $short;
        }
        impl TagSize for $size {})*
    };
}

macro_rules! nonce_size {
    ($($size:ty),*) => {
        $(impl sealed::NonceSize for $size {}
        impl NonceSize for $size {})*
    };
}

tag_size!(true: U4, U6);
tag_size!(false: U8, U10, U12, U14, U16);
nonce_size!(U7, U8, U9, U10, U11, U12, U13);

/// AES-CCM over the cipher `C`, with tags of `M` bytes and nonces of `N`.
///
/// A nonce must never be used twice under one key. Text is shorter than 2^(8·(15 − N)) bytes; longer is [`Error`] before
/// a byte of output is written. A message that is not authentic is `Error` and leaves zeros. `Debug` shows no key; it is
/// wiped on drop.
pub struct Ccm<C: AesCipher, M: TagSize, N: NonceSize> {
    pub(crate) mode: evariste::Ccm,
    sizes: PhantomData<(C, M, N)>,
}

impl<C: AesCipher, M: TagSize, N: NonceSize> Ccm<C, M, N> {
    #[inline]
    pub(crate) fn with_key(key: &[u8]) -> Self {
        let new = if M::SHORT { evariste::Ccm::with_short_tag } else { evariste::Ccm::with_tag_len };
        Self::of(new(key, Backend::active(), M::USIZE))
    }

    #[inline]
    fn of(mode: Result<evariste::Ccm, KeyError>) -> Self {
        Self { mode: made(mode), sizes: PhantomData }
    }
}

impl<C: AesCipher, M: TagSize, N: NonceSize> From<C> for Ccm<C, M, N> {
    fn from(aes: C) -> Self {
        let new = if M::SHORT { evariste::Ccm::from_aes_short_tag } else { evariste::Ccm::from_aes };
        Self::of(new(aes.as_core(), M::USIZE))
    }
}

impl<C: AesCipher, M: TagSize, N: NonceSize> KeySizeUser for Ccm<C, M, N> {
    type KeySize = C::KeySize;
}

impl<C: AesCipher, M: TagSize, N: NonceSize> KeyInit for Ccm<C, M, N> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_key(key)
    }
}

authenticated!([C: AesCipher, M: TagSize, N: NonceSize] Ccm<C, M, N>, N, M);

impl<C: AesCipher, M: TagSize, N: NonceSize> Clone for Ccm<C, M, N> {
    fn clone(&self) -> Self {
        Self { mode: self.mode.clone(), sizes: PhantomData }
    }
}

impl<C: AesCipher, M: TagSize, N: NonceSize> fmt::Debug for Ccm<C, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ccm").finish_non_exhaustive()
    }
}

impl<C: AesCipher, M: TagSize, N: NonceSize> ZeroizeOnDrop for Ccm<C, M, N> {}
