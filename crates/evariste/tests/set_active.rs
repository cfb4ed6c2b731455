//! A default backend of the program's own. In a program of its own, and one test, since the decision is for good.
// WebAssembly has no threads.
#![cfg(not(target_family = "wasm"))]

use evariste::{Aead, Backend, Gcm};
use std::sync::Barrier;

/// Threads that set each their own, and ask: all get the same answer, which whoever comes later cannot change.
#[test]
fn can_be_changed_until_the_first_key() {
    let all: Vec<_> = Backend::available().collect();
    // A key that names its backend decides nothing.
    for b in &all {
        Gcm::with_backend(&[1; 16], *b).expect("16 bytes");
        assert_eq!(b.set_active(), Ok(()));
    }
    const THREADS: usize = 16;
    let start = Barrier::new(THREADS);
    let race = |n: usize| {
        let wish = all[n % all.len()];
        start.wait();
        let set = wish.set_active();
        let key = Gcm::new(&[1; 16]).expect("16 bytes").backend();
        if let Err(active) = set {
            assert_eq!(active, key, "who comes too late is told the decision");
        }
        key
    };
    let answers: Vec<_> = std::thread::scope(|threads| {
        let race = &race;
        let handles: Vec<_> = (0..THREADS).map(|n| threads.spawn(move || race(n))).collect();
        handles.into_iter().map(|h| h.join().expect("no panic")).collect()
    });
    println!("{} of {} backends", answers[0], all.len());
    assert!(answers.iter().all(|b| *b == answers[0]));
    assert_eq!(Backend::active(), answers[0]);
    for b in all {
        assert_eq!(b.set_active(), Err(answers[0]));
    }
    assert_eq!(Backend::active(), answers[0]);
}
