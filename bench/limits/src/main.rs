//! What the units of this CPU can do at best, and what evariste reaches of it.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod other;
#[cfg(target_arch = "x86_64")]
mod x86_64;

mod floors;
mod meter;
mod probe;
mod reached;
mod report;
mod units;

#[cfg(target_arch = "aarch64")]
use aarch64 as architecture;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use other as architecture;
#[cfg(target_arch = "x86_64")]
use x86_64 as architecture;

use anyhow::Result;
use clap::Parser;
use meter::Meter;
use report::Report;
use std::process::ExitCode;
use units::Units;

/// What writes the tables of docs/performance.md.
const COMMAND: &str = "evariste-limits --write";

/// Measures what the units of this CPU can do at best, and what evariste reaches of it.
///
/// Loops of single instructions tell how many cycles one of many takes, and one that waits for another; loops of
/// AES rounds with carry-less products, whether these share a unit. From that follow floors: no code for CTR, GHASH,
/// GCM or CCM can be faster. "All instructions" is the loop of GCM with what it takes beside these two (loads,
/// counters, shuffles, sums, stores), in one order that is good, if no result had to be waited for. evariste is
/// measured by the same clock: messages are sealed or hashed in place, in the first-level cache, by each backend that
/// the CPU can run.
///
/// Cycles are the core's own, told by a chain of additions that takes turns with everything. A round has 25 pieces of
/// 20 microseconds, of which the lower quartile counts, and of the rounds again. What the CPU lacks is left out, and
/// said. There are loops for x86-64 and aarch64; elsewhere the exit code is 2.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// Times that everything has its turn
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// Bytes of evariste's messages
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', value_parser = size, default_values_t = [1024, 16384])]
    size: Vec<usize>,

    /// Measure the units only
    #[arg(long)]
    units: bool,

    /// The CPU to stay on [default: the last one there is]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Print an object with {units, floors, reached} and nothing else
    #[arg(long)]
    json: bool,

    /// Also put the tables into docs/performance.md, in the place of those that are there
    #[arg(long)]
    write: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if architecture::WIDTHS.is_empty() {
        eprintln!("evariste-limits: there are no loops for {} yet", std::env::consts::ARCH);
        return ExitCode::from(2);
    }
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("evariste-limits: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let report = measure(cli)?;
    if cli.json {
        println!("{:#}", report.json());
    } else {
        print!("{}", report.text());
    }
    if cli.write {
        document::write(document::PERFORMANCE, COMMAND, &report.markdown())?;
    }
    Ok(())
}

fn measure(cli: &Cli) -> Result<Report> {
    let core = evariste_limits::pin(cli.core)?;
    let mut meter = Meter::new();
    let units = Units::measure(&mut meter, cli.rounds);
    let floors = floors::floors(&units);
    let sizes = if cli.units { &[][..] } else { &cli.size };
    let reached = reached::measure(&mut meter, &floors, sizes, cli.rounds)?;
    let cpu = evariste::cpu::name().to_string();
    let date = chrono::Utc::now().format("%Y-%m-%d").to_string();
    Ok(Report { cpu, core, rounds: cli.rounds, date, ghz: meter.ghz(), units, floors, reached })
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (16..=1 << 20).contains(&n) => Ok(n),
        _ => Err("from 16 to 1048576".into()),
    }
}
