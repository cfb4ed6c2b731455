//! The header for people: 4096 bytes in front of a message, so that passphrases and key files open it.
//!
//! A random [`DataKey`] seals the chunks, and up to six slots wrap it, each under a passphrase or a key
//! file. So a passphrase changes without a change to any chunk. docs/formats.md has the format byte by byte, what
//! it protects against, and test values.
//!
//! ```
//! use evariste_store::header::{Content, Cost, Header, Secret};
//! use evariste_store::{Reader, Suite, Writer};
//! use std::io::{Read, Write};
//!
//! # let cost = Cost::new(64, 1, 1)?; // instead of Cost::default(), which is meant to take long
//! let (mut header, key) = Header::create(Suite::Cobblestone256, Content::Bytes)?;
//! header.add(&key, Secret::Passphrase(b"correct horse"), cost)?;
//! let file = header.as_bytes().to_vec();
//! let mut writer = Writer::new(file, key.as_bytes(), header.context())?;
//! writer.write_all(b"attack at dawn")?;
//! let file = writer.finish()?;
//!
//! let mut source = &file[..];
//! let header = Header::read(&mut source)?;
//! let (key, _slot) = header.unlock(Secret::Passphrase(b"correct horse"))?;
//! let mut text = String::new();
//! Reader::new(source, key.as_bytes(), header.context())?.read_to_string(&mut text)?;
//! assert_eq!(text, "attack at dawn");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`HeaderFile`] changes the slots of a file that exists, so that a crash at any moment leaves one that opens.

mod error;
mod immutable;
mod kdf;
mod key;
mod rewrite;
mod slot;

pub use error::HeaderError;
pub use immutable::Content;
pub use kdf::{Cost, Secret};
pub use key::DataKey;
pub use rewrite::{HeaderFile, Storage};
pub use slot::Slot;

use crate::Suite;
use immutable::Immutable;
use sha2::{Digest, Sha512};
use std::fmt;
use std::io::{self, Read};

/// Bytes of the header: where the message begins.
pub const HEADER_LEN: usize = SECTOR * (1 + PLACES);
/// Places for slots.
pub const PLACES: usize = 7;
/// How many may be in use, so that one is free for a replacement.
pub const MAX_SLOTS: usize = PLACES - 1;

/// Bytes of the immutable part and of each place, so that writing one leaves the others alone.
const SECTOR: usize = 512;
/// Where a sector's checksum begins; it goes to the end.
const CHECKSUM: usize = SECTOR - 16;
/// Memory in KiB times passes that the passphrase slots of a header may ask for together: 16 GiB.
const MAX_WORK: u64 = 1 << 24;

type Sector = [u8; SECTOR];

/// A header that is one of ours.
#[derive(Clone)]
pub struct Header {
    immutable: Immutable,
    bytes: [u8; HEADER_LEN],
}

impl Header {
    /// The header of a new file, without a slot yet, and the random key of its chunks.
    ///
    /// # Errors
    /// [`HeaderError::Random`].
    pub fn create(suite: Suite, content: Content) -> Result<(Self, DataKey), HeaderError> {
        let mut file_id = [0; 16];
        getrandom::fill(&mut file_id).map_err(|_| HeaderError::Random)?;
        let key = DataKey::random(suite, file_id)?;
        Ok((Self::new(Immutable::new(suite, content, file_id)), key))
    }

    fn new(immutable: Immutable) -> Self {
        let mut bytes = [0; HEADER_LEN];
        bytes[..SECTOR].copy_from_slice(immutable.bytes());
        Self { immutable, bytes }
    }

    /// The header in `bytes`. Slots that are damaged or of an unknown kind do not fail here.
    ///
    /// # Errors
    /// [`HeaderError::Magic`], [`Version`](HeaderError::Version), [`Damaged`](HeaderError::Damaged),
    /// [`Suite`](HeaderError::Suite), [`Content`](HeaderError::Content), [`KeyElsewhere`](HeaderError::KeyElsewhere).
    pub fn parse(bytes: &[u8; HEADER_LEN]) -> Result<Self, HeaderError> {
        Ok(Self { immutable: Immutable::parse(sector(bytes, 0))?, bytes: *bytes })
    }

