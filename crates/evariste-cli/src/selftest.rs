//! `evariste selftest`.

use anyhow::Result;
use std::process::ExitCode;

/// TODO
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
