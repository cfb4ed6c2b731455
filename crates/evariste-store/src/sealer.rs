//! Sealing chunks in order: what writers have in common, without the sink.

use crate::chunked::{CHUNK, HEADER, LAST, SEALED_CHUNK, TAG};
use crate::runs::{Run, Runs};
use crate::{Error, Message};
use std::io::{self, Write};

pub(crate) struct Sealer {
    runs: Runs,
    /// Text that comes in, each chunk of it where it will stand sealed.
    text: Option<Run>,
    /// Sealed, on its way out, and how much of it is out.
    sealed: Run,
    sent: usize,
    finished: bool,
}

impl Sealer {
    pub(crate) fn new(message: Message, header: &[u8; HEADER]) -> Self {
        let sealed = Run { bytes: header.to_vec().into(), filled: HEADER, ..Run::default() };
        Self { runs: Runs::new(message, seal), text: None, sealed, sent: 0, finished: false }
    }

    pub(crate) fn set_threads(&mut self, n: usize) {
        self.runs.set_threads(n);
    }

    /// How many chunks were sealed or are on their way.
    pub(crate) fn number(&self) -> u64 {
        self.runs.number()
    }

    /// Takes some of `text`.
    ///
    /// # Errors
    /// As for [`room`](Self::room), after which nothing was taken.
    pub(crate) fn write(&mut self, text: &[u8], sink: &mut dyn Write) -> io::Result<usize> {
        if text.is_empty() {
            return Ok(0);
        }
        let room = self.room(sink)?;
        let n = room.len().min(text.len());
        room[..n].copy_from_slice(&text[..n]);
        self.advance(n);
        Ok(n)
    }

    /// Where text may be put; it is not empty.
    ///
    /// # Errors
    /// Those of `sink`; [`Error::TooLong`] at 4 PiB; `BrokenPipe` after the end.
    pub(crate) fn room(&mut self, sink: &mut dyn Write) -> io::Result<&mut [u8]> {
        if self.finished {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.drain(false, sink)?;
        let run = self.text.get_or_insert_with(|| self.runs.next());
        let (start, room) = (run.filled, room(run, self.runs.number()));
        if room == 0 { Err(Error::TooLong.into()) } else { Ok(&mut run.bytes[start..][..room]) }
    }

    /// So many bytes of the room have text now.
    pub(crate) fn advance(&mut self, amount: usize) {
        let Some(run) = &mut self.text else { return };
        run.filled += amount.min(room(run, self.runs.number()));
        if run.filled % SEALED_CHUNK == CHUNK {
            run.filled += TAG;
        }
        if run.filled == run.bytes.len() {
            self.text.take().into_iter().for_each(|run| self.runs.give(run));
        }
    }

    /// Passes on all full chunks.
    pub(crate) fn flush(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        self.drain(true, sink)?;
        if let Some(mut run) = self.text.take_if(|run| run.filled >= SEALED_CHUNK) {
            let mut rest = self.runs.next();
            rest.filled = run.filled % SEALED_CHUNK;
            run.filled -= rest.filled;
            rest.bytes[..rest.filled].copy_from_slice(&run.bytes[run.filled..][..rest.filled]);
            self.runs.give(run);
            self.text = Some(rest);
            self.drain(true, sink)?;
        }
        sink.flush()
    }

    /// Passes on everything, and the last chunk, and leaves flushing to the caller; after an error it can be repeated.
    pub(crate) fn finish(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        if !self.finished {
            self.drain(false, sink)?;
            let mut run = self.text.take().unwrap_or_else(|| self.runs.next());
            run.filled += TAG;
            self.runs.give(run);
            self.finished = true;
        }
        self.drain(true, sink)
    }

    /// Passes on what is sealed: all of it, or what is ready and what is needed for room. After an error of `sink` it
    /// goes on where it stopped: no text is ever sealed a second time.
    fn drain(&mut self, all: bool, sink: &mut dyn Write) -> io::Result<()> {
        loop {
            if let Some(error) = self.sealed.error {
                return Err(error.into());
            }
            while self.sent < self.sealed.filled {
                match sink.write(&self.sealed.bytes[self.sent..self.sealed.filled]) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(n) => self.sent += n,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
            let Some(run) = self.runs.take(all || self.runs.is_full())? else { return Ok(()) };
            let sent = std::mem::replace(&mut self.sealed, run);
            self.runs.recycle(sent);
            self.sent = 0;
        }
    }
}

/// Bytes of text that the current chunk of `run` still takes; the first one has number `first`.
fn room(run: &Run, first: u64) -> usize {
    let (chunk, from) = (run.filled / SEALED_CHUNK, run.filled % SEALED_CHUNK);
    // The last number is for a last chunk, which is never full.
    let full = if first + chunk as u64 == LAST { CHUNK - 1 } else { CHUNK };
    full - from
}

fn seal(message: &Message, run: &mut Run) {
    run.error = message.seal_in_place(run.first, &mut run.bytes[..run.filled]).err();
}

#[cfg(test)]
mod tests {
    use super::*;
    use evariste::Backend;

    #[test]
    fn the_last_number_takes_no_full_chunk() {
        let (message, header) = Message::seal_with(&[1; 16], b"", &[2; 24], Backend::active()).unwrap();
        let mut sealer = Sealer::new(message, &header);
        let sink = &mut io::sink();
        sealer.runs.jump(LAST - 1);
        assert_eq!(sealer.write(&[0; 2 * CHUNK], sink).unwrap(), CHUNK);
        assert_eq!(sealer.write(&[0; CHUNK], sink).unwrap(), CHUNK - 1);
        let error = sealer.write(&[0], sink).unwrap_err();
        assert_eq!(error.downcast::<Error>().unwrap(), Error::TooLong);
        assert_eq!(sealer.write(&[], sink).unwrap(), 0);
        sealer.finish(sink).unwrap();
        assert_eq!(sealer.write(&[0], sink).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
