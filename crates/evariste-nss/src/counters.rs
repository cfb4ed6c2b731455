//! Counters that say what went through here, for tests and for whoever wonders: `EVARISTE_NSS_COUNTERS=FILE`.
//!
//! The file has a row of 64 bytes for each algorithm and direction: 48 of its name, filled with zeros, then operations and
//! bytes of text as numbers of 64 bits in the byte order of the machine. It is made if it is not there. All processes that
//! are given one file add to the same numbers; whoever starts anew takes another file. Only operations that succeeded
//! count. A file that holds something else is left as it is.

use crate::context::Direction;
use crate::system::{self, Shared};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a row, and of them the name; then two numbers.
const ROW: usize = 64;
const NAME: usize = 48;

/// What is counted.
#[derive(Clone, Copy)]
pub(crate) enum Algorithm {
    /// A context for one message.
    Gcm,
    /// A context for many messages.
    GcmMessage,
    Ctr,
    Ecb,
}

const NAMES: [&str; 8] = [
    "aes-gcm seal",
    "aes-gcm open",
    "aes-gcm-message seal",
    "aes-gcm-message open",
    "aes-ctr encrypt",
    "aes-ctr decrypt",
    "aes-ecb encrypt",
    "aes-ecb decrypt",
];

static FILE: OnceLock<Option<Shared>> = OnceLock::new();

/// Opens the file, if there is to be one.
pub(crate) fn open() {
    FILE.get_or_init(|| {
        let path = system::variable(c"EVARISTE_NSS_COUNTERS").filter(|path| !path.is_empty())?;
        match map(path.as_ref()) {
            Ok(file) => Some(file),
            Err(error) => {
                system::note(&format!("no counters in {}: {error}", path.display()));
                None
            }
        }
    });
}

/// One operation more, on so many bytes.
#[inline]
pub(crate) fn add(algorithm: Algorithm, direction: Direction, bytes: usize) {
    let Some(Some(file)) = FILE.get() else { return };
    let row = 2 * algorithm as usize + (direction == Direction::Decrypt) as usize;
    let at = (ROW * row + NAME) / 8;
    file.numbers()[at].fetch_add(1, Relaxed);
    file.numbers()[at + 1].fetch_add(bytes as u64, Relaxed);
}

/// The rows as they are in a file in which nothing was counted.
fn rows() -> Vec<u8> {
    let mut rows = vec![0; ROW * NAMES.len()];
    for (row, name) in rows.chunks_mut(ROW).zip(NAMES) {
        row[..name.len()].copy_from_slice(name.as_bytes());
    }
    rows
}

fn map(path: &std::path::Path) -> std::io::Result<Shared> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let (new, mut there) = (rows(), Vec::new());
    (&mut file).take(new.len() as u64 + 1).read_to_end(&mut there)?;
    let is_ours = there.len() == new.len()
        && there.chunks(ROW).zip(new.chunks(ROW)).all(|(there, new)| there[..NAME] == new[..NAME]);
    if there.is_empty() {
        // Another process may do the same at this moment: of equal bytes, and of no numbers.
        for (n, row) in new.chunks(ROW).enumerate() {
            file.write_all_at(&row[..NAME], (ROW * n) as u64)?;
        }
        file.set_len(new.len() as u64)?;
        file.flush()?;
    } else if !is_ours {
        return Err(std::io::Error::other("it holds something else"));
    }
    Shared::new(&file, new.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_places() {
        let rows = rows();
        assert!(NAMES.iter().all(|name| name.len() < NAME));
        for (n, name) in NAMES.iter().enumerate() {
            assert!(rows[ROW * n..].starts_with(name.as_bytes()));
        }
        assert!(NAMES[2 * Algorithm::Gcm as usize].starts_with("aes-gcm seal"));
        assert!(NAMES[2 * Algorithm::GcmMessage as usize].starts_with("aes-gcm-message seal"));
        assert!(NAMES[2 * Algorithm::Ctr as usize + 1].starts_with("aes-ctr decrypt"));
        assert!(NAMES[2 * Algorithm::Ecb as usize + 1].starts_with("aes-ecb decrypt"));
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
            assert_eq!(shared.numbers()[6].fetch_add(3, Relaxed), 3 * count);
        }
        let bytes = std::fs::read(&path).expect("made above");
        assert_eq!((bytes.len(), bytes[48]), (512, if cfg!(target_endian = "little") { 6 } else { 0 }));
        std::fs::remove_file(&path).expect("made above");
    }
}
