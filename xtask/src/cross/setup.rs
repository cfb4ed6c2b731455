//! What must be there to build for another CPU and to run it: std, a C compiler to link with, an emulator.
//!
//! Whatever is there already is taken; the rest is installed (std by rustup, the compiler from Debian) or put
//! into a folder of its own, `$XDG_CACHE_HOME/evariste-cross`: an emulator newer than Debian's, and std built
//! from its sources where rustup has none.

mod emulator;
mod libc_970;
mod std_library;

use super::matrix::{Case, Target};
use anyhow::Result;
pub(crate) use debian::{cache, output, replace, say};
pub(crate) use emulator::Emulators;
use std::path::{Path, PathBuf};
pub(crate) use std_library::{Origin, Std, rustc};

/// What was set up.
pub(crate) struct Tools {
    pub(crate) std: Std,
    pub(crate) emulators: Emulators,
    cache: PathBuf,
}

impl Tools {
    /// Sets up all that these targets need.
    pub(crate) fn prepare(targets: &[&Target], origin: Origin) -> Result<Self> {
        let cache = cache("evariste-cross")?;
        debian::install(&missing_packages(targets))?;
        let triples: Vec<_> = targets.iter().filter(|t| t.libc.is_some()).map(|t| t.triple).collect();
        let std = Std::prepare(&triples, origin, &cache)?;
        let emulators = Emulators::prepare(targets, &cache)?;
        Ok(Self { std, emulators, cache })
    }

    /// A folder with libraries to take before those of the target, for a CPU that needs one.
    pub(crate) fn libraries(&self, target: &Target, case: &Case) -> Result<Option<PathBuf>> {
        (case.cpu == "970").then(|| libc_970::prepare(&library(target), &self.cache)).transpose()
    }
}

/// Compilers and C libraries that are not there.
fn missing_packages(targets: &[&Target]) -> Vec<String> {
    let mut missing = Vec::new();
    for target in targets {
        if let Some(libc) = target.libc {
            if on_path(&format!("{}-gcc", target.gnu)).is_none() {
                missing.push(format!("gcc-{}", target.gnu));
            }
            if !library(target).join("lib/crt1.o").exists() {
                missing.push(libc.to_owned());
            }
        }
    }
    missing
}

/// Where the C library of a target is: what the emulator takes as `/`.
pub(crate) fn library(target: &Target) -> PathBuf {
    if target.libc.is_some() { Path::new("/usr").join(target.gnu) } else { "/".into() }
}

/// Where a program is.
fn on_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}
