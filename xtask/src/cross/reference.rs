//! What there is to pass, as this machine counts it.

use super::build::Built;
use super::found::{checks, vectors};
use super::matrix::{Case, Target, X86_64, X86_64_ONLY};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that there is.
pub(crate) struct Reference {
    /// Tests, as `program::name`.
    pub(crate) tests: BTreeSet<String>,
    /// Checks of the self-test, for each backend.
    pub(crate) checks: usize,
    /// Test vectors, for each backend.
    pub(crate) vectors: usize,
}

/// What must be found in one case.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) usable: Vec<&'static str>,
    pub(crate) tests: BTreeSet<String>,
    pub(crate) checks: usize,
    pub(crate) vectors: usize,
}

impl Reference {
    /// Asks what was built for this machine, and runs nothing of it but on the portable backend.
    pub(crate) fn of(built: &Built, files: &[PathBuf]) -> Result<Self> {
        let mut tests = BTreeSet::new();
        for (program, path) in &built.tests {
            let list = output(path, &["--list", "--format", "terse"], &[])?;
            let before = tests.len();
            tests
                .extend(list.lines().filter_map(|l| l.strip_suffix(": test")).map(|name| format!("{program}::{name}")));
            ensure!(tests.len() > before, "{program} has no tests");
        }
        let checks = checks(&output(&built.program, &["selftest", "--backend", "portable"], &[])?).passed;
        let vectors = vectors(&output(&built.program, &["vectors", "--backend", "portable"], files)?).passed;
        ensure!(checks > 0 && vectors > 0, "{checks} checks and {vectors} vectors to pass");
        Ok(Self { tests, checks, vectors })
    }

    pub(crate) fn expected(&self, target: &Target, case: &Case) -> Expected {
        let usable: Vec<_> = case.usable.split(' ').collect();
        let here = target.triple == X86_64.triple;
        let elsewhere = |test: &&String| !X86_64_ONLY.iter().any(|only| test.contains(only));
        Expected {
            tests: self.tests.iter().filter(|test| here || elsewhere(test)).cloned().collect(),
            checks: self.checks * usable.len(),
            vectors: self.vectors * usable.len(),
            usable,
        }
    }
}

fn output(program: &Path, arguments: &[&str], files: &[PathBuf]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).args(files).env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
    let output = command.output().with_context(|| program.display().to_string())?;
    ensure!(output.status.success(), "{command:?}: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}
