//! The messages that one timed pass goes through.

use crate::algorithm::{BATCH, Direction};
use bench_abi::{Messages, Pass};
use std::ops::Range;

/// Room for a tag behind each text.
pub(crate) const TAG: usize = 16;

/// Together about this much text, so that a pass is long against the clock's own time and stays in
/// the second-level cache.
const TEXT: usize = 64 << 10;

/// As many messages as fit into the first-level cache when they are short.
const MESSAGES: usize = 128;

/// Of a cache.
const LINE: usize = 64;

/// Messages of one size, each with its nonce from a table and a buffer of its own.
///
/// A nonce stored just before the call, or a buffer that was written a moment ago, would measure how
/// the CPU forwards stores to wider loads.
pub(crate) struct Case {
    size: usize,
    aad: Vec<u8>,
    nonces: Vec<[u8; 16]>,
    /// `[text, tag, gap]` for each message, from `start` on.
    arena: Vec<u8>,
    start: usize,
    stride: usize,
    /// Which messages a pass does.
    pub(crate) some: Range<usize>,
    /// Where in a buffer the nonce of the next message is; in the table otherwise.
    next: Option<usize>,
    /// While outputs are checked: a hash starts and ends with each message instead of running on.
    pub(crate) finish: bool,
    /// Whether an implementation reported an error.
    pub(crate) failed: bool,
}

/// One message.
pub(crate) struct Message<'a> {
    pub(crate) nonce: &'a [u8; 16],
    pub(crate) aad: &'a [u8],
    /// The text, and [`TAG`] bytes for the tag.
    pub(crate) sealed: &'a mut [u8],
    /// Whether a hash starts here, and goes to the tag.
    pub(crate) finish: bool,
}

impl<'a> Message<'a> {
    /// The nonce of the modes that take 12 bytes.
    #[inline(always)]
    pub(crate) fn iv(&self) -> &'a [u8; 12] {
        self.nonce.first_chunk().expect("16 bytes")
    }

    /// Text and tag.
    #[inline(always)]
    pub(crate) fn parts(self) -> (&'a mut [u8], &'a mut [u8; TAG]) {
        self.sealed.split_last_chunk_mut().expect("room for the tag")
    }
}

impl Case {
    /// Messages of `size` bytes of text under `aad` bytes of additional data, a multiple of `batch`.
    pub(crate) fn new(size: usize, aad: usize, batch: usize) -> Self {
        // The gap keeps what is read before or behind one buffer off its neighbours.
        let stride = (size + TAG).next_multiple_of(LINE) + LINE;
        let count = (TEXT / stride).clamp(1, MESSAGES).next_multiple_of(batch);
        let painted = |n: usize| (n % 251) as u8;
        let arena: Vec<u8> = (0..count * stride + LINE).map(painted).collect();
        Self {
            size,
            aad: (0..aad).map(painted).collect(),
            nonces: (0..count).map(|n| std::array::from_fn(|i| painted(n * 16 + i))).collect(),
            start: line(&arena),
            arena,
            stride,
            some: 0..count,
            next: None,
            finish: false,
            failed: false,
        }
    }

    /// Another case with the same messages.
    pub(crate) fn copy(&self) -> Self {
        let text = &self.arena[self.start..][..self.all() * self.stride];
        let mut arena = vec![0; self.arena.len()];
        let start = line(&arena);
        arena[start..][..text.len()].copy_from_slice(text);
        let (aad, nonces, some) = (self.aad.clone(), self.nonces.clone(), self.some.clone());
        Self { aad, nonces, some, arena, start, finish: false, failed: false, ..*self }
    }

    /// Takes each nonce but the first from what the message before it has written last: the tag, or the text
    /// where that is the output. Then no message can begin before the one before has ended.
    pub(crate) fn chain(&mut self, direction: Direction) {
        let at = match direction {
            Direction::Seal | Direction::Hash => self.size,
            Direction::Open | Direction::Encrypt => self.size - TAG,
        };
        self.next = Some(at);
    }

    /// The nonces that [`chain`](Self::chain) will find when it opens: to seal with, first.
    pub(crate) fn chain_texts(&mut self) {
        let texts = self.arena[self.start..].chunks_exact(self.stride).map(|buffer| &buffer[..self.size]);
        for (nonce, text) in self.nonces[1..].iter_mut().zip(texts) {
            *nonce = *text.last_chunk().expect("chained texts are as long");
        }
    }

    /// How many messages a pass does.
    pub(crate) fn messages(&self) -> usize {
        self.some.len()
    }

    /// How many messages there are.
    pub(crate) fn all(&self) -> usize {
        self.nonces.len()
    }

    /// All bytes, the gaps included.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.arena
    }

    /// Back to bytes that were taken from this case.
    pub(crate) fn restore(&mut self, bytes: &[u8]) {
        self.arena.copy_from_slice(bytes);
    }

    /// Does the same to every message and notes whether any failed.
    #[inline(always)]
    pub(crate) fn each(&mut self, mut run: impl FnMut(Message<'_>) -> bool) {
        let finish = self.finish;
        self.pass(|pass| {
            // SAFETY: `pass` has made it of this case's own nonces, additional data and buffers.
            let messages = unsafe { Messages::new(pass) };
            messages.each(|bench_abi::Message { nonce, aad, sealed }| run(Message { nonce, aad, sealed, finish }))
        });
    }

    /// Does the same to [`BATCH`] messages at a time, and notes whether any failed.
    #[inline(always)]
    pub(crate) fn batches(&mut self, mut run: impl FnMut(&mut [evariste::Message<'_>]) -> bool) {
        self.pass(|pass| {
            let mut batch = Vec::with_capacity(BATCH);
            // SAFETY: as in `each`.
            let messages = unsafe { Messages::new(pass) };
            messages.each(|m| {
                let (nonce, aad, (data, tag)) = (&m.nonce[..12], m.aad, m.parts());
                batch.push(evariste::Message { nonce, aad, data, tag, authentic: false });
                if batch.len() < BATCH {
                    return true;
                }
                let done = run(&mut batch);
                batch.clear();
                done
            })
        });
    }

    /// The same messages, for a loop of one's own; notes whether it fails.
    #[inline(always)]
    pub(crate) fn pass(&mut self, run: impl FnOnce(&Pass) -> bool) {
        let Range { start, end } = self.some;
        let texts = self.arena[self.start + start * self.stride..].as_mut_ptr();
        let (nonces, nonce_step) = match self.next {
            Some(at) => (texts.wrapping_add(at).cast_const(), self.stride),
            None => (self.nonces.as_ptr().wrapping_add(start + 1).cast(), 16),
        };
        let done = run(&Pass {
            first: self.nonces[start].as_ptr(),
            nonces,
            nonce_step,
            aad: self.aad.as_ptr(),
            aad_len: self.aad.len(),
            texts,
            step: self.stride,
            size: self.size,
            count: end - start,
        });
        self.failed |= !done;
    }
}

/// Where a line begins behind the first byte.
fn line(arena: &[u8]) -> usize {
    LINE - arena.as_ptr().addr() % LINE
}
