//! `evariste verify`.

use crate::passphrase::sealed;
use crate::program::{Place, done, refused};
use serde_json::{Value, json};

#[test]
fn whole_and_damaged() {
    let place = Place::new();
    let good = sealed(&place, 50_000);
    let verify = |args: &str| place.pipe(&format!("verify --passphrase-fd 0 {args}sealed"), b"open sesame");
    assert_eq!(done(verify("")), b"sealed: whole and unchanged, 50000 bytes of text\n");
    assert_eq!(done(verify("--quiet ")), b"");
    let found: Value = serde_json::from_slice(&done(verify("--json "))).unwrap();
    assert_eq!(found, json!({"file": "sealed", "ok": true, "text_bytes": 50_000, "error": null, "chunk": null}));

    let mut bad = good.clone();
    bad[4096 + 56 + 16400] ^= 1;
    place.write("sealed", &bad);
    let said = refused(&verify(""), 1);
    assert!(said.starts_with("evariste: sealed: damaged in chunk 1"), "{said}");
    let output = verify("--json ");
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["ok"], &found["text_bytes"], &found["chunk"]), (&json!(false), &Value::Null, &json!(1)));
    assert!(found["error"].as_str().unwrap().contains("chunk 1"), "{found}");
}

#[test]
fn raw_and_from_a_pipe() {
    let place = Place::new();
    place.write("in", b"text");
    let raw = place.ok("encrypt --raw -k key16 in");
    assert_eq!(
        done(place.pipe("verify --raw -k key16", &raw)),
        b"standard input: whole and unchanged, 4 bytes of text\n"
    );
    let said = refused(&place.pipe("verify --raw -k key32", &raw), 1);
    assert!(said.contains("not encrypted with the key key32"), "{said}");
    refused(&place.pipe("verify --raw -k key16", &raw[..raw.len() - 1]), 1);
    refused(&place.run("verify --raw"), 2);
}
