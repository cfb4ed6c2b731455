//! `cargo xtask figures openssl`: what programs on OpenSSL's EVP take with our provider, beside OpenSSL's own, and that
//! without its code for POWER.
//!
//! A program goes round a loop 12 times and 20 times under qemu: an eighth of what that differs by is a round.

use super::Args;
use super::measure::{CPUS, LITTLE, PLAIN};
use crate::guest::{self, Guest, Plugin, Target};
use crate::model::{Installed, installations};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const COMMAND: &str = "cargo xtask figures openssl --write";

/// As many digits, so that the guest's stack is the same.
const FEW: usize = 12;
const MANY: usize = 20;

/// The cipher, what a program does with it over and over, and that in words.
const LOOPS: [(&str, &str, &str); 5] = [
    ("AES-128-GCM", "keyed", "a key for each"),
    ("AES-128-GCM", "message", "one key"),
    ("AES-256-GCM", "keyed", "a key for each"),
    ("AES-256-GCM", "message", "one key"),
    ("AES-128-CTR", "update", "one text"),
];
const SIZES: [&str; 2] = ["16", LONG];
const LONG: &str = "8192";

/// How many times as many instructions OpenSSL's own provider takes for GCM on POWER9, and how many times as many
/// without its code for POWER, for GCM and CTR: the latter were once measured in time on a POWER8.
const OWN: f64 = 1.25;
const FOUNDING: [f64; 2] = [18.0, 31.4];

/// One loop under one OpenSSL on one CPU: instructions of a round.
struct Figure {
    openssl: String,
    cpu: &'static str,
    cipher: &'static str,
    what: &'static str,
    size: &'static str,
    ours: f64,
    own: f64,
    plain: f64,
}

/// What is run on the guest.
struct Programs {
    evp: PathBuf,
    /// Where the provider is, as `evariste.so`.
    modules: PathBuf,
}

pub(super) fn run(args: &Args, plugin: &Plugin, with: &[String]) -> Result<()> {
    let figures = all(plugin)?;
    ensure!(!figures.is_empty(), "no OpenSSL to measure");
    let missed: Vec<_> = figures.iter().flat_map(Figure::missed).collect();
    let text = text(&figures, &missed, with);
    if args.json {
        println!("{:#}", json!({ "with": with, "figures": figures.iter().map(Figure::to_json).collect::<Vec<_>>() }));
    } else {
        print!("{text}");
    }
    if args.write {
        document::write(document::PERFORMANCE, COMMAND, &text)?;
    }
    ensure!(!args.check || missed.is_empty(), "{} goals are missed", missed.len());
    Ok(())
}

fn all(plugin: &Plugin) -> Result<Vec<Figure>> {
    let (target, cpus) = Target::parse(LITTLE)?;
    let programs = Programs::build(target)?;
    let mut figures = Vec::new();
    for Installed { root, .. } in installations(target, "openssl") {
        let root = root.as_deref().context("a library of Debian is somewhere")?;
        for cpu in cpus {
            eprintln!("{LITTLE}:{} {}", cpu.name, root.display());
            let guest =
                |environment| Guest { plugin, target, cpu, program: &programs.evp, root: Some(root), environment };
            let (usual, without) = (guest(&[]), guest(&[PLAIN]));
            for ((cipher, name, what), size) in LOOPS.iter().flat_map(|l| SIZES.map(|size| (*l, size))) {
                let count = |guest, provider| programs.count(guest, provider, [cipher, name, size]);
                let (ours, made, openssl) = count(&usual, "evariste")?;
                let (own, expected, _) = count(&usual, "default")?;
                let (plain, also, _) = count(&without, "default")?;
                ensure!(made == expected && made == also, "{cipher} {what} {size}: another text");
                figures.push(Figure { openssl, cpu: cpu.name, cipher, what, size, ours, own, plain });
            }
        }
    }
    Ok(figures)
}

impl Programs {
    fn build(target: &Target) -> Result<Self> {
        let provider = guest::build_all(target, "Cargo.toml", &["--package", "evariste-openssl"])?;
        let modules = provider.join("openssl-figures");
        std::fs::create_dir_all(&modules)?;
        std::fs::copy(provider.join("libevariste_openssl.so"), modules.join("evariste.so"))?;
        let example = ["--package", "evariste-openssl-tests", "--example", "evp"];
        let evp = guest::build_all(target, "integration/Cargo.toml", &example)?.join("examples/evp");
        Ok(Self { evp, modules })
    }

