//! The checks that cargo does not do.

mod asm;
mod subject;
mod table;
mod taint;
mod targets;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;

use clap::{Parser, Subcommand};

/// Checks of evariste that cargo does not do, on Linux on x86-64.
///
/// Those of machine code and constant time look at the program in xtask/subject, which runs every operation of
/// every backend.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the machine code: no calls and no spills in the kernels' loops, no instruction that the backend
    /// does not declare, and in no function of the core one that takes longer for some numbers. Runs nothing.
    Asm,
    /// Runs all operations under valgrind with keys and texts marked undefined, unoptimized and
    /// optimized: no branch and no address may depend on them. On the backends that valgrind can run.
    Taint,
    /// Runs each operation twice, instruction by instruction, on two keys and texts: the addresses of all
    /// instructions and of all they read and write must be the same. On any backend that the CPU can run.
    Trace {
        /// The backends, separated by commas, or `all`.
        #[arg(long, default_value = "vaes256,vaes512", value_delimiter = ',')]
        backend: Vec<String>,
    },
    /// Checks the core for other systems and CPUs, with all warnings, and runs the tests for Windows under wine
    /// and those for WebAssembly under node.
    Targets(targets::Args),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().command {
        Command::Asm => asm::run(),
        Command::Taint => taint::run(),
        Command::Targets(args) => targets::run(&args),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Command::Trace { backend } => trace::run(&backend),
        #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
        Command::Trace { .. } => anyhow::bail!("single-stepping is written for Linux on x86-64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
        // What CI calls.
        for words in ["asm", "taint", "trace", "trace --backend all", "targets --quick"] {
            let words = std::iter::once("xtask").chain(words.split(' '));
            assert!(Args::try_parse_from(words).is_ok());
        }
    }
}
