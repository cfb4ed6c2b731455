//! The functions as C sees them, with slices and pointers of their own for what a test does on purpose.
#![allow(dead_code, reason = "no test uses all of them")]

use evariste_capi::*;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::{null, null_mut};

pub(crate) const KEY: [u8; 32] = *b"a key of 32 bytes, for all tests";
pub(crate) const NONCE: [u8; 24] = *b"a nonce of 24 bytes at m";

/// All algorithms, with the lengths of key and nonce.
pub(crate) const ALGORITHMS: [(c_int, usize, usize); 9] = [
    (EVARISTE_AES_128_GCM, 16, 12),
    (EVARISTE_AES_192_GCM, 24, 12),
    (EVARISTE_AES_256_GCM, 32, 12),
    (EVARISTE_AES_128_CCM, 16, 13),
    (EVARISTE_AES_192_CCM, 24, 13),
    (EVARISTE_AES_256_CCM, 32, 7),
    (EVARISTE_AES_128_GCM_SIV, 16, 12),
    (EVARISTE_AES_256_GCM_SIV, 32, 12),
    (EVARISTE_XAES_256_GCM, 32, 24),
];

/// Bytes that C would pass: where, and how many.
#[derive(Clone, Copy)]
pub(crate) struct In(pub(crate) *const u8, pub(crate) usize);

/// Where C would have something written, and the room there.
#[derive(Clone, Copy)]
pub(crate) struct Out(pub(crate) *mut u8, pub(crate) usize);

impl<T: AsRef<[u8]> + ?Sized> From<&T> for In {
    fn from(bytes: &T) -> Self {
        Self(bytes.as_ref().as_ptr(), bytes.as_ref().len())
    }
}

impl<T: AsMut<[u8]> + ?Sized> From<&mut T> for Out {
    fn from(bytes: &mut T) -> Self {
        Self(bytes.as_mut().as_mut_ptr(), bytes.as_mut().len())
    }
}

pub(crate) const NOTHING: In = In(null(), 0);
pub(crate) const NULL: In = In(null(), 1);
pub(crate) const NO_ROOM: Out = Out(null_mut(), 0);

/// A key on the heap.
pub(crate) struct Key(pub(crate) *mut Aead);

// SAFETY: as the header says: a key may be used by all threads.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: made by `new`, once, or null.
        unsafe { evariste_aead_free(self.0) }
    }
}

impl Key {
    pub(crate) fn try_new(algorithm: c_int, key: In, tag_len: usize, flags: c_uint) -> (Self, c_int) {
        let mut aead = std::ptr::dangling_mut();
        // SAFETY: the key lives, or is one that the function refuses.
        let status = unsafe { evariste_aead_new(&mut aead, algorithm, key.0, key.1, tag_len, flags) };
        assert_eq!(aead.is_null(), status != EVARISTE_OK);
        (Self(aead), status)
    }

    pub(crate) fn new(algorithm: c_int, key_len: usize) -> Self {
        let (key, status) = Self::try_new(algorithm, (&KEY[..key_len]).into(), EVARISTE_DEFAULT_TAG_LENGTH, 0);
        assert_eq!(status, EVARISTE_OK);
        key
    }

    pub(crate) fn tag_len(&self) -> usize {
        // SAFETY: a key.
        unsafe { evariste_aead_tag_len(self.0) }
    }

    pub(crate) fn backend(&self) -> &'static str {
        // SAFETY: a key.
        text(unsafe { evariste_backend_name(self.0) })
    }

    pub(crate) fn seal(&self, out: Out, nonce: In, aad: In, data: In) -> (c_int, usize) {
        let mut len = 77;
        // SAFETY: all pointers are of arrays that live, or are refused; none that is written is borrowed meanwhile.
        let status = unsafe {
            evariste_aead_seal(self.0, out.0, &mut len, out.1, nonce.0, nonce.1, aad.0, aad.1, data.0, data.1)
        };
        (status, len)
    }

    pub(crate) fn open(&self, out: Out, nonce: In, aad: In, data: In) -> (c_int, usize) {
        let mut len = 77;
        // SAFETY: as in `seal`.
        let status = unsafe {
            evariste_aead_open(self.0, out.0, &mut len, out.1, nonce.0, nonce.1, aad.0, aad.1, data.0, data.1)
        };
        (status, len)
    }

    pub(crate) fn seal_detached(&self, out: Out, tag: Out, nonce: In, aad: In, data: In) -> c_int {
        // SAFETY: as in `seal`.
        unsafe {
            evariste_aead_seal_detached(
                self.0, out.0, out.1, tag.0, tag.1, nonce.0, nonce.1, aad.0, aad.1, data.0, data.1,
            )
        }
    }

    pub(crate) fn open_detached(&self, out: Out, tag: In, nonce: In, aad: In, data: In) -> c_int {
        // SAFETY: as in `seal`.
        unsafe {
            evariste_aead_open_detached(
                self.0, out.0, out.1, tag.0, tag.1, nonce.0, nonce.1, aad.0, aad.1, data.0, data.1,
            )
        }
    }
}

/// What a function returned, which is never null here.
pub(crate) fn text(string: *const c_char) -> &'static str {
    assert!(!string.is_null());
    // SAFETY: the library's strings are for good.
    unsafe { CStr::from_ptr(string) }.to_str().expect("ASCII")
}
