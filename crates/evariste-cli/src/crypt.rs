//! `evariste encrypt` and `evariste decrypt`.

mod input;
mod progress;

use crate::output::{self, Existing, Output, Target};
use crate::pick::UsageError;
use crate::secret::Key;
use anyhow::{Context, Result, anyhow};
use evariste_store::{Error, Reader, Writer, sealed_len, text_len};
use input::Input;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use zeroize::Zeroizing;

/// Encrypt a file or standard input
///
/// The result is plain C2SP chunked encryption: Cobblestone-128 with a key of 16 bytes, Cobblestone-256
/// with 32. It is 56 bytes longer than the input, and 16 more for each 16 KiB and the rest.
///
/// A new OUT can be read and written by those who may read and write IN, less the umask. It appears when
/// it is complete and on the disk; after an error or Ctrl-C there is none.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste keygen -o my.key && evariste encrypt --raw -k my.key -o photo.cob photo.jpg")]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    files: Files,
}

/// Decrypt a file or standard input
///
/// The input is plain C2SP chunked encryption, as `evariste encrypt --raw` and other programs make it.
/// Every chunk of 16 KiB is verified before any of its bytes goes out. With -o, OUT appears when the
/// whole input is verified and OUT is on the disk; after an error or Ctrl-C there is none.
///
/// To standard output, chunks go out as they are verified. When a later one turns out to be damaged or
/// missing, those before it are out already: they are genuine, but only the beginning. The exit code is
/// 1 then; do not use such output without looking at that, or use -o.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste decrypt --raw -k my.key -o photo.jpg photo.cob")]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    files: Files,
}

#[derive(clap::Args)]
struct Files {
    /// No header: nothing but C2SP chunked encryption under the key itself; required so far
    #[arg(long)]
    raw: bool,

    /// The key file: 16 or 32 bytes as made by `evariste keygen`
    #[arg(short, long, value_name = "KEY")]
    key: Option<PathBuf>,

    /// Where to write; without it, or with "-", standard output, unless that is a terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Replace OUT if it exists
    #[arg(short, long)]
    force: bool,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// What to read; without it, or with "-", standard input
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

pub(crate) fn encrypt(args: EncryptArgs) -> Result<ExitCode> {
    output::exit_code(Job::new(args.files).and_then(Job::seal))
}

pub(crate) fn decrypt(args: DecryptArgs) -> Result<ExitCode> {
    output::exit_code(Job::new(args.files).and_then(Job::open))
}

/// What the command line asks for, checked and opened, but for the output.
struct Job {
    key: Key,
    input: Input,
    target: Target,
    existing: Existing,
    quiet: bool,
}

impl Job {
    fn new(files: Files) -> Result<Self> {
        if !files.raw {
            return Err(
                UsageError("passphrases are not there yet: add --raw, and a key file with -k KEY".into()).into()
            );
        }
        let key =
            files.key.ok_or_else(|| UsageError("no key: add -k KEY; `evariste keygen -o KEY` makes one".into()))?;
        let target = Target::new(files.output)?;
        let key = Key::read(&key)?;
        let input = Input::open(files.input)?;
        input::refuse_same(&target, &input, &key)?;
        let existing =
            if files.force { Existing::Replace } else { Existing::Keep("choose another name, or add --force") };
        Ok(Self { key, input, target, existing, quiet: files.quiet })
    }

    fn seal(self) -> Result<()> {
        let Self { key, input, target, .. } = &self;
        if let Some(len) = input.len {
            sealed_len(len).map_err(|error| anyhow!("{}: {error}; nothing was written", input.name))?;
        }
        let writer = Writer::new(Output::create(target, input.mode, self.existing)?, &key.bytes, b"");
        let mut writer = writer.context("cannot encrypt")?;
        let mut source = progress::bar(input, self.quiet)?.wrap_read(&input.file);
        let mut text = Zeroizing::new(vec![0; 128 * 1024]);
        loop {
            match source.read(&mut text) {
                Ok(0) => break,
                Ok(n) => writer.write_all(&text[..n]).with_context(|| target.to_string())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error).with_context(|| input.name.clone()),
            }
        }
        writer.finish().and_then(Output::commit).with_context(|| target.to_string())
    }

    fn open(self) -> Result<()> {
        let Self { key, input, target, .. } = &self;
        if let Some(len) = input.len {
            text_len(len).map_err(|error| anyhow!("{}: {error}; nothing was written", input.name))?;
        }
        let source = progress::bar(input, self.quiet)?.wrap_read(&input.file);
        let reader = Reader::new(source, &key.bytes, b"");
        let mut reader = reader.map_err(|error| {
            let why = match error.get_ref().and_then(|error| error.downcast_ref()) {
                Some(Error::Commitment) => {
                    format!("not encrypted with the key {}, or damaged in its first 56 bytes", key.name)
                }
                _ => error.to_string(),
            };
            anyhow!("{}: {why}; nothing was written", input.name)
        })?;
        let mut output = Output::create(target, input.mode, self.existing)?;
        let mut written = 0;
        loop {
            let text = reader.fill_buf().map_err(|error| {
                let left = match target {
                    Target::Stdout if written > 0 => format!("the first {written} bytes, already written, are genuine"),
                    _ => "nothing was written".into(),
                };
                anyhow!("{}: {error}; {left}", input.name)
            })?;
            if text.is_empty() {
                break;
            }
            output.write_all(text).with_context(|| target.to_string())?;
            let n = text.len();
            written += n as u64;
            reader.consume(n);
        }
        output.commit().with_context(|| target.to_string())
    }
}
