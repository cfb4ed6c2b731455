//! CCM in pieces. Both lengths are announced: they are the first thing that is authenticated.

use super::add;
use crate::backend::Imp;
use crate::block::split_unfinished;
use crate::ctr::{Keystream, carrying};
use crate::key::{AesKey, Secret};
use crate::{Aead, AuthError, Block, Ccm, InOut, LimitError, Tag, ct};

/// A message whose additional data is being taken in, in pieces of any length.
///
/// ```
/// use evariste::{Aead, Ccm};
///
/// let ccm = Ccm::new(&[7; 16])?;
/// let mut stream = ccm.stream(&[1; 12], 6, 14)?;
/// stream.aad(b"header")?;
/// let mut sealer = stream.seal()?;
/// let (mut first, mut second) = (*b"attack ", *b"at dawn");
/// sealer.update((&mut first).into())?;
/// sealer.update((&mut second).into())?;
/// let tag = sealer.finish()?;
/// # let mut whole = *b"attack at dawn";
/// # assert_eq!(*ccm.seal(&[1; 12], b"header", &mut whole)?, *tag);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CcmStream<'k> {
    ccm: &'k Ccm,
    /// A_0 of SP 800-38C §A.3; its encryption masks the tag.
    a0: Block,
    mac: CbcMac,
    aad_left: u64,
    text: u64,
}

impl Ccm {
    /// Starts a message in pieces, of exactly `aad` bytes of additional data and `text` bytes of text.
    ///
    /// # Errors
    /// [`LimitError::Nonce`] for a nonce of other than 7 to 13 bytes, [`LimitError::Text`] when the
    /// nonce leaves no room for so long a text.
    pub fn stream(&self, nonce: &[u8], aad: u64, text: u64) -> Result<CcmStream<'_>, LimitError> {
        let (a0, b0) = self.first_blocks(nonce, aad, text)?;
        let mac = CbcMac::start(self.backend.imp(), &self.key, b0, aad);
        Ok(CcmStream { ccm: self, a0, mac, aad_left: aad, text })
    }
}

impl<'k> CcmStream<'k> {
    /// Takes in more additional data.
    ///
    /// # Errors
    /// [`LimitError::Aad`] beyond the announced length; nothing is taken in then.
    pub fn aad(&mut self, aad: &[u8]) -> Result<(), LimitError> {
        self.aad_left = self.aad_left.checked_sub(aad.len() as u64).ok_or(LimitError::Aad)?;
        self.mac.update(self.ccm.backend.imp(), &self.ccm.key, aad);
        Ok(())
    }

    /// Ends the additional data; text to seal comes next.
    ///
    /// # Errors
    /// [`LimitError::Unfinished`] before the announced length.
    pub fn seal(self) -> Result<CcmSealer<'k>, LimitError> {
        self.text().map(CcmSealer)
    }

    /// Ends the additional data.
    pub(super) fn text(self) -> Result<Text<'k>, LimitError> {
        let Self { ccm, a0, mut mac, aad_left, text } = self;
        if aad_left > 0 {
            return Err(LimitError::Unfinished);
        }
        mac.pad(ccm.backend.imp(), &ccm.key);
        let ctr = add(&a0, 1);
        Ok(Text { ccm, a0, ctr, keystream: Keystream::new(), mac, left: text })
    }
}

/// A message being sealed in pieces of any length.
#[derive(Debug)]
pub struct CcmSealer<'k>(Text<'k>);

impl CcmSealer<'_> {
    /// Encrypts the next piece.
    ///
    /// # Errors
    /// [`LimitError::Text`] beyond the announced length; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.update::<true>(data)
    }

    /// The tag.
    ///
    /// # Errors
    /// [`LimitError::Unfinished`] before the announced length.
    pub fn finish(self) -> Result<Tag, LimitError> {
        let tag_len = self.0.ccm.tag_len;
        Ok(Tag::new(self.0.finish()?, tag_len))
    }
}

/// A message being opened in pieces; what it hands out is not authentic before [`finish`](Self::finish).
#[derive(Debug)]
pub struct CcmOpener<'k>(Text<'k>);

impl<'k> TryFrom<CcmStream<'k>> for CcmOpener<'k> {
    type Error = LimitError;

    fn try_from(stream: CcmStream<'k>) -> Result<Self, LimitError> {
        stream.text().map(Self)
    }
}

impl CcmOpener<'_> {
    /// Decrypts the next piece, **unverified**.
    ///
    /// # Errors
    /// [`LimitError::Text`] beyond the announced length; nothing is written then.
    pub fn update(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.0.update::<false>(data)
    }

    /// Checks the tag in constant time.
    ///
    /// # Errors
    /// [`AuthError`] when the message is not authentic: all that was handed out must be discarded.
    pub fn finish(self, tag: &[u8]) -> Result<(), AuthError> {
        let right = tag.len() == self.0.ccm.tag_len();
        if right && ct::tags_equal(self.0.finish()?, tag) { Ok(()) } else { Err(AuthError) }
    }
}

/// Text in pieces. The keystream and the MAC stand at the same byte of an unfinished block.
#[derive(Debug)]
pub(super) struct Text<'k> {
    ccm: &'k Ccm,
    a0: Block,
    ctr: Block,
    keystream: Keystream,
    mac: CbcMac,
    left: u64,
}

