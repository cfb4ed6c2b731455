//! What is left of a key when it is gone.
//!
//! These tests read memory after the object in it was dropped, and the padding inside it: no program may
//! rely on what is found there, but finding a key is what they are for. Two objects that differ in their
//! secrets only are compared: every byte that differed must be zero afterwards.

#[path = "shared/usable.rs"]
mod usable;

use evariste::hazmat::GcmOpener;
use evariste::{Aes, Backend, Ccm, Ctr, Gcm, GcmRandom, GcmSiv, Ghash, Polyval, Xaes256Gcm};
use std::fmt::Debug;
use std::hint::black_box;
use std::mem::MaybeUninit;
use usable::usable;

/// The memory of an object, before and after it was dropped in place, and what `Debug` shows of it.
struct Trace {
    shown: String,
    before: Vec<u8>,
    after: Vec<u8>,
}

fn trace<T: Debug>(object: T) -> Trace {
    let shown = format!("{object:?}");
    let mut place = Box::new(MaybeUninit::zeroed());
    place.write(object);
    let before = read(&place);
    // SAFETY: written above, dropped once, and not used as an object again.
    unsafe { place.assume_init_drop() };
    Trace { shown, before, after: read(&place) }
}

fn read<T>(place: &MaybeUninit<T>) -> Vec<u8> {
    let start = place.as_ptr().cast::<u8>();
    // SAFETY: within one allocation. That some of it is padding is the point, see above; a volatile
    // read takes what is there.
    (0..size_of::<T>()).map(|n| unsafe { start.add(n).read_volatile() }).collect()
}

/// Of the words that depend on the secret, at least `least`, nothing is left, and nothing is shown.
fn assert_wiped(what: &str, backend: Backend, [a, b]: [Trace; 2], least: usize) {
    assert_eq!(a.shown, b.shown, "{backend}: Debug of {what}");
    let words = |bytes: &[u8]| -> Vec<_> { bytes.as_chunks().0.iter().map(|w| u64::from_ne_bytes(*w)).collect() };
    let before = [words(&a.before), words(&b.before)];
    // Padding may hold addresses, which differ as well; but their upper 16 bits are zero.
    let secret = |n: &usize| before[0][*n] != before[1][*n] && before.iter().all(|words| words[*n] >> 48 != 0);
    let secret: Vec<_> = (0..before[0].len()).filter(secret).collect();
    assert!(secret.len() >= least, "{backend}: only {} words of {what} are secret", secret.len());
    for n in secret.iter().flat_map(|word| 8 * word..8 * word + 8) {
        // A word may end in padding, which is as it was.
        if a.before[n] != b.before[n] {
            assert_eq!((a.after[n], b.after[n]), (0, 0), "{backend}: byte {n} of {what} is left");
        }
    }
}

/// Neither is there anything that is known to be secret, wherever it may be.
fn assert_absent(what: &str, backend: Backend, trace: &Trace, secrets: &[u8]) {
    for secret in secrets.chunks_exact(8) {
        let found = trace.after.windows(8).position(|w| w == secret);
        assert_eq!(found, None, "{backend}: {secret:02x?} is left of {what}");
    }
}

/// The two secrets: two keys that differ in all bytes. Not on the stack, where padding might find them.
static SECRETS: [[u8; 32]; 2] = {
    let mut keys = [[0; 32]; 2];
    let mut n = 0;
    while n < 64 {
        keys[n / 32][n % 32] = (3 * n as u8 + 7) ^ ((n / 32) as u8 * 0x5a);
        n += 1;
    }
    keys
};

