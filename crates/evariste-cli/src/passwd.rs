//! `evariste passwd`.

use crate::output;
use crate::secret::{Current, New, Secrets, explain};
use anyhow::{Context, Result, anyhow, bail};
use evariste_store::header::{HeaderError, HeaderFile};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Change the passphrase or key file of an encrypted file
///
/// What opens FILE is replaced by something new. With --add both open it from then on, with --remove what
/// opens it now no longer does. Up to six passphrases and key files open a file.
///
/// Only the header of 4096 bytes is written, whatever the length of FILE, and a crash at any moment leaves a
/// file that opens by the old or the new secret, or by both: then repeat the command.
///
/// The key of the data stays the same. An old copy of FILE still opens by the old passphrase: where someone
/// must not read the file any more, decrypt it and encrypt it anew.
#[derive(clap::Args)]
#[command(after_help = "Examples: evariste passwd photo.evr\n          \
                        evariste passwd --add --new-key my.key photo.evr")]
pub(crate) struct Args {
    /// Let something new open FILE beside what opens it now
    #[arg(long)]
    add: bool,

    /// Let what opens FILE now no longer do so, which only goes if something else does
    #[arg(long, conflicts_with_all = ["add", "new_key", "new_passphrase_fd", "argon2"])]
    remove: bool,

    /// With --remove: what is in this slot instead; `evariste inspect` lists them
    #[arg(long, value_name = "N", requires = "remove")]
    slot: Option<usize>,

    #[command(flatten)]
    current: Current,

    #[command(flatten)]
    new: New,

    /// The encrypted file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(change(args))
}

fn change(args: Args) -> Result<()> {
    let name = args.file.display().to_string();
    let file = open(&args.file).with_context(|| format!("cannot change {name}"))?;
    let mut file = HeaderFile::open(file).map_err(|error| explain(error, &name))?;
    let mut secrets = Secrets::default();
    let current = secrets.current(args.current.key.as_deref(), args.current.passphrase_fd, &name)?;
    let (key, slot) = file.header().unlock(current.secret()).map_err(|error| explain(error.into(), &name))?;
    let done = if args.remove {
        let slot = args.slot.unwrap_or(slot);
        file.remove(slot)
    } else {
        let new = secrets.new_one(args.new.new_key.as_deref(), args.new.new_passphrase_fd, &name)?;
        let cost = args.new.work.cost();
        let added =
            if args.add { file.add(&key, new.secret(), cost) } else { file.replace(slot, &key, new.secret(), cost) };
        added.map(drop)
    };
    done.map_err(|error| {
        let refused = error.get_ref().is_some_and(|error| error.is::<HeaderError>());
        let left = if refused { "nothing was changed" } else { "it opens as before, as it was to, or both: try again" };
        anyhow!("{}; {left}", explain(error, &name))
    })
}

/// For nobody else to change it at the same time.
fn open(path: &PathBuf) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    if !file.metadata()?.is_file() {
        bail!("it is not a regular file");
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("another program is changing it"),
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error.into()),
        _ => Ok(file),
    }
}
