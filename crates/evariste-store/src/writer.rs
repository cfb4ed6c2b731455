//! Text in, sealed message out.

use crate::Error;
use crate::chunked::{CHUNK, Chunks, HEADER, LAST, SALT, SEALED_CHUNK, TAG};
use evariste::Backend;
use std::io::{self, Write};
use std::{fmt, ops::Range};
use zeroize::Zeroizing;

/// Seals what is written to it, and writes that to `W`.
///
/// Text leaves in whole chunks of 16 KiB, so that [`flush`](Write::flush) holds back what does not fill
/// one. The message ends with [`finish`](Self::finish): a writer dropped without it leaves one that
/// readers refuse as truncated.
pub struct Writer<W> {
    inner: W,
    chunks: Chunks,
    /// The number of the chunk in `buffer`.
    number: u64,
    /// The text of a chunk that is not full yet; or, while `sealed` is not empty, bytes on their way.
    buffer: Zeroizing<Vec<u8>>,
    /// How much text is in `buffer`.
    text: usize,
    /// Sealed bytes in `buffer` that `inner` has not taken yet.
    sealed: Range<usize>,
}

impl<W: Write> Writer<W> {
    /// A message under `key`, of 16 or 32 bytes, bound to `context`, with a salt from the system's random
    /// numbers. Nothing is written yet.
    ///
    /// # Errors
    /// [`Error::KeyLength`], or the system's error when it has no random numbers.
    pub fn new(inner: W, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let mut salt = [0; SALT];
        getrandom::fill(&mut salt)?;
        Ok(Self::with_salt(inner, key, context, salt)?)
    }

    /// As [`new`](Self::new), with a salt that must never be used again under this key: two messages with
    /// the same key, context and salt give away their texts and the means to forge others.
    ///
    /// # Errors
    /// [`Error::KeyLength`] unless `key` has 16 or 32 bytes.
    pub fn with_salt(inner: W, key: &[u8], context: &[u8], salt: [u8; 24]) -> Result<Self, Error> {
        Self::with_backend(inner, key, context, salt, Backend::active())
    }

    /// As [`with_salt`](Self::with_salt), on the backend of the caller's choice.
    ///
    /// # Errors
    /// As [`with_salt`](Self::with_salt).
    pub fn with_backend(inner: W, key: &[u8], context: &[u8], salt: [u8; 24], backend: Backend) -> Result<Self, Error> {
        let (chunks, header) = Chunks::seal_with(key, context, &salt, backend)?;
        let mut buffer = Zeroizing::new(vec![0; SEALED_CHUNK]);
        buffer[..HEADER].copy_from_slice(&header);
        Ok(Self { inner, chunks, number: 0, buffer, text: 0, sealed: 0..HEADER })
    }

    /// Seals the last chunk, flushes `W` and returns it.
    ///
    /// # Errors
    /// Those of `W`; the message is not complete then.
    pub fn finish(mut self) -> io::Result<W> {
        self.drain()?;
        self.seal()?;
        self.drain()?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    /// The text in the buffer, on its way.
    fn seal(&mut self) -> Result<(), Error> {
        let sealed = 0..self.text + TAG;
        self.chunks.seal(self.number, &mut self.buffer[sealed.clone()])?;
        self.number += 1;
        self.text = 0;
        self.sealed = sealed;
        Ok(())
    }

    /// Passes on what is sealed. After an error of `W` it goes on where it stopped: no text is ever sealed
    /// a second time.
    fn drain(&mut self) -> io::Result<()> {
        while !self.sealed.is_empty() {
            match self.inner.write(&self.buffer[self.sealed.clone()]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.sealed.start += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Writer<W> {
    /// # Errors
    /// Those of `W`, after which the same bytes can be written again; [`Error::TooLong`] at 4 PiB.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.drain()?;
        // The last number is for a last chunk, which is never full.
        let room = if self.number == LAST { CHUNK - 1 } else { CHUNK } - self.text;
        if room == 0 && !text.is_empty() {
            return Err(Error::TooLong.into());
        }
        let n = text.len().min(room);
        self.buffer[self.text..][..n].copy_from_slice(&text[..n]);
        self.text += n;
        if self.text == CHUNK {
            self.seal()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain()?;
        self.inner.flush()
    }
}

impl<W: fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("inner", &self.inner).field("number", &self.number).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a few bytes, then fails, in turn.
    struct Reluctant {
        taken: Vec<u8>,
        calls: usize,
    }

    impl Write for Reluctant {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            match self.calls % 3 {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                1 => Err(io::ErrorKind::Interrupted.into()),
                _ => {
                    let n = data.len().min(5000);
                    self.taken.extend_from_slice(&data[..n]);
                    Ok(n)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_write_that_failed_can_be_repeated() {
        let text: Vec<u8> = (0..50_000u32).map(|i| (i % 251) as u8).collect();
        let mut smooth = Writer::with_salt(Vec::new(), &[1; 32], b"", [2; SALT]).unwrap();
        smooth.write_all(&text).unwrap();
        smooth.flush().unwrap();

        let inner = Reluctant { taken: Vec::new(), calls: 0 };
        let mut writer = Writer::with_salt(inner, &[1; 32], b"", [2; SALT]).unwrap();
        let (mut rest, mut failures) = (&text[..], 0);
        while !rest.is_empty() {
            match writer.write(rest) {
                Ok(n) => rest = &rest[n..],
                Err(_) => failures += 1,
            }
        }
        assert!(failures > 3);
        while writer.flush().is_err() {}
        assert_eq!(writer.inner.taken, smooth.inner);
        assert_eq!(writer.inner.taken.len(), HEADER + 3 * SEALED_CHUNK);
    }

    #[test]
    fn the_last_number_takes_no_full_chunk() {
        let mut writer = Writer::with_salt(io::sink(), &[1; 16], b"", [2; SALT]).unwrap();
        writer.number = LAST - 1;
        writer.write_all(&[0; CHUNK]).unwrap();
        writer.write_all(&[0; CHUNK - 1]).unwrap();
        let error = writer.write(&[0]).unwrap_err();
        assert_eq!(error.downcast::<Error>().unwrap(), Error::TooLong);
        assert_eq!(writer.write(&[]).unwrap(), 0);
        writer.finish().unwrap();
    }
}
