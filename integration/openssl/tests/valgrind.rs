//! Memory, as valgrind sees it, which has no AVX-512: on a backend for less.

use anyhow::{Result, ensure};
use evariste_openssl_tests::{Installed, Key, OpenSsl, With, output, text};
use std::fs;
use std::process::Command;

const BYTES: usize = 100_000;

fn valgrind(installed: &Installed, counts: &str, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("valgrind");
    command.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", "openssl"]);
    installed.start(&mut command, With::Ours, counts);
    output(command.args(arguments)).map(drop)
}

#[test]
fn no_errors() -> Result<()> {
    let installed = Installed::new()?;
    installed.certificate(Key::Rsa)?;
    let text = text(BYTES, 10);
    fs::write(installed.file("plain"), &text)?;
    let (key, iv) = ("000102030405060708090a0b0c0d0e0f", "0f0e0d0c0b0a09080706050403020100");
    valgrind(&installed, "enc", &["enc", "-aes-128-ctr", "-K", key, "-iv", iv, "-in", "plain", "-out", "enc.out"])?;
    installed.counts("enc")?.encrypted("AES-128-CTR", BYTES)?;
    let arguments = ["enc", "-d", "-aes-128-ctr", "-K", key, "-iv", iv, "-in", "enc.out", "-out", "enc.back"];
    output(&mut OpenSsl::System.command(&installed, With::Stock, "stock", &arguments)?)?;
    ensure!(fs::read(installed.file("enc.back"))? == text, "another text");

    let arguments = ["cms", "-encrypt", "-binary", "-outform", "DER", "-aes-256-gcm", "-in", "plain", "-out", "sealed"];
    valgrind(&installed, "seal", &[&arguments[..], &["cert.pem"]].concat())?;
    installed.counts("seal")?.encrypted("AES-256-GCM", BYTES)?;
    let arguments = ["cms", "-decrypt", "-binary", "-inform", "DER", "-in", "sealed", "-inkey", "key.pem"];
    valgrind(&installed, "open", &[&arguments[..], &["-out", "opened"]].concat())?;
    installed.counts("open")?.decrypted("AES-256-GCM", BYTES)?;
    ensure!(fs::read(installed.file("opened"))? == text, "another text");
    Ok(())
}
