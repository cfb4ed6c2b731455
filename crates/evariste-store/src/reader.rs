//! Sealed message in, text out.

use crate::chunked::HEADER;
use crate::opener::{Opener, fill};
use crate::{Error, Message};
use evariste::Backend;
use std::fmt;
use std::io::{self, BufRead, Read};

/// Opens the message read from `R`.
///
/// Reading gives text up to the last chunk that verifies. Then follows the end, or an [`Error`] within an
/// [`io::Error`], now and at every later call: only a reader that reached its end has given the whole
/// text. `R` is read to its end; it needs no buffer of its own.
pub struct Reader<R> {
    inner: R,
    opener: Opener,
}

impl<R: Read> Reader<R> {
    /// Reads the header and checks that it is one for `key`, of 16 or 32 bytes, and `context`.
    ///
    /// # Errors
    /// Those of `R`; [`Error::KeyLength`], [`Error::Truncated`] and [`Error::Commitment`].
    pub fn new(inner: R, key: &[u8], context: &[u8]) -> io::Result<Self> {
        Self::with_backend(inner, key, context, Backend::active())
    }

    /// As [`new`](Self::new), on the backend of the caller's choice.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_backend(mut inner: R, key: &[u8], context: &[u8], backend: Backend) -> io::Result<Self> {
        let (mut header, mut filled) = ([0; HEADER], 0);
        if !fill(&mut inner, &mut header, &mut filled)? {
            return Err(Error::Truncated.into());
        }
        Ok(Self { inner, opener: Opener::new(Message::open_with(key, context, &header, backend)?) })
    }

    /// Opens chunks on `n` threads, at most 16, while the caller's reads `R` and takes the text; 1, the default, means
    /// on the caller's. They start after the first MiB, read ahead up to 2·n MiB, which takes as much memory, and end
    /// with the message, at the first error, or when the reader is dropped. What is read stays the same, and so does
    /// where an error comes. For a source that is slow to come, such as a terminal, leave it at 1: the caller waits
    /// for a whole MiB each time.
    #[must_use]
    pub fn threads(mut self, n: usize) -> Self {
        self.opener.set_threads(n);
        self
    }
}

impl<R: Read> BufRead for Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.opener.load(&mut self.inner)?;
        Ok(self.opener.text())
    }

    fn consume(&mut self, amount: usize) {
        self.opener.consume(amount);
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let text = self.fill_buf()?;
        let n = text.len().min(out.len());
        out[..n].copy_from_slice(&text[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: fmt::Debug> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("inner", &self.inner)
            .field("position", &self.opener.position())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use crate::chunked::{CHUNK, SALT, SEALED_CHUNK};
    use std::io::Write;

    fn seal(text: &[u8]) -> Vec<u8> {
        let mut writer = Writer::with_salt(Vec::new(), &[1; 16], b"", [2; SALT]).unwrap();
        writer.write_all(text).unwrap();
        writer.finish().unwrap()
    }

    /// Gives a few bytes, then fails, in turn.
    struct Reluctant<'a> {
        rest: &'a [u8],
        calls: usize,
    }

    impl Read for Reluctant<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.calls += 1;
            match self.calls % 3 {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                1 => Err(io::ErrorKind::Interrupted.into()),
                _ => {
                    let n = out.len().min(5000);
                    self.rest.read(&mut out[..n])
                }
            }
        }
    }

    #[test]
    fn a_read_that_failed_can_be_repeated() {
        let text: Vec<u8> = (0..50_000u32).map(|i| (i % 251) as u8).collect();
        let sealed = seal(&text);
        let mut reader = Reader::new(Reluctant { rest: &sealed, calls: 0 }, &[1; 16], b"").unwrap();
        let (mut out, mut failures) = (Vec::new(), 0);
        loop {
            match reader.fill_buf() {
                Ok([]) => break,
                Ok(text) => {
                    out.extend_from_slice(text);
                    let n = text.len();
                    reader.consume(n);
                }
                Err(_) => failures += 1,
            }
        }
        assert!(out == text && failures > 3);
    }

    #[test]
    fn errors_are_told_apart_and_stay() {
        let sealed = seal(&[5; 2 * CHUNK + 100]);
        let changed = |at: usize| {
            let mut sealed = sealed.clone();
            sealed[at] ^= 1;
            sealed
        };
        let chunk = |n| HEADER + n * SEALED_CHUNK;
        for (case, text, error) in [
            (sealed[..chunk(0)].to_vec(), 0, Error::Truncated),
            (sealed[..chunk(0) + 15].to_vec(), 0, Error::Truncated),
            (sealed[..chunk(1)].to_vec(), CHUNK, Error::Truncated),
            (sealed[..chunk(2) + 15].to_vec(), 2 * CHUNK, Error::Truncated),
            (sealed[..chunk(2) + 16].to_vec(), 2 * CHUNK, Error::LastChunk(2)),
            (sealed[..chunk(1) - 1].to_vec(), 0, Error::LastChunk(0)),
            (changed(chunk(0)), 0, Error::Chunk(0)),
            (changed(chunk(2) - 1), CHUNK, Error::Chunk(1)),
            (changed(chunk(2)), 2 * CHUNK, Error::LastChunk(2)),
            ([&sealed[..], &[0]].concat(), 2 * CHUNK, Error::LastChunk(2)),
            ([&sealed[..], &[0; CHUNK]].concat(), 2 * CHUNK, Error::Chunk(2)),
        ] {
            let mut reader = Reader::new(&case[..], &[1; 16], b"").unwrap();
            let mut out = Vec::new();
            for _ in 0..3 {
                let found = reader.read_to_end(&mut out).unwrap_err().downcast::<Error>().unwrap();
                assert_eq!(found, error, "{} bytes", case.len());
            }
            assert!(out == vec![5; text], "{error}");
        }
    }

    #[test]
    fn a_header_is_checked_first() {
        let sealed = seal(b"text");
        let error = |sealed: &[u8], key: &[u8], context: &[u8]| {
            Reader::new(sealed, key, context).unwrap_err().downcast::<Error>().unwrap()
        };
        assert_eq!(error(&sealed, &[2; 16], b""), Error::Commitment);
        assert_eq!(error(&sealed, &[1; 16], b"x"), Error::Commitment);
        assert_eq!(error(&sealed, &[1; 32], b""), Error::Commitment);
        assert_eq!(error(&sealed, &[1; 24], b""), Error::KeyLength);
        assert_eq!(error(&sealed[..HEADER - 1], &[1; 16], b""), Error::Truncated);
    }
}
