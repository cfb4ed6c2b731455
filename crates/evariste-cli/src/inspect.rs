//! `evariste inspect`.

use crate::output;
use crate::pick::UsageError;
use anyhow::{Context, Result, bail};
use evariste_store::text_len;
use serde::Serialize;
use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// Say how long an encrypted file and its text are, without the key
///
/// Plain C2SP chunked encryption says nothing else: the suite goes with the key. Nothing is verified, and
/// nothing but the length is read: a file of another kind may well have a length that fits.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste inspect --raw photo.cob")]
pub(crate) struct Args {
    /// No header: nothing but C2SP chunked encryption; required so far
    #[arg(long)]
    raw: bool,

    /// Print {bytes, text_bytes, chunks} and nothing else
    #[arg(long)]
    json: bool,

    /// The encrypted file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct Lengths {
    bytes: u64,
    text_bytes: u64,
    chunks: u64,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(inspect(args))
}

fn inspect(args: Args) -> Result<()> {
    if !args.raw {
        return Err(UsageError("there is no header to read yet: add --raw".into()).into());
    }
    let name = args.file.display();
    let found = fs::metadata(&args.file).with_context(|| format!("cannot read {name}"))?;
    if !found.is_file() {
        bail!("{name} is not a regular file, and has no length");
    }
    let bytes = found.len();
    let text_bytes = text_len(bytes).with_context(|| name.to_string())?;
    // The last chunk is shorter than 16 KiB, perhaps empty.
    let lengths = Lengths { bytes, text_bytes, chunks: text_bytes / (16 * 1024) + 1 };
    let text = if args.json {
        serde_json::to_string_pretty(&lengths)? + "\n"
    } else {
        format!("{name}: {bytes} bytes, {text_bytes} of text, chunks: {}\n", lengths.chunks)
    };
    Ok(stdout().write_all(text.as_bytes())?)
}
