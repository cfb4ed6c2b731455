//! `EVARISTE_DISABLE` and `EVARISTE_BACKEND`. They are read once, so each case is a process of its own:
//! this program again, running only [`report`]. Under an emulator `EVARISTE_TEST_RUNNER` says what runs it:
//! otherwise the system would start it on the CPU of the machine, or not at all.
//!
//! openssl#19163, zfs, NSS#1687164: a CPU without an instruction gets code without it.
// WebAssembly has no processes, and no features to take away.
#![cfg(all(feature = "std", not(target_family = "wasm")))]

use evariste::{Aead, Backend, Gcm, cpu};
use std::process::Command;

const FEATURES: [&str; 12] =
    ["aes", "clmul", "ssse3", "avx", "avx2", "avx512", "vaes", "vpclmul", "sha3", "neon", "isa300", "isa310"];

/// What the others read, a line each; and that what runs here is right.
#[test]
fn report() {
    println!("\n@active {}\n@detected {}", Backend::active(), cpu::detected());
    for candidate in Backend::candidates() {
        match candidate.backend {
            Ok(backend) => println!("@usable {backend}"),
            Err(reason) => println!("@unusable {}: {reason}", candidate.name),
        }
    }
    let seal = |gcm: Gcm| {
        let mut data = vec![2; 4000];
        let tag = gcm.seal(&[1; 12], &[], &mut data).expect("within limits");
        (data, tag.to_vec())
    };
    let portable = Backend::by_name("portable").expect("always there");
    let portable = seal(Gcm::with_backend(&[3; 32], portable).expect("32 bytes"));
    assert!(seal(Gcm::new(&[3; 32]).expect("32 bytes")) == portable);
}

/// What a process with these switches reports.
struct Report {
    active: String,
    /// Names, fastest first.
    usable: Vec<String>,
    /// Names and reasons.
    unusable: Vec<String>,
}

fn run(disable: &str, backend: &str) -> Report {
    let this = std::env::current_exe().expect("this program");
    let command: Vec<_> = std::env::var_os("EVARISTE_TEST_RUNNER").into_iter().chain([this.into()]).collect();
    let output = Command::new(&command[0])
        .args(&command[1..])
        .args(["--exact", "report", "--nocapture"])
        .env("EVARISTE_DISABLE", disable)
        .env("EVARISTE_BACKEND", backend)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "EVARISTE_DISABLE={disable} EVARISTE_BACKEND={backend}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = |start| -> Vec<String> { text.lines().filter_map(|l| l.strip_prefix(start)).map(Into::into).collect() };
    assert_eq!(lines("@detected "), [cpu::detected().to_string()], "on the same CPU");
    let report =
        Report { active: lines("@active ").concat(), usable: lines("@usable "), unusable: lines("@unusable ") };
    assert_eq!(report.usable.last().map(String::as_str), Some("portable"));
    report
}

#[test]
fn the_fastest_is_active() {
    let all = run("", "");
    assert_eq!(all.active, all.usable[0]);
}

#[test]
fn features_are_taken_away_one_by_one() {
    let all = run("", "");
    for feature in FEATURES {
        let less = run(feature, "");
        assert_eq!(less.active, less.usable[0], "without {feature}");
        assert!(less.usable.iter().all(|b| all.usable.contains(b)), "without {feature}");
        for lost in all.usable.iter().filter(|b| !less.usable.contains(b)) {
            let reason = less.unusable.iter().find(|line| line.starts_with(&format!("{lost}: ")));
            let reason = reason.expect("listed with a reason");
            assert!(reason.contains("EVARISTE_DISABLE") && reason.contains(feature), "{reason}");
        }
    }
}

#[test]
fn without_all_of_them_portable_is_left() {
    for separator in [" ", ","] {
        let nothing = run(&FEATURES.join(separator), "");
        assert_eq!((&*nothing.active, nothing.usable.len()), ("portable", 1));
    }
}

/// Half a backend stays when the instructions of the other half go.
#[test]
fn aes_and_ghash_are_told_apart() {
    let (all, no_aes, no_clmul) = (run("", "").usable, run("aes", "").usable, run("clmul", "").usable);
    println!("all: {all:?}; without aes: {no_aes:?}; without clmul: {no_clmul:?}");
    // These have neither.
    let plain = |half: &str| ["portable", "neon", "ssse3"].contains(&half);
    let halves = |b: &str| b.split_once('+').map_or((plain(b), plain(b)), |(aes, hash)| (plain(aes), plain(hash)));
    assert_eq!(no_aes, all.iter().filter(|b| halves(b).0).cloned().collect::<Vec<_>>());
    assert_eq!(no_clmul, all.iter().filter(|b| halves(b).1).cloned().collect::<Vec<_>>());
}

#[test]
fn a_backend_can_be_named() {
    let all = run("", "");
    for name in &all.usable {
        assert_eq!(run("", name).active, *name);
    }
    assert_eq!(run("", "no such").active, all.active);
    // One that cannot run is not taken either.
    assert_eq!(run(&FEATURES.join(" "), &all.active).active, "portable");
    assert_eq!(run("no-such-feature", "").usable, all.usable);
}
