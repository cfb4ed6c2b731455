use super::poll;
use crate::Message;
use crate::sealer::Sealer;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::AsyncWrite;

/// As [`crate::Writer`]: seals what is written to it, and writes that to `W`.
///
/// The message ends with [`shutdown`](AsyncWrite::poll_shutdown), which shuts `W` down, too: a writer dropped without
/// it leaves one that readers refuse as truncated.
pub struct Writer<W> {
    inner: W,
    sealer: Sealer,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// A message under `key`, of 16 or 32 bytes, bound to `context`, with a salt from the system's random
    /// numbers. Nothing is written yet.
    ///
    /// # Errors
    /// [`Error::KeyLength`](crate::Error::KeyLength), or the system's error when it has no random numbers.
    pub fn new(inner: W, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let (message, header) = Message::create(key, context)?;
        Ok(Self { inner, sealer: Sealer::new(message, &header) })
    }

    /// Gives `W` back. The message in it is complete only after a shutdown.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Writer<W> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, text: &[u8]) -> Poll<io::Result<usize>> {
        let Self { inner, sealer } = self.get_mut();
        poll(inner, context, |inner| sealer.write(text, inner))
    }

    /// Holds back what does not fill a chunk.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { inner, sealer } = self.get_mut();
        poll(inner, context, |inner| sealer.flush(inner))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { inner, sealer } = self.get_mut();
        ready!(poll(inner, context, |inner| sealer.finish(inner)))?;
        Pin::new(inner).poll_shutdown(context)
    }
}

impl<W: fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.sealer.number();
        f.debug_struct("Writer").field("inner", &self.inner).field("number", &number).finish_non_exhaustive()
    }
}
