//! The core's tests and the program, built for several targets.

use super::matrix::Target;
use super::setup::Std;
use crate::subject;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What was built for one target.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// `evariste`.
    pub(crate) program: PathBuf,
    /// The programs of tests, by name.
    pub(crate) tests: BTreeMap<String, PathBuf>,
}

/// Builds all, in one go: so no core waits while the last crate of a target is built.
pub(crate) fn build(targets: &[&Target], std: &Std) -> Result<BTreeMap<&'static str, Built>> {
    let mut built = BTreeMap::<_, Built>::new();
    let tests = ["test", "--no-run", "--package", "evariste"];
    let program = ["build", "--package", "evariste-cli"];
    for arguments in [&tests[..], &program] {
        let mut cargo = subject::cargo();
        cargo.current_dir(subject::workspace()).args(arguments).args(["--quiet", "--release", "--locked"]);
        cargo.args(["--message-format", "json-render-diagnostics"]);
        // Nothing of the dependencies has to be fast here, and they are a fifth of the work; but for the core's, with
        // which it would be another core than that of other builds.
        cargo.args(["--config", r#"profile.release.package."*".opt-level=0"#]);
        cargo.args(["--config", "profile.release.package.zeroize.opt-level=3"]);
        targets.iter().for_each(|t| configure(&mut cargo, t, std));
        let output = cargo.stderr(Stdio::inherit()).output().context("cargo")?;
        ensure!(output.status.success(), "cargo cannot build for {}", names(targets));
        for (executable, name, is_program) in String::from_utf8(output.stdout)?.lines().filter_map(executable) {
            let target = targets.iter().find(|t| executable.components().any(|c| c.as_os_str() == t.triple));
            let target = target.with_context(|| format!("{} is of no target", executable.display()))?;
            let built = built.entry(target.triple).or_default();
            if is_program {
                built.program = executable;
            } else {
                built.tests.insert(name, executable);
            }
        }
    }
    for target in targets {
        let built = built.get(target.triple).with_context(|| format!("nothing was built for {}", target.triple))?;
        ensure!(built.program.is_file() && !built.tests.is_empty(), "not all was built for {}", target.triple);
    }
    Ok(built)
}

/// Adds a target: its linker, its standard library.
pub(crate) fn configure(cargo: &mut Command, target: &Target, std: &Std) {
    let triple = target.triple;
    cargo.args(["--target", triple]);
    if target.libc.is_some() {
        cargo.arg("--config").arg(format!("target.{triple}.linker=\"{}-gcc\"", target.gnu));
    }
    std.configure(cargo, triple);
}

fn names(targets: &[&Target]) -> String {
    targets.iter().map(|t| t.triple).collect::<Vec<_>>().join(", ")
}

/// From a message of cargo: an executable, its name, and whether it is a program rather than tests.
pub(crate) fn executable(message: &str) -> Option<(PathBuf, String, bool)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let path = message["executable"].as_str()?.into();
    let name = message["target"]["name"].as_str()?.to_owned();
    Some((path, name, message["profile"]["test"] == false))
}
