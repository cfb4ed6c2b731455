//! What the traits cost over the core, in nanoseconds a call: `cargo run --release --example cost`.
//!
//! The core and the traits take turns, so that what else the machine does hits both; a figure is the median of the
//! turns. At most 5 ns are allowed.

use evariste::{Aead, Ctr, Gcm};
use evariste_rustcrypto::aead::{AeadInOut, KeyInit};
use evariste_rustcrypto::aes::Aes128;
use evariste_rustcrypto::aes_gcm::Aes128Gcm;
use evariste_rustcrypto::cipher::{KeyIvInit, StreamCipher};
use evariste_rustcrypto::ctr::Ctr128BE;
use evariste_rustcrypto::{evariste, previous};
use previous::aead::AeadInPlace;
use std::hint::black_box;
use std::time::Instant;

const TURNS: usize = 301;

fn main() {
    let (key, aad) = ([7; 16], [3; 13]);
    let core = Gcm::new(&key).expect("16 bytes");
    let ours = Aes128Gcm::new(&key.into());
    println!("{:24}{:>8}{:>10}{:>10}{:>10}{:>10}", "", "bytes", "core", "aead 0.6", "aead 0.5", "over core");
    for len in [16, 1350] {
        let mut data = vec![0; len];
        let mut turn = |call: &mut dyn FnMut(&mut [u8; 12], &mut [u8])| {
            let mut nonce = [0; 12];
            time(|| call(black_box(&mut nonce), black_box(&mut data)))
        };
        let figures = median(|| {
            [
                turn(&mut |nonce, data| {
                    black_box(core.seal(nonce, &aad, data).is_ok());
                }),
                turn(&mut |nonce, data| {
                    black_box(ours.encrypt_inout_detached((&*nonce).into(), &aad, data.into()).is_ok());
                }),
                turn(&mut |nonce, data| {
                    let nonce = previous::aead::generic_array::GenericArray::from_slice(nonce);
                    black_box(ours.encrypt_in_place_detached(nonce, &aad, data).is_ok());
                }),
            ]
        });
        row("AES-128-GCM seal", len, figures);
        let tag = core.seal(&[0; 12], &aad, &mut data).expect("within limits");
        let sealed = data.clone();
        let array = (*tag).try_into().expect("16 bytes");
        let mut turn = |call: &mut dyn FnMut(&mut [u8; 12], &mut [u8])| {
            let mut nonce = [0; 12];
            time(|| {
                data.copy_from_slice(&sealed);
                call(black_box(&mut nonce), black_box(&mut data));
            })
        };
        let figures = median(|| {
            [
                turn(&mut |nonce, data| {
                    black_box(core.open(nonce, &aad, data, &tag).is_ok());
                }),
                turn(&mut |nonce, data| {
                    black_box(ours.decrypt_inout_detached((&*nonce).into(), &aad, data.into(), &array).is_ok());
                }),
                turn(&mut |nonce, data| {
                    let nonce = previous::aead::generic_array::GenericArray::from_slice(nonce);
                    let tag = previous::aead::generic_array::GenericArray::from_slice(&tag);
                    black_box(ours.decrypt_in_place_detached(nonce, &aad, data, tag).is_ok());
                }),
            ]
        });
        row("AES-128-GCM open + copy", len, figures);
        let mut core = Ctr::new(&key, &[0; 16]).expect("16 bytes");
        let mut ours = <Ctr128BE<Aes128> as KeyIvInit>::new(&key.into(), &[0; 16].into());
        let mut old = ours.clone();
        let figures = median(|| {
            [
                time(|| {
                    black_box(core.apply(black_box(&mut data[..]).into()).is_ok());
                }),
                time(|| {
                    black_box(StreamCipher::try_apply_keystream(&mut ours, black_box(&mut data)).is_ok());
                }),
                time(|| {
                    use previous::cipher::StreamCipher;
                    black_box(StreamCipher::try_apply_keystream(&mut old, black_box(&mut data)).is_ok());
                }),
            ]
        });
        row("AES-128-CTR", len, figures);
    }
}

/// Nanoseconds a call, of a thousand.
fn time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..1000 {
        call();
    }
    start.elapsed().as_nanos() as f64 / 1000.0
}

fn median(mut turn: impl FnMut() -> [f64; 3]) -> [f64; 3] {
    let turns: Vec<[f64; 3]> = (0..TURNS).map(|_| turn()).collect();
    std::array::from_fn(|n| {
        let mut one: Vec<f64> = turns.iter().map(|t| t[n]).collect();
        one.sort_by(f64::total_cmp);
        one[TURNS / 2]
    })
}

fn row(what: &str, len: usize, [core, new, old]: [f64; 3]) {
    println!("{what:24}{len:>8}{core:>10.1}{new:>10.1}{old:>10.1}{:>10.1}", new.max(old) - core);
}
