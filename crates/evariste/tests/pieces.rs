//! Messages in pieces: forge#668, zfs 3ac34ca375; and several at a time: linux 44ac4625ea00.

#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/random.rs"]
mod random;
#[path = "shared/usable.rs"]
mod usable;

use evariste::hazmat::{CcmOpener, GcmOpener};
use evariste::{Aead, Ccm, Ctr, Gcm, Ghash, Polyval};
use paint::paint;
use random::Random;
use std::ops::Range;
use usable::usable;

const KEYS: [usize; 3] = [16, 24, 32];

/// Messages per mode and backend.
const MESSAGES: usize = 600;

/// What makes up `len` bytes, 0 to 40 at a time.
fn pieces(len: usize, random: &mut Random) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at += random.below(41).min(len - start);
        (start < len).then_some(start..at)
    })
}

#[test]
fn forge_668_zfs_3ac34ca375_gcm_in_pieces() {
    let mut random = Random(668);
    for backend in usable() {
        for n in 0..MESSAGES {
            let gcm = Gcm::with_backend(&paint(KEYS[n % 3], n), backend).expect("a key length");
            let (text, aad) = (paint(random.below(1500), n), paint(random.below(200), n));
            let nonce = paint(if n % 4 == 0 { 1 + random.below(60) } else { 12 }, n);
            let mut sealed = text.clone();
            let tag = gcm.seal(&nonce, &aad, &mut sealed).expect("within limits");
            let start = |random: &mut Random| {
                let mut stream = gcm.stream(&nonce).expect("a nonce");
                pieces(aad.len(), random).for_each(|p| stream.aad(&aad[p]).expect("within limits"));
                stream
            };
            let mut data = text.clone();
            let mut sealer = start(&mut random).seal();
            pieces(text.len(), &mut random).for_each(|p| sealer.update((&mut data[p]).into()).expect("within limits"));
            assert_eq!(*sealer.finish(), *tag, "{backend}: {n}");
            assert!(data == sealed, "{backend}: {n}");
            let mut opener = GcmOpener::from(start(&mut random));
            pieces(text.len(), &mut random).for_each(|p| opener.update((&mut data[p]).into()).expect("within limits"));
            assert_eq!(opener.finish(&tag), Ok(()), "{backend}: {n}");
            assert!(data == text, "{backend}: {n}");
        }
    }
}

#[test]
fn forge_668_zfs_3ac34ca375_ccm_in_pieces() {
    let mut random = Random(3);
    for backend in usable() {
        for n in 0..MESSAGES {
            let ccm = Ccm::with_backend(&paint(KEYS[n % 3], n), backend).expect("a key length");
            let (text, aad) = (paint(random.below(1500), n), paint(random.below(200), n));
            let nonce = paint(7 + n % 7, n);
            let mut sealed = text.clone();
            let tag = ccm.seal(&nonce, &aad, &mut sealed).expect("within limits");
            let start = |random: &mut Random| {
                let mut stream = ccm.stream(&nonce, aad.len() as u64, text.len() as u64).expect("within limits");
                pieces(aad.len(), random).for_each(|p| stream.aad(&aad[p]).expect("as announced"));
                stream
            };
            let mut data = text.clone();
            let mut sealer = start(&mut random).seal().expect("all of it");
            pieces(text.len(), &mut random).for_each(|p| sealer.update((&mut data[p]).into()).expect("as announced"));
            assert_eq!(*sealer.finish().expect("all of it"), *tag, "{backend}: {n}");
            assert!(data == sealed, "{backend}: {n}");
            let mut opener = CcmOpener::try_from(start(&mut random)).expect("all of it");
            pieces(text.len(), &mut random).for_each(|p| opener.update((&mut data[p]).into()).expect("as announced"));
            assert_eq!(opener.finish(&tag), Ok(()), "{backend}: {n}");
            assert!(data == text, "{backend}: {n}");
        }
    }
}

#[test]
fn ctr_and_hashes_in_pieces() {
    let mut random = Random(5);
    for backend in usable() {
        for n in 0..MESSAGES {
            let (key, text) = (paint(KEYS[n % 3], n), paint(random.below(1500), n));
            let ctr = || Ctr::with_backend(&key, &[5; 16], backend).expect("a key length");
            let (mut whole, mut data, mut cut) = (text.clone(), text.clone(), ctr());
            ctr().apply((&mut whole[..]).into()).expect("before the end");
            pieces(text.len(), &mut random).for_each(|p| cut.apply((&mut data[p]).into()).expect("before the end"));
            assert!(data == whole, "{backend}: CTR, {n}");

            let h = key.first_chunk().expect("16 bytes");
            let (mut whole, mut cut) = (Ghash::with_backend(h, backend), Ghash::with_backend(h, backend));
            whole.update(&text);
            pieces(text.len(), &mut random).for_each(|p| cut.update(&text[p]));
            assert_eq!(whole.finish(), cut.finish(), "{backend}: GHASH, {n}");
            let (mut whole, mut cut) = (Polyval::with_backend(h, backend), Polyval::with_backend(h, backend));
            whole.update(&text);
            pieces(text.len(), &mut random).for_each(|p| cut.update(&text[p]));
            assert_eq!(whole.finish(), cut.finish(), "{backend}: POLYVAL, {n}");
        }
    }
}

/// State shared between contexts, seen only when several are in use at once. WebAssembly has no threads.
#[test]
#[cfg(not(target_family = "wasm"))]
fn linux_44ac4625ea00_interleaved_contexts() {
    for backend in usable() {
        let keys: Vec<_> =
            (0..24).map(|n| Gcm::with_backend(&paint(KEYS[n % 3], n), backend).expect("a key length")).collect();
        let packets: Vec<_> = (0..240)
            .map(|n| {
                let (nonce, text) = (paint(12, n), paint(n * 7 % 190, n));
                let mut sealed = text.clone();
                let tag = keys[n % 24].seal(&nonce, &nonce, &mut sealed).expect("within limits");
                (n, nonce, text, sealed, tag)
            })
            .collect();
        std::thread::scope(|threads| {
            for thread in 0..8 {
                let (keys, mut packets) = (&keys, packets.clone());
                packets.rotate_left(31 * thread);
                threads.spawn(move || {
                    for group in packets.chunks(6) {
                        let mut open: Vec<_> = group
                            .iter()
                            .map(|(n, nonce, text, ..)| {
                                let mut stream = keys[n % 24].stream(nonce).expect("12 bytes");
                                stream.aad(nonce).expect("within limits");
                                (stream.seal(), text.clone())
                            })
                            .collect();
                        for at in (0..190).step_by(19) {
                            for (sealer, data) in &mut open {
                                let end = data.len().min(at + 19);
                                sealer.update((&mut data[at.min(end)..end]).into()).expect("within limits");
                            }
                        }
                        for ((sealer, data), (n, _, _, sealed, tag)) in open.into_iter().zip(group) {
                            assert_eq!((&data, &*sealer.finish()), (sealed, &**tag), "{backend}: {n}");
                        }
                        for (n, nonce, text, sealed, tag) in group {
                            let mut data = sealed.clone();
                            assert_eq!(keys[n % 24].open(nonce, nonce, &mut data, tag), Ok(()), "{backend}: {n}");
                            assert_eq!(data, *text, "{backend}: {n}");
                        }
                    }
                });
            }
        });
    }
}
