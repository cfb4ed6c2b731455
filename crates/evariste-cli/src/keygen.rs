//! `evariste keygen`.

use crate::output::{self, Existing, Output, Target};
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use zeroize::Zeroizing;

/// Make a key file: random bytes that only its owner can read
///
/// Whoever has the key can read what it encrypted, and without it nobody can: keep a copy in a safe
/// place. An existing file is never overwritten.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste keygen -o my.key")]
pub(crate) struct Args {
    /// Where to write the key; without it, or with "-", standard output, unless that is a terminal
    #[arg(short, long, value_name = "KEY")]
    output: Option<PathBuf>,

    /// Bytes: 16 for Cobblestone-128 (AES-128-GCM), 32 for Cobblestone-256 (AES-256-GCM)
    #[arg(long, value_name = "16|32", default_value = "32", value_parser = size)]
    size: usize,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(generate(args))
}

fn generate(args: Args) -> Result<()> {
    let target = Target::new(args.output)?;
    let mut key = Zeroizing::new([0; 32]);
    let key = &mut key[..args.size];
    getrandom::fill(key).context("the system has no random numbers")?;
    let mut output = Output::create(&target, 0o600, Existing::Keep("a key is never overwritten, choose another name"))?;
    output.write_all(key).and_then(|()| output.commit()).with_context(|| target.to_string())
}

fn size(text: &str) -> Result<usize, &'static str> {
    match text {
        "16" => Ok(16),
        "32" => Ok(32),
        _ => Err("a key has 16 or 32 bytes"),
    }
}
