//! `cargo xtask capi`: the library as programs in C, C++ and Python use it.
//!
//! It is installed to a folder by the command that users have, and found there by pkg-config. Each program runs plain,
//! under valgrind, and with the sanitizers of addresses and of undefined behaviour, with the shared and with the static
//! library. For another CPU it runs under qemu.

use super::install;
use super::{exported, header, sources};
use crate::subject::target_dir;
use crate::table::table;
use crate::targets::output;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also for these, as powerpc64-unknown-linux-gnu: the program in C, by Debian's cross compilers (as
    /// gcc-powerpc64-linux-gnu), under qemu's user-mode emulation (qemu-user)
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// What must hold of every program, and of the header alone.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// The programs: source, compiler, standard.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("tests/c/smoke.c", "gcc", "-std=c99"),
    ("examples/c/seal.c", "gcc", "-std=c99"),
    ("tests/c/smoke.cpp", "g++", "-std=c++11"),
];

/// What they are told: one run looks at all backends and takes `portable`, one takes what the library chooses.
const ARGUMENTS: [&[&str]; 2] = [&[], &["choose"]];

/// How each is built and run here: what it is called, more flags, and what runs it.
const WAYS: [(&str, &[&str], &[&str]); 3] = [
    ("plain", &["-O2"], &[]),
    ("valgrind", &["-O1", "-g"], &["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"]),
    ("asan and ubsan", &["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"], &[]),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    header::run(true)?;
    let mut trial = Trial { dir: target_dir()?.join("capi"), rows: Vec::new(), failed: 0 };
    trial.all(None)?;
    for target in &args.targets {
        trial.all(Some(target))?;
    }
    println!("\n{}", table(&["for", "program", "library", "how", "result"], &trial.rows));
    ensure!(trial.failed == 0, "{} of {} failed", trial.failed, trial.rows.len());
    Ok(())
}

struct Trial {
    dir: PathBuf,
    rows: Vec<[String; 5]>,
    failed: usize,
}

impl Trial {
    /// Everything for one target, or for this machine.
    fn all(&mut self, target: Option<&str>) -> Result<()> {
        let name = target.unwrap_or("this machine");
        let prefix = self.dir.join(target.unwrap_or("here"));
        let _ = std::fs::remove_dir_all(&prefix);
        install::install(&prefix, target)?;
        let found = symbols(&prefix, target)?;
        self.note([name, "", "shared", "symbols"], || Ok(found));
        // Of the cross compilers the one of C is enough: of CPUs the border knows the order of bytes, not of languages.
        for (source, compiler, standard) in
            PROGRAMS.into_iter().filter(|(_, compiler, _)| target.is_none() || *compiler == "gcc")
        {
            let compiler = target.map_or(compiler.to_owned(), |target| format!("{}{compiler}", install::tools(target)));
            self.note([name, source, "", "header alone"], || alone(&prefix, &compiler, standard));
            for shared in [true, false] {
                let library = if shared { "shared" } else { "static" };
                for (way, flags, runner) in WAYS.iter().filter(|(way, ..)| target.is_none() || *way == "plain") {
                    self.note([name, source, library, way], || {
                        let program = build(&prefix, &compiler, (source, standard), shared, flags)?;
                        for arguments in ARGUMENTS {
                            let mut command = match (target, runner) {
                                (Some(target), _) => emulated(target, &prefix, &program),
                                (None, [first, rest @ ..]) => with(first, rest, &program),
                                (None, []) => Command::new(&program),
                            };
                            result(command.args(arguments).env("LD_LIBRARY_PATH", prefix.join("lib")))?;
                        }
                        Ok("passed".into())
                    });
                }
            }
        }
        if target.is_none() {
            self.note([name, "examples/python/evariste.py", "shared", "python3"], || {
                let mut python = Command::new("python3");
                python.arg(sources().join("examples/python/evariste.py"));
                result(python.env("EVARISTE_LIBRARY", prefix.join("lib/libevariste.so")))?;
                Ok("passed".into())
            });
            self.note([name, "", "", "uninstall"], || {
                install::uninstall(&prefix)?;
                let left = files(&prefix)?;
                ensure!(left.is_empty(), "left behind: {left:?}");
                Ok("nothing is left".into())
            });
        }
        Ok(())
    }

    fn note(&mut self, what: [&str; 4], run: impl FnOnce() -> Result<String>) {
        let result = run().unwrap_or_else(|error| {
            self.failed += 1;
            println!("{}: {error:#}", what.join(", "));
            "FAILED".into()
        });
        let [a, b, c, d] = what.map(str::to_owned);
        self.rows.push([a, b, c, d, result]);
    }
}

