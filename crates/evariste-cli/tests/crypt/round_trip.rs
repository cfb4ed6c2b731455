//! What is encrypted comes back.

use crate::program::{Place, done, text};

const SIZES: [usize; 7] = [0, 1, 16383, 16384, 16385, 100_000, (1 << 20) + 3];

fn sealed_len(text: usize) -> usize {
    56 + text + 16 * (text / 16384 + 1)
}

#[test]
fn files() {
    let place = Place::new();
    for key in ["key16", "key32"] {
        for size in SIZES {
            place.write("in", &text(size));
            place.ok(&format!("encrypt --raw -f -k {key} -o sealed in"));
            assert_eq!(place.read("sealed").len(), sealed_len(size));
            place.ok(&format!("decrypt --raw -f -k {key} -o out sealed"));
            assert!(place.read("out") == text(size), "{key} {size}");
        }
    }
    assert_eq!(place.names(), ["in", "key16", "key32", "out", "sealed"]);
}

#[test]
fn pipes() {
    let place = Place::new();
    for key in ["key16", "key32"] {
        for size in [0, 1, 16384, 50_000] {
            let sealed = done(place.pipe(&format!("encrypt --raw -k {key}"), &text(size)));
            assert_eq!(sealed.len(), sealed_len(size));
            let opened = done(place.pipe(&format!("decrypt --raw -k {key} -o - -"), &sealed));
            assert!(opened == text(size), "{key} {size}");
        }
    }
}

#[test]
fn files_and_pipes_mixed() {
    let place = Place::new();
    place.write("in", &text(20_000));
    let sealed = place.ok("encrypt --raw --key key32 in");
    done(place.pipe("decrypt --raw --key key32 --output out", &sealed));
    assert!(place.read("out") == text(20_000));
}

#[test]
fn no_two_messages_are_alike() {
    let place = Place::new();
    place.write("in", b"text");
    let (one, two) = (place.ok("encrypt --raw -k key32 in"), place.ok("encrypt --raw -k key32 in"));
    assert!(one[..24] != two[..24] && one[24..56] != two[24..56] && one[56..] != two[56..]);
}

#[test]
fn new_keys_work() {
    let place = Place::new();
    place.write("in", b"text");
    for (args, len) in [("keygen -o new", 32), ("keygen --size 32 -o new32", 32), ("keygen -o new16 --size 16", 16)] {
        place.ok(args);
        let name = args.split(' ').find(|word| word.starts_with("new")).unwrap();
        assert_eq!(place.read(name).len(), len);
        let sealed = place.ok(&format!("encrypt --raw -k {name} in"));
        assert_eq!(done(place.pipe(&format!("decrypt --raw -k {name}"), &sealed)), b"text");
    }
    let (one, two) = (place.ok("keygen"), place.ok("keygen -o -"));
    assert!(one.len() == 32 && two.len() == 32 && one != two && one != place.read("new"));
}

/// Wycheproof's c2sp_chunked_encryption_aes_128_gcm, test 2.
#[test]
fn a_message_of_another_program() {
    const SEALED: &str = "99ef5b6b98795b7b37a41d6321d8dd472347c76185f40027e921542dd7e4305bb67a175e5088a8\
        a4db92ef4d3419bda917dd5099085be2f35cf32165613d4fe58db45dd4619b454586232f2661a2bf";
    let place = Place::new();
    place.write("yellow", b"YELLOW SUBMARINE");
    let sealed: Vec<u8> = (0..79).map(|i| u8::from_str_radix(&SEALED[2 * i..][..2], 16).unwrap()).collect();
    place.write("sealed", &sealed);
    assert_eq!(place.ok("decrypt --raw -k yellow sealed"), b"chunked");
}
