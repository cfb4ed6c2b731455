//! The same for tokio's traits, with the feature `tokio`.
//!
//! Chunks are sealed and opened where they are polled, one in each poll: 16 KiB take one to five microseconds with the
//! CPU's AES instructions, and 0.1 ms without them, which is less than handing them to another thread and back. For
//! whole files at the speed of the disk, [`threads`](crate::Writer::threads) under `spawn_blocking` is the better
//! tool.

mod reader;
mod seek;
mod writer;

pub use reader::Reader;
pub use seek::SeekReader;
pub use writer::Writer;

use crate::chunked::HEADER;
use crate::{Error, opener};
use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

/// `inner` as code sees it that knows nothing of polling: an error where it would have to wait. Readers and writers can
/// go on after any error of theirs.
struct Polled<'a, 'b, T> {
    inner: Pin<&'a mut T>,
    context: &'a mut Context<'b>,
    pending: bool,
}

impl<T> Polled<'_, '_, T> {
    fn result<O>(&mut self, polled: Poll<io::Result<O>>) -> io::Result<O> {
        match polled {
            Poll::Ready(result) => result,
            Poll::Pending => {
                self.pending = true;
                Err(io::ErrorKind::WouldBlock.into())
            }
        }
    }
}

impl<R: AsyncRead> Read for Polled<'_, '_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut out = ReadBuf::new(out);
        let polled = self.inner.as_mut().poll_read(self.context, &mut out);
        self.result(polled).map(|()| out.filled().len())
    }
}

impl<W: AsyncWrite> Write for Polled<'_, '_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let polled = self.inner.as_mut().poll_write(self.context, data);
        self.result(polled)
    }

    fn flush(&mut self) -> io::Result<()> {
        let polled = self.inner.as_mut().poll_flush(self.context);
        self.result(polled)
    }
}

/// Does `work` as far as `inner` lets it.
fn poll<T: Unpin, O>(
    inner: &mut T,
    context: &mut Context<'_>,
    work: impl FnOnce(&mut Polled<'_, '_, T>) -> io::Result<O>,
) -> Poll<io::Result<O>> {
    let mut polled = Polled { inner: Pin::new(inner), context, pending: false };
    let result = work(&mut polled);
    if polled.pending && result.is_err() { Poll::Pending } else { Poll::Ready(result) }
}

async fn header(inner: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; HEADER]> {
    let (mut header, mut filled) = ([0; HEADER], 0);
    let full = poll_fn(|context| poll(inner, context, |inner| opener::fill(inner, &mut header, &mut filled))).await?;
    if full { Ok(header) } else { Err(Error::Truncated.into()) }
}

/// Copies text that is at hand, and returns how much.
fn copy(text: &[u8], out: &mut ReadBuf<'_>) -> usize {
    let n = text.len().min(out.remaining());
    out.put_slice(&text[..n]);
    n
}
