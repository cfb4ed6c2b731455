//! `evariste encrypt` and `evariste decrypt`.

pub(crate) mod input;
mod open;
pub(crate) mod part;
pub(crate) mod progress;
mod seal;
pub(crate) mod sealed;
mod tree;

use crate::output::{self, Existing, Target};
use crate::pick::UsageError;
use crate::secret::{Current, Work};
use anyhow::Result;
use evariste_store::Suite;
use serde::Serialize;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Encrypt a file, a directory or standard input
///
/// The result opens with a passphrase, which is asked for, or with a key file; `evariste passwd` changes them.
/// It has a header of 4096 bytes, and then C2SP chunked encryption, 56 bytes longer than the input, and 16 more
/// for each 16 KiB and the rest. A directory becomes a tar stream first.
///
/// A new OUT can be read and written by those who may read and write IN, less the umask. It appears when
/// it is complete and on the disk; after an error or Ctrl-C there is none.
#[derive(clap::Args)]
#[command(after_help = "Examples: evariste encrypt -o photo.evr photo.jpg\n          \
                        evariste encrypt -k my.key -o letters.evr letters/")]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    work: Work,

    /// Cobblestone-128 or -256, which is AES-128-GCM or AES-256-GCM; with --raw the key's length says it [default: 256]
    #[arg(long, value_name = "BITS", value_parser = suite, conflicts_with = "raw")]
    suite: Option<Suite>,

    #[command(flatten)]
    files: Files,
}

/// Decrypt a file or standard input
///
/// Every chunk of 16 KiB is verified before any of its bytes goes out. With -o, OUT appears when the whole input
/// is verified and OUT is on the disk; after an error or Ctrl-C there is none. Where a directory was encrypted,
/// OUT is a new directory, with modes, times and symbolic links as they were, wherever these lead; to standard
/// output it is a tar stream.
///
/// To standard output, chunks go out as they are verified. When a later one turns out to be damaged or
/// missing, those before it are out already: they are genuine, but only the beginning. The exit code is
/// 1 then; do not use such output without looking at that, or use -o.
#[derive(clap::Args)]
#[command(after_help = "Examples: evariste decrypt -o photo.jpg photo.evr\n          \
                        evariste decrypt -k my.key letters.evr | tar -t")]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    files: Files,
}

#[derive(clap::Args)]
struct Files {
    /// No header: nothing but C2SP chunked encryption under the key of -k itself, as other programs read and write it
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    secret: Current,

    /// Where to write; without it, or with "-", standard output, unless that is a terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Replace OUT if it is a file that exists
    #[arg(short, long)]
    force: bool,

    /// Threads at most [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,

    /// No progress bar, and no word of files that are left out
    #[arg(short, long)]
    quiet: bool,

    /// When done, print {input, output, text_bytes, seconds}; needs -o
    #[arg(long)]
    json: bool,

    /// What to read; without it, or with "-", standard input
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

pub(crate) fn encrypt(args: EncryptArgs) -> Result<ExitCode> {
    output::exit_code(args.files.checked().and_then(|files| {
        let suite = args.suite.unwrap_or(Suite::Cobblestone256);
        files.reported(|files, target| seal::seal(files, target, suite, args.work.cost()))
    }))
}

pub(crate) fn decrypt(args: DecryptArgs) -> Result<ExitCode> {
    output::exit_code(args.files.checked().and_then(|files| files.reported(open::open)))
}

impl Files {
    fn checked(self) -> Result<Self> {
        if self.json && self.output.as_deref().is_none_or(|out| out == "-") {
            return Err(UsageError("--json needs -o OUT: standard output is for the data".into()).into());
        }
        Ok(self)
    }

    fn threads(&self) -> usize {
        threads(self.threads)
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep("choose another name, or add --force") }
    }

    /// Does `work`, which returns how many bytes of text that was.
    fn reported(self, work: impl FnOnce(&Self, &Target) -> Result<u64>) -> Result<()> {
        #[derive(Serialize)]
        struct Done<'a> {
            input: &'a str,
            output: &'a str,
            text_bytes: u64,
            seconds: f64,
        }
        let target = Target::new(self.output.clone())?;
        let start = Instant::now();
        let text_bytes = work(&self, &target)?;
        if self.json {
            let input = self.input.as_ref().map_or("-".into(), |path| path.display().to_string());
            let seconds = start.elapsed().as_secs_f64();
            let done = Done { input: &input, output: &target.to_string(), text_bytes, seconds };
            writeln!(stdout(), "{}", serde_json::to_string(&done)?)?;
        }
        Ok(())
    }
}

/// As many as asked for, or as there are cores.
pub(crate) fn threads(asked: Option<std::num::NonZeroUsize>) -> usize {
    asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, Into::into)
}

fn suite(text: &str) -> Result<Suite, String> {
    match text {
        "128" => Ok(Suite::Cobblestone128),
        "256" => Ok(Suite::Cobblestone256),
        _ => Err("128 or 256".into()),
    }
}
