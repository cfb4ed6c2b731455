//! Where a command's bytes go: standard output, or a file that appears whole or not at all.

mod directory;
mod temporary;

use crate::pick::UsageError;
use anyhow::{Context, Result, bail};
pub(crate) use directory::TemporaryDirectory;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use temporary::Temporary;

/// What `-o` names.
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

/// What to do about a file of that name.
#[derive(Clone, Copy)]
pub(crate) enum Existing {
    /// Fail, with this advice.
    Keep(&'static str),
    Replace,
}

impl Target {
    /// None, and "-", are standard output, unless that is a terminal, which such bytes could upset.
    pub(crate) fn new(output: Option<PathBuf>) -> Result<Self> {
        match output.filter(|path| path != Path::new("-")) {
            Some(path) => Ok(Self::File(path)),
            None if io::stdout().is_terminal() => {
                Err(UsageError("no binary data to a terminal: add -o FILE, or redirect to a file or a pipe".into())
                    .into())
            }
            None => Ok(Self::Stdout),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// Bytes on their way to a [`Target`]. Dropped without [`commit`](Self::commit), it leaves no file.
pub(crate) enum Output {
    Stdout(File),
    File(Temporary),
}

impl Output {
    /// A new file gets `mode`, less the umask, where there is such a thing.
    pub(crate) fn create(target: &Target, mode: u32, existing: Existing) -> Result<Self> {
        let path = match target {
            Target::Stdout => return Ok(Self::Stdout(stdout()?)),
            Target::File(path) => path,
        };
        let temporary = match (fs::metadata(path), existing) {
            (Ok(found), _) if found.is_dir() => bail!("{target} is a directory: name a file in it"),
            (Ok(found), _) if !found.is_file() => bail!("{target} is not a regular file: use > instead of -o"),
            (Ok(_), Existing::Keep(advice)) => bail!("{target} exists already: {advice}"),
            // What a symbolic link leads to gets replaced, not the link.
            (Ok(_), Existing::Replace) => fs::canonicalize(path).and_then(|path| Temporary::create(path, mode, true)),
            (Err(_), _) if path.is_symlink() => bail!("{target} is a symbolic link that leads nowhere: remove it"),
            (Err(_), _) => Temporary::create(path.clone(), mode, false),
        };
        Ok(Self::File(temporary.with_context(|| format!("cannot create {target}"))?))
    }

    /// The file, where bytes can go to any place of it.
    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Self::Stdout(_) => None,
            Self::File(temporary) => Some(temporary.file()),
        }
    }

    /// Gives the file its name, once its bytes are safe on the disk.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Self::Stdout(_) => Ok(()),
            Self::File(temporary) => temporary.commit(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(file) => file.write(data),
            Self::File(temporary) => temporary.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The exit code of a command that ends so. Whoever stops reading a pipe needs no message.
pub(crate) fn exit_code(result: Result<()>) -> Result<ExitCode> {
    let is_broken_pipe = |error: &anyhow::Error| {
        error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    match result {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::FAILURE),
        Err(error) => Err(error),
    }
}

/// Standard input without a buffer in between.
#[cfg(unix)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Standard output without a buffer in between.
#[cfg(unix)]
pub(crate) fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// Standard input without a buffer in between.
#[cfg(windows)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Standard output without a buffer in between.
#[cfg(windows)]
pub(crate) fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}
