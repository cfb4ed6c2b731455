//! Passphrases and key files, as commands take them.

use crate::output;
use crate::pick::UsageError;
use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use evariste_store::Suite;
use evariste_store::header::{Cost, HeaderError, Secret};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Bytes of a passphrase at most: more is a wrong file.
const LONGEST: usize = 4096;

/// What opens a file.
#[derive(clap::Args)]
pub(crate) struct Current {
    /// The key file that opens it; without it, a passphrase, from the terminal
    #[arg(short, long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,

    /// Read the passphrase from this file descriptor, up to the end of its first line; 0 is standard input
    #[arg(long, value_name = "N", conflicts_with = "key")]
    pub(crate) passphrase_fd: Option<u32>,
}

/// What shall open it from now on.
#[derive(clap::Args)]
pub(crate) struct New {
    /// The key file that shall open it; without it, a new passphrase, from the terminal
    #[arg(long, value_name = "KEY")]
    pub(crate) new_key: Option<PathBuf>,

    /// Read the new passphrase from this file descriptor; with the N of --passphrase-fd, from the line after
    #[arg(long, value_name = "N", conflicts_with = "new_key")]
    pub(crate) new_passphrase_fd: Option<u32>,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// What guessing a new passphrase shall take.
#[derive(clap::Args)]
pub(crate) struct Work {
    /// What trying a new passphrase takes, by Argon2id: MiB of memory, passes, lanes [default: 256,3,4]
    ///
    /// The default takes about a second, and memory that small machines have, too: they may have to open the file. With
    /// more it is harder to guess for whoever has a copy. 1024 MiB is the most.
    #[arg(long, value_name = "MIB,PASSES,LANES", value_parser = cost)]
    pub(crate) argon2: Option<Cost>,
}

impl Work {
    pub(crate) fn cost(&self) -> Cost {
        self.argon2.unwrap_or_default()
    }
}

/// A passphrase or key file that was read; wiped when dropped.
pub(crate) enum Held {
    Passphrase(Zeroizing<Vec<u8>>),
    Key(Key),
}

impl Held {
    pub(crate) fn secret(&self) -> Secret<'_> {
        match self {
            Self::Passphrase(bytes) => Secret::Passphrase(bytes),
            Self::Key(key) => Secret::KeyFile(&key.bytes),
        }
    }
}

/// Where the secrets of one command come from. Two may be lines of one file descriptor.
#[derive(Default)]
pub(crate) struct Secrets {
    open: Option<(u32, File)>,
}

impl Secrets {
    /// What opens `name`: a key file, a line of a file descriptor, or else what someone types.
    pub(crate) fn current(&mut self, key: Option<&Path>, fd: Option<u32>, name: &str) -> Result<Held> {
        self.read(key, fd, || ask(&format!("Passphrase of {name}: ")))
    }

    /// What shall open `name` from now on; from the terminal, it is asked for twice.
    pub(crate) fn new_one(&mut self, key: Option<&Path>, fd: Option<u32>, name: &str) -> Result<Held> {
        self.read(key, fd, || {
            let first = ask(&format!("New passphrase of {name}: "))?;
            // An empty one needs no repeating to be refused.
            ensure!(first.is_empty() || first == ask("The same again: ")?, "the two passphrases differ");
            Ok(first)
        })
    }

    fn read(
        &mut self,
        key: Option<&Path>,
        fd: Option<u32>,
        ask: impl FnOnce() -> Result<Zeroizing<Vec<u8>>>,
    ) -> Result<Held> {
        if let Some(path) = key {
            return Ok(Held::Key(Key::read(path)?));
        }
        let passphrase = match fd {
            Some(fd) => self.line(fd).with_context(|| format!("cannot read a passphrase from file descriptor {fd}"))?,
            None => ask()?,
        };
        ensure!(!passphrase.is_empty(), "the passphrase is empty");
        Ok(Held::Passphrase(passphrase))
    }

    /// The next line, without its end. A byte at a time: what follows is not ours.
    fn line(&mut self, fd: u32) -> Result<Zeroizing<Vec<u8>>> {
        let file = match self.open.take() {
            Some((open, file)) if open == fd => file,
            _ => descriptor(fd)?,
        };
        // Room for all of it, for a vector that grows leaves a copy behind.
        let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
        let mut bytes = Zeroizing::new([0]);
        loop {
            match (&file).read(&mut bytes[..]) {
                Ok(0) => break,
                Ok(_) if bytes[0] == b'\n' => break,
                Ok(_) => {
                    ensure!(line.len() < LONGEST, "its first line has more than {LONGEST} bytes");
                    line.push(bytes[0]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.open = Some((fd, file));
        Ok(line)
    }
}

/// From the terminal, whatever standard input is, without an echo.
fn ask(prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
    let typed = rpassword::prompt_password(prompt).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => anyhow!("interrupted"),
        _ => UsageError(format!(
            "no terminal to ask for a passphrase ({error}): name a key file, or a file descriptor to read from"
        ))
        .into(),
    })?;
    Ok(Zeroizing::new(typed.into_bytes()))
}

#[cfg(unix)]
fn descriptor(fd: u32) -> io::Result<File> {
    if fd == 0 { output::stdin() } else { File::open(format!("/dev/fd/{fd}")) }
}

#[cfg(not(unix))]
fn descriptor(fd: u32) -> io::Result<File> {
    if fd == 0 { output::stdin() } else { Err(io::ErrorKind::Unsupported.into()) }
}

/// A key file.
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    pub(crate) file: File,
}

impl Key {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot read the key {name}"))?;
        // Room to spare, for a vector that grows leaves a copy behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(128));
        (&file).take(33).read_to_end(&mut bytes).with_context(|| format!("cannot read the key {name}"))?;
        if Suite::of(&bytes).is_err() {
            let more = if bytes.len() > 32 { "more than 32".into() } else { bytes.len().to_string() };
            bail!("{name} is no key file: it must have 16 or 32 bytes and has {more}; see `evariste keygen`");
        }
        Ok(Self { name, bytes, file })
    }
}

/// What an error means for someone who has the program and a file of this name.
pub(crate) fn explain(error: io::Error, name: &str) -> Error {
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(HeaderError::Magic) => anyhow!("{name}: {error}: it is none of ours, or encrypted with --raw"),
        Some(HeaderError::DamagedSlots(_)) => anyhow!("{name}: {error}, or the passphrase or key file is wrong"),
        Some(HeaderError::NoSlot) => anyhow!("{name}: {error}; `evariste inspect` lists them"),
        _ => anyhow!("{name}: {error}"),
    }
}

fn cost(text: &str) -> Result<Cost, String> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let Some(&[memory, passes, lanes]) = numbers.as_deref() else {
        return Err("three numbers, such as 256,3,4".into());
    };
    Cost::new(memory.saturating_mul(1024), passes, lanes).map_err(|error| error.to_string())
}
