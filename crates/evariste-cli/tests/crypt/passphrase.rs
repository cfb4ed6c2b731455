//! Files with a header: passphrases and key files in slots, and what is refused.

use crate::program::{Place, done, refused, text};
use serde_json::Value;

/// What trying it takes is of no interest here.
pub(crate) const CHEAP: &str = "--argon2 1,1,1";

/// A file "sealed" of so many bytes of text, which opens by the passphrase "open sesame".
pub(crate) fn sealed(place: &Place, len: usize) -> Vec<u8> {
    place.write("in", &text(len));
    done(place.pipe(&format!("encrypt {CHEAP} --passphrase-fd 0 -f -o sealed in"), b"open sesame\n"));
    place.read("sealed")
}

#[test]
fn passphrases() {
    let place = Place::new();
    for len in [0, 1, 16383, 16384, 16385, (3 << 20) + 7] {
        assert_eq!(sealed(&place, len).len(), 4096 + 56 + len + 16 * (len / 16384 + 1));
        for threads in [1, 2, 5] {
            done(
                place.pipe(&format!("decrypt --passphrase-fd 0 --threads {threads} -f -o out sealed"), b"open sesame"),
            );
            assert!(place.read("out") == text(len), "{len}");
        }
        let said = refused(&place.pipe("decrypt --passphrase-fd 0 -o new sealed", b"open barley"), 1);
        assert_eq!(said, "evariste: sealed: wrong passphrase; nothing was written\n");
        let said = refused(&place.run("decrypt -k key32 -o new sealed"), 1);
        assert!(said.starts_with("evariste: sealed: ") && said.contains("key file"), "{said}");
        let said = refused(&place.pipe("decrypt --passphrase-fd 0 -o new sealed", b"\n"), 1);
        assert!(said.contains("the passphrase is empty"), "{said}");
    }
    assert_eq!(place.names(), ["in", "key16", "key32", "out", "sealed"]);
}

#[test]
fn key_files_and_suites() {
    let place = Place::new();
    place.write("in", &text(50_000));
    for (suite, name) in
        [("", "Cobblestone-256"), ("--suite 128 ", "Cobblestone-128"), ("--suite 256 ", "Cobblestone-256")]
    {
        for key in ["key16", "key32"] {
            place.ok(&format!("encrypt {suite}-k {key} -f -o sealed in"));
            place.ok(&format!("decrypt -k {key} -f -o out sealed"));
            assert!(place.read("out") == text(50_000));
            let found: Value = serde_json::from_slice(&place.ok("inspect --json sealed")).unwrap();
            assert_eq!(found["suite"], name);
            let said = refused(
                &place.run(if key == "key16" { "decrypt -k key32 sealed" } else { "decrypt -k key16 sealed" }),
                1,
            );
            assert!(said.contains("key file"), "{said}");
        }
    }
}

#[test]
fn pipes() {
    let place = Place::new();
    for len in [0, 20_000, (2 << 20) + 3] {
        let sealed = done(place.pipe("encrypt -k key32", &text(len)));
        assert!(done(place.pipe("decrypt -k key32", &sealed)) == text(len));
        place.write("sealed", &sealed);
        assert!(place.ok("decrypt -k key32 sealed") == text(len));
        done(place.pipe("decrypt -k key32 -f -o out", &sealed));
        assert!(place.read("out") == text(len));
    }
}

#[test]
fn reports() {
    let place = Place::new();
    place.write("in", &text(50_000));
    for args in ["encrypt -k key32 --json -o sealed in", "decrypt -k key32 --json -o out sealed"] {
        let found: Value = serde_json::from_slice(&place.ok(args)).unwrap();
        assert_eq!(found["text_bytes"], 50_000, "{args}");
        assert_eq!(found["output"], args.split(' ').nth(5).unwrap());
        assert!(found["seconds"].as_f64().unwrap() < 60.0);
    }
}

