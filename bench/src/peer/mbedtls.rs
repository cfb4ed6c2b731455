//! Mbed TLS 3, loaded when the program runs, so that no headers are needed.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use crate::case::TAG;
use anyhow::Result;
use std::cell::UnsafeCell;
use std::ffi::{OsStr, c_int, c_uint};

pub(crate) const NAME: &str = "mbedtls";

// `MBEDTLS_CIPHER_ID_AES`, `MBEDTLS_GCM_ENCRYPT`
const AES: c_int = 2;
const ENCRYPT: c_int = 1;

/// Several times what the largest context that is used takes.
#[repr(C, align(64))]
struct Room(UnsafeCell<[u8; 4096]>);

type Ctx = *mut Room;
type In = *const u8;
type Init = unsafe extern "C" fn(Ctx);
type SetKey = unsafe extern "C" fn(Ctx, c_int, In, c_uint) -> c_int;
/// Direction, length, nonce, additional data, input, output, tag.
type SealGcm = unsafe extern "C" fn(Ctx, c_int, usize, In, usize, In, usize, In, *mut u8, usize, *mut u8) -> c_int;
/// Length, nonce, additional data, tag, input, output.
type OpenGcm = unsafe extern "C" fn(Ctx, usize, In, usize, In, usize, In, usize, In, *mut u8) -> c_int;
/// Length, nonce, additional data, input, output, tag.
type SealCcm = unsafe extern "C" fn(Ctx, usize, In, usize, In, usize, In, *mut u8, *mut u8, usize) -> c_int;
type OpenCcm = unsafe extern "C" fn(Ctx, usize, In, usize, In, usize, In, *mut u8, In, usize) -> c_int;
/// Length, place in the block, counter, block, input, output.
type Ctr = unsafe extern "C" fn(Ctx, usize, *mut usize, *mut [u8; 16], *mut [u8; 16], In, *mut u8) -> c_int;

struct Mbedtls {
    library: &'static libloading::Library,
    version: c_uint,
}

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: Mbed TLS has no initializers.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signature of its version.h.
    let version = unsafe { library.get::<unsafe extern "C" fn() -> c_uint>(b"mbedtls_version_get_number")?() };
    Ok(Box::new(Mbedtls { library, version }))
}

impl Library for Mbedtls {
    fn name(&self) -> String {
        format!("{NAME}-{}.{}", self.version >> 24, self.version >> 16 & 0xff)
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        match algorithm {
            Aes128Gcm | Aes192Gcm | Aes256Gcm | Gmac => self.gcm(algorithm.key(), direction),
            Aes128Ccm | Aes256Ccm | Aes128CcmMany | Aes256CcmMany => self.ccm(algorithm.key(), direction),
            Aes128Ctr | Aes256Ctr => self.ctr(algorithm.key()),
            Aes128GcmSiv | Aes256GcmSiv | Ghash => None,
        }
    }
}

impl Mbedtls {
    fn gcm(&self, key: &[u8], direction: Direction) -> Option<Run> {
        let room = self.context("gcm", key)?;
        // SAFETY: the signatures of gcm.h.
        let (seal, open): (SealGcm, OpenGcm) =
            unsafe { (self.get("mbedtls_gcm_crypt_and_tag")?, self.get("mbedtls_gcm_auth_decrypt")?) };
        match direction {
            Direction::Seal => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                let (len, at, tag) = (text.len(), text.as_mut_ptr(), tag.as_mut_ptr());
                let (iv, aad, aad_len) = (iv.as_ptr(), aad.as_ptr(), aad.len());
                // SAFETY: a context with its key; pointers and lengths of slices, the text's for writing, too.
                unsafe { seal(room.at(), ENCRYPT, len, iv, 12, aad, aad_len, at, at, TAG, tag) == 0 }
            }),
            Direction::Open => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                let (len, at, tag) = (text.len(), text.as_mut_ptr(), tag.as_ptr());
                let (iv, aad, aad_len) = (iv.as_ptr(), aad.as_ptr(), aad.len());
                // SAFETY: as above.
                unsafe { open(room.at(), len, iv, 12, aad, aad_len, tag, TAG, at, at) == 0 }
            }),
            _ => run(move |m| {
                let (iv, (data, tag)) = (m.iv().as_ptr(), m.parts());
                let (at, len, tag) = (data.as_mut_ptr(), data.len(), tag.as_mut_ptr());
                // SAFETY: as above; there is no text.
                unsafe { seal(room.at(), ENCRYPT, 0, iv, 12, at, len, at, at, TAG, tag) == 0 }
            }),
        }
    }

    fn ccm(&self, key: &[u8], direction: Direction) -> Option<Run> {
        let room = self.context("ccm", key)?;
        // SAFETY: the signatures of ccm.h.
        let (seal, open): (SealCcm, OpenCcm) =
            unsafe { (self.get("mbedtls_ccm_encrypt_and_tag")?, self.get("mbedtls_ccm_auth_decrypt")?) };
        run(move |m| {
            let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
            let (len, at, tag) = (text.len(), text.as_mut_ptr(), tag.as_mut_ptr());
            let (iv, aad, aad_len) = (iv.as_ptr(), aad.as_ptr(), aad.len());
            // SAFETY: as for GCM.
            unsafe {
                match direction {
                    Direction::Open => open(room.at(), len, iv, 12, aad, aad_len, at, at, tag, TAG) == 0,
                    _ => seal(room.at(), len, iv, 12, aad, aad_len, at, at, tag, TAG) == 0,
                }
            }
        })
    }

    fn ctr(&self, key: &[u8]) -> Option<Run> {
        let room = Box::new(Room(UnsafeCell::new([0; _])));
        // SAFETY: the signatures of aes.h.
        let (init, set_key, ctr) = unsafe {
            let set_key: unsafe extern "C" fn(Ctx, In, c_uint) -> c_int = self.get("mbedtls_aes_setkey_enc")?;
            (self.get::<Init>("mbedtls_aes_init")?, set_key, self.get::<Ctr>("mbedtls_aes_crypt_ctr")?)
        };
        // SAFETY: room for a context, pointer and bits of one slice.
        let ready = unsafe {
            init(room.at());
            set_key(room.at(), key.as_ptr(), 8 * key.len() as c_uint) == 0
        };
        let run = run(move |m| {
            let (mut counter, mut block, mut used, text) = (*m.nonce, [0; 16], 0, m.parts().0);
            let (at, len) = (text.as_mut_ptr(), text.len());
            // SAFETY: a context with its key, blocks, and a slice to work on in place.
            unsafe { ctr(room.at(), len, &mut used, &mut counter, &mut block, at, at) == 0 }
        });
        run.filter(|_| ready)
    }

    /// A context of a mode with its key. It is never freed by the library.
    fn context(&self, mode: &str, key: &[u8]) -> Option<Box<Room>> {
        let room = Box::new(Room(UnsafeCell::new([0; _])));
        // SAFETY: the signatures of the mode's header; room for a context, pointer and bits of one slice.
        unsafe {
            self.get::<Init>(&format!("mbedtls_{mode}_init"))?(room.at());
            let set_key: SetKey = self.get(&format!("mbedtls_{mode}_setkey"))?;
            (set_key(room.at(), AES, key.as_ptr(), 8 * key.len() as c_uint) == 0).then_some(room)
        }
    }

    /// # Safety
    /// The function is of this type.
    unsafe fn get<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise; the library stays loaded.
        unsafe { self.library.get::<F>(name.as_bytes()) }.ok().map(|function| *function)
    }
}

impl Room {
    fn at(&self) -> Ctx {
        self.0.get().cast()
    }
}
