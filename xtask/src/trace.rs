//! `cargo xtask trace`: two processes in step.
//!
//! Both run the same operation, on different keys and texts of the same lengths, and neither has its
//! addresses randomized. Before each instruction both must be at the same address and about to touch memory
//! at the same addresses: then no branch and no index depended on what differs. The tag of a forgery is
//! wrong at its start in one process and at its end in the other.

mod footprint;
mod process;

use crate::compared::{Compared, planted_leaks_are_found};
use crate::subject::{self, Profile, Program};
use anyhow::{Context, Result, ensure};
use footprint::Footprint;
use iced_x86::{Formatter, IntelFormatter, Mnemonic};
use process::Process;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub(crate) fn run(backends: &[String]) -> Result<()> {
    let path = subject::build(Profile::Release)?;
    let program = Program::read(&path)?;
    let usable = usable(&path)?;
    let backends = if backends == ["all"] { &usable } else { backends };
    for backend in backends {
        ensure!(usable.contains(backend), "this CPU cannot run {backend}");
    }
    let (next, leaks) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let worker = |cpu| -> Result<()> {
        process::stay_on(cpu)?;
        while let Some(backend) = backends.get(next.fetch_add(1, Relaxed)) {
            planted_leaks_are_found(&Pair::start(&path, &program, "planted", backend)?.compare_all()?)?;
            let results = Pair::start(&path, &program, "operations", backend)?.compare_all()?;
            print!("{}", report(&results));
            leaks.fetch_add(results.iter().filter(|r| r.outcome.is_err()).count(), Relaxed);
        }
        Ok(())
    };
    // A process is traced by the thread that started it.
    let worker = &worker;
    std::thread::scope(|scope| {
        let workers: Vec<_> = process::cpus()?.into_iter().map(|cpu| scope.spawn(move || worker(cpu))).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("no worker panics"))
    })?;
    let leaks = leaks.into_inner();
    ensure!(leaks == 0, "{leaks} operations show their secrets");
    Ok(())
}

/// The backends of this CPU.
fn usable(path: &Path) -> Result<Vec<String>> {
    let output = Command::new(path).arg("backends").env_clear().output()?;
    ensure!(output.status.success(), "{}", output.status);
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// One line for all lengths of an operation: how many instructions each took.
fn report(results: &[Compared]) -> String {
    let mut lines = Vec::<(&str, String)>::new();
    for Compared { operation, outcome } in results {
        let (name, len) = operation.rsplit_once(' ').unwrap_or((operation, ""));
        let text = match outcome {
            Ok(instructions) => format!(" {len}: {instructions};"),
            Err(difference) => format!(" {len}: {difference};"),
        };
        match lines.iter_mut().find(|(n, _)| *n == name) {
            Some((_, line)) => line.push_str(&text),
            None => lines.push((name, text)),
        }
    }
    let instructions: u64 = results.iter().filter_map(|r| r.outcome.as_ref().ok()).sum();
    let lines: String = lines.iter().map(|(name, line)| format!("{name}:{line}\n")).collect();
    format!("{lines}{} operations, {instructions} instructions compared\n", results.len())
}

/// Two processes that differ in their secrets.
struct Pair<'a> {
    program: &'a Program,
    base: u64,
    processes: [Process; 2],
    decoded: HashMap<u64, Footprint>,
}

impl<'a> Pair<'a> {
    fn start(path: &Path, program: &'a Program, modes: &str, backend: &str) -> Result<Self> {
        let start = |secret| Process::start(Command::new(path).args(["trace", modes, backend, secret]));
        let processes = [start("0")?, start("1")?];
        Ok(Self { program, base: processes[0].base()?, processes, decoded: HashMap::new() })
    }

    fn compare_all(mut self) -> Result<Vec<Compared>> {
        let mut results = Vec::new();
        while let Some(operation) = self.run_to_breakpoint()? {
            let outcome = self.compare()?;
            results.push(Compared { operation, outcome });
            // The end of the operation, also when it was left.
            self.run_to_breakpoint()?.context("an operation without an end")?;
        }
        Ok(results)
    }

    fn run_to_breakpoint(&self) -> Result<Option<String>> {
        let [a, b] = &self.processes;
        let (a, b) = (a.run_to_breakpoint()?, b.run_to_breakpoint()?);
        ensure!(a == b, "one is at {a:?}, the other at {b:?}");
        Ok(a)
    }

    /// From one breakpoint to the next.
    fn compare(&mut self) -> Result<Result<u64, String>> {
        let (mut at_a, mut at_b) = (Vec::new(), Vec::new());
        let (mut before, mut instructions) = (0, 0);
        loop {
            let [a, b] = &self.processes;
            let (ra, rb) = (a.registers()?, b.registers()?);
            if ra.rip != rb.rip {
                return Ok(Err(format!("{}: {:#x} or {:#x} comes next", self.place(before), ra.rip, rb.rip)));
            }
            let footprint = match self.decoded.entry(ra.rip) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(Footprint::decode(&a.code(ra.rip)?, ra.rip)?),
            };
            if footprint.instruction.mnemonic() == Mnemonic::Int3 {
                return Ok(Ok(instructions));
            }
            footprint.addresses(&ra, &mut at_a)?;
            footprint.addresses(&rb, &mut at_b)?;
            if at_a != at_b {
                return Ok(Err(format!("{}: at {at_a:x?} or {at_b:x?}", self.place(ra.rip))));
            }
            before = ra.rip;
            Process::step(&self.processes)?;
            instructions += 1;
        }
    }

    /// Function and instruction at `address`.
    fn place(&self, address: u64) -> String {
        let mut text = String::new();
        if let Some(footprint) = self.decoded.get(&address) {
            IntelFormatter::new().format(&footprint.instruction, &mut text);
        }
        let address = address.wrapping_sub(self.base);
        match self.program.function_at(address) {
            Some(f) => format!("{}+{:#x}: {text}", f.name, address - f.address),
            None => format!("{address:#x}: {text}"),
        }
    }
}
