//! `openssl enc`: the same bytes as without us, both ways.

use anyhow::{Result, ensure};
use evariste_openssl_tests::{Installed, OpenSsl, With, send, text};

const IV: &str = "fedcba9876543210f0e1d2c3fffffffe";

/// The counter runs over 32 bits in the first of them.
const SIZES: [usize; 8] = [0, 1, 15, 16, 17, 1000, 65_537, 3_000_000];

fn all(openssl: OpenSsl, name: &str) -> Result<()> {
    let installed = Installed::new()?;
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    for bits in [128, 192, 256] {
        for mode in ["ctr", "ecb"] {
            let cipher = format!("-aes-{bits}-{mode}");
            let run = |with, counts: &str, more: &[&str], input: &[u8]| -> Result<Vec<u8>> {
                let mut command =
                    openssl.command(&installed, with, counts, &["enc", &cipher, "-K", &key[..bits / 4]])?;
                if mode == "ctr" {
                    command.args(["-iv", IV]);
                }
                Ok(send(command.args(more), input)?.stdout)
            };
            for size in SIZES {
                let (text, id) = (text(size, 5), format!("{bits}-{mode}-{size}"));
                let algorithm = format!("AES-{bits}-{}", mode.to_uppercase());
                let stock = run(With::Stock, &format!("stock-{id}"), &[], &text)?;
                let ours = run(With::Ours, &format!("enc-{id}"), &[], &text)?;
                ensure!(ours == stock, "{name} {cipher}: {size} bytes are encrypted otherwise");
                ensure!(size == 0 || ours != text);
                let back = run(With::Ours, &format!("dec-{id}"), &["-d"], &stock)?;
                ensure!(back == text, "{name} {cipher}: {size} bytes are not decrypted");
                installed.counts(&format!("enc-{id}"))?.encrypted(&algorithm, size)?;
                installed.counts(&format!("dec-{id}"))?.decrypted(&algorithm, size)?;
                installed.counts(&format!("stock-{id}"))?.nothing()?;
            }
        }
    }
    Ok(())
}

#[test]
fn system() -> Result<()> {
    all(OpenSsl::System, "the system's")
}

#[test]
fn later() -> Result<()> {
    all(OpenSsl::later()?, "a later")
}
