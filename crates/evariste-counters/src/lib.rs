//! How much was encrypted and decrypted, for checks of other people's programs: a file that processes share.
//!
//! It is mapped: processes that fork, lose their rights, change their root or leave by `_exit` go on counting, and as many
//! as want to add to one file.
//!
//! A file is a header and a record for each algorithm, all of 64 bytes. Numbers are in the byte order of the machine.
//!
//! | at | header | |
//! |---|---|---|
//! | 0 | 8 bytes | `evariste` |
//! | 8 | u32 | 1, the version; 2^24 if the byte order is another one |
//! | 12 | u32 | 64, the length of a record |
//! | 16 | u32 | number of records |
//! | 20 | | zeros |
//!
//! | at | record | |
//! |---|---|---|
//! | 0 | 32 bytes | name of the algorithm as `AES-128-GCM`, zeros behind |
//! | 32 | u64 | calls of encryption |
//! | 40 | u64 | bytes of text encrypted |
//! | 48 | u64 | calls of decryption |
//! | 56 | u64 | bytes of text decrypted |
//!
//! Which calls count is the writer's affair.
#![deny(unsafe_code)]

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;
use std::time::Duration;

const MAGIC: &[u8; 8] = b"evariste";
const VERSION: u32 = 1;
const RECORD: usize = 64;
const NAME: usize = 32;

/// What was done with an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The algorithm, as `AES-128-GCM`.
    pub algorithm: String,
    /// What was encrypted.
    pub encrypted: Work,
    /// What was decrypted.
    pub decrypted: Work,
}

/// What a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It encrypted.
    Encrypt,
    /// It decrypted.
    Decrypt,
}

/// How much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Calls.
    pub operations: u64,
    /// Bytes of text.
    pub bytes: u64,
}

/// Reads a file of counters, of a machine of either byte order.
///
/// # Errors
/// Those of reading, and [`ErrorKind::InvalidData`] for a file that is none.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Counter>> {
    parse(&std::fs::read(path)?).ok_or_else(none)
}

fn none() -> Error {
    Error::new(ErrorKind::InvalidData, "not a file of evariste's counters")
}

fn parse(file: &[u8]) -> Option<Vec<Counter>> {
    let (header, records) = file.split_at_checked(RECORD)?;
    let is_swapped = u32::from_ne_bytes(*header[8..].first_chunk()?) != VERSION;
    let number = |at: usize| {
        let number = u32::from_ne_bytes(*header[at..].first_chunk()?);
        Some(if is_swapped { number.swap_bytes() } else { number })
    };
    let is_ours = header.starts_with(MAGIC) && number(8)? == VERSION && number(12)? == RECORD as u32;
    let (records, rest) = records.as_chunks::<RECORD>();
    if !is_ours || !rest.is_empty() || records.len() as u64 != number(16)? as u64 {
        return None;
    }
    let records = records.iter().map(|record| {
        let (name, numbers) = record.split_at(NAME);
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let mut numbers = numbers.as_chunks().0.iter().map(|number| {
            let number = u64::from_ne_bytes(*number);
            if is_swapped { number.swap_bytes() } else { number }
        });
        let mut work = || Some(Work { operations: numbers.next()?, bytes: numbers.next()? });
        Some(Counter { algorithm: String::from_utf8_lossy(name).into_owned(), encrypted: work()?, decrypted: work()? })
    });
    records.collect()
}

/// Waits for those who are making the file; who holds it for longer than that is none of us.
fn lock(file: &File) -> Result<()> {
    for _ in 0..100 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            done => return done.map_err(Error::from),
        }
    }
    Err(ErrorKind::WouldBlock.into())
}

/// A new file.
fn image(names: &[&str]) -> Vec<u8> {
    let mut image = vec![0; RECORD * (1 + names.len())];
    image[..8].copy_from_slice(MAGIC);
    for (at, number) in [(8, VERSION), (12, RECORD as u32), (16, names.len() as u32)] {
        image[at..][..4].copy_from_slice(&number.to_ne_bytes());
    }
    for (record, name) in image[RECORD..].as_chunks_mut::<RECORD>().0.iter_mut().zip(names) {
        record[..name.len()].copy_from_slice(name.as_bytes());
    }
    image
}

/// A file that is being counted in, with a record for each of the names.
#[derive(Debug)]
pub struct Counters {
    map: memmap2::MmapRaw,
    names: &'static [&'static str],
}

