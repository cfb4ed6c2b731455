//! Chunked messages that are sealed here and opened by Python's `cryptography`, and the other way round.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package of PyPI; from version 50 on it has the format, under the name Cobblestone.
const PACKAGE: &str = "cryptography==50.0.2";

/// Python with the package, which is installed for nobody else, and once.
pub fn python(cache: &Path) -> Result<Command> {
    let packages = packages(cache)?;
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages);
    Ok(python)
}

fn packages(cache: &Path) -> Result<PathBuf> {
    let target = cache.join(PACKAGE);
    if !target.is_dir() {
        let unpacked = tempfile::tempdir_in(cache)?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
        run(pip.arg(unpacked.path()).arg(PACKAGE)).context("cryptography is not there and not to be had")?;
        // Whole or not at all; another test may have been faster.
        let renamed = std::fs::rename(unpacked.keep(), &target);
        ensure!(renamed.is_ok() || target.is_dir(), "{renamed:?}");
    }
    Ok(target)
}

/// Runs a program that must succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(())
}
