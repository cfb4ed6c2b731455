//! Sealed message in, text out.

use crate::Error;
use crate::chunked::{Chunks, HEADER, LAST, SEALED_CHUNK, TAG};
use evariste::Backend;
use std::io::{self, BufRead, Read};
use std::{fmt, ops::Range};
use zeroize::Zeroizing;

/// Opens the message read from `R`.
///
/// Reading gives text up to the last chunk that verifies. Then follows the end, or an [`Error`] within an
/// [`io::Error`], now and at every later call: only a reader that reached its end has given the whole
/// text. `R` is read to its end; it needs no buffer of its own.
pub struct Reader<R> {
    inner: R,
    chunks: Chunks,
    /// The number of the next chunk.
    number: u64,
    /// A chunk: sealed while it comes in, opened in place.
    buffer: Zeroizing<Vec<u8>>,
    /// How much of the next chunk has come in.
    sealed: usize,
    /// Text in `buffer` that was not read yet.
    text: Range<usize>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    Ended,
    Failed(Error),
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
        let chunks = Chunks::open_with(key, context, &header, backend)?;
        let buffer = Zeroizing::new(vec![0; SEALED_CHUNK]);
        Ok(Self { inner, chunks, number: 0, buffer, sealed: 0, text: 0..0, state: State::Open })
    }

    /// Gets and opens a chunk. `buffer` holds no unread text.
    fn next(&mut self) -> io::Result<()> {
        let full = fill(&mut self.inner, &mut self.buffer, &mut self.sealed)?;
        match self.open(full) {
            Ok(()) if full => self.number += 1,
            Ok(()) => self.state = State::Ended,
            Err(error) => self.state = State::Failed(error),
        }
        self.sealed = 0;
        Ok(())
    }

    fn open(&mut self, full: bool) -> Result<(), Error> {
        // The last number is for a last chunk, which is never full.
        if full && self.number == LAST {
            return Err(Error::TooLong);
        }
        let text = self.sealed.checked_sub(TAG).ok_or(Error::Truncated)?;
        self.chunks.open(self.number, &mut self.buffer[..self.sealed])?;
        self.text = 0..text;
        Ok(())
    }
}

impl<R: Read> BufRead for Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.text.is_empty() {
            match self.state {
                State::Open => self.next()?,
                State::Ended => break,
                State::Failed(error) => return Err(error.into()),
            }
        }
        Ok(&self.buffer[self.text.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.text.start = self.text.end.min(self.text.start.saturating_add(amount));
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
            .field("number", &self.number)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// Reads on until `buffer` is full, or returns false at the end of `inner`. After an error `filled` says
/// where to go on.
fn fill(inner: &mut impl Read, buffer: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < buffer.len() {
        match inner.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(false),
            Ok(n) => *filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use crate::chunked::{CHUNK, SALT};
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

    #[test]
    fn what_failed_leaves_no_text_behind() {
        let mut sealed = seal(&[5; 1000]);
        sealed[HEADER + 1000] ^= 1;
        let mut reader = Reader::new(&sealed[..], &[1; 16], b"").unwrap();
        assert!(reader.fill_buf().is_err());
        reader.consume(1000);
        assert!(reader.text.is_empty());
        assert!(!reader.buffer.windows(4).any(|w| w == [5; 4]));
    }

    #[test]
    fn the_last_number_takes_no_full_chunk() {
        let sealed = seal(&[]);
        let mut reader = Reader::new(&sealed[..HEADER], &[1; 16], b"").unwrap();
        let mut chunk = vec![0; SEALED_CHUNK];
        reader.chunks.seal(LAST, &mut chunk).unwrap();
        reader.number = LAST;
        reader.inner = &chunk;
        assert_eq!(reader.fill_buf().unwrap_err().downcast::<Error>().unwrap(), Error::TooLong);
    }
}
