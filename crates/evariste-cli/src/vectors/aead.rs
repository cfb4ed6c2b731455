//! Vectors of the authenticated modes, sealed and opened in every way there is.

mod key;
mod trial;

use super::{Turn, judge};
use evariste::{Backend, Ccm, Gcm, GcmSiv, Xaes256Gcm};
use key::Key;
use std::fmt;
use trial::Trial;

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

#[cfg(test)]
mod tests {
    use super::*;
    use evariste::{Aead, AuthError, InOut, KeyError, LimitError, Tag};

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