    /// Instructions of a round, the digest of the text, and OpenSSL's version.
    fn count(
        &self,
        guest: &Guest<'_>,
        provider: &str,
        [cipher, name, size]: [&str; 3],
    ) -> Result<(f64, String, String)> {
        let modules = path(&self.modules)?;
        let run = |rounds: usize| -> Result<(String, u64)> {
            let arguments = ["count", modules, provider, cipher, name, size, &rounds.to_string()];
            let (printed, count) = guest.watch("job=count", &arguments)?;
            Ok((printed, count.trim().parse()?))
        };
        let ((_, few), (printed, many)) = (run(FEW)?, run(MANY)?);
        let mut words = printed.split_whitespace();
        let digest = words.next().with_context(|| printed.clone())?.to_owned();
        let version = words.take(2).collect::<Vec<_>>().join(" ");
        ensure!(many > few, "{provider} {cipher} {name}: more rounds take no more instructions");
        Ok(((many - few) as f64 / (MANY - FEW) as f64, digest, version))
    }
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| path.display().to_string())
}

impl Figure {
    /// Goals that this misses, in words.
    fn missed(&self) -> Vec<String> {
        let is_gcm = self.cipher.ends_with("GCM");
        let mut goals = Vec::new();
        if self.size == LONG {
            goals.push((self.plain, FOUNDING[usize::from(!is_gcm)], PLAIN));
            if is_gcm && self.cpu == CPUS[1] {
                goals.push((self.own, OWN, "OpenSSL's own"));
            }
        }
        let missed = goals.into_iter().map(|(theirs, goal, whose)| (theirs / self.ours, goal, whose));
        let missed = missed.filter(|(ratio, goal, _)| ratio < goal);
        let Self { openssl, cpu, .. } = self;
        missed
            .map(|(ratio, goal, whose)| format!("{openssl}, {cpu}, {}: {whose} {ratio:.2} < {goal}", self.name()))
            .collect()
    }

    fn name(&self) -> String {
        format!("{}, {} bytes, {}", self.cipher, self.size, self.what)
    }

    fn to_json(&self) -> serde_json::Value {
        json!({
            "openssl": self.openssl, "cpu": self.cpu, "cipher": self.cipher, "loop": self.what, "bytes": self.size,
            "evariste": self.ours, "own": self.own, "plain": self.plain,
        })
    }
}

/// A table for each OpenSSL and CPU.
fn text(figures: &[Figure], missed: &[String], with: &[String]) -> String {
    let mut text = format!("{}. {} goals are missed.\n", with.join(", "), missed.len());
    text += if missed.is_empty() { "" } else { "\n" };
    text.extend(missed.iter().map(|missed| format!("- missed: {missed}\n")));
    let mut last = None;
    for figure in figures {
        let Figure { openssl, cpu, ours, own, plain, .. } = figure;
        if last.replace((openssl, cpu)) != Some((openssl, cpu)) {
            let _ = write!(
                text,
                "\n| {openssl}, {cpu} | evariste | own | times | {PLAIN} | times |\n|---|---|---|---|---|---|\n"
            );
        }
        let (times, founding) = (own / ours, plain / ours);
        let name = figure.name();
        let _ = writeln!(text, "| {name} | {ours:.0} | {own:.0} | **{times:.2}** | {plain:.0} | {founding:.1} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(cipher: &'static str, cpu: &'static str, own: f64, plain: f64) -> Figure {
        Figure { openssl: "OpenSSL 3".into(), cpu, cipher, what: "one key", size: LONG, ours: 100.0, own, plain }
    }

    #[test]
    fn goals_are_missed_by_ratios() {
        let missed = |cipher, cpu, own, plain| figure(cipher, cpu, own, plain).missed().len();
        assert_eq!(missed("AES-128-GCM", "power9", 125.0, 1800.0), 0);
        assert_eq!(missed("AES-128-GCM", "power9", 124.0, 1799.0), 2);
        assert_eq!(missed("AES-128-GCM", "power8", 90.0, 1800.0), 0);
        assert_eq!(missed("AES-128-CTR", "power9", 90.0, 3139.0), 1);
        assert_eq!(Figure { size: "16", ..figure("AES-128-CTR", "power9", 90.0, 90.0) }.missed().len(), 0);
    }

    #[test]
    fn tables_have_a_head_for_each_cpu() {
        let figures = ["power8", "power9"].map(|cpu| figure("AES-128-GCM", cpu, 150.0, 2000.0));
        let text = text(&figures, &["it".into()], &["qemu 7".into()]);
        assert!(text.starts_with("qemu 7. 1 goals are missed.\n\n- missed: it\n\n| OpenSSL 3, power8 |"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("|---")).count(), 2);
        assert!(
            text.ends_with("| AES-128-GCM, 8192 bytes, one key | 100 | 150 | **1.50** | 2000 | 20.0 |\n"),
            "{text}"
        );
    }

    #[test]
    fn tables_have_a_place() {
        let there = std::fs::read_to_string(document::path(document::PERFORMANCE)).expect("the document");
        assert!(document::splice(&there, COMMAND, "new\n").is_ok());
    }
}
