//! XAES-256-GCM (C2SP): AES-256-GCM with a nonce long enough to be drawn at random.

use crate::aead::refuse;
use crate::block::xor;
use crate::key::{AesKey, Secret};
use crate::{Aead, AuthError, Backend, Block, Gcm, InOut, KeyError, LimitError, Tag};
use zeroize::Zeroize;

/// XAES-256-GCM with a key of 32 bytes, nonces of 24 and tags of 16.
///
/// The first half of the nonce derives an AES-256-GCM key, the second half is its nonce: 2^80 messages
/// may be sealed under one key with random nonces. Lengths are limited as for [`Gcm`].
///
/// ```
/// use evariste::{Aead, Xaes256Gcm};
///
/// let xaes = Xaes256Gcm::new(&[7; 32])?;
/// let mut data = *b"text";
/// let tag = xaes.seal(&[9; 24], b"header", &mut data)?;
/// xaes.open(&[9; 24], b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Xaes256Gcm {
    backend: Backend,
    key: AesKey,
    /// K1 of CMAC (SP 800-38B §6.1).
    k1: Secret<Block>,
}

impl Xaes256Gcm {
    /// Expands `key` on the active backend.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 32 bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyError> {
        Self::with_backend(key, Backend::active())
    }

    /// As [`new`](Self::new), on the backend of the caller's choice.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyError> {
        let mut xaes = Self { backend, key: AesKey::ZERO, k1: Secret([0; 16]) };
        xaes.rekey(key)?;
        Ok(xaes)
    }

    /// Replaces the key in place, which leaves no copy of it elsewhere.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 32 bytes; the old key stays then.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyError> {
        if key.len() != 32 {
            return Err(KeyError::Length);
        }
        let imp = self.backend.imp();
        imp.expand(key, &mut self.key)?;
        let l = u128::from_be_bytes(*imp.keystream(&self.key, &[0; 16]));
        *self.k1 = ((l << 1) ^ ((l >> 127) * 0x87)).to_be_bytes();
        Ok(())
    }

    /// The AES-256-GCM key of one nonce: CMAC of two blocks, 00 01 'X' 00 and 00 02 'X' 00 before its
    /// first half.
    fn derive(&self, nonce: &[u8; 24], text: usize) -> Result<Gcm, KeyError> {
        let mut blocks = [[0, 1, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; 2];
        blocks[1][1] = 2;
        for block in &mut blocks {
            block[4..].copy_from_slice(&nonce[..12]);
            xor(block, &self.k1);
        }
        self.backend.imp().encrypt(&self.key, &mut blocks);
        let gcm = Gcm::build(blocks.as_flattened(), self.backend, 16, text);
        blocks.as_flattened_mut().zeroize();
        gcm
    }
}

impl Aead for Xaes256Gcm {
    fn backend(&self) -> Backend {
        self.backend
    }

    fn tag_len(&self) -> usize {
        16
    }

    fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError> {
        let nonce = nonce.try_into().map_err(|_| LimitError::Nonce)?;
        let gcm = self.derive(nonce, data.len()).map_err(|_| LimitError::Nonce)?;
        gcm.seal_inout(&nonce[12..], aad, data)
    }

    fn open_inout(&self, nonce: &[u8], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
        let Ok(nonce) = nonce.try_into() else { return refuse(data.output()) };
        let Ok(gcm) = self.derive(nonce, data.len()) else { return refuse(data.output()) };
        gcm.open_inout(&nonce[12..], aad, data, tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two test vectors of the specification.
    #[test]
    fn c2sp_vectors() {
        let nonce = b"ABCDEFGHIJKLMNOPQRSTUVWX";
        for b in Backend::available() {
            let mut data = *b"XAES-256-GCM";
            let one = Xaes256Gcm::with_backend(&[1; 32], b).expect("32 bytes");
            let tag = one.seal(nonce, &[], &mut data).expect("within limits");
            assert_eq!(data, [0xce, 0x54, 0x6e, 0xf6, 0x3c, 0x9c, 0xc6, 0x07, 0x65, 0x92, 0x36, 0x09], "{b}");
            assert_eq!(*tag, 0xb33a9a1974e96e52daf2fcf7075e2271u128.to_be_bytes(), "{b}");
            let mut data = *b"XAES-256-GCM";
            let three = Xaes256Gcm::with_backend(&[3; 32], b).expect("32 bytes");
            let tag = three.seal(nonce, b"c2sp.org/XAES-256-GCM", &mut data).expect("within limits");
            assert_eq!(data, [0x98, 0x6e, 0xc1, 0x83, 0x25, 0x93, 0xdf, 0x54, 0x43, 0xa1, 0x79, 0x43], "{b}");
            assert_eq!(*tag, 0x7fd083bf3fdb41abd740a21f71eb769du128.to_be_bytes(), "{b}");
            three.open(nonce, b"c2sp.org/XAES-256-GCM", &mut data, &tag).expect("authentic");
            assert_eq!(&data, b"XAES-256-GCM");
        }
    }
}
