//! What was changed, cut, lengthened or exchanged is refused, and leaves no file.

use crate::program::{Place, refused, text};

/// Decrypts `sealed` from a file to a file, and from a pipe to a pipe; returns what came out of the pipe.
#[track_caller]
fn damaged(place: &Place, sealed: &[u8]) -> Vec<u8> {
    place.write("sealed", sealed);
    let before = place.names();
    let said = refused(&place.run("decrypt --raw -k key32 -o out sealed"), 1);
    assert!(said.starts_with("evariste: sealed: ") && said.ends_with("; nothing was written\n"), "{said}");
    assert_eq!(place.names(), before);

    let output = place.pipe("decrypt --raw -k key32", sealed);
    let said = refused(&output, 1);
    assert!(said.starts_with("evariste: standard input: "), "{said}");
    assert_eq!(said.ends_with("already written, are genuine\n"), !output.stdout.is_empty(), "{said}");
    assert_eq!(said.ends_with("; nothing was written\n"), output.stdout.is_empty(), "{said}");
    output.stdout
}

fn sealed(place: &Place, len: usize) -> Vec<u8> {
    place.write("in", &text(len));
    place.ok("encrypt --raw -k key32 in")
}

#[test]
fn every_byte_of_a_short_message() {
    let place = Place::new();
    let good = sealed(&place, 20);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(damaged(&place, &bad).is_empty(), "byte {at}");
    }
}

#[test]
fn every_part_of_a_long_message() {
    let place = Place::new();
    let good = sealed(&place, 2 * 16384 + 50);
    let chunk = |n: usize| 56 + n * 16400;
    for n in 0..2 {
        for at in [chunk(n), chunk(n) + 9000, chunk(n) + 16383, chunk(n) + 16384, chunk(n + 1) - 1] {
            let mut bad = good.clone();
            bad[at] ^= 0x80;
            assert!(damaged(&place, &bad) == text(n * 16384), "byte {at}");
        }
    }
    for at in [chunk(2), chunk(2) + 49, chunk(2) + 50, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x80;
        assert!(damaged(&place, &bad) == text(2 * 16384), "byte {at}");
    }
}

#[test]
fn every_kind_of_truncation() {
    let place = Place::new();
    let good = sealed(&place, 16384 + 50);
    let second = 56 + 16400;
    let borders = [0, 1, 23, 24, 55, 56, 57, 71, 72, 73, second - 17, second - 1, second, second + 1, second + 15];
    for len in borders.into_iter().chain(second + 16..good.len()).chain((100..second).step_by(1999)) {
        let out = damaged(&place, &good[..len]);
        assert!(out == text(if len < second { 0 } else { 16384 }), "{len}");
    }
}

#[test]
fn bytes_added() {
    let place = Place::new();
    let good = sealed(&place, 16384 + 50);
    for more in [1, 15, 16, 16384 - 50 - 1, 16384 - 50, 16400, 20_000] {
        let bad = [&good[..], &vec![0; more]].concat();
        assert!(damaged(&place, &bad) == text(16384), "{more}");
    }
    damaged(&place, &[&[0], &good[..]].concat());
    damaged(&place, &[&good[..], &good[..]].concat());
}

#[test]
fn chunks_exchanged_repeated_or_left_out() {
    let place = Place::new();
    let good = sealed(&place, 2 * 16384 + 50);
    let (header, rest) = good.split_at(56);
    let (zero, rest) = rest.split_at(16400);
    let (one, last) = rest.split_at(16400);
    for (bad, out) in [
        ([header, one, zero, last].concat(), 0),
        ([header, one, last].concat(), 0),
        ([header, last].concat(), 0),
        ([header, zero, zero, last].concat(), 16384),
        ([header, zero, last].concat(), 16384),
        ([header, zero, one, one, last].concat(), 2 * 16384),
    ] {
        assert!(damaged(&place, &bad) == text(out));
    }
    let other = sealed(&place, 2 * 16384 + 50);
    damaged(&place, &[&other[..56], zero, one, last].concat());
    assert!(damaged(&place, &[header, zero, &other[56 + 16400..]].concat()) == text(16384));
}

#[test]
fn another_key() {
    let place = Place::new();
    place.write("sealed", &sealed(&place, 20));
    place.write("other", &[0x43; 32]);
    let before = place.names();
    for key in ["other", "key16"] {
        let said = refused(&place.run(&format!("decrypt --raw -k {key} -o out sealed")), 1);
        assert!(said.contains(&format!("the key {key}")) && said.ends_with("; nothing was written\n"), "{said}");
    }
    assert_eq!(place.names(), before);
}

#[test]
fn what_was_there_stays() {
    let place = Place::new();
    let mut bad = sealed(&place, 20_000);
    bad[20_000] ^= 1;
    place.write("bad", &bad);
    place.write("out", b"old");
    refused(&place.run("decrypt --raw -f -k key32 -o out bad"), 1);
    assert_eq!(place.read("out"), b"old");
}
