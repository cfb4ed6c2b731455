//! Errors: opaque where an attacker listens, precise where the caller has a bug.

use core::fmt;

/// The message is not authentic, or cannot be: nothing of the plaintext is released.
///
/// Every way in which opening can fail ends here. Any wrong tag of the right length takes the same time;
/// what cannot be authentic for its lengths alone, which are public, is refused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthError;

/// The key, or the tag length asked for with it, is not one the mode has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is not of a length the mode takes: 16, 24 or 32 bytes for AES.
    Length,
    /// The tag length is not one of the mode's, or a short one that was not explicitly asked for.
    Tag,
}

/// A length or a count is outside the limits of the mode; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitError {
    /// The nonce is not of a length the mode takes.
    Nonce,
    /// The additional data is longer than the mode, or its announced length, allows.
    Aad,
    /// The text is longer than the mode, the nonce length or its announced length allows.
    Text,
    /// The text, or the additional data, ended before its announced length.
    Unfinished,
    /// The counter would pass its end and the keystream repeat.
    Counter,
    /// The key has been used for as many random nonces as it may (SP 800-38D §8.3).
    Invocations,
    /// The input and output buffers differ in length, or there is no room for the tag.
    Buffer,
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message is not authentic")
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "the key is not of a length this mode takes",
            Self::Tag => "the tag length is not one this mode allows",
        })
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nonce => "the nonce is not of a length this mode takes",
            Self::Aad => "the additional data is too long",
            Self::Text => "the text is too long",
            Self::Unfinished => "the message is shorter than announced",
            Self::Counter => "the counter has reached its end",
            Self::Invocations => "the key has sealed as many messages as it may under random nonces",
            Self::Buffer => "the output buffer does not fit the input",
        })
    }
}

impl core::error::Error for AuthError {}
impl core::error::Error for KeyError {}
impl core::error::Error for LimitError {}

/// A message of impossible lengths cannot be authentic.
impl From<LimitError> for AuthError {
    fn from(_: LimitError) -> Self {
        Self
    }
}
