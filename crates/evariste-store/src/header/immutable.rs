//! The first 512 bytes, which never change and are the context of the message.

use super::{CHECKSUM, HeaderError, Sector, close, is_whole, is_zero};
use crate::Suite;
use std::fmt;

/// A byte above 127, line ends of both kinds and the end of text files of old: a transfer that changes text shows.
const MAGIC: [u8; 8] = *b"\x89EVR\r\n\x1a\n";
const VERSION: u16 = 1;

/// What the text of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// Bytes, as they were given.
    Bytes,
    /// A directory, as a tar stream.
    Tar,
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Tar => "a directory (tar)",
        })
    }
}

/// An immutable part that was checked.
#[derive(Clone)]
pub(super) struct Immutable {
    bytes: Sector,
    suite: Suite,
    content: Content,
}

impl Immutable {
    pub(super) fn new(suite: Suite, content: Content, file_id: [u8; 16]) -> Self {
        let mut bytes = [0; 512];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_be_bytes());
        bytes[10] = match suite {
            Suite::Cobblestone128 => 1,
            Suite::Cobblestone256 => 2,
        };
        bytes[11] = match content {
            Content::Bytes => 0,
            Content::Tar => 1,
        };
        bytes[16..32].copy_from_slice(&file_id);
        close(&mut bytes);
        Self { bytes, suite, content }
    }

    pub(super) fn parse(bytes: &Sector) -> Result<Self, HeaderError> {
        if !has_magic(bytes) {
            return Err(HeaderError::Magic);
        }
        // Another version may have its checksum elsewhere.
        let version = u16::from_be_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(HeaderError::Version(version));
        }
        if !is_whole(bytes) {
            return Err(HeaderError::Damaged);
        }
        let suite = match bytes[10] {
            1 => Suite::Cobblestone128,
            2 => Suite::Cobblestone256,
            n => return Err(HeaderError::Suite(n)),
        };
        let content = match bytes[11] {
            0 => Content::Bytes,
            1 => Content::Tar,
            n => return Err(HeaderError::Content(n)),
        };
        if !is_zero(&bytes[32..48]) {
            return Err(HeaderError::KeyElsewhere);
        }
        if !is_zero(&bytes[12..16]) || !is_zero(&bytes[48..CHECKSUM]) {
            return Err(HeaderError::Damaged);
        }
        Ok(Self { bytes: *bytes, suite, content })
    }

    pub(super) fn bytes(&self) -> &Sector {
        &self.bytes
    }

    pub(super) fn suite(&self) -> Suite {
        self.suite
    }

    pub(super) fn content(&self) -> Content {
        self.content
    }

    pub(super) fn file_id(&self) -> [u8; 16] {
        std::array::from_fn(|i| self.bytes[16 + i])
    }
}

/// Whether what begins with `start` has a header, of whatever version.
pub(super) fn has_magic(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_error() {
        let good = *Immutable::new(Suite::Cobblestone128, Content::Tar, [9; 16]).bytes();
        let error = |at: usize, to: u8| {
            let mut bytes = good;
            bytes[at] = to;
            let unsigned = Immutable::parse(&bytes).err();
            close(&mut bytes);
            (unsigned, Immutable::parse(&bytes).err())
        };
        assert!(Immutable::parse(&good).is_ok());
        assert_eq!(error(0, 0), (Some(HeaderError::Magic), Some(HeaderError::Magic)));
        assert_eq!(error(9, 2), (Some(HeaderError::Version(2)), Some(HeaderError::Version(2))));
        assert_eq!(error(10, 3), (Some(HeaderError::Damaged), Some(HeaderError::Suite(3))));
        assert_eq!(error(11, 2), (Some(HeaderError::Damaged), Some(HeaderError::Content(2))));
        assert_eq!(error(32, 1), (Some(HeaderError::Damaged), Some(HeaderError::KeyElsewhere)));
        for at in [12, 15, 48, CHECKSUM - 1] {
            assert_eq!(error(at, 1), (Some(HeaderError::Damaged), Some(HeaderError::Damaged)), "{at}");
        }
    }

    #[test]
    fn what_it_says_comes_back() {
        for suite in [Suite::Cobblestone128, Suite::Cobblestone256] {
            for content in [Content::Bytes, Content::Tar] {
                let parsed = Immutable::parse(Immutable::new(suite, content, [9; 16]).bytes()).unwrap();
                assert_eq!((parsed.suite(), parsed.content(), parsed.file_id()), (suite, content, [9; 16]));
            }
        }
    }
}
