//! `evariste doctor nss`: whether programs on NSS take our ciphers, and a directory of libraries with which they do.

mod libraries;
mod trial;

use super::quoted;
use anyhow::{Context, Result};
use libraries::Libraries;
use serde::Serialize;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use trial::Trial;

/// Say whether programs on NSS use evariste, and make them do so
///
/// NSS takes its ciphers from libfreeblpriv3.so, which stands beside its other libraries. --into makes a directory
/// with copies of all of them, NSS's own freebl under another name, and evariste's in its place: programs that get
/// it as LD_LIBRARY_PATH use evariste for AES-GCM, CTR and ECB, and NSS's own code for the rest. Nothing else is
/// changed, and removing the directory undoes it.
///
/// Whether it works is tried: certutil (of libnss3-tools) makes a database in a temporary directory, and our library
/// says that it was loaded.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  evariste doctor nss --into private\n  \
    LD_LIBRARY_PATH=$PWD/private evariste doctor nss --json")]
pub(crate) struct Args {
    /// Make this directory, or renew it if it was made so
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Where NSS's libraries are [default: in LD_LIBRARY_PATH, or in the system's directories]
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Our library [default: libevariste_nss.so beside this program]
    #[arg(long, value_name = "FILE", requires = "into")]
    shim: Option<PathBuf>,

    /// Print {active, reasons, libraries, version, ours, install, undo} and nothing else
    #[arg(long)]
    json: bool,
}

/// The JSON form. What is not known is null or empty.
#[derive(Debug, Default, Serialize)]
struct Report {
    active: bool,
    /// Why not.
    reasons: Vec<String>,
    /// Where NSS's libraries are that were looked at.
    libraries: Option<PathBuf>,
    version: Option<String>,
    /// Our library among them.
    ours: Option<PathBuf>,
    install: Vec<String>,
    undo: Vec<String>,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let libraries = match &args.into {
        Some(into) => {
            let from = Libraries::find(args.from.as_deref()).map_err(anyhow::Error::msg)?;
            let into = std::path::absolute(into).with_context(|| into.display().to_string())?;
            Ok(from.copy(&into, args.shim.as_deref())?)
        }
        None => Libraries::find(args.from.as_deref()),
    };
    let mut report = Report::default();
    match libraries {
        Ok(libraries) => report.fill(&libraries),
        Err(reason) => report.reasons.push(reason),
    }
    report.active = report.reasons.is_empty();
    let text = if args.json { serde_json::to_string_pretty(&report)? + "\n" } else { report.text() };
    stdout().write_all(text.as_bytes())?;
    Ok(if report.active { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Report {
    fn fill(&mut self, libraries: &Libraries) {
        let place = libraries.place();
        self.libraries = Some(place.to_owned());
        self.version = libraries.version();
        if !libraries.are_ours() {
            self.reasons.push(format!("{} is NSS's own", libraries.freebl().display()));
            self.install.push(format!("evariste doctor nss --into private --from {}", quoted(place)));
            return;
        }
        self.ours = Some(libraries.freebl());
        self.undo.push(format!("rm -r {}", quoted(place)));
        if libraries.original().is_none() {
            self.reasons.push(format!("{} lacks libfreeblpriv3-orig.so, NSS's own", place.display()));
        }
        match trial::run(place) {
            Trial::Loaded => {}
            Trial::NotLoaded(said) => self.reasons.push(format!("NSS does not use it{said}")),
            Trial::Failed(said) => self.reasons.push(format!("certutil does not run on it: {said}")),
            Trial::NotTried(why) => self.reasons.push(format!("it was not tried: {why}; certutil is in libnss3-tools")),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                out += &format!("{name:12} {value}\n");
            }
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        line("Libraries", path(&self.libraries));
        line("Version", self.version.clone());
        line("Ours", path(&self.ours));
        if !out.is_empty() {
            out.push('\n');
        }
        if self.active {
            out += "evariste is active.\n";
            if let Some(place) = &self.libraries {
                out += &format!("\nTo use it:\n  LD_LIBRARY_PATH={} PROGRAM\n", quoted(place));
            }
        } else {
            out += "evariste is not active:\n";
            self.reasons.iter().for_each(|reason| out += &format!("  {reason}\n"));
        }
        let install = "To make a directory of libraries with it, after cargo build --release -p evariste-nss:";
        for (title, commands) in [(install, &self.install), ("To remove it:", &self.undo)] {
            if !commands.is_empty() {
                out += &format!("\n{title}\n");
                commands.iter().for_each(|command| out += &format!("  {command}\n"));
            }
        }
        out
    }
}
