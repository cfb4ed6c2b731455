//! What there is to pass, as this machine counts it.

use super::build::Built;
use super::found::{checks, vectors};
use super::matrix::{Case, OF_ONE_ARCHITECTURE, Target, X86_64};
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
            let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
            let names: Vec<_> = names.map(|name| format!("{program}::{name}")).collect();
            let elsewhere = OF_ONE_ARCHITECTURE.iter().flat_map(|(_, tests)| *tests);
            let mut elsewhere = elsewhere.filter_map(|test| test.split_once("::"));
            ensure!(!names.is_empty() || elsewhere.any(|(of, _)| of == program), "{program} has no tests");
            tests.extend(names);
        }
        let checks = checks(&output(&built.program, &["selftest", "--backend", "portable"], &[])?).passed;
        let vectors = vectors(&output(&built.program, &["vectors", "--backend", "portable"], files)?).passed;
        ensure!(checks > 0 && vectors > 0, "{checks} checks and {vectors} vectors to pass");
        Ok(Self { tests, checks, vectors })
    }

    pub(crate) fn expected(&self, target: &Target, case: &Case) -> Expected {
        let usable: Vec<_> = case.usable.split(' ').collect();
        let mut tests = self.tests.clone();
        tests.retain(|test| !special(X86_64.architecture()).any(|only| only == test));
        tests.extend(special(target.architecture()).map(str::to_owned));
        Expected { tests, checks: self.checks * usable.len(), vectors: self.vectors * usable.len(), usable }
    }
}

/// Tests that only this architecture has.
fn special(architecture: &str) -> impl Iterator<Item = &'static str> {
    let of = OF_ONE_ARCHITECTURE.iter().filter(move |(of, _)| *of == architecture);
    of.flat_map(|(_, tests)| *tests).copied()
}

fn output(program: &Path, arguments: &[&str], files: &[PathBuf]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).args(files).env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
    let output = command.output().with_context(|| program.display().to_string())?;
    ensure!(output.status.success(), "{command:?}: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross::matrix::OTHERS;

    #[test]
    fn each_architecture_has_its_own_tests() {
        let its_own = "evariste::cpu::tests::agrees_with_std";
        let x86_64: BTreeSet<_> = special("x86_64").chain(["backends::ctr"]).map(str::to_owned).collect();
        assert!(x86_64.contains(its_own));
        let reference = Reference { tests: x86_64.clone(), checks: 15, vectors: 61 };
        let tests = |target: &Target| reference.expected(target, &target.cases[0]).tests;
        assert_eq!(tests(&X86_64), x86_64);
        for target in OTHERS {
            let tests = tests(target);
            assert!(tests.contains("backends::ctr") && !tests.contains(its_own), "{}", target.triple);
            let has_canaries = ["aarch64", "powerpc64le", "powerpc64"].contains(&target.architecture());
            assert_eq!(tests.contains("canaries::aeads"), has_canaries);
        }
    }

    #[test]
    fn sums_are_of_all_backends() {
        let reference = Reference { tests: BTreeSet::new(), checks: 15, vectors: 61 };
        let expected = reference.expected(&X86_64, &Case { cpu: "", disable: "", usable: "a b c", quick: false });
        assert_eq!((expected.usable, expected.checks, expected.vectors), (vec!["a", "b", "c"], 45, 183));
    }
}
