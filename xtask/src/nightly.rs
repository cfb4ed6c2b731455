//! `cargo xtask nightly`: the checks that take too long for every change, in stages that can be resumed.
//!
//! What became of a stage is kept in `target/nightly`, with the commit. A later call runs what has not passed
//! on this commit, so that a run that was broken off goes on where it was.

use crate::subject;
use crate::table::table;
use anyhow::{Context, Result, bail, ensure};
use chrono::Utc;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Name, and command of `cargo xtask`. A stage takes at most twenty minutes on two cores: what takes longer is
/// two stages.
pub(crate) const STAGES: &[(&str, &[&str])] = &[
    ("cross-power", &["cross", "powerpc64le"]),
    ("cross-power-be", &["cross", "powerpc64"]),
    ("cross-arm", &["cross", "aarch64"]),
    ("cross-others", &["cross", "i686", "riscv64gc", "s390x"]),
    ("cpus", &["cpus"]),
    ("targets", &["targets"]),
    ("trace-guest", &["trace-guest"]),
    ("swap", &["swap"]),
    ("openssl-guest", &["openssl-guest"]),
    ("evp-test", &["evp-test"]),
    ("openssl-clients", &["openssl-clients"]),
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Stages, run even if they have passed; all that have not passed on this commit unless named
    #[arg(value_name = "STAGE", value_parser = clap::builder::PossibleValuesParser::new(STAGES.iter().map(|s| s.0)))]
    stages: Vec<String>,

    /// Run nothing, show what has been
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (dir, commit) = (subject::target_dir()?.join("nightly"), commit()?);
    std::fs::create_dir_all(&dir)?;
    let chosen = |name: &str| args.stages.is_empty() || args.stages.iter().any(|stage| stage == name);
    for (name, command) in STAGES.iter().filter(|(name, _)| chosen(name) && !args.list) {
        let passed = Record::read(&dir, name).is_some_and(|r| r.passed && r.commit == commit);
        if passed && args.stages.is_empty() {
            continue;
        }
        println!("\n==> {name}: cargo xtask {}", command.join(" "));
        let start = Instant::now();
        let status = Command::new(std::env::current_exe()?).args(*command).status()?;
        let record = Record {
            commit: commit.clone(),
            date: Utc::now().format("%Y-%m-%d %H:%M").to_string(),
            passed: status.success(),
            seconds: start.elapsed().as_secs(),
        };
        record.write(&dir, name)?;
    }
    let records: Vec<_> = STAGES.iter().map(|(name, _)| (*name, Record::read(&dir, name))).collect();
    println!("\n{}", overview(&records, &commit));
    let good = |r: &Option<Record>| r.as_ref().is_some_and(|r| r.passed && r.commit == commit);
    let bad = records.iter().filter(|(name, r)| chosen(name) && !good(r)).count();
    ensure!(args.list || bad == 0, "{bad} stages have not passed");
    Ok(())
}

/// What became of a stage when it last ran.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    commit: String,
    date: String,
    passed: bool,
    seconds: u64,
}

impl Record {
    /// Nothing if the stage has never run.
    fn read(dir: &Path, stage: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(Self::file(dir, stage)).ok()?).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Self {
            commit: text("commit")?,
            date: text("date")?,
            passed: value["passed"].as_bool()?,
            seconds: value["seconds"].as_u64()?,
        })
    }

    fn write(&self, dir: &Path, stage: &str) -> Result<()> {
        let Self { commit, date, passed, seconds } = self;
        let value = json!({ "commit": commit, "date": date, "passed": passed, "seconds": seconds });
        let file = Self::file(dir, stage);
        std::fs::write(&file, format!("{value:#}\n")).with_context(|| file.display().to_string())
    }

    fn file(dir: &Path, stage: &str) -> PathBuf {
        dir.join(format!("{stage}.json"))
    }
}

fn overview(records: &[(&str, Option<Record>)], commit: &str) -> String {
    let rows: Vec<_> = records
        .iter()
        .map(|(name, record)| match record {
            None => [(*name).to_owned(), "never run".into(), String::new(), String::new(), String::new()],
            Some(r) => {
                let outcome = match (r.passed, r.commit == commit) {
                    (true, true) => "passed",
                    (true, false) => "passed before",
                    (false, true) => "FAILED",
                    (false, false) => "failed before",
                };
                let changes = if r.commit.contains(' ') { "+changes" } else { "" };
                let short = format!("{}{changes}", r.commit.get(..12).unwrap_or(&r.commit));
                let time = format!("{}:{:02}", r.seconds / 60, r.seconds % 60);
                [(*name).to_owned(), outcome.into(), short, r.date.clone(), time]
            }
        })
        .collect();
    table(&["stage", "outcome", "commit", "date (UTC)", "min:s"], &rows)
}

/// The commit; what is not committed has no name, so that nothing is taken for done.
fn commit() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git").current_dir(subject::workspace()).args(arguments).output().context("git")?;
        if !output.status.success() {
            bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let changed = !git(&["status", "--porcelain"])?.is_empty();
    Ok(if changed { format!("{commit} with changes at {}", Utc::now().timestamp()) } else { commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(commit: &str, passed: bool) -> Record {
        Record { commit: commit.into(), date: "2026-01-31 23:59".into(), passed, seconds: 61 }
    }

    #[test]
    fn records_are_kept() {
        let dir = std::env::temp_dir().join(format!("evariste-nightly-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        assert_eq!(Record::read(&dir, "stage"), None);
        record("abc", false).write(&dir, "stage").expect("written");
        assert_eq!(Record::read(&dir, "stage"), Some(record("abc", false)));
        std::fs::write(dir.join("stage.json"), "{}").expect("written");
        assert_eq!(Record::read(&dir, "stage"), None);
        std::fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn the_overview_tells_what_is_of_this_commit() {
        let all = [
            ("a", Some(record("x", true))),
            ("b", Some(record("y", true))),
            ("c", Some(record("x", false))),
            ("d", None),
        ];
        let text = overview(&all, "x");
        let cells = text.lines().skip(1).map(|line| line.split("  ").filter(|cell| !cell.is_empty()).nth(1));
        let outcomes: Vec<_> = cells.flatten().map(str::trim).collect();
        assert_eq!(outcomes, ["passed", "passed before", "FAILED", "never run"], "{text}");
    }
}
