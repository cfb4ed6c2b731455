//! The example that loads the provider without OpenSSL, which is for other CPUs, works on this one.

use anyhow::{Result, ensure};
use evariste_openssl_tests::{library, output};
use std::process::Command;

#[test]
fn without_openssl() -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--quiet", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    let text = String::from_utf8(output(cargo.args(["--example", "load", "--"]).arg(library()?))?.stdout)?;
    ensure!(text.lines().any(|line| line.starts_with("AES-256-CCM:")), "{text}");
    ensure!(text.ends_with("sealed and opened\n"), "{text}");
    Ok(())
}
