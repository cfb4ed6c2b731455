//! `cargo xtask model`: figures without the hardware.
//!
//! `bench` runs under qemu, whose plugin counts instructions: exact, and the same on any machine, but no times.
//! For loops, LLVM's model of a CPU says in how many cycles it would run them: a model, in which all loads
//! hit the first-level cache and all branches are foreseen. docs/performance.md has both.

mod installed;
mod loops;
mod mca;
mod subject;

use crate::guest::{self, Guest, Plugin, TARGETS, Target};
use anyhow::Result;
pub(crate) use installed::{Installed, installations, newest};
pub(crate) use mca::{Cycles, version as mca_version};
pub(crate) use subject::{Subject, directions};

/// How keys are made, as bench has it.
pub(crate) const KEYS: &[&str] = &["new", "in-place"];

/// What to look at.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// aarch64, powerpc64le or powerpc64, or one CPU of these as TARGET:CPU [default: all]
    target: Vec<String>,
    /// Implementations, by the names that bench has for them; openssl:SUITE for that of one release of Debian,
    /// and the same with libgcrypt and nettle
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "evariste,openssl,aws-lc-rs,ring")]
    peer: Vec<String>,
    /// Algorithms, by the same names
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "aes-128-gcm,aes-192-gcm,aes-256-gcm,aes-128-ctr,aes-256-ctr"
    )]
    algorithm: Vec<String>,
    /// Bytes of text in a message
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', default_value = "16,64,8192")]
    size: Vec<usize>,
    /// Bytes of additional data in a message
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    aad: usize,
    /// Also count what making a key takes, a new one and in the place of another
    #[arg(long)]
    keys: bool,
    /// Also look at the loops of long messages, and at their cycles in LLVM's models
    #[arg(long)]
    loops: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let plugin = Plugin::new()?;
    let all: Vec<_> = TARGETS.iter().map(|t| t.name.to_owned()).collect();
    for text in if args.target.is_empty() { &all } else { &args.target } {
        let (target, cpus) = Target::parse(text)?;
        let program = guest::build(target, "bench/Cargo.toml", "evariste-bench")?;
        let peers = args.peer.iter().flat_map(|peer| installations(target, peer)).collect::<Vec<_>>();
        for cpu in cpus {
            println!("{} {}", target.name, cpu.name);
            for Installed { peer, root } in &peers {
                let root = root.as_deref();
                let guest = Guest { plugin: &plugin, target, cpu, program: &program, root, environment: &[] };
                args.print(&Subject { guest, peer, aad: args.aad })?;
            }
        }
    }
    Ok(())
}

impl Args {
    /// All of one implementation on one CPU.
    fn print(&self, subject: &Subject<'_>) -> Result<()> {
        for algorithm in &self.algorithm {
            for how in if self.keys { KEYS } else { &[] } {
                if let Some(count) = subject.key(algorithm, how)? {
                    println!(
                        "  {:14} {algorithm:15} {:7} {:8.0}",
                        count.name,
                        format!("key {how}"),
                        count.instructions
                    );
                }
            }
            for direction in directions(algorithm) {
                self.print_messages(subject, algorithm, direction)?;
                if self.loops {
                    print_loops(subject, algorithm, direction)?;
                }
            }
        }
        Ok(())
    }

    /// A line: instructions for messages of all sizes.
    fn print_messages(&self, subject: &Subject<'_>, algorithm: &str, direction: &str) -> Result<()> {
        let mut line = String::new();
        for &size in &self.size {
            // What is not there is not a figure.
            let Some(count) = subject.message(algorithm, direction, size)? else { return Ok(()) };
            if line.is_empty() {
                line = format!("  {:14} {algorithm:15} {direction:7}", count.name);
            }
            let message = count.instructions;
            line += &format!(" {size:6} B: {message:8.0} = {:8.2} a block", message * 16.0 / size as f64);
        }
        println!("{line}");
        Ok(())
    }
}

/// A line for each loop that long messages are in most of the time: its cycles in the CPU's model.
fn print_loops(subject: &Subject<'_>, algorithm: &str, direction: &str) -> Result<()> {
    for found in subject.loops(algorithm, direction)? {
        let cycles = match found.cycles {
            Some(c) => format!("{:.2} cycles, bound {:.2}", c.cycles, c.bound),
            None => "no model".to_owned(),
        };
        println!(
            "  {:14} {algorithm:15} {direction:7} loop of {} blocks, {:.0} % of all: a block {:.2} instructions, {cycles}",
            found.name,
            found.blocks,
            100.0 * found.part,
            found.instructions,
        );
    }
    Ok(())
}
