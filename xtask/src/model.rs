//! `cargo xtask model`: figures without the hardware.
//!
//! `bench` runs under qemu, whose plugin counts instructions: exact, and the same on any machine, but no times.
//! For loops, LLVM's model of a CPU says in how many cycles it would run them: a model, in which all loads
//! hit the first-level cache and all branches are foreseen. docs/performance.md has both.

mod loops;
mod mca;

use crate::guest::{self, Guest, Plugin, TARGETS, Target};
use anyhow::{Context, Result};
use loops::Loop;
use std::path::PathBuf;

/// Releases of Debian with other OpenSSLs: 3.0, 3.5, 3.6.
const SUITES: &[&str] = &["bookworm", "trixie", "sid"];
const PACKAGES: &[&str] = &["libssl3", "libssl3t64", "libc6", "libgcc-s1", "zlib1g", "libzstd1"];
const OPENSSL: &str = "openssl";
/// The length of messages whose loops are looked at: many rounds of even a long loop.
const LONG: usize = 1 << 16;

/// What to look at.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// aarch64, powerpc64le or powerpc64, or one CPU of these as TARGET:CPU [default: all]
    target: Vec<String>,
    /// Implementations, by the names that bench has for them; openssl:SUITE for that of one release of Debian
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
    /// Also count what making a key takes
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
            for (peer, root) in &peers {
                let guest = Guest { plugin: &plugin, target, cpu, program: &program, root: root.as_deref() };
                Subject { guest, peer, args }.run()?;
            }
        }
    }
    Ok(())
}

/// What bench calls `peer`, and where its libraries are if not in the program: for OpenSSL there are several.
fn installations<'a>(target: &Target, peer: &'a str) -> Vec<(&'a str, Option<PathBuf>)> {
    let (name, suite) = peer.split_once(':').unwrap_or((peer, ""));
    if name != OPENSSL {
        return vec![(peer, None)];
    }
    let mut all = Vec::new();
    if let Some(architecture) = target.debian {
        for one in SUITES.iter().filter(|one| suite.is_empty() || **one == suite) {
            match guest::cache().and_then(|cache| debian::unpacked(&cache, architecture, one, PACKAGES)) {
                Ok(root) => all.push((OPENSSL, Some(root))),
                // Mirrors do not have all architectures of all releases all the time.
                Err(error) => println!("{architecture}: no OpenSSL of {one}: {error:#}"),
            }
        }
    }
    all
}

/// One implementation on one CPU.
struct Subject<'a> {
    guest: Guest<'a>,
    peer: &'a str,
    args: &'a Args,
}

/// Messages that bench went through.
struct Done {
    /// The implementation, with its version.
    name: String,
    messages: u64,
}

impl Subject<'_> {
    fn run(&self) -> Result<()> {
        for algorithm in &self.args.algorithm {
            if self.args.keys {
                self.print(algorithm, "key", &[16])?;
            }
            for direction in directions(algorithm) {
                self.print(algorithm, direction, &self.args.size)?;
                if self.args.loops {
                    self.print_loops(algorithm, direction)?;
                }
            }
        }
        Ok(())
    }

    /// A line: instructions for messages of all sizes.
    fn print(&self, algorithm: &str, direction: &str, sizes: &[usize]) -> Result<()> {
        let mut line = String::new();
        for &size in sizes {
            let (few, many) = (self.count(algorithm, direction, size, 1)?, self.count(algorithm, direction, size, 9)?);
            // What is not there is not a figure.
            let (Some((few, start)), Some((many, end))) = (few, many) else { return Ok(()) };
            let message = (end - start) as f64 / (many.messages - few.messages) as f64;
            if line.is_empty() {
                line = format!("  {:14} {algorithm:15} {direction:7}", many.name);
            }
            line += &match direction {
                "key" => format!(" {message:8.0}"),
                _ => format!(" {size:6} B: {message:8.0} = {:8.2} a block", message * 16.0 / size as f64),
            };
        }
        println!("{line}");
        Ok(())
    }

    /// A line for each loop that long messages are in most of the time: its cycles in the CPU's model.
    fn print_loops(&self, algorithm: &str, direction: &str) -> Result<()> {
        let (printed, pieces) = self.bench("job=blocks", algorithm, direction, LONG, 64)?;
        let Some(Done { name, messages }) = Done::parse(&printed)? else { return Ok(()) };
        for Loop { code, rounds, part } in Loop::hottest(&pieces, messages)? {
            let blocks = ((LONG / 16) as f64 / rounds).round().max(1.0);
            let cycles = match mca::cycles(&code, self.guest.target, self.guest.cpu)? {
                Some(c) => format!("{:.2} cycles, bound {:.2}", c.cycles / blocks, c.bound / blocks),
                None => "no model".to_owned(),
            };
            let (each, part) = (code.len() as f64 / blocks, 100.0 * part);
            println!(
                "  {name:14} {algorithm:15} {direction:7} loop of {blocks} blocks, {part:.0} % of all: \
                 a block {each:.2} instructions, {cycles}"
            );
        }
        Ok(())
    }

    fn count(&self, algorithm: &str, direction: &str, size: usize, passes: u32) -> Result<Option<(Done, u64)>> {
        let (printed, count) = self.bench("job=count", algorithm, direction, size, passes)?;
        let count = count.trim().parse()?;
        Ok(Done::parse(&printed)?.map(|done| (done, count)))
    }

    /// What bench and the plugin say.
    fn bench(&self, job: &str, algorithm: &str, direction: &str, size: usize, passes: u32) -> Result<(String, String)> {
        let (calls, size, aad) = (passes.to_string(), size.to_string(), self.args.aad.to_string());
        let mut words = vec!["--calls", &calls, "--size", &size, "--aad", &aad];
        words.extend(["--algorithm", algorithm, "--peer", self.peer]);
        match direction {
            // Keys have no direction: one that all have.
            "key" => words.extend(["--keys", "--direction", directions(algorithm)[0]]),
            _ => words.extend(["--direction", direction]),
        }
        self.guest.watch(job, &words)
    }
}

impl Done {
    /// Of `NAME ALGORITHM DIRECTION SIZE: MESSAGES`; none if the implementation does not have the algorithm.
    fn parse(printed: &str) -> Result<Option<Self>> {
        let Some(line) = printed.lines().next() else { return Ok(None) };
        let parts = line.split_once(' ').zip(line.rsplit_once(": "));
        let ((name, _), (_, messages)) = parts.with_context(|| format!("bench says {line}"))?;
        Ok(Some(Self { name: name.to_owned(), messages: messages.parse()? }))
    }
}

/// What bench does with an algorithm.
fn directions(algorithm: &str) -> &'static [&'static str] {
    match algorithm {
        "ghash" | "gmac" => &["hash"],
        _ if algorithm.ends_with("ctr") => &["encrypt"],
        _ => &["seal", "open"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bench_says_is_read() {
        let done = Done::parse("openssl-3.5 aes-128-gcm seal 8192: 448\n").expect("a line").expect("a figure");
        assert_eq!((done.name.as_str(), done.messages), ("openssl-3.5", 448));
        assert!(Done::parse("").expect("no line").is_none());
        assert!(Done::parse("error\n").is_err());
    }
}
