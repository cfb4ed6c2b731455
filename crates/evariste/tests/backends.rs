//! Every backend seals and opens as the portable one does: all lengths up to four strides of the widest
//! kernel, long ones, every alignment, in place, to another buffer and to memory that holds nothing.

#[path = "shared/buffers.rs"]
mod buffers;
#[path = "shared/effort.rs"]
mod effort;
#[path = "shared/modes.rs"]
mod modes;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/usable.rs"]
mod usable;

use buffers::{Buffers, Way};
use effort::cases;
use evariste::{Aead, AuthError, Backend, Ctr, Gcm};
use modes::{CCM, GCM, GCM_SIV, MODES, Mode, XAES};
use paint::paint;
use usable::usable;

/// Four strides of 32 blocks, three blocks, and a part of one.
const ALL: usize = 4 * 512 + 53;
const LONG: [usize; 10] = [2560, 2561, 3091, 4096, 4097, 4609, 8192, 16397, 66047, 70001];
const LONGEST: usize = (1 << 20) + 13;

/// Lengths of additional data to go with a text of `len` bytes.
fn aad_lens(len: usize) -> [usize; 11] {
    [0, 1, 13, 16, 17, 31, 32, 33, 255, len % 677, 4096]
}

#[test]
fn gcm_at_all_lengths() {
    for key in GCM.keys {
        let mut rig = Rig::new(&GCM, *key);
        let lens = cases(0..=ALL);
        for len in lens.clone() {
            // The second one is short enough for the kernels of short messages.
            rig.check(len, aad_lens(len)[(len + key) % 11], (len % 64, len * 7 % 64));
            rig.check(len, len % 17, (len * 5 % 64, len % 64));
        }
        rig.done(2 * lens.count());
    }
}

#[test]
fn ccm_at_all_lengths() {
    all_lengths(&CCM);
}

#[test]
fn gcm_siv_at_all_lengths() {
    all_lengths(&GCM_SIV);
}

#[test]
fn xaes_at_all_lengths() {
    all_lengths(&XAES);
}

/// Each length under one of the keys.
fn all_lengths(mode: &'static Mode) {
    for (n, key) in mode.keys.iter().enumerate() {
        let mut rig = Rig::new(mode, *key);
        let lens = cases((n..=ALL).step_by(mode.keys.len()));
        for len in lens.clone() {
            rig.check(len, aad_lens(len)[len % 11], (len % 64, len * 7 % 64));
        }
        rig.done(lens.count());
    }
}

/// GMAC has entries of its own; its tag is that of a message without text.
#[test]
fn gmac_at_all_lengths() {
    let (nonce, key) = (paint(12, 3), paint(32, 4));
    let portable = Backend::by_name("portable").expect("there is always one");
    for key in [&key[..16], &key[..24], &key[..]] {
        let expected = Gcm::with_backend(key, portable).expect("a key length");
        let others: Vec<_> = usable().iter().map(|b| Gcm::with_backend(key, *b).expect("a key length")).collect();
        for len in cases(0..=ALL).chain(LONG) {
            let data = paint(len, len);
            let tag = expected.seal(&nonce, &data, &mut []).expect("within limits");
            for gcm in &others {
                assert_eq!(*gcm.mac(&nonce, &data).expect("within limits"), *tag, "{} {len}", gcm.backend());
                assert_eq!(gcm.verify_mac(&nonce, &data, &tag), Ok(()), "{} {len}", gcm.backend());
                let mut other = *tag.first_chunk::<16>().expect("16 bytes");
                other[len % 16] ^= 1 << (len % 8);
                assert_eq!(gcm.verify_mac(&nonce, &data, &other), Err(AuthError), "{} {len}", gcm.backend());
            }
        }
    }
}

/// In one call, and what is left of the keystream in another.
#[test]
fn ctr_at_all_lengths() {
    let portable = Backend::by_name("portable").expect("there is always one");
    // Counters that wrap in the last byte, in 32 bits, and in more, some of them in the first blocks.
    let starts = [0, 0xf9, 0xffff_fff0, u128::from(u64::MAX) - 5, 77 << 64];
    for (n, key) in [16, 24, 32].into_iter().enumerate() {
        let key = paint(key, 5);
        for len in cases((0..=ALL).skip(n)).chain(LONG) {
            let iv = starts[len % starts.len()].to_be_bytes();
            let (text, next) = (paint(len, len), paint(40, len));
            let run = |backend| {
                let (mut data, mut next) = (text.clone(), next.clone());
                let mut ctr = Ctr::with_backend(&key, &iv, backend).expect("a key length");
                ctr.apply((&mut data[..]).into()).expect("within limits");
                ctr.apply((&mut next[..]).into()).expect("within limits");
                (data, next)
            };
            let expected = run(portable);
            for backend in usable() {
                assert!(run(backend) == expected, "{backend} {len}");
            }
        }
    }
}

#[test]
fn additional_data_at_all_lengths() {
    for mode in &MODES {
        let mut rig = Rig::new(mode, mode.keys[0]);
        for aad in 0..=1100 {
            rig.check(aad % 50, aad, (aad % 64, 0));
        }
        rig.done(1101);
    }
}

