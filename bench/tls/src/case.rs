//! What is measured, and the buffers for it.

use crate::implementation::Runner;
use anyhow::{Result, ensure};
use std::fmt;

/// What is done to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Encrypt13,
    Decrypt13,
    Encrypt12,
    Decrypt12,
    Seal,
    Open,
    Protect,
    Unprotect,
    Key,
}

/// An operation, a key's length, a message's.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) operation: Operation,
    pub(crate) key_len: usize,
    /// Bytes of text.
    pub(crate) size: usize,
}

/// The header of a QUIC packet: flags, an ID of eight bytes, a number of four.
pub(crate) const HEADER: [u8; 13] = [0x43, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9];
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// Bytes of ciphertext that a header is protected with.
const SAMPLE: usize = 16;
/// Text of a record, bytes of a packet, that are short.
const SHORT_RECORD: usize = 64;
const SHORT_PACKET: usize = 100;

/// A pass goes through so many bytes: more than the first cache has, less than the second.
const BYTES: usize = 192 << 10;
/// Of short ones no more than so many.
const MOST: usize = 256;

impl Case {
    /// With messages of these lengths, and with short ones.
    pub(crate) fn all(record: usize, packet: usize) -> Vec<Self> {
        use Operation as O;
        let text = |packet: usize| packet - HEADER.len() - TAG;
        let mut cases = Vec::new();
        for key_len in [16, 32] {
            let mut add = |operation, size| cases.push(Self { operation, key_len, size });
            for operation in [O::Encrypt13, O::Decrypt13, O::Encrypt12, O::Decrypt12] {
                [record, SHORT_RECORD].into_iter().for_each(|size| add(operation, size));
            }
            for operation in [O::Seal, O::Open] {
                [packet, SHORT_PACKET].into_iter().for_each(|size| add(operation, text(size)));
            }
            add(O::Protect, SAMPLE);
            add(O::Unprotect, SAMPLE);
            add(O::Key, 0);
        }
        cases
    }

    /// Whether it has to be as fast as with the stock providers. Keys are made once for a connection, after a handshake
    /// that takes a thousand times as long.
    pub(crate) fn has_goal(&self) -> bool {
        self.operation != Operation::Key
    }

    /// Whether a few nanoseconds are more than what is uncertain.
    pub(crate) fn is_short(&self) -> bool {
        self.size <= SHORT_PACKET
    }

    /// Messages in a pass.
    pub(crate) fn messages(&self) -> usize {
        (BYTES / self.size.max(1)).min(MOST)
    }

    /// The texts, which differ.
    pub(crate) fn texts(&self) -> Vec<Vec<u8>> {
        let byte = |n: usize, i: usize| (n * 31 + i * 7 + i / 256) as u8;
        (0..self.messages()).map(|n| (0..self.size).map(|i| byte(n, i)).collect()).collect()
    }

    /// Has all do it once, and compares what comes out of it.
    pub(crate) fn check(&self, runners: &mut [Runner], buffers: &mut Buffers) -> Result<()> {
        let mut first: Option<Vec<Vec<u8>>> = None;
        for runner in runners {
            buffers.restore();
            (runner.prepare)()?;
            let mut outputs = Vec::new();
            (runner.run)(buffers, Some(&mut outputs));
            ensure!(!buffers.failed && outputs.len() == self.messages(), "{} failed", runner.name);
            match &first {
                Some(first) => ensure!(*first == outputs, "{} makes something else", runner.name),
                None => first = Some(outputs),
            }
        }
        Ok(())
    }
}

/// The messages of a pass.
pub(crate) struct Buffers {
    pub(crate) texts: Vec<Vec<u8>>,
    /// What is worked on in place.
    pub(crate) work: Vec<Vec<u8>>,
    start: Vec<Vec<u8>>,
    /// Whether an implementation has refused something.
    pub(crate) failed: bool,
}

impl Buffers {
    /// Texts, and what a pass in place starts from.
    pub(crate) fn new(case: &Case, start: Vec<Vec<u8>>) -> Self {
        Self { texts: case.texts(), work: start.clone(), start, failed: false }
    }

    /// After a pass in place.
    pub(crate) fn restore(&mut self) {
        for (work, start) in self.work.iter_mut().zip(&self.start) {
            work.copy_from_slice(start);
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.operation {
            Operation::Encrypt13 => "TLS 1.3 encrypt",
            Operation::Decrypt13 => "TLS 1.3 decrypt",
            Operation::Encrypt12 => "TLS 1.2 encrypt",
            Operation::Decrypt12 => "TLS 1.2 decrypt",
            Operation::Seal => "QUIC seal",
            Operation::Open => "QUIC open",
            Operation::Protect => "QUIC protect header",
            Operation::Unprotect => "QUIC unprotect header",
            Operation::Key => "TLS 1.3 key",
        };
        let size = match self.operation {
            Operation::Protect | Operation::Unprotect | Operation::Key => String::new(),
            // A packet is known by its whole length.
            Operation::Seal | Operation::Open => format!(" {}", self.size + HEADER.len() + TAG),
            _ => format!(" {}", self.size),
        };
        write!(f, "aes-{}-gcm {what}{size}", 8 * self.key_len)
    }
}
