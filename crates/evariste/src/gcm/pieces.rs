//! A message in pieces, with its key elsewhere: what the streams are made of.

use crate::block::Counter;
use crate::ctr::Keystream;
use crate::ghash::Absorber;
use crate::key::Secret;
use crate::{Aead, AuthError, Gcm, InOut, LimitError, Tag, ct, limits};

/// A message in pieces apart from its key, for owners who keep both in one object of another language.
///
/// The types do not say here what comes after what: [`begin`](Self::begin), additional data, text, either all sealed or
/// all opened, then [`finish`](Self::finish) or [`verify`](Self::verify), once. All calls of a message must get the key
/// that it began with; with another one the result is nobody's. What [`open`](Self::open) hands out is **unverified**.
/// All that depends on the key is wiped on drop.
///
/// Quickest where additional data has at most 64 bytes, the nonce 12, and all text comes in one piece.
// The keystream and the hash stand at the same byte of an unfinished block.
#[derive(Clone, Debug)]
pub struct GcmPieces {
    /// Secret, since that of a long nonce is a hash: the hash key follows from it.
    j0: Secret<Counter>,
    ctr: Secret<Counter>,
    keystream: Keystream,
    hash: Absorber<false>,
    /// The additional data while it fits, not absorbed yet: most messages have little, and all of their text in one piece,
    /// and are then sealed or opened at once.
    held: [u8; HELD],
    aad: u64,
    text: u64,
    state: State,
}

/// Bytes of additional data that are held back.
const HELD: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Aad,
    /// The text so far went through at once, and the hash's place has the tag.
    Whole,
    Text,
}

impl GcmPieces {
    /// Begins a message.
    ///
    /// # Errors
    /// [`LimitError::Nonce`] for an empty nonce.
    pub fn new(gcm: &Gcm, nonce: &[u8]) -> Result<Self, LimitError> {
        let none = || Secret(Counter::public([0; 16]));
        let (keystream, hash) = (Keystream::new(), Absorber::new());
        let (held, state) = ([0; HELD], State::Aad);
        let mut pieces = Self { j0: none(), ctr: none(), keystream, hash, held, aad: 0, text: 0, state };
        pieces.begin(gcm, nonce)?;
        Ok(pieces)
    }

    /// Begins another message in the place of this one, which is given up.
    ///
    /// # Errors
    /// [`LimitError::Nonce`] for an empty nonce; the other message goes on then.
    #[inline]
    pub fn begin(&mut self, gcm: &Gcm, nonce: &[u8]) -> Result<(), LimitError> {
        limits::gcm(nonce.len(), 0, 0)?;
        if let Ok([a, b, c, d, e, f, g, h, i, j, k, l]) = <[u8; 12]>::try_from(nonce) {
            // In words, as most nonces were written a moment ago, and as numbers, which go to memory from registers.
            let (high, low) = (u64::from_be_bytes([a, b, c, d, e, f, g, h]), u32::from_be_bytes([i, j, k, l]));
            let iv = (high as u128) << 64 | (low as u128) << 32;
            (*self.j0, *self.ctr) = (Counter::public((iv | 1).to_be_bytes()), Counter::public((iv | 2).to_be_bytes()));
        } else {
            *self.j0 = *gcm.j0(nonce);
            *self.ctr = *self.j0;
            self.ctr.advance(1);
        }
        self.keystream.clear();
        self.hash.clear();
        (self.aad, self.text, self.state) = (0, 0, State::Aad);
        Ok(())
    }

    /// Takes in more additional data.
    ///
    /// # Errors
    /// [`LimitError::Aad`] behind text, or when the total would exceed 2^61 − 1 bytes; nothing is taken in then.
    pub fn aad(&mut self, gcm: &Gcm, aad: &[u8]) -> Result<(), LimitError> {
        if self.state != State::Aad {
            return Err(LimitError::Aad);
        }
        let total = limits::total(aad.len(), self.aad, limits::GCM_AAD).ok_or(LimitError::Aad)?;
        let room = usize::try_from(self.aad).ok().and_then(|used| self.held.get_mut(used..)?.get_mut(..aad.len()));
        if let Some(room) = room {
            room.copy_from_slice(aad);
        } else {
            self.absorb_held(gcm);
            self.hash.update(gcm.backend.imp(), &gcm.key.hash, aad);
        }
        self.aad = total;
        Ok(())
    }

