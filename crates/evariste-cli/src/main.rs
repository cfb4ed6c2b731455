//! The `evariste` program: one file per command.
//!
//! Exit codes: 0 for success, 1 for an error or a failed check, 2 for bad usage.

mod cat;
mod completions;
mod cpu;
mod crypt;
#[cfg(unix)]
mod doctor;
mod inspect;
mod keygen;
mod man;
mod output;
mod passwd;
mod pick;
mod secret;
mod selftest;
mod speed;
mod vectors;
mod verify;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// AES-GCM, GCM-SIV, XAES, CTR, CCM and GHASH as fast as this CPU allows.
#[derive(Parser)]
#[command(name = "evariste", version, arg_required_else_help = true, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Speed(speed::Args),
    Cpu(cpu::Args),
    Selftest(selftest::Args),
    Vectors(vectors::Args),
    Keygen(keygen::Args),
    Encrypt(crypt::EncryptArgs),
    Decrypt(crypt::DecryptArgs),
    Cat(cat::Args),
    Verify(verify::Args),
    Passwd(passwd::Args),
    Inspect(inspect::Args),
    #[cfg(unix)]
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    pick::warn_about_switches();
    // Once for all threads: none is running yet.
    let _timing = evariste::cpu::data_independent_timing();
    let done = match cli.command {
        Command::Speed(args) => speed::run(args),
        Command::Cpu(args) => cpu::run(args),
        Command::Selftest(args) => selftest::run(args),
        Command::Vectors(args) => vectors::run(args),
        Command::Keygen(args) => keygen::run(args),
        Command::Encrypt(args) => crypt::encrypt(args),
        Command::Decrypt(args) => crypt::decrypt(args),
        Command::Cat(args) => cat::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Passwd(args) => passwd::run(args),
        Command::Inspect(args) => inspect::run(args),
        #[cfg(unix)]
        Command::Doctor(args) => doctor::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("evariste: {error:#}");
        ExitCode::from(if error.is::<pick::UsageError>() { 2 } else { 1 })
    })
}

/// Help and version as they are; of an error what is wrong, in one line.
fn refuse(error: &clap::Error) -> ! {
    if error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let text = error.render().to_string();
        let wrong = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let wrong: Vec<_> = wrong.split_whitespace().collect();
        eprintln!("evariste: {}; see --help", wrong.join(" "));
        std::process::exit(2)
    }
    error.exit()
}
