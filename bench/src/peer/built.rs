//! Peers in Rust crates of their own, which this program has cargo build beside it.
//!
//! RustCrypto's portable AES is chosen by a flag for a whole build. BoringSSL's symbols have the names of OpenSSL's.

use super::{Library, foreign, later};
use anyhow::{Context, Result, ensure};
use libloading::library_filename;
use std::env;
use std::fs::read_dir;
use std::path::Path;
use std::process::Command;

/// Has cargo build the member of this workspace where it is not up to date, and loads it.
fn load(package: &str, flags: &str) -> Result<Box<dyn Library>> {
    let target = later::build_dir()?.join(package);
    let built = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--locked", "--package", package])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", flags)
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "cargo could not build it");
    foreign::load(&target.join("release").join(library_filename(package.replace('-', "_"))))
}

pub(crate) const SOFT: &str = "rustcrypto-soft";

pub(crate) fn soft() -> Result<Box<dyn Library>> {
    load(SOFT, "--cfg aes_backend=\"soft\"")
}

pub(crate) const BORING: &str = "boring";

/// Installs what it needs, if so told.
pub(crate) fn boring(install: bool) -> Result<Box<dyn Library>> {
    let missing = missing_tools();
    if install {
        debian::install(&missing)?;
    } else {
        ensure!(missing.is_empty(), "it cannot be built: apt-get install {}", missing.join(" "));
    }
    load("bench-boring", "")
}

/// Packages that have what BoringSSL is built with.
fn missing_tools() -> Vec<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let cmake = env::split_paths(&path).any(|dir| dir.join("cmake").is_file());
    // Where Debian keeps each LLVM.
    let clang = |dir: &Path| dir.join("lib/libclang.so").exists();
    let clang = read_dir("/usr/lib").is_ok_and(|dirs| dirs.flatten().any(|dir| clang(&dir.path())));
    let needs = [("cmake", cmake), ("libclang-dev", clang)];
    needs.into_iter().filter(|(_, there)| !there).map(|(package, _)| package.to_owned()).collect()
}