    /// Reads 4096 bytes of `source` as a header.
    ///
    /// # Errors
    /// Those of `source`; those of [`parse`](Self::parse) and [`HeaderError::Truncated`], within an [`io::Error`].
    pub fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut start = Vec::with_capacity(HEADER_LEN);
        source.take(HEADER_LEN as u64).read_to_end(&mut start)?;
        match <&[u8; HEADER_LEN]>::try_from(&start[..]) {
            Ok(bytes) => Ok(Self::parse(bytes)?),
            Err(_) if immutable::has_magic(&start) => Err(HeaderError::Truncated.into()),
            Err(_) => Err(HeaderError::Magic.into()),
        }
    }

    /// The header as it stands in front of the message.
    pub fn as_bytes(&self) -> &[u8; HEADER_LEN] {
        &self.bytes
    }

    /// The context of the message: the immutable part.
    pub fn context(&self) -> &[u8; 512] {
        self.immutable.bytes()
    }

    /// What the chunks are sealed with.
    pub fn suite(&self) -> Suite {
        self.immutable.suite()
    }

    /// What the text is.
    pub fn content(&self) -> Content {
        self.immutable.content()
    }

    /// The random number that tells this file from all others.
    pub fn file_id(&self) -> [u8; 16] {
        self.immutable.file_id()
    }

    /// What stands in the seven places.
    pub fn slots(&self) -> [Slot; PLACES] {
        std::array::from_fn(|place| Slot::parse(self.slot(place)))
    }

    /// Wraps `key` for `secret` in an empty place, whose number it returns. `cost` is what a passphrase is
    /// going to take; key files take nothing.
    ///
    /// This changes the header in memory, before it is written; [`HeaderFile::add`] changes a file.
    ///
    /// # Errors
    /// [`HeaderError::Full`] with six slots in use, [`OtherFile`](HeaderError::OtherFile) for a key of another
    /// header, [`TooMuch`](HeaderError::TooMuch), [`KeyFileLength`](HeaderError::KeyFileLength),
    /// [`Memory`](HeaderError::Memory), [`Random`](HeaderError::Random). The header is as before then.
    pub fn add(&mut self, key: &DataKey, secret: Secret<'_>, cost: Cost) -> Result<usize, HeaderError> {
        let (place, bytes) = self.prepare(key, secret, cost, MAX_SLOTS)?;
        self.put(place, &bytes);
        Ok(place)
    }

    /// The data key, and the number of the slot that `secret` opens.
    ///
    /// Slots are tried in their order, a passphrase on those for passphrases, a key file on those with its id. Before
    /// any work the parameters of all are checked: it takes at most 1 GiB of memory and 16 GiB of memory traffic.
    ///
    /// # Errors
    /// [`HeaderError::WrongPassphrase`], [`NoPassphrase`](HeaderError::NoPassphrase),
    /// [`WrongKeyFile`](HeaderError::WrongKeyFile), [`DamagedSlots`](HeaderError::DamagedSlots),
    /// [`TooMuch`](HeaderError::TooMuch), [`Memory`](HeaderError::Memory),
    /// [`KeyFileLength`](HeaderError::KeyFileLength).
    pub fn unlock(&self, secret: Secret<'_>) -> Result<(DataKey, usize), HeaderError> {
        let slots = self.slots();
        let wanted = secret.wants()?;
        if matches!(secret, Secret::Passphrase(_)) && work(&slots) > MAX_WORK {
            return Err(HeaderError::TooMuch);
        }
        let mut tried = false;
        for place in (0..PLACES).filter(|place| wanted.fits(&slots[*place])) {
            if let Some(key) = slot::open(&self.immutable, self.slot(place), secret)? {
                return Ok((key, place));
            }
            tried = true;
        }
        let damaged = slots.iter().filter(|slot| **slot == Slot::Damaged).count();
        Err(match secret {
            // Another key file would have another id.
            Secret::KeyFile(_) if tried => HeaderError::DamagedSlots(damaged + 1),
            _ if damaged > 0 => HeaderError::DamagedSlots(damaged),
            Secret::KeyFile(_) => HeaderError::WrongKeyFile,
            Secret::Passphrase(_) if tried => HeaderError::WrongPassphrase,
            Secret::Passphrase(_) => HeaderError::NoPassphrase,
        })
    }

    /// Empties the place with this number, in memory; [`HeaderFile::remove`] changes a file.
    ///
    /// # Errors
    /// [`HeaderError::NoSlot`] if it is empty, [`HeaderError::LastSlot`] if no other would open the file.
    pub fn remove(&mut self, place: usize) -> Result<(), HeaderError> {
        self.may_remove(place)?;
        self.put(place, &[0; SECTOR]);
        Ok(())
    }

    /// A new slot and the place for it, if less than `most` are in use.
    fn prepare(
        &self,
        key: &DataKey,
        secret: Secret<'_>,
        cost: Cost,
        most: usize,
    ) -> Result<(usize, Sector), HeaderError> {
        let slots = self.slots();
        let used = slots.iter().filter(|slot| **slot != Slot::Empty).count();
        let place = slots.iter().position(|slot| *slot == Slot::Empty).filter(|_| used < most);
        let place = place.ok_or(HeaderError::Full)?;
        if !key.belongs_to(&self.immutable) {
            return Err(HeaderError::OtherFile);
        }
        if matches!(secret, Secret::Passphrase(_)) && work(&slots) + cost.work() > MAX_WORK {
            return Err(HeaderError::TooMuch);
        }
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(|_| HeaderError::Random)?;
        Ok((place, slot::seal(&self.immutable, key, secret, cost, &salt)?))
    }

    fn may_remove(&self, place: usize) -> Result<(), HeaderError> {
        let slots = self.slots();
        if slots.get(place).is_none_or(|slot| *slot == Slot::Empty) {
            return Err(HeaderError::NoSlot);
        }
        let opens = |slot: &Slot| matches!(slot, Slot::Passphrase(_) | Slot::KeyFile(_));
        let others = slots.iter().enumerate().filter(|(other, slot)| *other != place && opens(slot));
        if others.count() > 0 { Ok(()) } else { Err(HeaderError::LastSlot) }
    }

    fn slot(&self, place: usize) -> &Sector {
        sector(&self.bytes, 1 + place)
    }

    fn put(&mut self, place: usize, slot: &Sector) {
        self.bytes[SECTOR * (1 + place)..][..SECTOR].copy_from_slice(slot);
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("suite", &self.suite())
            .field("content", &self.content())
            .field("file_id", &self.file_id())
            .field("slots", &self.slots())
            .finish()
    }
}

fn sector(bytes: &[u8; HEADER_LEN], n: usize) -> &Sector {
    &bytes.as_chunks().0[n]
}

/// What a wrong passphrase would take, as memory in KiB times passes.
fn work(slots: &[Slot]) -> u64 {
    slots.iter().map(|slot| if let Slot::Passphrase(cost) = slot { cost.work() } else { 0 }).sum()
}

/// The first 16 bytes of SHA-512. Against accidents only, to tell them from a wrong passphrase.
fn checksum(sector: &Sector) -> [u8; 16] {
    let digest = Sha512::digest(&sector[..CHECKSUM]);
    std::array::from_fn(|i| digest[i])
}

fn is_whole(sector: &Sector) -> bool {
    sector[CHECKSUM..] == checksum(sector)
}

fn close(sector: &mut Sector) {
    let sum = checksum(sector);
    sector[CHECKSUM..].copy_from_slice(&sum);
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

#[cfg(test)]
mod tests;
