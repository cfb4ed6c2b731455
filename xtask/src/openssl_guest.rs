//! `cargo xtask openssl-guest`: the provider on POWER, under qemu.
//!
//! Little endian with Debian's OpenSSL for it, unpacked and not installed, against the one of this machine; big endian,
//! which Debian has none for, by programs that call the provider as OpenSSL does.

mod programs;

use crate::cross::setup::{Origin, Tools, library};
use crate::cross::{OTHERS, Target, build};
use crate::subject::{cargo, target_dir, workspace};
use crate::table::table;
use anyhow::{Context, Result, ensure};
use programs::Programs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// powerpc64le, powerpc64, or both
    #[arg(value_name = "TARGET", default_values = ["powerpc64le", "powerpc64"],
          value_parser = ["powerpc64le", "powerpc64"])]
    targets: Vec<String>,

    /// The CPU, as qemu names it
    #[arg(long, default_value = "power9")]
    cpu: String,
}

/// Tests of the provider that need no OpenSSL.
const TESTS: [&str; 4] = ["aead", "hostile", "tls", "unauthenticated"];
/// The one that loads libcrypto.
const LIBCRYPTO: &str = "libcrypto";

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut rows = Vec::new();
    for name in &args.targets {
        let target = OTHERS.iter().find(|target| target.architecture() == name).context("no such target")?;
        let guest = Guest::prepare(target, &args.cpu)?;
        let mut row = |what: &str, result: String| {
            println!("{name}: {what}: {result}");
            rows.push([name.clone(), what.to_owned(), result]);
        };
        let load =
            guest.build("integration/Cargo.toml", &["build", "-p", "evariste-openssl-tests", "--example", "load"])?;
        let [load] = &load[..] else { anyhow::bail!("one example is built") };
        let text = debian::output(guest.command(&load.1).arg(&guest.module))?;
        ensure!(text.ends_with("sealed and opened\n"), "{text}");
        row("loaded without OpenSSL", format!("{} algorithms", text.lines().count() - 1));
        // Debian has OpenSSL for it.
        let programs = (*name == "powerpc64le").then(|| Programs::prepare(&guest)).transpose()?;
        let mut arguments = vec!["test", "--no-run", "--package", "evariste-openssl"];
        let wanted = TESTS.into_iter().chain(programs.as_ref().map(|_| LIBCRYPTO));
        arguments.extend(wanted.flat_map(|test| ["--test", test]));
        for (test, file) in guest.build("Cargo.toml", &arguments)? {
            let mut command = guest.command(&file);
            if let Some(programs) = &programs {
                // That alone: two builds of a C library do not mix.
                command.env("EVARISTE_TEST_LIBCRYPTO", programs.libcrypto());
            }
            let text = debian::output(command.args(["--test-threads", "2"]))?;
            let passed = text.lines().find_map(|line| line.strip_prefix("test result: ok. "));
            let passed = passed.and_then(|rest| rest.split_once(';')).with_context(|| text.clone())?.0;
            ensure!(passed != "0 passed", "{test}: no tests");
            row(&format!("test {test}"), passed.to_owned());
        }
        if let Some(programs) = programs {
            row("openssl enc", programs.enc()?);
            row("openssl cms", programs.cms()?);
            row("openssl s_server", programs.tls()?);
        }
    }
    println!("\n{}", table(&["target", "what", "result"], &rows));
    Ok(())
}

/// What runs programs of a target.
struct Guest {
    target: &'static Target,
    tools: Tools,
    cpu: String,
    /// The provider.
    module: PathBuf,
}

impl Guest {
    fn prepare(target: &'static Target, cpu: &str) -> Result<Self> {
        let tools = Tools::prepare(&[target], Origin::Any)?;
        let mut guest = Self { target, tools, cpu: cpu.to_owned(), module: PathBuf::new() };
        guest.build("Cargo.toml", &["build", "--package", "evariste-openssl"])?;
        guest.module = target_dir()?.join(target.triple).join("release/libevariste_openssl.so");
        ensure!(guest.module.exists(), "{} was not built", guest.module.display());
        Ok(guest)
    }

    /// Runs cargo, and says which programs it has built, by name.
    fn build(&self, manifest: &str, arguments: &[&str]) -> Result<Vec<(String, PathBuf)>> {
        let mut cargo = cargo();
        cargo.current_dir(workspace()).args(arguments).args(["--quiet", "--release", "--manifest-path", manifest]);
        cargo.args(["--message-format", "json-render-diagnostics"]);
        build::configure(&mut cargo, self.target, &self.tools.std);
        let output = cargo.arg("--target-dir").arg(target_dir()?).stderr(Stdio::inherit()).output().context("cargo")?;
        ensure!(output.status.success(), "cargo {arguments:?} fails for {}", self.target.triple);
        let messages = String::from_utf8(output.stdout)?;
        Ok(messages.lines().filter_map(build::executable).map(|(path, name, _)| (name, path)).collect())
    }

    /// A program of the target.
    fn command(&self, program: &Path) -> Command {
        let mut command = self.qemu();
        command.arg("-L").arg(library(self.target)).arg(program);
        command
    }

    /// The emulator; `evariste`'s switches are not for its guest.
    fn qemu(&self) -> Command {
        let mut command = Command::new(self.tools.emulators.of(self.target));
        command.args(["-cpu", &self.cpu]);
        for name in ["EVARISTE_BACKEND", "EVARISTE_DISABLE", "EVARISTE_OPENSSL_COUNTERS", "OPENSSL_CONF"] {
            command.env_remove(name);
        }
        command
    }
}
