//! Counters that say what went through here, for tests and for whoever wonders: `EVARISTE_NSS_COUNTERS=FILE`.
//!
//! The file is made if it is not there, and mapped: all processes that are given one file add to the same numbers. Its form
//! is that of evariste-openssl's counters, so that one reader reads both. Numbers are in the byte order of the machine.
//!
//! | at | header | |
//! |---|---|---|
//! | 0 | 8 bytes | `evariste` |
//! | 8 | u32 | 1, the version |
//! | 12 | u32 | 64, the length of header and records |
//! | 16 | u32 | number of records |
//!
//! | at | record | |
//! |---|---|---|
//! | 0 | 32 bytes | name of the algorithm as `AES-128-GCM`, zeros behind |
//! | 32 | u64 | calls that encrypted |
//! | 40 | u64 | bytes of text encrypted |
//! | 48 | u64 | calls that decrypted |
//! | 56 | u64 | bytes of text decrypted |
//!
//! Only calls that succeeded count. A file that holds something else is left as it is.

use crate::context::Direction;
use crate::system::{self, Shared};
use std::fs::File;
use std::io::{Error, Read, Result, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

const RECORD: usize = 64;
const NAME: usize = 32;

/// What is counted.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Gcm,
    Ctr,
    Ecb,
}

/// By mode and length of key.
const NAMES: [&str; 9] = [
    "AES-128-GCM",
    "AES-192-GCM",
    "AES-256-GCM",
    "AES-128-CTR",
    "AES-192-CTR",
    "AES-256-CTR",
    "AES-128-ECB",
    "AES-192-ECB",
    "AES-256-ECB",
];

static FILE: OnceLock<Option<Shared>> = OnceLock::new();

/// Opens the file, if there is to be one.
pub(crate) fn open() {
    FILE.get_or_init(|| {
        let path = system::variable(c"EVARISTE_NSS_COUNTERS").filter(|path| !path.is_empty())?;
        let opened = map(path.as_ref());
        opened.inspect_err(|error| system::note(&format!("no counters in {}: {error}", path.display()))).ok()
    });
}

/// One call more, with a key of so many bytes, on so many bytes of text.
#[inline]
pub(crate) fn add(mode: Mode, key_len: usize, direction: Direction, bytes: usize) {
    let Some(Some(file)) = FILE.get() else { return };
    let at = place(mode, key_len, direction);
    file.numbers()[at].fetch_add(1, Relaxed);
    file.numbers()[at + 1].fetch_add(bytes as u64, Relaxed);
}

/// Where the numbers stand, counted in numbers.
fn place(mode: Mode, key_len: usize, direction: Direction) -> usize {
    let record = 3 * mode as usize + (key_len.clamp(16, 32) - 16) / 8;
    let direction = if direction == Direction::Encrypt { 0 } else { 16 };
    (RECORD * (1 + record) + NAME + direction) / 8
}

/// The file in which nothing was counted.
fn image() -> Vec<u8> {
    let mut image = vec![0; RECORD * (1 + NAMES.len())];
    let (header, records) = image.split_at_mut(RECORD);
    header[..8].copy_from_slice(b"evariste");
    for (n, number) in [1, RECORD as u32, NAMES.len() as u32].into_iter().enumerate() {
        header[8 + 4 * n..][..4].copy_from_slice(&number.to_ne_bytes());
    }
    for (record, name) in records.chunks_mut(RECORD).zip(NAMES) {
        record[..name.len()].copy_from_slice(name.as_bytes());
    }
    image
}

fn map(path: &Path) -> Result<Shared> {
    let mut file = File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    // Another process may be about to make it.
    file.lock()?;
    let (new, mut there) = (image(), Vec::new());
    (&mut file).take(new.len() as u64 + 1).read_to_end(&mut there)?;
    let is_ours = there.len() == new.len()
        && there[..RECORD] == new[..RECORD]
        && there.chunks(RECORD).zip(new.chunks(RECORD)).all(|(there, new)| there[..NAME] == new[..NAME]);
    if there.is_empty() {
        file.write_all(&new)?;
    } else if !is_ours {
        return Err(Error::other("it holds something else"));
    }
    // A map keeps the lock, as long as it is there.
    file.unlock()?;
    Shared::new(&file, new.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_places() {
        let image = image();
        for (mode, mode_name) in [(Mode::Gcm, "GCM"), (Mode::Ctr, "CTR"), (Mode::Ecb, "ECB")] {
            for len in [16, 24, 32] {
                let at = 8 * place(mode, len, Direction::Encrypt);
                assert_eq!(at + 16, 8 * place(mode, len, Direction::Decrypt));
                let name = format!("AES-{}-{mode_name}\0", 8 * len);
                assert!(image[at - NAME..].starts_with(name.as_bytes()), "{name}");
            }
        }
    }

    #[test]
    fn files_of_others_stay() {
        let path = std::env::temp_dir().join(format!("evariste-nss-counters-{}", std::process::id()));
        std::fs::write(&path, b"something else").expect("a directory for such files");
        assert!(map(&path).is_err());
        assert_eq!(std::fs::read(&path).expect("written above"), b"something else");
        std::fs::remove_file(&path).expect("written above");
        for count in 0..2 {
            let shared = map(&path).expect("a new file, and again");
            assert_eq!(shared.numbers()[12].fetch_add(3, Relaxed), 3 * count);
        }
        let bytes = std::fs::read(&path).expect("made above");
        assert_eq!((bytes.len(), &bytes[96..104]), (640, &6u64.to_ne_bytes()[..]));
        std::fs::remove_file(&path).expect("made above");
    }
}
