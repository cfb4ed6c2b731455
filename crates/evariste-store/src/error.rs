//! What can be wrong with a message, or with what is asked of it.

use crate::chunked;
use std::{fmt, io};

/// Why a message cannot be sealed or opened.
///
/// [`Reader`](crate::Reader) and [`Writer`](crate::Writer) pass it on inside an [`io::Error`], whose
/// [`downcast`](io::Error::downcast) gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The input key has neither 16 nor 32 bytes.
    KeyLength,
    /// The commitment is not that of this key and context, or the header was changed.
    Commitment,
    /// The message ends inside its header, before its last chunk or inside a tag.
    Truncated,
    /// A full chunk, of this number, does not verify.
    Chunk(u64),
    /// The last chunk, of this number, does not verify: it was changed, or it is not the whole of the
    /// last chunk, or it is more than that. Which of these cannot be known.
    LastChunk(u64),
    /// The text would have 4 PiB or more.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength => f.write_str("the key must have 16 or 32 bytes"),
            Self::Commitment => f.write_str("wrong key or context, or the first 56 bytes are damaged"),
            Self::Truncated => f.write_str("cut short: the end is missing"),
            Self::Chunk(n) => {
                write!(f, "damaged in chunk {n}, from byte {}: changed, or bytes added or lost", chunked::position(*n))
            }
            Self::LastChunk(n) => write!(
                f,
                "damaged in chunk {n}, the last, from byte {}: changed, cut short, or bytes added at the end",
                chunked::position(*n)
            ),
            Self::TooLong => f.write_str("too long: a text must have less than 4 PiB"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::KeyLength => io::ErrorKind::InvalidInput,
            Error::Truncated => io::ErrorKind::UnexpectedEof,
            Error::TooLong => io::ErrorKind::FileTooLarge,
            Error::Commitment | Error::Chunk(_) | Error::LastChunk(_) => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

/// Who failed when a message was copied from a source to a sink.
#[derive(Debug)]
#[non_exhaustive]
pub enum CopyError {
    /// The source, or the message in it.
    Source(io::Error),
    /// The sink, or the message that was to go there.
    Sink(io::Error),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => write!(f, "cannot read: {error}"),
            Self::Sink(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Source(error) | Self::Sink(error) => Some(error),
        }
    }
}
