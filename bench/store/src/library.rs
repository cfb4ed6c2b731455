//! The least that a program on the library does.

use crate::contestant::Way;
use anyhow::Result;
use evariste_store::{Reader, Writer};
use std::fs::{self, File};
use std::io::{BufRead, Read, Write};
use std::path::Path;

pub(crate) fn run(way: Way, input: &Path, output: &Path, key: &Path, threads: usize) -> Result<()> {
    let (mut input, mut output, key) = (File::open(input)?, File::create(output)?, fs::read(key)?);
    match way {
        Way::Encrypt => {
            let mut writer = Writer::new(&output, &key, b"")?.threads(threads);
            loop {
                let n = input.read(writer.room()?)?;
                if n == 0 {
                    break;
                }
                writer.advance(n);
            }
            writer.finish()?;
        }
        Way::Decrypt => {
            let mut reader = Reader::new(&input, &key, b"")?.threads(threads);
            loop {
                let text = reader.fill_buf()?;
                if text.is_empty() {
                    break;
                }
                output.write_all(text)?;
                let n = text.len();
                reader.consume(n);
            }
        }
    }
    output.sync_all()?;
    Ok(())
}
