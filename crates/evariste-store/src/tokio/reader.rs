use super::{copy, header, poll};
use crate::Message;
use crate::opener::Opener;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

/// As [`crate::Reader`]: opens the message read from `R`, and gives text up to the last chunk that verifies, then the
/// end or an [`Error`](crate::Error), which stays.
pub struct Reader<R> {
    inner: R,
    opener: Opener,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Reads the header and checks that it is one for `key`, of 16 or 32 bytes, and `context`.
    ///
    /// # Errors
    /// Those of `R`, and as [`Error`](crate::Error): `KeyLength`, `Truncated`, `Commitment`.
    pub async fn new(mut inner: R, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let header = header(&mut inner).await?;
        Ok(Self { inner, opener: Opener::new(Message::new(key, context, &header)?) })
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for Reader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let Self { inner, opener } = self.get_mut();
        ready!(poll(inner, context, |inner| opener.load(inner)))?;
        Poll::Ready(Ok(opener.text()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().opener.consume(amount);
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Reader<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if out.remaining() > 0 {
            let n = copy(ready!(self.as_mut().poll_fill_buf(context))?, out);
            self.consume(n);
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: fmt::Debug> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.opener.position();
        f.debug_struct("Reader").field("inner", &self.inner).field("position", &position).finish_non_exhaustive()
    }
}