    /// The additional data that is held back, or nothing once there is too much of it.
    fn held(&self) -> Option<&[u8]> {
        self.held.get(..usize::try_from(self.aad).ok()?)
    }

    /// Absorbs the additional data that was held back, if any was.
    fn absorb_held(&mut self, gcm: &Gcm) {
        if let Some(held) = usize::try_from(self.aad).ok().and_then(|used| self.held.get(..used)) {
            self.hash.update(gcm.backend.imp(), &gcm.key.hash, held);
        }
    }

    /// Encrypts the next piece.
    ///
    /// # Errors
    /// [`LimitError::Text`] when the total would exceed 2^36 − 32 bytes; nothing is written then.
    pub fn seal(&mut self, gcm: &Gcm, data: InOut<'_>) -> Result<(), LimitError> {
        self.update::<true>(gcm, data)
    }

    /// Decrypts the next piece, **unverified**.
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    pub fn open(&mut self, gcm: &Gcm, data: InOut<'_>) -> Result<(), LimitError> {
        self.update::<false>(gcm, data)
    }

    /// The tag.
    pub fn finish(&mut self, gcm: &Gcm) -> Tag {
        Tag::new(self.tag(gcm), gcm.tag_len)
    }

    /// Checks the tag in constant time.
    ///
    /// # Errors
    /// [`AuthError`] when the message is not authentic: all that was handed out must be discarded.
    pub fn verify(&mut self, gcm: &Gcm, tag: &[u8]) -> Result<(), AuthError> {
        if tag.len() != gcm.tag_len() {
            return Err(AuthError);
        }
        if ct::tags_equal(self.tag(gcm), tag) { Ok(()) } else { Err(AuthError) }
    }

    fn update<const SEAL: bool>(&mut self, gcm: &Gcm, data: InOut<'_>) -> Result<(), LimitError> {
        let total = limits::total(data.len(), self.text, limits::GCM_TEXT).ok_or(LimitError::Text)?;
        if data.is_empty() {
            return Ok(());
        }
        match (self.state, self.held()) {
            (State::Aad, Some(aad)) if !self.j0.secret => {
                let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = self.j0.block;
                *self.hash.acc = gcm.at_once::<SEAL>(&[a, b, c, d, e, f, g, h, i, j, k, l], aad, data);
                (self.state, self.text) = (State::Whole, total);
                return Ok(());
            }
            (State::Aad, _) => self.end_aad(gcm),
            (State::Whole, _) => self.resume(gcm),
            (State::Text, _) => {}
        }
        self.text = total;
        let (now, later) = data.split_at(self.keystream.left());
        self.bytes::<SEAL>(gcm, now);
        let (now, later) = later.split_at(if self.hash.is_late() { 16 } else { 0 });
        self.block::<SEAL>(gcm, now);
        let (whole, tail) = later.into_blocks();
        if !whole.is_empty() {
            let (imp, key) = (gcm.backend.imp(), &gcm.key);
            if SEAL {
                imp.seal(key, &mut self.ctr, &mut self.hash.acc, whole);
            } else {
                imp.open(key, &mut self.ctr, &mut self.hash.acc, whole);
            }
        }
        self.block::<SEAL>(gcm, tail);
        Ok(())
    }

    /// Text comes, and not all of it at once.
    fn end_aad(&mut self, gcm: &Gcm) {
        self.absorb_held(gcm);
        self.hash.pad(gcm.backend.imp(), &gcm.key.hash);
        self.state = State::Text;
    }

