//! `evariste cat`: any bytes, and only verified ones.

use crate::passphrase::sealed;
use crate::program::{Place, done, refused, text};

#[test]
fn any_range() {
    let place = Place::new();
    let len = 2 * 16384 + 50;
    sealed(&place, len);
    place.ok("encrypt --raw -k key32 -o raw in");
    let all = text(len);
    for (range, from, to) in [
        ("0-0", 0, 0),
        ("0-1", 0, 1),
        ("16383-16385", 16383, 16385),
        ("16384-32768", 16384, 32768),
        ("5-99999999", 5, len),
        ("100-", 100, len),
        ("999999-", len, len),
        ("-10", len - 10, len),
        ("-999999", 0, len),
    ] {
        let found = done(place.pipe(&format!("cat --passphrase-fd 0 --range {range} sealed"), b"open sesame"));
        assert!(found == all[from..to], "{range}");
        assert!(place.ok(&format!("cat --raw -k key32 --range {range} raw")) == all[from..to], "{range}");
    }
    assert!(place.ok("cat --raw -k key32 raw") == all);
}

#[test]
fn longer_than_what_is_opened_at_once() {
    let place = Place::new();
    let all = text((5 << 19) + 3);
    place.write("in", &all);
    place.ok("encrypt -k key16 -o sealed in");
    assert!(place.ok("cat -k key16 sealed") == all);
    assert!(place.ok("cat -k key16 --range 1048000-2200000 sealed") == all[1_048_000..2_200_000]);
}

#[test]
fn damage_elsewhere_is_not_looked_at_but_a_cut_is() {
    let place = Place::new();
    place.write("in", &text(5 * 16384));
    place.ok("encrypt -k key32 -o sealed in");
    let good = place.read("sealed");
    let mut bad = good.clone();
    bad[4096 + 56 + 2 * 16400] ^= 1;
    place.write("bad", &bad);
    assert_eq!(place.ok("cat -k key32 --range 10-20 bad"), text(20)[10..]);
    let said = refused(&place.run("cat -k key32 --range 40000-40001 bad"), 1);
    assert!(said.contains("damaged in chunk 2"), "{said}");
    place.write("cut", &good[..4096 + 56 + 3 * 16400]);
    refused(&place.run("cat -k key32 --range 10-20 cut"), 1);
}

#[test]
fn bad_usage() {
    let place = Place::new();
    sealed(&place, 10);
    for range in ["5", "-", "3-2", "a-b", "1--2"] {
        refused(&place.run(&format!("cat -k key32 --range {range} sealed")), 2);
    }
    let said = refused(&place.pipe("cat --raw -k key32 -", b""), 1);
    assert!(said.contains("cannot be read at any place"), "{said}");
}
