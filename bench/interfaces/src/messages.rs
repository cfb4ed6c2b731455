//! The messages that all have to do, and what a call is.

use std::fmt;

/// The key of all.
pub(crate) const KEY: [u8; 16] = *b"sixteen bytes of";

/// Bytes of all messages together, for as many as fit, within limits: they stay in the first-level cache.
const TOGETHER: usize = 16 << 10;

/// What starts a page. Keys do, all: where key and text lie to each other, modulo 4096, decides over 3 % at 16 KiB (Zen 4,
/// 2026-12-01).
#[repr(align(4096))]
pub(crate) struct Page<T>(pub(crate) T);

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// The tag goes behind the text.
    Seal,
    /// The tag stands behind the text.
    Open,
    /// The tag is apart.
    SealDetached,
    /// The tag is apart.
    OpenDetached,
}

impl Call {
    pub(crate) const ALL: [Self; 4] = [Self::Seal, Self::Open, Self::SealDetached, Self::OpenDetached];

    pub(crate) fn opens(self) -> bool {
        matches!(self, Self::Open | Self::OpenDetached)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Seal => "seal",
            Self::Open => "open",
            Self::SealDetached => "seal detached",
            Self::OpenDetached => "open detached",
        })
    }
}

/// An implementation of one call.
pub(crate) trait Runner {
    /// Does all messages, in a loop of its own; whether all were done.
    fn run(&mut self, messages: &mut Messages) -> bool;
}

/// Messages of one size, each with its tag behind it.
pub(crate) struct Messages {
    pub(crate) size: usize,
    pub(crate) count: usize,
    pub(crate) nonces: Vec<[u8; 12]>,
    pub(crate) aad: [u8; 13],
    pub(crate) bytes: Vec<u8>,
}

impl Messages {
    pub(crate) fn new(size: usize) -> Self {
        let count = (TOGETHER / (size + 16)).clamp(4, 256);
        let nonces = (0..count).map(|n| std::array::from_fn(|i| (n * 12 + i) as u8)).collect();
        let bytes = (0..count * (size + 16)).map(|n| (n % 251) as u8).collect();
        Self { size, count, nonces, aad: *b"not encrypted", bytes }
    }

    /// Nonce, additional data, and text with the tag behind it, of each.
    #[inline(always)]
    pub(crate) fn each(&mut self, mut run: impl FnMut(&[u8; 12], &[u8; 13], &mut [u8]) -> bool) -> bool {
        let mut all = true;
        for (nonce, buffer) in self.nonces.iter().zip(self.bytes.chunks_exact_mut(self.size + 16)) {
            all &= run(nonce, &self.aad, buffer);
        }
        all
    }
}
