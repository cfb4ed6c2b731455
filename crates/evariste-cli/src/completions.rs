//! `evariste completions`.

use crate::{Cli, output};
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Print what makes a shell complete the commands and options of evariste
///
/// Goes to standard output, for the place where the shell looks for it.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste completions bash > ~/.local/share/bash-completion/completions/evariste")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    // By way of memory, for the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "evariste", &mut script);
    output::exit_code(stdout().write_all(&script).map_err(Into::into))
}
