//! Vectors of C2SP's chunked encryption.

use super::{Fault, Outcome, Turn, judge};
use evariste::Backend;
use evariste_store::{Reader, Writer};
use sha2::{Digest, Sha512};
use std::io::{Read, Write};
use std::ops::Range;

/// A sealed message, and how much of it is true.
pub(crate) struct Vector {
    pub(crate) key: Vec<u8>,
    pub(crate) context: Vec<u8>,
    pub(crate) sealed: Vec<u8>,
    /// Of the text, or of what stands before the first chunk that is not authentic.
    pub(crate) text_len: usize,
    /// SHA-512 of the same, where there is any.
    pub(crate) text_sha512: Option<Vec<u8>>,
    pub(crate) authentic: bool,
}

impl Vector {
    /// Opens it at once and in pieces; where it is authentic seals it again.
    pub(crate) fn run(&self, backend: Backend, turn: &Turn) -> Result<(), String> {
        let text = self.open(backend, &self.sealed[..], "at once")?;
        let (sealed, cuts) = (&self.sealed[..], turn.cuts(self.sealed.len()));
        self.open(backend, InPieces { sealed, cuts }, "in pieces")?;
        if self.authentic {
            let whole = self.seal(backend, [&text[..]].into_iter());
            judge("sealed", "at once", whole, Some(&self.sealed))?;
            let pieces = self.seal(backend, turn.cuts(text.len()).map(|piece| &text[piece]));
            judge("sealed", "in pieces", pieces, Some(&self.sealed))?;
        }
        Ok(())
    }

    /// The text, if it is what it must be, and if it is followed by an error just where it must be.
    fn open(&self, backend: Backend, sealed: impl Read, way: &str) -> Result<Vec<u8>, String> {
        let wrong = |what| Err(format!("opened {way}: {what}"));
        let mut text = Vec::new();
        let reader = Reader::with_backend(sealed, &self.key, &self.context, backend);
        let (accepted, at_last) = reader.map_or((false, false), |mut reader| {
            (reader.read_to_end(&mut text).is_ok(), matches!(reader.read(&mut [0; 1]), Ok(0)))
        });
        let hash = self.text_sha512.as_deref();
        if accepted != at_last {
            wrong("an error did not stay one")
        } else if accepted != self.authentic {
            wrong(if accepted { "must be refused" } else { "refused" })
        } else if text.len() != self.text_len || hash.is_some_and(|hash| Sha512::digest(&text)[..] != *hash) {
            wrong("wrong text")
        } else {
            Ok(text)
        }
    }

    /// The same message, with the same salt.
    fn seal<'a>(&self, backend: Backend, mut text: impl Iterator<Item = &'a [u8]>) -> Outcome {
        let mut seal = || {
            let (salt, _) = self.sealed.split_first_chunk()?;
            let mut writer = Writer::with_backend(Vec::new(), &self.key, &self.context, *salt, backend).ok()?;
            text.try_for_each(|piece| writer.write_all(piece)).ok()?;
            writer.finish().ok()
        };
        seal().ok_or(Fault::Refused)
    }
}

/// A source that gives what it has piece by piece.
struct InPieces<'a, I> {
    sealed: &'a [u8],
    cuts: I,
}

impl<I: Iterator<Item = Range<usize>>> Read for InPieces<'_, I> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        // What does not fit comes with the next one; an empty piece would be the end.
        let cut = self.cuts.find(|cut| !cut.is_empty()).map_or(self.sealed.len(), |cut| cut.len());
        self.sealed.take(cut as u64).read(out).inspect(|n| self.sealed = &self.sealed[*n..])
    }
}
