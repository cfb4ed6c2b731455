//! OpenSSL since 3.0, loaded when the program runs, so that no headers are needed.
//!
//! One context for each key; for a message only the IV is set.

use super::{Library, Make, Making, Run, run};
use crate::algorithm::{Algorithm, Direction};
use crate::case::TAG;
use anyhow::Result;
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

pub(crate) const NAME: &str = "openssl";

const SET_IV_LEN: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

type Ctx = NonNull<c_void>;

/// `evp.h`, as far as it is used.
struct Evp {
    version: u32,
    fetch: unsafe extern "C" fn(*const c_void, *const c_char, *const c_char) -> Option<NonNull<c_void>>,
    ctx_new: unsafe extern "C" fn() -> Option<Ctx>,
    init: unsafe extern "C" fn(Ctx, *const c_void, *const c_void, *const u8, *const u8, c_int) -> c_int,
    ctrl: unsafe extern "C" fn(Ctx, c_int, c_int, *mut c_void) -> c_int,
    update: unsafe extern "C" fn(Ctx, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    finish: unsafe extern "C" fn(Ctx, *mut u8, *mut c_int) -> c_int,
}

/// A handle to functions that stay loaded.
#[derive(Clone, Copy)]
struct OpenSsl(&'static Evp);

/// The system's.
pub(crate) const SYSTEM: &str = "libcrypto.so.3";

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: OpenSSL's initializers may run in any program.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signatures are those of OpenSSL 3's evp.h and crypto.h, where pointers that may be null
    // or are opaque have been left untyped.
    let evp = unsafe {
        let version: unsafe extern "C" fn() -> c_uint = *library.get(b"OPENSSL_version_major")?;
        let minor: unsafe extern "C" fn() -> c_uint = *library.get(b"OPENSSL_version_minor")?;
        Evp {
            version: version() << 16 | minor(),
            fetch: *library.get(b"EVP_CIPHER_fetch")?,
            ctx_new: *library.get(b"EVP_CIPHER_CTX_new")?,
            init: *library.get(b"EVP_CipherInit_ex")?,
            ctrl: *library.get(b"EVP_CIPHER_CTX_ctrl")?,
            update: *library.get(b"EVP_CipherUpdate")?,
            finish: *library.get(b"EVP_CipherFinal_ex")?,
        }
    };
    Ok(Box::new(OpenSsl(Box::leak(Box::new(evp)))))
}

impl Library for OpenSsl {
    fn name(&self) -> String {
        format!("{NAME}-{}.{}", self.0.version >> 16, self.0.version & 0xffff)
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        let (cipher, ccm) = self.cipher(algorithm, direction)?;
        match direction {
            Direction::Seal => run(move |m| {
                let (nonce, aad, (text, tag)) = (m.nonce, m.aad, m.parts());
                cipher.iv(nonce)
                    && (!ccm || cipher.ccm_len(text))
                    && cipher.aad(aad)
                    && cipher.text(text)
                    && cipher.finish()
                    && cipher.get_tag(tag)
            }),
            Direction::Open => run(move |m| {
                let (nonce, aad, (text, tag)) = (m.nonce, m.aad, m.parts());
                cipher.iv(nonce)
                    && cipher.set_tag(tag)
                    && (!ccm || cipher.ccm_len(text))
                    && cipher.aad(aad)
                    && cipher.text(text)
                    && (ccm || cipher.finish())
            }),
            Direction::Hash => run(move |m| {
                let (nonce, (data, tag)) = (m.nonce, m.parts());
                cipher.iv(nonce) && cipher.aad(data) && cipher.finish() && cipher.get_tag(tag)
            }),
            Direction::Encrypt => run(move |m| cipher.iv(m.nonce) && cipher.text(m.parts().0)),
        }
    }

    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        let direction = algorithm.directions()[0];
        let (cipher, _) = self.cipher(algorithm, direction)?;
        let key = algorithm.key();
        match making {
            Making::New => Some(Box::new(move || self.cipher(algorithm, direction).is_some())),
            Making::InPlace => Some(Box::new(move || cipher.key(key))),
        }
    }
}

