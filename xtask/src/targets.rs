//! `cargo xtask targets`: the core on systems and CPUs that this machine is not.
//!
//! It is checked for all of them, with all warnings, and tested where something here can run the tests:
//! Windows under wine, WebAssembly under node. What should run and cannot is a failure.

mod wine;

use crate::subject;
use crate::table::table;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use wine::Wine;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Targets; all unless named
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// Without the tests that take more than a few seconds under node
    #[arg(long)]
    quick: bool,

    /// Build for Windows, and run nothing
    #[arg(long)]
    without_wine: bool,
}

/// What is done for a target.
#[derive(Clone, Copy)]
enum Work {
    /// `cargo check` of the core, with the feature `std`.
    Std,
    /// The same without features.
    Bare,
    /// The tests of the core and of the program, under wine.
    Windows,
    /// The program that those tests have built, with these arguments.
    Program(&'static str),
    /// The tests of the core, under node.
    Node,
}

use Work::{Bare, Node, Program, Std, Windows};

/// All targets. The systems are those that `cpu.rs` tells apart, the CPUs those without a backend of their
/// own: 32 bits and 64, both byte orders, with an operating system and without.
const TARGETS: &[(&str, &[Work])] = &[
    ("x86_64-pc-windows-gnu", &[Bare, Windows, Program("selftest --backend all"), Program("cpu")]),
    ("wasm32-wasip1", &[Bare, Node]),
    ("wasm32-unknown-unknown", &[Std, Bare]),
    ("aarch64-apple-darwin", &[Std, Bare]),
    ("aarch64-linux-android", &[Std, Bare]),
    ("aarch64-pc-windows-msvc", &[Std, Bare]),
    ("aarch64-unknown-linux-musl", &[Std, Bare]),
    ("i686-unknown-linux-gnu", &[Std, Bare]),
    ("powerpc-unknown-linux-gnu", &[Std, Bare]),
    ("x86_64-unknown-freebsd", &[Std, Bare]),
    ("x86_64-unknown-illumos", &[Std, Bare]),
    ("x86_64-unknown-netbsd", &[Std, Bare]),
    ("aarch64-unknown-none", &[Bare]),
    ("riscv32imac-unknown-none-elf", &[Bare]),
    ("thumbv7em-none-eabihf", &[Bare]),
    ("x86_64-unknown-none", &[Bare]),
];

/// The tests under node that --quick runs.
const QUICK: &[&str] = &["--lib", "--test", "golden", "--test", "wycheproof"];

pub(crate) fn run(args: &Args) -> Result<()> {
    for name in &args.targets {
        let known: Vec<_> = TARGETS.iter().map(|(target, _)| *target).collect();
        ensure!(known.contains(&&**name), "no target {name}; there are: {}", known.join(" "));
    }
    let wanted = |target: &str| args.targets.is_empty() || args.targets.iter().any(|name| name == target);
    let dir = subject::target_dir()?.join("targets");
    let (mut rows, mut bad) = (Vec::new(), 0);
    for (target, work) in TARGETS.iter().flat_map(|(target, all)| all.iter().map(move |work| (*target, *work))) {
        if !wanted(target) {
            continue;
        }
        println!("{target}, features {}: {}", work.features(), work.done());
        let result = provide_std(target).and_then(|()| work.run(target, &dir, args));
        let result = result.unwrap_or_else(|error| {
            bad += 1;
            println!("{error:#}");
            "FAILED".into()
        });
        rows.push([target.into(), work.features().into(), work.done(), result]);
    }
    println!("\n{}", table(&["target", "features", "done", "result"], &rows));
    ensure!(bad == 0, "{bad} of {} failed", rows.len());
    Ok(())
}

/// What of the standard library there is for a target: all of it, or core. The one place that gets it.
fn provide_std(target: &str) -> Result<()> {
    let dir = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    let there = std::fs::read_dir(dir.trim()).is_ok_and(|mut files| {
        files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libcore-")))
    });
    if !there {
        output(Command::new("rustup").args(["target", "add", target]))
            .with_context(|| format!("no std for {target}, and rustup cannot add it"))?;
    }
    Ok(())
}

impl Work {
    fn features(self) -> &'static str {
        if matches!(self, Bare) { "none" } else { "std" }
    }

