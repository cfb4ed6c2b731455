//! One program under the emulator.

use super::build::Built;
use super::matrix::{Case, Target};
use super::setup;
use anyhow::{Context, Result};
use std::fmt::{self, Write};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// After this long a program is taken for hung.
const LONGEST: Duration = Duration::from_secs(900);

/// What a program is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work<'a> {
    Cpu,
    Selftest,
    Vectors,
    /// The tests of this program.
    Tests(&'a str),
}

impl fmt::Display for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("evariste cpu"),
            Self::Selftest => f.write_str("evariste selftest"),
            Self::Vectors => f.write_str("evariste vectors"),
            Self::Tests(program) => write!(f, "tests of {program}"),
        }
    }
}

/// What a program printed, and how it ended if not well.
pub(crate) struct Ran {
    pub(crate) text: String,
    pub(crate) failure: Option<String>,
    pub(crate) time: Duration,
}

/// Where programs of one case run.
pub(crate) struct Guest<'a> {
    pub(crate) target: &'static Target,
    pub(crate) case: &'static Case,
    pub(crate) built: &'a Built,
    pub(crate) emulator: PathBuf,
    /// A folder with libraries to take before those of the target.
    pub(crate) libraries: Option<PathBuf>,
    /// Files of test vectors.
    pub(crate) vectors: &'a [PathBuf],
    /// Of the cases of a test that has many, every nth.
    pub(crate) step: usize,
    /// Where the output of each program is kept. They run in it, too: a crash may leave a large file.
    pub(crate) dir: PathBuf,
}

impl Guest<'_> {
    /// All there is to do.
    pub(crate) fn works(&self) -> impl Iterator<Item = Work<'_>> {
        let tests = self.built.tests.keys().map(|program| Work::Tests(program));
        [Work::Cpu, Work::Selftest, Work::Vectors].into_iter().chain(tests)
    }

    pub(crate) fn run(&self, work: &Work<'_>) -> Result<Ran> {
        let file = |kind: &str| self.dir.join(format!("{work}.{kind}").replace(' ', "-"));
        let (out, err) = (file("out"), file("err"));
        let start = Instant::now();
        let mut command = self.command(work);
        command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
        let status = wait(&mut command).with_context(|| format!("{command:?}"))?;
        let (time, text) = (start.elapsed(), String::from_utf8_lossy(&std::fs::read(&out)?).into_owned());
        let how = match status {
            Some(status) if status.success() => None,
            Some(status) => Some(status.to_string()),
            None => Some(format!("killed after {} minutes", LONGEST.as_secs() / 60)),
        };
        let failure = how.map(|how| describe(&how, &text, &err)).transpose()?;
        Ok(Ran { text, failure, time })
    }

    fn command(&self, work: &Work<'_>) -> Command {
        let mut command = Command::new(&self.emulator);
        match work {
            Work::Cpu => command.arg(&self.built.program).args(["cpu", "--json"]),
            Work::Selftest => command.arg(&self.built.program).args(["selftest", "--backend", "all"]),
            Work::Vectors => command.arg(&self.built.program).args(["vectors", "--backend", "all"]).args(self.vectors),
            Work::Tests(program) => command.arg(&self.built.tests[*program]),
        };
        let set = |command: &mut Command, name, value: &str| {
            if value.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        };
        set(&mut command, "QEMU_CPU", self.case.cpu);
        set(&mut command, "EVARISTE_DISABLE", self.case.disable);
        set(&mut command, "EVARISTE_BACKEND", "");
        command.env("QEMU_LD_PREFIX", setup::library(self.target)).env("EVARISTE_TEST_RUNNER", &self.emulator);
        if let Some(libraries) = &self.libraries {
            command.env("QEMU_SET_ENV", format!("LD_LIBRARY_PATH={}", libraries.display()));
        }
        command.env("EVARISTE_TEST_STEP", self.step.to_string());
        // As many programs run at once as there are cores.
        command.env("RUST_TEST_THREADS", "1").env("RUST_BACKTRACE", "0").current_dir(&self.dir);
        command
    }
}

/// How it ended, the last lines of what it printed, and where the rest is.
fn describe(how: &str, text: &str, err: &Path) -> Result<String> {
    let errors = String::from_utf8_lossy(&std::fs::read(err)?).into_owned();
    let mut description = how.to_owned();
    for text in [text, &errors] {
        let lines: Vec<_> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(12)..] {
            write!(description, "\n      | {line}")?;
        }
    }
    write!(description, "\n      ({}, and .out beside it)", err.display())?;
    Ok(description)
}

/// Runs a command to its end, or kills it.
fn wait(command: &mut Command) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn signals_have_names() {
        let status = wait(Command::new("sh").args(["-c", "kill -ILL $$"])).expect("a shell").expect("it ends");
        assert!(!status.success());
        assert!(status.to_string().contains("SIGILL"), "{status}");
    }
}