fn both(mut trace: impl FnMut(&'static [u8; 32]) -> Trace) -> [Trace; 2] {
    SECRETS.each_ref().map(|key| {
        scrub();
        trace(key)
    })
}

/// Clears the stack that is not in use. When an object is made, its padding takes what earlier calls
/// have left there, which is not the object's to wipe.
#[inline(never)]
fn scrub() {
    black_box(&mut [0u8; 1 << 16]);
}

/// What a text of ones was encrypted with.
fn keystream(sealed: &[u8]) -> Vec<u8> {
    sealed.iter().map(|b| b ^ 1).collect()
}

/// Words of an expanded key.
const ROUND_KEYS: usize = 28;

fn keys<T: Debug>(what: &str, backend: Backend, least: usize, make: impl Fn(&[u8; 32]) -> T) {
    let traces = both(|key| {
        let trace = trace(make(key));
        assert_absent(what, backend, &trace, key);
        trace
    });
    assert_wiped(what, backend, traces, least);
}

/// A shorter key takes the place of a longer one: nothing of the longer one may stay behind it.
#[test]
fn rekeyed_keys_are_gone() {
    for b in usable() {
        for longest in [16, 200, usize::MAX] {
            let shorter = |key: &[u8; 32]| {
                let mut gcm = Gcm::with_backend(key, b).expect("32 bytes");
                gcm.rekey_for(&[1; 16], longest).expect("16 bytes");
                gcm
            };
            assert_same("Gcm", b, both(|key| trace(shorter(key))));
        }
        let shorter = |key: &[u8; 32]| {
            let mut ccm = Ccm::with_backend(key, b).expect("32 bytes");
            ccm.rekey(&[1; 16]).expect("16 bytes");
            ccm
        };
        assert_same("Ccm", b, both(|key| trace(shorter(key))));
        let shorter = |key: &[u8; 32]| {
            let mut siv = GcmSiv::with_backend(key, b).expect("32 bytes");
            siv.rekey(&[1; 16]).expect("16 bytes");
            siv
        };
        assert_same("GcmSiv", b, both(|key| trace(shorter(key))));
        let shorter = |key: &[u8; 32]| {
            let mut ctr = Ctr::with_backend(key, &[0; 16], b).expect("32 bytes");
            ctr.apply((&mut [0; 17]).into()).expect("within limits");
            ctr.rekey(&[1; 16], &[0; 16]).expect("16 bytes");
            ctr
        };
        assert_same("Ctr", b, both(|key| trace(shorter(key))));
    }
}

/// What is left of the longer keys would differ; addresses in padding do in their lower bytes only.
fn assert_same(what: &str, backend: Backend, [one, other]: [Trace; 2]) {
    let differ = |n: &usize| one.before[*n] != other.before[*n] && n % 8 >= 6;
    assert_eq!((0..one.before.len()).find(differ), None, "{backend} {what}");
}

#[test]
fn keys_are_wiped() {
    for b in usable() {
        keys("Gcm", b, ROUND_KEYS + 2, |k| Gcm::with_backend(k, b).expect("32 bytes"));
        keys("GcmRandom", b, ROUND_KEYS + 2, |k| GcmRandom::new(Gcm::with_backend(k, b).expect("32 bytes")));
        keys("Ccm", b, ROUND_KEYS, |k| Ccm::with_backend(k, b).expect("32 bytes"));
        keys("GcmSiv", b, ROUND_KEYS, |k| GcmSiv::with_backend(k, b).expect("32 bytes"));
        keys("Xaes256Gcm", b, ROUND_KEYS + 2, |k| Xaes256Gcm::with_backend(k, b).expect("32 bytes"));
        keys("Aes", b, 2 * ROUND_KEYS, |k| Aes::with_backend(k, b).expect("32 bytes"));
    }
}

/// In the middle of a block, so that there is a keystream.
#[test]
fn ctr_is_wiped() {
    for b in usable() {
        let traces = both(|key| {
            let mut ctr = Ctr::with_backend(key, &[9; 16], b).expect("32 bytes");
            let mut data = vec![1; 37];
            ctr.apply((&mut data[..]).into()).expect("before the end");
            let trace = trace(ctr);
            assert_absent("Ctr", b, &trace, key);
            assert_absent("Ctr", b, &trace, &keystream(&data));
            trace
        });
        assert_wiped("Ctr", b, traces, ROUND_KEYS + 2);
    }
}

/// In the middle of a block, so that there is a sum.
#[test]
fn hashes_are_wiped() {
    for b in usable() {
        keys("Ghash", b, 4, |k| {
            let mut ghash = Ghash::with_backend(k.first_chunk().expect("16 bytes"), b);
            ghash.update(&[1; 37]);
            ghash
        });
        keys("Polyval", b, 4, |k| {
            let mut polyval = Polyval::with_backend(k.first_chunk().expect("16 bytes"), b);
            polyval.update(&[1; 37]);
            polyval
        });
    }
}

/// The sum, the keystream, and J0 where it came from a long nonce: from that the hash key follows.
#[test]
fn gcm_streams_are_wiped() {
    for b in usable() {
        // In the same place for both secrets, since the streams point to it.
        let mut gcm = Gcm::with_backend(&SECRETS[0], b).expect("32 bytes");
        for (nonce, least) in [(&[7; 12][..], 0), (&[7; 60], 2)] {
            let streams = both(|key| {
                gcm.rekey(key).expect("32 bytes");
                scrub();
                let mut stream = gcm.stream(nonce).expect("not empty");
                // More than is held back until the text comes.
                stream.aad(&[5; 85]).expect("within limits");
                trace(stream)
            });
            assert_wiped("GcmStream", b, streams, least + 2);
            // All at once, which leaves a tag, and in two pieces, which leave a hash and keystream.
            for (first, words) in [(37, 2), (9, 4)] {
                let sealers = both(|key| {
                    gcm.rekey(key).expect("32 bytes");
                    scrub();
                    let stream = gcm.stream(nonce).expect("not empty");
                    scrub();
                    let mut sealer = stream.seal();
                    let mut data = vec![1; 37];
                    sealer.update((&mut data[..first]).into()).expect("within limits");
                    sealer.update((&mut data[first..]).into()).expect("within limits");
                    let trace = trace(sealer);
                    assert_absent("GcmSealer", b, &trace, &keystream(&data));
                    trace
                });
                assert_wiped("GcmSealer", b, sealers, least + words);
                let openers = both(|key| {
                    gcm.rekey(key).expect("32 bytes");
                    scrub();
                    let stream = gcm.stream(nonce).expect("not empty");
                    scrub();
                    let mut opener = GcmOpener::from(stream);
                    let mut data = vec![1; 37];
                    opener.update((&mut data[..first]).into()).expect("within limits");
                    opener.update((&mut data[first..]).into()).expect("within limits");
                    let trace = trace(opener);
                    assert_absent("GcmOpener", b, &trace, &keystream(&data));
                    trace
                });
                assert_wiped("GcmOpener", b, openers, least + words);
            }
        }
    }
}

/// Not on WebAssembly, where the streams end in four bytes of padding, with what AES left on the stack.
#[test]
#[cfg(not(target_family = "wasm"))]
fn ccm_streams_are_wiped() {
    use evariste::hazmat::CcmOpener;
    for b in usable() {
        let mut ccm = Ccm::with_backend(&SECRETS[0], b).expect("32 bytes");
        let streams = both(|key| {
            ccm = Ccm::with_backend(key, b).expect("32 bytes");
            scrub();
            let mut stream = ccm.stream(&[7; 12], 30, 0).expect("12 bytes");
            stream.aad(b"21 bytes of something").expect("as announced");
            trace(stream)
        });
        assert_wiped("CcmStream", b, streams, 2);
        let sealers = both(|key| {
            ccm = Ccm::with_backend(key, b).expect("32 bytes");
            scrub();
            let stream = ccm.stream(&[7; 12], 0, 50).expect("12 bytes");
            scrub();
            let mut sealer = stream.seal().expect("no data");
            let mut data = vec![1; 37];
            sealer.update((&mut data[..]).into()).expect("as announced");
            let trace = trace(sealer);
            assert_absent("CcmSealer", b, &trace, &keystream(&data));
            trace
        });
        assert_wiped("CcmSealer", b, sealers, 4);
        let openers = both(|key| {
            ccm = Ccm::with_backend(key, b).expect("32 bytes");
            scrub();
            let stream = ccm.stream(&[7; 12], 0, 50).expect("12 bytes");
            scrub();
            let mut opener = CcmOpener::try_from(stream).expect("no data");
            let mut data = vec![1; 37];
            opener.update((&mut data[..]).into()).expect("as announced");
            let trace = trace(opener);
            assert_absent("CcmOpener", b, &trace, &keystream(&data));
            trace
        });
        assert_wiped("CcmOpener", b, openers, 4);
    }
}

/// The hash key follows from a hash of what is public. On other architectures the compiler spills registers, which
/// nobody wipes.
#[cfg(target_arch = "powerpc64")]
#[test]
fn no_hash_is_left_on_the_stack() {
    /// The stack that is not in use.
    #[inline(never)]
    fn below(seen: &mut [u8; 1 << 12]) {
        let here = 0u8;
        let top = (&raw const here).wrapping_sub(seen.len());
        for (n, byte) in seen.iter_mut().enumerate() {
            // SAFETY: scrubbed before, so it is there; whatever it holds is a byte.
            *byte = unsafe { top.wrapping_add(n).read_volatile() };
        }
    }
    let (key, aad, nonce) = ([7; 16], [0x5c; 40], [9; 20]);
    for backend in usable().into_iter().filter(|b| !b.name().contains("portable")) {
        let mut h = [[0; 16]];
        Aes::with_backend(&key, backend).expect("16 bytes").encrypt(&mut h);
        let hash = |pieces: &[&[u8]]| {
            let mut ghash = Ghash::with_backend(&h[0], backend);
            pieces.iter().for_each(|piece| {
                ghash.update(piece);
                ghash.pad();
            });
            ghash.finish()
        };
        let secrets = [hash(&[&aad]), hash(&[&nonce, &160u128.to_be_bytes()])];
        let gcm = Gcm::with_backend(&key, backend).expect("16 bytes");
        let mut seen = [0; 1 << 12];
        for (nonce, secret) in [(&nonce[..12], secrets[0]), (&nonce, secrets[1])] {
            scrub();
            black_box(gcm.mac(nonce, &aad)).expect("within limits");
            below(&mut seen);
            let found = seen.windows(8).any(|w| w == &secret[..8]);
            assert!(!found, "{backend}: a hash, with a nonce of {} bytes", nonce.len());
        }
    }
}
