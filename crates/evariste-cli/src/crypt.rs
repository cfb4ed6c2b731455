//! `evariste encrypt` and `evariste decrypt`.

use anyhow::Result;
use std::process::ExitCode;

/// TODO
#[derive(clap::Args)]
pub(crate) struct EncryptArgs {}

/// TODO
#[derive(clap::Args)]
pub(crate) struct DecryptArgs {}

pub(crate) fn encrypt(_args: EncryptArgs) -> Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn decrypt(_args: DecryptArgs) -> Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
