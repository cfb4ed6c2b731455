//! Which backends a command runs on, and what the environment says about it.

use anyhow::Result;
use clap::Args;
use evariste::{Backend, cpu};
use std::fmt;

/// The switch that several commands share.
#[derive(Args)]
pub(crate) struct Pick {
    /// Backend to run on, or "all" for every one this CPU can run; see `evariste cpu`
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

impl Pick {
    /// Whether none was named, so that the automatic choice counts.
    pub(crate) fn is_automatic(&self) -> bool {
        self.backend.is_none()
    }

    /// Whether all that can run were asked for.
    pub(crate) fn is_all(&self) -> bool {
        self.backend.as_deref() == Some("all")
    }

    /// The backends, fastest first.
    pub(crate) fn backends(&self) -> Result<Vec<Backend>> {
        match self.backend.as_deref() {
            None => Ok(vec![Backend::active()]),
            Some("all") => Ok(Backend::available().collect()),
            Some(name) => match Backend::candidates().find(|c| c.name == name) {
                Some(c) => match c.backend {
                    Ok(backend) => Ok(vec![backend]),
                    Err(reason) => Err(UsageError(format!("backend {name} cannot run: {reason}")).into()),
                },
                None => {
                    let names: Vec<_> = Backend::candidates().map(|c| c.name).collect();
                    Err(UsageError(format!("no backend {name}; there are: all {}", names.join(" "))).into())
                }
            },
        }
    }
}

/// The command line asks for something that is not there: exit code 2.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// The library passes over words it does not know; whoever typed them should hear of it.
pub(crate) fn warn_about_switches() {
    for word in cpu::unknown_words() {
        eprintln!("evariste: warning: EVARISTE_DISABLE: no feature {word:?}");
    }
    if let Ok(name) = std::env::var("EVARISTE_BACKEND")
        && Backend::active().name() != name
    {
        eprintln!("evariste: warning: EVARISTE_BACKEND: no usable backend {name:?}, using {}", Backend::active());
    }
}
