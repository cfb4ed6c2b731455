//! Whole files on all cores: each thread reads, seals or opens, and writes runs of its own.
//!
//! Where source and sink can be read and written anywhere, this is the fastest way: no thread hands data to another,
//! and no single one has to do all the copying. For streams there are [`Writer::threads`](crate::Writer::threads) and
//! [`Reader::threads`](crate::Reader::threads).

use crate::chunked::{CHUNK, HEADER, SEALED_CHUNK, TAG, position};
use crate::{CopyError, Error, Message, ReadAt, Span, sealed_len, text_len};
use std::fs::File;
use std::io;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use zeroize::Zeroizing;

/// Chunks of a run, 1 MiB.
const CHUNKS: u64 = 64;
/// So much memory in MiB at most, and more threads than any disk needs.
const MOST_THREADS: usize = 32;

/// What can be written at any position by many threads at once.
pub trait WriteAt {
    /// Writes all of `data` from `offset` on.
    ///
    /// # Errors
    /// Its own.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
}

impl WriteAt for File {
    #[cfg(unix)]
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, data, offset)
    }

    #[cfg(windows)]
    fn write_all_at(&self, mut data: &[u8], mut offset: u64) -> io::Result<()> {
        while !data.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(self, data, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => (data, offset) = (&data[n..], offset + n as u64),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Seals all of `source` into `sink`, from its beginning on, with a new random salt; returns the length of the message.
///
/// On as many threads as `threads` says, the caller's among them, or fewer for a short source; each takes 1 MiB of
/// memory.
///
/// # Errors
/// [`CopyError::Source`] for those of `source`, which must not become shorter meanwhile, and [`CopyError::Sink`] for
/// those of `sink` and of this: [`Error::KeyLength`], [`Error::TooLong`], no random numbers. Then what is in `sink` is
/// no message.
pub fn seal<R, W>(source: &R, sink: &W, key: &[u8], context: &[u8], threads: usize) -> Result<u64, CopyError>
where
    R: ReadAt + Sync + ?Sized,
    W: WriteAt + Sync + ?Sized,
{
    let len = source.size().map_err(CopyError::Source)?;
    let sealed = sealed_len(len).map_err(|error| CopyError::Sink(error.into()))?;
    let (message, header) = Message::create(key, context).map_err(CopyError::Sink)?;
    sink.write_all_at(&header, 0).map_err(CopyError::Sink)?;
    each_run(sealed, threads, |first, run| {
        let from = first * CHUNK as u64;
        // Each chunk where it will stand sealed; the last one is what is left, perhaps nothing.
        for (n, chunk) in (0..).zip(run.chunks_mut(SEALED_CHUNK)) {
            let (text, _) = chunk.split_at_mut(chunk.len() - TAG);
            source.read_exact_at(text, from + n * CHUNK as u64).map_err(CopyError::Source)?;
        }
        message.seal_in_place(first, run).map_err(|error| CopyError::Sink(error.into()))?;
        sink.write_all_at(run, position(first)).map_err(CopyError::Sink)
    })?;
    Ok(sealed)
}

/// Opens the message that is all of `source` into `sink`, from its beginning on; returns the length of the text.
///
/// The last chunk is verified first. Then chunks are written as they verify, in any order: only where this succeeds is
/// `sink` the text, and until then nobody should use it. Threads as for [`seal`].
///
/// # Errors
/// [`CopyError::Source`] for those of `source` and, as [`Error`], all that can be wrong with a message; of several
/// damaged chunks that of the first. [`CopyError::Sink`] for those of `sink`.
pub fn open<R, W>(source: &R, sink: &W, key: &[u8], context: &[u8], threads: usize) -> Result<u64, CopyError>
where
    R: ReadAt + Sync + ?Sized,
    W: WriteAt + Sync + ?Sized,
{
    let sealed = source.size().map_err(CopyError::Source)?;
    let len = text_len(sealed).map_err(damaged)?;
    let mut header = [0; HEADER];
    source.read_exact_at(&mut header, 0).map_err(CopyError::Source)?;
    let message = Message::new(key, context, &header).map_err(damaged)?;
    let open = |first, run: &mut [u8]| {
        source.read_exact_at(run, position(first)).map_err(CopyError::Source)?;
        message.open_run(first, run).map_err(damaged)
    };
    let last = Span::last(sealed).map_err(damaged)?;
    let mut run = Zeroizing::new([0; SEALED_CHUNK]);
    open(last.first, &mut run[..(last.sealed.end - last.sealed.start) as usize])?;
    each_run(sealed, threads, |first, run| {
        let n = open(first, run)?;
        sink.write_all_at(&run[..n], first * CHUNK as u64).map_err(CopyError::Sink)
    })?;
    Ok(len)
}

fn damaged(error: Error) -> CopyError {
    CopyError::Source(error.into())
}

/// Does `work` for each run of a message of `sealed` bytes: the number of its first chunk, and a buffer of its length.
fn each_run<F>(sealed: u64, threads: usize, work: F) -> Result<(), CopyError>
where
    F: Fn(u64, &mut [u8]) -> Result<(), CopyError> + Sync,
{
    let whole = CHUNKS as usize * SEALED_CHUNK;
    let runs = (sealed - HEADER as u64).div_ceil(whole as u64);
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let first_error: Mutex<Option<(u64, CopyError)>> = Mutex::new(None);
    let serve = || {
        let mut buffer = Zeroizing::new(Vec::new());
        // Runs are taken in order: those before one that fails are done or in work, so the first error is found.
        while !failed.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= runs {
                break;
            }
            let first = n * CHUNKS;
            let len = (sealed - position(first)).min(whole as u64) as usize;
            buffer.resize(len, 0);
            if let Err(error) = work(first, &mut buffer) {
                failed.store(true, Ordering::Relaxed);
                let mut found = first_error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                if found.as_ref().is_none_or(|(earlier, _)| n < *earlier) {
                    *found = Some((n, error));
                }
            }
        }
    };
    let most = usize::try_from(runs).unwrap_or(MOST_THREADS).min(MOST_THREADS);
    let threads = NonZero::new(threads.min(most)).map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 1..threads {
            // Fewer will do where the system has no more.
            let _ = thread::Builder::new().name("evariste chunks".into()).spawn_scoped(scope, serve);
        }
        serve();
    });
    match first_error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
