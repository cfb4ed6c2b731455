//! What belongs to the caller is his after every operation: the registers that a function must leave as they
//! were hold canaries before it and are compared after it. A kernel that changes one without saying so makes
//! errors far away, in whoever kept something there.
#![cfg(any(all(target_arch = "aarch64", not(windows)), target_arch = "powerpc64"))]

#[path = "shared/modes.rs"]
mod modes;
#[cfg(target_arch = "aarch64")]
#[path = "canaries/aarch64.rs"]
mod registers;
#[cfg(target_arch = "powerpc64")]
#[path = "canaries/powerpc64.rs"]
mod registers;
#[path = "shared/usable.rs"]
mod usable;

use evariste::{Aes, Ctr, Gcm, Ghash, Polyval};
use modes::MODES;
use std::ffi::c_void;
use usable::usable;

/// Around the sizes at which kernels change.
const LENS: [usize; 12] = [0, 1, 16, 31, 64, 100, 240, 256, 1023, 1350, 4096, 8211];

/// Runs `f` with canaries around it.
fn keeps<T>(what: &str, f: impl FnOnce() -> T) -> T {
    type Call<F, T> = (Option<F>, Option<T>);
    extern "C" fn call<F: FnOnce() -> T, T>(call: *mut c_void) {
        // SAFETY: the `call` of this very `keeps`.
        let (f, result) = unsafe { &mut *call.cast::<Call<F, T>>() };
        *result = f.take().map(|f| f());
    }
    fn entry<F: FnOnce() -> T, T>(_: &Call<F, T>) -> extern "C" fn(*mut c_void) {
        call::<F, T>
    }
    let mut call = (Some(f), None);
    let entry = entry(&call);
    let changed = registers::changed(entry, (&raw mut call).cast());
    assert!(changed.is_empty(), "{what} changes {changed:?}");
    call.1.expect("it was called")
}

#[test]
fn aeads() {
    for backend in usable() {
        for mode in MODES {
            for &key in mode.keys {
                let what = |does| format!("{does} of {} on {backend} with {key} bytes of key", mode.name);
                let aead = keeps(&what("the key"), || (mode.make)(&[7; 32][..key], backend));
                for len in LENS {
                    let mut data = vec![3; len];
                    for aad in [&[2; 13][..], &[2; 100]] {
                        let nonce = &[1; 32][..*mode.nonces.last().expect("one at least")];
                        let tag = keeps(&what("seal"), || aead.seal(nonce, aad, &mut data)).expect("within limits");
                        keeps(&what("open"), || aead.open(nonce, aad, &mut data, &tag)).expect("not changed");
                    }
                    assert!(data == vec![3; len]);
                }
            }
        }
    }
}

#[test]
fn streams() {
    for backend in usable() {
        let gcm = Gcm::with_backend(&[7; 16], backend).expect("16 bytes");
        // Of another length, so that J0 takes a hash.
        let mut stream = keeps("stream", || gcm.stream(&[1; 20])).expect("within limits");
        keeps("aad", || stream.aad(&[2; 1000])).expect("within limits");
        let mut sealer = stream.seal();
        for len in LENS {
            keeps("update", || sealer.update(vec![3; len].as_mut_slice().into())).expect("within limits");
        }
        keeps("finish", || sealer.finish());
    }
}

#[test]
fn parts() {
    for backend in usable() {
        for key in [&[7; 16][..], &[7; 24], &[7; 32]] {
            let aes = keeps("key", || Aes::with_backend(key, backend)).expect("a key length");
            let mut ctr = Ctr::with_backend(key, &[0xff; 16].map(|b: u8| b >> 1), backend).expect("a key length");
            for len in LENS {
                let mut data = vec![3; len];
                keeps("ctr", || ctr.apply(data.as_mut_slice().into())).expect("within limits");
                let blocks = data.as_chunks_mut::<16>().0;
                keeps("encrypt", || aes.encrypt(blocks));
                keeps("decrypt", || aes.decrypt(blocks));
            }
        }
        let gcm = Gcm::with_backend(&[7; 16], backend).expect("16 bytes");
        for len in LENS {
            let data = vec![3; len];
            let tag = keeps("mac", || gcm.mac(&[1; 12], &data)).expect("within limits");
            keeps("verify_mac", || gcm.verify_mac(&[1; 12], &data, &tag)).expect("not changed");
            let mut ghash = Ghash::with_backend(&[5; 16], backend);
            keeps("ghash", || ghash.update(&data));
            keeps("ghash", || ghash.finish());
            let mut polyval = Polyval::with_backend(&[5; 16], backend);
            keeps("polyval", || polyval.update(&data));
            keeps("polyval", || polyval.finish());
        }
    }
}
