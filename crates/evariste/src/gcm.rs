//! Galois/Counter Mode (SP 800-38D), written once for every backend.

mod many;
mod pieces;
mod random;
mod stream;

pub use pieces::GcmPieces;
pub use random::GcmRandom;
pub use stream::{GcmOpener, GcmSealer, GcmStream};

use crate::aead::refuse;
use crate::backend::Imp;
use crate::block::{Counter, padded};
use crate::field::mulx;
use crate::key::{GcmKey, HashKey, Secret};
use crate::{Aead, Aes, AuthError, Backend, Block, InOut, KeyError, LimitError, Message, Tag, ct, limits};

/// AES-GCM with a key of 16, 24 or 32 bytes (SP 800-38D).
///
/// Nonces have any length of at least one byte; 12 is the usual and the fast one. A nonce must never
/// be used twice under one key: that gives away the texts and the means to forge. Text is at most
/// 2^36 − 32 bytes, additional data at most 2^61 − 1 (§5.2.1.1).
///
/// ```
/// use evariste::{Aead, Gcm};
///
/// let gcm = Gcm::new(&[7; 32])?;
/// let mut data = *b"attack at dawn";
/// let tag = gcm.seal(&[0; 12], b"header", &mut data)?;
/// gcm.open(&[0; 12], b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// assert!(gcm.open(&[0; 12], b"other", &mut data, &tag).is_err());
/// assert_eq!(data, [0; 14]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gcm {
    backend: Backend,
    /// What the backend takes as a short message, kept here to save a call.
    short: usize,
    tag_len: u8,
    key: GcmKey,
}

