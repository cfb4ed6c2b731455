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

    /// Print {file, ok, text_bytes, error} and nothing else
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
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let input = Input::open(args.file.clone())?;
    let verified = verify(&args, &input);
    if args.json {
        // Of a program that asks this way, a wrong passphrase is an answer too; bad usage is none.
        if let Err(error) = &verified
            && error.is::<crate::pick::UsageError>()
        {
            return output::exit_code(verified.map(drop));
        }
        let error = verified.as_ref().err().map(|error| format!("{error:#}"));
        let found =
            Found { file: &input.name, ok: verified.is_ok(), text_bytes: verified.as_ref().ok().copied(), error };
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

fn verify(args: &Args, input: &Input) -> Result<u64> {
    let sealed = Sealed::new(input, args.raw, &args.secret)?;
    let bar = progress::bar(input, args.quiet)?;
    match sealed.part(bar.clone()) {
        Some(part) => {
            let opened = parallel::open(&part, &Nowhere, sealed.key(), sealed.context(), threads(args.threads));
            opened.map_err(|error| match error {
                CopyError::Source(error) => sealed.error(error),
                error => Error::from(error),
            })
        }
        None => {
            let mut reader = sealed.reader(bar.wrap_read(&input.file), 1)?;
            io::copy(&mut reader, &mut io::sink()).map_err(|error| sealed.error(error))
        }
    }
}