    /// There is more text after all. The tag is (Y + L)·H + E(J0), with Y the hash of all blocks so far and L the block of
    /// lengths: Y·H follows, with which the hash can go on.
    #[cold]
    #[inline(never)]
    fn resume(&mut self, gcm: &Gcm) {
        let (imp, key) = (gcm.backend.imp(), &gcm.key);
        let mask = Secret(u128::from_ne_bytes(*imp.keystream(&key.aes, &self.j0.block)));
        let hashed = Secret(u128::from_be_bytes((*self.hash.acc ^ *mask).to_ne_bytes()));
        let mut lengths = Secret(0);
        imp.ghash(&key.hash, &mut lengths, &[super::lengths(self.aad, self.text)]);
        let used = (self.text % 16) as usize;
        self.hash.resume(used, *hashed ^ *lengths);
        // Blocks are fewer than 2^32.
        self.ctr.advance((self.text / 16) as usize);
        if used > 0 {
            self.keystream = Keystream::behind(used, imp.keystream(&key.aes, &self.ctr.block));
            self.ctr.advance(1);
        }
        self.state = State::Text;
    }

    /// At most a block, with a keystream of its own; none where there is nothing.
    fn block<const SEAL: bool>(&mut self, gcm: &Gcm, data: InOut<'_>) {
        if !data.is_empty() {
            self.keystream = Keystream::from(gcm.backend.imp().keystream(&gcm.key.aes, &self.ctr.block));
            self.ctr.advance(1);
            self.bytes::<SEAL>(gcm, data);
        }
    }

    /// Less than a block, for which the keystream is there.
    fn bytes<const SEAL: bool>(&mut self, gcm: &Gcm, mut data: InOut<'_>) {
        let (imp, key) = (gcm.backend.imp(), &gcm.key.hash);
        if !SEAL {
            self.hash.update(imp, key, data.input());
        }
        self.keystream.apply(data.reborrow());
        if SEAL {
            self.hash.update(imp, key, data.written());
        }
    }

