//! nettle 3, loaded when the program runs, so that no headers are needed.
//!
//! One context for each key; for a message only the nonce is set.

use super::{Library, Make, Making, Run, run};
use crate::algorithm::{Algorithm, Direction};
use crate::case::{Message, TAG};
use anyhow::Result;
use std::cell::UnsafeCell;
use std::ffi::{OsStr, c_int, c_void};

pub(crate) const NAME: &str = "nettle";

/// Twice as much as the largest context that is used, `struct gcm_aes256_ctx`.
#[repr(C, align(64))]
struct Room(UnsafeCell<[u8; 9216]>);

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
type Bytes = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Crypt = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);
type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
type Ctr = unsafe extern "C" fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
type Equal = unsafe extern "C" fn(*const u8, *const u8, usize) -> c_int;
/// Nonce, additional data, length of the output.
type SealSiv = unsafe extern "C" fn(*mut c_void, usize, *const u8, usize, *const u8, usize, *mut u8, *const u8);
type OpenSiv =
    unsafe extern "C" fn(*mut c_void, usize, *const u8, usize, *const u8, usize, *mut u8, *const u8) -> c_int;
/// The same with the length of the tag behind the additional data.
type SealCcm = unsafe extern "C" fn(*mut c_void, usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8);
type OpenCcm =
    unsafe extern "C" fn(*mut c_void, usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8) -> c_int;

#[derive(Clone, Copy)]
struct Nettle {
    library: &'static libloading::Library,
    version: (c_int, c_int),
}

/// The system's.
pub(crate) const SYSTEM: &str = "libnettle.so.8";

pub(crate) fn load(file: &OsStr) -> Result<Box<dyn Library>> {
    // SAFETY: nettle's initializers may run in any program.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the signatures of nettle's version.h.
    let version = unsafe {
        let major: unsafe extern "C" fn() -> c_int = *library.get(b"nettle_version_major")?;
        let minor: unsafe extern "C" fn() -> c_int = *library.get(b"nettle_version_minor")?;
        (major(), minor())
    };
    Ok(Box::new(Nettle { library, version }))
}

impl Library for Nettle {
    fn name(&self) -> String {
        format!("{NAME}-{}.{}", self.version.0, self.version.1)
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        let key = algorithm.key();
        match algorithm {
            Aes128Gcm | Gmac => self.gcm("aes128", key, direction),
            Aes192Gcm => self.gcm("aes192", key, direction),
            Aes256Gcm => self.gcm("aes256", key, direction),
            Aes128Ctr => self.ctr("aes128", key),
            Aes256Ctr => self.ctr("aes256", key),
            Aes128Ccm | Aes128CcmMany => self.ccm("aes128", key, direction),
            Aes256Ccm | Aes256CcmMany => self.ccm("aes256", key, direction),
            Aes128GcmSiv => self.siv("aes128", key, direction),
            Aes256GcmSiv => self.siv("aes256", key, direction),
            Ghash => None,
        }
    }

    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        use Algorithm::*;
        let set_key = match algorithm {
            Aes128Gcm | Gmac => "gcm_aes128_set_key",
            Aes192Gcm => "gcm_aes192_set_key",
            Aes256Gcm => "gcm_aes256_set_key",
            Aes128Ccm | Aes128CcmMany => "ccm_aes128_set_key",
            Aes256Ccm | Aes256CcmMany => "ccm_aes256_set_key",
            Aes128Ctr | Aes128GcmSiv => "aes128_set_encrypt_key",
            Aes256Ctr | Aes256GcmSiv => "aes256_set_encrypt_key",
            Ghash => return None,
        };
        // This version may lack the algorithm and have its key.
        drop(self.run(algorithm, algorithm.directions()[0])?);
        let key = algorithm.key();
        let room = self.context(set_key, key)?;
        // SAFETY: the signature in nettle's aes.h, gcm.h and ccm.h.
        let set_key: SetKey = unsafe { self.get(set_key)? };
        let set = move |room: &Room| {
            // SAFETY: room for any context, and a key as long as the function's name says.
            unsafe { set_key(room.at(), key.as_ptr()) };
            true
        };
        match making {
            // Where it stands is the caller's business: here, the stack.
            Making::New => Some(Box::new(move || set(&Room(UnsafeCell::new([0; _]))))),
            Making::InPlace => Some(Box::new(move || set(&room))),
        }
    }
}

impl Nettle {
    fn gcm(&self, aes: &str, key: &[u8], direction: Direction) -> Option<Run> {
        let context = self.context(&format!("gcm_{aes}_set_key"), key)?;
        let get = |what: &str| format!("gcm_{aes}_{what}");
        // SAFETY: the signatures of nettle's gcm.h.
        let gcm = unsafe {
            Gcm {
                context,
                set_iv: self.get(&get("set_iv"))?,
                update: self.get(&get("update"))?,
                encrypt: self.get(&get("encrypt"))?,
                decrypt: self.get(&get("decrypt"))?,
                digest: self.get(&get("digest"))?,
                equal: self.get("memeql_sec")?,
            }
        };
        match direction {
            Direction::Seal => run(move |m| {
                gcm.start(&m, m.aad);
                let (text, tag) = m.parts();
                gcm.text(gcm.encrypt, text);
                *tag = gcm.tag();
                true
            }),
            Direction::Open => run(move |m| {
                gcm.start(&m, m.aad);
                let (text, tag) = m.parts();
                gcm.text(gcm.decrypt, text);
                let expected = gcm.tag();
                // SAFETY: two arrays of so many bytes.
                unsafe { (gcm.equal)(expected.as_ptr(), tag.as_ptr(), TAG) == 1 }
            }),
            _ => run(move |m| {
                gcm.start(&m, &m.sealed[..m.sealed.len() - TAG]);
                *m.parts().1 = gcm.tag();
                true
            }),
        }
    }

