//! What the modes do beyond [`Aead`]: making keys, pieces, MACs.

use crate::vectors::buffer::Pieces;
use evariste::hazmat::{CcmOpener, GcmOpener};
use evariste::{Aead, AuthError, Backend, Ccm, Gcm, GcmSiv, KeyError, LimitError, Tag, Xaes256Gcm};

/// A mode's key. What a mode does not have is nothing.
pub(super) trait Key: Aead + Sized {
    /// Makes a key for tags of `tag_len` bytes, short ones included.
    fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError>;

    /// Seals `text` piece by piece.
    fn seal_pieces(&self, _nonce: &[u8], _aad: &[u8], _text: Pieces<'_>) -> Option<Result<Tag, LimitError>> {
        None
    }

    /// Opens `text` piece by piece.
    fn open_pieces(&self, _nonce: &[u8], _aad: &[u8], _text: Pieces<'_>, _tag: &[u8]) -> Option<Result<(), AuthError>> {
        None
    }

    /// The tag over `data` without a text.
    fn mac(&self, _nonce: &[u8], _data: &[u8]) -> Option<Result<Tag, LimitError>> {
        None
    }

    /// Checks such a tag.
    fn verify_mac(&self, _nonce: &[u8], _data: &[u8], _tag: &[u8]) -> Option<Result<(), AuthError>> {
        None
    }
}

impl Key for Gcm {
    fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        if tag_len < 12 {
            Self::with_short_tag(key, backend, tag_len)
        } else {
            Self::with_tag_len(key, backend, tag_len)
        }
    }

    fn seal_pieces(&self, nonce: &[u8], aad: &[u8], text: Pieces<'_>) -> Option<Result<Tag, LimitError>> {
        let sealed = || {
            let mut stream = self.stream(nonce)?;
            text.turn.cuts(aad.len()).try_for_each(|piece| stream.aad(&aad[piece]))?;
            let mut sealer = stream.seal();
            text.each(|piece| sealer.update(piece))?;
            Ok(sealer.finish())
        };
        Some(sealed())
    }

    fn open_pieces(&self, nonce: &[u8], aad: &[u8], text: Pieces<'_>, tag: &[u8]) -> Option<Result<(), AuthError>> {
        let opened = || {
            let mut stream = self.stream(nonce)?;
            text.turn.cuts(aad.len()).try_for_each(|piece| stream.aad(&aad[piece]))?;
            let mut opener = GcmOpener::from(stream);
            text.each(|piece| opener.update(piece))?;
            opener.finish(tag)
        };
        Some(opened())
    }

    fn mac(&self, nonce: &[u8], data: &[u8]) -> Option<Result<Tag, LimitError>> {
        Some(Self::mac(self, nonce, data))
    }

    fn verify_mac(&self, nonce: &[u8], data: &[u8], tag: &[u8]) -> Option<Result<(), AuthError>> {
        Some(Self::verify_mac(self, nonce, data, tag))
    }
}

impl Key for Ccm {
    fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        if tag_len < 8 {
            Self::with_short_tag(key, backend, tag_len)
        } else {
            Self::with_tag_len(key, backend, tag_len)
        }
    }

    fn seal_pieces(&self, nonce: &[u8], aad: &[u8], text: Pieces<'_>) -> Option<Result<Tag, LimitError>> {
        let sealed = || {
            let mut stream = self.stream(nonce, aad.len() as u64, text.dst.len() as u64)?;
            text.turn.cuts(aad.len()).try_for_each(|piece| stream.aad(&aad[piece]))?;
            let mut sealer = stream.seal()?;
            text.each(|piece| sealer.update(piece))?;
            sealer.finish()
        };
        Some(sealed())
    }

    fn open_pieces(&self, nonce: &[u8], aad: &[u8], text: Pieces<'_>, tag: &[u8]) -> Option<Result<(), AuthError>> {
        let opened = || {
            let mut stream = self.stream(nonce, aad.len() as u64, text.dst.len() as u64)?;
            text.turn.cuts(aad.len()).try_for_each(|piece| stream.aad(&aad[piece]))?;
            let mut opener = CcmOpener::try_from(stream)?;
            text.each(|piece| opener.update(piece))?;
            opener.finish(tag)
        };
        Some(opened())
    }
}

impl Key for GcmSiv {
    fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        if tag_len == 16 { Self::with_backend(key, backend) } else { Err(KeyError::Tag) }
    }
}

impl Key for Xaes256Gcm {
    fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
        if tag_len == 16 { Self::with_backend(key, backend) } else { Err(KeyError::Tag) }
    }
}
