//! Changing the slots of a file, so that a crash at any moment leaves one that opens.

use super::{Cost, DataKey, HEADER_LEN, Header, MAX_SLOTS, PLACES, SECTOR, Secret, Sector, is_zero};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes that are written in place: a [`File`], or something that fails on purpose.
pub trait Storage {
    /// Reads from the beginning, until `bytes` is full or there is no more; returns how much there was.
    ///
    /// # Errors
    /// Those of the medium.
    fn read_start(&mut self, bytes: &mut [u8]) -> io::Result<usize>;

    /// Writes all of `bytes` at `offset`. A crash before the next [`sync`](Self::sync) may leave any part of them.
    ///
    /// # Errors
    /// Those of the medium.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Returns when all that was written is durable.
    ///
    /// # Errors
    /// Those of the medium.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    fn read_start(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.seek(SeekFrom::Start(0))?;
        let mut filled = 0;
        while filled < bytes.len() {
            match self.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The header of a file that exists. Its chunks are never touched.
///
/// Two at a time on one file destroy each other's slots: lock the file first, for example by [`File::lock`].
#[derive(Debug)]
pub struct HeaderFile<S> {
    header: Header,
    pub(super) storage: S,
}

impl<S: Storage> HeaderFile<S> {
    /// Reads the header.
    ///
    /// # Errors
    /// Those of the storage, and of [`Header::read`].
    pub fn open(mut storage: S) -> io::Result<Self> {
        let mut bytes = [0; HEADER_LEN];
        let n = storage.read_start(&mut bytes)?;
        Ok(Self { header: Header::read(&mut &bytes[..n])?, storage })
    }

    /// The header as it is now, to [`unlock`](Header::unlock).
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// As [`Header::add`], and durable.
    ///
    /// # Errors
    /// Those of [`Header::add`], with the file unchanged. Those of the storage: then the file opens as before, and
    /// perhaps by `secret`, too.
    pub fn add(&mut self, key: &DataKey, secret: Secret<'_>, cost: Cost) -> io::Result<usize> {
        self.add_up_to(key, secret, cost, MAX_SLOTS)
    }

    /// As [`Header::remove`], and durable.
    ///
    /// # Errors
    /// Those of [`Header::remove`], with the file unchanged. Those of the storage: then the slot may still open.
    pub fn remove(&mut self, place: usize) -> io::Result<()> {
        self.header.may_remove(place)?;
        self.storage.write_at(position(place), &[0])?;
        self.storage.sync()?;
        self.header.put(place, &[0; SECTOR]);
        self.wipe(place)
    }

    /// Adds a slot, and removes that in `place` when the new one is durable. Returns the number of the new one.
    ///
    /// # Errors
    /// Those of [`Header::add`], but six slots may be in use, and of [`Header::remove`] for an empty `place`, with
    /// the file unchanged. Those of the storage: then the old slot opens, the new one, or both.
    pub fn replace(&mut self, place: usize, key: &DataKey, secret: Secret<'_>, cost: Cost) -> io::Result<usize> {
        if self.header.slots().get(place).is_none_or(|slot| *slot == super::Slot::Empty) {
            return Err(super::HeaderError::NoSlot.into());
        }
        let new = self.add_up_to(key, secret, cost, PLACES)?;
        self.remove(place)?;
        Ok(new)
    }

    /// All but the kind, then the kind: one byte cannot be written in part.
    fn add_up_to(&mut self, key: &DataKey, secret: Secret<'_>, cost: Cost, most: usize) -> io::Result<usize> {
        let (place, slot) = self.header.prepare(key, secret, cost, most)?;
        self.wipe_leftovers()?;
        self.storage.write_at(position(place) + 1, &slot[1..])?;
        self.storage.sync()?;
        self.storage.write_at(position(place), &slot[..1])?;
        self.storage.sync()?;
        self.header.put(place, &slot);
        Ok(place)
    }

    /// What a crash may have left of a slot that was removed would open again if someone wrote its kind.
    fn wipe_leftovers(&mut self) -> io::Result<()> {
        let left = |slot: &Sector| slot[0] == 0 && !is_zero(slot);
        for place in (0..PLACES).filter(|place| left(self.header.slot(*place))).collect::<Vec<_>>() {
            self.wipe(place)?;
            self.header.put(place, &[0; SECTOR]);
        }
        Ok(())
    }

    fn wipe(&mut self, place: usize) -> io::Result<()> {
        self.storage.write_at(position(place) + 1, &[0; SECTOR - 1])?;
        self.storage.sync()
    }
}

fn position(place: usize) -> u64 {
    (SECTOR * (1 + place)) as u64
}