impl Gcm {
    /// Expands `key` on the active backend; tags have 16 bytes.
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
        Self::build(key, backend, 16, usize::MAX)
    }

    /// As [`with_backend`](Self::with_backend), for messages of at most `longest` bytes, as
    /// [`rekey_for`](Self::rekey_for) says.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_backend_for(key: &[u8], backend: Backend, longest: usize) -> Result<Self, KeyError> {
        Self::build(key, backend, 16, longest)
    }

    /// With tags of 12 to 16 bytes (§5.2.1.2).
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KeyError::Tag`] for any other length.
    pub fn with_tag_len(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        Self::build(key, backend, limits::gcm_tag(tag_len, false)?, usize::MAX)
    }

    /// With tags of 4 or 8 bytes, for protocols that bound the messages and the forgeries tried under a
    /// key as SP 800-38D appendix C demands: each forged message helps the next one.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KeyError::Tag`] for any other length.
    pub fn with_short_tag(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        Self::build(key, backend, limits::gcm_tag(tag_len, true)?, usize::MAX)
    }

    /// With the cipher of `aes`, on its backend; tags have 12 to 16 bytes.
    ///
    /// # Errors
    /// [`KeyError::Tag`] for any other length.
    pub fn from_aes(aes: &Aes, tag_len: usize) -> Result<Self, KeyError> {
        Ok(Self::over(aes, limits::gcm_tag(tag_len, false)?))
    }

    /// As [`from_aes`](Self::from_aes), with the tags of [`with_short_tag`](Self::with_short_tag).
    ///
    /// # Errors
    /// [`KeyError::Tag`] unless tags have 4 or 8 bytes.
    pub fn from_aes_short_tag(aes: &Aes, tag_len: usize) -> Result<Self, KeyError> {
        Ok(Self::over(aes, limits::gcm_tag(tag_len, true)?))
    }

    /// The key without the key schedule: H from the round keys that are there (§6.3).
    fn over(aes: &Aes, tag_len: u8) -> Self {
        let backend = aes.backend();
        let imp = backend.imp();
        let mut gcm =
            Self { backend, short: 0, tag_len, key: GcmKey { aes: aes.forward().clone(), hash: HashKey::ZERO } };
        let h = imp.keystream(&gcm.key.aes, &[0; 16]);
        imp.hash_key(mulx(u128::from_be_bytes(*h)), usize::MAX, &mut gcm.key.hash);
        gcm.short = imp.short(&gcm.key.hash);
        gcm
    }

    #[inline]
    pub(crate) fn build(key: &[u8], backend: Backend, tag_len: u8, longest: usize) -> Result<Self, KeyError> {
        let mut gcm = Self { backend, short: 0, tag_len, key: GcmKey::ZERO };
        gcm.rekey_for(key, longest)?;
        Ok(gcm)
    }

    /// Replaces the key in place, which saves moving two kilobytes.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 16, 24 or 32 bytes; the old key stays then.
    #[inline]
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyError> {
        self.rekey_for(key, usize::MAX)
    }

    /// Replaces the key in place by one for messages of at most `longest` bytes, which takes a third of the time if
    /// these are few: those that are sealed or opened in place, under a nonce of 12 bytes and with at most 16 bytes of
    /// additional data. All others, and longer ones, are right all the same, but slow before
    /// [`prepare`](Self::prepare)`(usize::MAX)`.
    ///
    /// # Errors
    /// As [`rekey`](Self::rekey).
    #[inline]
    pub fn rekey_for(&mut self, key: &[u8], longest: usize) -> Result<(), KeyError> {
        let imp = self.backend.imp();
        imp.gcm_key(key, longest.div_ceil(16).saturating_add(2), &mut self.key)?;
        self.short = imp.short(&self.key.hash);
        Ok(())
    }

    /// Makes what a key from [`rekey_for`](Self::rekey_for) for shorter messages lacks for those of `longest` bytes.
    /// Of a complete key this takes no time.
    #[inline]
    pub fn prepare(&mut self, longest: usize) {
        let imp = self.backend.imp();
        if longest > self.short {
            imp.complete(&mut self.key.hash, longest.div_ceil(16).saturating_add(2));
            self.short = imp.short(&self.key.hash);
        }
    }

    /// Tags have 12 to 16 bytes from now on (§5.2.1.2).
    ///
    /// # Errors
    /// [`KeyError::Tag`] for any other length; the old one stays then.
    #[inline]
    pub fn set_tag_len(&mut self, tag_len: usize) -> Result<(), KeyError> {
        self.tag_len = limits::gcm_tag(tag_len, false)?;
        Ok(())
    }

    /// Tags have 4 or 8 bytes from now on; see [`with_short_tag`](Self::with_short_tag).
    ///
    /// # Errors
    /// As [`set_tag_len`](Self::set_tag_len).
    pub fn set_short_tag_len(&mut self, tag_len: usize) -> Result<(), KeyError> {
        self.tag_len = limits::gcm_tag(tag_len, true)?;
        Ok(())
    }

    /// GMAC: the tag over `data`, which stays as it is (SP 800-38D §3).
    ///
    /// # Errors
    /// [`LimitError`] for an empty nonce or more than 2^61 − 1 bytes.
    #[inline]
    pub fn mac(&self, nonce: &[u8], data: &[u8]) -> Result<Tag, LimitError> {
        limits::gcm(nonce.len(), data.len(), 0)?;
        let tag = match nonce.try_into() {
            Ok(iv) => self.backend.imp().mac(&self.key, iv, data),
            Err(_) => self.other_iv::<true>(nonce, data, (&mut []).into()),
        };
        Ok(Tag::new(tag, self.tag_len))
    }

    /// Checks a GMAC tag in constant time.
    ///
    /// # Errors
    /// [`AuthError`] when it is not the tag of `data` under `nonce`.
    #[inline]
    pub fn verify_mac(&self, nonce: &[u8], data: &[u8], tag: &[u8]) -> Result<(), AuthError> {
        let expected = self.mac(nonce, data)?;
        let is_whole = tag.len() == expected.len();
        if is_whole && ct::tags_equal(expected.number(), tag) { Ok(()) } else { Err(AuthError) }
    }

    /// All of a message with a nonce of 96 bits; its tag, or the one that it should have, as a number.
    #[inline(always)]
    fn at_once<const SEAL: bool>(&self, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
        let imp = self.backend.imp();
        let is_short = data.len() <= self.short && aad.len() <= 16 && data.is_in_place();
        match (SEAL, is_short) {
            (true, true) => imp.seal_short(&self.key, iv, aad, data.into_output()),
            (true, false) => imp.seal_long(&self.key, iv, aad, data),
            (false, true) => imp.open_short(&self.key, iv, aad, data.into_output()),
            (false, false) => imp.open_long(&self.key, iv, aad, data),
        }
    }

    /// The way of nonces that are not 96 bits long, kept out of the common one.
    #[cold]
    #[inline(never)]
    fn other_iv<const SEAL: bool>(&self, iv: &[u8], aad: &[u8], data: InOut<'_>) -> u128 {
        message::<SEAL, _>(self.backend.imp(), &self.key, self.j0(iv), aad, data)
    }

    /// The pre-counter block (§7.1 step 2). Of a long nonce it is a hash, from which the hash key follows.
    fn j0(&self, iv: &[u8]) -> Secret<Counter> {
        match iv.try_into() {
            Ok(iv) => j0_96(iv),
            Err(_) => {
                let (imp, key, mut acc) = (self.backend.imp(), &self.key.hash, Secret(0));
                absorb(imp, key, &mut acc, iv);
                imp.ghash(key, &mut acc, &[lengths(0, iv.len() as u64)]);
                Secret(Counter { block: acc.to_be_bytes(), secret: true })
            }
        }
    }
}

