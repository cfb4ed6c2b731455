//! The standard library of a target: rustup's, or built once from its sources.

use super::{output, replace, say};
use crate::subject;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where std comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Origin {
    /// From rustup, or else from Debian
    Any,
    /// From rustup
    Rustup,
    /// Built from Debian's sources of exactly this rustc's version
    Debian,
}

/// Where the standard libraries are.
pub(crate) struct Std {
    /// Folder and triples of those that are not among rustc's own.
    built: Option<(PathBuf, Vec<&'static str>)>,
}

impl Std {
    pub(crate) fn prepare(triples: &[&'static str], origin: Origin, cache: &Path) -> Result<Self> {
        let mut missing = Vec::new();
        for triple in triples.iter().copied() {
            match origin {
                Origin::Debian => missing.push(triple),
                Origin::Rustup => rustups(triple)?,
                Origin::Any => {
                    if let Err(error) = rustups(triple) {
                        say(&format!("{error:#}; std will be built"));
                        missing.push(triple);
                    }
                }
            }
        }
        let sysroot = (!missing.is_empty()).then(|| build(&missing, cache).context("std from Debian's sources"));
        Ok(Self { built: sysroot.transpose()?.map(|sysroot| (sysroot, missing)) })
    }

    /// Tells cargo where it is.
    pub(crate) fn configure(&self, cargo: &mut Command, triple: &str) {
        if let Some(sysroot) = self.sysroot(triple) {
            cargo.arg("--config").arg(format!("target.{triple}.rustflags=[\"--sysroot\", {sysroot:?}]"));
            // They would come instead.
            cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        }
    }

    /// What rustc must be told to find it, if anything.
    pub(crate) fn sysroot(&self, triple: &str) -> Option<&Path> {
        let (sysroot, triples) = self.built.as_ref()?;
        triples.contains(&triple).then_some(sysroot)
    }
}

/// Has rustup add std, if it is not there.
fn rustups(target: &str) -> Result<()> {
    let dir = output(rustc().args(["--print", "target-libdir", "--target", target]))?;
    if !has_core(Path::new(dir.trim())) {
        say(&format!("rustup target add {target}"));
        output(Command::new("rustup").args(["target", "add", target])).context("rustup has no std for it")?;
    }
    Ok(())
}

fn has_core(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut files| {
        files.any(|file| file.is_ok_and(|f| f.file_name().to_string_lossy().starts_with("libcore-")))
    })
}

/// Builds std for these targets, unless it is there, and returns the folder that holds it.
fn build(triples: &[&str], cache: &Path) -> Result<PathBuf> {
    let about = output(rustc().arg("-vV"))?;
    let value =
        |key: &str| about.lines().find_map(|line| line.strip_prefix(key)).context("rustc does not say what it is");
    let (version, commit) = (value("release: ")?, value("commit-hash: ")?);
    let sysroot = cache.join(format!("std-{version}-{}", commit.get(..9).unwrap_or(commit)));
    let libraries = |triple: &str| sysroot.join("lib/rustlib").join(triple).join("lib");
    let missing: Vec<_> = triples.iter().copied().filter(|t| !has_core(&libraries(t))).collect();
    if missing.is_empty() {
        return Ok(sysroot);
    }
    let sources = sources(version, cache)?;
    say(&format!("building std {version} for {}", missing.join(", ")));
    let work = cache.join("std-build");
    replace(&work, |dir| {
        let manifest = "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::write(dir.join("Cargo.toml"), manifest)?;
        std::fs::create_dir(dir.join("src"))?;
        std::fs::write(dir.join("src/lib.rs"), "#![no_std]\n")?;
        Ok(())
    })?;
    // Where there is no operating system there is no std.
    let (bare, hosted) = missing.iter().partition::<Vec<&str>, _>(|t| t.split('-').any(|part| part == "none"));
    for (triples, crates) in [(bare, "core,alloc"), (hosted, "std,panic_abort,proc_macro,test")] {
        if triples.is_empty() {
            continue;
        }
        let mut cargo = subject::cargo();
        cargo.current_dir(&work).args(["build", "--quiet", "--release", "--offline"]);
        cargo.arg(format!("-Zbuild-std={crates}"));
        for triple in triples {
            cargo.args(["--target", triple]);
        }
        let vendor = format!("source.vendor.directory={:?}", sources.join("vendor"));
        cargo.args(["--config", "source.crates-io.replace-with=\"vendor\"", "--config", &vendor]);
        // Unstable, for this one command; and where cargo's own tests find the sources.
        cargo.env("RUSTC_BOOTSTRAP", "1").env("__CARGO_TESTS_ONLY_SRC_ROOT", &sources);
        cargo.env("CARGO_TARGET_DIR", work.join("target"));
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        output(&mut cargo)?;
    }
    for triple in missing {
        let built = work.join("target").join(triple).join("release/deps");
        replace(&libraries(triple), |dir| {
            for file in std::fs::read_dir(&built)? {
                let file = file?;
                if file.path().extension().is_some_and(|e| e == "rlib") {
                    std::fs::copy(file.path(), dir.join(file.file_name()))?;
                }
            }
            ensure!(has_core(dir), "cargo has built no std for {triple}");
            Ok(())
        })?;
    }
    std::fs::remove_dir_all(work)?;
    Ok(sysroot)
}

/// The sources of std of this version, with what they depend on.
fn sources(version: &str, cache: &Path) -> Result<PathBuf> {
    let root = cache.join(format!("rust-src-{version}"));
    if !root.exists() {
        // Backports for the next release keep several versions side by side.
        let suite = debian::codename()?;
        let suites = debian::Suites::open(
            cache,
            &[&suite, &format!("{suite}-backports"), "trixie-backports"],
            &debian::own_architecture()?,
        )?;
        let package = suites.version("rust-src", |v| v.starts_with(&format!("{version}+")))?;
        let file = suites.download("rust-src", &package)?;
        replace(&root, |dir| unpack(&file, dir))?;
    }
    let found = std::fs::read_dir(root.join("usr/src"))?.next().context("rust-src holds no sources")??;
    Ok(found.path().join("library"))
}

/// Only std's part of the package: the compiler's is ten times as large.
fn unpack(package: &Path, dir: &Path) -> Result<()> {
    let mut files = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn()?;
    let pipe = files.stdout.take().context("a pipe")?;
    let mut tar = Command::new("tar");
    output(tar.arg("-xC").arg(dir).args(["--wildcards", "./usr/src/*/library"]).stdin(pipe))?;
    ensure!(files.wait()?.success(), "dpkg-deb cannot read {}", package.display());
    Ok(())
}

/// The compiler.
pub(crate) fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}
