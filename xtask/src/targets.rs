//! `cargo xtask targets`: the core on systems and CPUs that this machine is not.
//!
//! It is checked for all of them, with all warnings, and tested where something here can run the tests:
//! Windows under wine, WebAssembly under node. What should run and cannot is a failure.

mod wine;

use crate::cross::QUICK_STEP;
use crate::cross::setup::{self, Origin, Std};
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

    /// Some of the core's tests under wine and node, and not the program; no target whose std has to be built
    #[arg(long)]
    quick: bool,

    /// Build for Windows, and run nothing
    #[arg(long)]
    without_wine: bool,

    /// Where the standard libraries come from
    #[arg(long, value_enum, default_value_t = Origin::Any)]
    std: Origin,
}

/// What is done for a target.
#[derive(Clone, Copy)]
enum Work {
    /// `cargo check` of the core, with the feature `std`, and of the C interface.
    Hosted,
    /// The same without features.
    Bare,
    /// The tests of the core, and of the program where there is time, under wine.
    Windows,
    /// The program, under wine, with these arguments.
    Program(&'static str),
    /// The tests of the core, under node.
    Node,
}

use Work::{Bare, Hosted, Node, Program, Windows};

/// All targets: the systems that `cpu.rs` tells apart, CPUs of 32 bits and 64 and of both byte orders, and some
/// without a system.
const TARGETS: &[(&str, &[Work])] = &[
    ("x86_64-pc-windows-gnu", &[Bare, Windows, Program("selftest --backend all"), Program("cpu")]),
    ("wasm32-wasip1", &[Bare, Node]),
    ("wasm32-unknown-unknown", &[Hosted, Bare]),
    ("aarch64-apple-darwin", &[Hosted, Bare]),
    ("aarch64-linux-android", &[Hosted, Bare]),
    ("aarch64-pc-windows-msvc", &[Hosted, Bare]),
    ("aarch64-unknown-linux-musl", &[Hosted, Bare]),
    ("i686-unknown-linux-gnu", &[Hosted, Bare]),
    ("powerpc-unknown-linux-gnu", &[Hosted, Bare]),
    ("powerpc64le-unknown-freebsd", &[Hosted]),
    ("x86_64-unknown-freebsd", &[Hosted, Bare]),
    ("x86_64-unknown-illumos", &[Hosted, Bare]),
    ("x86_64-unknown-netbsd", &[Hosted, Bare]),
    ("aarch64-unknown-none", &[Bare]),
    ("riscv32imac-unknown-none-elf", &[Bare]),
    ("thumbv7em-none-eabihf", &[Bare]),
    ("x86_64-unknown-none", &[Bare]),
];

/// Those that rustup has no standard library for: it is built, which takes minutes, and not with --quick.
const BUILT: &[&str] = &["powerpc64le-unknown-freebsd"];

/// The tests under wine and node that --quick runs.
const QUICK: &[&str] = &["--lib", "--test", "golden", "--test", "wycheproof"];

pub(crate) fn run(args: &Args) -> Result<()> {
    for name in &args.targets {
        let known: Vec<_> = TARGETS.iter().map(|(target, _)| *target).collect();
        ensure!(known.contains(&&**name), "no target {name}; there are: {}", known.join(" "));
    }
    let wanted = |target: &str| match args.targets.is_empty() {
        true => !(args.quick && BUILT.contains(&target)),
        false => args.targets.iter().any(|name| name == target),
    };
    let (dir, cache) = (subject::target_dir()?.join("targets"), setup::cache("evariste-cross")?);
    let (mut rows, mut bad) = (Vec::new(), 0);
    for (target, work) in TARGETS.iter().flat_map(|(target, all)| all.iter().map(move |work| (*target, *work))) {
        if !wanted(target) || (args.quick && matches!(work, Program(_))) {
            continue;
        }
        println!("{target}, features {}: {}", work.features(), work.done());
        let result = Std::prepare(&[target], args.std, &cache).and_then(|std| work.run(target, &dir, args, &std));
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

impl Work {
    fn features(self) -> &'static str {
        if matches!(self, Bare) { "none" } else { "std" }
    }

    fn done(self) -> String {
        match self {
            Hosted | Bare => "check".into(),
            Windows => "tests under wine".into(),
            Program(arguments) => format!("evariste {arguments}, under wine"),
            Node => "tests under node".into(),
        }
    }

    /// Does it, with everything below `dir`, and says for the table what came of it.
    fn run(self, target: &str, dir: &Path, args: &Args, std: &Std) -> Result<String> {
        let cargo = |command| cargo(command, dir, target, std);
        match self {
            Hosted => {
                output(cargo("check").args(["-p", "evariste", "-p", "evariste-capi"]))?;
                Ok("no warnings".into())
            }
            Bare => {
                output(cargo("check").args(["-p", "evariste", "--no-default-features"]))?;
                Ok("no warnings".into())
            }
            Windows if args.without_wine => {
                output(cargo("test").args(["-p", "evariste", "-p", "evariste-cli", "--no-run"]))?;
                Ok("built, NOT RUN".into())
            }
            Windows => {
                let wine = Wine::new(dir)?;
                let mut tests = cargo("test");
                tests.args(["-p", "evariste", "--no-fail-fast"]);
                tests.args(if args.quick { QUICK } else { &["-p", "evariste-cli"] });
                if args.quick {
                    tests.env("EVARISTE_TEST_STEP", QUICK_STEP.to_string());
                }
                passed(&output(wine.set(&mut tests).env(runner(target), wine.runner()))?)
            }
            Program(_) if args.without_wine => Ok("NOT RUN".into()),
            Program(arguments) => {
                output(cargo("build").args(["-p", "evariste-cli"]))?;
                let mut program = Wine::new(dir)?.command();
                program.env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
                let printed =
                    output(program.arg(dir.join(target).join("debug/evariste.exe")).args(arguments.split(' ')))?;
                let active = printed.lines().find(|line| line.ends_with("[active]"));
                let line = active.or(printed.lines().next_back()).context("it printed nothing")?;
                Ok(line.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Node => {
                let mut tests = cargo("test");
                tests.args(["-p", "evariste", "--no-fail-fast"]);
                if args.quick {
                    tests.args(QUICK).env("EVARISTE_TEST_STEP", QUICK_STEP.to_string());
                }
                let program = subject::workspace().canonicalize()?.join("xtask/src/targets/wasi.mjs");
                passed(&output(tests.env(runner(target), format!("node --no-warnings {}", program.display())))?)
            }
        }
    }
}

/// What builds for a target, in a folder of its own: other flags build everything anew.
fn cargo(command: &str, dir: &Path, target: &str, std: &Std) -> Command {
    let mut cargo = subject::cargo();
    cargo.current_dir(subject::workspace()).args([command, "--target", target]);
    let sysroot = std.sysroot(target).map_or_else(String::new, |dir| format!(" --sysroot={}", dir.display()));
    cargo.env("CARGO_TARGET_DIR", dir).env("RUSTFLAGS", format!("-D warnings{sysroot}"));
    cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
    // Whoever runs this may have set a switch.
    cargo.env_remove("EVARISTE_DISABLE").env_remove("EVARISTE_BACKEND");
    cargo
}

/// The variable that tells cargo how to run what is built for a target.
fn runner(target: &str) -> String {
    format!("CARGO_TARGET_{}_RUNNER", target.to_uppercase().replace('-', "_"))
}

/// What a command prints, if it succeeds; else all of it is in the error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
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
        let args = Args { targets: vec!["no-such-target".into()], quick: false, without_wine: false, std: Origin::Any };
        assert!(run(&args).is_err());
    }
}
