//! GCM in pieces. The states are types: additional data first, then text, then the tag.

use super::GcmPieces;
use crate::{AuthError, Gcm, InOut, LimitError, Tag};

/// A message whose additional data is being taken in, in pieces of any length.
///
/// ```
/// use evariste::{Aead, Gcm};
///
/// let gcm = Gcm::new(&[7; 16])?;
/// let mut stream = gcm.stream(&[1; 12])?;
/// stream.aad(b"head")?;
/// stream.aad(b"er")?;
/// let mut sealer = stream.seal();
/// let (mut first, mut second) = (*b"attack ", *b"at dawn");
/// sealer.update((&mut first).into())?;
/// sealer.update((&mut second).into())?;
/// let tag = sealer.finish();
/// # let mut whole = *b"attack at dawn";
/// # assert_eq!(*gcm.seal(&[1; 12], b"header", &mut whole)?, *tag);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GcmStream<'k> {
    gcm: &'k Gcm,
    pieces: GcmPieces,
}

impl Gcm {
    /// Starts a message in pieces.
    ///
    /// # Errors
    /// [`LimitError::Nonce`] for an empty nonce.
    pub fn stream(&self, nonce: &[u8]) -> Result<GcmStream<'_>, LimitError> {
        Ok(GcmStream { gcm: self, pieces: GcmPieces::new(self, nonce)? })
    }
}

impl<'k> GcmStream<'k> {
    /// Takes in more additional data.
    ///
    /// # Errors
    /// [`LimitError::Aad`] when the total would exceed 2^61 − 1 bytes; nothing is taken in then.
    pub fn aad(&mut self, aad: &[u8]) -> Result<(), LimitError> {
        self.pieces.aad(self.gcm, aad)
    }

    /// Ends the additional data; text to seal comes next.
    pub fn seal(self) -> GcmSealer<'k> {
        GcmSealer(self)
    }
}

/// A message being sealed in pieces of any length.
#[derive(Debug)]
pub struct GcmSealer<'k>(GcmStream<'k>);

impl GcmSealer<'_> {
    /// Encrypts the next piece.
    ///
    /// # Errors
    /// [`LimitError::Text`] when the total would exceed 2^36 − 32 bytes; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.pieces.seal(self.0.gcm, data)
    }

    /// The tag.
    pub fn finish(mut self) -> Tag {
        self.0.pieces.finish(self.0.gcm)
    }
}

/// A message being opened in pieces; what it hands out is not authentic before [`finish`](Self::finish).
#[derive(Debug)]
pub struct GcmOpener<'k>(GcmStream<'k>);

impl<'k> From<GcmStream<'k>> for GcmOpener<'k> {
    fn from(stream: GcmStream<'k>) -> Self {
        Self(stream)
    }
}

impl GcmOpener<'_> {
    /// Decrypts the next piece, **unverified**.
    ///
    /// # Errors
    /// [`LimitError::Text`] when the total would exceed 2^36 − 32 bytes; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.pieces.open(self.0.gcm, data)
    }

    /// Checks the tag in constant time.
    ///
    /// # Errors
    /// [`AuthError`] when the message is not authentic: all that was handed out must be discarded.
    pub fn finish(mut self, tag: &[u8]) -> Result<(), AuthError> {
        self.0.pieces.verify(self.0.gcm, tag)
    }
}
