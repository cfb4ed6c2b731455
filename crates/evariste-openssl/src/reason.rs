//! Why a call failed, as OpenSSL's error queue tells it.
#![allow(unsafe_code)]

use crate::ffi::Item;
use evariste::{AuthError, KeyError, LimitError};
use std::ffi::CStr;

/// What most functions return.
pub(crate) type Result<T = ()> = std::result::Result<T, Reason>;

macro_rules! reasons {
    ($( $name:ident = $number:literal $text:literal, )*) => {
        /// A reason. The numbers stay what they are. As large as a length, so that a result of either is two registers:
        /// through memory it waits for its own halves, 5 ns a call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub(crate) enum Reason { $( $name = $number, )* }

        /// The table for the core, up to number 0.
        pub(crate) static TEXTS: [Item; 1 + [$( $number ),*].len()] = [
            $( Item { id: $number, text: text($text).as_ptr() }, )*
            Item { id: 0, text: std::ptr::null() },
        ];
    };
}

const fn text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("one zero, at the end"),
    }
}

reasons! {
    Internal = 1 "evariste has a bug: please report\0",
    NoKey = 2 "no key is set\0",
    NoIv = 3 "no IV is set\0",
    IvSpent = 4 "the IV is used up, or the message has failed: set another IV\0",
    KeyLength = 5 "the key is not of this cipher's length\0",
    IvLength = 6 "the IV is not of a length that was set or that the mode takes\0",
    TagLength = 7 "the tag is not of a length that the mode takes, or one that short-tags = yes would allow\0",
    TagMissing = 8 "no tag is set, or none is there yet\0",
    TagNotNeeded = 9 "encryption makes the tag\0",
    NotAuthentic = 10 "the message is not authentic\0",
    AadTooLong = 11 "the additional data is too long, or comes behind text\0",
    TextTooLong = 12 "the text is longer than the mode allows\0",
    LengthNotAnnounced = 13 "the length of the text has to be announced before additional data\0",
    LengthNotKept = 14 "the text is not of the length that was announced\0",
    CounterEnds = 15 "the counter would pass its end\0",
    RecordsExhausted = 16 "the key has sealed as many records as there are invocation counters\0",
    NoGenerator = 17 "no fixed part of an IV is set\0",
    TlsAad = 18 "the additional data of a record has to have 13 bytes, and a length that fits\0",
    TlsRecord = 19 "a record has to be worked on in place, with room for explicit IV and tag\0",
    TlsMac = 20 "removing the MAC of CBC records is not implemented\0",
    Overlap = 21 "input and output overlap\0",
    OutputTooSmall = 22 "the output has too little room\0",
    NullPointer = 23 "a pointer is null\0",
    ParamType = 24 "a parameter is not of the type or size it must have\0",
    NotWholeBlocks = 25 "the text is not whole blocks\0",
    BadPadding = 26 "the padding is not right\0",
    NumberNotSettable = 27 "the position in a block of keystream cannot be set\0",
    Random = 28 "the system gives no random bytes\0",
    Memory = 29 "out of memory\0",
    Configuration = 30 "a value in the configuration is none of yes, no\0",
}

impl From<LimitError> for Reason {
    #[cold]
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Nonce => Self::IvLength,
            LimitError::Aad => Self::AadTooLong,
            LimitError::Text => Self::TextTooLong,
            LimitError::Counter => Self::CounterEnds,
            _ => Self::Internal,
        }
    }
}

impl From<KeyError> for Reason {
    #[cold]
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Length => Self::KeyLength,
            KeyError::Tag => Self::TagLength,
            _ => Self::Internal,
        }
    }
}

impl From<AuthError> for Reason {
    #[cold]
    fn from(_: AuthError) -> Self {
        Self::NotAuthentic
    }
}
