//! Any chunk of a message in any order, without I/O: for object stores, async code and threads.

use crate::Error;
use crate::chunked::{CHUNK, Chunks, HEADER, LAST, SALT, SEALED_CHUNK, TAG, position, text_len};
use evariste::Backend;
use std::io;
use std::ops::Range;
use zeroize::Zeroize;

/// Which sealed bytes hold a range of text: a run of whole chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where the run stands in the sealed message.
    pub sealed: Range<u64>,
    /// Number of its first chunk, for [`Message::open_run`].
    pub first: u64,
    /// Bytes of the run's text before the range begins.
    pub skip: usize,
    /// Bytes of text in the range: fewer than asked for where the text ends.
    pub len: u64,
}

impl Span {
    /// The chunks that hold `text` in a message of `sealed_len` bytes. A range is cut off at the end of
    /// the text; for an empty one the run is empty.
    ///
    /// # Errors
    /// [`Error::Truncated`] and [`Error::TooLong`] for lengths that no message has.
    pub fn new(text: Range<u64>, sealed_len: u64) -> Result<Self, Error> {
        let total = text_len(sealed_len)?;
        let end = text.end.min(total);
        let start = text.start.min(end);
        let first = start / CHUNK as u64;
        let from = position(first);
        let to = if start == end { from } else { position((end - 1) / CHUNK as u64 + 1).min(sealed_len) };
        Ok(Self { sealed: from..to, first, skip: (start % CHUNK as u64) as usize, len: end - start })
    }

    /// The last chunk, which is to be opened once to know that the message was not cut short.
    ///
    /// # Errors
    /// As for [`Span::new`].
    pub fn last(sealed_len: u64) -> Result<Self, Error> {
        let total = text_len(sealed_len)?;
        let first = total / CHUNK as u64;
        Ok(Self { sealed: position(first)..sealed_len, first, skip: 0, len: total % CHUNK as u64 })
    }
}

/// The key of one message: opens and seals runs of its chunks, in any order and from any thread.
#[derive(Debug)]
pub struct Message(Chunks);

impl Message {
    /// The message that begins with the 56 bytes of `header`, under `key` of 16 or 32 bytes.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::Commitment`] for another key or context.
    pub fn new(key: &[u8], context: &[u8], header: &[u8; HEADER]) -> Result<Self, Error> {
        Self::open_with(key, context, header, Backend::active())
    }

    /// A new message with a random salt, and the 56 bytes that stand in front of its chunks.
    ///
    /// # Errors
    /// [`Error::KeyLength`], or the system's error when it has no random numbers.
    pub fn create(key: &[u8], context: &[u8]) -> io::Result<(Self, [u8; HEADER])> {
        let mut salt = [0; SALT];
        getrandom::fill(&mut salt)?;
        Ok(Self::seal_with(key, context, &salt, Backend::active())?)
    }

    pub(crate) fn open_with(
        key: &[u8],
        context: &[u8],
        header: &[u8; HEADER],
        backend: Backend,
    ) -> Result<Self, Error> {
        Chunks::open_with(key, context, header, backend).map(Self)
    }

    pub(crate) fn seal_with(
        key: &[u8],
        context: &[u8],
        salt: &[u8; SALT],
        backend: Backend,
    ) -> Result<(Self, [u8; HEADER]), Error> {
        Chunks::seal_with(key, context, salt, backend).map(|(chunks, header)| (Self(chunks), header))
    }

    /// Seals whole chunks from number `first` on, in place: in `run` stands the text of each, and behind it
    /// 16 bytes that take its tag. Only the message's last chunk is shorter than 16400 bytes.
    ///
    /// Each number must be sealed once only: a second text under the same number gives away both texts
    /// and the means to forge others. To send a run again, keep its sealed bytes.
    ///
    /// # Errors
    /// [`Error::TooLong`] for a full chunk with number 2^38 - 1 or any above it; [`Error::Truncated`] where the run
    /// ends with fewer than 16 bytes for a tag. Then `run` is as before.
    pub fn seal_in_place(&self, first: u64, run: &mut [u8]) -> Result<(), Error> {
        let rest = run.len() % SEALED_CHUNK;
        if rest > 0 && rest < TAG {
            return Err(Error::Truncated);
        }
        // The number 2^38 - 1 is left to the last chunk, which is never full.
        let limit = if rest > 0 { LAST + 1 } else { LAST };
        if first.checked_add(run.len().div_ceil(SEALED_CHUNK) as u64).is_none_or(|next| next > limit) {
            return Err(Error::TooLong);
        }
        (first..).zip(run.chunks_mut(SEALED_CHUNK)).try_for_each(|(n, chunk)| self.0.seal(n, chunk))
    }

