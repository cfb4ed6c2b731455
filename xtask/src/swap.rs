//! `cargo xtask swap`: crates of the registry run their own tests on evariste.
//!
//! Their sources come from cargo's registry, at exact versions, and are copied to `target/swap`. There the manifest
//! names evariste's packages instead of RustCrypto's, and nothing else is changed.

mod manifest;
mod subjects;

use crate::subject::{cargo, target_dir, workspace};
use crate::table::table;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use subjects::{SUBJECTS, Subject};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Crates of the table; all unless named
    #[arg(value_name = "CRATE")]
    crates: Vec<String>,

    /// With RustCrypto's packages, as they are: what the table says that passes
    #[arg(long)]
    model: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    for name in &args.crates {
        ensure!(SUBJECTS.iter().any(|s| s.name == name), "{name} is not in the table of xtask/src/swap/subjects.rs");
    }
    let wanted = |s: &&Subject| args.crates.is_empty() || args.crates.iter().any(|name| name == s.name);
    let folder = target_dir()?.join("swap").join(if args.model { "model" } else { "evariste" });
    let mut rows = Vec::new();
    let mut less = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        let copy = folder.join(format!("{}-{}", subject.name, subject.version));
        copy_sources(subject, &copy)?;
        let swapped = if args.model {
            Vec::new()
        } else {
            manifest::swap(&copy.join("Cargo.toml"), &workspace().canonicalize()?)?
        };
        if !args.model {
            check_graph(subject, &copy, &swapped)?;
        }
        let passed = test(subject, &copy)?;
        if passed < subject.passed {
            less.push(format!("{}: {passed} tests passed, {} with RustCrypto", subject.name, subject.passed));
        }
        rows.push([
            format!("{} {}", subject.name, subject.version),
            passed.to_string(),
            subject.passed.to_string(),
            subject.touching.to_string(),
            swapped.join(", "),
        ]);
    }
    println!("{}", table(&["crate", "passed", "with RustCrypto", "of them encrypt", "swapped"], &rows));
    ensure!(less.is_empty(), "{}", less.join("\n"));
    Ok(())
}

/// The sources of a crate as they are in the registry, fetched if need be, in `copy`.
fn copy_sources(subject: &Subject, copy: &Path) -> Result<()> {
    let asking = target_dir()?.join("swap/fetch").join(subject.name);
    fs::create_dir_all(asking.join("src"))?;
    fs::write(asking.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[workspace]\n[package]\nname = \"fetch\"\nedition = \"2024\"\n[dependencies]\n{} = {{ version = \"={}\", default-features = false }}\n",
        subject.name, subject.version
    );
    fs::write(asking.join("Cargo.toml"), manifest)?;
    let out = cargo()
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(asking.join("Cargo.toml"))
        .output()
        .context("cargo metadata")?;
    ensure!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let package = packages.iter().find(|p| p["name"] == subject.name && p["version"] == subject.version);
    let manifest = package.and_then(|p| p["manifest_path"].as_str()).context("the crate among its own packages")?;
    let sources = Path::new(manifest).parent().context("a folder")?;
    if copy.exists() {
        fs::remove_dir_all(copy)?;
    }
    copy_folder(sources, copy).with_context(|| format!("copying {}", sources.display()))?;
    // Some write there, since that is where they are built.
    fs::create_dir_all(copy.join("target"))?;
    manifest::alone(&copy.join("Cargo.toml"))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Cargo for the copy of a crate: built beside the others', without what only a debugger reads.
fn cargo_for(subject: &Subject, copy: &Path, command: &str) -> Result<Command> {
    let mut cargo = cargo();
    cargo
        .arg(command)
        .args(["--manifest-path"])
        .arg(copy.join("Cargo.toml"))
        .args(subject.features)
        .env("CARGO_TARGET_DIR", target_dir()?.join("swap/build"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        // Of dependencies without a lock file, those that this compiler can build.
        .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
    Ok(cargo)
}

/// What is built has evariste in it, no aes-gcm but evariste's, and the crate itself none of what was swapped. (The
/// block cipher may stay as a dependency of others.)
fn check_graph(subject: &Subject, copy: &Path, swapped: &[String]) -> Result<()> {
    ensure!(swapped.iter().any(|s| s == "aes-gcm"), "{} does not depend on aes-gcm", subject.name);
    let all = tree(subject, copy, &[])?;
    ensure!(all.iter().any(|name| name == "evariste"), "{} is built without evariste", subject.name);
    ensure!(!all.iter().any(|name| name == "aes-gcm"), "{} is built with aes-gcm", subject.name);
    let direct = tree(subject, copy, &["--depth", "1"])?;
    match swapped.iter().find(|model| direct.contains(model)) {
        Some(model) => bail!("{} still depends on {model}", subject.name),
        None => Ok(()),
    }
}

/// The names of the packages that a crate's tests are built of.
fn tree(subject: &Subject, copy: &Path, depth: &[&str]) -> Result<Vec<String>> {
    let out = cargo_for(subject, copy, "tree")?.args(["--prefix", "none", "-e", "normal,dev"]).args(depth).output()?;
    ensure!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let tree = String::from_utf8_lossy(&out.stdout);
    Ok(tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

/// How many of a crate's tests pass, all of them.
fn test(subject: &Subject, copy: &Path) -> Result<usize> {
    println!("{} {}", subject.name, subject.version);
    let out = cargo_for(subject, copy, "test")?.args(["--no-fail-fast"]).output().context("cargo test")?;
    let printed = String::from_utf8_lossy(&out.stdout);
    ensure!(out.status.success(), "{printed}{}", String::from_utf8_lossy(&out.stderr));
    Ok(passed(&printed))
}

/// The sum of cargo's summaries.
fn passed(printed: &str) -> usize {
    let results = printed.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    results.filter_map(|line| line.split(' ').next()?.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_added() {
        let printed = "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\
                       test result: ok. 40 passed; 0 failed\ntest result: FAILED. 7 passed; 1 failed\n";
        assert_eq!(passed(printed), 42);
    }

    /// Fifty tests at least, and three crates.
    #[test]
    fn the_table_is_worth_running() {
        assert!(SUBJECTS.len() >= 3);
        assert!(SUBJECTS.iter().all(|s| s.passed >= 50 && s.touching <= s.passed));
    }
}
