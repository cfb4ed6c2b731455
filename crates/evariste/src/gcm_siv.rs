//! AES-GCM-SIV (RFC 8452): a nonce used twice tells no more than whether two messages are equal.

use crate::aead::refuse;
use crate::block::padded;
use crate::key::{AesKey, HashKey};
use crate::{Aead, AuthError, Backend, Block, InOut, KeyError, LimitError, Tag, ct, limits};
use zeroize::Zeroize;

/// AES-GCM-SIV with a key of 16 or 32 bytes, nonces of 12 and tags of 16 (RFC 8452).
///
/// Text and additional data are at most 2^36 bytes each (§6). Opening decrypts before it can verify, and
/// zeroes what is not authentic.
///
/// ```
/// use evariste::{Aead, GcmSiv};
///
/// let siv = GcmSiv::new(&[7; 32])?;
/// let mut data = *b"text";
/// let tag = siv.seal(&[0; 12], b"header", &mut data)?;
/// siv.open(&[0; 12], b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GcmSiv {
    backend: Backend,
    /// The key-generating key.
    key: AesKey,
}

impl GcmSiv {
    /// Expands `key` on the active backend.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 16 or 32 bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyError> {
        Self::with_backend(key, Backend::active())
    }

    /// As [`new`](Self::new), on the backend of the caller's choice.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyError> {
        if key.len() == 24 {
            return Err(KeyError::Length);
        }
        let mut siv = Self { backend, key: AesKey::ZERO };
        backend.imp().expand(key, &mut siv.key)?;
        Ok(siv)
    }

    /// derive_keys (§4): the keys of one nonce, in place, since to move them takes 20 ns.
    fn derive(&self, nonce: &[u8], blocks: usize, derived: &mut Derived) {
        let imp = self.backend.imp();
        let halves = if self.key.rounds == 10 { 4 } else { 6 };
        let mut counters = [[0; 16]; 6];
        for (n, block) in counters.iter_mut().enumerate() {
            block[0] = n as u8;
            block[4..].copy_from_slice(&nonce[..12]);
        }
        imp.encrypt(&self.key, &mut counters[..halves]);
        let mut keys = [0; 48];
        for (half, block) in keys.as_chunks_mut::<8>().0.iter_mut().zip(&counters) {
            half.copy_from_slice(&block[..8]);
        }
        derived.nonce = padded(&nonce[..12]);
        imp.hash_key(u128::from_le_bytes(padded(&keys[..16])), blocks, &mut derived.auth);
        let expanded = imp.expand(&keys[16..8 * halves], &mut derived.enc);
        debug_assert!(expanded.is_ok(), "16 or 32 bytes");
        keys.zeroize();
        counters.as_flattened_mut().zeroize();
    }

    /// The tag of `text`, which is not encrypted yet, or no longer (§4).
    fn tag(&self, keys: &Derived, aad: &[u8], text: &[u8]) -> Block {
        let imp = self.backend.imp();
        let mut acc = 0;
        let (whole, tail) = aad.as_chunks();
        imp.polyval(&keys.auth, &mut acc, whole);
        if !tail.is_empty() {
            imp.polyval(&keys.auth, &mut acc, &[padded(tail)]);
        }
        let (whole, tail) = text.as_chunks();
        imp.polyval(&keys.auth, &mut acc, whole);
        let lengths = ((text.len() as u128 * 8) << 64) | (aad.len() as u128 * 8);
        let last = [padded(tail), lengths.to_le_bytes()];
        imp.polyval(&keys.auth, &mut acc, &last[tail.is_empty() as usize..]);
        acc ^= u128::from_le_bytes(keys.nonce);
        let mut tag = [(acc & !(1 << 127)).to_le_bytes()];
        imp.encrypt(&keys.enc, &mut tag);
        tag[0]
    }

    /// AES_CTR (§4): the counter starts at the tag, its highest bit set.
    fn ctr(&self, keys: &Derived, tag: Block, data: InOut<'_>) {
        let imp = self.backend.imp();
        let mut ctr = tag;
        ctr[15] |= 0x80;
        let (whole, tail) = data.into_blocks();
        imp.ctr32_le(&keys.enc, &mut ctr, whole);
        if !tail.is_empty() {
            tail.xor(&*imp.keystream(&keys.enc, &ctr));
        }
    }
}

