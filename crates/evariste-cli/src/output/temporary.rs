//! A file without its name yet, which goes when the command fails or is interrupted.

#[cfg(unix)]
pub(super) mod signals;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// What an interrupt has to remove.
static PENDING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Written beside the file it is to become, so that a rename is enough. A command has one file or directory at most.
pub(crate) struct Temporary {
    file: NamedTempFile,
    path: PathBuf,
    mode: u32,
    replace: bool,
}

impl Temporary {
    /// Until it is complete nobody but its owner can read it; then it gets `mode`, less the umask.
    pub(crate) fn create(path: PathBuf, mode: u32, replace: bool) -> io::Result<Self> {
        #[cfg(unix)]
        signals::remove_when_interrupted()?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".evariste-").suffix(".tmp");
        // From here to the end no interrupt can come in between.
        let mut pending = pending();
        let file = builder.tempfile_in(directory(&path)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(error.kind(), format!("there is no directory {}", directory(&path).display()))
            }
            // Without the random name, which tells nobody anything.
            kind => kind.into(),
        })?;
        *pending = Some(file.path().to_owned());
        Ok(Self { file, path, mode, replace })
    }

    pub(crate) fn file(&self) -> &fs::File {
        self.file.as_file()
    }

    pub(crate) fn commit(self) -> io::Result<()> {
        let Self { file, path, mode, replace } = self;
        widen(file.as_file(), mode);
        file.as_file().sync_all()?;
        {
            let mut pending = pending();
            let named = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
            named.map_err(|failed| failed.error)?;
            *pending = None;
        }
        sync_directory(directory(&path))
    }
}

impl Write for Temporary {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        // The file itself: errors of the other have the random name in them.
        self.file.as_file().write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file().flush()
    }
}

pub(super) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn pending() -> MutexGuard<'static, Option<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the new name last. Elsewhere than on Unix, directories cannot be opened for that.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Gives a file the mode that it would have had from the start.
#[cfg(unix)]
fn widen(file: &fs::File, mode: u32) {
    use rustix::fs::{Mode, RawMode, fchmod};
    use rustix::process::umask;
    // It can only be read by setting it; no other thread creates files.
    let mask = umask(Mode::RWXG | Mode::RWXO);
    umask(mask);
    // Some file systems have no modes, and say so; the file is right all the same.
    let _ = fchmod(file, Mode::from_raw_mode(mode as RawMode) & !mask);
}

#[cfg(not(unix))]
fn widen(_: &fs::File, _: u32) {}
