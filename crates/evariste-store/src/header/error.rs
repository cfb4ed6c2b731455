//! What can be wrong with a header, or with what is asked of it.

use std::{fmt, io};

/// Why a header does not open, or does not take a slot.
///
/// [`Header::read`](super::Header::read) and [`HeaderFile`](super::HeaderFile) pass it on inside an
/// [`io::Error`], whose [`downcast`](io::Error::downcast) gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// It does not begin with the eight bytes that all headers begin with.
    Magic,
    /// The file ends within its header.
    Truncated,
    /// A version of the format that this code does not know.
    Version(u16),
    /// The immutable part was changed: its checksum does not fit, or a byte that must be zero is not.
    Damaged,
    /// A suite that this code does not know.
    Suite(u8),
    /// Content that this code does not know.
    Content(u8),
    /// The data key is in no slot: the header has the id of one that is kept elsewhere.
    KeyElsewhere,
    /// There are slots for passphrases, and this one opens none of them.
    WrongPassphrase,
    /// There is no slot for a passphrase.
    NoPassphrase,
    /// There is no slot for this key file.
    WrongKeyFile,
    /// No slot opens, and this many are damaged.
    DamagedSlots(usize),
    /// The slots for passphrases ask for more work than a header may: memory times passes above 16 GiB.
    TooMuch,
    /// Parameters of Argon2id out of their limits.
    Cost,
    /// There is not as much memory as Argon2id is to use.
    Memory,
    /// A key file has neither 16 nor 32 bytes.
    KeyFileLength,
    /// No place for another slot.
    Full,
    /// There is no slot of this number.
    NoSlot,
    /// It is the last slot that could open the file.
    LastSlot,
    /// The data key is that of another header.
    OtherFile,
    /// The system has no random numbers.
    Random,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Magic => "no header of evariste",
            Self::Truncated => "cut short within the header of 4096 bytes",
            Self::Version(n) => return write!(f, "version {n} of the header, and only version 1 is known"),
            Self::Damaged => "damaged in the first 512 bytes",
            Self::Suite(n) => return write!(f, "suite {n}, which is not known"),
            Self::Content(n) => return write!(f, "content of kind {n}, which is not known"),
            Self::KeyElsewhere => "its data key is kept elsewhere, and not in its header",
            Self::WrongPassphrase => "wrong passphrase",
            Self::NoPassphrase => "it has no passphrase, only key files",
            Self::WrongKeyFile => "wrong key file",
            Self::DamagedSlots(n) => return write!(f, "no slot opens, and {n} of them damaged"),
            Self::TooMuch => "its passphrases take more work than is allowed: memory times passes above 16 GiB",
            Self::Cost => "Argon2id takes 1 to 16 lanes, 8 KiB a lane to 1 GiB, and 1 to 64 passes",
            Self::Memory => "not enough memory for Argon2id",
            Self::KeyFileLength => "a key file must have 16 or 32 bytes",
            Self::Full => "all slots are in use: remove one first",
            Self::NoSlot => "there is no such slot",
            Self::LastSlot => "the last slot cannot be removed: nothing would open the file",
            Self::OtherFile => "the data key is that of another file",
            Self::Random => "the system has no random numbers",
        })
    }
}

impl std::error::Error for HeaderError {}

impl From<HeaderError> for io::Error {
    fn from(error: HeaderError) -> Self {
        let kind = match error {
            HeaderError::Truncated => io::ErrorKind::UnexpectedEof,
            HeaderError::Memory => io::ErrorKind::OutOfMemory,
            HeaderError::Random => io::ErrorKind::Other,
            HeaderError::Cost
            | HeaderError::KeyFileLength
            | HeaderError::Full
            | HeaderError::NoSlot
            | HeaderError::LastSlot
            | HeaderError::OtherFile => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
