//! evariste beside its peers, measured in one process.

mod algorithm;
mod calls;
mod case;
mod document;
mod goals;
mod markdown;
mod measure;
mod peer;
mod plot;
mod report;

use algorithm::{Algorithm, Direction};
use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use measure::{Column, Figure, Method};
use peer::{Libraries, Making};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures evariste beside its peers in one process.
///
/// All implementations take turns in every round, on the same buffers and nonces, and each output is
/// first compared with that of evariste's portable backend. Figures are medians of the rounds.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// Algorithms to measure [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    algorithm: Vec<Algorithm>,

    /// Directions to measure [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    direction: Vec<Direction>,

    /// Implementations to measure: evariste (the automatic choice), evariste:BACKEND, ring, aws-lc-rs, graviola,
    /// rustcrypto, rustcrypto-soft, boring, openssl, libgcrypt, nettle, ipsec-mb, wolfssl, mbedtls, botan, libsodium;
    /// with a version, one of several [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    peer: Vec<String>,

    /// Bytes of text in a message
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', value_parser = size,
        default_values_t = [16, 64, 256, 1024, 1350, 2048, 8192, 16384, 1 << 20])]
    size: Vec<usize>,

    /// Bytes of additional data in a message
    #[arg(long, value_name = "BYTES", default_value_t = 13)]
    aad: usize,

    /// Times that each implementation has its turn
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// Times that all this is done: figures are then medians of the runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,

    /// How messages find the CPU; the others than "steady" are for messages up to 2 KiB
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "steady")]
    column: Vec<Column>,

    /// The CPU to stay on [default: the last one there is]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Also write the figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Also draw a chart of the times relative to evariste's, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Also write the README's table
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Also put tables of all sizes into docs/performance.md, in the place of those that are there
    #[arg(long)]
    write: bool,

    /// Fail when one of these peers cannot be loaded, "all" for any; installs what they are built with
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    require: Vec<String>,

    /// Measure what evariste must reach instead, and fail on a miss
    #[arg(long, conflicts_with_all = ["algorithm", "direction", "peer", "size", "aad", "json", "markdown", "plot", "write", "runs", "column"])]
    goals: bool,

    /// Measure nothing: go through the messages so many times, for an emulator to count the instructions
    #[arg(long, value_name = "N", conflicts_with_all = ["goals", "rounds", "runs", "column", "core", "json", "markdown", "plot", "write"],
        value_parser = clap::value_parser!(u32).range(0..=calls::MOST.into()))]
    calls: Option<u32>,

    /// With --calls: make keys instead, one in each pass
    #[arg(long, value_name = "HOW", requires = "calls", num_args = 0..=1, require_equals = true,
        default_missing_value = "new")]
    keys: Option<Making>,
}

impl Cli {
    /// What there is of what was asked for.
    fn operations(&self) -> impl Iterator<Item = (Algorithm, Direction)> {
        let algorithms = if self.algorithm.is_empty() { Algorithm::value_variants() } else { &self.algorithm };
        let all = algorithms.iter().flat_map(|&a| a.directions().iter().map(move |&d| (a, d)));
        all.filter(|(_, d)| self.direction.is_empty() || self.direction.contains(d))
    }
}

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("evariste-bench: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    // Before pinning: what has to be built may use all cores.
    let libraries = load(cli)?;
    if let Some(passes) = cli.calls {
        return calls::run(cli, passes, &libraries).map(|()| ExitCode::SUCCESS);
    }
    let with = format!("{}; core {}; {} rounds", evariste::cpu::name(), evariste_limits::pin(cli.core)?, cli.rounds);
    println!("{with}");
    println!("evariste chooses {}", evariste::Backend::active());
    let method = Method { rounds: cli.rounds as usize, aad: cli.aad };
    if cli.goals {
        return Ok(ExitCode::from(u8::from(!goals::run(&method, &libraries)?)));
    }
    let mut tables: Vec<Vec<Figure>> = Vec::new();
    for run in 1..=cli.runs {
        let operations = cli.column.iter().flat_map(|&column| cli.operations().map(move |which| (column, which)));
        for (n, (column, which)) in operations.enumerate() {
            let figures = method.measure(&libraries, column, which, &cli.size)?;
            match tables.get_mut(n) {
                Some(table) => table.iter_mut().zip(&figures).for_each(|(all, run)| all.add(run)),
                None => tables.push(figures),
            }
            if run == cli.runs {
                report::table(&tables[n]);
            }
        }
    }
    report::summaries(&tables);
    if let Some(path) = &cli.plot {
        plot::write(&tables, path)?;
    }
    if let Some(path) = &cli.markdown {
        markdown::write(&tables, path)?;
    }
    if cli.write {
        let runs = if cli.runs > 1 { format!(", median of {} runs", cli.runs) } else { String::new() };
        document::write(&tables, &format!("{with}{runs}; {}", chrono::Utc::now().format("%Y-%m-%d")))?;
    }
    if let Some(path) = &cli.json {
        report::json(&tables.into_iter().flatten().collect::<Vec<_>>(), path)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The peers that were asked for; says which are missing, and fails when one of them is required.
fn load(cli: &Cli) -> Result<Libraries> {
    let (wanted, required) = (&cli.peer, &cli.require);
    let any = required.iter().any(|r| r == "all");
    let named = match cli.goals {
        true => goals::PEERS.map(str::to_owned).to_vec(),
        false if wanted.is_empty() || any => Vec::new(),
        false => [&wanted[..], required].concat(),
    };
    let mut libraries = Libraries::load(&named, !required.is_empty(), cli.goals || cli.calls.is_some());
    for (name, reason) in &libraries.missing {
        eprintln!("evariste-bench: no {name}: {reason:#}");
        if any || required.iter().any(|r| r == name) {
            bail!("{name} is required");
        }
    }
    if let Some(name) = wanted.iter().chain(required).find(|n| *n != "all" && !libraries.know(n)) {
        let text = format!("no peer {name}; there are: {}\n", libraries.names().collect::<Vec<_>>().join(" "));
        Cli::command().error(ErrorKind::InvalidValue, text).exit();
    }
    if let Some(name) = required.iter().find(|name| *name != "all" && !libraries.have(name)) {
        bail!("{name} is required");
    }
    if !wanted.is_empty() {
        libraries.keep(wanted);
    }
    Ok(libraries)
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=1 << 30).contains(&n) => Ok(n),
        _ => Err("from 1 to 1073741824".into()),
    }
}