    /// Appends to `out` the sealed form of full chunks, the first of them with number `first`, each number once only:
    /// as [`seal_in_place`](Self::seal_in_place).
    ///
    /// # Errors
    /// [`Error::TooLong`] for chunk number 2^38 - 1 and above; then `out` is as before.
    pub fn seal_run(&self, first: u64, chunks: &[[u8; CHUNK]], out: &mut Vec<u8>) -> Result<(), Error> {
        if first.checked_add(chunks.len() as u64).is_none_or(|next| next > LAST) {
            return Err(Error::TooLong);
        }
        out.reserve(chunks.len() * SEALED_CHUNK);
        (first..).zip(chunks).try_for_each(|(n, chunk)| self.seal_chunk(n, chunk, out))
    }

    /// As [`seal_run`](Self::seal_run), for the end of the message: full chunks, if any, and the last,
    /// which takes what is left, perhaps nothing.
    ///
    /// # Errors
    /// [`Error::TooLong`] if the last chunk's number were above 2^38 - 1; then `out` is as before.
    pub fn seal_end(&self, first: u64, text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let (full, last) = text.as_chunks();
        let n = first.checked_add(full.len() as u64).filter(|n| *n <= LAST).ok_or(Error::TooLong)?;
        out.reserve(full.len() * SEALED_CHUNK + last.len() + TAG);
        self.seal_run(first, full, out)?;
        self.seal_chunk(n, last, out)
    }

    /// Seals at the end of `out`, whose owner may not wipe it: it has room, so that no text stays behind in a buffer
    /// that was too small, and the number was checked, so that none stays unsealed.
    fn seal_chunk(&self, n: u64, text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        out.extend_from_slice(text);
        out.extend_from_slice(&[0; TAG]);
        self.0.seal(n, &mut out[start..])
    }

    /// Opens whole chunks from number `first` on, in place, and moves their text together at the front
    /// of `run`; returns its length in bytes. Only the message's last chunk is shorter than 16400 bytes.
    ///
    /// That a run verifies does not say that the message is whole: open [`Span::last`] too.
    ///
    /// # Errors
    /// That of the earliest chunk that fails: [`Error::Chunk`], [`Error::LastChunk`], [`Error::TooLong`],
    /// or [`Error::Truncated`] where the run ends inside a tag. Then all of `run` is zero.
    pub fn open_run(&self, first: u64, run: &mut [u8]) -> Result<usize, Error> {
        let (text, opened) = self.open_verified(first, run);
        if opened.is_err() {
            run.zeroize();
        }
        opened.map(|()| text)
    }

