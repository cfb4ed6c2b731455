//! What programs do with EVP, over and over: for others to count, and timed against a cipher that does nothing.
//!
//! `evp count DIRECTORY PROVIDER CIPHER LOOP BYTES ROUNDS` prints a digest of what came of the text, and OpenSSL's
//! version. The provider is a file in the directory, or OpenSSL's own, `default`; `LOOP` is `keyed`, `message` or `update`.
//!
//! `evp cost DIRECTORY` times a message of AES-128-GCM with 13 bytes of additional data: the provider `idle` (the
//! example), `evariste` and `default` by EVP, and the core alone.

mod libcrypto;

use anyhow::{Context, Result, bail};
use evariste::hazmat::GcmPieces;
use evariste::{Aead, Gcm};
use libcrypto::{Cipher, Loop};
use std::hint::black_box;
use std::time::Instant;

const AAD: usize = 13;
/// Calls of EVP for a message: IV, additional data, text, end, tag.
const CALLS: f64 = 5.0;

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["count", directory, provider, cipher, what, bytes, rounds] => {
            let what = match *what {
                "keyed" => Loop::Keyed,
                "message" => Loop::Message,
                "update" => Loop::Update,
                _ => bail!("no loop {what}"),
            };
            let mut cipher = Cipher::new(directory, provider, cipher, bytes.parse()?, AAD)?;
            cipher.run(what, rounds.parse()?)?;
            println!("{:016x} {}", cipher.sum(), cipher.version());
            Ok(())
        }
        ["cost", directory] => cost(directory),
        _ => bail!("usage: evp count DIRECTORY PROVIDER CIPHER LOOP BYTES ROUNDS, or evp cost DIRECTORY"),
    }
}

/// Medians of turns, in nanoseconds.
fn cost(directory: &str) -> Result<()> {
    for bytes in [16, 1024, 8192] {
        let evp = |provider| Cipher::new(directory, provider, "AES-128-GCM", bytes, AAD);
        let (mut null, mut ours, mut stock) = (evp("idle")?, evp("evariste")?, evp("default")?);
        let gcm = Gcm::new(&[7; 16])?;
        let (nonce, aad, mut text) = ([1; 12], [3; AAD], vec![0; bytes]);
        let mut pieces = GcmPieces::new(&gcm, &nonce)?;
        let mut in_pieces = |rounds: usize| -> Result<()> {
            for _ in 0..rounds {
                pieces.begin(&gcm, black_box(&nonce))?;
                pieces.aad(&gcm, black_box(&aad))?;
                pieces.seal(&gcm, black_box(&mut text[..]).into())?;
                black_box(pieces.finish(&gcm));
            }
            Ok(())
        };
        let mut text = vec![0; bytes];
        let mut at_once = |rounds: usize| -> Result<()> {
            for _ in 0..rounds {
                black_box(gcm.seal(black_box(&nonce), black_box(&aad), black_box(&mut text))?);
            }
            Ok(())
        };
        type Run<'a> = &'a mut dyn FnMut(usize) -> Result<()>;
        let runs: [Run<'_>; 5] = [
            &mut |rounds| null.run(Loop::Message, rounds),
            &mut |rounds| ours.run(Loop::Message, rounds),
            &mut |rounds| stock.run(Loop::Message, rounds),
            &mut in_pieces,
            &mut at_once,
        ];
        let [null, ours, stock, pieces, once] = medians(runs)?;
        println!(
            "{bytes} bytes: null {null:.1}, evariste {ours:.1}, OpenSSL's own {stock:.1}, core in pieces {pieces:.1}, core {once:.1} ns"
        );
        let (all, own) = (ours - null, ours - null - pieces);
        println!("  above the null cipher {all:.1}, without the cryptography {own:.1}: {:.1} ns a call", own / CALLS);
    }
    Ok(())
}

/// All in turns, so that what disturbs them disturbs all.
fn medians<const N: usize>(mut runs: [&mut dyn FnMut(usize) -> Result<()>; N]) -> Result<[f64; N]> {
    const TURNS: usize = 201;
    const ROUNDS: usize = 2000;
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run(ROUNDS)?;
            times.push(start.elapsed().as_secs_f64() * 1e9 / ROUNDS as f64);
        }
    }
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times.get(TURNS / 2).copied().context("no turns")
    });
    medians.into_iter().collect::<Result<Vec<_>>>()?.try_into().map_err(|_| anyhow::anyhow!("turns"))
}
