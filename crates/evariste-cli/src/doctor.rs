//! `evariste doctor`: whether programs of this machine use evariste.

mod openssl;

use anyhow::Result;
use std::process::ExitCode;

/// Say whether programs here use evariste, why not, and how to change that
///
/// Changes nothing. The exit code is 0 if they do, 1 if not.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste doctor openssl")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Openssl(openssl::Args),
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    match args.what {
        What::Openssl(args) => openssl::run(args),
    }
}
