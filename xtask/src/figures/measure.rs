//! What is measured, of whom, on which CPUs.

use crate::guest::{self, Cpu, Guest, Plugin, Target};
use crate::model::{Cycles, Installed, KEYS, Subject, installations, newest};
use anyhow::{Context, Result};
use std::fmt;

/// The target that peers are built for, and that goals hold for.
pub(crate) const LITTLE: &str = "powerpc64le";
/// The other byte order.
pub(crate) const BIG: &str = "powerpc64";
pub(crate) const CPUS: [&str; 3] = ["power8", "power9", "power10"];
pub(crate) const EVARISTE: &str = "evariste";
const OPENSSL: &str = "openssl";
/// Switches OpenSSL's code for POWER off.
pub(crate) const PLAIN: &str = "OPENSSL_ppccap=0";
/// The messages whose blocks are counted.
const BLOCKS: usize = 8192;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Instructions for a block in a message of 8 KiB.
    Block,
    /// Instructions for a message of so many bytes.
    Message(usize),
    /// Instructions for a key, made in a way that bench has.
    Key(&'static str),
    /// Model cycles of the loops, for a block.
    Cycles,
    /// The same if no instruction waited for another.
    Bound,
}

/// What was measured, whoever did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct What {
    pub(crate) algorithm: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) quantity: Quantity,
}

pub(crate) struct Figure {
    pub(crate) target: &'static str,
    pub(crate) cpu: &'static str,
    pub(crate) implementation: String,
    pub(crate) what: What,
    pub(crate) value: f64,
}

#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

/// Algorithm, direction, and the lengths of short messages.
pub(crate) const OPERATIONS: &[(&str, &str, &[usize])] = &[
    ("aes-128-gcm", "seal", &[64, 16]),
    ("aes-128-gcm", "open", &[64, 16]),
    ("aes-192-gcm", "seal", &[]),
    ("aes-192-gcm", "open", &[]),
    ("aes-256-gcm", "seal", &[64, 16]),
    ("aes-256-gcm", "open", &[64, 16]),
    ("aes-128-ctr", "encrypt", &[64, 16]),
    ("aes-256-ctr", "encrypt", &[]),
    ("gmac", "hash", &[64, 16]),
    ("ghash", "hash", &[]),
];

/// Algorithms whose keys are measured.
pub(crate) const KEYED: &[&str] = &["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"];

/// What OpenSSL without its code for POWER is measured for.
pub(crate) const FOUNDING: &[(&str, &str)] = &[("aes-128-gcm", "seal"), ("aes-128-ctr", "encrypt")];

/// Everything on all CPUs.
pub(crate) fn all(plugin: &Plugin) -> Result<Figures> {
    let mut figures = Figures::default();
    for name in [LITTLE, BIG] {
        let (target, cpus) = Target::parse(name)?;
        let program = guest::build(target, "bench/Cargo.toml", "evariste-bench")?;
        let mut peers = installations(target, EVARISTE);
        if name == LITTLE {
            peers.extend(installations(target, OPENSSL));
            for peer in ["libgcrypt", "nettle"] {
                peers.push(newest(target, peer).with_context(|| format!("no {peer} for {name}"))?);
            }
        }
        for (cpu, Installed { peer, root }) in cpus.iter().flat_map(|cpu| peers.iter().map(move |p| (cpu, p))) {
            eprintln!("{name}:{} {peer}", cpu.name);
            let root = root.as_deref();
            let subject = |environment| {
                let guest = Guest { plugin, target, cpu, program: &program, root, environment };
                Subject { guest, peer, aad: 0 }
            };
            figures.add(target, cpu, &subject(&[]))?;
            if *peer == OPENSSL {
                figures.add_founding(target, cpu, &subject(&[PLAIN]))?;
            }
        }
    }
    Ok(figures)
}

impl Figures {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.0.iter()
    }

    pub(crate) fn get(&self, target: &str, cpu: &str, implementation: &str, what: What) -> Option<f64> {
        let same = |f: &&Figure| f.target == target && f.cpu == cpu && f.implementation == implementation;
        Some(self.iter().filter(same).find(|f| f.what == what)?.value)
    }

    /// All whose figures these are, in the order they came.
    pub(crate) fn implementations(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for figure in self.iter() {
            if !all.contains(&&*figure.implementation) {
                all.push(&figure.implementation);
            }
        }
        all
    }

    #[cfg(test)]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Figure> {
        self.0.iter_mut()
    }

    pub(crate) fn push(&mut self, figure: Figure) {
        self.0.push(figure);
    }

    fn add(&mut self, target: &Target, cpu: &Cpu, subject: &Subject<'_>) -> Result<()> {
        let mut put = |name: String, algorithm, direction, quantity, value| {
            let what = What { algorithm, direction, quantity };
            self.push(Figure { target: target.name, cpu: cpu.name, implementation: name, what, value });
        };
        for &(algorithm, direction, short) in OPERATIONS {
            if let Some(count) = subject.message(algorithm, direction, BLOCKS)? {
                put(count.name, algorithm, direction, Quantity::Block, a_block(count.instructions));
            }
            for &size in short {
                if let Some(count) = subject.message(algorithm, direction, size)? {
                    put(count.name, algorithm, direction, Quantity::Message(size), count.instructions);
                }
            }
            // A mode in two passes has two loops.
            let loops = subject.loops(algorithm, direction)?;
            let cycles: Option<Vec<_>> = loops.iter().map(|l| l.cycles.as_ref()).collect();
            if let (Some(first), Some(cycles)) = (loops.first(), cycles) {
                let sum = |of: fn(&Cycles) -> f64| cycles.iter().map(|c| of(c)).sum();
                put(first.name.clone(), algorithm, direction, Quantity::Cycles, sum(|c| c.cycles));
                put(first.name.clone(), algorithm, direction, Quantity::Bound, sum(|c| c.bound));
            }
        }
        for (algorithm, how) in KEYED.iter().flat_map(|a| KEYS.iter().map(move |how| (a, how))) {
            if let Some(count) = subject.key(algorithm, how)? {
                put(count.name, algorithm, "", Quantity::Key(how), count.instructions);
            }
        }
        Ok(())
    }

    fn add_founding(&mut self, target: &Target, cpu: &Cpu, subject: &Subject<'_>) -> Result<()> {
        for &(algorithm, direction) in FOUNDING {
            if let Some(count) = subject.message(algorithm, direction, BLOCKS)? {
                let what = What { algorithm, direction, quantity: Quantity::Block };
                let implementation = format!("{}, {PLAIN}", count.name);
                let value = a_block(count.instructions);
                self.push(Figure { target: target.name, cpu: cpu.name, implementation, what, value });
            }
        }
        Ok(())
    }
}

fn a_block(instructions: f64) -> f64 {
    instructions * 16.0 / BLOCKS as f64
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block => f.write_str("instructions a block"),
            Self::Message(size) => write!(f, "instructions, {size} bytes"),
            Self::Key("new") => f.write_str("instructions for a new key"),
            Self::Key(how) => write!(f, "instructions for a key {}", how.replace('-', " ")),
            Self::Cycles => f.write_str("cycles a block"),
            Self::Bound => f.write_str("bound of the cycles a block"),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = self.algorithm.to_uppercase();
        match self.direction {
            "seal" | "open" => write!(f, "{algorithm}, {}: {}", self.direction, self.quantity),
            _ => write!(f, "{algorithm}: {}", self.quantity),
        }
    }
}
