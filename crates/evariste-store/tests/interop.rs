//! Both ways with the crate `cobblestone`, an independent implementation.

use cobblestone::{CobblestoneKey, Key, Key256};
use evariste_store::{Reader, Writer};
use std::io::{Read, Write};

const LENGTHS: [usize; 9] = [0, 1, 100, 16383, 16384, 16385, 32768, 50_000, 5 << 20];

fn both_ways(bytes: &[u8], key: &impl CobblestoneKey) {
    for len in LENGTHS {
        for context in [&b""[..], b"a context"] {
            let text: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();

            let mut writer = Writer::new(Vec::new(), bytes, context).expect("key").threads(2);
            writer.write_all(&text).expect("memory takes everything");
            let ours = writer.finish().expect("memory takes everything");
            assert!(cobblestone::decrypt(key, context, &ours).expect("a true message") == text, "{len}");

            let theirs = cobblestone::encrypt(key, context, &text).expect("short enough");
            let mut opened = Vec::new();
            let mut reader = Reader::new(&theirs[..], bytes, context).expect("key").threads(2);
            reader.read_to_end(&mut opened).expect("a true message");
            assert!(opened == text, "{len}");
        }
    }
}

#[test]
fn cobblestone_128() {
    both_ways(&[0x42; 16], &Key::from_bytes(&[0x42; 16]));
}

#[test]
fn cobblestone_256() {
    both_ways(&[0x42; 32], &Key256::from_bytes(&[0x42; 32]));
}
