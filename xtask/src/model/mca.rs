//! Cycles in LLVM's models of CPUs.

use crate::guest::{Cpu, Target};
use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// About so many instructions are gone through, in whole rounds of a loop.
const INSTRUCTIONS: usize = 20_000;

/// What a round of a loop takes.
pub(crate) struct Cycles {
    pub(crate) cycles: f64,
    /// What it would take if no instruction waited for another: the busiest unit's work.
    pub(crate) bound: f64,
}

/// None where there is no model of the CPU, or the model lacks an instruction.
pub(crate) fn cycles(code: &[String], target: &Target, cpu: &Cpu) -> Result<Option<Cycles>> {
    let Some((model, features)) = cpu.mca else { return Ok(None) };
    let assembly = disassemble(code, target)?;
    let rounds = (INSTRUCTIONS / code.len()).clamp(2, 100);
    let run = |rounds: usize| -> Result<Option<Report>> {
        let mut mca = Command::new(tool("llvm-mca")?);
        mca.args([format!("-mtriple={}", target.gnu), format!("-mcpu={model}"), format!("-mattr={features}")]);
        mca.args([&format!("-iterations={rounds}"), "-instruction-info=false", "-resource-pressure=false"]);
        // Branches have no model on some CPUs. Calls are branches here: what is called is in the loop.
        mca.args(["-skip-unsupported-instructions=lack-sched", "-call-latency=1"]);
        let output = feed(&mut mca, &assembly)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("instruction requires") {
            return Ok(None);
        }
        ensure!(output.status.success(), "llvm-mca: {errors}");
        Report::parse(&String::from_utf8(output.stdout)?).map(Some)
    };
    // The start, with nothing to wait for, is in both.
    let (Some(once), Some(twice)) = (run(rounds)?, run(2 * rounds)?) else { return Ok(None) };
    Ok(Some(Cycles { cycles: (twice.cycles - once.cycles) / rounds as f64, bound: once.bound }))
}

/// Which llvm-mca it is.
pub(crate) fn version() -> Result<String> {
    let output = Command::new(tool("llvm-mca")?).arg("--version").output()?;
    version_of(&String::from_utf8_lossy(&output.stdout))
}

fn version_of(printed: &str) -> Result<String> {
    let line = printed.lines().find_map(|line| line.split_once("LLVM version "));
    Ok(line.with_context(|| format!("llvm-mca gives no version: {printed}"))?.1.trim().to_owned())
}

/// The lines of llvm-mca's summary that matter.
struct Report {
    cycles: f64,
    bound: f64,
}

impl Report {
    fn parse(report: &str) -> Result<Self> {
        let value = |name: &str| -> Result<f64> {
            let value = report.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            Ok(value.with_context(|| format!("llvm-mca gives no {name}"))?.trim().parse()?)
        };
        Ok(Self { cycles: value("Total Cycles")?, bound: value("Block RThroughput")? })
    }
}

/// As llvm-mca reads it.
fn disassemble(code: &[String], target: &Target) -> Result<String> {
    let mut bytes = String::new();
    for word in code {
        for at in (0..word.len()).step_by(2) {
            bytes += &format!("0x{} ", &word[at..at + 2]);
        }
        bytes.push('\n');
    }
    let mut mc = Command::new(tool("llvm-mc")?);
    mc.args(["-disassemble", &format!("-triple={}", target.gnu), target.everything]);
    let output = feed(&mut mc, &bytes)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && errors.is_empty(), "llvm-mc: {errors}");
    Ok(String::from_utf8(output.stdout)?)
}

/// The newest of an LLVM tool that is there.
fn tool(name: &str) -> Result<String> {
    let versions = (19..40).rev().map(|version| format!("{name}-{version}"));
    let runs = |tool: &String| Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    versions.chain([name.to_owned()]).find(runs).with_context(|| format!("no {name}, which is in Debian's llvm-22"))
}

fn feed(command: &mut Command, input: &str) -> Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Closed at the end of the statement. These read all before they write.
    child.stdin.take().context("a pipe")?.write_all(input.as_bytes())?;
    Ok(child.wait_with_output()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let report = "Iterations:        200\nTotal Cycles:      1607\nuOps Per Cycle: 1.2\nBlock RThroughput: 7.3\n";
        let Report { cycles, bound } = Report::parse(report).expect("a report");
        assert_eq!((cycles, bound), (1607.0, 7.3));
        assert!(Report::parse("Iterations: 200\n").is_err());
    }

    #[test]
    fn versions_are_read() {
        let printed = "Debian LLVM version 22.1.0\n  Optimized build.\n";
        assert_eq!(version_of(printed).expect("a version"), "22.1.0");
        assert!(version_of("llvm-mca\n").is_err());
    }
}
