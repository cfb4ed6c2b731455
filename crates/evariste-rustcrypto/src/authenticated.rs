//! aead 0.6's traits over the core's: every mode goes through these two functions.

use aead::Error;
use aead::array::{Array, ArraySize};
use aead::inout::InOutBuf;
use evariste::Aead;

/// Seals in place; what is read elsewhere is copied first.
#[inline(always)]
pub(crate) fn seal<N: ArraySize, T: ArraySize>(
    aead: &impl Aead,
    nonce: &Array<u8, N>,
    aad: &[u8],
    mut buffer: InOutBuf<'_, '_, u8>,
) -> Result<Array<u8, T>, Error> {
    let (from, to) = buffer.reborrow().into_raw();
    let data = buffer.into_out_with_copied_in();
    match aead.seal(nonce, aad, data) {
        Ok(tag) => Array::try_from(&*tag).map_err(|_| Error),
        Err(_) => Err(refused(data, !core::ptr::eq(from, to))),
    }
}

/// Opens in place; what is read elsewhere is copied first. On failure the output is zeroed, by the core.
#[inline(always)]
pub(crate) fn open<N: ArraySize, T: ArraySize>(
    aead: &impl Aead,
    nonce: &Array<u8, N>,
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &Array<u8, T>,
) -> Result<(), Error> {
    aead.open(nonce, aad, buffer.into_out_with_copied_in(), tag).map_err(|_| Error)
}

/// A length outside the limits. Text in place stays as it is; a copy of it does not become the output.
#[cold]
#[inline(never)]
fn refused(data: &mut [u8], copied: bool) -> Error {
    if copied {
        data.fill(0);
    }
    Error
}

/// `AeadCore` and `AeadInOut` for a type whose core is its field `mode`.
macro_rules! authenticated {
    ([$($generics:tt)*] $type:ty, $nonce:ty, $tag:ty) => {
        impl<$($generics)*> aead::AeadCore for $type {
            type NonceSize = $nonce;
            type TagSize = $tag;
            const TAG_POSITION: aead::TagPosition = aead::TagPosition::Postfix;
        }

        impl<$($generics)*> aead::AeadInOut for $type {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: aead::inout::InOutBuf<'_, '_, u8>,
            ) -> aead::Result<aead::Tag<Self>> {
                crate::authenticated::seal(&self.mode, nonce, associated_data, buffer)
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: aead::inout::InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> aead::Result<()> {
                crate::authenticated::open(&self.mode, nonce, associated_data, buffer, tag)
            }
        }
    };
}

pub(crate) use authenticated;
