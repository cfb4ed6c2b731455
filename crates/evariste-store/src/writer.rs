//! Text in, sealed message out.

use crate::chunked::SALT;
use crate::sealer::Sealer;
use crate::{Error, Message};
use evariste::Backend;
use std::fmt;
use std::io::{self, Write};

/// Seals what is written to it, and writes that to `W`.
///
/// Text leaves in whole chunks of 16 KiB, so that [`flush`](Write::flush) holds back what does not fill
/// one. The message ends with [`finish`](Self::finish): a writer dropped without it leaves one that
/// readers refuse as truncated.
pub struct Writer<W> {
    inner: W,
    sealer: Sealer,
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
        let (message, header) = Message::seal_with(key, context, &salt, backend)?;
        Ok(Self { inner, sealer: Sealer::new(message, &header) })
    }

    /// Seals chunks on `n` threads, at most 16, while the caller's brings the text and writes to `W`; 1, the default,
    /// means on the caller's. They start after the first MiB, up to 2·n MiB are on their way, which takes as much
    /// memory, and they end with the message or when the writer is dropped. What is written stays the same.
    #[must_use]
    pub fn threads(mut self, n: usize) -> Self {
        self.sealer.set_threads(n);
        self
    }

    /// Where text may be put instead of giving it to [`write`](Write::write), which would copy it there: 1 to 16384
    /// bytes, with anything in them. [`advance`](Self::advance) says how many were used.
    ///
    /// # Errors
    /// As for [`write`](Write::write).
    pub fn room(&mut self) -> io::Result<&mut [u8]> {
        self.sealer.room(&mut self.inner)
    }

    /// The first `amount` bytes of [`room`](Self::room), or all if there are fewer, are text of the message now.
    pub fn advance(&mut self, amount: usize) {
        self.sealer.advance(amount);
    }

    /// Seals the last chunk, flushes `W` and returns it.
    ///
    /// # Errors
    /// Those of `W`; the message is not complete then.
    pub fn finish(mut self) -> io::Result<W> {
        self.sealer.finish(&mut self.inner)?;
        self.inner.flush()?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for Writer<W> {
    /// # Errors
    /// Those of `W`, after which the same bytes can be written again; [`Error::TooLong`] at 4 PiB.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.sealer.write(text, &mut self.inner)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sealer.flush(&mut self.inner)
    }
}

impl<W: fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("inner", &self.inner)
            .field("number", &self.sealer.number())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunked::{HEADER, SEALED_CHUNK};

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
}
