//! The block cipher (FIPS 197).

use crate::key::AesKey;
use crate::{Backend, Block, KeyError};

/// AES with a key of 16, 24 or 32 bytes, on single blocks (ECB).
///
/// A building block: equal blocks give equal blocks, so texts want a mode around it.
///
/// ```
/// let aes = evariste::Aes::new(&[0; 16])?;
/// let mut blocks = [[0; 16], [1; 16]];
/// aes.encrypt(&mut blocks);
/// assert_eq!(blocks[0][..4], [0x66, 0xe9, 0x4b, 0xd4]);
/// aes.decrypt(&mut blocks);
/// assert_eq!(blocks, [[0; 16], [1; 16]]);
/// # Ok::<(), evariste::KeyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Aes {
    backend: Backend,
    forward: AesKey,
    inverse: AesKey,
}

impl Aes {
    /// Expands `key` on the active backend.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 16, 24 or 32 bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyError> {
        Self::with_backend(key, Backend::active())
    }

    /// As [`new`](Self::new), on the backend of the caller's choice.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyError> {
        let mut aes = Self { backend, forward: AesKey::ZERO, inverse: AesKey::ZERO };
        aes.rekey(key)?;
        Ok(aes)
    }

    /// Replaces the key in place, which leaves no copy of it elsewhere.
    ///
    /// # Errors
    /// As [`new`](Self::new); the old key stays then.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyError> {
        self.backend.imp().expand(key, &mut self.forward)?;
        self.backend.imp().expand_decrypt(&self.forward, &mut self.inverse);
        Ok(())
    }

    /// The backend chosen when the key was made.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The round keys of [`encrypt`](Self::encrypt), for the modes.
    pub(crate) fn forward(&self) -> &AesKey {
        &self.forward
    }

    /// CIPHER on each block (§5.1).
    pub fn encrypt(&self, blocks: &mut [Block]) {
        self.backend.imp().encrypt(&self.forward, blocks);
    }

    /// INVCIPHER on each block (§5.3).
    pub fn decrypt(&self, blocks: &mut [Block]) {
        self.backend.imp().decrypt(&self.inverse, blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197 appendix C.1 to C.3.
    #[test]
    fn fips197_appendix_c() {
        let key: [u8; 32] = core::array::from_fn(|i| i as u8);
        let text = 0x00112233445566778899aabbccddeeffu128.to_be_bytes();
        let cases = [
            (16, 0x69c4e0d86a7b0430d8cdb78070b4c55au128),
            (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
            (32, 0x8ea2b7ca516745bfeafc49904b496089),
        ];
        for b in Backend::available() {
            for (len, sealed) in cases {
                let aes = Aes::with_backend(&key[..len], b).expect("a key length");
                let mut blocks = [text; 37];
                aes.encrypt(&mut blocks);
                assert_eq!(blocks, [sealed.to_be_bytes(); 37], "{b} {len}");
                aes.decrypt(&mut blocks);
                assert_eq!(blocks, [text; 37], "{b} {len}");
            }
            assert_eq!(Aes::with_backend(&key[..20], b).err(), Some(KeyError::Length));
        }
    }
}
