//! `cargo xtask figures`: what is promised for CPUs that nobody here has, beside what was measured: of the core for
//! `power`, of the provider under OpenSSL for `openssl`.
//!
//! All are model figures: instructions of an emulated CPU, and cycles of LLVM's models. `model` measures one
//! thing or another; this is the whole table, for docs/performance.md.

mod goals;
mod measure;
mod openssl;
mod tables;

use crate::guest::{Plugin, Target};
use crate::model::mca_version;
use anyhow::{Context, Result, ensure};
use chrono::Utc;
use goals::Verdict;
use measure::Figures;
use serde_json::{Value, json};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is measured
    what: What,
    /// Print all figures and verdicts as JSON, for programs
    #[arg(long)]
    json: bool,
    /// Also put the tables into docs/performance.md, in the place of those that are there
    #[arg(long)]
    write: bool,
    /// Fail when a goal is missed; otherwise only what cannot be measured is a failure
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// The core on POWER8, POWER9 and POWER10, in both byte orders
    Power,
    /// The provider under Debian's OpenSSLs on the same, in little endian, beside OpenSSL's own
    Openssl,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let plugin = Plugin::new()?;
    let (target, _) = Target::parse(measure::LITTLE)?;
    let mut with = vec![
        format!("qemu {}", plugin.qemu_version(target)?),
        rustc_version()?,
        Utc::now().format("%Y-%m-%d").to_string(),
    ];
    match args.what {
        What::Openssl => openssl::run(args, &plugin, &with),
        What::Power => {
            with.insert(0, format!("llvm-mca {}", mca_version()?));
            power(args, &plugin, &with)
        }
    }
}

fn power(args: &Args, plugin: &Plugin, with: &[String]) -> Result<()> {
    let figures = measure::all(plugin)?;
    let verdicts = goals::verdicts(&figures)?;
    let text = tables::text(&figures, &verdicts, with);
    if args.json {
        println!("{:#}", to_json(&figures, &verdicts, with));
    } else {
        print!("{text}");
    }
    if args.write {
        document::write(document::PERFORMANCE, tables::COMMAND, &text)?;
    }
    let missed = verdicts.iter().filter(|v| !v.met()).count();
    ensure!(!args.check || missed == 0, "{missed} of {} goals are missed", verdicts.len());
    Ok(())
}

fn rustc_version() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().context("rustc")?;
    let printed = String::from_utf8(output.stdout)?;
    let words: Vec<_> = printed.split_whitespace().take(2).collect();
    Ok(words.join(" "))
}

fn to_json(figures: &Figures, verdicts: &[Verdict], with: &[String]) -> Value {
    let figure = |f: &measure::Figure| {
        json!({
            "target": f.target, "cpu": f.cpu, "implementation": f.implementation, "algorithm": f.what.algorithm,
            "direction": f.what.direction, "quantity": f.what.quantity.to_string(), "value": f.value,
        })
    };
    let verdict = |v: &Verdict| {
        json!({
            "goal": v.goal, "cpu": v.cpu, "value": v.value, "limit": v.limit.number(),
            "at_least": v.limit.is_least(), "met": v.met(),
        })
    };
    json!({
        "with": with,
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
        "goals": verdicts.iter().map(verdict).collect::<Vec<_>>(),
    })
}
