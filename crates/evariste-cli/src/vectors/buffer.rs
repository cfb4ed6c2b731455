//! Buffers at awkward addresses, and messages in awkward pieces.

use super::Fault;
use evariste::{InOut, LimitError};
use std::ops::{Deref, DerefMut, Range};

/// Chooses the next buffer's offset within a block and the next message's cuts, so that vector after
/// vector every buffer goes through all of 0..16, and every two of them through all pairs.
#[derive(Default)]
pub(crate) struct Turn {
    vector: usize,
    buffer: usize,
}

impl Turn {
    /// To be called before each vector.
    pub(crate) fn next_vector(&mut self) {
        self.vector += 1;
        self.buffer = 0;
    }

    /// A copy of `bytes` at the next offset.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> Buffer {
        let mut buffer = self.filled(bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }

    /// A buffer at the next offset that holds nothing of use.
    pub(crate) fn filled(&mut self, len: usize) -> Buffer {
        self.buffer += 1;
        let offset = (self.vector + self.buffer * (1 + self.vector / 16)) % 16;
        let bytes = vec![GUARD; len + 2 * 16 + AFTER];
        let start = 16 + (offset + 16 - bytes.as_ptr().addr() % 16) % 16;
        Buffer { bytes, place: start..start + len }
    }

    /// Cuts `len` bytes into uneven pieces.
    pub(crate) fn cuts(&self, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        const SIZES: [usize; 11] = [1, 16, 7, 33, 0, 15, 64, 2, 257, 48, 3];
        let mut sizes = SIZES.into_iter().cycle().skip(self.vector % SIZES.len());
        let mut at = 0;
        std::iter::from_fn(move || {
            let piece = at..len.min(at + sizes.next()?);
            at = piece.end;
            (piece.start < len).then_some(piece)
        })
    }
}

/// What surrounds a buffer, and what it holds before it is written.
const GUARD: u8 = 0xc3;

/// Guarded bytes behind a buffer: a vector of the widest kind.
const AFTER: usize = 64;

/// Bytes that start at a chosen address modulo 16, between guards.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    place: Range<usize>,
}

impl Buffer {
    /// What it holds.
    ///
    /// # Errors
    /// [`Fault::Overrun`] if anything around it was written.
    pub(crate) fn into_vec(self) -> Result<Vec<u8>, Fault> {
        let guards = [&self.bytes[..self.place.start], &self.bytes[self.place.end..]];
        let intact = guards.iter().all(|guard| guard.iter().all(|b| *b == GUARD));
        if intact { Ok(self.to_vec()) } else { Err(Fault::Overrun) }
    }

    /// Whether it holds what [`Turn::filled`] put there.
    pub(crate) fn is_untouched(&self) -> bool {
        self.iter().all(|b| *b == GUARD)
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.place.clone()]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.place.clone()]
    }
}

/// A message to be handed over piece by piece: in place, or from `src`.
pub(crate) struct Pieces<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) src: Option<&'a [u8]>,
    pub(crate) dst: &'a mut [u8],
}

impl Pieces<'_> {
    /// Hands each piece to `update`.
    pub(crate) fn each(self, mut update: impl FnMut(InOut<'_>) -> Result<(), LimitError>) -> Result<(), LimitError> {
        for piece in self.turn.cuts(self.dst.len()) {
            update(match self.src {
                Some(src) => InOut::new(&src[piece.clone()], &mut self.dst[piece])?,
                None => InOut::from(&mut self.dst[piece]),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_pairs_of_offsets_occur() {
        let mut turn = Turn::default();
        let mut pairs = HashSet::new();
        for _ in 0..256 {
            turn.next_vector();
            let [a, b] = [turn.filled(5), turn.copy(b"bytes")];
            pairs.insert((a.as_ptr().addr() % 16, b.as_ptr().addr() % 16));
            assert_eq!(*b, *b"bytes");
        }
        assert_eq!(pairs.len(), 256);
    }

    #[test]
    fn writing_around_a_buffer_is_seen() {
        let mut turn = Turn::default();
        assert!(turn.filled(9).into_vec().is_ok());
        for beside in [-1, 9, 9 + AFTER as isize - 1] {
            let mut buffer = turn.filled(9);
            let at = buffer.place.start.strict_add_signed(beside);
            buffer.bytes[at] = 0;
            assert!(matches!(buffer.into_vec(), Err(Fault::Overrun)));
        }
    }

    #[test]
    fn cuts_cover_everything_once() {
        let mut turn = Turn::default();
        for len in [0, 1, 16, 17, 1000] {
            turn.next_vector();
            let mut at = 0;
            for piece in turn.cuts(len) {
                assert_eq!(piece.start, at);
                at = piece.end;
            }
            assert_eq!(at, len);
        }
    }
}
