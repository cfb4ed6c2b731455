//! Windows, as far as wine is it: a folder for its registry and disk, no display, no word of its own.

use crate::targets::output;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rust's std takes random numbers from a library that wine 8 does not have. This makes one that passes calls on
/// to the function of the same arguments that Windows had before.
const RANDOM: &str = "LIBRARY bcryptprimitives.dll\nEXPORTS\n    ProcessPrng = advapi32.SystemFunction036\n";

/// A wine of our own.
pub(super) struct Wine {
    program: PathBuf,
    prefix: PathBuf,
}

impl Wine {
    /// Starts with an empty disk below `dir`, or with what an earlier call left there.
    pub(super) fn new(dir: &Path) -> Result<Self> {
        let program = find().context("there is no wine: install Debian's wine64, or say --without-wine")?;
        let wine = Self { program, prefix: dir.join("wine") };
        let system = wine.prefix.join("drive_c/windows/system32");
        let random = system.join("bcryptprimitives.dll");
        if !random.exists() {
            std::fs::create_dir_all(dir)?;
            output(wine.command().args(["wineboot", "--init"]))?;
        }
        if !random.exists() {
            let exports = dir.join("bcryptprimitives.def");
            std::fs::write(&exports, RANDOM)?;
            // Beside it first: what has the name must be whole.
            let built = system.join("bcryptprimitives.new");
            let mut link = Command::new("x86_64-w64-mingw32-gcc");
            output(link.args(["-shared", "-nostdlib", "-Wl,--entry=0", "-o"]).arg(&built).arg(exports))?;
            std::fs::rename(built, random)?;
        }
        Ok(wine)
    }

    /// What runs a program, for cargo. With random addresses one process in a thousand did not start (wine 8,
    /// 2026-11-30: 3 of 38 runs of tests that start many failed, and none of 98 without).
    pub(super) fn runner(&self) -> String {
        format!("setarch -R {}", self.program.display())
    }

    /// The same for [`Command`].
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("setarch");
        command.arg("-R").arg(&self.program);
        self.set(&mut command);
        command
    }

    /// The environment of both.
    pub(super) fn set<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env_remove("DISPLAY");
        // Else it looks for .NET and a browser.
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=")
    }
}

/// Debian's wine64 is not on the path, unless wine is there too.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = |name| std::env::split_paths(&path).map(move |dir| dir.join(name));
    let mut all = named("wine64").chain([PathBuf::from("/usr/lib/wine/wine64")]).chain(named("wine"));
    all.find(|program| program.is_file())
}
