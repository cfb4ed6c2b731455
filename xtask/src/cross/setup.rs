//! What must be there to build for another CPU and to run it: std, a C compiler to link with, an emulator.
//!
//! Whatever is there already is taken; the rest is installed (std by rustup, the compiler from Debian) or put
//! into a folder of its own, `$XDG_CACHE_HOME/evariste-cross`: an emulator newer than Debian's, and std built
//! from its sources where rustup has none.

mod emulator;
mod libc_970;
mod std_library;

use super::matrix::{Case, Target};
use crate::debian;
use anyhow::{Context, Result, ensure};
pub(crate) use emulator::Emulators;
use std::path::{Path, PathBuf};
use std::process::Command;
pub(crate) use std_library::{Origin, Std};

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

/// A folder of our own for what is fetched, under `XDG_CACHE_HOME` or `~/.cache`.
pub(crate) fn cache(name: &str) -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join(name);
    std::fs::create_dir_all(&cache).with_context(|| cache.display().to_string())?;
    Ok(cache)
}

/// Where a program is.
fn on_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

pub(crate) fn say(what: &str) {
    eprintln!("set-up: {what}");
}

/// What a command prints, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(String::from_utf8(output.stdout)?)
}

/// Takes the place of `to` by what `fill` puts into an empty folder: all of it, or nothing.
pub(crate) fn replace(to: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let new = to.with_added_extension("new");
    for old in [&new, to] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    std::fs::create_dir_all(&new)?;
    fill(&new)?;
    std::fs::rename(new, to)?;
    Ok(())
}
