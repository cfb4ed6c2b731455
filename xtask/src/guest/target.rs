//! Which CPUs there are.

use anyhow::{Context, Result};

/// An architecture.
pub(crate) struct Target {
    /// As the user names it.
    pub(crate) name: &'static str,
    /// As Rust does.
    pub(crate) triple: &'static str,
    /// As GCC does, and LLVM.
    pub(crate) gnu: &'static str,
    /// As qemu does.
    pub(crate) qemu: &'static str,
    /// What starts its programs.
    pub(crate) loader: &'static str,
    /// As Debian does, where it has packages.
    pub(crate) debian: Option<&'static str>,
    /// What makes LLVM read all instructions.
    pub(crate) everything: &'static str,
    pub(crate) cpus: &'static [Cpu],
}

/// A CPU.
pub(crate) struct Cpu {
    pub(crate) name: &'static str,
    /// What is emulated.
    pub(crate) qemu: &'static str,
    /// LLVM's model of it, and what has to be switched on in that.
    pub(crate) mca: Option<(&'static str, &'static str)>,
}

/// qemu 7.2 has no Neoverse V1 and V2: these are all features it has, under the number by which peers choose
/// their code.
pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        gnu: "aarch64-linux-gnu",
        qemu: "aarch64",
        loader: "ld-linux-aarch64.so.1",
        debian: Some("arm64"),
        everything: "-mattr=+all",
        cpus: &[
            Cpu { name: "cortex-a53", qemu: "cortex-a53", mca: None },
            Cpu { name: "neoverse-n1", qemu: "neoverse-n1", mca: Some(("neoverse-n1", "+aes")) },
            Cpu { name: "neoverse-v1", qemu: "max,midr=0x411fd401", mca: Some(("neoverse-v1", "+aes,+sha3")) },
            Cpu { name: "neoverse-v2", qemu: "max,midr=0x411fd4f1", mca: Some(("neoverse-v2", "+aes,+sha3")) },
        ],
    },
    Target {
        name: "powerpc64le",
        triple: "powerpc64le-unknown-linux-gnu",
        gnu: "powerpc64le-linux-gnu",
        qemu: "ppc64le",
        loader: "ld64.so.2",
        debian: Some("ppc64el"),
        everything: "-mcpu=pwr10",
        cpus: POWER,
    },
    Target {
        name: "powerpc64",
        triple: "powerpc64-unknown-linux-gnu",
        gnu: "powerpc64-linux-gnu",
        qemu: "ppc64",
        loader: "ld64.so.1",
        debian: None,
        everything: "-mcpu=pwr10",
        cpus: POWER,
    },
];

const POWER: &[Cpu] = &[
    Cpu { name: "power8", qemu: "power8", mca: Some(("pwr8", "")) },
    Cpu { name: "power9", qemu: "power9", mca: Some(("pwr9", "")) },
    Cpu { name: "power10", qemu: "power10", mca: Some(("pwr10", "")) },
];

impl Target {
    /// `TARGET` or `TARGET:CPU`: the CPUs that it stands for.
    pub(crate) fn parse(text: &str) -> Result<(&'static Target, &'static [Cpu])> {
        let (name, cpu) = text.split_once(':').map_or((text, None), |(name, cpu)| (name, Some(cpu)));
        let known = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
        let target = TARGETS.iter().find(|t| t.name == name);
        let target = target.with_context(|| format!("no target {name}; there are {}", known()))?;
        let Some(cpu) = cpu else { return Ok((target, target.cpus)) };
        let known = || target.cpus.iter().map(|c| c.name).collect::<Vec<_>>().join(", ");
        let index = target.cpus.iter().position(|c| c.name == cpu);
        let index = index.with_context(|| format!("no CPU {cpu} of {name}; there are {}", known()))?;
        Ok((target, &target.cpus[index..=index]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_cpus_have_names() {
        let parse = |text| Target::parse(text).map(|(t, cpus)| (t.triple, cpus.len())).ok();
        assert_eq!(parse("aarch64"), Some(("aarch64-unknown-linux-gnu", 4)));
        assert_eq!(parse("powerpc64:power9"), Some(("powerpc64-unknown-linux-gnu", 1)));
        assert_eq!(parse("powerpc64:neoverse-n1"), None);
        assert_eq!(parse("vax"), None);
    }
}
