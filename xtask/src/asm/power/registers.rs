//! The registers of POWER.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fmt;

/// A register, as one name of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Register {
    /// r0 to r31.
    General(u8),
    /// v0 to v31, also vs32 to vs63.
    Vector(u8),
    /// vs0 to vs31, of which f0 to f31 are the upper halves.
    Vsx(u8),
    Cr(u8),
    Ctr,
    Lr,
    Xer,
}

impl Register {
    pub(super) fn general(n: i64) -> Result<Self> {
        number(n, 32).map(Self::General)
    }

    pub(super) fn vector(n: i64) -> Result<Self> {
        number(n, 32).map(Self::Vector)
    }

    /// Of all 64, in the numbers of VSX.
    pub(super) fn vsx(n: i64) -> Result<Self> {
        Ok(if n < 32 { Self::Vsx(number(n, 32)?) } else { Self::Vector(number(n - 32, 32)?) })
    }

    /// The other half of the register is lost when this one is written.
    pub(super) fn float(n: i64) -> Result<Self> {
        number(n, 32).map(Self::Vsx)
    }

    /// By the name that LLVM has for it.
    pub(super) fn named(name: &str) -> Result<Self> {
        match name {
            "ctr" => return Ok(Self::Ctr),
            "lr" => return Ok(Self::Lr),
            "xer" => return Ok(Self::Xer),
            _ => {}
        }
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let n = name[kind.len()..].parse().with_context(|| format!("no register {name}"))?;
        match kind {
            "r" => Self::general(n),
            "v" => Self::vector(n),
            "vs" => Self::vsx(n),
            "f" => Self::float(n),
            "cr" => number(n, 8).map(Self::Cr),
            _ => bail!("no register {name}"),
        }
    }

    /// Whether a function that changes it must restore it (both ELF ABIs, §2.2).
    pub(super) fn belongs_to_caller(self) -> bool {
        match self {
            Self::General(n) | Self::Vsx(n) => n >= 14,
            Self::Vector(n) => n >= 20,
            Self::Cr(n) => (2..=4).contains(&n),
            Self::Ctr | Self::Lr | Self::Xer => false,
        }
    }

    fn parts(self) -> (&'static str, Option<u8>) {
        match self {
            Self::General(n) => ("r", Some(n)),
            Self::Vector(n) => ("v", Some(n)),
            Self::Vsx(n) => ("vs", Some(n)),
            Self::Cr(n) => ("cr", Some(n)),
            Self::Ctr => ("ctr", None),
            Self::Lr => ("lr", None),
            Self::Xer => ("xer", None),
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, n) = self.parts();
        write!(f, "{kind}{}", n.map_or(String::new(), |n| n.to_string()))
    }
}

fn number(n: i64, end: u8) -> Result<u8> {
    ensure!((0..end.into()).contains(&n), "{n} is no number of a register");
    Ok(n as u8)
}

/// `v0-3 v5 ctr`.
pub(super) fn ranges(registers: &BTreeSet<Register>) -> String {
    let mut runs = Vec::<(Register, Register)>::new();
    for register in registers {
        let (kind, n) = register.parts();
        match runs.last_mut() {
            Some((_, last)) if n.is_some() && last.parts() == (kind, n.and_then(|n| n.checked_sub(1))) => {
                *last = *register;
            }
            _ => runs.push((*register, *register)),
        }
    }
    let text = |(first, last): &(Register, Register)| match last.parts() {
        (_, Some(n)) if first != last => format!("{first}-{n}"),
        _ => first.to_string(),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_register_has_several_names() {
        let named = |name| Register::named(name).unwrap();
        assert_eq!(named("vs33"), named("v1"));
        assert_eq!(named("f14"), named("vs14"));
        assert_eq!(Register::vsx(63).unwrap(), named("v31"));
        for name in ["v32", "vs64", "r32", "cr8", "v", "w1", "", "memory"] {
            assert!(Register::named(name).is_err(), "{name}");
        }
    }

    #[test]
    fn ranges_are_short() {
        let set = ["v0", "v1", "v2", "v5", "vs3", "ctr", "r17", "cr0"].map(|name| Register::named(name).unwrap());
        assert_eq!(ranges(&set.into()), "r17 v0-2 v5 vs3 cr0 ctr");
        assert_eq!(ranges(&BTreeSet::new()), "");
    }
}
