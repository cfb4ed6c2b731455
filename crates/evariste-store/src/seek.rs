//! Reading from anywhere in a message.

use crate::chunked::HEADER;
use crate::opener::Opener;
use crate::{Message, Span, text_len};
use std::fmt;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// Opens a message from any position, a chunk at a time.
///
/// The last chunk is verified first, so a message that was cut short is refused before any text is read.
pub struct SeekReader<R> {
    inner: R,
    opener: Opener,
    /// Where the message begins in `inner`, its length there, and the length of its text.
    start: u64,
    sealed: u64,
    len: u64,
    position: u64,
    /// `inner` may be elsewhere than `opener` goes on.
    astray: bool,
}

impl<R: Read + Seek> SeekReader<R> {
    /// Reads the message from the current position of `inner` to its end.
    ///
    /// # Errors
    /// Those of `inner`, and as [`Error`](crate::Error): `KeyLength`, `Truncated`, `TooLong`, `Commitment`,
    /// `LastChunk`.
    pub fn new(mut inner: R, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let start = inner.stream_position()?;
        let sealed = inner.seek(SeekFrom::End(0))?.saturating_sub(start);
        let len = text_len(sealed)?;
        inner.seek(SeekFrom::Start(start))?;
        let mut header = [0; HEADER];
        inner.read_exact(&mut header)?;
        let opener = Opener::new(Message::new(key, context, &header)?);
        let mut reader = Self { inner, opener, start, sealed, len, position: 0, astray: true };
        reader.load(len - Span::last(sealed)?.len)?;
        Ok(reader)
    }

    /// As [`Reader::threads`](crate::Reader::threads), where more than 1 MiB is read on from one position.
    #[must_use]
    pub fn threads(mut self, n: usize) -> Self {
        self.opener.set_threads(n);
        self
    }

    /// Bytes of text in the message.
    pub fn text_len(&self) -> u64 {
        self.len
    }

    /// Text from `position` on comes to hand.
    fn load(&mut self, position: u64) -> io::Result<()> {
        self.astray |= !self.opener.seek(position);
        if self.astray {
            self.opener.restart();
            self.inner.seek(SeekFrom::Start(self.start + self.opener.sealed_position()))?;
        }
        // Until it is done without an error.
        self.astray = true;
        let rest = self.sealed.saturating_sub(self.opener.sealed_position());
        self.opener.load(&mut (&mut self.inner).take(rest))?;
        self.astray = false;
        Ok(())
    }
}

impl<R: Read + Seek> BufRead for SeekReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.len {
            return Ok(&[]);
        }
        self.load(self.position)?;
        Ok(self.opener.text())
    }

    fn consume(&mut self, amount: usize) {
        self.position = self.position.saturating_add(amount as u64);
    }
}

impl<R: Read + Seek> Read for SeekReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(out)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: Read + Seek> Seek for SeekReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(n) => Some(n),
            SeekFrom::End(n) => self.len.checked_add_signed(n),
            SeekFrom::Current(n) => self.position.checked_add_signed(n),
        };
        self.position = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl<R> fmt::Debug for SeekReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeekReader").field("position", &self.position).field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunked::CHUNK;
    use crate::{Error, Writer};
    use std::io::{Cursor, Write};

    fn seal(text: &[u8]) -> Vec<u8> {
        let mut writer = Writer::new(b"in front".to_vec(), &[7; 32], b"c").unwrap();
        writer.write_all(text).unwrap();
        writer.finish().unwrap()
    }

    fn open(sealed: &[u8]) -> io::Result<SeekReader<Cursor<&[u8]>>> {
        let mut inner = Cursor::new(sealed);
        inner.set_position(8);
        SeekReader::new(inner, &[7; 32], b"c")
    }

    #[test]
    fn reads_from_anywhere() {
        let text: Vec<u8> = (0..2 * CHUNK + 9).map(|i| (i / 251 + i) as u8).collect();
        let sealed = seal(&text);
        let mut reader = open(&sealed).unwrap();
        assert_eq!(reader.text_len(), text.len() as u64);
        for at in [2 * CHUNK + 8, 0, CHUNK - 1, CHUNK, 2 * CHUNK, text.len(), text.len() + 1] {
            let mut rest = Vec::new();
            reader.seek(SeekFrom::Start(at as u64)).unwrap();
            reader.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, text[at.min(text.len())..], "{at}");
        }
        assert_eq!(reader.seek(SeekFrom::End(-9)).unwrap(), 2 * CHUNK as u64);
        assert!(reader.seek(SeekFrom::Current(-3 * CHUNK as i64)).is_err());
        assert_eq!(reader.stream_position().unwrap(), 2 * CHUNK as u64);
    }

    #[test]
    fn what_was_cut_is_refused_at_once_and_damage_where_it_is() {
        let mut sealed = seal(&[5; 2 * CHUNK + 9]);
        let last = |border: usize| Error::LastChunk((border / (CHUNK + 16)) as u64 - 1);
        let error = |sealed: &[u8]| open(sealed).unwrap_err().downcast::<Error>().unwrap();
        assert_eq!(error(&sealed[..sealed.len() - 1]), Error::LastChunk(2));
        assert_eq!(error(&sealed[..sealed.len() - 25]), Error::Truncated);
        assert_eq!(error(&sealed[..sealed.len() - 26]), Error::LastChunk(1));
        for border in (0..3).map(|n| 8 + HEADER + n * (CHUNK + 16)) {
            assert_eq!(error(&sealed[..border - 1]), if border > 99 { last(border) } else { Error::Truncated });
            assert_eq!(error(&sealed[..border]), Error::Truncated);
            assert_eq!(error(&sealed[..border + 1]), Error::Truncated);
        }
        let longer = [&sealed[..], &[0]].concat();
        assert_eq!(error(&longer), Error::LastChunk(2));
        sealed[8 + HEADER] ^= 1;
        let mut reader = open(&sealed).unwrap();
        assert_eq!(reader.read(&mut [0; 9]).unwrap_err().downcast::<Error>().unwrap(), Error::Chunk(0));
        reader.seek(SeekFrom::Start(CHUNK as u64)).unwrap();
        assert_eq!(reader.fill_buf().unwrap(), &[5; CHUNK]);
    }
}
