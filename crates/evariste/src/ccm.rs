//! Counter with CBC-MAC (SP 800-38C).

mod many;
mod place;
mod stream;

pub use stream::{CcmOpener, CcmSealer, CcmStream};

use crate::aead::refuse;
use crate::block::padded;
use crate::ctr::carrying;
use crate::key::{AesKey, Secret};
use crate::{Aead, Aes, AuthError, Backend, Block, InOut, KeyError, LimitError, Message, Tag, ct, limits, partial};

/// AES-CCM with a key of 16, 24 or 32 bytes (SP 800-38C, RFC 3610).
///
/// The nonce has n = 7 to 13 bytes and must never be used twice under one key; the text is shorter than
/// 2^(8·(15 − n)) bytes. One key may encrypt at most 2^61 blocks in all (§5.3), which the caller counts:
/// a message takes about two for every 16 bytes of text.
///
/// ```
/// use evariste::{Aead, Ccm};
///
/// let ccm = Ccm::new(&[7; 16])?;
/// let mut data = *b"text";
/// let tag = ccm.seal(&[0; 13], b"header", &mut data)?;
/// ccm.open(&[0; 13], b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ccm {
    backend: Backend,
    tag_len: u8,
    key: AesKey,
}

impl Ccm {
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
        Self::build(key, backend, 16)
    }

    /// With tags of 8, 10, 12, 14 or 16 bytes (§A.1).
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KeyError::Tag`] for any other length.
    pub fn with_tag_len(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        Self::build(key, backend, limits::ccm_tag(tag_len, false)?)
    }

    /// With tags of 4 or 6 bytes, for protocols that bound the forgeries tried under a key (appendix B).
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KeyError::Tag`] for any other length.
    pub fn with_short_tag(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        Self::build(key, backend, limits::ccm_tag(tag_len, true)?)
    }

    /// With the cipher of `aes`, on its backend; tags have 8, 10, 12, 14 or 16 bytes.
    ///
    /// # Errors
    /// [`KeyError::Tag`] for any other length.
    pub fn from_aes(aes: &Aes, tag_len: usize) -> Result<Self, KeyError> {
        let tag_len = limits::ccm_tag(tag_len, false)?;
        Ok(Self { backend: aes.backend(), tag_len, key: aes.forward().clone() })
    }

    /// As [`from_aes`](Self::from_aes), with the tags of [`with_short_tag`](Self::with_short_tag).
    ///
    /// # Errors
    /// [`KeyError::Tag`] unless tags have 4 or 6 bytes.
    pub fn from_aes_short_tag(aes: &Aes, tag_len: usize) -> Result<Self, KeyError> {
        let tag_len = limits::ccm_tag(tag_len, true)?;
        Ok(Self { backend: aes.backend(), tag_len, key: aes.forward().clone() })
    }

    fn build(key: &[u8], backend: Backend, tag_len: u8) -> Result<Self, KeyError> {
        let mut ccm = Self { backend, tag_len, key: AesKey::ZERO };
        ccm.rekey(key)?;
        Ok(ccm)
    }

    /// Replaces the key in place, which leaves no copy of it elsewhere.
    ///
    /// # Errors
    /// [`KeyError::Length`] unless `key` has 16, 24 or 32 bytes; the old key stays then.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyError> {
        self.backend.imp().expand(key, &mut self.key)
    }

    /// Tags have 8, 10, 12, 14 or 16 bytes from now on (§A.1).
    ///
    /// # Errors
    /// [`KeyError::Tag`] for any other length; the old one stays then.
    pub fn set_tag_len(&mut self, tag_len: usize) -> Result<(), KeyError> {
        self.tag_len = limits::ccm_tag(tag_len, false)?;
        Ok(())
    }

    /// Tags have 4 or 6 bytes from now on; see [`with_short_tag`](Self::with_short_tag).
    ///
    /// # Errors
    /// As [`set_tag_len`](Self::set_tag_len).
    pub fn set_short_tag_len(&mut self, tag_len: usize) -> Result<(), KeyError> {
        self.tag_len = limits::ccm_tag(tag_len, true)?;
        Ok(())
    }

    /// A whole message (SP 800-38C §6); the tag at full length, or the one it should have, as a number.
    fn message<const SEAL: bool>(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<u128, LimitError> {
        let (imp, key) = (self.backend.imp(), &self.key);
        let (a0, b0) = self.first_blocks(nonce, aad.len() as u64, data.len() as u64)?;
        let mut mac = stream::absorb_aad(imp, key, b0, aad);
        let (whole, mut tail) = data.into_blocks();
        let mut ctr = add(&a0, 1);
        // S_0 and, side by side with it, the keystream of the last block, if that is not a whole one.
        let mut s = Secret([a0, add(&ctr, whole.len() as u128)]);
        imp.encrypt(key, &mut s[..1 + !tail.is_empty() as usize]);
        carrying(&mut ctr, whole, |ctr, data| {
            if SEAL { imp.ccm_seal(key, &mut mac, ctr, data) } else { imp.ccm_open(key, &mut mac, ctr, data) }
        });
        if !tail.is_empty() {
            if SEAL {
                imp.cbc_mac(key, &mut mac, &[padded(tail.input())]);
            }
            tail.reborrow().xor(&s[1]);
            if !SEAL {
                imp.cbc_mac(key, &mut mac, &[padded(tail.written())]);
            }
        }
        Ok(u128::from_ne_bytes(*mac) ^ u128::from_ne_bytes(s[0]))
    }

    /// A_0, whose encryption masks the tag, and B_0: the flags, the nonce and the length of the text (§A.2.1, §A.3).
    ///
    /// # Errors
    /// [`LimitError`] when a length is outside the mode's limits.
    fn first_blocks(&self, nonce: &[u8], aad: u64, text: u64) -> Result<(Block, Block), LimitError> {
        limits::ccm(nonce.len(), text)?;
        Ok(self.blocks(nonce, aad, text))
    }

    /// The same of lengths that are within the limits.
    fn blocks(&self, nonce: &[u8], aad: u64, text: u64) -> (Block, Block) {
        let a0 = ((14 - nonce.len() as u128) | (partial::read(nonce) << 8)).swap_bytes();
        let flags = ((aad > 0) as u8 * 0x40) | ((self.tag_len - 2) / 2 * 8);
        let b0 = a0 | text as u128 | (flags as u128) << 120;
        (a0.to_be_bytes(), b0.to_be_bytes())
    }
}

