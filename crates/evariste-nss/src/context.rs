//! A context of AES: ours, or one of NSS's own in ours.

use crate::border::{self, Theirs};
use crate::ctr::Stream;
use crate::error::{Error, Result};
use crate::gcm::{Many, One};
use evariste::Aes;

/// What `AES_AllocateContext` makes. Where all bytes are zero, it is an empty one (`border.rs`).
#[repr(C)]
pub(crate) struct Context {
    pub(crate) work: Work,
    pub(crate) direction: Direction,
    pub(crate) key_len: usize,
}

/// From `AES_InitContext`; `AES_Encrypt` and `AES_Decrypt` both do this, as in NSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Direction {
    Encrypt = 0,
    Decrypt,
}

/// What it does. All keys are wiped when this is dropped.
#[repr(u8)]
pub(crate) enum Work {
    /// Nothing has been initialized, or it was destroyed without being freed.
    #[expect(dead_code, reason = "made of zeros")]
    None = 0,
    /// A mode or a key length that is not served here.
    Theirs(Theirs),
    Ecb(Aes),
    Ctr(Stream),
    One(One),
    Many(Many),
}

impl Context {
    /// What was there before is gone, whatever comes of this.
    pub(crate) fn set(&mut self, direction: Direction, key_len: usize, make: impl FnOnce() -> Result<Work>) -> Result {
        border::clear(self);
        self.work = make()?;
        (self.direction, self.key_len) = (direction, key_len);
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
