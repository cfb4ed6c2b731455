//! `openssl cms` with AuthEnvelopedData: what we seal the stock cipher opens, and the other way.

use anyhow::{Result, ensure};
use evariste_openssl_tests::{Installed, Key, OpenSsl, With, output, text};
use std::fs;

const SIZES: [usize; 5] = [1, 16, 4097, 100_000, 3_000_000];

fn all(openssl: OpenSsl) -> Result<()> {
    let installed = Installed::new()?;
    installed.certificate(Key::Rsa)?;
    for bits in [128, 192, 256] {
        let (cipher, algorithm) = (format!("-aes-{bits}-gcm"), format!("AES-{bits}-GCM"));
        for size in SIZES {
            let text = text(size, 6);
            fs::write(installed.file("plain"), &text)?;
            for (sealer, opener) in [(With::Ours, With::Stock), (With::Stock, With::Ours), (With::Ours, With::Ours)] {
                let [seal, open] = ["seal", "open"].map(|what| format!("{what}-{bits}-{size}-{sealer:?}-{opener:?}"));
                let arguments = ["cms", "-encrypt", "-binary", "-outform", "DER", &cipher, "-in", "plain"];
                output(openssl.command(&installed, sealer, &seal, &arguments)?.args(["-out", "sealed", "cert.pem"]))?;
                let arguments = ["cms", "-decrypt", "-binary", "-inform", "DER", "-in", "sealed", "-inkey", "key.pem"];
                output(openssl.command(&installed, opener, &open, &arguments)?.args(["-out", "opened"]))?;
                ensure!(fs::read(installed.file("opened"))? == text, "{algorithm}, {size} bytes: another text");
                match sealer {
                    With::Ours => installed.counts(&seal)?.encrypted(&algorithm, size)?,
                    With::Stock => installed.counts(&seal)?.nothing()?,
                }
                match opener {
                    With::Ours => installed.counts(&open)?.decrypted(&algorithm, size)?,
                    With::Stock => installed.counts(&open)?.nothing()?,
                }
            }
        }
    }
    forged(openssl, &installed)
}

/// The last byte of the tag is changed.
fn forged(openssl: OpenSsl, installed: &Installed) -> Result<()> {
    let mut sealed = fs::read(installed.file("sealed"))?;
    if let Some(last) = sealed.last_mut() {
        *last ^= 1;
    }
    fs::write(installed.file("forged"), sealed)?;
    let arguments = ["cms", "-decrypt", "-binary", "-inform", "DER", "-in", "forged", "-inkey", "key.pem"];
    for with in [With::Ours, With::Stock] {
        let mut command = openssl.command(installed, with, "forged-counts", &arguments)?;
        let done = command.args(["-out", "of-forged"]).output()?;
        ensure!(!done.status.success(), "{with:?}: a forged message is opened");
    }
    Ok(())
}

#[test]
fn system() -> Result<()> {
    all(OpenSsl::System)
}

#[test]
fn later() -> Result<()> {
    all(OpenSsl::later()?)
}
