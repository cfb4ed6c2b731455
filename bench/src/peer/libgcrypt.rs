//! libgcrypt, loaded when the program runs, so that no headers are needed.
//!
//! One handle for each key; for a message only the nonce is set.

use super::{Library, Make, Making, Run, run};
use crate::algorithm::{Algorithm, Direction};
use crate::case::TAG;
use anyhow::{Result, ensure};
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null};

pub(crate) const NAME: &str = "libgcrypt";

// `enum gcry_ctl_cmds`
const RESET: c_int = 4;
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;
const SET_CCM_LENGTHS: c_int = 69;
const SET_DECRYPTION_TAG: c_int = 80;

// `enum gcry_cipher_algos`
const AES128: c_int = 7;
const AES192: c_int = 8;
const AES256: c_int = 9;

/// `enum gcry_cipher_modes`
#[derive(Clone, Copy, PartialEq)]
#[repr(i32)]
enum Mode {
    Ctr = 6,
    Ccm = 8,
    Gcm = 9,
    /// Since 1.10.
    GcmSiv = 16,
}

type Handle = NonNull<c_void>;
type SetNonce = unsafe extern "C" fn(Handle, *const u8, usize) -> c_uint;
type Crypt = unsafe extern "C" fn(Handle, *mut u8, usize, *const u8, usize) -> c_uint;

/// `gcrypt.h`, as far as it is used; errors are numbers, and 0 is none.
struct Api {
    version: String,
    open: unsafe extern "C" fn(*mut Option<Handle>, c_int, c_int, c_uint) -> c_uint,
    close: unsafe extern "C" fn(Handle),
    ctl: unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> c_uint,
    set_key: unsafe extern "C" fn(Handle, *const u8, usize) -> c_uint,
    set_iv: SetNonce,
    set_ctr: SetNonce,
    authenticate: unsafe extern "C" fn(Handle, *const u8, usize) -> c_uint,
    encrypt: Crypt,
    decrypt: Crypt,
    get_tag: unsafe extern "C" fn(Handle, *mut u8, usize) -> c_uint,
    check_tag: unsafe extern "C" fn(Handle, *const u8, usize) -> c_uint,
}

/// A handle to functions that stay loaded.
#[derive(Clone, Copy)]
struct Libgcrypt(&'static Api);

/// The system's.
pub(crate) const SYSTEM: &str = "libgcrypt.so.20";

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: libgcrypt's initializers may run in any program.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signatures are those of gcrypt.h, where handles and buffers have been left untyped. As its
    // manual asks, the version is checked before anything else, and then the initialization finished.
    let api = unsafe {
        let check_version: unsafe extern "C" fn(*const c_char) -> *const c_char =
            *library.get(b"gcry_check_version")?;
        let control: unsafe extern "C" fn(c_int, ...) -> c_uint = *library.get(b"gcry_control")?;
        let version = check_version(null());
        ensure!(!version.is_null(), "it cannot be initialized");
        ensure!(control(DISABLE_SECMEM, 0 as c_int) == 0, "it insists on secure memory");
        ensure!(control(INITIALIZATION_FINISHED, 0 as c_int) == 0, "it cannot be initialized");
        Api {
            version: CStr::from_ptr(version).to_str()?.to_owned(),
            open: *library.get(b"gcry_cipher_open")?,
            close: *library.get(b"gcry_cipher_close")?,
            ctl: *library.get(b"gcry_cipher_ctl")?,
            set_key: *library.get(b"gcry_cipher_setkey")?,
            set_iv: *library.get(b"gcry_cipher_setiv")?,
            set_ctr: *library.get(b"gcry_cipher_setctr")?,
            authenticate: *library.get(b"gcry_cipher_authenticate")?,
            encrypt: *library.get(b"gcry_cipher_encrypt")?,
            decrypt: *library.get(b"gcry_cipher_decrypt")?,
            get_tag: *library.get(b"gcry_cipher_gettag")?,
            check_tag: *library.get(b"gcry_cipher_checktag")?,
        }
    };
    Ok(Box::new(Libgcrypt(Box::leak(Box::new(api)))))
}

impl Library for Libgcrypt {
    fn name(&self) -> String {
        // A distribution's own suffix is no version.
        let version = self.0.version.split('-').next().unwrap_or_default();
        format!("{NAME}-{version}")
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        let (cipher, mode) = self.cipher(algorithm)?;
        let (ccm, siv) = (mode == Mode::Ccm, mode == Mode::GcmSiv);
        match direction {
            Direction::Seal => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                (!siv || cipher.reset())
                    && cipher.iv(iv)
                    && (!ccm || cipher.ccm_lengths(text, aad))
                    && cipher.aad(aad)
                    && cipher.text(cipher.api.encrypt, text)
                    && cipher.get_tag(tag)
            }),
            Direction::Open => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                (!siv || cipher.reset())
                    && cipher.iv(iv)
                    && (!ccm || cipher.ccm_lengths(text, aad))
                    && cipher.aad(aad)
                    && (!siv || cipher.ctl(SET_DECRYPTION_TAG, tag))
                    && cipher.text(cipher.api.decrypt, text)
                    && cipher.check_tag(tag)
            }),
            Direction::Hash => run(move |m| {
                let (iv, (data, tag)) = (m.iv(), m.parts());
                cipher.iv(iv) && cipher.aad(data) && cipher.get_tag(tag)
            }),
            Direction::Encrypt => run(move |m| cipher.ctr(m.nonce) && cipher.text(cipher.api.encrypt, m.parts().0)),
        }
    }

    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        let (cipher, _) = self.cipher(algorithm)?;
        let key = algorithm.key();
        match making {
            Making::New => Some(Box::new(move || self.cipher(algorithm).is_some())),
            Making::InPlace => Some(Box::new(move || cipher.key(key))),
        }
    }
}

