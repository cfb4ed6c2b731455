//! evariste-rustls beside the stock providers of rustls: records of TLS and packets of QUIC, through rustls's own traits.

mod case;
mod implementation;
mod keys;
mod report;
mod turns;

use anyhow::{Context, Result};
use case::Case;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures evariste-rustls beside the stock providers of rustls.
///
/// Records of TLS 1.3 and 1.2, packets and headers of QUIC, and keys, through the traits that rustls calls. All take turns
/// in every round, on the same keys and buffers; what each makes is compared first. "core" is evariste without rustls's
/// traits, so the difference is what the adaptation takes.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// Bytes of text in a record
    #[arg(long, value_name = "BYTES", default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..=16384))]
    record: u32,

    /// Bytes in a QUIC packet, the header and the tag among them
    #[arg(long, value_name = "BYTES", default_value_t = 1350, value_parser = clap::value_parser!(u32).range(100..=65000))]
    packet: u32,

    /// Times that each implementation has its turn
    #[arg(long, value_name = "N", default_value_t = 31, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// The CPU to stay on [default: the last one there is]
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// Also write the figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Fail when anything takes longer than with a stock provider, or the adaptation more than 5 ns
    #[arg(long)]
    goals: bool,
}

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("evariste-tls-bench: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    let core = evariste_limits::pin(cli.core)?;
    println!("{}; core {core}; {} rounds", evariste::cpu::name(), cli.rounds);
    println!("evariste chooses {}", evariste::Backend::active());
    let mut figures = Vec::new();
    for case in Case::all(cli.record as usize, cli.packet as usize) {
        let (mut runners, mut buffers) = implementation::all(&case)?;
        case.check(&mut runners, &mut buffers).with_context(|| case.to_string())?;
        figures.push(turns::measure(case, (runners, buffers), cli.rounds).with_context(|| case.to_string())?);
        report::line(&figures[figures.len() - 1]);
    }
    if let Some(path) = &cli.json {
        report::json(&figures, path)?;
    }
    let met = report::goals(&figures);
    Ok(ExitCode::from(u8::from(cli.goals && !met)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use implementation::Runner;

    #[test]
    fn all_make_the_same() -> Result<()> {
        for case in Case::all(16384, 1350) {
            let (mut runners, mut buffers) = implementation::all(&case)?;
            case.check(&mut runners, &mut buffers).with_context(|| case.to_string())?;
        }
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_found() -> Result<()> {
        let case = Case::all(100, 150)[0];
        let (mut runners, mut buffers) = implementation::all(&case)?;
        let messages = case.messages();
        let run = move |_: &mut case::Buffers, kept: implementation::Kept<'_>| {
            if let Some(kept) = kept {
                kept.extend(vec![vec![0; 117]; messages]);
            }
        };
        runners.push(Runner { name: "zeros", prepare: Box::new(|| Ok(())), run: Box::new(run) });
        let error = case.check(&mut runners, &mut buffers).expect_err("zeros are wrong");
        assert_eq!(error.to_string(), "zeros makes something else");
        Ok(())
    }
}
