//! A context of AES: ours, or one of NSS's own in ours.

use crate::border::Theirs;
use crate::ctr::Stream;
use crate::error::{Error, Result};
use crate::gcm::{Many, One};
use evariste::Aes;

/// What `AES_AllocateContext` makes.
pub(crate) struct Context {
    pub(crate) work: Work,
    pub(crate) direction: Direction,
}

/// From `AES_InitContext`; `AES_Encrypt` and `AES_Decrypt` both do this, as in NSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

/// What it does. All keys are wiped when this is dropped.
pub(crate) enum Work {
    /// Nothing has been initialized, or it was destroyed without being freed.
    None,
    /// A mode or a key length that is not served here.
    Theirs(Theirs),
    Ecb(Aes),
    Ctr(Stream),
    One(One),
    Many(Many),
}

impl Context {
    pub(crate) const EMPTY: Self = Self { work: Work::None, direction: Direction::Encrypt };

    /// What was there before is dropped, whatever comes of this.
    pub(crate) fn set(&mut self, direction: Direction, make: impl FnOnce() -> Result<Work>) -> Result {
        self.work = Work::None;
        self.work = make()?;
        self.direction = direction;
        Ok(())
    }

    /// The direction, and the state for many messages.
    ///
    /// # Errors
    /// `NOT_INITIALIZED`: another mode. `LIBRARY_FAILURE`: a context for one message.
    pub(crate) fn many(&mut self) -> Result<(Direction, &mut Many)> {
        match &mut self.work {
            Work::Many(many) => Ok((self.direction, many)),
            Work::One(_) => Err(Error::LIBRARY_FAILURE),
            _ => Err(Error::NOT_INITIALIZED),
        }
    }
}
