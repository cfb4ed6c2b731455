//! What a call through each interface of evariste costs over the core.
//!
//! One process, on one core: the core called directly and each interface take turns with the same key, nonces and
//! messages, in place, with 13 bytes of additional data. What they make is compared before it is timed. A figure is the
//! median of the rounds, of the interface's time less the core's in the same round.

mod capi;
mod direct;
mod measure;
mod messages;
mod rustcrypto;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use messages::{Call, Runner};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// What makes a call of an interface, if it has one of this kind; with the core's key.
pub(crate) type Runners = fn(Call, &Args) -> Result<Option<Box<dyn Runner>>>;

/// An interface to measure. A new one is a module with such a function, and a line in [`INTERFACES`].
pub(crate) struct Interface {
    name: &'static str,
    /// Nanoseconds that a call may cost over the core's; of long messages 3 %, if that is more.
    goal: f64,
    runner: Runners,
}

const INTERFACES: &[Interface] = &[
    Interface { name: "C", goal: 10.0, runner: capi::runner },
    Interface { name: "aead 0.6", goal: 5.0, runner: rustcrypto::AEAD_06 },
    Interface { name: "aead 0.5", goal: 5.0, runner: rustcrypto::AEAD_05 },
];

/// The core, which all are compared with.
const CORE: Interface = Interface { name: "core", goal: 0.0, runner: direct::runner };

/// What a call through each interface of evariste costs over the core: AES-128-GCM in place, in nanoseconds.
#[derive(Parser)]
pub(crate) struct Args {
    /// Bytes of text
    #[arg(long, value_delimiter = ',', default_value = "16,64,1350,16384")]
    size: Vec<usize>,

    /// The interfaces; all unless named
    #[arg(long, value_delimiter = ',')]
    interface: Vec<String>,

    /// Times that all have their turn
    #[arg(long, default_value_t = 101)]
    rounds: usize,

    /// libevariste.so; built and installed to a folder unless named
    #[arg(long)]
    library: Option<PathBuf>,

    /// The core to stay on; the last one unless named
    #[arg(long)]
    core: Option<usize>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Say which goals are met, and exit with 1 if one is not
    #[arg(long)]
    goals: bool,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    ensure!(
        args.rounds > 0 && args.size.iter().all(|size| *size <= 1 << 20),
        "rounds, and sizes of at most a megabyte"
    );
    for name in &args.interface {
        ensure!(INTERFACES.iter().any(|i| i.name == name), "no interface {name}");
    }
    let wanted = |i: &&Interface| args.interface.is_empty() || args.interface.iter().any(|name| i.name == name);
    let interfaces: Vec<_> = std::iter::once(&CORE).chain(INTERFACES.iter().filter(wanted)).collect();
    // What is built first may use all cores.
    let mut tables = Vec::new();
    for call in Call::ALL {
        let mut runners = Vec::new();
        for interface in &interfaces {
            let runner = (interface.runner)(call, &args).with_context(|| interface.name)?;
            runners.extend(runner.map(|runner| (*interface, runner)));
        }
        tables.push((call, runners));
    }
    let core = evariste_limits::pin(args.core)?;
    let mut figures = Vec::new();
    for (call, runners) in &mut tables {
        for &size in &args.size {
            figures.extend(measure::measure(runners, *call, size, args.rounds)?);
        }
    }
    let missed = figures.iter().filter(|f| !f.is_met()).count();
    if args.json {
        let figures: Vec<_> = figures.iter().map(measure::Figure::json).collect();
        let day = chrono::Utc::now().format("%Y-%m-%d").to_string();
        let backend = evariste::Backend::active().name();
        println!("{}", json!({ "date": day, "backend": backend, "core": core, "figures": figures, "missed": missed }));
    } else {
        println!("backend {}, core {core}, ns per message\n", evariste::Backend::active());
        println!(
            "{:10} {:14} {:>6} {:>9} {:>9} {:>9} {:>6}",
            "interface", "call", "bytes", "core", "through", "over", "goal"
        );
        figures.iter().for_each(|figure| println!("{figure}{}", if !args.goals { "" } else { figure.verdict() }));
        if args.goals {
            println!("\n{} of {} goals met", figures.len() - missed, figures.len());
        }
    }
    Ok(if args.goals && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