/// The counter block so many after this one.
fn add(ctr: &Block, by: u128) -> Block {
    (u128::from_be_bytes(*ctr) + by).to_be_bytes()
}

impl Aead for Ccm {
    fn backend(&self) -> Backend {
        self.backend
    }

    fn tag_len(&self) -> usize {
        self.tag_len as usize
    }

    fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError> {
        Ok(Tag::new(self.message::<true>(nonce, aad, data)?, self.tag_len))
    }

    fn open_inout(&self, nonce: &[u8], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
        match self.message::<false>(nonce, aad, data.reborrow()) {
            Ok(expected) if tag.len() == self.tag_len() && ct::tags_equal(expected, tag) => Ok(()),
            _ => refuse(data.output()),
        }
    }

    fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        self.seal_side_by_side(messages)
    }

    fn open_many(&self, messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        self.open_side_by_side(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP 800-38C appendix C.1 to C.3.
    #[test]
    fn sp800_38c_appendix_c() {
        let key: [u8; 16] = core::array::from_fn(|i| 0x40 + i as u8);
        let bytes: [u8; 256] = core::array::from_fn(|i| i as u8);
        let text: [u8; 24] = core::array::from_fn(|i| 0x20 + i as u8);
        let cases: [(usize, usize, usize, usize, &[u8]); 3] = [
            (7, 8, 4, 4, &[0x71, 0x62, 0x01, 0x5b, 0x4d, 0xac, 0x25, 0x5d]),
            (
                8,
                16,
                16,
                6,
                &[
                    0xd2, 0xa1, 0xf0, 0xe0, 0x51, 0xea, 0x5f, 0x62, 0x08, 0x1a, 0x77, 0x92, 0x07, 0x3d, 0x59, 0x3d,
                    0x1f, 0xc6, 0x4f, 0xbf, 0xac, 0xcd,
                ],
            ),
            (
                12,
                20,
                24,
                8,
                &[
                    0xe3, 0xb2, 0x01, 0xa9, 0xf5, 0xb7, 0x1a, 0x7a, 0x9b, 0x1c, 0xea, 0xec, 0xcd, 0x97, 0xe7, 0x0b,
                    0x61, 0x76, 0xaa, 0xd9, 0xa4, 0x42, 0x8a, 0xa5, 0x48, 0x43, 0x92, 0xfb, 0xc1, 0xb0, 0x99, 0x51,
                ],
            ),
        ];
        for b in Backend::available() {
            for (nonce, aad, len, tag, sealed) in cases {
                let nonce = &bytes[0x10..][..nonce];
                let ccm = match tag {
                    4 | 6 => Ccm::with_short_tag(&key, b, tag),
                    _ => Ccm::with_tag_len(&key, b, tag),
                }
                .expect("a key and tag length");
                let mut out = [0; 32];
                let out = &mut out[..len + tag];
                ccm.seal_appended(nonce, &bytes[..aad], &text[..len], out).expect("within limits");
                assert_eq!(out, sealed, "{b}");
                assert_eq!(ccm.open_in_place(nonce, &bytes[..aad], out).expect("authentic"), &text[..len]);
            }
        }
    }

    /// The length of tags can be changed afterwards, within the same limits.
    #[test]
    fn other_tags() {
        let mut ccm = Ccm::new(&[3; 16]).expect("16 bytes");
        for len in 0..20 {
            let fresh = Ccm::with_tag_len(&[3; 16], ccm.backend(), len)
                .or_else(|_| Ccm::with_short_tag(&[3; 16], ccm.backend(), len));
            let set = ccm.set_tag_len(len).or_else(|_| ccm.set_short_tag_len(len));
            assert_eq!(set.err(), fresh.as_ref().err().copied());
            if let Ok(fresh) = fresh {
                let tags = [&ccm, &fresh].map(|ccm| ccm.seal(&[0; 12], b"data", &mut []).expect("within limits"));
                assert_eq!((&*tags[0], tags[0].len()), (&*tags[1], len));
            }
        }
        assert_eq!(ccm.set_tag_len(6), Err(KeyError::Tag));
    }

    /// mirage-crypto#299: an empty text still has a tag.
    #[test]
    fn empty_text() {
        let bytes: [u8; 16] = core::array::from_fn(|i| i as u8);
        for b in Backend::available() {
            let ccm = Ccm::with_backend(&bytes, b).expect("16 bytes");
            let tag = ccm.seal(&bytes[..13], &bytes[..14], &mut []).expect("within limits");
            assert_eq!(*tag, 0x4c8deb839f1db3856356fe0c0956db30u128.to_be_bytes(), "{b}");
        }
    }
}