/// Whether a program says at its end that nothing failed.
fn result(command: &mut Command) -> Result<()> {
    command.env_remove("EVARISTE_BACKEND").env_remove("EVARISTE_DISABLE");
    let text = output(command)?;
    ensure!(text.lines().next_back() == Some("0 failures"), "{text}");
    Ok(())
}

fn with(first: &str, rest: &[&str], program: &Path) -> Command {
    let mut command = Command::new(first);
    command.args(rest).arg(program);
    command
}

/// Under qemu, with Debian's libraries for the CPU.
fn emulated(target: &str, prefix: &Path, program: &Path) -> Command {
    let cpu = match target.split('-').next().unwrap_or_default() {
        "powerpc64" => "ppc64",
        "powerpc64le" => "ppc64le",
        other => other,
    };
    let mut command = Command::new(format!("qemu-{cpu}"));
    command.arg("-L").arg(format!("/usr/{}", install::tools(target).trim_end_matches('-')));
    command.arg("-E").arg(format!("LD_LIBRARY_PATH={}", prefix.join("lib").display())).arg(program);
    command
}

/// The header by itself, with all warnings.
fn alone(prefix: &Path, compiler: &str, standard: &str) -> Result<String> {
    let language = if standard.contains("++") { "c++" } else { "c" };
    let mut command = Command::new(compiler);
    command.arg(standard).args(WARNINGS).args(["-fsyntax-only", "-x", language]);
    output(command.arg(prefix.join("include/evariste.h")))?;
    Ok("no warnings".into())
}

fn build(
    prefix: &Path,
    compiler: &str,
    (source, standard): (&str, &str),
    shared: bool,
    flags: &[&str],
) -> Result<PathBuf> {
    let program = prefix.join("program");
    let mut command = Command::new(compiler);
    command.arg(standard).args(WARNINGS).args(flags).args(pkg_config(prefix, &["--cflags"])?);
    command.arg(sources().join(source)).arg("-o").arg(&program);
    if shared {
        command.args(pkg_config(prefix, &["--libs"])?);
    } else {
        // The linker takes the shared one where it has the choice.
        let libraries = pkg_config(prefix, &["--static", "--libs"])?;
        command.args(libraries.iter().map(|word| word.replace("-levariste", "-l:libevariste.a")));
    }
    output(command.arg("-pthread"))?;
    Ok(program)
}

fn pkg_config(prefix: &Path, words: &[&str]) -> Result<Vec<String>> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(words).arg("evariste");
    Ok(output(&mut command)?.split_whitespace().map(str::to_owned).collect())
}

/// That the shared library exports what the version script says and nothing else, all with a version, and that the static
/// one shows the same.
fn symbols(prefix: &Path, target: Option<&str>) -> Result<String> {
    let expected = exported(&std::fs::read_to_string(sources().join("evariste.map"))?);
    let tool = |name: &str| Command::new(target.map_or(name.to_owned(), |target| install::tools(target) + name));
    let shared = prefix.join("lib/libevariste.so");
    let text = output(tool("nm").args(["-D", "--defined-only", "--with-symbol-versions"]).arg(&shared))?;
    let mut dynamic: Vec<_> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    // The version itself is a symbol, too.
    dynamic.retain(|name| *name != "EVARISTE_0.1");
    let versioned: Vec<_> = expected.iter().map(|name| format!("{name}@@EVARISTE_0.1")).collect();
    ensure!(dynamic == versioned, "the shared library exports {dynamic:?}");
    let text = output(tool("readelf").args(["-sW"]).arg(prefix.join("lib/libevariste.a")))?;
    let mut global: Vec<_> = text.lines().filter_map(visible).collect();
    global.sort();
    ensure!(global == expected, "the static library shows {global:?}");
    Ok(format!("{} functions", expected.len()))
}

/// The name in a line of readelf, if it is one that other objects see, and not one that they are to have.
fn visible(line: &str) -> Option<&str> {
    let words: Vec<_> = line.split_whitespace().collect();
    // Number, value, size, type, binding, visibility, section, name; on POWER the entry point behind the visibility.
    let [_, _, _, _, "GLOBAL" | "WEAK", .., section, name] = words[..] else { return None };
    (section != "UND").then_some(name)
}

/// All files and links below a directory, but the program that was tried.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else if entry.file_name() != "program" {
            found.push(entry.path());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_that_are_seen() {
        let line = |rest: &str| format!("  12: 0000000000000000   16 FUNC    {rest}");
        assert_eq!(visible(&line("GLOBAL DEFAULT    5 evariste_x")), Some("evariste_x"));
        assert_eq!(visible(&line("WEAK   DEFAULT [<localentry>: 8]    5 other")), Some("other"));
        assert_eq!(visible(&line("GLOBAL DEFAULT  UND malloc")), None);
        assert_eq!(visible(&line("LOCAL  DEFAULT    5 inner")), None);
    }
}
