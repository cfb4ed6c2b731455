//! What `evariste inspect` says without a key.

use crate::program::{Place, refused, text};

#[test]
fn lengths_and_chunks() {
    let place = Place::new();
    for (len, chunks) in [(0, 1), (1, 1), (16383, 1), (16384, 2), (16385, 2), (500_000, 31)] {
        place.write("in", &text(len));
        place.ok("encrypt --raw -k key32 -f -o out in");
        let bytes = place.read("out").len();
        let said = String::from_utf8(place.ok("inspect --raw out")).unwrap();
        assert_eq!(said, format!("out: {bytes} bytes, {len} of text, chunks: {chunks}\n"));
        let json: serde_json::Value = serde_json::from_slice(&place.ok("inspect --raw --json out")).unwrap();
        assert_eq!(json, serde_json::json!({"bytes": bytes, "text_bytes": len, "chunks": chunks}));
    }
}

#[test]
fn what_is_no_message() {
    let place = Place::new();
    place.write("short", &[0; 71]);
    place.write("border", &[0; 56 + 16400 + 15]);
    for (args, code, said) in [
        ("--raw short", 1, "short: cut short"),
        ("--raw border", 1, "border: cut short"),
        ("--raw none", 1, "cannot read none"),
        ("--raw .", 1, ". is not a regular file"),
        ("short", 1, "short: no header of evariste"),
    ] {
        let message = refused(&place.run(&format!("inspect {args}")), code);
        assert!(message.contains(said), "{message}");
    }
}
