//! Both ways with `cryptography` of PyPI, an independent implementation in another language.

use anyhow::{Result, ensure};
use evariste_store::{Reader, Writer, sealed_len};
use evariste_test_text::text;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/both_ways.py");
const LENGTHS: [usize; 8] = [0, 1, 16383, 16384, 16385, 32768, 1 << 20, 5 << 20];

#[test]
fn both_ways() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut python = evariste_store_tests::python(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    python.arg(SCRIPT);
    let mut cases = Vec::new();
    for (n, len) in LENGTHS.into_iter().enumerate() {
        for key in [&[0x42; 16][..], &[0x43; 32]] {
            for context in [&b""[..], b"a context", &[0xff; 512]] {
                let name = format!("{len} {} {}", key.len(), context.len());
                let (case, text) = (folder.path().join(name), text(len, n as u64));
                fs::create_dir(&case)?;
                let mut writer = Writer::new(Vec::new(), key, context)?.threads(2);
                writer.write_all(&text)?;
                for (name, bytes) in [("key", key), ("context", context), ("text", &text), ("ours", &writer.finish()?)]
                {
                    fs::write(case.join(name), bytes)?;
                }
                python.arg(&case);
                cases.push((case, key, context, text));
            }
        }
    }
    evariste_store_tests::run(&mut python)?;
    for (case, key, context, text) in cases {
        ensure!(fs::read(case.join("opened"))? == text, "they open another text: {case:?}");
        let (theirs, mut opened) = (fs::read(case.join("theirs"))?, Vec::new());
        ensure!(theirs.len() as u64 == sealed_len(text.len() as u64)?, "{case:?}");
        Reader::new(&theirs[..], key, context)?.threads(2).read_to_end(&mut opened)?;
        ensure!(opened == text, "we open another text: {case:?}");
    }
    Ok(())
}

/// What was changed is refused there, too, and so is what they did not seal for this context.
#[test]
fn damage_is_refused() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut writer = Writer::new(Vec::new(), &[0x42; 16], b"a context")?;
    writer.write_all(&text(50_000, 1))?;
    let sealed = writer.finish()?;
    for (name, at) in [("key", None), ("header", Some(30)), ("chunk", Some(20_000)), ("last", Some(sealed.len() - 1))] {
        let mut sealed = sealed.clone();
        if let Some(at) = at {
            sealed[at] ^= 1;
        }
        let key = if at.is_none() { [0x41; 16] } else { [0x42; 16] };
        for (name, bytes) in [("key", &key[..]), ("context", b"a context"), ("text", b""), ("ours", &sealed)] {
            fs::write(folder.path().join(name), bytes)?;
        }
        let mut python = evariste_store_tests::python(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
        let refused = evariste_store_tests::run(python.arg(SCRIPT).arg(folder.path()));
        let why = refused.err().map(|error| error.to_string()).unwrap_or_default();
        ensure!(why.contains("InvalidTag"), "{name}: {why}");
    }
    Ok(())
}
