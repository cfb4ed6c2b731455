//! What the traits of cipher cost over the core's CTR, in nanoseconds a call: `cargo run --release --example cost`. At most
//! 5 are allowed. (`bench/interfaces` has the AEADs.)
//!
//! The core and the traits take turns, so that what else the machine does hits both; a figure is the median of the
//! turns.

use evariste::Ctr;
use evariste_rustcrypto::aes::Aes128;
use evariste_rustcrypto::cipher::{KeyIvInit, StreamCipher};
use evariste_rustcrypto::ctr::Ctr128BE;
use evariste_rustcrypto::{evariste, previous};
use std::hint::black_box;
use std::time::Instant;

const TURNS: usize = 301;

fn main() {
    let key = [7; 16];
    println!("{:14}{:>8}{:>10}{:>12}{:>12}{:>11}", "", "bytes", "core", "cipher 0.5", "cipher 0.4", "over core");
    for len in [16, 1350] {
        let mut data = vec![0; len];
        let mut core = Ctr::new(&key, &[0; 16]).expect("16 bytes");
        let mut ours = <Ctr128BE<Aes128> as KeyIvInit>::new(&key.into(), &[0; 16].into());
        let mut old = ours.clone();
        let [core, new, old] = median(|| {
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
        println!("AES-128-CTR   {len:>8}{core:>10.1}{new:>12.1}{old:>12.1}{:>11.1}", new.max(old) - core);
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
