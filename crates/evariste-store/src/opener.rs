//! Opening chunks in order: what readers have in common, without the source.

use crate::chunked::{CHUNK, SEALED_CHUNK, position};
use crate::runs::{Run, Runs};
use crate::{Error, Message};
use std::io::{self, Read};

pub(crate) struct Opener {
    runs: Runs,
    /// Sealed bytes that come in.
    sealed: Option<Run>,
    /// Opened.
    text: Option<Run>,
    /// Where in the text of the message the reader is.
    position: u64,
    /// The source's error, which waits until what came before it was read.
    interrupted: Option<io::Error>,
    /// What comes after all runs; none while the source may have more.
    end: Option<Result<(), Error>>,
}

impl Opener {
    pub(crate) fn new(message: Message) -> Self {
        let runs = Runs::new(message, open);
        Self { runs, sealed: None, text: None, position: 0, interrupted: None, end: None }
    }

    pub(crate) fn set_threads(&mut self, n: usize) {
        self.runs.set_threads(n);
    }

    /// Text at the position that is at hand.
    pub(crate) fn text(&self) -> &[u8] {
        self.text.as_ref().and_then(|run| text_from(run, self.position)).unwrap_or_default()
    }

    pub(crate) fn consume(&mut self, amount: usize) {
        self.position += amount.min(self.text().len()) as u64;
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// How far the source has been read.
    pub(crate) fn sealed_position(&self) -> u64 {
        position(self.runs.number()) + self.sealed.as_ref().map_or(0, |run| run.filled as u64)
    }

    /// Goes to a position in the text; false if it cannot go on from there without [`restart`](Self::restart).
    pub(crate) fn seek(&mut self, to: u64) -> bool {
        let from = self.position;
        self.position = to;
        to == from || !self.text().is_empty()
    }

    /// Forgets what was read ahead: the source must be read from [`sealed_position`](Self::sealed_position) on.
    pub(crate) fn restart(&mut self) {
        for run in [self.sealed.take(), self.text.take()].into_iter().flatten() {
            self.runs.recycle(run);
        }
        (self.interrupted, self.end) = (None, None);
        self.runs.jump(self.position / CHUNK as u64);
    }

    /// Sees to it that [`text`](Self::text) is not empty, unless the message is at its end.
    ///
    /// # Errors
    /// Those of `source`, after which it can be repeated, and that of the first chunk that does not verify.
    pub(crate) fn load(&mut self, source: &mut dyn Read) -> io::Result<()> {
        while self.text().is_empty() {
            if let Some(run) = self.text.take() {
                self.runs.recycle(run);
            }
            // What is ready goes first; else reading goes on while threads work; else there is nothing left to do but
            // wait.
            let wait = self.end.is_some() || self.interrupted.is_some() || self.runs.is_full();
            if let Some(run) = self.runs.take(wait)? {
                if let Some(error) = run.error {
                    self.end = Some(Err(error));
                    self.runs.stop();
                }
                self.text = Some(run);
            } else if let Some(error) = self.interrupted.take() {
                return Err(error);
            } else {
                match self.end {
                    None => self.read(source)?,
                    Some(Ok(())) => {
                        self.runs.stop();
                        break;
                    }
                    Some(Err(error)) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, source: &mut dyn Read) -> io::Result<()> {
        let mut run = self.sealed.take().unwrap_or_else(|| self.runs.next());
        match fill(source, &mut run.bytes, &mut run.filled) {
            Ok(full) => {
                if !full {
                    // The last chunk is never full.
                    self.end =
                        Some(if run.filled.is_multiple_of(SEALED_CHUNK) { Err(Error::Truncated) } else { Ok(()) });
                }
                self.runs.give(run);
                Ok(())
            }
            Err(error) => {
                self.sealed = Some(run);
                if self.runs.is_empty() {
                    return Err(error);
                }
                self.interrupted = Some(error);
                Ok(())
            }
        }
    }
}

/// The text of `run` from a position in the message's text on.
fn text_from(run: &Run, position: u64) -> Option<&[u8]> {
    let skip = position.checked_sub(run.first * CHUNK as u64)?;
    run.bytes.get(usize::try_from(skip).ok()?..run.filled)
}

fn open(message: &Message, run: &mut Run) {
    let (text, opened) = message.open_verified(run.first, &mut run.bytes[..run.filled]);
    (run.filled, run.error) = (text, opened.err());
}

/// Reads on until `buffer` is full, or returns false at the end of `source`. After an error `filled` says
/// where to go on.
pub(crate) fn fill(source: &mut dyn Read, buffer: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < buffer.len() {
        match source.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(false),
            Ok(n) => *filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunked::{HEADER, LAST};
    use evariste::Backend;

    #[test]
    fn the_last_number_takes_no_full_chunk() {
        let (message, _) = Message::seal_with(&[1; 16], b"", &[2; 24], Backend::active()).unwrap();
        let mut opener = Opener::new(message);
        opener.runs.jump(LAST);
        let error = opener.load(&mut &[0; SEALED_CHUNK][..]).unwrap_err();
        assert_eq!(error.downcast::<Error>().unwrap(), Error::TooLong);
    }

    #[test]
    fn what_failed_leaves_no_text_behind() {
        let (message, header) = Message::seal_with(&[1; 16], b"", &[2; 24], Backend::active()).unwrap();
        let mut sealed = Vec::new();
        message.seal_end(0, &[5; 1000], &mut sealed).unwrap();
        sealed[1000] ^= 1;
        assert_eq!(header.len(), HEADER);
        let mut opener = Opener::new(message);
        assert!(opener.load(&mut &sealed[..]).is_err());
        opener.consume(1000);
        assert!(opener.text().is_empty());
        let next = opener.runs.next();
        assert!(!next.bytes.windows(4).any(|w| w == [5; 4]));
    }
}
