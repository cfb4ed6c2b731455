//! What is read: the file to work on.

use crate::output::{self, Target};
use crate::pick::UsageError;
use crate::secret::Key;
use anyhow::{Context, Result, ensure};
use same_file::Handle;
use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// The file to encrypt or decrypt, or standard input.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) file: File,
    /// Bytes to read, where that is known.
    pub(super) len: Option<u64>,
    /// Who may read and write it, where that can be asked; nobody is to be kept from using a pipe.
    pub(super) mode: u32,
}

impl Input {
    pub(super) fn open(path: Option<PathBuf>) -> Result<Self> {
        let path = path.filter(|path| path != Path::new("-"));
        // Windows does not open it.
        let named = path.as_deref().is_some_and(Path::is_dir);
        let (name, file) = match path {
            Some(path) => (path.display().to_string(), File::open(path)),
            None => ("standard input".into(), output::stdin()),
        };
        let directory = format!("{name} is a directory: pack it first, for example with tar");
        ensure!(!named, directory);
        let opened = file.and_then(|file| {
            let found = metadata(&file)?;
            let len = match &found {
                // Standard input may have been read in part.
                Some(found) if found.is_file() => Some(found.len().saturating_sub((&file).stream_position()?)),
                _ => None,
            };
            Ok((file, len, found))
        });
        let (file, len, found) = opened.with_context(|| format!("cannot read {name}"))?;
        ensure!(!found.as_ref().is_some_and(Metadata::is_dir), directory);
        let mode = found.filter(Metadata::is_file).map_or(0o666, |found| mode(&found));
        Ok(Self { name, file, len, mode })
    }
}

/// What a file is. Windows says nothing of pipes and devices.
fn metadata(file: &File) -> io::Result<Option<Metadata>> {
    const ERROR_INVALID_FUNCTION: i32 = 1;
    match file.metadata() {
        Err(error) if cfg!(windows) && error.raw_os_error() == Some(ERROR_INVALID_FUNCTION) => Ok(None),
        found => found.map(Some),
    }
}

#[cfg(unix)]
fn mode(found: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o666
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0o666
}

/// Writing to what is being read loses it, or never ends.
pub(super) fn refuse_same(target: &Target, input: &Input, key: &Key) -> Result<()> {
    for (part, file) in [("input", &input.file), ("key", &key.file)] {
        if is_same(target, file).with_context(|| format!("cannot compare {target} with the {part}"))? {
            return Err(UsageError(format!("{target} is also the {part}: write to another file")).into());
        }
    }
    Ok(())
}

/// Devices and pipes may well be used for both.
fn is_same(target: &Target, file: &File) -> io::Result<bool> {
    let regular = |file: &File| metadata(file).map(|found| found.is_some_and(|found| found.is_file()));
    let target = match target {
        Target::File(path) if path.is_file() => File::open(path)?,
        Target::File(_) => return Ok(false),
        Target::Stdout => output::stdout()?,
    };
    Ok(regular(&target)? && regular(file)? && Handle::from_file(target)? == Handle::from_file(file.try_clone()?)?)
}