    fn done(self) -> String {
        match self {
            Std | Bare => "check".into(),
            Windows => "tests under wine".into(),
            Program(arguments) => format!("evariste {arguments}, under wine"),
            Node => "tests under node".into(),
        }
    }

    /// Does it, with everything below `dir`, and says for the table what came of it.
    fn run(self, target: &str, dir: &Path, args: &Args) -> Result<String> {
        match self {
            Std => {
                output(cargo("check", dir, target).args(["-p", "evariste"]))?;
                Ok("no warnings".into())
            }
            Bare => {
                output(cargo("check", dir, target).args(["-p", "evariste", "--no-default-features"]))?;
                Ok("no warnings".into())
            }
            Windows if args.without_wine => {
                output(cargo("test", dir, target).args(["-p", "evariste", "-p", "evariste-cli", "--no-run"]))?;
                Ok("built, NOT RUN".into())
            }
            Windows => {
                let wine = Wine::new(dir)?;
                let mut tests = cargo("test", dir, target);
                // One build of the core for both.
                tests.args(["-p", "evariste", "-p", "evariste-cli", "--no-fail-fast"]);
                passed(&output(wine.set(&mut tests).env(runner(target), wine.program()))?)
            }
            Program(_) if args.without_wine => Ok("NOT RUN".into()),
            Program(arguments) => {
                let wine = Wine::new(dir)?;
                let mut program = Command::new(wine.program());
                program.arg(dir.join(target).join("debug/evariste.exe")).args(arguments.split(' '));
                let printed = output(wine.set(&mut program))?;
                let active = printed.lines().find(|line| line.ends_with("[active]"));
                let line = active.or(printed.lines().next_back()).context("it printed nothing")?;
                Ok(line.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Node => {
                let mut tests = cargo("test", dir, target);
                tests.args(["-p", "evariste", "--no-fail-fast"]);
                if args.quick {
                    tests.args(QUICK);
                }
                let program = subject::workspace().canonicalize()?.join("xtask/src/targets/wasi.mjs");
                passed(&output(tests.env(runner(target), format!("node --no-warnings {}", program.display())))?)
            }
        }
    }
}

/// What builds for a target, in a folder of its own: other flags build everything anew.
fn cargo(command: &str, dir: &Path, target: &str) -> Command {
    let mut cargo = subject::cargo();
    cargo.current_dir(subject::workspace()).args([command, "--target", target]);
    cargo.env("CARGO_TARGET_DIR", dir).env("RUSTFLAGS", "-D warnings").env_remove("CARGO_ENCODED_RUSTFLAGS");
    // Whoever runs this may have set a switch.
    cargo.env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
    cargo
}

/// The variable that tells cargo how to run what is built for a target.
fn runner(target: &str) -> String {
    format!("CARGO_TARGET_{}_RUNNER", target.to_uppercase().replace('-', "_"))
}

/// What a command prints, if it succeeds; else all of it is in the error.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{text}{error}", output.status);
    Ok(text.into_owned())
}

/// How many tests passed, of all programs; cargo has seen to it that none failed.
fn passed(printed: &str) -> Result<String> {
    let results = printed.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    let numbers = results.map(|line| line.split(' ').next().unwrap_or_default().parse::<usize>());
    let passed: usize = numbers.sum::<Result<_, _>>()?;
    ensure!(passed > 0, "no test ran:\n{printed}");
    Ok(format!("{passed} passed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted() {
        let two = "running 3 tests\ntest result: ok. 3 passed; 0 failed\n\ntest result: ok. 12 passed; 0 failed\n";
        assert_eq!(passed(two).expect("numbers"), "15 passed");
        assert!(passed("test result: ok. 0 passed; 0 failed\n").is_err());
        assert!(passed("").is_err());
    }

    #[test]
    fn failures_are_told() {
        let error = output(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"])).expect_err("status 3");
        let text = error.to_string();
        assert!(text.contains("one") && text.contains("two") && text.contains('3'), "{text}");
        assert!(output(&mut Command::new("no-such-program")).is_err());
    }

    #[test]
    fn unknown_targets_are_refused() {
        let args = Args { targets: vec!["no-such-target".into()], quick: false, without_wine: false };
        assert!(run(&args).is_err());
    }
}
