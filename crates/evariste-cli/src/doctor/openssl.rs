//! `evariste doctor openssl`: whether OpenSSL's programs and libraries take our ciphers.

mod config;
mod program;
mod report;
mod served;

use super::quoted;
use anyhow::Result;
use config::Config;
use program::Program;
use report::{Module, Report};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Say which provider serves OpenSSL's ciphers, whether evariste's is active, and why not
///
/// Asks the program `openssl`, and has it encrypt with each cipher, which our provider counts: so it is known who
/// was called, not only who is configured. That is what holds for all programs with the same libcrypto and the same
/// OPENSSL_CONF and OPENSSL_MODULES. Takes about a second; changes nothing.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  evariste doctor openssl\n  \
    OPENSSL_CONF=/etc/ssl/mine.cnf evariste doctor openssl --openssl /opt/openssl/bin/openssl --json")]
pub(crate) struct Args {
    /// The program to ask [default: openssl on the PATH]
    #[arg(long, value_name = "FILE")]
    openssl: Option<PathBuf>,

    /// Print {active, reasons, openssl, version, modules, config, module, providers, ciphers: [{name, provider}], install,
    /// undo} and nothing else
    #[arg(long)]
    json: bool,

    /// Print the lines that switch evariste on, for the end of the configuration in force, and nothing else
    #[arg(long, conflicts_with = "json")]
    lines: bool,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    if args.lines {
        let config = Program::find(args.openssl.as_deref()).and_then(|program| program.config());
        let file = config.map_err(anyhow::Error::msg)?;
        stdout().write_all(Config::read(&file).lines().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = examine(args.openssl.as_deref());
    let text = if args.json { serde_json::to_string_pretty(&report)? + "\n" } else { report.text() };
    stdout().write_all(text.as_bytes())?;
    Ok(if report.active { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Looks at everything, as far as it goes.
fn examine(given: Option<&Path>) -> Report {
    let mut report = Report::default();
    if let Err(reason) = fill(&mut report, given) {
        report.reasons.push(reason);
    }
    report.active = report.reasons.is_empty();
    report
}

/// An error is why there is nothing further to see.
fn fill(report: &mut Report, given: Option<&Path>) -> Result<(), String> {
    let program = Program::find(given)?;
    report.openssl = Some(program.file().to_owned());
    let version = program.version()?;
    report.version = Some(version.clone());
    if !program::has_providers(&version) {
        return Err(format!("{version} takes no providers: OpenSSL 3 or 4 does"));
    }
    let (modules, config_file) = (program.modules()?, program.config()?);
    let config = Config::read(&config_file);
    report.modules = Some(modules.clone());
    report.config = Some(config_file.clone());

    // Links are followed: `sed -i` would put a file in the place of one.
    let target = config_file.canonicalize().unwrap_or_else(|_| config_file.clone());
    let lines = format!("evariste doctor openssl{} --lines >> {}", again(given), quoted(&target));
    let file = modules.join(config.module().unwrap_or_else(|| "evariste.so".into()));
    if config.has_lines() {
        report.undo.push(format!("sed -i '/^{}$/,/^{}$/d' {}", config::BEGIN, config::END, quoted(&target)));
    }
    if file.exists() {
        // After the lines, which would name a file that is not there.
        report.undo.push(format!("rm {}", quoted(&file)));
        match program.module(&file) {
            Ok(version) => report.module = Some(Module { file: file.clone(), version }),
            Err(why) => report.reasons.push(format!("{} does not load: {why}", file.display())),
        }
    } else {
        report.reasons.push(format!("there is no {}", file.display()));
    }
    if report.module.is_none() {
        report.install.push(format!("install -m 644 target/release/libevariste_openssl.so {}", quoted(&file)));
    }
    if !config_file.exists() {
        report.reasons.push(format!("the configuration {} is not there", config_file.display()));
    }
    report.providers =
        program.providers().map_err(|why| format!("openssl does not start with {}: {why}", config_file.display()))?;
    if !report.providers.iter().any(|provider| provider.name == served::OURS) {
        // Where the file is missing, that may be why.
        if report.module.is_some() || !config.has_lines() {
            report.reasons.push(format!("{} does not activate it", config_file.display()));
            report.install.push(lines);
        }
        report.ciphers = served::all(&program, None)?;
        return Ok(());
    }
    report.ciphers = served::all(&program, config.counters())?;
    if let Some(complaint) = served::complaint(&report.ciphers) {
        report.reasons.push(complaint);
        report.install.push(lines);
    }
    Ok(())
}

/// How this program is called again.
fn again(given: Option<&Path>) -> String {
    given.map_or_else(String::new, |file| format!(" --openssl {}", quoted(file)))
}
