//! What is in the memory of objects when it is given back.

#[path = "shared/calls.rs"]
mod calls;

use calls::{ALGORITHMS, KEY, Key, NONCE};
use evariste_capi::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};

/// The system's, which counts the bytes other than zero in what is given back at [`WATCHED`].
struct Watching;

static WATCHED: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: as the system's.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc(layout) };
        if !at.is_null() {
            // SAFETY: just allocated. So nothing is zero by chance.
            unsafe { at.write_bytes(0xa5, layout.size()) }
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if at == WATCHED.load(SeqCst) {
            // SAFETY: allocated, and all written by `alloc`.
            let left = (0..layout.size()).filter(|n| unsafe { at.add(*n).read_volatile() } != 0).count();
            LEFT.store(left, SeqCst);
            WATCHED.store(null_mut(), SeqCst);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Bytes other than zero in what `free` gives back at `at`.
fn left<T>(at: *mut T, free: impl FnOnce(*mut T)) -> usize {
    LEFT.store(usize::MAX, SeqCst);
    WATCHED.store(at.cast(), SeqCst);
    free(at);
    LEFT.load(SeqCst)
}

/// One test, because there is one allocator. The state of a message that has ended has been moved away, which leaves
/// keystream and hash where it was.
#[test]
fn freed_memory_is_zero() {
    for (algorithm, key_len, nonce_len) in ALGORITHMS {
        let key = std::mem::ManuallyDrop::new(Key::new(algorithm, key_len));
        if algorithm <= EVARISTE_AES_256_CCM {
            for finish in [true, false] {
                let (mut stream, mut data, mut len) = (null_mut(), [7u8; 37], 0);
                let place = data.as_mut_ptr();
                // SAFETY: objects and arrays that live.
                let status = unsafe {
                    [
                        evariste_stream_new(&mut stream),
                        match algorithm <= EVARISTE_AES_256_GCM {
                            true => evariste_stream_begin(stream, key.0, EVARISTE_SEAL, NONCE.as_ptr(), nonce_len),
                            false => {
                                let nonce = NONCE.as_ptr();
                                evariste_stream_begin_ccm(stream, key.0, EVARISTE_SEAL, nonce, nonce_len, 32, 37)
                            }
                        },
                        evariste_stream_aad(stream, KEY.as_ptr(), 32),
                        evariste_stream_update(stream, place, 37, place, 37),
                        if finish { evariste_stream_finish_seal(stream, place, &mut len, 16) } else { 0 },
                    ]
                };
                assert_eq!(status, [EVARISTE_OK; 5]);
                // SAFETY: made above, once.
                assert_eq!(left(stream, |at| unsafe { evariste_stream_free(at) }), 0, "{algorithm} {finish}");
            }
        }
        // SAFETY: made above, once; its owner does not free it.
        assert_eq!(left(key.0, |at| unsafe { evariste_aead_free(at) }), 0, "{algorithm}");
    }
    let mut ctr = null_mut();
    // SAFETY: arrays that live; made once.
    unsafe {
        assert_eq!(evariste_ctr_new(&mut ctr, KEY.as_ptr(), 32, NONCE.as_ptr(), 16), EVARISTE_OK);
        assert_eq!(left(ctr, |at| evariste_ctr_free(at)), 0);
    }
}
