//! Every backend ciphers and hashes as the portable one does: CTR, AES on blocks, GHASH and POLYVAL.

#[path = "shared/buffers.rs"]
mod buffers;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/usable.rs"]
mod usable;

use buffers::{Buffers, Way};
use evariste::{Aes, Backend, Block, Ctr, Ghash, Polyval};
use paint::paint;
use usable::usable;

/// Four strides of 32 blocks, three blocks, and a part of one.
const ALL: usize = 4 * 512 + 53;
const LONG: [usize; 7] = [4096, 4097, 8192, 16397, 66047, 70001, (1 << 20) + 13];

#[test]
fn ctr() {
    for key in [16, 24, 32] {
        let (key, iv) = (paint(key, 200 + key), *paint(16, 90).first_chunk().expect("16 bytes"));
        let mut ctrs: Vec<_> =
            usable().into_iter().map(|b| (b, Ctr::with_backend(&key, &iv, b).expect("a key length"))).collect();
        let mut buffers = Buffers::new(LONG[6]);
        for len in (0..=ALL).chain(LONG) {
            let text = paint(len, key.len());
            let mut expected = text.clone();
            let (_, portable) = ctrs.last_mut().expect("portable");
            portable.restart(&iv);
            portable.apply((&mut expected[..]).into()).expect("far from the end");
            for (backend, ctr) in &mut ctrs {
                for way in Way::ALL {
                    ctr.restart(&iv);
                    let (done, out) = buffers.run(way, &text, (len % 64, len * 7 % 64), |io| ctr.apply(io));
                    assert_eq!(done, Ok(()));
                    assert!(out == expected, "{backend} {way:?}: {len} bytes");
                }
            }
        }
    }
}

#[test]
fn blocks_there_and_back() {
    for key in [16, 24, 32] {
        let key = paint(key, key);
        let aes: Vec<_> = usable().into_iter().map(|b| Aes::with_backend(&key, b).expect("a key length")).collect();
        let portable = aes.last().expect("portable");
        for n in (0..=4 * 64 + 3).chain([1000, 4097]) {
            let text = paint(16 * n, n);
            let mut expected = text.clone();
            portable.encrypt(expected.as_chunks_mut().0);
            for aes in &aes {
                // Misaligned by 0 to 15 bytes, between bytes that stay.
                let mut buffer = [&vec![0xee; n % 16][..], &text, &[0xee; 16]].concat();
                let blocks = &mut buffer[n % 16..];
                aes.encrypt(&mut blocks.as_chunks_mut().0[..n]);
                assert!(blocks[..16 * n] == expected, "encrypted {n} on {}", aes.backend());
                aes.decrypt(&mut blocks.as_chunks_mut().0[..n]);
                assert!(blocks[..16 * n] == text, "decrypted {n} on {}", aes.backend());
                assert!(buffer[..n % 16].iter().chain(&buffer[n % 16 + 16 * n..]).all(|b| *b == 0xee));
            }
        }
    }
}

#[test]
fn ghash() {
    hashes(|h, backend, text| {
        let mut ghash = Ghash::with_backend(h, backend);
        ghash.update(text);
        ghash.finish()
    });
}

#[test]
fn polyval() {
    hashes(|h, backend, text| {
        let mut polyval = Polyval::with_backend(h, backend);
        polyval.update(text);
        polyval.finish()
    });
}

fn hashes(hash: impl Fn(&Block, Backend, &[u8]) -> Block) {
    let backends = usable();
    let portable = *backends.last().expect("portable");
    for (n, len) in (0..=ALL).chain(LONG).enumerate() {
        let h = *paint(16, 17 * n).first_chunk().expect("16 bytes");
        let text = paint(len + n % 16, n);
        let text = &text[n % 16..];
        let expected = hash(&h, portable, text);
        for backend in &backends {
            assert_eq!(hash(&h, *backend, text), expected, "{backend}: {len} bytes");
        }
    }
}
