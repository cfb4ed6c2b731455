//! Folders that are filled whole or not at all, and the commands that fill them.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of our own for what is fetched, under `XDG_CACHE_HOME` or `~/.cache`.
pub fn cache(name: &str) -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join(name);
    std::fs::create_dir_all(&cache).with_context(|| cache.display().to_string())?;
    Ok(cache)
}

/// Takes the place of `to` by what `fill` puts into an empty folder: all of it, or nothing.
pub fn replace(to: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let new = to.with_added_extension("new");
    for old in [&new, to] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    std::fs::create_dir_all(&new)?;
    fill(&new)?;
    std::fs::rename(new, to)?;
    Ok(())
}

/// A line about what is being set up.
pub fn say(what: &str) {
    eprintln!("set-up: {what}");
}

/// What a command prints, if it succeeds.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(String::from_utf8(output.stdout)?)
}
