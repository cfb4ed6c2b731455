//! OpenSSL's program: the system's, and that of a later release, unpacked.

use crate::{Installed, With};
use anyhow::{Result, anyhow};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The release of Debian that has a later OpenSSL, 3.5 or 3.6.
const LATER: &str = "trixie";
const PACKAGES: &[&str] = &["openssl", "libssl4|libssl3t64|libssl3", "libc6", "zlib1g", "libzstd1"];

/// One OpenSSL.
#[derive(Clone, Copy, Debug)]
pub enum OpenSsl {
    /// The system's.
    System,
    /// One of a later release of Debian, and where it is.
    Later(&'static Path),
}

impl OpenSsl {
    /// Both.
    pub fn all() -> Result<[Self; 2]> {
        Ok([Self::System, Self::later()?])
    }

    /// The later one, fetched when it is not there: `EVARISTE_TEST_OPENSSL` names another release of Debian.
    pub fn later() -> Result<Self> {
        static ROOT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let fetch = || {
            let suite = std::env::var("EVARISTE_TEST_OPENSSL").unwrap_or_else(|_| LATER.into());
            debian::unpacked(&debian::cache("evariste-openssl")?, &debian::own_architecture()?, &suite, PACKAGES)
        };
        let root = ROOT.get_or_init(|| fetch().map_err(|error| format!("{error:#}")));
        Ok(Self::Later(root.as_deref().map_err(|error| anyhow!("{error}"))?))
    }

    /// The words of a command line that start it.
    pub fn words(self) -> Result<Vec<OsString>> {
        let Self::Later(root) = self else { return Ok(vec!["openssl".into()]) };
        // By the dynamic loader that came with it: it needs its C library, too.
        let gnu = format!("{}-linux-gnu", std::env::consts::ARCH);
        let name = if cfg!(target_arch = "aarch64") { "ld-linux-aarch64.so.1" } else { "ld-linux-x86-64.so.2" };
        let libraries = debian::library_path(root, &gnu);
        let loader = debian::loader(root, &gnu, name)?;
        Ok(vec![loader.into(), "--library-path".into(), libraries.into(), root.join("usr/bin/openssl").into()])
    }

    /// `openssl ARGUMENTS` in the directory, with our provider or without, which counts to that file.
    pub fn command(self, installed: &Installed, with: With, counts: &str, arguments: &[&str]) -> Result<Command> {
        let words = self.words()?;
        let mut command = Command::new(&words[0]);
        installed.start(&mut command, with, counts);
        command.args(&words[1..]).args(arguments);
        Ok(command)
    }
}
