//! Counters that say what went through here, for tests and for whoever wonders: `EVARISTE_NSS_COUNTERS=FILE`.
//!
//! The file is made if it is not there, and all processes that are given one file add to the same numbers: its form stands
//! in `crates/evariste-counters`. Only calls that succeeded count. A file that holds something else is left as it is.

use crate::context::Direction;
use crate::system;
use evariste_counters::Counters;
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

/// What is counted.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Gcm,
    Ctr,
    Ecb,
}

/// By mode and length of key.
const NAMES: &[&str] = &[
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

static FILE: OnceLock<Option<Counters>> = OnceLock::new();

/// Opens the file, if there is to be one.
pub(crate) fn open() {
    FILE.get_or_init(|| {
        let path = evariste::cpu::switch("EVARISTE_NSS_COUNTERS").filter(|path| !path.is_empty())?;
        let opened = map(path.as_ref());
        opened.inspect_err(|error| system::note(&format!("no counters in {}: {error}", path.display()))).ok()
    });
}

/// One call more, with a key of so many bytes, on so many bytes of text.
#[inline]
pub(crate) fn add(mode: Mode, key_len: usize, direction: Direction, bytes: usize) {
    let Some(Some(file)) = FILE.get() else { return };
    let direction = match direction {
        Direction::Encrypt => evariste_counters::Direction::Encrypt,
        Direction::Decrypt => evariste_counters::Direction::Decrypt,
    };
    file.add(record(mode, key_len), direction, bytes);
}

/// Which record it is.
fn record(mode: Mode, key_len: usize) -> usize {
    3 * mode as usize + (key_len.clamp(16, 32) - 16) / 8
}

fn map(path: &Path) -> Result<Counters> {
    let file = File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    Counters::new(file, NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_places() {
        for (mode, mode_name) in [(Mode::Gcm, "GCM"), (Mode::Ctr, "CTR"), (Mode::Ecb, "ECB")] {
            for len in [16, 24, 32] {
                assert_eq!(NAMES[record(mode, len)], format!("AES-{}-{mode_name}", 8 * len));
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
            assert_eq!(shared.now()[0].encrypted.operations, 3 * count);
            (0..3).for_each(|_| shared.add(0, evariste_counters::Direction::Encrypt, 0));
        }
        let bytes = std::fs::read(&path).expect("made above");
        assert_eq!((bytes.len(), &bytes[96..104]), (640, &6u64.to_ne_bytes()[..]));
        std::fs::remove_file(&path).expect("made above");
    }
}
