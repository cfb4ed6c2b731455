//! Every way to seal and to open a message.

use super::key::Key;
use crate::vectors::buffer::{Pieces, Turn};
use crate::vectors::{Fault, Outcome};
use evariste::{AuthError, Message};

/// A key and what goes with it.
pub(super) struct Trial<'a, K> {
    pub(super) key: &'a K,
    pub(super) nonce: &'a [u8],
    pub(super) aad: &'a [u8],
}

/// What each way gave.
type Ways = Vec<(&'static str, Outcome)>;

impl<K: Key> Trial<'_, K> {
    /// The sealed text and its tag, by every way to seal; or that it was refused and nothing written.
    pub(super) fn seal(&self, text: &[u8], turn: &mut Turn) -> Ways {
        let mut ways = vec![
            ("in place", self.seal_in_place(text, turn)),
            ("to another buffer", self.seal_to(text, turn)),
            ("with the tag appended", self.seal_appended(text, turn)),
            ("in place with the tag appended", self.seal_appended_in_place(text, turn)),
            ("in a batch", self.seal_batch(text, turn)),
        ];
        ways.extend(self.seal_pieces(text, turn).map(|got| ("in pieces", got)));
        ways.extend(self.seal_pieces_to(text, turn).map(|got| ("in pieces to another buffer", got)));
        if text.is_empty()
            && let Some(got) = self.key.mac(self.nonce, self.aad)
        {
            ways.push(("as a MAC", got.map(|tag| tag.to_vec()).map_err(|_| Fault::Refused)));
        }
        ways
    }

    fn seal_in_place(&self, text: &[u8], turn: &mut Turn) -> Outcome {
        let mut data = turn.copy(text);
        match self.key.seal(self.nonce, self.aad, &mut data) {
            Ok(tag) => Ok([&*data.into_vec()?, &tag].concat()),
            Err(_) => Err(Fault::refused_if(*data == *text)),
        }
    }

    fn seal_to(&self, text: &[u8], turn: &mut Turn) -> Outcome {
        let (text, mut out) = (turn.copy(text), turn.filled(text.len()));
        match self.key.seal_to(self.nonce, self.aad, &text, &mut out) {
            Ok(tag) => Ok([&*out.into_vec()?, &tag].concat()),
            Err(_) => Err(Fault::refused_if(out.is_untouched())),
        }
    }

    fn seal_appended(&self, text: &[u8], turn: &mut Turn) -> Outcome {
        let (text, mut out) = (turn.copy(text), turn.filled(text.len() + self.key.tag_len()));
        match self.key.seal_appended(self.nonce, self.aad, &text, &mut out) {
            Ok(()) => out.into_vec(),
            Err(_) => Err(Fault::refused_if(out.is_untouched())),
        }
    }

    fn seal_appended_in_place(&self, text: &[u8], turn: &mut Turn) -> Outcome {
        let before = [text, &vec![0; self.key.tag_len()]].concat();
        let mut buffer = turn.copy(&before);
        match self.key.seal_in_place(self.nonce, self.aad, &mut buffer) {
            Ok(()) => buffer.into_vec(),
            Err(_) => Err(Fault::refused_if(*buffer == *before)),
        }
    }

    fn seal_batch(&self, text: &[u8], turn: &mut Turn) -> Outcome {
        let mut batch = [(); 3].map(|()| (turn.copy(text), turn.filled(self.key.tag_len())));
        let done = self.key.seal_many(&mut batch.each_mut().map(|(data, tag)| self.message(data, tag)));
        match done {
            Ok(()) => agreed(batch.map(|(data, tag)| Ok([data.into_vec()?, tag.into_vec()?].concat()))),
            Err(_) => Err(Fault::refused_if(batch.iter().all(|(data, tag)| **data == *text && tag.is_untouched()))),
        }
    }

    fn seal_pieces(&self, text: &[u8], turn: &mut Turn) -> Option<Outcome> {
        let mut data = turn.copy(text);
        let pieces = Pieces { turn, src: None, dst: &mut data };
        Some(match self.key.seal_pieces(self.nonce, self.aad, pieces)? {
            Ok(tag) => data.into_vec().map(|data| [&*data, &tag].concat()),
            Err(_) => Err(Fault::refused_if(*data == *text)),
        })
    }

    fn seal_pieces_to(&self, text: &[u8], turn: &mut Turn) -> Option<Outcome> {
        let (text, mut out) = (turn.copy(text), turn.filled(text.len()));
        let pieces = Pieces { turn, src: Some(&text), dst: &mut out };
        Some(match self.key.seal_pieces(self.nonce, self.aad, pieces)? {
            Ok(tag) => out.into_vec().map(|out| [&*out, &tag].concat()),
            Err(_) => Err(Fault::refused_if(out.is_untouched())),
        })
    }

    /// The text, by every way to open; or that it was refused and the output zeroed.
    pub(super) fn open(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Ways {
        let mut ways = vec![
            ("in place", self.open_in_place(sealed, tag, turn)),
            ("to another buffer", self.open_to(sealed, tag, turn)),
            ("with the tag appended", self.open_appended(sealed, tag, turn)),
            ("in place with the tag appended", self.open_appended_in_place(sealed, tag, turn)),
            ("in a batch", self.open_batch(sealed, tag, turn)),
        ];
        ways.extend(self.open_pieces(sealed, tag, turn).map(|got| ("in pieces", got)));
        ways.extend(self.open_pieces_to(sealed, tag, turn).map(|got| ("in pieces to another buffer", got)));
        if sealed.is_empty()
            && let Some(got) = self.key.verify_mac(self.nonce, self.aad, tag)
        {
            ways.push(("as a MAC", got.map(|()| Vec::new()).map_err(|_| Fault::Refused)));
        }
        ways
    }

    fn open_in_place(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Outcome {
        let (mut data, tag) = (turn.copy(sealed), turn.copy(tag));
        match self.key.open(self.nonce, self.aad, &mut data, &tag) {
            Ok(()) => data.into_vec(),
            Err(AuthError) => Err(Fault::refused_if_zero(&data)),
        }
    }

    fn open_to(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Outcome {
        let (sealed, tag, mut out) = (turn.copy(sealed), turn.copy(tag), turn.filled(sealed.len()));
        match self.key.open_to(self.nonce, self.aad, &sealed, &mut out, &tag) {
            Ok(()) => out.into_vec(),
            Err(AuthError) => Err(Fault::refused_if_zero(&out)),
        }
    }

    fn open_appended(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Outcome {
        let (both, mut out) = (turn.copy(&[sealed, tag].concat()), turn.filled(sealed.len()));
        match self.key.open_appended(self.nonce, self.aad, &both, &mut out) {
            Ok(()) => out.into_vec(),
            Err(AuthError) => Err(Fault::refused_if_zero(&out)),
        }
    }

    fn open_appended_in_place(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Outcome {
        let mut both = turn.copy(&[sealed, tag].concat());
        match self.key.open_in_place(self.nonce, self.aad, &mut both) {
            Ok(text) => {
                let len = text.len();
                both.into_vec().map(|text| text[..len].to_vec())
            }
            Err(AuthError) => Err(Fault::refused_if_zero(&both[..both.len().saturating_sub(self.key.tag_len())])),
        }
    }

    fn open_batch(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Outcome {
        let mut batch = [(); 3].map(|()| (turn.copy(sealed), turn.copy(tag)));
        let mut messages = batch.each_mut().map(|(data, tag)| self.message(data, tag));
        let done = self.key.open_many(&mut messages);
        let each = messages.map(|m| m.authentic);
        match done {
            Ok(()) if each == [true; 3] => agreed(batch.map(|(data, _)| data.into_vec())),
            Err(AuthError) if each == [false; 3] => {
                Err(Fault::refused_if_zero(&batch.map(|(data, _)| data.to_vec()).concat()))
            }
            _ => Err(Fault::Disagreement),
        }
    }

    /// Text in pieces is out before it is verified: it is not zeroed.
    fn open_pieces(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Option<Outcome> {
        let (mut data, tag) = (turn.copy(sealed), turn.copy(tag));
        let pieces = Pieces { turn, src: None, dst: &mut data };
        let done = self.key.open_pieces(self.nonce, self.aad, pieces, &tag)?;
        Some(done.map_err(|AuthError| Fault::Refused).and_then(|()| data.into_vec()))
    }

    fn open_pieces_to(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Option<Outcome> {
        let (sealed, tag, mut out) = (turn.copy(sealed), turn.copy(tag), turn.filled(sealed.len()));
        let pieces = Pieces { turn, src: Some(&sealed), dst: &mut out };
        let done = self.key.open_pieces(self.nonce, self.aad, pieces, &tag)?;
        Some(done.map_err(|AuthError| Fault::Refused).and_then(|()| out.into_vec()))
    }

    fn message<'a>(&'a self, data: &'a mut [u8], tag: &'a mut [u8]) -> Message<'a> {
        Message { nonce: self.nonce, aad: self.aad, data, tag, authentic: false }
    }
}

/// What all of them are.
fn agreed(all: [Outcome; 3]) -> Outcome {
    let [a, b, c] = all;
    let (a, b, c) = (a?, b?, c?);
    if a == b && b == c { Ok(a) } else { Err(Fault::Disagreement) }
}
