//! A directory without its name yet, which goes when the command fails or is interrupted.

use super::temporary::{directory, pending, sync_directory};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Filled beside the one it is to become, so that a rename is enough.
pub(crate) struct TemporaryDirectory {
    made: TempDir,
    path: PathBuf,
}

impl TemporaryDirectory {
    /// # Errors
    /// If there is something at `path`: nothing is replaced, nor filled up.
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        let name = path.display().to_string();
        if path.symlink_metadata().is_ok() {
            bail!("{name} exists already: name a directory that does not");
        }
        let create = || {
            #[cfg(unix)]
            super::temporary::signals::remove_when_interrupted()?;
            let mut pending = pending();
            let made = tempfile::Builder::new().prefix(".evariste-").suffix(".tmp").tempdir_in(directory(&path))?;
            *pending = Some(made.path().to_owned());
            std::io::Result::Ok(made)
        };
        // Without the random name, which tells nobody anything.
        let made = create().map_err(|error| std::io::Error::from(error.kind()));
        Ok(Self { made: made.with_context(|| format!("cannot create {name}"))?, path })
    }

    pub(crate) fn path(&self) -> &Path {
        self.made.path()
    }

    /// Gives it its name, once all in it is safe on the disk.
    pub(crate) fn commit(self) -> std::io::Result<()> {
        let Self { made, path } = self;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(fs::File::open(made.path())?)?;
        {
            let mut pending = pending();
            fs::rename(made.path(), &path)?;
            *pending = None;
        }
        // It is not there any more under the name that would be removed.
        let _ = made.keep();
        sync_directory(directory(&path))
    }
}
