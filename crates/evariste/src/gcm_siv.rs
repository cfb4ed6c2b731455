//! AES-GCM-SIV (RFC 8452): a nonce used twice tells no more than whether two messages are equal.

use crate::aead::refuse;
use crate::backend::Imp;
use crate::block::padded;
use crate::key::{AesKey, HashKey};
use crate::{Aead, Aes, AuthError, Backend, Block, InOut, KeyError, LimitError, Tag, ct, limits};
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
#[derive(Clone, Debug)]
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
        let mut siv = Self { backend, key: AesKey::ZERO };
        siv.rekey(key)?;
        Ok(siv)
    }

    /// Replaces the key in place, which leaves no copy of it elsewhere.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 16 or 32 bytes; the old key stays then.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyError> {
        if key.len() == 24 {
            return Err(KeyError::Length);
        }
        self.backend.imp().expand(key, &mut self.key)
    }

    /// With the cipher of `aes` as the key-generating key, on its backend.
    ///
    /// # Errors
    /// [`KeyError::Length`] if that is AES-192.
    pub fn from_aes(aes: &Aes) -> Result<Self, KeyError> {
        if aes.forward().rounds == 12 {
            return Err(KeyError::Length);
        }
        Ok(Self { backend: aes.backend(), key: aes.forward().clone() })
    }
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
        let nonce = nonce.try_into().map_err(|_| LimitError::Nonce)?;
        Ok(Tag::new(self.backend.imp().siv(&self.key, nonce, aad, data, None), 16))
    }

    fn open_inout(&self, nonce: &[u8], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
        let (Ok(nonce), Ok(tag)) = (nonce.try_into(), tag.try_into()) else { return refuse(data.output()) };
        if limits::gcm_siv(12, aad.len(), data.len()).is_err() {
            return refuse(data.output());
        }
        let expected = self.backend.imp().siv(&self.key, nonce, aad, data.reborrow(), Some(tag));
        if ct::tags_equal(expected, tag) { Ok(()) } else { refuse(data.output()) }
    }
}

/// A message by the parts of any backend: without a `tag` it is sealed, with one decrypted. Returns the tag it has, or
/// should have.
// One copy, and none in the code for short messages: kernels call it as `dyn Imp`.
#[inline(never)]
pub(crate) fn message<B: Imp + ?Sized>(
    imp: &B,
    key: &AesKey,
    nonce: &[u8; 12],
    aad: &[u8],
    mut data: InOut<'_>,
    tag: Option<&Block>,
) -> u128 {
    let mut keys = Derived::ZERO;
    keys.derive(imp, key, nonce, blocks(aad, data.len()));
    let lengths = lengths(aad.len(), data.len());
    let mut acc = 0;
    keys.absorb(imp, &mut acc, aad);
    let Some(tag) = tag else {
        let (whole, tail) = data.input().as_chunks();
        imp.polyval(&keys.auth, &mut acc, whole);
        let tag = keys.tag(imp, acc, tail, lengths);
        keys.ctr(imp, counter(tag), data);
        return u128::from_ne_bytes(tag);
    };
    let mut ctr = counter(*tag);
    let whole = data.reborrow().into_blocks().0;
    let done = imp.siv_open_strides(&keys.enc, &keys.auth, &mut ctr, &mut acc, whole);
    let (_, mut rest) = data.split_at(16 * done);
    keys.ctr(imp, ctr, rest.reborrow());
    let (whole, tail) = rest.written().as_chunks();
    imp.polyval(&keys.auth, &mut acc, whole);
    u128::from_ne_bytes(keys.tag(imp, acc, tail, lengths))
}

/// Where AES_CTR starts: at the tag, its highest bit set (§4).
fn counter(mut tag: Block) -> Block {
    tag[15] |= 0x80;
    tag
}

/// The length block (§4).
pub(crate) fn lengths(aad: usize, text: usize) -> Block {
    (((text as u128 * 8) << 64) | (aad as u128 * 8)).to_le_bytes()
}

/// Blocks to hash, for as many powers as pay.
fn blocks(aad: &[u8], text: usize) -> usize {
    aad.len().div_ceil(16).max(text.div_ceil(16))
}

/// What one nonce makes of the key.
struct Derived {
    auth: HashKey,
    enc: AesKey,
    nonce: Block,
}

impl Derived {
    const ZERO: Self = Self { auth: HashKey::ZERO, enc: AesKey::ZERO, nonce: [0; 16] };

    /// derive_keys (§4), in place, since to move keys takes 20 ns.
    fn derive<B: Imp + ?Sized>(&mut self, imp: &B, key: &AesKey, nonce: &[u8; 12], blocks: usize) {
        let halves = if key.rounds == 10 { 4 } else { 6 };
        let mut counters = [[0; 16]; 6];
        for (n, block) in counters.iter_mut().enumerate() {
            block[0] = n as u8;
            block[4..].copy_from_slice(nonce);
        }
        imp.encrypt(key, &mut counters[..halves]);
        let mut keys = [0; 48];
        for (half, block) in keys.as_chunks_mut::<8>().0.iter_mut().zip(&counters) {
            half.copy_from_slice(&block[..8]);
        }
        self.nonce = padded(nonce);
        imp.hash_key(u128::from_le_bytes(padded(&keys[..16])), blocks, &mut self.auth);
        let expanded = imp.expand(&keys[16..8 * halves], &mut self.enc);
        debug_assert!(expanded.is_ok(), "16 or 32 bytes");
        keys.zeroize();
        counters.as_flattened_mut().zeroize();
    }

    /// Absorbs the additional data, padded.
    fn absorb<B: Imp + ?Sized>(&self, imp: &B, acc: &mut u128, aad: &[u8]) {
        let (whole, tail) = aad.as_chunks();
        imp.polyval(&self.auth, acc, whole);
        if !tail.is_empty() {
            imp.polyval(&self.auth, acc, &[padded(tail)]);
        }
    }

    /// The tag, from the hash of all but the text's `tail` and the lengths (§4).
    fn tag<B: Imp + ?Sized>(&self, imp: &B, mut acc: u128, tail: &[u8], lengths: Block) -> Block {
        let last = [padded(tail), lengths];
        imp.polyval(&self.auth, &mut acc, &last[tail.is_empty() as usize..]);
        acc ^= u128::from_le_bytes(self.nonce);
        let mut tag = [(acc & !(1 << 127)).to_le_bytes()];
        imp.encrypt(&self.enc, &mut tag);
        tag[0]
    }

    /// AES_CTR from `ctr` on (§4).
    fn ctr<B: Imp + ?Sized>(&self, imp: &B, mut ctr: Block, data: InOut<'_>) {
        let (whole, tail) = data.into_blocks();
        imp.ctr32_le(&self.enc, &mut ctr, whole);
        if !tail.is_empty() {
            tail.xor(&*imp.keystream(&self.enc, &ctr));
        }
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