/// What one nonce makes of the key.
struct Derived {
    auth: HashKey,
    enc: AesKey,
    nonce: Block,
}

impl Derived {
    const ZERO: Self = Self { auth: HashKey::ZERO, enc: AesKey::ZERO, nonce: [0; 16] };
}

/// Blocks to hash, for as many powers as pay.
fn blocks(aad: &[u8], text: usize) -> usize {
    aad.len().div_ceil(16).max(text.div_ceil(16))
}

impl Aead for GcmSiv {
    fn backend(&self) -> Backend {
        self.backend
    }

    fn tag_len(&self) -> usize {
        16
    }

    fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError> {
        limits::gcm_siv(nonce.len(), aad.len(), data.len())?;
        let mut keys = Derived::ZERO;
        self.derive(nonce, blocks(aad, data.len()), &mut keys);
        let tag = self.tag(&keys, aad, data.input());
        self.ctr(&keys, tag, data);
        Ok(Tag::new(u128::from_ne_bytes(tag), 16))
    }

    fn open_inout(&self, nonce: &[u8], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
        let Ok(tag) = tag.try_into() else { return refuse(data.output()) };
        if limits::gcm_siv(nonce.len(), aad.len(), data.len()).is_err() {
            return refuse(data.output());
        }
        let mut keys = Derived::ZERO;
        self.derive(nonce, blocks(aad, data.len()), &mut keys);
        self.ctr(&keys, tag, data.reborrow());
        let expected = self.tag(&keys, aad, data.written());
        if ct::tags_equal(u128::from_ne_bytes(expected), &tag) { Ok(()) } else { refuse(data.output()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8452 appendix C.1, the first two results.
    #[test]
    fn rfc8452_appendix_c1() {
        let mut key = [0; 16];
        key[0] = 1;
        let mut nonce = [0; 12];
        nonce[0] = 3;
        for b in Backend::available() {
            let siv = GcmSiv::with_backend(&key, b).expect("16 bytes");
            let tag = siv.seal(&nonce, &[], &mut []).expect("within limits");
            assert_eq!(*tag, 0xdc20e2d83f25705bb49e439eca56de25u128.to_be_bytes(), "{b}");
            let mut data = [1, 0, 0, 0, 0, 0, 0, 0];
            let tag = siv.seal(&nonce, &[], &mut data).expect("within limits");
            assert_eq!(data, 0xb5d839330ac7b786u64.to_be_bytes(), "{b}");
            assert_eq!(*tag, 0x578782fff6013b815b287c22493a364cu128.to_be_bytes(), "{b}");
        }
    }

    /// RFC 8452 appendix C.3: the counter wraps in its 32 bits.
    #[test]
    fn rfc8452_appendix_c3() {
        let key = [0; 32];
        let text = [
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4d, 0xb9,
            0x23, 0xdc, 0x79, 0x3e, 0xe6, 0x49, 0x7c, 0x76, 0xdc, 0xc0, 0x3a, 0x98, 0xe1, 0x08,
        ];
        let sealed = [
            0xf3, 0xf8, 0x0f, 0x2c, 0xf0, 0xcb, 0x2d, 0xd9, 0xc5, 0x98, 0x4f, 0xcd, 0xa9, 0x08, 0x45, 0x6c, 0xc5, 0x37,
            0x70, 0x3b, 0x5b, 0xa7, 0x03, 0x24, 0xa6, 0x79, 0x3a, 0x7b, 0xf2, 0x18, 0xd3, 0xea, 0xff, 0xff, 0xff, 0xff,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ];
        for b in Backend::available() {
            let siv = GcmSiv::with_backend(&key, b).expect("32 bytes");
            let mut out = [0; 48];
            siv.seal_appended(&[0; 12], &[], &text, &mut out).expect("within limits");
            assert_eq!(out, sealed, "{b}");
            assert_eq!(siv.open_in_place(&[0; 12], &[], &mut out).expect("authentic"), text);
        }
        assert_eq!(GcmSiv::new(&[0; 24]).err(), Some(KeyError::Length));
    }
}