impl Counters {
    /// Takes a file that was opened for reading and writing, and fills it if it is empty. Names have at most 32 bytes.
    ///
    /// # Errors
    /// What locking and mapping can, and [`ErrorKind::InvalidData`] for a file that is something else: it is not touched.
    pub fn new(mut file: File, names: &'static [&'static str]) -> Result<Self> {
        if cfg!(not(target_has_atomic = "64")) {
            return Err(Error::new(ErrorKind::Unsupported, "this CPU adds no numbers of 64 bits"));
        }
        // A pipe would never end.
        if !file.metadata()?.is_file() {
            return Err(none());
        }
        // Another process may be about to make it.
        lock(&file)?;
        let (new, mut there) = (image(names), Vec::new());
        (&file).take(new.len() as u64 + 1).read_to_end(&mut there)?;
        match there.len() {
            0 => file.write_all(&new)?,
            _ => {
                let ours = parse(&there).ok_or_else(none)?;
                let is_same =
                    there[..12] == new[..12] && ours.iter().map(|c| &c.algorithm[..]).eq(names.iter().copied());
                if !is_same {
                    return Err(none());
                }
            }
        }
        // A map keeps the lock, as long as it is there.
        file.unlock()?;
        let map = memmap2::MmapRaw::map_raw(&file)?;
        if map.len() < new.len() {
            return Err(none());
        }
        Ok(Self { map, names })
    }

    /// Counts a call with the algorithm of a record.
    pub fn add(&self, record: usize, direction: Direction, bytes: usize) {
        let first = if direction == Direction::Encrypt { 0 } else { 2 };
        add(self.number(record, first), 1);
        add(self.number(record, first + 1), bytes as u64);
    }

    /// The numbers as they are now.
    pub fn now(&self) -> Vec<Counter> {
        let work = |n, at| Work { operations: load(self.number(n, at)), bytes: load(self.number(n, at + 1)) };
        let counters = self.names.iter().enumerate();
        counters
            .map(|(n, name)| Counter { algorithm: (*name).into(), encrypted: work(n, 0), decrypted: work(n, 2) })
            .collect()
    }

    /// One of the four numbers of a record.
    #[allow(unsafe_code)]
    fn number(&self, record: usize, number: usize) -> &Number {
        let at = RECORD * (1 + record % self.names.len()) + NAME + 8 * (number % 4);
        // SAFETY: within the map, which `new` has measured, and aligned, since a map is; atomic, so that it may change
        // at any time. Who cuts the file off under us ends the process, as with any map.
        unsafe { &*self.map.as_mut_ptr().add(at).cast::<Number>() }
    }
}

#[cfg(target_has_atomic = "64")]
type Number = std::sync::atomic::AtomicU64;

#[cfg(target_has_atomic = "64")]
fn add(number: &Number, more: u64) {
    number.fetch_add(more, std::sync::atomic::Ordering::Relaxed);
}

#[cfg(target_has_atomic = "64")]
fn load(number: &Number) -> u64 {
    number.load(std::sync::atomic::Ordering::Relaxed)
}

// Nothing is opened there.
#[cfg(not(target_has_atomic = "64"))]
type Number = std::sync::atomic::AtomicU32;

#[cfg(not(target_has_atomic = "64"))]
fn add(_: &Number, _: u64) {}

#[cfg(not(target_has_atomic = "64"))]
fn load(_: &Number) -> u64 {
    0
}

#[cfg(all(test, target_has_atomic = "64"))]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["AES-128-GCM", "AES-256-GCM", "AES-128-CTR"];
    const SIZE: usize = RECORD * (1 + NAMES.len());

    fn open(path: &Path) -> Result<Counters> {
        Counters::new(File::options().read(true).write(true).create(true).truncate(false).open(path)?, NAMES)
    }

    #[test]
    fn several_add_to_one_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("counters");
        let [one, other] = [(); 2].map(|()| open(&path).expect("made or found"));
        one.add(0, Direction::Encrypt, 100);
        other.add(0, Direction::Encrypt, 11);
        other.add(NAMES.len() - 1, Direction::Decrypt, 7);
        drop(one);
        let read = read(&path).expect("a file");
        assert_eq!(read, other.now());
        assert_eq!(read[0].algorithm, "AES-128-GCM");
        assert_eq!(read[0].encrypted, Work { operations: 2, bytes: 111 });
        assert_eq!(read[NAMES.len() - 1].decrypted, Work { operations: 1, bytes: 7 });
        assert_eq!(read.iter().filter(|c| c.encrypted == Work::default()).count(), NAMES.len() - 1);
    }

    #[test]
    fn other_byte_order() {
        let mut image = image(NAMES);
        for at in [8, 12, 16] {
            image[at..at + 4].reverse();
        }
        image[RECORD + NAME..][..8].copy_from_slice(&5u64.swap_bytes().to_ne_bytes());
        let read = parse(&image).expect("counters");
        assert_eq!((read.len(), read[0].encrypted.operations), (NAMES.len(), 5));
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("foreign");
        std::fs::write(&path, &image).expect("written");
        assert!(open(&path).is_err());
    }

    #[test]
    fn other_files_are_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("other");
        for len in [1, 64, SIZE - 1, SIZE, SIZE + 64] {
            std::fs::write(&path, vec![7; len]).expect("written");
            assert!(open(&path).is_err() && read(&path).is_err());
            assert_eq!(std::fs::read(&path).expect("there"), vec![7; len]);
        }
        assert!(read(dir.path().join("none")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_not_waited_for() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("runs").success());
        assert_eq!(open(&path).expect_err("a pipe").kind(), ErrorKind::InvalidData);
    }
}
