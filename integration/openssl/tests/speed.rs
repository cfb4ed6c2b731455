//! `openssl speed`: every operation that it reports was ours.

use anyhow::{Context, Result, ensure};
use evariste_openssl_tests::{Installed, OpenSsl, With, output};

const BYTES: usize = 8192;

/// The cipher, and what is measured.
const RUNS: [(&str, &[&str]); 9] = [
    ("AES-128-GCM", &[]),
    ("AES-256-GCM", &[]),
    ("AES-128-CTR", &[]),
    ("AES-128-CCM", &[]),
    ("AES-128-GCM", &["-decrypt"]),
    ("AES-256-CTR", &["-decrypt"]),
    ("AES-128-CCM", &["-decrypt"]),
    ("AES-128-GCM", &["-multi", "2"]),
    ("AES-128-GCM", &["-aead"]),
];

fn all(openssl: OpenSsl) -> Result<()> {
    let installed = Installed::new()?;
    for (n, (cipher, more)) in RUNS.into_iter().enumerate() {
        let counts = format!("counts-{n}");
        let operations = run(openssl, &installed, With::Ours, &counts, cipher, more)?;
        let counts = installed.counts(&counts)?;
        let bytes = operations * BYTES;
        match more.contains(&"-decrypt") {
            false => counts.encrypted(cipher, bytes),
            true => counts.decrypted(cipher, bytes),
        }
        .with_context(|| format!("{cipher} {more:?}"))?;
    }
    // And without us.
    let operations = run(openssl, &installed, With::Stock, "stock", "AES-128-GCM", &[])?;
    ensure!(operations > 0);
    installed.counts("stock")?.nothing()
}

/// How many operations all processes report.
fn run(
    openssl: OpenSsl,
    installed: &Installed,
    with: With,
    counts: &str,
    cipher: &str,
    more: &[&str],
) -> Result<usize> {
    let bytes = BYTES.to_string();
    let arguments = ["speed", "-mr", "-seconds", "1", "-bytes", &bytes, "-evp", cipher];
    let done = output(openssl.command(installed, with, counts, &arguments)?.args(more))?;
    // A line for each process: +R:operations:cipher:seconds.
    let text = String::from_utf8_lossy(&done.stderr) + String::from_utf8_lossy(&done.stdout);
    let mut operations = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("+R:")) {
        let (count, rest) = line.split_once(':').with_context(|| line.to_owned())?;
        ensure!(rest.starts_with(cipher), "it is not {cipher}: {line}");
        operations.push(count.parse::<usize>()?);
    }
    ensure!(operations.len() == if more.contains(&"-multi") { 2 } else { 1 }, "{text}");
    ensure!(operations.iter().all(|count| *count > 1000), "{text}");
    Ok(operations.iter().sum())
}

#[test]
fn system() -> Result<()> {
    all(OpenSsl::System)
}

#[test]
fn later() -> Result<()> {
    all(OpenSsl::later()?)
}
