//! The test values of docs/formats.md are what Python makes of that document, with an Argon2id in C.

use anyhow::{Result, ensure};
use std::path::Path;

const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/evariste-store/tests");

#[test]
fn the_values_are_those_of_python() -> Result<()> {
    let mut python = evariste_store_tests::python(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let made = evariste_store_tests::run(python.arg(Path::new(CRATE).join("header_vectors.py")))?;
    ensure!(made == std::fs::read_to_string(Path::new(CRATE).join("data/header.txt"))?, "{made}");
    Ok(())
}
