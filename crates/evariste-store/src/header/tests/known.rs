//! The values of `tests/header_vectors.py`, which knows nothing of this code.

use super::*;
use crate::{Reader, Writer};
use sha2::Sha256;
use std::io::{Read, Write};

const VALUES: &str = include_str!("../../../tests/data/header.txt");
const DOCUMENT: &str = include_str!("../../../../../docs/formats.md");
const PHRASE: &str = "correct horse battery stäple";

struct Case {
    name: &'static str,
    suite: Suite,
    content: Content,
    /// The bytes count up from here.
    first: u8,
    cost: Cost,
}

impl Case {
    fn value(&self, of: &str) -> &'static str {
        let wanted = format!("{} {of}", self.name);
        VALUES.lines().filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == wanted).unwrap().1
    }

    fn bytes<const N: usize>(&self, from: u8) -> [u8; N] {
        std::array::from_fn(|i| self.first + from + i as u8)
    }

    fn build(&self) -> (Header, DataKey) {
        let immutable = Immutable::new(self.suite, self.content, self.bytes(0));
        let mut key = zeroize::Zeroizing::new([0; 32]);
        let n = if self.suite == Suite::Cobblestone128 { 16 } else { 32 };
        key[..n].copy_from_slice(&self.bytes::<32>(16)[..n]);
        let key = DataKey::unwrapped(key, &immutable).unwrap();
        let mut header = Header::new(immutable.clone());
        let phrase = Secret::Passphrase(PHRASE.as_bytes());
        header.put(0, &slot::seal(&immutable, &key, phrase, self.cost, &self.bytes(112)).unwrap());
        let file = &self.bytes::<32>(64)[..n];
        header.put(1, &slot::seal(&immutable, &key, Secret::KeyFile(file), self.cost, &self.bytes(128)).unwrap());
        (header, key)
    }
}

fn cases() -> [Case; 2] {
    let case = |name, suite, content, first, (m, t, p)| Case {
        name,
        suite,
        content,
        first,
        cost: Cost::new(m, t, p).unwrap(),
    };
    [
        case("A", Suite::Cobblestone256, Content::Bytes, 0x10, (64, 3, 4)),
        case("B", Suite::Cobblestone128, Content::Tar, 0x50, (8, 1, 1)),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn headers_have_the_known_bytes() {
    for case in cases() {
        let (header, _) = case.build();
        for (of, bytes) in [
            ("immutable checksum", &header.context()[CHECKSUM..]),
            ("slot 0", &header.slot(0)[..144]),
            ("slot 0 checksum", &header.slot(0)[CHECKSUM..]),
            ("slot 1", &header.slot(1)[..144]),
            ("slot 1 checksum", &header.slot(1)[CHECKSUM..]),
            ("header sha-256", &Sha256::digest(header.as_bytes())),
        ] {
            assert_eq!(hex(bytes), case.value(of), "{} {of}", case.name);
        }
    }
}

#[test]
fn known_headers_open() {
    for case in cases() {
        let (header, key) = case.build();
        let message = unhex(case.value("message"));
        let header = Header::parse(header.as_bytes()).unwrap();
        let file = &case.bytes::<32>(64)[..key.as_bytes().len()];
        for (place, secret) in [Secret::Passphrase(PHRASE.as_bytes()), Secret::KeyFile(file)].into_iter().enumerate() {
            let (found, at) = header.unlock(secret).unwrap();
            assert_eq!(at, place);
            let mut text = String::new();
            let mut reader = Reader::new(&message[..], found.as_bytes(), header.context()).unwrap();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "attack at dawn");
        }
        let mut writer = Writer::with_salt(Vec::new(), key.as_bytes(), header.context(), case.bytes(96)).unwrap();
        writer.write_all(b"attack at dawn").unwrap();
        assert_eq!(writer.finish().unwrap(), message);
    }
}

#[test]
fn the_document_has_the_known_values() {
    assert!(VALUES.lines().count() >= 14);
    for line in VALUES.lines() {
        assert!(DOCUMENT.contains(line), "{line}");
    }
}
