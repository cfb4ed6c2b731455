//! `evariste cpu`: what the CPU has, what was switched off, and which backends that leaves.

use anyhow::Result;
use evariste::cpu::{self, Features};
use evariste::{Backend, Candidate};
use serde::Serialize;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Show the CPU, its features, the switches in force and the backends
///
/// Backends are listed fastest first, the one that keys are made on as [active], the others as usable or
/// with the reason why they are not. EVARISTE_DISABLE=feature,… switches features off one by one;
/// EVARISTE_BACKEND=name chooses a backend.
#[derive(clap::Args)]
#[command(after_help = "Example: EVARISTE_DISABLE=avx512,vaes evariste cpu")]
pub(crate) struct Args {
    /// Print {cpu, features, disabled, backends: [{name, usable, active, reason}]} and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let machine = Machine::this();
    let text = if args.json { serde_json::to_string_pretty(&machine)? + "\n" } else { machine.text() };
    stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The JSON form.
#[derive(Serialize)]
struct Machine {
    cpu: String,
    features: Vec<&'static str>,
    disabled: Vec<&'static str>,
    backends: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    name: &'static str,
    usable: bool,
    active: bool,
    /// Why it is not usable.
    reason: Option<String>,
}

impl Machine {
    fn this() -> Self {
        let words = |features: Features| features.names().collect();
        Self {
            cpu: cpu::name().to_string(),
            features: words(cpu::detected()),
            disabled: words(cpu::disabled()),
            backends: Backend::candidates().map(Line::from).collect(),
        }
    }

    fn text(&self) -> String {
        let or_none = |words: &[&str]| if words.is_empty() { "none".into() } else { words.join(" ") };
        let chosen = std::env::var("EVARISTE_BACKEND").ok().filter(|name| Backend::active().name() == name);
        let mut out = format!("{:17} {}\n", "CPU", self.cpu);
        for (name, value) in [
            ("Features", or_none(&self.features)),
            ("EVARISTE_DISABLE", or_none(&self.disabled)),
            ("EVARISTE_BACKEND", chosen.unwrap_or_else(|| "none".into())),
        ] {
            out += &format!("{name:17} {value}\n");
        }
        out += "\nBackends, fastest first\n";
        let width = self.backends.iter().map(|b| b.name.len()).max().unwrap_or(0);
        for b in &self.backends {
            let state = if b.active { "[active]" } else { b.reason.as_deref().unwrap_or("usable") };
            out += &format!("  {:width$}  {state}\n", b.name);
        }
        out
    }
}

impl From<Candidate> for Line {
    fn from(c: Candidate) -> Self {
        let active = c.backend == Ok(Backend::active());
        Self { name: c.name, usable: c.backend.is_ok(), active, reason: c.backend.err().map(|r| r.to_string()) }
    }
}
