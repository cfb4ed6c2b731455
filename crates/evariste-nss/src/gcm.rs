//! GCM, in NSS's two ways: a context for one message, and one for many.

use crate::error::{Error, Result};
use crate::iv::Generator;
use evariste::hazmat::GcmPieces;
use evariste::{Aead, Backend, Gcm, InOut, Tag};
use std::ffi::c_ulong;

/// Bytes of a tag of so many bits: 128, 120, 112, 104, 96, 64 or 32, as in NSS.
///
/// # Errors
/// `INVALID_ARGS` for any other number.
pub(crate) fn tag_len(bits: c_ulong) -> Result<usize> {
    match bits {
        128 | 120 | 112 | 104 | 96 | 64 | 32 => Ok(bits as usize / 8),
        _ => Err(Error::INVALID_ARGS),
    }
}

/// Short tags are the caller's choice for each context or message, never the other side's.
fn set_tag_len(gcm: &mut Gcm, len: usize) -> Result {
    Ok(if len < 12 { gcm.set_short_tag_len(len) } else { gcm.set_tag_len(len) }?)
}

/// A context for one message, whose IV and additional data came with the key.
///
/// NSS lets such a context go on, and so does bltest: the next call goes on with the keystream, and its tag is that of all
/// so far. NSS's own code for AES-NI agrees where the pieces before the last are whole blocks; elsewhere NSS has no rule.
pub(crate) struct One {
    gcm: Gcm,
    /// Stays in its place: every move of it is a copy of secrets, and a wipe.
    pieces: GcmPieces,
    failed: bool,
}

/// Bytes of text that a key is made for at first; most contexts for one message see a short one.
const SHORT: usize = 64;

impl One {
    /// # Errors
    /// `INVALID_ARGS`: an empty IV, or a key of another length than 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8], iv: &[u8], aad: &[u8], tag_len: usize) -> Result<Self> {
        let mut gcm = Gcm::with_backend_for(key, Backend::active(), SHORT.max(aad.len()))?;
        set_tag_len(&mut gcm, tag_len)?;
        let mut pieces = GcmPieces::new(&gcm, iv)?;
        pieces.aad(&gcm, aad)?;
        Ok(Self { gcm, pieces, failed: false })
    }

    pub(crate) fn tag_len(&self) -> usize {
        self.gcm.tag_len()
    }

    /// # Errors
    /// `INPUT_LEN`: longer than GCM allows in all; nothing is written then. `NOT_INITIALIZED` after a failure.
    pub(crate) fn seal(&mut self, data: InOut<'_>) -> Result<Tag> {
        self.begin(data.len())?;
        self.pieces.seal(&self.gcm, data)?;
        let tag = self.pieces.clone().finish(&self.gcm);
        self.failed = false;
        Ok(tag)
    }

    /// # Errors
    /// As [`seal`](Self::seal), and `BAD_DATA`: not authentic; the caller must wipe what was written.
    pub(crate) fn open(&mut self, data: InOut<'_>, tag: &[u8]) -> Result {
        self.begin(data.len())?;
        self.pieces.open(&self.gcm, data)?;
        self.pieces.clone().verify(&self.gcm, tag)?;
        self.failed = false;
        Ok(())
    }

    /// Failed until the call has gone well.
    fn begin(&mut self, len: usize) -> Result {
        if std::mem::replace(&mut self.failed, true) {
            return Err(Error::NOT_INITIALIZED);
        }
        self.gcm.prepare(len);
        Ok(())
    }
}

/// A context for many messages.
pub(crate) struct Many {
    pub(crate) ivs: Generator,
    gcm: Gcm,
}

impl Many {
    /// # Errors
    /// `INVALID_ARGS`: a key of another length than 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Result<Self> {
        Ok(Self { ivs: Generator::default(), gcm: Gcm::with_backend(key, Backend::active())? })
    }

    /// # Errors
    /// `INVALID_ARGS`: a tag length that GCM does not have, or an empty IV. Nothing is written then.
    pub(crate) fn seal(&mut self, iv: &[u8], aad: &[u8], data: InOut<'_>, tag_len: usize) -> Result<Tag> {
        set_tag_len(&mut self.gcm, tag_len)?;
        Ok(self.gcm.seal_inout(iv, aad, data)?)
    }

    /// # Errors
    /// `INVALID_ARGS`: a tag length that GCM does not have, or an empty IV. `BAD_DATA`: not authentic; the output is zeros.
    pub(crate) fn open(&mut self, iv: &[u8], aad: &[u8], data: InOut<'_>, tag: &[u8]) -> Result {
        set_tag_len(&mut self.gcm, tag.len())?;
        if iv.is_empty() {
            return Err(Error::INVALID_ARGS);
        }
        Ok(self.gcm.open_inout(iv, aad, data, tag)?)
    }
}
