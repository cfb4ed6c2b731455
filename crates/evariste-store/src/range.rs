//! Reading ranges of a message from many threads.

use crate::chunked::{CHUNK, HEADER};
use crate::{Error, Message, Span, text_len};
use std::fs::File;
use std::io;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Most chunks that are read at once, 1 MiB: memory stays flat.
const CHUNKS: u64 = 64;

/// Bytes that can be read from any position by many threads at once: a file, memory, an object.
pub trait ReadAt {
    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Its own, and `UnexpectedEof` if there are fewer bytes.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// How many bytes there are.
    ///
    /// # Errors
    /// Its own.
    fn size(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => (buffer, offset) = (&mut buffer[n..], offset + n as u64),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }
}

impl ReadAt for [u8] {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)?.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for Vec<u8> {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self[..].read_exact_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self[..].size()
    }
}

impl<S: ReadAt + ?Sized> ReadAt for &S {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_exact_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

impl<S: ReadAt + ?Sized> ReadAt for Arc<S> {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_exact_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

/// Opens any range of a message, from many threads at once: nothing is kept between two reads.
///
/// The last chunk is verified first, so a message that was cut short is refused before any text is read. The source
/// must not change meanwhile; where it does, chunks that were changed are refused.
///
/// ```
/// use evariste_store::{RangeReader, Writer};
/// use std::io::Write;
///
/// let mut writer = Writer::new(Vec::new(), &[7; 16], b"")?;
/// writer.write_all(b"attack at dawn")?;
/// let reader = RangeReader::new(writer.finish()?, &[7; 16], b"")?;
///
/// let mut when = [0; 100];
/// let n = reader.read_at(&mut when, 10)?;
/// assert_eq!(when[..n], *b"dawn");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RangeReader<S> {
    source: S,
    message: Message,
    sealed: u64,
    len: u64,
}

impl<S: ReadAt> RangeReader<S> {
    /// The message that is the whole of `source`.
    ///
    /// # Errors
    /// Those of `source`, and as [`Error`]: `KeyLength`, `Truncated`, `TooLong`, `Commitment`, `LastChunk`.
    pub fn new(source: S, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let sealed = source.size()?;
        let len = text_len(sealed)?;
        let mut header = [0; HEADER];
        source.read_exact_at(&mut header, 0)?;
        let reader = Self { message: Message::new(key, context, &header)?, source, sealed, len };
        reader.open(&Span::last(sealed)?)?;
        Ok(reader)
    }

    /// Bytes of text in the message.
    pub fn text_len(&self) -> u64 {
        self.len
    }

    /// Text from `offset` on; returns how much, which is less than `buffer` only where the text ends.
    ///
    /// Whole chunks are opened, 1 MiB at a time.
    ///
    /// # Errors
    /// Those of the source, and [`Error::Chunk`] or [`Error::LastChunk`] for the first chunk that does not verify. Then
    /// all of `buffer` is zero.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.read(buffer, offset);
        if read.is_err() {
            buffer.zeroize();
        }
        read
    }

    /// As [`read_at`](Self::read_at), for all of `buffer`.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at), and `UnexpectedEof` where the text ends earlier; then all of `buffer` is zero,
    /// too.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if self.read_at(buffer, offset)? == buffer.len() {
            return Ok(());
        }
        buffer.zeroize();
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.len);
        let mut done = 0;
        while let at = offset.saturating_add(done as u64)
            && at < end
        {
            let to = end.min((at / CHUNK as u64 + CHUNKS) * CHUNK as u64);
            let span = Span::new(at..to, self.sealed)?;
            let run = self.open(&span)?;
            let len = (to - at) as usize;
            let text = run.get(span.skip..span.skip + len).ok_or(Error::Truncated)?;
            buffer[done..][..len].copy_from_slice(text);
            done += len;
        }
        Ok(done)
    }

    /// The text of a run.
    fn open(&self, span: &Span) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut run = Zeroizing::new(vec![0; (span.sealed.end - span.sealed.start) as usize]);
        self.source.read_exact_at(&mut run, span.sealed.start)?;
        let len = self.message.open_run(span.first, &mut run)?;
        run.truncate(len);
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use std::io::Write;
    use std::thread;

    fn message(len: usize) -> (Vec<u8>, Vec<u8>) {
        let text: Vec<u8> = (0..len).map(|i| (i % 251 + i / 65_521) as u8).collect();
        let mut writer = Writer::new(Vec::new(), &[7; 16], b"c").unwrap();
        writer.write_all(&text).unwrap();
        (text, writer.finish().unwrap())
    }

    #[test]
    fn many_threads_read_anywhere() {
        let (text, sealed) = message(3 << 20 | 99);
        let reader = RangeReader::new(sealed, &[7; 16], b"c").unwrap();
        assert_eq!(reader.text_len(), text.len() as u64);
        let offsets =
            [0, 1, CHUNK - 1, CHUNK, 1 << 20, (1 << 20) + 7, text.len() - 1, text.len(), text.len() + 1, 1 << 40];
        thread::scope(|scope| {
            for offset in offsets {
                let (reader, text) = (&reader, &text);
                scope.spawn(move || {
                    for len in [0, 1, 4096, CHUNK, 1 << 20, (2 << 20) + 5, 4 << 20] {
                        let mut buffer = vec![0xff; len];
                        let n = reader.read_at(&mut buffer, offset as u64).unwrap();
                        let expected = text.get(offset..).unwrap_or_default();
                        assert_eq!(n, expected.len().min(len));
                        assert!(buffer[..n] == expected[..n], "{offset} {len}");
                        let exact = reader.read_exact_at(&mut buffer, offset as u64);
                        assert_eq!(exact.is_ok(), n == len, "{offset} {len}");
                    }
                });
            }
        });
        assert_eq!(reader.read_at(&mut [0; 9], u64::MAX).unwrap(), 0);
    }

    #[test]
    fn a_file_can_be_read() {
        let (text, sealed) = message(CHUNK + 99);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&sealed).unwrap();
        let reader = RangeReader::new(file, &[7; 16], b"c").unwrap();
        let mut buffer = vec![0; 100];
        reader.read_exact_at(&mut buffer, CHUNK as u64 - 1).unwrap();
        assert_eq!(buffer, text[CHUNK - 1..]);
    }

    #[test]
    fn what_does_not_verify_leaves_zeros() {
        let (_, mut sealed) = message(2 << 20);
        sealed[HEADER + 100 * (CHUNK + 16)] ^= 1;
        let reader = RangeReader::new(&sealed[..], &[7; 16], b"c").unwrap();
        let mut buffer = vec![0xff; 2 << 20];
        let error = reader.read_at(&mut buffer, 5).unwrap_err();
        assert_eq!(error.downcast::<Error>().unwrap(), Error::Chunk(100));
        assert!(buffer.iter().all(|b| *b == 0));
        assert_eq!(reader.read_at(&mut buffer[..4096], 101 * CHUNK as u64).unwrap(), 4096);
        let cut = RangeReader::new(&sealed[..sealed.len() - CHUNK], &[7; 16], b"c").unwrap_err();
        assert!(matches!(cut.downcast::<Error>(), Ok(Error::LastChunk(_))));
    }
}
