//! Chunked messages and headers that are made here and by Python, and read by the other.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of PyPI. cryptography has the chunks' format from version 50 on, under the name Cobblestone.
const PACKAGES: [&str; 2] = ["cryptography==50.0.2", "argon2-cffi==25.1.0"];

/// Python with the packages, which are installed for nobody else, and once.
pub fn python(cache: &Path) -> Result<Command> {
    let packages = packages(cache)?;
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages);
    Ok(python)
}

fn packages(cache: &Path) -> Result<PathBuf> {
    let target = cache.join(PACKAGES.join(" "));
    if !target.is_dir() {
        let unpacked = tempfile::tempdir_in(cache)?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
        run(pip.arg(unpacked.path()).args(PACKAGES)).context("Python's packages are not there and not to be had")?;
        // Whole or not at all; another test may have been faster.
        let renamed = std::fs::rename(unpacked.keep(), &target);
        ensure!(renamed.is_ok() || target.is_dir(), "{renamed:?}");
    }
    Ok(target)
}

/// What a program prints, which must succeed.
pub fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(String::from_utf8(output.stdout)?)
}