impl OpenSsl {
    /// With its key, and whether it is CCM.
    fn cipher(&self, algorithm: Algorithm, direction: Direction) -> Option<(Cipher, bool)> {
        use Algorithm::*;
        let (name, ccm) = match algorithm {
            Aes128Gcm | Gmac => (c"AES-128-GCM", false),
            Aes192Gcm => (c"AES-192-GCM", false),
            Aes256Gcm => (c"AES-256-GCM", false),
            Aes128Ctr => (c"AES-128-CTR", false),
            Aes256Ctr => (c"AES-256-CTR", false),
            Aes128Ccm | Aes128CcmMany => (c"AES-128-CCM", true),
            Aes256Ccm | Aes256CcmMany => (c"AES-256-CCM", true),
            // GCM-SIV came with 3.2.
            Aes128GcmSiv | Aes256GcmSiv | Ghash => return None,
        };
        Some((Cipher::new(self.0, name, algorithm.key(), ccm, direction != Direction::Open)?, ccm))
    }
}

/// A context with its key.
struct Cipher {
    evp: &'static Evp,
    ctx: Ctx,
}

impl Cipher {
    fn new(evp: &'static Evp, name: &CStr, key: &[u8], ccm: bool, encrypt: bool) -> Option<Self> {
        // SAFETY: the default library context, the name of a cipher, the default properties.
        let cipher = unsafe { (evp.fetch)(null(), name.as_ptr(), null()) }?;
        // SAFETY: a function without arguments. The context is never freed.
        let this = Self { evp, ctx: unsafe { (evp.ctx_new)() }? };
        // SAFETY: a context and a cipher, no key yet.
        let begun = unsafe { (evp.init)(this.ctx, cipher.as_ptr(), null(), null(), null(), encrypt.into()) == 1 };
        let lengths = || this.ctrl(SET_IV_LEN, 12, null_mut()) && this.ctrl(SET_TAG, TAG, null_mut());
        let ready = begun && (!ccm || lengths()) && this.key(key);
        ready.then_some(this)
    }

    /// Sets the key, of the cipher's length.
    fn key(&self, key: &[u8]) -> bool {
        // SAFETY: a context with its cipher, and a key as long as that wants; -1 keeps the direction.
        unsafe { (self.evp.init)(self.ctx, null(), null(), key.as_ptr(), null(), -1) == 1 }
    }

    /// Starts a message; a mode with shorter IVs reads only as much.
    #[inline(always)]
    fn iv(&self, iv: &[u8; 16]) -> bool {
        // SAFETY: a context with its key, and at least as many bytes as its IV has; -1 keeps the direction.
        unsafe { (self.evp.init)(self.ctx, null(), null(), null(), iv.as_ptr(), -1) == 1 }
    }

    /// Announces how long the text will be.
    #[inline(always)]
    fn ccm_len(&self, text: &[u8]) -> bool {
        let mut done = 0;
        // SAFETY: a context; without buffers the length is all that is read.
        unsafe { (self.evp.update)(self.ctx, null_mut(), &mut done, null(), text.len() as c_int) == 1 }
    }

    #[inline(always)]
    fn aad(&self, aad: &[u8]) -> bool {
        if aad.is_empty() {
            return true;
        }
        let mut done = 0;
        // SAFETY: a context, pointer and length of one slice; without an output it is only absorbed.
        unsafe { (self.evp.update)(self.ctx, null_mut(), &mut done, aad.as_ptr(), aad.len() as c_int) == 1 }
    }

    /// Encrypts or decrypts in place.
    #[inline(always)]
    fn text(&self, text: &mut [u8]) -> bool {
        let (at, len, mut done) = (text.as_mut_ptr(), text.len() as c_int, 0);
        // SAFETY: a context, pointer and length of one slice; the modes used write as much as they read.
        unsafe { (self.evp.update)(self.ctx, at, &mut done, at, len) == 1 }
    }

    /// Ends the message and, when decrypting, compares its tag.
    #[inline(always)]
    fn finish(&self) -> bool {
        let (mut rest, mut done) = ([0; 16], 0);
        // SAFETY: a context, and room for a block.
        unsafe { (self.evp.finish)(self.ctx, rest.as_mut_ptr(), &mut done) == 1 }
    }

    #[inline(always)]
    fn get_tag(&self, tag: &mut [u8; TAG]) -> bool {
        self.ctrl(GET_TAG, TAG, tag.as_mut_ptr().cast())
    }

    #[inline(always)]
    fn set_tag(&self, tag: &mut [u8; TAG]) -> bool {
        self.ctrl(SET_TAG, TAG, tag.as_mut_ptr().cast())
    }

    #[inline(always)]
    fn ctrl(&self, what: c_int, len: usize, at: *mut c_void) -> bool {
        // SAFETY: a context; the callers pass null, or a buffer of `len` bytes.
        unsafe { (self.evp.ctrl)(self.ctx, what, len as c_int, at) == 1 }
    }
}
