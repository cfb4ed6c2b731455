//! What the authenticated modes have in common: the same calls for GCM, CCM, GCM-SIV and XAES.

use crate::{AuthError, Backend, Block, InOut, LimitError};
use core::fmt;
use core::ops::Deref;

/// An authentication tag of 4 to 16 bytes. Dereferences to its bytes.
#[derive(Clone, Copy)]
pub struct Tag {
    bytes: Words,
    len: u8,
}

/// Aligned, or the number goes to memory byte by byte.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Words(Block);

impl Tag {
    #[inline(always)]
    pub(crate) fn new(tag: u128, len: u8) -> Self {
        Self { bytes: Words(tag.to_ne_bytes()), len }
    }

    /// At full length, as it was given.
    #[inline(always)]
    pub(crate) fn number(&self) -> u128 {
        u128::from_ne_bytes(self.bytes.0)
    }
}

impl Deref for Tag {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.bytes.0[..self.len.min(16) as usize]
    }
}

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tag(")?;
        self.iter().try_for_each(|b| write!(f, "{b:02x}"))?;
        f.write_str(")")
    }
}

/// One of several independent messages. `Debug` shows no text.
pub struct Message<'a> {
    /// Its nonce, unique under the key.
    pub nonce: &'a [u8],
    /// What is authenticated but not encrypted.
    pub aad: &'a [u8],
    /// The text, in place.
    pub data: &'a mut [u8],
    /// The tag, of [`Aead::tag_len`] bytes: written by sealing, compared by opening.
    pub tag: &'a mut [u8],
    /// Set by opening: whether the message is authentic.
    pub authentic: bool,
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({} bytes, {} of additional data", self.data.len(), self.aad.len())?;
        f.write_str(if self.authentic { ", authentic)" } else { ")" })
    }
}

/// Authenticated encryption with additional data: one key, any number of messages.
///
/// Lengths are checked before anything is written. Opening compares tags in constant time; a message
/// that fails leaves zeros in the output, whatever the reason. Methods that come to this trait will have
/// default bodies.
pub trait Aead {
    /// The backend chosen when the key was made.
    fn backend(&self) -> Backend;

    /// Length of the tags in bytes.
    fn tag_len(&self) -> usize;

    /// Encrypts `data` and returns the tag over it and `aad`. All other ways to seal lead here.
    ///
    /// # Errors
    /// [`LimitError`] when a length is outside the mode's limits; nothing is written then.
    fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError>;

    /// Checks `tag` and decrypts `data`. All other ways to open lead here.
    ///
    /// # Errors
    /// [`AuthError`] when the message is not authentic; the output is zeroed.
    fn open_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError>;

    /// Encrypts `data` in place and returns the tag.
    ///
    /// # Errors
    /// As [`seal_inout`](Self::seal_inout).
    #[inline]
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Tag, LimitError> {
        self.seal_inout(nonce, aad, data.into())
    }

