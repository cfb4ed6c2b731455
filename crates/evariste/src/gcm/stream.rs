//! GCM in pieces. The states are types: additional data first, then text, then the tag.

use crate::block::Counter;
use crate::ctr::Keystream;
use crate::ghash::Absorber;
use crate::key::Secret;
use crate::{Aead, AuthError, Gcm, InOut, LimitError, Tag, ct, limits};

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
    /// Secret, since that of a long nonce is a hash: the hash key follows from it.
    j0: Secret<Counter>,
    hash: Absorber<false>,
    aad: u64,
}

impl Gcm {
    /// Starts a message in pieces.
    ///
    /// # Errors
    /// [`LimitError::Nonce`] for an empty nonce.
    pub fn stream(&self, nonce: &[u8]) -> Result<GcmStream<'_>, LimitError> {
        limits::gcm(nonce.len(), 0, 0)?;
        Ok(GcmStream { gcm: self, j0: self.j0(nonce), hash: Absorber::new(), aad: 0 })
    }
}

impl<'k> GcmStream<'k> {
    /// Takes in more additional data.
    ///
    /// # Errors
    /// [`LimitError::Aad`] when the total would exceed 2^61 − 1 bytes; nothing is taken in then.
    pub fn aad(&mut self, aad: &[u8]) -> Result<(), LimitError> {
        self.aad = limits::total(aad.len(), self.aad, limits::GCM_AAD).ok_or(LimitError::Aad)?;
        self.hash.update(self.gcm.backend.imp(), &self.gcm.key.hash, aad);
        Ok(())
    }

    /// Ends the additional data; text to seal comes next.
    pub fn seal(self) -> GcmSealer<'k> {
        GcmSealer(Text::new(self))
    }
}

/// A message being sealed in pieces of any length.
#[derive(Debug)]
pub struct GcmSealer<'k>(Text<'k>);

impl GcmSealer<'_> {
    /// Encrypts the next piece.
    ///
    /// # Errors
    /// [`LimitError::Text`] when the total would exceed 2^36 − 32 bytes; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.update::<true>(data)
    }

    /// The tag.
    pub fn finish(self) -> Tag {
        let tag_len = self.0.gcm.tag_len;
        Tag::new(self.0.finish(), tag_len)
    }
}

/// A message being opened in pieces; what it hands out is not authentic before [`finish`](Self::finish).
#[derive(Debug)]
pub struct GcmOpener<'k>(Text<'k>);

impl<'k> From<GcmStream<'k>> for GcmOpener<'k> {
    fn from(stream: GcmStream<'k>) -> Self {
        Self(Text::new(stream))
    }
}

impl GcmOpener<'_> {
    /// Decrypts the next piece, **unverified**.
    ///
    /// # Errors
    /// [`LimitError::Text`] when the total would exceed 2^36 − 32 bytes; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.update::<false>(data)
    }

    /// Checks the tag in constant time.
    ///
    /// # Errors
    /// [`AuthError`] when the message is not authentic: all that was handed out must be discarded.
    pub fn finish(self, tag: &[u8]) -> Result<(), AuthError> {
        if tag.len() != self.0.gcm.tag_len() {
            return Err(AuthError);
        }
        if ct::tags_equal(self.0.finish(), tag) { Ok(()) } else { Err(AuthError) }
    }
}

/// Text in pieces. The keystream and the hash stand at the same byte of an unfinished block.
#[derive(Debug)]
struct Text<'k> {
    gcm: &'k Gcm,
    j0: Secret<Counter>,
    ctr: Secret<Counter>,
    keystream: Keystream,
    hash: Absorber<false>,
    aad: u64,
    text: u64,
}

impl<'k> Text<'k> {
    fn new(stream: GcmStream<'k>) -> Self {
        let GcmStream { gcm, j0, mut hash, aad } = stream;
        hash.pad(gcm.backend.imp(), &gcm.key.hash);
        let mut ctr = Secret(*j0);
        ctr.advance(1);
        Self { gcm, j0, ctr, keystream: Keystream::new(), hash, aad, text: 0 }
    }

    fn update<const SEAL: bool>(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.text = limits::total(data.len(), self.text, limits::GCM_TEXT).ok_or(LimitError::Text)?;
        let (imp, key) = (self.gcm.backend.imp(), &self.gcm.key);
        let (now, later) = data.split_at(self.keystream.left());
        self.bytes::<SEAL>(now);
        let (whole, tail) = later.into_blocks();
        if !whole.is_empty() {
            if SEAL {
                imp.seal(key, &mut self.ctr, &mut self.hash.acc, whole);
            } else {
                imp.open(key, &mut self.ctr, &mut self.hash.acc, whole);
            }
        }
        if !tail.is_empty() {
            self.keystream = Keystream::from(imp.keystream(&key.aes, &self.ctr.block));
            self.ctr.advance(1);
            self.bytes::<SEAL>(tail);
        }
        Ok(())
    }

    /// Less than a block, for which the keystream is there.
    fn bytes<const SEAL: bool>(&mut self, mut data: InOut<'_>) {
        let (imp, key) = (self.gcm.backend.imp(), &self.gcm.key.hash);
        if !SEAL {
            self.hash.update(imp, key, data.input());
        }
        self.keystream.apply(data.reborrow());
        if SEAL {
            self.hash.update(imp, key, data.written());
        }
    }

    fn finish(mut self) -> u128 {
        let (imp, key) = (self.gcm.backend.imp(), &self.gcm.key);
        self.hash.pad(imp, &key.hash);
        imp.ghash(&key.hash, &mut self.hash.acc, &[super::lengths(self.aad, self.text)]);
        super::tag(imp, key, &self.j0, *self.hash.acc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

    /// openssl#17220, ring#597: the 64 GiB limit holds for the total, and refuses before any output.
    #[test]
    fn total_is_limited() {
        for b in Backend::available() {
            let gcm = Gcm::with_backend(&[3; 16], b).expect("16 bytes");
            let mut s = gcm.stream(&[0; 12]).expect("12 bytes").seal();
            s.0.text = limits::GCM_TEXT - 20;
            let mut data = [0; 21];
            assert_eq!(s.update((&mut data).into()), Err(LimitError::Text));
            assert_eq!(data, [0; 21]);
            assert_eq!(s.update((&mut data[..20]).into()), Ok(()));
            assert_eq!(s.update((&mut data[..1]).into()), Err(LimitError::Text));
            let mut s = gcm.stream(&[0; 12]).expect("12 bytes");
            s.aad = limits::GCM_AAD - 1;
            assert_eq!(s.aad(&[1, 2]), Err(LimitError::Aad));
            assert_eq!(s.aad(&[1]), Ok(()));
        }
    }
}