    fn ctr(&self, aes: &str, key: &[u8]) -> Option<Run> {
        let context = self.context(&format!("{aes}_set_encrypt_key"), key)?;
        // SAFETY: the signatures of nettle's ctr.h and aes.h.
        let (ctr, encrypt): (Ctr, Crypt) = unsafe { (self.get("ctr_crypt")?, self.get(&format!("{aes}_encrypt"))?) };
        run(move |m| {
            let (mut counter, text) = (*m.nonce, m.parts().0);
            let (at, len) = (text.as_mut_ptr(), text.len());
            // SAFETY: an AES key, its cipher and its blocks' length, a block, and a slice to work on in place.
            unsafe { ctr(context.at(), encrypt, 16, counter.as_mut_ptr(), len, at, at) };
            true
        })
    }

    fn ccm(&self, aes: &str, key: &[u8], direction: Direction) -> Option<Run> {
        let context = self.context(&format!("ccm_{aes}_set_key"), key)?;
        // SAFETY: the signatures of nettle's ccm.h.
        let (seal, open): (SealCcm, OpenCcm) = unsafe {
            let name = |what| format!("ccm_{aes}_{what}_message");
            (self.get(&name("encrypt"))?, self.get(&name("decrypt"))?)
        };
        message(direction, move |m, sealing| {
            let (iv, aad, at, len) = (m.iv(), m.aad, m.sealed.as_mut_ptr(), m.sealed.len());
            let (aad, aad_len) = (aad.as_ptr(), aad.len());
            // SAFETY: a context with its key, pointers and lengths of nonce, additional data, and text and tag,
            // of which one is read and written in place; what is written is so long as the argument says.
            unsafe {
                if sealing {
                    seal(context.at(), iv.len(), iv.as_ptr(), aad_len, aad, TAG, len, at, at);
                    true
                } else {
                    open(context.at(), iv.len(), iv.as_ptr(), aad_len, aad, TAG, len - TAG, at, at) == 1
                }
            }
        })
    }

    /// Since nettle 3.9.
    fn siv(&self, aes: &str, key: &[u8], direction: Direction) -> Option<Run> {
        let context = self.context(&format!("{aes}_set_encrypt_key"), key)?;
        // SAFETY: the signatures of nettle's siv-gcm.h.
        let (seal, open): (SealSiv, OpenSiv) = unsafe {
            let name = |what| format!("siv_gcm_{aes}_{what}_message");
            (self.get(&name("encrypt"))?, self.get(&name("decrypt"))?)
        };
        message(direction, move |m, sealing| {
            let (iv, aad, at, len) = (m.iv(), m.aad, m.sealed.as_mut_ptr(), m.sealed.len());
            let (aad, aad_len) = (aad.as_ptr(), aad.len());
            // SAFETY: as for CCM, the length of the tag being given.
            unsafe {
                if sealing {
                    seal(context.at(), iv.len(), iv.as_ptr(), aad_len, aad, len, at, at);
                    true
                } else {
                    open(context.at(), iv.len(), iv.as_ptr(), aad_len, aad, len - TAG, at, at) == 1
                }
            }
        })
    }

    /// A context with its key.
    fn context(&self, set_key: &str, key: &[u8]) -> Option<Box<Room>> {
        let room = Box::new(Room(UnsafeCell::new([0; _])));
        // SAFETY: the signature in nettle's aes.h, gcm.h and ccm.h.
        let set_key: SetKey = unsafe { self.get(set_key)? };
        // SAFETY: room for any context, and a key as long as the function's name says.
        unsafe { set_key(room.at(), key.as_ptr()) };
        Some(room)
    }

    /// A function; none when this version does not have it.
    ///
    /// # Safety
    /// `F` is the function's type.
    unsafe fn get<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: as the caller says.
        unsafe { self.library.get::<F>(format!("nettle_{name}").as_bytes()) }.ok().map(|f| *f)
    }
}

impl Room {
    fn at(&self) -> *mut c_void {
        self.0.get().cast()
    }
}

struct Gcm {
    context: Box<Room>,
    set_iv: Bytes,
    update: Bytes,
    encrypt: Crypt,
    decrypt: Crypt,
    digest: Digest,
    equal: Equal,
}

impl Gcm {
    #[inline(always)]
    fn start(&self, m: &Message<'_>, aad: &[u8]) {
        let iv = m.iv();
        // SAFETY: a context with its key, pointer and length of one array.
        unsafe { (self.set_iv)(self.context.at(), iv.len(), iv.as_ptr()) };
        if !aad.is_empty() {
            // SAFETY: a context, pointer and length of one slice.
            unsafe { (self.update)(self.context.at(), aad.len(), aad.as_ptr()) };
        }
    }

    /// Encrypts or decrypts in place.
    #[inline(always)]
    fn text(&self, crypt: Crypt, text: &mut [u8]) {
        let at = text.as_mut_ptr();
        // SAFETY: a context, pointer and length of one slice.
        unsafe { crypt(self.context.at(), text.len(), at, at) };
    }

    #[inline(always)]
    fn tag(&self) -> [u8; TAG] {
        let mut tag = [0; TAG];
        // SAFETY: a context, pointer and length of one array.
        unsafe { (self.digest)(self.context.at(), TAG, tag.as_mut_ptr()) };
        tag
    }
}

/// A mode that takes messages whole; `sealing` is known when it is compiled.
fn message(direction: Direction, call: impl Fn(Message<'_>, bool) -> bool + 'static) -> Option<Run> {
    match direction {
        Direction::Seal => run(move |m| call(m, true)),
        _ => run(move |m| call(m, false)),
    }
}
