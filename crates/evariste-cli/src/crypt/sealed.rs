//! What is encrypted: a message with a header in front, or a raw one, and what opens it.

use super::input::Input;
use super::part::Part;
use crate::pick::UsageError;
use crate::secret::{Current, Held, Key, Secrets, explain};
use anyhow::{Error, Result, anyhow};
use evariste_store::header::{Content, DataKey, HEADER_LEN, Header};
use evariste_store::{RangeReader, Reader, text_len};
use indicatif::ProgressBar;
use std::io::{self, Read};

/// An encrypted input whose header, if any, was read and unlocked: what follows is the message.
pub(crate) struct Sealed<'a> {
    pub(crate) input: &'a Input,
    opener: Opener,
}

enum Opener {
    Raw(Key),
    Header(Box<Header>, DataKey),
}

impl<'a> Sealed<'a> {
    /// # Errors
    /// For people, with the input's name: no header, damage in it, a wrong passphrase or key file.
    pub(crate) fn new(input: &'a Input, raw: bool, from: &Current) -> Result<Self> {
        let opener = if raw {
            Opener::Raw(raw_key(from)?)
        } else {
            let for_people = |error| explain(error, &input.name);
            let header = Header::read(&mut &input.file).map_err(for_people)?;
            let held = Secrets::default().current(from.key.as_deref(), from.passphrase_fd, &input.name)?;
            let (key, _) = header.unlock(held.secret()).map_err(|error| for_people(error.into()))?;
            Opener::Header(Box::new(header), key)
        };
        Ok(Self { input, opener })
    }

    /// # Errors
    /// If the length, where it is known, is that of no message.
    pub(crate) fn check_len(&self) -> Result<()> {
        self.message_len().map_or(Ok(()), |len| text_len(len).map(drop).map_err(|error| self.error(error.into())))
    }

    /// What the text is.
    pub(crate) fn content(&self) -> Content {
        match &self.opener {
            Opener::Raw(_) => Content::Bytes,
            Opener::Header(header, _) => header.content(),
        }
    }

    pub(crate) fn key(&self) -> &[u8] {
        match &self.opener {
            Opener::Raw(key) => &key.bytes,
            Opener::Header(_, key) => key.as_bytes(),
        }
    }

    pub(crate) fn context(&self) -> &[u8] {
        match &self.opener {
            Opener::Raw(_) => &[],
            Opener::Header(header, _) => header.context(),
        }
    }

    /// The key file, if it is not in a slot, for who must not write over it.
    pub(crate) fn raw_key(&self) -> Option<&Key> {
        match &self.opener {
            Opener::Raw(key) => Some(key),
            Opener::Header(..) => None,
        }
    }

    /// The message, where it can be read at any place.
    pub(crate) fn part(&self, bar: ProgressBar) -> Option<Part<'_>> {
        let from = self.input.start? + self.header_len();
        Some(Part { file: &self.input.file, from, len: self.message_len()?, bar })
    }

    /// The text, at any place.
    pub(crate) fn ranges(&self) -> Result<RangeReader<Part<'_>>> {
        let part = self.part(ProgressBar::hidden());
        let part = part.ok_or_else(|| anyhow!("{} cannot be read at any place: decrypt all of it", self.input.name))?;
        RangeReader::new(part, self.key(), self.context()).map_err(|error| self.error(error))
    }

    /// The text, from its beginning on.
    pub(crate) fn reader<R: Read>(&self, source: R, threads: usize) -> Result<Reader<R>> {
        let reader = Reader::new(source, self.key(), self.context()).map_err(|error| self.error(error))?;
        Ok(reader.threads(threads))
    }

    /// The number of the chunk that is damaged, if it is that.
    pub(crate) fn damaged_chunk(error: &io::Error) -> Option<u64> {
        use evariste_store::Error::{Chunk, LastChunk};
        match error.get_ref()?.downcast_ref()? {
            Chunk(n) | LastChunk(n) => Some(*n),
            _ => None,
        }
    }

    /// What is wrong, for people.
    pub(crate) fn error(&self, error: io::Error) -> Error {
        let name = &self.input.name;
        let is_commitment =
            error.get_ref().and_then(|error| error.downcast_ref()) == Some(&evariste_store::Error::Commitment);
        match &self.opener {
            Opener::Raw(key) if is_commitment => {
                anyhow!("{name}: not encrypted with the key {}, or damaged in its first 56 bytes", key.name)
            }
            Opener::Header(..) if is_commitment => anyhow!("{name}: damaged in the 56 bytes behind the header"),
            _ => anyhow!("{name}: {error}"),
        }
    }

    fn header_len(&self) -> u64 {
        if matches!(self.opener, Opener::Raw(_)) { 0 } else { HEADER_LEN as u64 }
    }

    fn message_len(&self) -> Option<u64> {
        // A header was read, so there are as many bytes.
        self.input.len.map(|len| len.saturating_sub(self.header_len()))
    }
}

/// The key of a message without a header.
pub(crate) fn raw_key(from: &Current) -> Result<Key> {
    match (&from.key, from.passphrase_fd) {
        (Some(path), _) => Key::read(path),
        (None, None) => Err(UsageError("no key: add -k KEY; `evariste keygen -o KEY` makes one".into()).into()),
        (None, Some(_)) => Err(UsageError("--raw has no passphrases: add -k KEY instead".into()).into()),
    }
}

/// What shall open a new file.
pub(crate) fn new_secret(from: &Current, name: &str) -> Result<Held> {
    Secrets::default().new_one(from.key.as_deref(), from.passphrase_fd, name)
}
