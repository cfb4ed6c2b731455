//! libsodium, which has AES-256-GCM where the CPU has instructions for it.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use anyhow::{Result, ensure};
use std::ffi::{CStr, OsStr, c_char, c_int, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

pub(crate) const NAME: &str = "libsodium";

/// `crypto_aead_aes256gcm_state`, which has 512 bytes.
#[repr(C, align(16))]
struct State([u8; 512]);

type Len = c_ulonglong;

/// `crypto_aead_aes256gcm.h`, as far as it is used.
#[derive(Clone, Copy)]
struct Api {
    version: &'static CStr,
    state: unsafe extern "C" fn(*mut State, *const u8) -> c_int,
    /// Ciphertext, tag and its length, text, additional data, no secret nonce, nonce.
    encrypt: unsafe extern "C" fn(
        *mut u8,
        *mut u8,
        *mut Len,
        *const u8,
        Len,
        *const u8,
        Len,
        *const c_void,
        *const u8,
        *const State,
    ) -> c_int,
    /// Text, no secret nonce, ciphertext, tag, additional data, nonce.
    decrypt: unsafe extern "C" fn(
        *mut u8,
        *mut c_void,
        *const u8,
        Len,
        *const u8,
        *const u8,
        Len,
        *const u8,
        *const State,
    ) -> c_int,
}

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: libsodium has no initializers but the one that is called below.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signatures of its headers; the library stays loaded, and its version with it.
    let api = unsafe {
        let init: unsafe extern "C" fn() -> c_int = *library.get(b"sodium_init")?;
        ensure!(init() >= 0, "it cannot be initialized");
        let available: unsafe extern "C" fn() -> c_int = *library.get(b"crypto_aead_aes256gcm_is_available")?;
        ensure!(available() == 1, "it has no AES-GCM for this CPU");
        let size: unsafe extern "C" fn() -> usize = *library.get(b"crypto_aead_aes256gcm_statebytes")?;
        ensure!(size() <= size_of::<State>(), "its keys are of another kind");
        let version: unsafe extern "C" fn() -> *const c_char = *library.get(b"sodium_version_string")?;
        Api {
            version: CStr::from_ptr(version()),
            state: *library.get(b"crypto_aead_aes256gcm_beforenm")?,
            encrypt: *library.get(b"crypto_aead_aes256gcm_encrypt_detached_afternm")?,
            decrypt: *library.get(b"crypto_aead_aes256gcm_decrypt_detached_afternm")?,
        }
    };
    Ok(Box::new(api))
}

impl Library for Api {
    fn name(&self) -> String {
        format!("{NAME}-{}", self.version.to_string_lossy())
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        if algorithm != Algorithm::Aes256Gcm {
            return None;
        }
        let (api, bytes) = (*self, algorithm.key());
        let mut state = Box::new(State([0; 512]));
        // SAFETY: room for a state, and 32 bytes of key.
        if unsafe { (api.state)(&mut *state, bytes.as_ptr()) } != 0 {
            return None;
        }
        if direction == Direction::Seal {
            run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                let (at, len) = (text.as_mut_ptr(), text.len() as Len);
                let (aad, aad_len) = (aad.as_ptr(), aad.len() as Len);
                let (mut tag_len, tag) = (0, tag.as_mut_ptr());
                // SAFETY: a state; pointers and lengths of slices, the text's for writing, too.
                unsafe {
                    (api.encrypt)(at, tag, &mut tag_len, at, len, aad, aad_len, null(), iv.as_ptr(), &*state) == 0
                }
            })
        } else {
            run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                let (at, len) = (text.as_mut_ptr(), text.len() as Len);
                let (aad, aad_len, tag) = (aad.as_ptr(), aad.len() as Len, tag.as_ptr());
                // SAFETY: as above.
                unsafe { (api.decrypt)(at, null_mut(), at, len, tag, aad, aad_len, iv.as_ptr(), &*state) == 0 }
            })
        }
    }
}