impl Aead for Gcm {
    fn backend(&self) -> Backend {
        self.backend
    }

    fn tag_len(&self) -> usize {
        self.tag_len as usize
    }

    #[inline]
    fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError> {
        limits::gcm(nonce.len(), aad.len(), data.len())?;
        let tag = match nonce.try_into() {
            Ok(iv) => self.at_once::<true>(iv, aad, data),
            Err(_) => self.other_iv::<true>(nonce, aad, data),
        };
        Ok(Tag::new(tag, self.tag_len))
    }

    fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        self.seal_batch(messages)
    }

    fn open_many(&self, messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        self.open_batch(messages)
    }

    #[inline]
    fn open_inout(&self, nonce: &[u8], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
        if limits::gcm(nonce.len(), aad.len(), data.len()).is_err() || tag.len() != self.tag_len as usize {
            return refuse(data.output());
        }
        let expected = match nonce.try_into() {
            Ok(iv) => self.at_once::<false>(iv, aad, data.reborrow()),
            Err(_) => self.other_iv::<false>(nonce, aad, data.reborrow()),
        };
        if ct::tags_equal(expected, tag) { Ok(()) } else { refuse(data.output()) }
    }
}

/// J0 of a 96-bit IV: the IV and a counter of one.
#[inline(always)]
pub(crate) fn j0_96(iv: &[u8; 12]) -> Secret<Counter> {
    let mut j0 = padded(iv);
    j0[15] = 1;
    Secret(Counter::public(j0))
}

/// The length block: two 64-bit numbers of bits (§7.1 step 5).
#[inline(always)]
pub(crate) fn lengths(aad: u64, text: u64) -> Block {
    (((aad as u128 * 8) << 64) | (text as u128 * 8)).to_be_bytes()
}

/// A message on a backend that has no faster way; its tag, or the one it should have, as a number
/// (§7.1, §7.2).
// One copy, and none in the code for whole messages: kernels call it as `dyn Imp`.
#[inline(never)]
pub(crate) fn message<const SEAL: bool, B: Imp + ?Sized>(
    imp: &B,
    key: &GcmKey,
    j0: Secret<Counter>,
    aad: &[u8],
    data: InOut<'_>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, data.len() as u64);
    let (mut ctr, mut acc) = (Secret(*j0), Secret(0));
    ctr.advance(1);
    absorb(imp, &key.hash, &mut acc, aad);
    let (whole, mut tail) = data.into_blocks();
    if SEAL {
        imp.seal(key, &mut ctr, &mut acc, whole);
    } else {
        imp.open(key, &mut ctr, &mut acc, whole);
    }
    if !tail.is_empty() {
        if !SEAL {
            absorb(imp, &key.hash, &mut acc, tail.input());
        }
        tail.reborrow().xor(&*imp.keystream(&key.aes, &ctr.block));
        if SEAL {
            absorb(imp, &key.hash, &mut acc, tail.written());
        }
    }
    imp.ghash(&key.hash, &mut acc, &[lengths]);
    tag(imp, key, &j0, *acc)
}

/// GCTR of the hash under J0 (§7.1 step 6).
fn tag<B: Imp + ?Sized>(imp: &B, key: &GcmKey, j0: &Counter, acc: u128) -> u128 {
    u128::from_ne_bytes(acc.to_be_bytes()) ^ u128::from_ne_bytes(*imp.keystream(&key.aes, &j0.block))
}

/// GHASH of `bytes`, zero-padded to whole blocks.
fn absorb<B: Imp + ?Sized>(imp: &B, key: &HashKey, acc: &mut u128, bytes: &[u8]) {
    let (whole, tail) = bytes.as_chunks();
    imp.ghash(key, acc, whole);
    if !tail.is_empty() {
        imp.ghash(key, acc, &[padded(tail)]);
    }
}
