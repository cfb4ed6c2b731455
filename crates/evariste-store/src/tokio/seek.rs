use super::{copy, header, poll};
use crate::opener::Opener;
use crate::{Message, Span, text_len};
use std::fmt;
use std::future::poll_fn;
use std::io::{self, Read, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncSeek, ReadBuf};

/// As [`crate::SeekReader`]: opens a message from any position. The last chunk is verified first.
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
    /// Where `inner` is on its way to.
    seeking: Option<u64>,
}

impl<R: AsyncRead + AsyncSeek + Unpin> SeekReader<R> {
    /// Reads the message from the current position of `inner` to its end.
    ///
    /// # Errors
    /// Those of `inner`, and as [`Error`](crate::Error): `KeyLength`, `Truncated`, `TooLong`, `Commitment`,
    /// `LastChunk`.
    pub async fn new(mut inner: R, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let start = seek(&mut inner, SeekFrom::Current(0)).await?;
        let sealed = seek(&mut inner, SeekFrom::End(0)).await?.saturating_sub(start);
        let len = text_len(sealed)?;
        seek(&mut inner, SeekFrom::Start(start)).await?;
        let opener = Opener::new(Message::new(key, context, &header(&mut inner).await?)?);
        let mut reader = Self { inner, opener, start, sealed, len, position: 0, astray: true, seeking: None };
        let last = len - Span::last(sealed)?.len;
        poll_fn(|context| reader.load(context, last)).await?;
        Ok(reader)
    }

    /// Bytes of text in the message.
    pub fn text_len(&self) -> u64 {
        self.len
    }

    /// Text from `position` on comes to hand.
    fn load(&mut self, context: &mut Context<'_>, position: u64) -> Poll<io::Result<()>> {
        if !self.opener.seek(position) {
            self.opener.restart();
            self.astray = true;
        }
        while self.astray {
            if let Some(to) = self.seeking {
                let found = ready!(Pin::new(&mut self.inner).poll_complete(context));
                self.seeking = None;
                found?;
                // The position may be another one since.
                self.astray = to != self.start + self.opener.sealed_position();
            } else {
                self.opener.restart();
                let to = self.start + self.opener.sealed_position();
                Pin::new(&mut self.inner).start_seek(SeekFrom::Start(to))?;
                self.seeking = Some(to);
            }
        }
        let rest = self.sealed.saturating_sub(self.opener.sealed_position());
        let loaded = ready!(poll(&mut self.inner, context, |inner| self.opener.load(&mut inner.take(rest))));
        self.astray = loaded.is_err();
        Poll::Ready(loaded)
    }
}

async fn seek(inner: &mut (impl AsyncSeek + Unpin), to: SeekFrom) -> io::Result<u64> {
    // One that others have begun must be over first.
    poll_fn(|context| Pin::new(&mut *inner).poll_complete(context)).await?;
    Pin::new(&mut *inner).start_seek(to)?;
    poll_fn(|context| Pin::new(&mut *inner).poll_complete(context)).await
}

impl<R: AsyncRead + AsyncSeek + Unpin> AsyncBufRead for SeekReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let reader = self.get_mut();
        if reader.position >= reader.len {
            return Poll::Ready(Ok(&[]));
        }
        ready!(reader.load(context, reader.position))?;
        Poll::Ready(Ok(reader.opener.text()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        let reader = self.get_mut();
        reader.position = reader.position.saturating_add(amount as u64);
    }
}

impl<R: AsyncRead + AsyncSeek + Unpin> AsyncRead for SeekReader<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if out.remaining() > 0 {
            let n = copy(ready!(self.as_mut().poll_fill_buf(context))?, out);
            self.consume(n);
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + AsyncSeek + Unpin> AsyncSeek for SeekReader<R> {
    fn start_seek(self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        let reader = self.get_mut();
        let to = match to {
            SeekFrom::Start(n) => Some(n),
            SeekFrom::End(n) => reader.len.checked_add_signed(n),
            SeekFrom::Current(n) => reader.position.checked_add_signed(n),
        };
        reader.position = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Poll::Ready(Ok(self.position))
    }
}

impl<R> fmt::Debug for SeekReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeekReader").field("position", &self.position).field("len", &self.len).finish_non_exhaustive()
    }
}
