//! `evariste man`.

use crate::{Cli, output};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;
use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the manual page, or write a page for each command
///
/// They say what --help says.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  evariste man | man -l -\n  evariste man --output ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write evariste.1 and a page for each command to this directory, made where it is missing; pages that
    /// are there already get replaced
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(pages(args))
}

fn pages(args: Args) -> Result<()> {
    let Some(directory) = args.output else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        return Ok(stdout().write_all(&page)?);
    };
    fs::create_dir_all(&directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &directory))
        .with_context(|| format!("cannot write pages to {}", directory.display()))
}
