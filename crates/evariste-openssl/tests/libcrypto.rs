//! The module in the system's OpenSSL, beside OpenSSL's own provider: the same results, for all ciphers, lengths, pieces.
//!
//! `EVARISTE_TEST_LIBCRYPTO` names another libcrypto than the system's; `EVARISTE_TEST_STEP=7` tries every seventh length.
#![cfg(unix)]
#![allow(unsafe_code, reason = "C is called")]

use libloading::Library;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

type Pointer = *mut c_void;

/// Functions of libcrypto, found when the program runs.
macro_rules! functions {
    ($( fn $name:ident($($type:ty),*) $(-> $result:ty)?; )*) => {
        #[allow(non_snake_case)]
        struct Functions { $( $name: unsafe extern "C" fn($($type),*) $(-> $result)?, )* _library: Library }

        impl Functions {
            fn load() -> Self {
                let name = std::env::var("EVARISTE_TEST_LIBCRYPTO").unwrap_or_else(|_| {
                    if cfg!(target_os = "macos") { "libcrypto.3.dylib" } else { "libcrypto.so.3" }.into()
                });
                // SAFETY: OpenSSL, whose functions have these types since 3.0.
                unsafe {
                    let library = Library::new(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
                    Self { $( $name: *library.get(stringify!($name)).expect("a function of OpenSSL 3"), )* _library: library }
                }
            }
        }
    };
}

functions! {
    fn OSSL_LIB_CTX_new() -> Pointer;
    fn OSSL_LIB_CTX_free(Pointer);
    fn OSSL_PROVIDER_set_default_search_path(Pointer, *const c_char) -> c_int;
    fn OSSL_PROVIDER_load(Pointer, *const c_char) -> Pointer;
    fn OSSL_PROVIDER_unload(Pointer) -> c_int;
    fn OSSL_PROVIDER_get0_name(Pointer) -> *const c_char;
    fn EVP_CIPHER_fetch(Pointer, *const c_char, *const c_char) -> Pointer;
    fn EVP_CIPHER_free(Pointer);
    fn EVP_CIPHER_get0_provider(Pointer) -> Pointer;
    fn EVP_CIPHER_get_flags(Pointer) -> c_ulong;
    fn EVP_CIPHER_get_mode(Pointer) -> c_int;
    fn EVP_CIPHER_CTX_new() -> Pointer;
    fn EVP_CIPHER_CTX_free(Pointer);
    fn EVP_CIPHER_CTX_copy(Pointer, Pointer) -> c_int;
    fn EVP_CIPHER_CTX_ctrl(Pointer, c_int, c_int, Pointer) -> c_int;
    fn EVP_CIPHER_CTX_get_num(Pointer) -> c_int;
    fn EVP_CIPHER_CTX_get_updated_iv(Pointer, Pointer, usize) -> c_int;
    fn EVP_CIPHER_CTX_get_original_iv(Pointer, Pointer, usize) -> c_int;
    fn EVP_CIPHER_CTX_set_padding(Pointer, c_int) -> c_int;
    fn EVP_CipherInit_ex(Pointer, Pointer, Pointer, *const u8, *const u8, c_int) -> c_int;
    fn EVP_CipherUpdate(Pointer, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    fn EVP_CipherFinal_ex(Pointer, *mut u8, *mut c_int) -> c_int;
    fn EVP_Cipher(Pointer, *mut u8, *const u8, c_uint) -> c_int;
    fn ERR_get_error() -> c_ulong;
    fn ERR_reason_error_string(c_ulong) -> *const c_char;
    fn ERR_clear_error();
}

const SET_IVLEN: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;
const SET_IV_FIXED: c_int = 0x12;
const IV_GEN: c_int = 0x13;
const TLS1_AAD: c_int = 0x16;
const SET_IV_INV: c_int = 0x18;

/// OpenSSL with both providers.
struct OpenSsl {
    f: Functions,
    library: Pointer,
    providers: [Pointer; 2],
}

impl OpenSsl {
    fn new() -> Self {
        // Beside the tests, where cargo puts what it makes of the library.
        let dir = std::env::current_exe().expect("a path").parent().expect("a directory").to_owned();
        let module = format!("{}evariste_openssl{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let places = [dir.join(&module), dir.join("..").join(&module)];
        let module: &PathBuf = places.iter().find(|place| place.exists()).expect("the module is built with the tests");
        let c = |text: &str| CString::new(text).expect("no zeros");
        let path = c(module.parent().expect("a directory").to_str().expect("UTF-8"));
        let name = c(module.file_stem().expect("a name").to_str().expect("UTF-8"));
        let f = Functions::load();
        // SAFETY: OpenSSL's functions, as its manual says.
        unsafe {
            let library = (f.OSSL_LIB_CTX_new)();
            assert_eq!((f.OSSL_PROVIDER_set_default_search_path)(library, path.as_ptr()), 1);
            let providers = [name, c("default")].map(|name| (f.OSSL_PROVIDER_load)(library, name.as_ptr()));
            let openssl = Self { f, library, providers };
            assert!(providers.iter().all(|p| !p.is_null()), "{module:?}: {}", openssl.error());
            openssl
        }
    }

    /// The last error, as OpenSSL tells it.
    fn error(&self) -> String {
        // SAFETY: OpenSSL's functions, as its manual says.
        unsafe {
            let text = (self.f.ERR_reason_error_string)((self.f.ERR_get_error)());
            (self.f.ERR_clear_error)();
            if text.is_null() { "no reason".into() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    }

    /// A context of ours and one of OpenSSL's own.
    fn both(&self, name: &str) -> [Context<'_>; 2] {
        [c"provider=evariste", c"provider=default"].map(|query| {
            let cipher = CString::new(name).expect("no zeros");
            // SAFETY: OpenSSL's functions, as its manual says.
            unsafe {
                let cipher = (self.f.EVP_CIPHER_fetch)(self.library, cipher.as_ptr(), query.as_ptr());
                assert!(!cipher.is_null(), "{name} {query:?}: {}", self.error());
                let provider =
                    CStr::from_ptr((self.f.OSSL_PROVIDER_get0_name)((self.f.EVP_CIPHER_get0_provider)(cipher)));
                assert_eq!(provider == c"default", query == c"provider=default");
                Context { openssl: self, cipher, named: Cell::new(cipher), context: (self.f.EVP_CIPHER_CTX_new)() }
            }
        })
    }
}

impl Drop for OpenSsl {
    fn drop(&mut self) {
        // SAFETY: nobody uses them any more.
        unsafe {
            for provider in self.providers {
                (self.f.OSSL_PROVIDER_unload)(provider);
            }
            (self.f.OSSL_LIB_CTX_free)(self.library);
        }
    }
}

struct Context<'o> {
    openssl: &'o OpenSsl,
    cipher: Pointer,
    /// What the next init is to name: another one with a name would begin anew.
    named: Cell<Pointer>,
    context: Pointer,
}

impl Context<'_> {
    fn init(&self, key: Option<&[u8]>, iv: Option<&[u8]>, encrypt: bool) -> bool {
        let of = |bytes: Option<&[u8]>| bytes.map_or(null(), <[u8]>::as_ptr);
        // SAFETY: lengths are those that were set.
        unsafe {
            (self.openssl.f.EVP_CipherInit_ex)(
                self.context,
                self.named.replace(null_mut()),
                null_mut(),
                of(key),
                of(iv),
                encrypt as c_int,
            ) == 1
        }
    }

    fn control(&self, what: c_int, number: c_int, bytes: &mut [u8]) -> c_int {
        let bytes = if bytes.is_empty() { null_mut() } else { bytes.as_mut_ptr().cast() };
        // SAFETY: as many bytes as the number says, or as what is asked for takes.
        unsafe { (self.openssl.f.EVP_CIPHER_CTX_ctrl)(self.context, what, number, bytes) }
    }

    fn update(&self, out: Option<&mut [u8]>, text: Option<&[u8]>, len: usize) -> Option<usize> {
        let mut written = 0;
        let out = out.map_or(null_mut(), <[u8]>::as_mut_ptr);
        // SAFETY: room for the text and a block.
        let status = unsafe {
            (self.openssl.f.EVP_CipherUpdate)(
                self.context,
                out,
                &mut written,
                text.map_or(null(), <[u8]>::as_ptr),
                len as c_int,
            )
        };
        (status == 1).then_some(written as usize)
    }

    /// A piece of text, to another place or in place.
    fn text(&self, text: &[u8], in_place: bool) -> Option<Vec<u8>> {
        let mut out = vec![0; text.len() + 32];
        let n = if in_place {
            out[..text.len()].copy_from_slice(text);
            let mut written = 0;
            let at = out.as_mut_ptr();
            // SAFETY: room for the text and a block.
            let status =
                unsafe { (self.openssl.f.EVP_CipherUpdate)(self.context, at, &mut written, at, text.len() as c_int) };
            (status == 1).then_some(written as usize)
        } else {
            self.update(Some(&mut out), Some(text), text.len())
        }?;
        out.truncate(n);
        Some(out)
    }

    fn finish(&self) -> Option<Vec<u8>> {
        let (mut out, mut written) = (vec![0; 64], 0);
        // SAFETY: room for a block.
        let status = unsafe { (self.openssl.f.EVP_CipherFinal_ex)(self.context, out.as_mut_ptr(), &mut written) };
        out.truncate(written as usize);
        (status == 1).then_some(out)
    }

    fn copy(&self) -> Self {
        // SAFETY: OpenSSL's functions, as its manual says. The cipher is the original's to free.
        unsafe {
            let context = (self.openssl.f.EVP_CIPHER_CTX_new)();
            assert_eq!((self.openssl.f.EVP_CIPHER_CTX_copy)(context, self.context), 1);
            Self { openssl: self.openssl, cipher: null_mut(), named: Cell::new(null_mut()), context }
        }
    }

    /// Where it stands: both IVs and the position in a block.
    fn position(&self, iv_len: usize) -> (Vec<u8>, Vec<u8>, c_int) {
        let (mut original, mut updated) = (vec![0; iv_len], vec![0; iv_len]);
        // SAFETY: room for an IV.
        unsafe {
            assert_eq!(
                (self.openssl.f.EVP_CIPHER_CTX_get_original_iv)(self.context, original.as_mut_ptr().cast(), iv_len),
                1
            );
            assert_eq!(
                (self.openssl.f.EVP_CIPHER_CTX_get_updated_iv)(self.context, updated.as_mut_ptr().cast(), iv_len),
                1
            );
            (original, updated, (self.openssl.f.EVP_CIPHER_CTX_get_num)(self.context))
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody uses them any more; null is nothing.
        unsafe {
            (self.openssl.f.EVP_CIPHER_CTX_free)(self.context);
            (self.openssl.f.EVP_CIPHER_free)(self.cipher);
        }
    }
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + seed * 13 + (i >> 8)) as u8).collect()
}

fn lengths() -> impl Iterator<Item = usize> {
    let step = std::env::var("EVARISTE_TEST_STEP").map_or(1, |step| step.parse().expect("a number"));
    (0..300).chain([1023, 1024, 1350, 2080, 4096, 8191, 16384, 100_000]).step_by(step)
}

/// Both encrypt the same, and each decrypts it.
fn both_are_equal(name: &str, key_len: usize, run: impl Fn(&Context<'_>, &[u8], bool, usize) -> (Vec<u8>, Vec<u8>)) {
    let openssl = OpenSsl::new();
    let contexts = openssl.both(name);
    // SAFETY: OpenSSL's functions, as its manual says.
    let facts = contexts
        .each_ref()
        .map(|c| unsafe { ((openssl.f.EVP_CIPHER_get_flags)(c.cipher), (openssl.f.EVP_CIPHER_get_mode)(c.cipher)) });
    assert_eq!(facts[0], facts[1], "{name}");
    for len in lengths() {
        let text = bytes(len, key_len);
        let [ours, theirs] = contexts.each_ref().map(|context| run(context, &text, true, len));
        assert!(ours == theirs, "{name} {len}");
        for context in &contexts {
            let given = [&ours.0[..], &ours.1].concat();
            assert!(run(context, &given, false, len).0 == text, "{name} {len}, decrypted");
        }
    }
}

#[test]
fn gcm() {
    for key_len in [16, 24, 32] {
        both_are_equal(&format!("AES-{}-GCM", 8 * key_len), key_len, |context, given, encrypt, len| {
            let (key, iv) = (bytes(key_len, 1), bytes(if len % 3 == 0 { 1 + len % 128 } else { 12 }, len));
            assert!(context.init(Some(&key), None, encrypt));
            assert_eq!(context.control(SET_IVLEN, iv.len() as c_int, &mut []), 1);
            assert!(context.init(None, Some(&iv), encrypt));
            for piece in bytes(len % 50, 9).chunks(11) {
                assert_eq!(context.update(None, Some(piece), piece.len()), Some(piece.len()));
            }
            let (text, tag) = given.split_at(len);
            let piece = [1, 13, 16, 100, 4096, usize::MAX][len % 6].min(len + 1);
            let mut out: Vec<u8> = Vec::new();
            for (n, piece) in text.chunks(piece).enumerate() {
                let copy = (n == 1).then(|| context.copy());
                out.extend(copy.as_ref().unwrap_or(context).text(piece, len % 2 == 0).expect("done"));
                if copy.is_some() {
                    assert!(context.text(piece, false).is_some());
                }
            }
            let mut made = [0; 16];
            if !encrypt {
                assert_eq!(context.control(SET_TAG, 16, &mut tag.to_vec()), 1);
            }
            assert_eq!(context.finish(), Some(vec![]), "{}", context.openssl.error());
            assert_eq!(context.control(GET_TAG, 16, &mut made) == 1, encrypt);
            (out, made.to_vec())
        });
    }
}

#[test]
fn ccm() {
    for key_len in [16, 24, 32] {
        both_are_equal(&format!("AES-{}-CCM", 8 * key_len), key_len, |context, given, encrypt, len| {
            // As many as the nonce leaves bytes for.
            let (key, iv) = (bytes(key_len, 1), bytes(if len > 65535 { 7 } else { 7 + len % 7 }, len));
            let tag_len = 4 + len % 7 * 2;
            let (text, tag) = given.split_at(len);
            assert!(context.init(None, None, encrypt));
            assert_eq!(context.control(SET_IVLEN, iv.len() as c_int, &mut []), 1);
            let mut tag = tag.to_vec();
            assert_eq!(context.control(SET_TAG, tag_len as c_int, if encrypt { &mut [] } else { &mut tag }), 1);
            assert!(context.init(Some(&key), Some(&iv), encrypt));
            assert_eq!(context.update(None, None, len), Some(len));
            let aad = bytes(len % 50, 9);
            assert_eq!(context.update(None, Some(&aad), aad.len()), Some(aad.len()));
            let out = context.text(text, len % 2 == 0).expect("done");
            let mut made = vec![0; tag_len];
            assert_eq!(context.control(GET_TAG, tag_len as c_int, &mut made) == 1, encrypt);
            (out, made)
        });
    }
}

#[test]
fn ctr_and_blocks() {
    for (mode, key_len) in [("CTR", 16), ("CTR", 24), ("CTR", 32), ("ECB", 16), ("ECB", 24), ("ECB", 32)] {
        let iv_len = if mode == "CTR" { 16 } else { 0 };
        both_are_equal(&format!("AES-{}-{mode}", 8 * key_len), key_len, |context, given, encrypt, len| {
            let (key, mut iv) = (bytes(key_len, 1), bytes(iv_len, len));
            // Near where 32 bits of the counter carry.
            iv.iter_mut().skip(11).for_each(|b| *b = 0xff);
            assert!(context.init(Some(&key), (iv_len > 0).then_some(&iv[..]), encrypt));
            // SAFETY: OpenSSL's function, as its manual says.
            unsafe {
                (context.openssl.f.EVP_CIPHER_CTX_set_padding)(
                    context.context,
                    (len % 16 != 0 || len % 32 == 0) as c_int,
                )
            };
            let piece = [1, 13, 16, 100, 4096, usize::MAX][len % 6].min(given.len() + 1);
            let mut out: Vec<u8> = Vec::new();
            let mut positions = Vec::new();
            for piece in given.chunks(piece) {
                out.extend(context.text(piece, iv_len > 0 || piece.len() == given.len()).expect("done"));
                let (original, updated, num) = context.position(iv_len);
                // Of blocks OpenSSL's number is nothing's.
                positions.extend([original, updated, if iv_len > 0 { vec![num as u8] } else { vec![] }].concat());
            }
            out.extend(context.finish().expect("done"));
            // Not part of what is decrypted.
            (out, if encrypt { Vec::new() } else { positions })
        });
    }
}

/// Where a keystream stands is what OpenSSL says.
#[test]
fn ctr_positions() {
    let openssl = OpenSsl::new();
    let contexts = openssl.both("AES-128-CTR");
    for len in 0..70 {
        let all = contexts.each_ref().map(|context| {
            assert!(context.init(Some(&bytes(16, 1)), Some(&bytes(16, len)), true));
            let first = context.text(&bytes(len, 3), false);
            let before = context.position(16);
            // Without an IV the next block follows.
            assert!(context.init(None, None, true));
            (first, before, context.position(16).1, context.text(&bytes(20, 4), false), context.position(16))
        });
        assert_eq!(all[0], all[1], "{len}");
    }
}

/// EVP_Cipher, as sshd calls it, with IVs that count.
#[test]
fn ssh() {
    let openssl = OpenSsl::new();
    let [ours, theirs] = openssl.both("AES-256-GCM");
    let (key, mut iv) = (bytes(32, 1), bytes(12, 2));
    for (sealer, opener) in [(&ours, &theirs), (&theirs, &ours)] {
        for (context, encrypt) in [(sealer, true), (opener, false)] {
            assert!(context.init(Some(&key), None, encrypt));
            assert_eq!(context.control(SET_IV_FIXED, -1, &mut iv), 1);
        }
        for len in [16, 32, 1024] {
            let mut message = vec![0; len + 4];
            message[4..][..len].copy_from_slice(&bytes(len, 3));
            let (mut last, mut tag) = ([0], vec![0; 16]);
            let cipher = |context: &Context<'_>, data: &mut [u8]| {
                let at = data.as_mut_ptr();
                // SAFETY: four bytes of additional data, text, in place.
                unsafe {
                    assert_eq!((openssl.f.EVP_Cipher)(context.context, null_mut(), at, 4), 4);
                    assert_eq!(
                        (openssl.f.EVP_Cipher)(context.context, at.add(4), at.add(4), len as c_uint),
                        len as c_int
                    );
                }
            };
            // SAFETY: the end.
            let end = |context: &Context<'_>| unsafe { (openssl.f.EVP_Cipher)(context.context, null_mut(), null(), 0) };
            assert_eq!(sealer.control(IV_GEN, 1, &mut last), 1);
            cipher(sealer, &mut message);
            assert_eq!((end(sealer), sealer.control(GET_TAG, 16, &mut tag)), (0, 1));
            assert_eq!(opener.control(IV_GEN, 1, &mut last), 1);
            assert_eq!(opener.control(SET_TAG, 16, &mut tag), 1);
            cipher(opener, &mut message);
            assert_eq!((end(opener), &message[4..][..len]), (0, &bytes(len, 3)[..]));
        }
    }
}

/// Records of TLS 1.2: what one seals the other opens.
#[test]
fn records() {
    let openssl = OpenSsl::new();
    for (name, key_len, tag_len) in
        [("AES-128-GCM", 16, 16), ("AES-256-GCM", 32, 16), ("AES-128-CCM", 16, 8), ("AES-256-CCM", 32, 16)]
    {
        let [ours, theirs] = openssl.both(name);
        let key = bytes(key_len, 1);
        for (sealer, opener) in [(&ours, &theirs), (&theirs, &ours)] {
            for (context, encrypt) in [(sealer, true), (opener, false)] {
                assert!(context.init(None, None, encrypt));
                if name.ends_with("CCM") {
                    assert_eq!(context.control(SET_IVLEN, 12, &mut []), 1);
                    assert_eq!(context.control(SET_TAG, tag_len, &mut []), 1);
                    assert_eq!(context.control(SET_IV_FIXED, 4, &mut bytes(4, 2)), 1);
                    assert!(context.init(Some(&key), None, encrypt));
                } else {
                    assert!(context.init(Some(&key), None, encrypt));
                    assert_eq!(context.control(SET_IV_FIXED, 4, &mut bytes(4, 2)), 1);
                }
            }
            for (n, len) in [0, 1, 16, 100, 1350, 16384].into_iter().enumerate() {
                let whole = 8 + len + tag_len as usize;
                let header =
                    |len: usize| [&(n as u64).to_be_bytes()[..], &[23, 3, 3], &(len as u16).to_be_bytes()].concat();
                let mut record = bytes(whole, n);
                assert_eq!(sealer.control(TLS1_AAD, 13, &mut header(8 + len)), tag_len);
                let sealed = sealer.text(&record, true).expect("sealed");
                assert_eq!(sealed.len(), whole);
                assert_eq!(opener.control(TLS1_AAD, 13, &mut header(whole)), tag_len);
                let mut written = 0;
                record.copy_from_slice(&sealed);
                let at = record.as_mut_ptr();
                // SAFETY: in place.
                let status =
                    unsafe { (openssl.f.EVP_CipherUpdate)(opener.context, at, &mut written, at, whole as c_int) };
                assert_eq!((status, written), (1, len as c_int), "{name} {len}");
                assert_eq!(record[8..][..len], bytes(whole, n)[8..][..len]);
            }
        }
    }
}

/// An error has a reason that OpenSSL tells.
#[test]
fn reasons() {
    let openssl = OpenSsl::new();
    let [ours, _] = openssl.both("AES-128-GCM");
    assert!(ours.init(Some(&bytes(16, 1)), Some(&bytes(12, 1)), false));
    assert_eq!(ours.control(SET_IV_INV, 8, &mut bytes(8, 1)), 0);
    assert_eq!(openssl.error(), "no fixed part of an IV is set");
    assert!(ours.text(&bytes(20, 1), false).is_some());
    assert_eq!(ours.control(SET_TAG, 16, &mut bytes(16, 1)), 1);
    assert_eq!(ours.finish(), None);
    assert_eq!(openssl.error(), "the message is not authentic");
}
