//! The least that a program on the library does.

use crate::contestant::Way;
use anyhow::Result;
use evariste_store::parallel;
use std::fs::{self, File};
use std::path::Path;

pub(crate) fn run(way: Way, input: &Path, output: &Path, key: &Path, threads: usize) -> Result<()> {
    let (input, output, key) = (File::open(input)?, File::create(output)?, fs::read(key)?);
    match way {
        Way::Encrypt => parallel::seal(&input, &output, &key, b"", threads)?,
        Way::Decrypt => parallel::open(&input, &output, &key, b"", threads)?,
    };
    output.sync_all()?;
    Ok(())
}
