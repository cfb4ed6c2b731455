//! The counter mode.
#![allow(unsafe_code)]

use crate::aead::EVARISTE_STORAGE_ALIGN;
use crate::border::{Call, Input, Output, Span, allocate, free, guard, object_mut, place};
use crate::message::told;
use crate::status::{
    EVARISTE_ERROR_KEY, EVARISTE_ERROR_NONCE, EVARISTE_ERROR_NULL, EVARISTE_ERROR_STATE, Error, Result, code,
};
use std::ffi::c_int;

/// Bytes that are enough for an evariste_ctr in all versions of the library with this soname.
pub const EVARISTE_CTR_STORAGE: usize = 1024;

const _: () = assert!(size_of::<Ctr>() <= EVARISTE_CTR_STORAGE && align_of::<Ctr>() <= EVARISTE_STORAGE_ALIGN);

/// AES in counter mode (SP 800-38A section 6.5): a key, and where its keystream stands. The counter has 128 bits,
/// big-endian. No counter block may ever be used twice under a key, and nothing protects the text from being changed: prefer
/// an AEAD. To be used by one thread at a time; it must stay where it is.
pub struct Ctr {
    ctr: Option<evariste::Ctr>,
}

impl Ctr {
    const NONE: Self = Self { ctr: None };

    /// Makes the key where the object is: first another one, so that none of the real one's bytes is left elsewhere.
    fn init(&mut self, key: Input, iv: Input) -> Result {
        let key = key.bytes(EVARISTE_ERROR_KEY)?;
        let iv = block(iv)?;
        self.ctr.insert(evariste::Ctr::new(&[0; 16], iv)?).rekey(key, iv).inspect_err(|_| self.ctr = None)?;
        Ok(())
    }

    fn get(&mut self) -> Result<&mut evariste::Ctr> {
        self.ctr.as_mut().ok_or(Error(EVARISTE_ERROR_STATE))
    }
}

/// A counter block.
fn block<'a>(iv: Input) -> Result<&'a [u8; 16]> {
    iv.bytes(EVARISTE_ERROR_NONCE)?.try_into().map_err(|_| Error(EVARISTE_ERROR_NONCE))
}

/// Bytes that an evariste_ctr takes: never more than EVARISTE_CTR_STORAGE.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_ctr_size() -> usize {
    size_of::<Ctr>()
}

/// What memory for an evariste_ctr must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_ctr_align() -> usize {
    align_of::<Ctr>()
}

/// Makes a key in memory of the caller, which has `size` bytes and may hold anything: an object that is there already must
/// have been cleaned up. `key` has 16, 24 or 32 bytes; the keystream starts at the counter block `iv` of 16 bytes.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_ctr_size(), or `ctr` is not aligned), _OVERLAP
/// (key or `iv` lie in the object), _KEY, _NONCE. After a failure other than the first three the object is there, without
/// a key: every call with it returns EVARISTE_ERROR_STATE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_init(
    ctr: *mut Ctr,
    size: usize,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
) -> c_int {
    code(guard(|| {
        // SAFETY: the caller's promise.
        let (key, iv) = unsafe { (Input::new(key, key_len), Input::new(iv, iv_len)) };
        key.apart(Span::of(ctr))?;
        iv.apart(Span::of(ctr))?;
        // SAFETY: the caller's promise.
        unsafe { place(ctr, size, Ctr::NONE) }?.init(key, iv)
    }))
}

/// Wipes a key in memory of the caller; the memory is the caller's again. Null is nothing to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_cleanup(ctr: *mut Ctr) {
    // SAFETY: the caller's promise.
    if let Some(ctr) = unsafe { object_mut(ctr) } {
        *ctr = Ctr::NONE;
    }
}

/// Makes a key on the heap, as evariste_ctr_init does, and leaves a pointer to it in `*ctr`; null after a failure. To be
/// given back with evariste_ctr_free.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _OVERLAP (key or `iv` lie in `*ctr`), _KEY, _NONCE, _MEMORY. After
/// EVARISTE_ERROR_OVERLAP `*ctr` is as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_new(
    ctr: *mut *mut Ctr,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let (key, iv) = unsafe { (Input::new(key, key_len), Input::new(iv, iv_len)) };
    // Null is written to `*ctr` before they are read.
    code(key.apart(Span::of(ctr)).and_then(|()| iv.apart(Span::of(ctr))).and_then(|()| {
        // SAFETY: the caller's promise.
        unsafe { allocate(ctr, Ctr::NONE, |made| made.init(key, iv)) }
    }))
}

/// Wipes a key from evariste_ctr_new and gives its memory back. Null is nothing to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_free(ctr: *mut Ctr) {
    // SAFETY: the caller's promise.
    unsafe { free(ctr) }
}

/// Starts the keystream at another counter block of 16 bytes. To go to byte n of a keystream that starts at `iv`, start at
/// the number `iv` + n / 16, and throw n % 16 bytes away.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP (`iv` lies in the object), _NONCE; after a failure the keystream goes
/// on where it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_restart(ctr: *mut Ctr, iv: *const u8, iv_len: usize) -> c_int {
    // SAFETY: the caller's promise.
    let iv = unsafe { Input::new(iv, iv_len) };
    let apart = iv.apart(Span::of(ctr));
    // SAFETY: the caller's promise.
    let ctr = unsafe { object_mut(ctr) };
    code(guard(|| {
        let ctr = ctr.ok_or(Error(EVARISTE_ERROR_NULL))?.get()?;
        apart?;
        ctr.restart(block(iv)?);
        Ok(())
    }))
}

/// Encrypts or decrypts, which is the same: writes the next `in_len` bytes of the keystream, XORed with those at `in`, to
/// `out`, which may be `in`. `max_out` is the room at `out`. Calls go on where the one before ended, at any byte.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _TEXT, _COUNTER (the counter would pass 2^128 - 1). After a
/// failure the keystream goes on where it was, and what would have been written is zero, as far as there is room for it;
/// after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_ctr_apply(
    ctr: *mut Ctr,
    out: *mut u8,
    max_out: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let objects = [Span::of(ctr), Span::NOWHERE];
    // SAFETY: the caller's promise, for all of them.
    let (ctr, call) = unsafe {
        let (text, out) = (Input::new(r#in, in_len), Output::new(out, max_out, in_len));
        (object_mut(ctr), Call { text, out, objects, ..Call::NONE })
    };
    let ready = match ctr {
        Some(Ctr { ctr: Some(ctr) }) => {
            call.text.apart(objects[0]).and_then(|()| call.buffers()).map(|buffers| (ctr, buffers.data))
        }
        Some(_) => Err(call.blame(EVARISTE_ERROR_STATE)),
        None => Err(call.blame(EVARISTE_ERROR_NULL)),
    };
    match ready {
        Ok((ctr, data)) => told(&call, guard(|| Ok(ctr.apply(data.inout())?)), in_len),
        Err(error) => call.fail(error),
    }
}