    /// Checks `tag` and decrypts `data` in place.
    ///
    /// # Errors
    /// As [`open_inout`](Self::open_inout).
    #[inline]
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), AuthError> {
        self.open_inout(nonce, aad, data.into(), tag)
    }

    /// Encrypts `text` to `out`, of the same length, and returns the tag.
    ///
    /// # Errors
    /// As [`seal_inout`](Self::seal_inout); [`LimitError::Buffer`] when the lengths differ.
    #[inline]
    fn seal_to(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> Result<Tag, LimitError> {
        self.seal_inout(nonce, aad, InOut::new(text, out)?)
    }

    /// Checks `tag` and decrypts `text` to `out`, of the same length.
    ///
    /// # Errors
    /// As [`open_inout`](Self::open_inout), also when the lengths differ.
    #[inline]
    fn open_to(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8], tag: &[u8]) -> Result<(), AuthError> {
        if text.len() != out.len() {
            out.fill(0);
            return Err(AuthError);
        }
        self.open_inout(nonce, aad, InOut::new(text, out)?, tag)
    }

    /// Encrypts `text` to `out`, the tag behind it.
    ///
    /// # Errors
    /// As [`seal_inout`](Self::seal_inout); [`LimitError::Buffer`] when `out` is not exactly
    /// [`tag_len`](Self::tag_len) bytes longer than `text`.
    fn seal_appended(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> Result<(), LimitError> {
        let (out, room) = out.split_at_mut_checked(text.len()).ok_or(LimitError::Buffer)?;
        if room.len() != self.tag_len() {
            return Err(LimitError::Buffer);
        }
        room.copy_from_slice(&self.seal_to(nonce, aad, text, out)?);
        Ok(())
    }

    /// Checks the tag at the end of `sealed` and decrypts what stands before it to `out`.
    ///
    /// # Errors
    /// As [`open_inout`](Self::open_inout), also when `out` is not exactly [`tag_len`](Self::tag_len)
    /// bytes shorter than `sealed`.
    fn open_appended(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<(), AuthError> {
        match sealed.split_at_checked(out.len()) {
            Some((text, tag)) => self.open_to(nonce, aad, text, out, tag),
            None => {
                out.fill(0);
                Err(AuthError)
            }
        }
    }

    /// Encrypts `buffer` in place but for its last [`tag_len`](Self::tag_len) bytes, which take the tag.
    ///
    /// # Errors
    /// As [`seal_inout`](Self::seal_inout); [`LimitError::Buffer`] when there is no room for the tag.
    fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<(), LimitError> {
        let at = buffer.len().checked_sub(self.tag_len()).ok_or(LimitError::Buffer)?;
        let (data, room) = buffer.split_at_mut(at);
        room.copy_from_slice(&self.seal(nonce, aad, data)?);
        Ok(())
    }

    /// Checks the tag at the end of `buffer`, decrypts what stands before it in place and returns that.
    ///
    /// # Errors
    /// As [`open_inout`](Self::open_inout).
    fn open_in_place<'a>(&self, nonce: &[u8], aad: &[u8], buffer: &'a mut [u8]) -> Result<&'a mut [u8], AuthError> {
        let Some(at) = buffer.len().checked_sub(self.tag_len()) else {
            buffer.fill(0);
            return Err(AuthError);
        };
        let (data, tag) = buffer.split_at_mut(at);
        self.open(nonce, aad, data, tag)?;
        Ok(data)
    }

    /// Seals independent messages, each as by [`seal`](Self::seal). [`Ccm`](crate::Ccm) runs them side by side where
    /// that pays, eight long ones in a fourth of the time; with a key for each by [`Ccm::seal_each`](crate::Ccm::seal_each).
    ///
    /// # Errors
    /// [`LimitError`] for the first message that breaks a limit, or whose tag is not of
    /// [`tag_len`](Self::tag_len) bytes; those before it are sealed, it and those after it untouched.
    fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        messages.iter_mut().try_for_each(|m| seal_one(self, m))
    }

    /// Opens independent messages, each as by [`open`](Self::open), and notes which are authentic.
    ///
    /// # Errors
    /// [`AuthError`] when any is not; the others are opened all the same.
    fn open_many(&self, messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        all(messages.iter_mut().map(|m| open_one(self, m)))
    }
}

/// One message of several.
pub(crate) fn seal_one<A: Aead + ?Sized>(aead: &A, m: &mut Message<'_>) -> Result<(), LimitError> {
    if m.tag.len() != aead.tag_len() {
        return Err(LimitError::Buffer);
    }
    m.tag.copy_from_slice(&aead.seal(m.nonce, m.aad, m.data)?);
    Ok(())
}

/// What became of all of them: each is opened, whatever became of those before it.
pub(crate) fn all(opened: impl Iterator<Item = Result<(), AuthError>>) -> Result<(), AuthError> {
    let failed = opened.filter(Result::is_err).count();
    if failed == 0 { Ok(()) } else { Err(AuthError) }
}

/// One message of several; whether it is authentic stands in it, too.
pub(crate) fn open_one<A: Aead + ?Sized>(aead: &A, m: &mut Message<'_>) -> Result<(), AuthError> {
    let one = aead.open(m.nonce, m.aad, m.data, m.tag);
    m.authentic = one.is_ok();
    one
}

/// The cold end of opening: zeros, and the opaque error.
#[cold]
#[inline(never)]
pub(crate) fn refuse(out: &mut [u8]) -> Result<(), AuthError> {
    out.fill(0);
    Err(AuthError)
}
