//! When threads start and end. A test of its own: it counts those of the process.
#![cfg(target_os = "linux")]

use evariste_store::{Reader, Writer};
use std::io::{Read, Write};
use std::thread;
use std::time::{Duration, Instant};

const KEY: [u8; 32] = [1; 32];

fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the system tells");
    let names = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("evariste chunks")).count()
}

/// A thread has its name a moment after it has started, and goes a moment after it has ended.
fn there_are(n: usize) {
    let start = Instant::now();
    while threads() != n {
        assert!(start.elapsed() < Duration::from_secs(20), "{} threads instead of {n}", threads());
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn threads_start_for_long_messages_and_end_with_them() {
    let mib = vec![5; 1 << 20];
    let writer = Writer::new(Vec::new(), &KEY, b"").expect("key").threads(3);
    let mut short = writer;
    short.write_all(&mib).expect("memory takes everything");
    there_are(0);
    let short = short.finish().expect("memory takes everything");
    there_are(0);

    let mut long = Writer::new(Vec::new(), &KEY, b"").expect("key").threads(3);
    (0..4).for_each(|_| long.write_all(&mib).expect("memory takes everything"));
    there_are(3);
    let mut long = long.finish().expect("memory takes everything");
    there_are(0);

    let mut dropped = Writer::new(Vec::new(), &KEY, b"").expect("key").threads(3);
    (0..4).for_each(|_| dropped.write_all(&mib).expect("memory takes everything"));
    there_are(3);
    drop(dropped);
    there_are(0);

    let mut reader = Reader::new(&short[..], &KEY, b"").expect("a true header").threads(3);
    reader.read_to_end(&mut Vec::new()).expect("a true message");
    there_are(0);

    let mut reader = Reader::new(&long[..], &KEY, b"").expect("a true header").threads(3);
    reader.by_ref().take(2 << 20).read_to_end(&mut Vec::new()).expect("a true message");
    there_are(3);
    drop(reader);
    there_are(0);

    let mut reader = Reader::new(&long[..], &KEY, b"").expect("a true header").threads(3);
    reader.read_to_end(&mut Vec::new()).expect("a true message");
    there_are(0);

    // At the first error they end, too, though the reader is still there.
    let at = long.len() - 1_000_000;
    long[at] ^= 1;
    let mut reader = Reader::new(&long[..], &KEY, b"").expect("a true header").threads(3);
    reader.read_to_end(&mut Vec::new()).expect_err("damaged");
    there_are(0);
}