impl Libgcrypt {
    /// With its key.
    fn cipher(&self, algorithm: Algorithm) -> Option<(Cipher, Mode)> {
        use Algorithm::*;
        let (cipher, mode) = match algorithm {
            Aes128Gcm | Gmac => (AES128, Mode::Gcm),
            Aes192Gcm => (AES192, Mode::Gcm),
            Aes256Gcm => (AES256, Mode::Gcm),
            Aes128Ctr => (AES128, Mode::Ctr),
            Aes256Ctr => (AES256, Mode::Ctr),
            Aes128Ccm | Aes128CcmMany => (AES128, Mode::Ccm),
            Aes256Ccm | Aes256CcmMany => (AES256, Mode::Ccm),
            Aes128GcmSiv => (AES128, Mode::GcmSiv),
            Aes256GcmSiv => (AES256, Mode::GcmSiv),
            Ghash => return None,
        };
        Some((Cipher::new(self.0, cipher, mode, algorithm.key())?, mode))
    }
}

/// A handle with its key.
struct Cipher {
    api: &'static Api,
    handle: Handle,
}

impl Cipher {
    fn new(api: &'static Api, cipher: c_int, mode: Mode, key: &[u8]) -> Option<Self> {
        let mut handle = None;
        // SAFETY: room for a handle, which is filled in unless there is no such mode.
        let opened = unsafe { (api.open)(&mut handle, cipher, mode as c_int, 0) == 0 };
        let this = Self { api, handle: handle.filter(|_| opened)? };
        this.key(key).then_some(this)
    }

    fn key(&self, key: &[u8]) -> bool {
        // SAFETY: a handle, pointer and length of one slice.
        unsafe { (self.api.set_key)(self.handle, key.as_ptr(), key.len()) == 0 }
    }

    /// Ends the message before, which in GCM-SIV a nonce does not.
    #[inline(always)]
    fn reset(&self) -> bool {
        self.ctl(RESET, &mut ())
    }

    /// Starts a message.
    #[inline(always)]
    fn iv(&self, iv: &[u8; 12]) -> bool {
        // SAFETY: a handle with its key, pointer and length of one array.
        unsafe { (self.api.set_iv)(self.handle, iv.as_ptr(), iv.len()) == 0 }
    }

    #[inline(always)]
    fn ctr(&self, counter: &[u8; 16]) -> bool {
        // SAFETY: a handle with its key, pointer and length of one array.
        unsafe { (self.api.set_ctr)(self.handle, counter.as_ptr(), counter.len()) == 0 }
    }

    /// Announces how long everything will be.
    #[inline(always)]
    fn ccm_lengths(&self, text: &[u8], aad: &[u8]) -> bool {
        self.ctl(SET_CCM_LENGTHS, &mut [text.len() as u64, aad.len() as u64, TAG as u64])
    }

    #[inline(always)]
    fn aad(&self, aad: &[u8]) -> bool {
        // SAFETY: a handle, pointer and length of one slice.
        aad.is_empty() || unsafe { (self.api.authenticate)(self.handle, aad.as_ptr(), aad.len()) == 0 }
    }

    /// Encrypts or decrypts in place; GCM-SIV compares the tag, too.
    #[inline(always)]
    fn text(&self, crypt: Crypt, text: &mut [u8]) -> bool {
        // SAFETY: a handle, pointer and length of one slice; without an input it works in place.
        unsafe { crypt(self.handle, text.as_mut_ptr(), text.len(), null(), 0) == 0 }
    }

    #[inline(always)]
    fn get_tag(&self, tag: &mut [u8; TAG]) -> bool {
        // SAFETY: a handle, pointer and length of one array.
        unsafe { (self.api.get_tag)(self.handle, tag.as_mut_ptr(), TAG) == 0 }
    }

    #[inline(always)]
    fn check_tag(&self, tag: &[u8; TAG]) -> bool {
        // SAFETY: a handle, pointer and length of one array.
        unsafe { (self.api.check_tag)(self.handle, tag.as_ptr(), TAG) == 0 }
    }

    #[inline(always)]
    fn ctl<T>(&self, what: c_int, with: &mut T) -> bool {
        let at: *mut T = with;
        // SAFETY: a handle; the callers pass what the command reads.
        unsafe { (self.api.ctl)(self.handle, what, at.cast(), size_of::<T>()) == 0 }
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: a handle that nobody uses any more.
        unsafe { (self.api.close)(self.handle) }
    }
}
