//! `cargo xtask asm`: what the compiler made of the kernels, and what they say of themselves.

mod aarch64;
mod ir;
mod machine;
mod power;
mod reach;

use crate::cross::setup::{self, Origin, Std};
use anyhow::{Result, ensure};
use ir::Module;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// The machine code, and what the backends reach
    #[value(name = "x86-64")]
    X86_64,
    /// The operands of single instructions, and what the backends reach
    Aarch64,
    /// The assembly, for both byte orders, and what the backends reach
    Power,
}

impl Part {
    const ALL: [Self; 3] = [Self::X86_64, Self::Aarch64, Self::Power];

    fn triples(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &["x86_64-unknown-linux-gnu"],
            Self::Aarch64 => &["aarch64-unknown-linux-gnu"],
            Self::Power => &["powerpc64le-unknown-linux-gnu", "powerpc64-unknown-linux-gnu"],
        }
    }

    /// The types of the backends and halves that must be there.
    fn backends(self) -> &'static str {
        match self {
            Self::X86_64 => "AesNi AesNiAvx SseAes SseClmul Ssse3 Vaes256 Vaes512",
            Self::Aarch64 => "Armv8 Armv8Aes Armv8Pmull Armv8Sha3 Neon",
            Self::Power => "Power<Power10> Power<Power8> Power<Power9>",
        }
    }
}

pub(crate) fn run(parts: &[Part]) -> Result<()> {
    let parts = if parts.is_empty() { &Part::ALL } else { parts };
    let triples: Vec<_> = parts.iter().flat_map(|part| part.triples()).copied().collect();
    let std = Std::prepare(&triples, Origin::Any, &setup::cache("evariste-cross")?)?;
    let mut violations = Vec::new();
    if parts.contains(&Part::X86_64) {
        violations.extend(machine::violations()?);
    }
    for part in parts {
        for triple in part.triples() {
            println!("\n{triple}");
            let module = Module::of_core(triple, &std)?;
            let mut add = |found: Vec<String>| violations.extend(found.iter().map(|what| format!("{triple}: {what}")));
            match part {
                Part::X86_64 => {}
                Part::Aarch64 => add(aarch64::violations(&module)),
                Part::Power => {
                    power::planted_clobber_is_found(triple, &std)?;
                    add(power::violations(&module));
                }
            }
            let found = reach::check(&module);
            let backends = found.reached.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
            ensure!(backends == part.backends(), "the backends are {backends}, must be {}", part.backends());
            let reached: Vec<_> = found.reached.iter().map(|(backend, n)| format!("{backend} {n}")).collect();
            println!("functions and constants reached: {}", reached.join(", "));
            add(found.violations);
        }
    }
    violations.iter().for_each(|v| println!("{v}"));
    ensure!(violations.is_empty(), "{} violations", violations.len());
    Ok(())
}
