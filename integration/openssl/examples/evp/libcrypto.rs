//! Libcrypto, found when the program runs, and a cipher of one of its providers.

use anyhow::{Result, ensure};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

type Pointer = *mut c_void;

/// Functions of libcrypto.
macro_rules! functions {
    ($( fn $name:ident($($type:ty),*) -> $result:ty; )*) => {
        #[allow(non_snake_case)]
        struct Functions { $( $name: unsafe extern "C" fn($($type),*) -> $result, )* _library: Library }

        impl Functions {
            fn load() -> Result<Self> {
                // SAFETY: OpenSSL, whose functions have these types since 3.0.
                unsafe {
                    let library = Library::new("libcrypto.so.3")?;
                    Ok(Self { $( $name: *library.get(stringify!($name))?, )* _library: library })
                }
            }
        }
    };
}

functions! {
    fn OpenSSL_version(c_int) -> *const c_char;
    fn OSSL_LIB_CTX_new() -> Pointer;
    fn OSSL_PROVIDER_set_default_search_path(Pointer, *const c_char) -> c_int;
    fn OSSL_PROVIDER_load(Pointer, *const c_char) -> Pointer;
    fn EVP_CIPHER_fetch(Pointer, *const c_char, *const c_char) -> Pointer;
    fn EVP_CIPHER_CTX_new() -> Pointer;
    fn EVP_CIPHER_CTX_ctrl(Pointer, c_int, c_int, Pointer) -> c_int;
    fn EVP_CipherInit_ex(Pointer, Pointer, Pointer, *const u8, *const u8, c_int) -> c_int;
    fn EVP_CipherUpdate(Pointer, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    fn EVP_CipherFinal_ex(Pointer, *mut u8, *mut c_int) -> c_int;
}

const GET_TAG: c_int = 0x10;
const KEY: [u8; 32] = [7; 32];
const IV: [u8; 16] = [1; 16];

/// What a program does over and over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loop {
    /// `openssl speed`'s of an AEAD: key and IV, text, end.
    Keyed,
    /// That of an application with one key: IV, additional data, text, end, tag.
    Message,
    /// `openssl speed`'s of any other cipher: text.
    Update,
}

/// A context of a cipher with a key, and a buffer. Lives as long as the program.
pub(crate) struct Cipher {
    functions: Functions,
    context: Pointer,
    buffer: Vec<u8>,
    aad: Vec<u8>,
}

impl Cipher {
    /// Of the provider, which is in the directory unless it is OpenSSL's own.
    pub(crate) fn new(directory: &str, provider: &str, cipher: &str, bytes: usize, aad: usize) -> Result<Self> {
        let functions = Functions::load()?;
        let c = |text: &str| CString::new(text);
        let (directory, name, cipher) = (c(directory)?, c(provider)?, c(cipher)?);
        let query = c(&format!("provider={provider}"))?;
        // SAFETY: OpenSSL's functions, as its manual says.
        let context = unsafe {
            let library = (functions.OSSL_LIB_CTX_new)();
            ensure!((functions.OSSL_PROVIDER_set_default_search_path)(library, directory.as_ptr()) == 1);
            ensure!(!(functions.OSSL_PROVIDER_load)(library, name.as_ptr()).is_null(), "no provider {provider}");
            let cipher = (functions.EVP_CIPHER_fetch)(library, cipher.as_ptr(), query.as_ptr());
            ensure!(!cipher.is_null(), "no such cipher of {provider}");
            let context = (functions.EVP_CIPHER_CTX_new)();
            let init = functions.EVP_CipherInit_ex;
            ensure!(init(context, cipher, null_mut(), KEY.as_ptr(), IV.as_ptr(), 1) == 1, "no key");
            context
        };
        Ok(Self { functions, context, buffer: vec![0; bytes], aad: vec![3; aad] })
    }

    /// OpenSSL's name, version and date.
    pub(crate) fn version(&self) -> String {
        // SAFETY: a text that is always there.
        unsafe { CStr::from_ptr((self.functions.OpenSSL_version)(0)) }.to_string_lossy().into_owned()
    }

    /// Goes round so many times.
    pub(crate) fn run(&mut self, what: Loop, rounds: usize) -> Result<()> {
        (0..rounds).try_for_each(|_| self.round(what))
    }

    #[inline]
    fn round(&mut self, what: Loop) -> Result<()> {
        let Functions { EVP_CIPHER_CTX_ctrl: ctrl, EVP_CipherInit_ex: init, .. } = self.functions;
        let Functions { EVP_CipherUpdate: update, EVP_CipherFinal_ex: end, .. } = self.functions;
        let (context, buffer, mut len, mut tag) = (self.context, self.buffer.as_mut_ptr(), 0, [0; 16]);
        let (size, aad) = (self.buffer.len() as c_int, self.aad.len() as c_int);
        // SAFETY: OpenSSL's functions, as its manual says, and buffers of the lengths that are given.
        unsafe {
            if what != Loop::Update {
                let key = if what == Loop::Keyed { KEY.as_ptr() } else { null() };
                ensure!(init(context, null_mut(), null_mut(), key, IV.as_ptr(), 1) == 1, "no IV");
            }
            if what == Loop::Message {
                ensure!(update(context, null_mut(), &mut len, self.aad.as_ptr(), aad) == 1, "no additional data");
            }
            ensure!(update(context, buffer, &mut len, buffer, size) == 1 && len == size, "no text");
            if what != Loop::Update {
                ensure!(end(context, buffer, &mut len) == 1, "no end");
            }
            if what == Loop::Message {
                ensure!(ctrl(context, GET_TAG, 16, tag.as_mut_ptr().cast()) == 1, "no tag");
            }
        }
        Ok(())
    }

    /// A digest of the buffer: who says that it is a cipher has made the same of it.
    pub(crate) fn sum(&self) -> u64 {
        self.buffer.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ *byte as u64).wrapping_mul(0x100_0000_01b3))
    }
}