    /// As [`open_run`](Self::open_run), but keeps the text of the chunks before the first that fails: its length, and
    /// what came then. The rest of `run` is zero.
    pub(crate) fn open_verified(&self, first: u64, run: &mut [u8]) -> (usize, Result<(), Error>) {
        let (mut n, mut from, mut text) = (first, 0, 0);
        let mut opened = Ok(());
        while from < run.len() {
            let to = run.len().min(from + SEALED_CHUNK);
            opened = if to - from < TAG { Err(Error::Truncated) } else { self.0.open(n, &mut run[from..to]) };
            if opened.is_err() {
                break;
            }
            let end = to - TAG;
            run.copy_within(from..end, text);
            text += end - from;
            (n, from) = (n.saturating_add(1), to);
        }
        run[text..].zeroize();
        (text, opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use std::io::{Read, Write};

    fn message(len: usize) -> (Vec<u8>, Vec<u8>, Message) {
        let text: Vec<u8> = (0..len).map(|i| (i / 251 + i) as u8).collect();
        let mut writer = Writer::new(Vec::new(), &[7; 32], b"c").unwrap();
        writer.write_all(&text).unwrap();
        let sealed = writer.finish().unwrap();
        let message = Message::new(&[7; 32], b"c", sealed.first_chunk().unwrap()).unwrap();
        (text, sealed, message)
    }

    fn bytes(sealed: &[u8], span: &Span) -> Vec<u8> {
        sealed[span.sealed.start as usize..span.sealed.end as usize].to_vec()
    }

    #[test]
    fn ranges_are_those_of_the_text() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5] {
            let (text, sealed, message) = message(len);
            let ends = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK, 3 * CHUNK + 5, usize::MAX];
            for (a, b) in ends.iter().flat_map(|a| ends.map(|b| (*a, b))) {
                let span = Span::new(a as u64..b as u64, sealed.len() as u64).unwrap();
                let mut run = bytes(&sealed, &span);
                let n = message.open_run(span.first, &mut run).unwrap();
                let got = &run[..n][span.skip.min(n)..][..span.len as usize];
                let end = b.min(len);
                assert_eq!(got, &text[a.min(end)..end], "{len} {a} {b}");
            }
            let span = Span::last(sealed.len() as u64).unwrap();
            assert_eq!(message.open_run(span.first, &mut bytes(&sealed, &span)), Ok(len % CHUNK));
        }
    }

    #[test]
    fn the_earliest_damage_is_named_and_nothing_is_left() {
        let (_, sealed, message) = message(3 * CHUNK + 5);
        let open = |first, run: &[u8]| {
            let mut run = run.to_vec();
            let error = message.open_run(first, &mut run).unwrap_err();
            assert!(run.iter().all(|b| *b == 0));
            error
        };
        let chunks = &sealed[HEADER..];
        let mut bad = chunks.to_vec();
        bad[2 * SEALED_CHUNK] ^= 1;
        assert_eq!(open(0, &bad), Error::Chunk(2));
        bad[SEALED_CHUNK + 9] ^= 1;
        assert_eq!(open(0, &bad), Error::Chunk(1));
        assert_eq!(open(1, chunks), Error::Chunk(1));
        assert_eq!(open(0, &chunks[..chunks.len() - 1]), Error::LastChunk(3));
        assert_eq!(open(0, &chunks[..3 * SEALED_CHUNK + 15]), Error::Truncated);
        assert_eq!(open(u64::MAX, chunks), Error::TooLong);
        let mut longer = chunks.to_vec();
        longer.push(0);
        assert_eq!(open(0, &longer), Error::LastChunk(3));
    }

    #[test]
    fn runs_sealed_in_any_order_are_a_message() {
        for len in [0, 1, CHUNK, 3 * CHUNK, 3 * CHUNK + 5] {
            let text: Vec<u8> = (0..len).map(|i| (i / 251 + i) as u8).collect();
            let (message, header) = Message::create(&[7; 16], b"c").unwrap();
            let cut = len / CHUNK / 2;
            let (mut end, mut sealed) = (Vec::new(), header.to_vec());
            message.seal_end(cut as u64, &text[cut * CHUNK..], &mut end).unwrap();
            message.seal_run(0, text[..cut * CHUNK].as_chunks().0, &mut sealed).unwrap();
            sealed.extend(end);
            assert_eq!(sealed.len() as u64, crate::sealed_len(len as u64).unwrap());
            let mut opened = Vec::new();
            crate::Reader::new(&sealed[..], &[7; 16], b"c").unwrap().read_to_end(&mut opened).unwrap();
            assert_eq!(opened, text);
        }
    }

    #[test]
    fn the_last_number_is_for_the_last_chunk() {
        let (message, _) = Message::create(&[7; 16], b"c").unwrap();
        let mut out = Vec::new();
        assert_eq!(message.seal_run(LAST, &[[0; CHUNK]], &mut out), Err(Error::TooLong));
        assert_eq!(message.seal_end(LAST, &[0; CHUNK], &mut out), Err(Error::TooLong));
        assert_eq!(message.seal_end(u64::MAX, &[0; CHUNK], &mut out), Err(Error::TooLong));
        assert!(out.is_empty());
        assert_eq!(message.seal_end(LAST - 1, &[0; CHUNK], &mut out), Ok(()));
    }

    #[test]
    fn a_run_is_sealed_in_place_or_left_as_it_was() {
        let (message, _) = Message::create(&[7; 16], b"c").unwrap();
        let text = [5; 2 * CHUNK + 9];
        let mut expected = Vec::new();
        message.seal_end(3, &text, &mut expected).unwrap();
        let mut run = vec![5; 2 * SEALED_CHUNK + 9 + TAG];
        message.seal_in_place(3, &mut run).unwrap();
        assert!(run == expected);

        for (first, len, result) in [
            (LAST, TAG, Ok(())),
            (LAST - 1, SEALED_CHUNK, Ok(())),
            (LAST - 1, SEALED_CHUNK + TAG, Ok(())),
            (LAST, SEALED_CHUNK, Err(Error::TooLong)),
            (LAST - 1, 2 * SEALED_CHUNK, Err(Error::TooLong)),
            (LAST, SEALED_CHUNK + TAG, Err(Error::TooLong)),
            (LAST + 1, TAG, Err(Error::TooLong)),
            (u64::MAX, TAG, Err(Error::TooLong)),
            (0, TAG - 1, Err(Error::Truncated)),
            (0, SEALED_CHUNK + 1, Err(Error::Truncated)),
            (0, 0, Ok(())),
        ] {
            let mut run = vec![5; len];
            assert_eq!(message.seal_in_place(first, &mut run), result, "{first} {len}");
            assert_eq!(run == vec![5; len], result.is_err() || len == 0, "{first} {len}");
        }
    }
}
