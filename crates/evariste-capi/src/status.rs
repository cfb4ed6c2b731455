//! What functions return.

use evariste::{AuthError, KeyError, LimitError};
use std::ffi::{CStr, c_char, c_int};

/// Success.
pub const EVARISTE_OK: c_int = 0;
/// The message is not authentic. Opening says nothing else about a message, whatever is wrong with it.
pub const EVARISTE_ERROR_AUTH: c_int = -1;
/// A pointer is null where it must not be: its length is not 0, or it is an object or a result.
pub const EVARISTE_ERROR_NULL: c_int = -2;
/// Something that would be written overlaps something else, and is not the input in place. No buffer was written.
pub const EVARISTE_ERROR_OVERLAP: c_int = -3;
/// The room for the output, or for the object, is too small, or the object's place is not aligned.
pub const EVARISTE_ERROR_BUFFER: c_int = -4;
/// There is no such algorithm, operation, flag or size of a structure, or the algorithm does not have this call.
pub const EVARISTE_ERROR_ARGUMENT: c_int = -5;
/// The key is not of the algorithm's length.
pub const EVARISTE_ERROR_KEY: c_int = -6;
/// The tag length is not one of the algorithm's, or a short one without EVARISTE_SHORT_TAG.
pub const EVARISTE_ERROR_TAG: c_int = -7;
/// The nonce, or the first counter block, is not of a length the algorithm takes.
pub const EVARISTE_ERROR_NONCE: c_int = -8;
/// The additional data is longer than the algorithm, or its announced length, allows.
pub const EVARISTE_ERROR_AAD: c_int = -9;
/// The text is longer than the algorithm, the nonce's length or its announced length allows.
pub const EVARISTE_ERROR_TEXT: c_int = -10;
/// The text, or the additional data, ended before its announced length.
pub const EVARISTE_ERROR_UNFINISHED: c_int = -11;
/// The counter would pass its end and the keystream repeat.
pub const EVARISTE_ERROR_COUNTER: c_int = -12;
/// The object is in no state for this call: without a key, or without a message that has begun; or it is too late for
/// evariste_set_backend.
pub const EVARISTE_ERROR_STATE: c_int = -13;
/// There is no backend of this name, or number, or this CPU cannot run it.
pub const EVARISTE_ERROR_BACKEND: c_int = -14;
/// There is no memory left.
pub const EVARISTE_ERROR_MEMORY: c_int = -15;
/// A bug in the library, which was stopped from going further. Please report it.
pub const EVARISTE_ERROR_INTERNAL: c_int = -16;

/// An English sentence for a code, without a full stop; for what is no code, one that says so. Never null, and never to
/// be freed.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn evariste_strerror(status: c_int) -> *const c_char {
    text(status).as_ptr()
}

fn text(status: c_int) -> &'static CStr {
    match status {
        EVARISTE_OK => c"success",
        EVARISTE_ERROR_AUTH => c"the message is not authentic",
        EVARISTE_ERROR_NULL => c"a pointer is null",
        EVARISTE_ERROR_OVERLAP => c"an output overlaps another buffer",
        EVARISTE_ERROR_BUFFER => c"the room for the output or the object is too small, or not aligned",
        EVARISTE_ERROR_ARGUMENT => c"no such algorithm, operation, flag or size, or not for this algorithm",
        EVARISTE_ERROR_KEY => c"the key is not of the algorithm's length",
        EVARISTE_ERROR_TAG => c"the tag length is not one the algorithm allows",
        EVARISTE_ERROR_NONCE => c"the nonce is not of a length the algorithm takes",
        EVARISTE_ERROR_AAD => c"the additional data is too long",
        EVARISTE_ERROR_TEXT => c"the text is too long",
        EVARISTE_ERROR_UNFINISHED => c"the message is shorter than announced",
        EVARISTE_ERROR_COUNTER => c"the counter has reached its end",
        EVARISTE_ERROR_STATE => c"the object is in no state for this call",
        EVARISTE_ERROR_BACKEND => c"no such backend, or not on this CPU",
        EVARISTE_ERROR_MEMORY => c"out of memory",
        EVARISTE_ERROR_INTERNAL => c"a bug in the library",
        _ => c"not a status of evariste",
    }
}

/// A code other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Error(pub(crate) c_int);

pub(crate) type Result<T = ()> = core::result::Result<T, Error>;

/// What a function returns.
pub(crate) fn code(result: Result) -> c_int {
    match result {
        Ok(()) => EVARISTE_OK,
        Err(Error(code)) => code,
    }
}

/// Whether a code is about the length of something.
pub(crate) fn is_limit(code: c_int) -> bool {
    (EVARISTE_ERROR_UNFINISHED..=EVARISTE_ERROR_NONCE).contains(&code)
}

impl Error {
    /// What opening says of it: a message of impossible lengths is not authentic.
    #[cold]
    pub(crate) fn of_opening(self) -> Self {
        if is_limit(self.0) { Self(EVARISTE_ERROR_AUTH) } else { self }
    }
}

impl From<AuthError> for Error {
    fn from(_: AuthError) -> Self {
        Self(EVARISTE_ERROR_AUTH)
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self(match error {
            KeyError::Length => EVARISTE_ERROR_KEY,
            KeyError::Tag => EVARISTE_ERROR_TAG,
            _ => EVARISTE_ERROR_INTERNAL,
        })
    }
}

impl From<LimitError> for Error {
    fn from(error: LimitError) -> Self {
        Self(match error {
            LimitError::Nonce => EVARISTE_ERROR_NONCE,
            LimitError::Aad => EVARISTE_ERROR_AAD,
            LimitError::Text => EVARISTE_ERROR_TEXT,
            LimitError::Unfinished => EVARISTE_ERROR_UNFINISHED,
            LimitError::Counter => EVARISTE_ERROR_COUNTER,
            LimitError::Buffer => EVARISTE_ERROR_BUFFER,
            _ => EVARISTE_ERROR_INTERNAL,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code has a sentence of its own, and nothing else has.
    #[test]
    fn sentences() {
        let none = text(1);
        let mut all: Vec<_> = (EVARISTE_ERROR_INTERNAL..=EVARISTE_OK).map(text).collect();
        assert!(!all.contains(&none));
        assert_eq!([text(EVARISTE_ERROR_INTERNAL - 1), text(c_int::MIN), text(c_int::MAX)], [none; 3]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 17);
    }
}
