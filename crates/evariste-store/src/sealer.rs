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
    /// Those of `sink`, after which nothing was taken; [`Error::TooLong`] at 4 PiB; `BrokenPipe` after the end.
    pub(crate) fn write(&mut self, text: &[u8], sink: &mut dyn Write) -> io::Result<usize> {
        if self.finished {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.drain(false, sink)?;
        if text.is_empty() {
            return Ok(0);
        }
        let run = self.text.get_or_insert_with(|| self.runs.next());
        let taken = fill(run, self.runs.number(), text);
        if taken == 0 {
            return Err(Error::TooLong.into());
        }
        if run.filled == run.bytes.len() {
            self.text.take().into_iter().for_each(|run| self.runs.give(run));
        }
        Ok(taken)
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

    /// Passes on everything, and the last chunk; after an error it can be repeated.
    pub(crate) fn finish(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        if !self.finished {
            self.drain(false, sink)?;
            let mut run = self.text.take().unwrap_or_else(|| self.runs.next());
            run.filled += TAG;
            self.runs.give(run);
            self.finished = true;
        }
        self.drain(true, sink)?;
        sink.flush()
    }

    /// Passes on what is sealed: all of it, or what is ready and what is needed for room. After an error of `sink` it goes on
    /// where it stopped: no text is ever sealed a second time.
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

/// Copies text to the chunks of `run`, the first of which has number `first`, and returns how much.
fn fill(run: &mut Run, first: u64, text: &[u8]) -> usize {
    let mut taken = 0;
    while run.filled < run.bytes.len() {
        let (chunk, from) = (run.filled / SEALED_CHUNK, run.filled % SEALED_CHUNK);
        // The last number is for a last chunk, which is never full.
        let room = if first + chunk as u64 == LAST { CHUNK - 1 } else { CHUNK } - from;
        let n = room.min(text.len() - taken);
        if n == 0 {
            break;
        }
        run.bytes[run.filled..][..n].copy_from_slice(&text[taken..][..n]);
        taken += n;
        run.filled += if from + n == CHUNK { n + TAG } else { n };
    }
    taken
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
