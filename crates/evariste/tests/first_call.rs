//! CVE-2025-52496, BLAKE3#256: many threads make the first call at once. In a program of its own, where
//! nothing has asked for the CPU before.
// WebAssembly has no threads.
#![cfg(not(target_family = "wasm"))]

use evariste::{Aead, Backend, Gcm};
use std::sync::Barrier;

#[test]
fn cve_2025_52496_blake3_256_one_decision() {
    const THREADS: usize = 64;
    let start = Barrier::new(THREADS);
    let answers: Vec<_> = std::thread::scope(|threads| {
        let handles: Vec<_> = (0..THREADS)
            .map(|_| {
                threads.spawn(|| {
                    start.wait();
                    let gcm = Gcm::new(&[1; 32]).expect("32 bytes");
                    let mut data = [2; 1000];
                    let tag = gcm.seal(&[3; 12], b"", &mut data).expect("within limits").to_vec();
                    (gcm.backend().name(), data, tag)
                })
            })
            .collect();
        handles.into_iter().map(|h| h.join().expect("no panic")).collect()
    });
    assert_eq!(answers.len(), THREADS);
    println!("{} on {THREADS} threads", answers[0].0);
    assert!(answers.iter().all(|a| *a == answers[0]));
    assert_eq!(answers[0].0, Backend::active().name());
    let portable = Backend::by_name("portable").expect("always there");
    let mut data = [2; 1000];
    let tag = Gcm::with_backend(&[1; 32], portable).expect("32 bytes").seal(&[3; 12], b"", &mut data);
    assert_eq!((data, &*tag.expect("within limits")), (answers[0].1, &answers[0].2[..]));
}
