//! Windows, as far as wine is it: a folder for its registry and disk, no display, no word of its own.

use crate::targets::output;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rust's std takes random numbers from a library that wine has from version 9 on. Before, this makes one
/// that passes calls on to the function of the same arguments that Windows had first.
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
            output(wine.set(&mut Command::new(&wine.program)).args(["wineboot", "--init"]))?;
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

    /// What runs programs, for cargo and for [`Command`].
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The environment in which it does.
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
