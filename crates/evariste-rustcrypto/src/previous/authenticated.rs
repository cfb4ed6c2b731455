//! aead 0.5's traits over the core's: every mode goes through these two functions.

use aead_05::Error;
use aead_05::generic_array::{ArrayLength, GenericArray};
use evariste::Aead;

#[inline(always)]
pub(crate) fn seal<N: ArrayLength<u8>, T: ArrayLength<u8>>(
    aead: &impl Aead,
    nonce: &GenericArray<u8, N>,
    aad: &[u8],
    data: &mut [u8],
) -> Result<GenericArray<u8, T>, Error> {
    let made = aead.seal(nonce, aad, data).map_err(|_| Error)?;
    // `clone_from_slice` goes byte by byte, and whoever reads the tag at once waits for all of them: 10 ns (Zen 4,
    // 2026-12-01).
    let mut tag = GenericArray::default();
    if made.len() != T::USIZE {
        return Err(Error);
    }
    tag.copy_from_slice(&made);
    Ok(tag)
}

/// On failure the text is zeroed, by the core.
#[inline(always)]
pub(crate) fn open<N: ArrayLength<u8>, T: ArrayLength<u8>>(
    aead: &impl Aead,
    nonce: &GenericArray<u8, N>,
    aad: &[u8],
    data: &mut [u8],
    tag: &GenericArray<u8, T>,
) -> Result<(), Error> {
    aead.open(nonce, aad, data, tag).map_err(|_| Error)
}

/// `AeadCore` and `AeadInPlace` for a type whose core is its field `mode`.
macro_rules! authenticated {
    ([$($generics:tt)*] $type:ty, $nonce:ty, $tag:ty) => {
        impl<$($generics)*> aead_05::AeadCore for $type {
            type NonceSize = $nonce;
            type TagSize = $tag;
            type CiphertextOverhead = aead_05::consts::U0;
        }

        impl<$($generics)*> aead_05::AeadInPlace for $type {
            #[inline]
            fn encrypt_in_place_detached(
                &self,
                nonce: &aead_05::Nonce<Self>,
                associated_data: &[u8],
                buffer: &mut [u8],
            ) -> aead_05::Result<aead_05::Tag<Self>> {
                super::authenticated::seal(&self.mode, nonce, associated_data, buffer)
            }

            #[inline]
            fn decrypt_in_place_detached(
                &self,
                nonce: &aead_05::Nonce<Self>,
                associated_data: &[u8],
                buffer: &mut [u8],
                tag: &aead_05::Tag<Self>,
            ) -> aead_05::Result<()> {
                super::authenticated::open(&self.mode, nonce, associated_data, buffer, tag)
            }
        }
    };
}

/// `KeySizeUser` and `KeyInit` for a type with a function `with_key`.
macro_rules! key_init {
    ([$($generics:tt)*] $type:ty, $key:ty) => {
        impl<$($generics)*> aead_05::KeySizeUser for $type {
            type KeySize = $key;
        }

        impl<$($generics)*> aead_05::KeyInit for $type {
            #[inline]
            fn new(key: &aead_05::Key<Self>) -> Self {
                Self::with_key(key)
            }
        }
    };
}

pub(crate) use {authenticated, key_init};
