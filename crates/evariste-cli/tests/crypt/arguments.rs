//! What cannot be done is refused in one line, before anything is touched.

use crate::program::{Place, refused};

#[test]
fn bad_usage() {
    let place = Place::new();
    place.write("in", b"text");
    let before = place.names();
    for command in ["encrypt", "decrypt"] {
        for (args, word) in [
            ("--raw -o out in", "-k KEY"),
            ("--raw --passphrase-fd 0 -o out in", "add -k KEY"),
            ("-k key32 --passphrase-fd 0 -o out in", "cannot be used with"),
            ("--raw -k key32 --threads 0 -o out in", "invalid value"),
            ("-k key32 --json in", "--json needs -o OUT"),
            ("--raw -k key32 -o in in", "is also the input"),
            ("--raw -k key32 -f -o in in", "is also the input"),
            ("--raw -k key32 -f -o ./key32 in", "is also the key"),
        ] {
            let said = refused(&place.run(&format!("{command} {args}")), 2);
            assert!(said.contains(word), "{said}");
        }
    }
    for args in [
        "encrypt --raw -k key32 in more",
        "encrypt --raw --suite 128 -k key32 in",
        "encrypt --fast",
        "decrypt --raw -k",
        "keygen --size 24 -o k",
        "keygen -q",
    ] {
        let said = refused(&place.run(args), 2);
        assert!(said.ends_with("; see --help\n"), "{said}");
    }
    assert_eq!(place.names(), before);
    assert_eq!(place.read("in"), b"text");
    assert_eq!(place.read("key32"), [0x42; 32]);
}

#[test]
fn what_is_not_there_or_not_fit() {
    let place = Place::new();
    place.write("in", b"text");
    place.write("out", b"old");
    place.write("empty", b"");
    place.write("key15", &[1; 15]);
    place.write("key24", &[1; 24]);
    place.write("key33", &[1; 33]);
    let before = place.names();
    for (args, said) in [
        ("--raw -k none -o new in", "cannot read the key none"),
        ("--raw -k . -o new in", "cannot read the key ."),
        ("--raw -k empty -o new in", "empty is no key file: it must have 16 or 32 bytes and has 0"),
        ("--raw -k key15 -o new in", "has 15"),
        ("--raw -k key24 -o new in", "has 24"),
        ("--raw -k key33 -o new in", "has more than 32"),
        ("--raw -k key32 -o new none", "cannot read none"),
        ("--raw -k key32 -o new .", ". is a directory"),
    ] {
        for command in ["encrypt", "decrypt"] {
            let message = refused(&place.run(&format!("{command} {args}")), 1);
            assert!(message.contains(said), "{message}");
        }
    }
    for (args, said) in [
        ("encrypt --raw -k key32 -o out in", "out exists already"),
        ("encrypt --raw -k key32 -o dir/out in", "there is no directory dir"),
        ("encrypt --raw -k key32 -o in/out in", "cannot create in/out"),
        ("encrypt --raw -k key32 -f -o . in", ". is a directory"),
        ("keygen -o key32", "key32 exists already"),
        ("keygen -o dir/key", "there is no directory dir"),
        ("decrypt --raw -k key32 -o new empty", "empty: cut short: the end is missing; nothing was written"),
    ] {
        let message = refused(&place.run(args), 1);
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(place.names(), before);
    assert_eq!(place.read("out"), b"old");
    assert_eq!(place.read("key32"), [0x42; 32]);
}

#[test]
fn force_replaces() {
    let place = Place::new();
    place.write("in", b"text");
    place.write("out", b"old");
    place.ok("encrypt --raw -k key32 --force -o out in");
    assert_eq!(place.ok("decrypt --raw -k key32 out"), b"text");
}

#[test]
fn help_warns_of_unfinished_output() {
    let help = String::from_utf8(Place::new().ok("decrypt --help")).unwrap();
    assert!(help.contains("those before it are out already"), "{help}");
}

#[test]
fn help_names_what_there_is() {
    let help = String::from_utf8(Place::new().ok("--help")).unwrap();
    assert!(help.starts_with("AES-GCM, GCM-SIV, XAES, CTR, CCM and GHASH "), "{help}");
}
