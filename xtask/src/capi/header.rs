//! `evariste.h`, written from the functions that it declares.

use crate::subject::workspace;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// Where it is.
pub(crate) fn path() -> PathBuf {
    super::sources().join("include/evariste.h")
}

/// Writes it, or only looks whether it is as it should be.
pub(crate) fn run(check: bool) -> Result<()> {
    let header = header()?;
    if check {
        let there = std::fs::read_to_string(path()).context("evariste.h")?;
        ensure!(there == header, "evariste.h is not of this source: cargo xtask header");
        return Ok(());
    }
    std::fs::write(path(), header).context("evariste.h")
}

/// What the source says.
fn header() -> Result<String> {
    let sources = super::sources();
    let config = cbindgen::Config::from_file(sources.join("cbindgen.toml")).map_err(anyhow::Error::msg)?;
    let lock = workspace().join("Cargo.lock");
    let bindings = cbindgen::Builder::new().with_crate(sources).with_config(config).with_lockfile(lock).generate()?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    let lines = String::from_utf8(header)?;
    Ok(lines.lines().map(|line| constant(line) + "\n").collect())
}

/// A negative constant wants parentheses: `2 EVARISTE_ERROR_NULL` would be a difference.
fn constant(line: &str) -> String {
    match line.strip_prefix("#define ").and_then(|rest| rest.split_once(" -")) {
        Some((name, number)) => format!("#define {name} (-{number})"),
        None => line.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_of_this_source() {
        run(true).expect("the same");
    }

    #[test]
    fn negative_constants_have_parentheses() {
        assert_eq!(constant("#define A -12"), "#define A (-12)");
        assert_eq!(constant("#define A 12"), "#define A 12");
    }
}