    fn tag(&mut self, gcm: &Gcm) -> u128 {
        match self.state {
            State::Aad => self.absorb_held(gcm),
            State::Whole => return *self.hash.acc,
            State::Text => {}
        }
        let (imp, key) = (gcm.backend.imp(), &gcm.key);
        self.hash.last(imp, &key.hash, super::lengths(self.aad, self.text));
        super::tag(imp, key, &self.j0, *self.hash.acc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use core::array;

    /// openssl#17220, ring#597: the 64 GiB limit holds for the total, and refuses before any output.
    #[test]
    fn total_is_limited() {
        for b in Backend::available() {
            let gcm = Gcm::with_backend(&[3; 16], b).expect("16 bytes");
            let mut pieces = GcmPieces::new(&gcm, &[0; 12]).expect("12 bytes");
            pieces.text = limits::GCM_TEXT - 20;
            let mut data = [0; 21];
            assert_eq!(pieces.seal(&gcm, (&mut data).into()), Err(LimitError::Text));
            assert_eq!(data, [0; 21]);
            assert_eq!(pieces.seal(&gcm, (&mut data[..20]).into()), Ok(()));
            assert_eq!(pieces.seal(&gcm, (&mut data[..1]).into()), Err(LimitError::Text));
            let mut pieces = GcmPieces::new(&gcm, &[0; 12]).expect("12 bytes");
            pieces.aad = limits::GCM_AAD - 1;
            assert_eq!(pieces.aad(&gcm, &[1, 2]), Err(LimitError::Aad));
            assert_eq!(pieces.aad(&gcm, &[1]), Ok(()));
        }
    }

    /// Apart from its key a message is what it is otherwise, also where the key grows on the way.
    #[test]
    fn apart_from_the_key() {
        for b in Backend::available() {
            let mut gcm = Gcm::with_backend_for(&[3; 16], b, 16).expect("16 bytes");
            let whole = Gcm::with_backend(&[3; 16], b).expect("16 bytes");
            for nonce in [&[5; 12][..], &[5; 9]] {
                let (mut data, mut expected) = ([7; 3000], [7; 3000]);
                let tag = whole.seal(nonce, b"header", &mut expected).expect("within limits");
                let mut pieces = GcmPieces::new(&gcm, nonce).expect("a nonce");
                pieces.aad(&gcm, b"head").expect("within limits");
                pieces.aad(&gcm, b"er").expect("within limits");
                pieces.seal(&gcm, (&mut data[..21]).into()).expect("within limits");
                assert_eq!(pieces.aad(&gcm, b"!"), Err(LimitError::Aad));
                gcm.prepare(usize::MAX);
                pieces.seal(&gcm, (&mut data[21..]).into()).expect("within limits");
                assert_eq!((*pieces.finish(&gcm) == *tag, data == expected), (true, true), "{b}");
                let mut pieces = GcmPieces::new(&gcm, nonce).expect("a nonce");
                pieces.aad(&gcm, b"header").expect("within limits");
                pieces.open(&gcm, (&mut data).into()).expect("within limits");
                assert_eq!(data, [7; 3000]);
                assert_eq!(pieces.verify(&gcm, &tag[..15]), Err(AuthError));
                assert_eq!(pieces.verify(&gcm, &tag), Ok(()));
                gcm.rekey_for(&[3; 16], 16).expect("16 bytes");
            }
        }
    }

    /// Every way to cut a message, sealed and opened, is the message at once: also where the first piece went through
    /// at once and more followed, or nothing.
    #[test]
    fn cut_anywhere() {
        let aad: [u8; 85] = array::from_fn(|i| i as u8);
        for b in Backend::available() {
            let gcm = Gcm::with_backend(&[3; 16], b).expect("16 bytes");
            for (nonce, aad) in
                [(&[5; 12][..], &aad[..0]), (&[5; 12], &aad[..13]), (&[5; 12], &aad), (&[5; 9], &aad[..20])]
            {
                for len in [0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 300] {
                    let (plain, mut sealed) = (&[7; 300][..len], [7; 300]);
                    let tag = gcm.seal(nonce, aad, &mut sealed[..len]).expect("within limits");
                    for (first, second) in (0..=len.min(40)).flat_map(|n| [(n, 0), (n, 1), (n, 15), (n, 16), (n, 40)]) {
                        let second = (first + second).min(len);
                        let mut data = [7; 300];
                        let mut pieces = GcmPieces::new(&gcm, nonce).expect("a nonce");
                        pieces.aad(&gcm, &aad[..aad.len() / 2]).expect("within limits");
                        pieces.aad(&gcm, &aad[aad.len() / 2..]).expect("within limits");
                        let mut opened = pieces.clone();
                        for range in [0..first, first..second, second..len] {
                            pieces.seal(&gcm, (&mut data[range.clone()]).into()).expect("within limits");
                            let output = &mut data[range.clone()];
                            assert!(output == &sealed[range.clone()], "{b} {len} {first} {second}");
                            opened.open(&gcm, output.into()).expect("within limits");
                        }
                        assert!(data[..len] == *plain, "{b} {len} {first} {second}");
                        assert_eq!(*pieces.finish(&gcm), *tag, "{b} {len} {first} {second}");
                        assert_eq!(opened.verify(&gcm, &tag), Ok(()), "{b} {len} {first} {second}");
                    }
                }
            }
        }
    }

    /// The length of tags can be changed afterwards, within the same limits.
    #[test]
    fn other_tags() {
        let mut gcm = Gcm::new(&[3; 16]).expect("16 bytes");
        let whole = gcm.mac(&[0; 12], b"data").expect("within limits");
        for len in 0..20 {
            assert_eq!(gcm.set_tag_len(len).is_ok(), (12..=16).contains(&len));
            if gcm.set_tag_len(len).is_ok() || gcm.set_short_tag_len(len).is_ok() {
                assert_eq!(*gcm.mac(&[0; 12], b"data").expect("within limits"), whole[..len]);
            }
        }
    }
}
