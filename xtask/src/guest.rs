//! Programs for other CPUs, in qemu-user.

pub(crate) mod debian;
mod qemu;
mod target;

pub(crate) use qemu::{Guest, Plugin};
pub(crate) use target::{Cpu, TARGETS, Target};

use crate::cross::setup;
use crate::subject;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where what is fetched stays.
pub(crate) fn cache() -> Result<PathBuf> {
    setup::cache("evariste-model")
}

/// Builds a program for `target`, optimized, and says where it is.
pub(crate) fn build(target: &Target, manifest: &str, binary: &str) -> Result<PathBuf> {
    Ok(build_all(target, manifest, &["--bin", binary])?.join(binary))
}

/// Builds what the arguments say for `target`, optimized, and says which directory it is in.
pub(crate) fn build_all(target: &Target, manifest: &str, arguments: &[&str]) -> Result<PathBuf> {
    let directory = subject::target_dir()?;
    let compiler = format!("{}-gcc", target.gnu);
    let triple = target.triple.replace('-', "_");
    cargo(manifest, &[arguments, &["--target", target.triple]].concat(), &directory, |cargo| {
        cargo.env(format!("CARGO_TARGET_{}_LINKER", triple.to_uppercase()), &compiler);
        // For the C code of peers.
        cargo.env(format!("CC_{triple}"), &compiler);
    })
    .with_context(|| {
        format!("rustup target add {}, and {compiler} from the package gcc-{}", target.triple, target.gnu)
    })?;
    Ok(directory.join(target.triple).join("release"))
}

/// Builds the plugin for this machine.
pub(crate) fn build_plugin() -> Result<PathBuf> {
    let directory = subject::target_dir()?;
    cargo("xtask/plugin/Cargo.toml", &[], &directory, |_| ())?;
    Ok(directory.join("release/libplugin.so"))
}

fn cargo(manifest: &str, arguments: &[&str], directory: &Path, environment: impl FnOnce(&mut Command)) -> Result<()> {
    let mut cargo = subject::cargo();
    cargo.current_dir(subject::workspace()).args(["build", "--quiet", "--release", "--manifest-path", manifest]);
    cargo.args(arguments).arg("--target-dir").arg(directory);
    // What `cargo xtask` says of xtask is not about what is built here: build scripts would run again for it.
    let own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(own)).for_each(|(name, _)| {
        cargo.env_remove(name);
    });
    environment(&mut cargo);
    ensure!(cargo.status().context("cargo")?.success(), "cannot build {manifest} with {arguments:?}");
    Ok(())
}
