//! Vectors of the authenticated modes, sealed and opened in every way there is.

mod key;

use super::buffer::{Pieces, Turn};
use super::{Fault, Outcome, judge};
use evariste::{AuthError, Backend, Ccm, Gcm, GcmSiv, Message, Xaes256Gcm};
use key::Key;
use std::fmt;

/// The mode of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Gcm,
    Ccm,
    GcmSiv,
    Xaes,
}

impl Mode {
    /// What is wrong with a key for tags of `tag` bytes. By the standards, not by what the library says.
    fn bad_key(self, key: usize, tag: usize) -> Option<String> {
        let (keys, tags): (&[usize], &[usize]) = match self {
            Self::Gcm => (&[16, 24, 32], &[4, 8, 12, 13, 14, 15, 16]),
            Self::Ccm => (&[16, 24, 32], &[4, 6, 8, 10, 12, 14, 16]),
            Self::GcmSiv => (&[16, 32], &[16]),
            Self::Xaes => (&[32], &[16]),
        };
        if !keys.contains(&key) {
            Some(format!("{self} has no keys of {key} bytes"))
        } else if !tags.contains(&tag) {
            Some(format!("{self} has no tags of {tag} bytes"))
        } else {
            None
        }
    }

    /// What is wrong with a nonce.
    fn bad_nonce(self, len: usize) -> Option<String> {
        let good = match self {
            Self::Gcm => len > 0,
            Self::Ccm => (7..=13).contains(&len),
            Self::GcmSiv => len == 12,
            Self::Xaes => len == 24,
        };
        (!good).then(|| format!("{self} has no nonces of {len} bytes"))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gcm => "AES-GCM",
            Self::Ccm => "AES-CCM",
            Self::GcmSiv => "AES-GCM-SIV",
            Self::Xaes => "XAES-256-GCM",
        })
    }
}

/// A message, and whether it is authentic.
pub(crate) struct Vector {
    pub(crate) mode: Mode,
    pub(crate) key: Vec<u8>,
    pub(crate) nonce: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    /// Always there when the message is authentic.
    pub(crate) text: Option<Vec<u8>>,
    pub(crate) sealed: Vec<u8>,
    pub(crate) tag: Vec<u8>,
    /// For tags of how many bytes the key is made; `tag` may have others.
    pub(crate) tag_len: usize,
    pub(crate) authentic: bool,
}

impl Vector {
    /// Why this cannot be run: the mode refuses its sizes, though it should pass.
    pub(crate) fn skip(&self) -> Option<String> {
        let bad = || {
            let key = self.mode.bad_key(self.key.len(), self.tag_len);
            key.or_else(|| self.mode.bad_nonce(self.nonce.len()))
        };
        if self.authentic { bad() } else { None }
    }

    /// Seals and opens it in every way.
    pub(crate) fn run(&self, backend: Backend, turn: &mut Turn) -> Result<(), String> {
        match self.mode {
            Mode::Gcm => self.run_as::<Gcm>(backend, turn),
            Mode::Ccm => self.run_as::<Ccm>(backend, turn),
            Mode::GcmSiv => self.run_as::<GcmSiv>(backend, turn),
            Mode::Xaes => self.run_as::<Xaes256Gcm>(backend, turn),
        }
    }

    fn run_as<K: Key>(&self, backend: Backend, turn: &mut Turn) -> Result<(), String> {
        let key = K::make(&self.key, backend, self.tag_len);
        let key = match (key, self.mode.bad_key(self.key.len(), self.tag_len)) {
            (Ok(key), None) => key,
            (Err(_), Some(_)) => return Ok(()),
            (Ok(_), Some(bad)) => return Err(format!("a key was made though {bad}")),
            (Err(error), None) => return Err(error.to_string()),
        };
        let (nonce, aad) = (turn.copy(&self.nonce), turn.copy(&self.aad));
        let trial = Trial { key: &key, nonce: &nonce, aad: &aad };
        // A message that is not authentic has a text, but that text seals to something else.
        if let Some(text) = &self.text
            && (self.authentic || self.mode.bad_nonce(nonce.len()).is_some())
        {
            let want = self.authentic.then(|| [&*self.sealed, &self.tag].concat());
            for (way, got) in trial.seal(text, turn) {
                judge("sealed", way, got, want.as_deref())?;
            }
        }
        let want = self.text.as_deref().filter(|_| self.authentic);
        for (way, got) in trial.open(&self.sealed, &self.tag, turn) {
            judge("opened", way, got, want)?;
        }
        Ok(())
    }
}

/// A key and what goes with it.
struct Trial<'a, K> {
    key: &'a K,
    nonce: &'a [u8],
    aad: &'a [u8],
}

type Ways = Vec<(&'static str, Outcome)>;

impl<K: Key> Trial<'_, K> {
    /// The sealed text and its tag, by every way to seal; or that it was refused and nothing written.
    fn seal(&self, text: &[u8], turn: &mut Turn) -> Ways {
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
    fn open(&self, sealed: &[u8], tag: &[u8], turn: &mut Turn) -> Ways {
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

#[cfg(test)]
mod tests {
    use super::*;
    use evariste::{Aead, InOut, KeyError, LimitError, Tag};

    /// Opens in place as it should, but leaves a byte of a forged message behind.
    struct Leaky(Gcm);

    impl Aead for Leaky {
        fn backend(&self) -> Backend {
            self.0.backend()
        }

        fn tag_len(&self) -> usize {
            self.0.tag_len()
        }

        fn seal_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>) -> Result<Tag, LimitError> {
            self.0.seal_inout(nonce, aad, data)
        }

        fn open_inout(&self, nonce: &[u8], aad: &[u8], data: InOut<'_>, tag: &[u8]) -> Result<(), AuthError> {
            self.0.open_inout(nonce, aad, data, tag)
        }

        fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), AuthError> {
            self.0.open(nonce, aad, data, tag).inspect_err(|_| data[0] = 1)
        }
    }

    impl Key for Leaky {
        fn make(key: &[u8], backend: Backend, tag_len: usize) -> Result<Self, KeyError> {
            Gcm::make(key, backend, tag_len).map(Self)
        }
    }

    fn forged() -> Vector {
        Vector {
            mode: Mode::Gcm,
            key: vec![1; 16],
            nonce: vec![2; 12],
            aad: vec![],
            text: Some(vec![3; 20]),
            sealed: vec![4; 20],
            tag: vec![5; 16],
            tag_len: 16,
            authentic: false,
        }
    }

    #[test]
    fn text_left_behind_is_a_failure() {
        let backend = Backend::active();
        assert_eq!(forged().run_as::<Gcm>(backend, &mut Turn::default()), Ok(()));
        let failure = forged().run_as::<Leaky>(backend, &mut Turn::default());
        assert_eq!(failure, Err("opened in place: refused, but the output is not what it must be".into()));
    }

    #[test]
    fn sizes_out_of_range_must_be_refused_or_skipped() {
        for (nonce, tag_len, why) in
            [(0, 16, "AES-GCM has no nonces of 0 bytes"), (12, 7, "AES-GCM has no tags of 7 bytes")]
        {
            let mut vector = Vector { nonce: vec![2; nonce], tag_len, ..forged() };
            assert_eq!(vector.run(Backend::active(), &mut Turn::default()), Ok(()));
            assert_eq!(vector.skip(), None);
            vector.authentic = true;
            assert_eq!(vector.skip().as_deref(), Some(why));
        }
    }
}