#[test]
fn every_key_length_with_every_length_of_additional_data() {
    let lens = [0, 1, 15, 16, 17, 100, 255, 256, 257, 511, 512, 513, 1000, 1024, 1025, 2047, 2048, 2049];
    for mode in &MODES {
        for key in mode.keys {
            let mut rig = Rig::new(mode, *key);
            for (len, aad) in lens.iter().flat_map(|len| aad_lens(*len).map(|aad| (*len, aad))) {
                rig.check(len, aad, (0, 0));
            }
            rig.done(lens.len() * 11);
        }
    }
}

#[test]
fn long_messages() {
    for mode in &MODES {
        for key in mode.keys {
            let mut rig = Rig::new(mode, *key);
            let lens = cases(LONG.into_iter().enumerate());
            for (n, len) in lens.clone() {
                rig.check(len, aad_lens(len)[(n + key) % 11], (n, 3 * n));
            }
            rig.done(lens.count());
        }
        let mut rig = Rig::new(mode, mode.keys[mode.keys.len() - 1]);
        rig.check(LONGEST, 13, (1, 2));
        rig.done(1);
    }
}

#[test]
fn every_alignment() {
    for mode in &MODES {
        let mut rig = Rig::new(mode, mode.keys[0]);
        for n in 0..256 {
            rig.check(200, n, (n / 16, n % 16));
        }
        rig.check(1100, 20, (9, 5));
        rig.done(257);
    }
}

#[test]
fn every_nonce_length() {
    let mut rig = Rig::new(&GCM, 32);
    for nonce in 1..=600 {
        rig.check_nonce(&paint(nonce, 3 * nonce), nonce % 90, nonce % 20, (0, 0));
    }
    rig.done(600);
    let mut rig = Rig::new(&CCM, 32);
    for nonce in 7..=13 {
        for len in 0..70 {
            rig.check_nonce(&paint(nonce, len), len, 20, (0, 0));
        }
    }
    rig.done(7 * 70);
}

/// One key on every backend.
struct Rig {
    mode: &'static Mode,
    keys: Vec<(Backend, Box<dyn Aead>)>,
    buffers: Buffers,
    /// How many messages each backend has seen.
    cases: usize,
}

impl Rig {
    fn new(mode: &'static Mode, key_len: usize) -> Self {
        let key = paint(key_len, 100 + key_len);
        let keys = usable().into_iter().map(|b| (b, (mode.make)(&key, b))).collect();
        Self { mode, keys, buffers: Buffers::new(LONGEST), cases: 0 }
    }

    /// A message, from and to these offsets.
    fn check(&mut self, len: usize, aad_len: usize, offsets: (usize, usize)) {
        let nonces = self.mode.nonces;
        self.check_nonce(&paint(nonces[self.cases % nonces.len()], self.cases), len, aad_len, offsets);
    }

    fn check_nonce(&mut self, nonce: &[u8], len: usize, aad_len: usize, offsets: (usize, usize)) {
        let (text, aad) = (paint(len, aad_len), paint(aad_len, len + 7));
        let (_, portable) = self.keys.last().expect("portable");
        let mut sealed = text.clone();
        let tag = portable.seal(nonce, &aad, &mut sealed).expect("within limits");
        let mut bad = (sealed.clone(), aad.clone(), tag.to_vec());
        let forged = forge(self.cases, &mut bad.0, &mut bad.1, &mut bad.2);
        let zeros = vec![0; len];
        for (backend, aead) in &self.keys {
            let case = |way| format!("{} {backend} {way:?}: {len} bytes, {aad_len} of AAD", self.mode.name);
            for way in Way::ALL {
                let (made, out) = self.buffers.run(way, &text, offsets, |io| aead.seal_inout(nonce, &aad, io));
                assert_eq!(*made.expect("within limits"), *tag, "{}", case(way));
                assert!(out == sealed, "sealed, {}", case(way));
                let (verdict, out) =
                    self.buffers.run(way, &sealed, offsets, |io| aead.open_inout(nonce, &aad, io, &tag));
                assert_eq!(verdict, Ok(()), "{}", case(way));
                assert!(out == text, "opened, {}", case(way));
            }
            let way = Way::ALL[self.cases % 3];
            let (verdict, out) =
                self.buffers.run(way, &bad.0, offsets, |io| aead.open_inout(nonce, &bad.1, io, &bad.2));
            assert_eq!(verdict, Err(AuthError), "{forged} changed, {}", case(way));
            assert!(out == zeros, "{forged} changed, {}", case(way));
        }
        self.cases += 1;
    }

    fn done(self, expected: usize) {
        println!("{}: {} messages on each of {} backends", self.mode.name, self.cases, self.keys.len());
        assert_eq!(self.cases, expected);
    }
}

/// Changes one bit, and says where.
fn forge(n: usize, text: &mut [u8], aad: &mut [u8], tag: &mut [u8]) -> &'static str {
    let (what, bytes) = match n % 5 {
        0 => ("first byte of the tag", &mut tag[..1]),
        1 => ("last byte of the tag", &mut tag[15..]),
        2 if !text.is_empty() => ("text", text),
        3 if !aad.is_empty() => ("additional data", aad),
        _ => ("tag", tag),
    };
    bytes[n / 5 % bytes.len()] ^= 1 << (n / 7 % 8);
    what
}
