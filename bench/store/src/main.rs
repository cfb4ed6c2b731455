//! A large file encrypted and decrypted, from the page cache until it is on the disk, beside cp, age, rage and openssl.

mod contestant;
mod files;
mod library;
mod range;
mod report;
mod turn;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use contestant::{Contestant, Way};
use files::Files;
use report::{Figures, Place};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What writes the tables of the document.
const COMMAND: &str =
    "cargo run --release --manifest-path bench/Cargo.toml -p evariste-store-bench -- --require --write";

/// Measures how fast a large file is encrypted and decrypted.
///
/// The input is in the page cache; the time ends when the output is on the disk. All take turns in each round, and medians
/// count. What comes out is compared with what went in. The program `evariste` is measured if it is built and has
/// `--threads`; else a program of a few lines on the library.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    task: Option<Task>,

    /// MiB of text in the file on the disk
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=16384))]
    size: u64,

    /// MiB of text in the file in memory
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=16384))]
    memory_size: u64,

    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,

    /// A folder on the disk, where four times the size is needed
    #[arg(long, value_name = "DIR", default_value = ".")]
    disk: PathBuf,

    /// A folder in memory, where the same is needed of the other size
    #[arg(long, value_name = "DIR", default_value = "/dev/shm")]
    memory: PathBuf,

    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// The program evariste [default: the one of the release build, if it is there]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Fail if one of the others is missing
    #[arg(long)]
    require: bool,

    /// Put the tables into docs/performance.md
    #[arg(long)]
    write: bool,

    /// Fail if a goal is missed
    #[arg(long)]
    goals: bool,
}

#[derive(Subcommand)]
enum Task {
    /// What is measured where there is no program
    #[command(hide = true)]
    Library { way: Way, input: PathBuf, output: PathBuf, key: PathBuf, threads: usize },
}

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("evariste-store-bench: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    if let Some(Task::Library { way, input, output, key, threads }) = &cli.task {
        library::run(*way, input, output, key, *threads)?;
        return Ok(ExitCode::SUCCESS);
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cli.threads.unwrap_or(cores);
    let contestants = Contestant::all(threads, cli.program.as_deref(), cli.require)?;
    let mut places = Vec::new();
    for (name, folder, mib) in [("disk", &cli.disk, cli.size), ("memory", &cli.memory, cli.memory_size)] {
        let figures = measure(folder, mib, &contestants, cli.rounds).with_context(|| name.to_string())?;
        places.push(Place { name, mib, figures });
        report::print(&places[places.len() - 1]);
    }
    let tables = report::tables(&places, cli.rounds, threads);
    if cli.write {
        document::write(document::PERFORMANCE, COMMAND, &tables)?;
    }
    let met = report::goals(&places);
    Ok(ExitCode::from(u8::from(cli.goals && !met)))
}

/// All contestants in one folder.
fn measure(folder: &Path, mib: u64, contestants: &[Contestant], rounds: u32) -> Result<Figures> {
    let files = Files::new(folder, mib)?;
    let mut figures = Figures::default();
    for round in 0..rounds as usize {
        for n in 0..contestants.len() {
            let contestant = &contestants[(n + round) % contestants.len()];
            for way in [Way::Encrypt, Way::Decrypt] {
                let turn = files.turn(contestant, way, round == 0)?;
                eprintln!("{round} {} {way:?}: {:.2} s", contestant.name(), turn.time.as_secs_f64());
                figures.add(contestant, way, turn);
            }
        }
    }
    figures.range = range::measure(files.sealed_by_evariste(), files.key(), mib)?;
    ensure!(!figures.range.is_zero(), "a clock that stands still");
    Ok(figures)
}
