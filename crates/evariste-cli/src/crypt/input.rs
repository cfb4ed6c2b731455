//! What is read: the file to work on.

use crate::output::{self, Target};
use crate::pick::UsageError;
use crate::secret::Key;
use anyhow::{Context, Result, ensure};
use same_file::Handle;
use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file to encrypt or decrypt, or standard input.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) file: File,
    /// Where that is known, as it is of regular files: the place of the first byte to read.
    pub(crate) start: Option<u64>,
    /// And how many there are.
    pub(crate) len: Option<u64>,
    /// When a regular file was written last.
    written: Option<SystemTime>,
    /// Who may read and write it, where that can be asked; nobody is to be kept from using a pipe.
    pub(crate) mode: u32,
}

impl Input {
    /// # Errors
    /// For people; a directory is one, see [`is_directory`].
    pub(crate) fn open(path: Option<PathBuf>) -> Result<Self> {
        let path = path.filter(|path| path != Path::new("-"));
        // Windows does not open it.
        let named = is_directory(path.as_deref());
        let (name, file) = match path {
            Some(path) => (path.display().to_string(), File::open(path)),
            None => ("standard input".into(), output::stdin()),
        };
        let directory = format!("{name} is a directory: pack it first, for example with tar");
        ensure!(!named, directory);
        let opened = file.and_then(|file| {
            let found = metadata(&file)?;
            let regular = found.as_ref().filter(|found| found.is_file());
            // Standard input may have been read in part.
            let start = if regular.is_some() { Some((&file).stream_position()?) } else { None };
            Ok((file, start, found))
        });
        let (file, start, found) = opened.with_context(|| format!("cannot read {name}"))?;
        ensure!(!found.as_ref().is_some_and(Metadata::is_dir), directory);
        let regular = found.filter(Metadata::is_file);
        let len = regular.as_ref().zip(start).map(|(found, start)| found.len().saturating_sub(start));
        let mode = regular.as_ref().map_or(0o666, mode);
        Ok(Self { name, file, start, len, written: regular.and_then(|found| found.modified().ok()), mode })
    }

    /// # Errors
    /// If it is another file than it was when it was opened: what was read is neither.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let Some(len) = self.len else { return Ok(()) };
        let found = self.file.metadata().with_context(|| format!("cannot read {}", self.name))?;
        let is_same =
            found.len().checked_sub(self.start.unwrap_or(0)) == Some(len) && found.modified().ok() == self.written;
        ensure!(is_same, "{} changed while it was read; nothing was written", self.name);
        Ok(())
    }
}

/// Whether this names a directory.
pub(crate) fn is_directory(path: Option<&Path>) -> bool {
    path.is_some_and(Path::is_dir)
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
pub(crate) fn refuse_same(target: &Target, input: Option<&Input>, key: Option<&Key>) -> Result<()> {
    let input = input.map(|input| ("input", &input.file));
    for (part, file) in input.into_iter().chain(key.map(|key| ("key", &key.file))) {
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
