//! `evariste verify`.

use crate::crypt::input::Input;
use crate::crypt::part::Nowhere;
use crate::crypt::sealed::Sealed;
use crate::crypt::{progress, threads};
use crate::output;
use crate::secret::Current;
use anyhow::{Error, Result};
use evariste_store::{CopyError, parallel};
use serde::Serialize;
use std::io::{self, Write, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Check that an encrypted file is whole and unchanged, without writing anything
///
/// Every chunk is opened. The exit code is 1 if one does not verify, or if the file was cut short.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste verify photo.evr")]
pub(crate) struct Args {
    /// No header: nothing but C2SP chunked encryption under the key of -k itself
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    secret: Current,

    /// Threads at most [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// No progress bar, and nothing printed
    #[arg(short, long)]
    quiet: bool,

    /// Print {file, ok, text_bytes, error, chunk} and nothing else; chunk is the number of the first one that is damaged
    #[arg(long)]
    json: bool,

    /// The encrypted file; without it, or with "-", standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Serialize)]
struct Found<'a> {
    file: &'a str,
    ok: bool,
    text_bytes: Option<u64>,
    error: Option<String>,
    chunk: Option<u64>,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let input = Input::open(args.file.clone())?;
    let mut chunk = None;
    let verified = verify(&args, &input, &mut chunk);
    if args.json {
        // Of a program that asks this way, a wrong passphrase is an answer too; bad usage is none.
        if let Err(error) = &verified
            && error.is::<crate::pick::UsageError>()
        {
            return output::exit_code(verified.map(drop));
        }
        let error = verified.as_ref().err().map(|error| format!("{error:#}"));
        let text_bytes = verified.as_ref().ok().copied();
        let found = Found { file: &input.name, ok: verified.is_ok(), text_bytes, error, chunk };
        writeln!(stdout(), "{}", serde_json::to_string(&found)?)?;
        return Ok(if verified.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    output::exit_code(verified.and_then(|len| {
        if !args.quiet {
            writeln!(stdout(), "{}: whole and unchanged, {len} bytes of text", input.name)?;
        }
        Ok(())
    }))
}

/// The length of the text, or what is wrong, and with which chunk.
fn verify(args: &Args, input: &Input, chunk: &mut Option<u64>) -> Result<u64> {
    let sealed = Sealed::new(input, args.raw, &args.secret)?;
    let bar = progress::bar(input, args.quiet)?;
    let mut damaged = |error: io::Error| {
        *chunk = Sealed::damaged_chunk(&error);
        sealed.error(error)
    };
    match sealed.part(bar.clone()) {
        Some(part) => {
            let opened = parallel::open(&part, &Nowhere, sealed.key(), sealed.context(), threads(args.threads));
            opened.map_err(|error| match error {
                CopyError::Source(error) => damaged(error),
                error => Error::from(error),
            })
        }
        None => {
            let mut reader = sealed.reader(bar.wrap_read(&input.file), 1)?;
            io::copy(&mut reader, &mut io::sink()).map_err(damaged)
        }
    }
}