impl Text<'_> {
    pub(super) fn update<const SEAL: bool>(&mut self, data: InOut<'_>) -> Result<(), LimitError> {
        self.left = self.left.checked_sub(data.len() as u64).ok_or(LimitError::Text)?;
        let (imp, key) = (self.ccm.backend.imp(), &self.ccm.key);
        let (now, later) = data.split_at(self.keystream.left());
        self.bytes::<SEAL>(now);
        let (whole, tail) = later.into_blocks();
        let mac: &mut Block = &mut self.mac.block;
        carrying(&mut self.ctr, whole, |ctr, data| {
            if SEAL { imp.ccm_seal(key, mac, ctr, data) } else { imp.ccm_open(key, mac, ctr, data) }
        });
        if !tail.is_empty() {
            self.keystream = Keystream::from(imp.keystream(key, &self.ctr));
            self.ctr = add(&self.ctr, 1);
            self.bytes::<SEAL>(tail);
        }
        Ok(())
    }

    /// Less than a block, for which the keystream is there.
    fn bytes<const SEAL: bool>(&mut self, mut data: InOut<'_>) {
        let (imp, key) = (self.ccm.backend.imp(), &self.ccm.key);
        if SEAL {
            self.mac.update(imp, key, data.input());
        }
        self.keystream.apply(data.reborrow());
        if !SEAL {
            self.mac.update(imp, key, data.written());
        }
    }

    /// The tag as a number, at full length.
    pub(super) fn finish(mut self) -> Result<u128, LimitError> {
        if self.left > 0 {
            return Err(LimitError::Unfinished);
        }
        let (imp, key) = (self.ccm.backend.imp(), &self.ccm.key);
        self.mac.pad(imp, key);
        let s0 = imp.keystream(key, &self.a0);
        Ok(u128::from_ne_bytes(*self.mac.block) ^ u128::from_ne_bytes(*s0))
    }
}

/// CBC-MAC in progress. The bytes of an unfinished block are already in it, not yet encrypted.
#[derive(Debug)]
struct CbcMac {
    block: Secret<Block>,
    /// Bytes in the unfinished block, 0..16.
    used: usize,
}

/// The MAC of B_0 and of all additional data, padded.
pub(super) fn absorb_aad(imp: &dyn Imp, key: &AesKey, b0: Block, aad: &[u8]) -> Secret<Block> {
    // As much as most protocols have goes in at once.
    let mut start = [b0, [0; 16], [0; 16], [0; 16]];
    if let Some(room) = start.as_flattened_mut()[18..].get_mut(..aad.len()) {
        room.copy_from_slice(aad);
        let blocks = if aad.is_empty() { 1 } else { 1 + (2 + aad.len()).div_ceil(16) };
        start[1][..2].copy_from_slice(&(aad.len() as u16).to_be_bytes());
        let mut mac = Secret([0; 16]);
        imp.cbc_mac(key, &mut mac, &start[..blocks]);
        return mac;
    }
    let mut mac = CbcMac::start(imp, key, b0, aad.len() as u64);
    mac.update(imp, key, aad);
    mac.pad(imp, key);
    mac.block
}

/// The length of the additional data as it stands before them, zeros behind, and how many bytes it takes (§A.2.2).
#[inline]
pub(super) fn aad_length(aad: u64) -> (Block, usize) {
    let (number, len) = match aad {
        0 => (0, 0),
        1..0xff00 => ((aad as u128) << 112, 2),
        0xff00..=0xffff_ffff => (0xfffe << 112 | (aad as u128) << 80, 6),
        _ => (0xffff << 112 | (aad as u128) << 48, 10),
    };
    (number.to_be_bytes(), len)
}

impl CbcMac {
    /// Takes in B_0 and the length of the additional data.
    fn start(imp: &dyn Imp, key: &AesKey, b0: Block, aad: u64) -> Self {
        let mut mac = Self { block: Secret([0; 16]), used: 0 };
        mac.update(imp, key, &b0);
        let (bytes, len) = aad_length(aad);
        mac.update(imp, key, &bytes[..len]);
        mac
    }

    fn update(&mut self, imp: &dyn Imp, key: &AesKey, data: &[u8]) {
        let (now, later) = split_unfinished(self.used, data);
        self.add(now);
        if self.used == 16 {
            self.pad(imp, key);
        }
        let (whole, tail) = later.as_chunks();
        imp.cbc_mac(key, &mut self.block, whole);
        self.add(tail);
    }

    /// Adds bytes to the unfinished block, which must have room for them.
    fn add(&mut self, bytes: &[u8]) {
        self.block.iter_mut().skip(self.used).zip(bytes).for_each(|(m, b)| *m ^= b);
        self.used += bytes.len();
    }

    /// Encrypts an unfinished block, zero-padded; does nothing where there is none.
    fn pad(&mut self, imp: &dyn Imp, key: &AesKey) {
        if self.used > 0 {
            imp.encrypt(key, core::slice::from_mut(&mut *self.block));
            self.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announced_lengths_are_kept() {
        let ccm = Ccm::new(&[0; 16]).expect("16 bytes");
        let mut s = ccm.stream(&[0; 12], 3, 5).expect("within limits");
        assert_eq!(s.aad(&[0; 4]), Err(LimitError::Aad));
        s.aad(&[0; 2]).expect("two of three");
        assert_eq!(s.seal().err(), Some(LimitError::Unfinished));
        let mut s = ccm.stream(&[0; 12], 0, 5).expect("within limits").seal().expect("no data");
        let mut data = [1; 6];
        assert_eq!(s.update((&mut data).into()), Err(LimitError::Text));
        assert_eq!(data, [1; 6]);
        assert_eq!(s.finish().err(), Some(LimitError::Unfinished));
    }
}
