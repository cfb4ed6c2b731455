//! Botan by its interface for C, loaded when the program runs, so that no headers are needed.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use anyhow::{Context as _, Result};
use std::ffi::{CString, OsStr, c_char, c_int, c_uint, c_void};
use std::ptr::NonNull;

pub(crate) const NAME: &str = "botan";

const DECRYPT: u32 = 1;
const FINAL: u32 = 1;

type Handle = NonNull<c_void>;
type Init = unsafe extern "C" fn(*mut Option<Handle>, *const c_char, u32) -> c_int;
type Bytes = unsafe extern "C" fn(Handle, *const u8, usize) -> c_int;

/// `ffi.h`, as far as it is used; 0 is success.
struct Api {
    version: String,
    init: Init,
    set_key: Bytes,
    aad: Bytes,
    start: Bytes,
    /// Flags, output and how much of it was written, input and how much of it was read.
    update: unsafe extern "C" fn(Handle, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int,
    mac_init: Init,
    mac_set_key: Bytes,
    mac_nonce: Bytes,
    mac_update: Bytes,
    mac_final: unsafe extern "C" fn(Handle, *mut u8) -> c_int,
}

/// A handle to functions that stay loaded.
struct Botan(&'static Api);

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: the initializers of Botan and of what it is linked with may run in any program.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signatures are those of ffi.h.
    let api = unsafe {
        let number = |name: &str| -> Result<c_uint> {
            Ok(library.get::<unsafe extern "C" fn() -> c_uint>(name.as_bytes()).context("its version")?())
        };
        Api {
            version: format!("{}.{}", number("botan_version_major")?, number("botan_version_minor")?),
            init: *library.get(b"botan_cipher_init")?,
            set_key: *library.get(b"botan_cipher_set_key")?,
            aad: *library.get(b"botan_cipher_set_associated_data")?,
            start: *library.get(b"botan_cipher_start")?,
            update: *library.get(b"botan_cipher_update")?,
            mac_init: *library.get(b"botan_mac_init")?,
            mac_set_key: *library.get(b"botan_mac_set_key")?,
            mac_nonce: *library.get(b"botan_mac_set_nonce")?,
            mac_update: *library.get(b"botan_mac_update")?,
            mac_final: *library.get(b"botan_mac_final")?,
        }
    };
    Ok(Box::new(Botan(Box::leak(Box::new(api)))))
}

impl Library for Botan {
    fn name(&self) -> String {
        format!("{NAME}-{}", self.0.version)
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        let (api, key) = (self.0, algorithm.key());
        let name = match algorithm {
            Aes128Gcm => "AES-128/GCM",
            Aes192Gcm => "AES-192/GCM",
            Aes256Gcm => "AES-256/GCM",
            // Tags of 16 bytes, and lengths of 3: what a nonce of 12 leaves.
            Aes128Ccm | Aes128CcmMany => "AES-128/CCM(16,3)",
            Aes256Ccm | Aes256CcmMany => "AES-256/CCM(16,3)",
            Aes128Ctr => "CTR-BE(AES-128)",
            Aes256Ctr => "CTR-BE(AES-256)",
            Gmac => return gmac(api, key),
            Aes128GcmSiv | Aes256GcmSiv | Ghash => return None,
        };
        let flags = if direction == Direction::Open { DECRYPT } else { 0 };
        let cipher = Cipher { api, handle: handle(api.init, name, flags, api.set_key, key)? };
        match direction {
            // The tag comes behind the text, where it belongs.
            Direction::Seal => run(move |m| {
                let len = m.sealed.len();
                cipher.aad(m.aad) && cipher.start(m.iv()) && cipher.crypt(m.sealed, len - crate::case::TAG, len)
            }),
            Direction::Open => run(move |m| {
                let len = m.sealed.len();
                cipher.aad(m.aad) && cipher.start(m.iv()) && cipher.crypt(m.sealed, len, len - crate::case::TAG)
            }),
            _ => run(move |m| {
                let (nonce, text) = (m.nonce, m.parts().0);
                let len = text.len();
                cipher.start(nonce) && cipher.crypt(text, len, len)
            }),
        }
    }
}

fn gmac(api: &'static Api, key: &[u8]) -> Option<Run> {
    let mac = handle(api.mac_init, "GMAC(AES-128)", 0, api.mac_set_key, key)?;
    run(move |m| {
        let (iv, (data, tag)) = (m.iv(), m.parts());
        // SAFETY: a handle with its key; pointers and lengths of slices, and room for a tag.
        unsafe {
            (api.mac_nonce)(mac, iv.as_ptr(), iv.len()) == 0
                && (api.mac_update)(mac, data.as_ptr(), data.len()) == 0
                && (api.mac_final)(mac, tag.as_mut_ptr()) == 0
        }
    })
}

/// A handle with its key. It is never freed.
fn handle(init: Init, name: &str, flags: u32, set_key: Bytes, key: &[u8]) -> Option<Handle> {
    let name = CString::new(name).ok()?;
    let mut handle = None;
    // SAFETY: room for a handle, which is filled in on success, and a C string.
    let made = unsafe { init(&mut handle, name.as_ptr(), flags) } == 0;
    // SAFETY: a handle; pointer and length of one slice.
    handle.filter(|handle| made && unsafe { set_key(*handle, key.as_ptr(), key.len()) } == 0)
}

/// A handle with its key.
struct Cipher {
    api: &'static Api,
    handle: Handle,
}

impl Cipher {
    #[inline(always)]
    fn aad(&self, aad: &[u8]) -> bool {
        // SAFETY: a handle; pointer and length of one slice.
        unsafe { (self.api.aad)(self.handle, aad.as_ptr(), aad.len()) == 0 }
    }

    #[inline(always)]
    fn start(&self, nonce: &[u8]) -> bool {
        // SAFETY: a handle with its key; pointer and length of one slice.
        unsafe { (self.api.start)(self.handle, nonce.as_ptr(), nonce.len()) == 0 }
    }

    /// Turns the first `from` bytes into `to` bytes.
    #[inline(always)]
    fn crypt(&self, buffer: &mut [u8], from: usize, to: usize) -> bool {
        let (at, mut written, mut read) = (buffer.as_mut_ptr(), 0, 0);
        debug_assert!(from.max(to) <= buffer.len());
        // SAFETY: a handle with a message begun; input and output are in one slice, and the input is copied
        // before anything is written.
        let done = unsafe { (self.api.update)(self.handle, FINAL, at, to, &mut written, at, from, &mut read) };
        done == 0 && written == to
    }
}
