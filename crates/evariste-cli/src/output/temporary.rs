//! A file without its name yet, which goes when the command fails or is interrupted.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// What an interrupt has to remove.
static PENDING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Written beside the file it is to become, so that a rename is enough. A command has one at most.
pub(crate) struct Temporary {
    file: NamedTempFile,
    path: PathBuf,
    replace: bool,
}

impl Temporary {
    pub(crate) fn create(path: PathBuf, mode: u32, replace: bool) -> io::Result<Self> {
        #[cfg(unix)]
        remove_when_interrupted()?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".evariste-").suffix(".tmp");
        #[cfg(unix)]
        builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
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
        Ok(Self { file, path, replace })
    }

    pub(crate) fn commit(self) -> io::Result<()> {
        let Self { file, path, replace } = self;
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
        self.file.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn pending() -> MutexGuard<'static, Option<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the new name last. Elsewhere than on Unix, directories cannot be opened for that.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(directory)?.sync_all() } else { Ok(()) }
}

/// SIGINT and SIGTERM end the program as ever, so that a shell's loop ends too, but first the file goes.
/// SIGHUP is left alone: `nohup` has it ignored, and a handler would undo that.
#[cfg(unix)]
fn remove_when_interrupted() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // Held to the end: nothing is created or renamed from here on.
            let pending = pending();
            if let Some(path) = &*pending {
                // It may be gone already; there is nobody left to tell.
                let _ = fs::remove_file(path);
            }
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}
