//! Errors, by NSS's numbers.

use evariste::{AuthError, KeyError, LimitError};
use std::ffi::c_int;

/// What `PR_GetError` will say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Error(pub(crate) c_int);

pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    const BASE: c_int = -0x2000;
    /// A bug here, or a call that does not fit the context.
    pub(crate) const LIBRARY_FAILURE: Self = Self(Self::BASE + 1);
    /// A forged message.
    pub(crate) const BAD_DATA: Self = Self(Self::BASE + 2);
    /// No room for the output.
    pub(crate) const OUTPUT_LEN: Self = Self(Self::BASE + 3);
    /// An input of a length that the mode does not take.
    pub(crate) const INPUT_LEN: Self = Self(Self::BASE + 4);
    /// Parameters that are not allowed.
    pub(crate) const INVALID_ARGS: Self = Self(Self::BASE + 5);
    /// No memory.
    pub(crate) const NO_MEMORY: Self = Self(Self::BASE + 19);
    /// NSS's random number generator does not run.
    pub(crate) const NEED_RANDOM: Self = Self(Self::BASE + 63);
    /// No IV is left.
    pub(crate) const EXTRA_INPUT: Self = Self(Self::BASE + 140);
    /// A context that was not made for this.
    pub(crate) const NOT_INITIALIZED: Self = Self(Self::BASE + 154);
}

impl From<LimitError> for Error {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Text => Self::INPUT_LEN,
            _ => Self::INVALID_ARGS,
        }
    }
}

impl From<AuthError> for Error {
    fn from(_: AuthError) -> Self {
        Self::BAD_DATA
    }
}

impl From<KeyError> for Error {
    fn from(_: KeyError) -> Self {
        Self::INVALID_ARGS
    }
}