#[test]
fn another_kind_of_file() {
    let place = Place::new();
    place.write("in", &text(5000));
    place.ok("encrypt --raw -k key32 -o raw in");
    for name in ["raw", "in"] {
        let said = refused(&place.run(&format!("decrypt -k key32 -o out {name}")), 1);
        assert!(said.contains("it is none of ours, or encrypted with --raw; nothing was written"), "{said}");
    }
    place.ok("encrypt -k key32 -o headed in");
    let said = refused(&place.run("decrypt --raw -k key32 -o out headed"), 1);
    assert!(said.contains("nothing was written"), "{said}");
    assert_eq!(place.names(), ["headed", "in", "key16", "key32", "raw"]);
}

/// Each field of the header, each part of three chunks, and every cut by a border.
#[test]
fn damage() {
    let place = Place::new();
    place.write("in", &text(2 * 16384 + 50));
    place.ok("encrypt -k key32 -o sealed in");
    let good = place.read("sealed");
    let refuses = |bad: &[u8], what: String| {
        place.write("bad", bad);
        let before = place.names();
        let said = refused(&place.run("decrypt -k key32 -o out bad"), 1);
        assert!(said.starts_with("evariste: bad: ") && said.ends_with("; nothing was written\n"), "{what}: {said}");
        assert_eq!(refused(&place.run("verify -k key32 bad"), 1), said.replace("; nothing was written", ""), "{what}");
        assert_eq!(place.names(), before);
        said
    };
    let mut said = std::collections::BTreeSet::new();
    let header = [
        0, 8, 9, 10, 11, 12, 16, 31, 32, 47, 48, 495, 496, 511, 512, 513, 516, 520, 524, 528, 560, 576, 608, 640, 656,
        1023,
    ];
    let message =
        [0, 23, 24, 55, 56, 56 + 16383, 56 + 16384, 56 + 16399, 16456, 32840, 32856, 32905].map(|at| at + 4096);
    for at in header.into_iter().chain(message) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        said.insert(refuses(&bad, format!("byte {at}")));
    }
    for border in [0, 8, 512, 1024, 4096, 4096 + 24, 4096 + 56, 4096 + 56 + 16400, 4096 + 56 + 2 * 16400, good.len()] {
        for cut in [border.saturating_sub(1), border, border + 1] {
            if cut < good.len() {
                said.insert(refuses(&good[..cut], format!("cut to {cut}")));
            }
        }
    }
    said.insert(refuses(&[&good[..], &[0]].concat(), "longer".into()));
    let chunk = |n: usize| 4096 + 56 + n * 16400..4096 + 56 + (n + 1) * 16400;
    let [a, b] = [&good[chunk(0)], &good[chunk(1)]];
    let (front, end) = (&good[..4096 + 56], &good[chunk(1).end..]);
    for (what, chunks) in
        [("exchanged", [b, a, end].concat()), ("twice", [a, a, b, end].concat()), ("left out", [b, end].concat())]
    {
        said.insert(refuses(&[front, &chunks].concat(), what.into()));
    }
    // Not a single answer for everything.
    assert!(said.len() > 10, "{said:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn from_a_terminal() {
    let place = Place::new();
    place.write("in", &text(1000));
    let encrypt = format!("encrypt {CHEAP} -o sealed in");
    let (seen, code) = crate::passwd::typed(&place, &encrypt, &["one", "other"]);
    assert!(seen.contains("the two passphrases differ") && code == Some(1), "{seen}");
    assert_eq!(place.names(), ["in", "key16", "key32"]);
    let (seen, code) = crate::passwd::typed(&place, &encrypt, &["open sesame", "open sesame"]);
    assert!(seen.contains("New passphrase of sealed: ") && code == Some(0), "{seen}");
    let (seen, code) = crate::passwd::typed(&place, "decrypt -o out sealed", &["open sesame"]);
    assert!(seen.contains("Passphrase of sealed: ") && code == Some(0), "{seen}");
    assert_eq!(place.read("out"), text(1000));
}
