//! The entries of the table that are ours.
//!
//! Each is what freebl's `blapi.h` says of the function of its name; all take the caller's promise (`border.rs`). Lengths,
//! IVs and tags are judged by the core; here stand rooms, null and which fault NSS names first. What is refused before
//! anything was written leaves the output as it is: callers come again with more room, in place.
#![allow(unsafe_code)]

use crate::border::{self, Output, Theirs, guard};
use crate::context::{Context, Direction, Work};
use crate::counters::{self, Mode};
use crate::ctr::Stream;
use crate::error::{Error, Result};
use crate::freebl::{self, CtrParams, FAILURE, GcmParams, MODE_CTR, MODE_ECB, MODE_GCM, MessageParams, SUCCESS, slot};
use crate::gcm::{Many, One, tag_len};
use crate::original;
use evariste::{Aes, Backend};
use std::ffi::{c_int, c_uint, c_void};

/// A function for the table.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    Create(freebl::Create),
    Destroy(freebl::Destroy),
    Crypt(freebl::Crypt),
    Init(freebl::Init),
    Allocate(freebl::Allocate),
    Aead(freebl::Aead),
    Verify(freebl::Verify),
}

impl Entry {
    pub(crate) fn address(self) -> *const c_void {
        match self {
            Self::Create(f) => f as *const c_void,
            Self::Destroy(f) => f as *const c_void,
            Self::Crypt(f) => f as *const c_void,
            Self::Init(f) => f as *const c_void,
            Self::Allocate(f) => f as *const c_void,
            Self::Aead(f) => f as *const c_void,
            Self::Verify(f) => f as *const c_void,
        }
    }
}

/// Places and functions.
pub(crate) const OURS: [(usize, Entry); 8] = [
    (slot::CREATE, Entry::Create(create)),
    (slot::DESTROY, Entry::Destroy(destroy)),
    (slot::ENCRYPT, Entry::Crypt(encrypt)),
    (slot::DECRYPT, Entry::Crypt(decrypt)),
    (slot::VERIFY, Entry::Verify(verify)),
    (slot::INIT, Entry::Init(init)),
    (slot::ALLOCATE, Entry::Allocate(allocate)),
    (slot::AEAD, Entry::Aead(aead)),
];

/// `AES_AllocateContext`.
unsafe extern "C" fn allocate() -> *mut c_void {
    border::allocate().cast()
}

/// `AES_CreateContext`.
unsafe extern "C" fn create(
    key: *const u8,
    params: *const u8,
    mode: c_int,
    encrypt: c_int,
    key_len: c_uint,
    block_len: c_uint,
) -> *mut c_void {
    let cx: *mut c_void = border::allocate().cast();
    // SAFETY: the caller's promise, and a new context.
    if !cx.is_null() && unsafe { init(cx, key, key_len, params, mode, encrypt as c_uint, block_len) } != SUCCESS {
        // SAFETY: made above, and nobody else knows it.
        unsafe { border::free(cx) };
        return std::ptr::null_mut();
    }
    cx
}

/// `AES_DestroyContext`.
unsafe extern "C" fn destroy(cx: *mut c_void, free: c_int) {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            border::clear(border::context(cx)?);
            if free != 0 {
                border::free(cx);
            }
        }
        Ok(())
    });
}

/// `AES_InitContext`.
unsafe extern "C" fn init(
    cx: *mut c_void,
    key: *const u8,
    key_len: c_uint,
    params: *const u8,
    mode: c_int,
    encrypt: c_uint,
    block_len: c_uint,
) -> c_int {
    let direction = if encrypt != 0 { Direction::Encrypt } else { Direction::Decrypt };
    let served = !key.is_null()
        && matches!(key_len, 16 | 24 | 32)
        && matches!(mode, MODE_ECB | MODE_CTR | MODE_GCM)
        && block_len == 16;
    if served {
        // SAFETY: the caller's promise.
        return guard(|| unsafe {
            border::context(cx)?.set(direction, key_len as usize, || work(border::bytes(key, key_len)?, mode, params))
        });
    }
    let mut status = FAILURE;
    let ours = guard(|| {
        // SAFETY: the caller's promise.
        let cx = unsafe { border::context(cx) }?;
        border::clear(cx);
        let theirs = Theirs::new()?;
        // SAFETY: the caller's promise, passed on, and a context of theirs.
        status =
            unsafe { (original::functions().init)(theirs.as_ptr(), key, key_len, params, mode, encrypt, block_len) };
        if status == SUCCESS {
            cx.work = Work::Theirs(theirs);
        }
        Ok(())
    });
    // If theirs failed, it has set the error.
    if ours == SUCCESS { border::theirs(status) } else { FAILURE }
}

/// # Safety
/// The caller's promise: `params` are those of the mode.
unsafe fn work(key: &[u8], mode: c_int, params: *const u8) -> Result<Work> {
    // SAFETY: the caller's promise, for all of them.
    unsafe {
        match mode {
            MODE_ECB => Ok(Work::Ecb(Aes::with_backend(key, Backend::active())?)),
            MODE_CTR => Ok(Work::Ctr(Stream::new(key, &border::params::<CtrParams>(params.cast())?)?)),
            _ if params.is_null() => Ok(Work::Many(Many::new(key)?)),
            _ => {
                let GcmParams { iv, iv_len, aad, aad_len, tag_bits } = border::params(params.cast())?;
                let (iv, aad) = (border::bytes(iv, iv_len)?, border::bytes(aad, aad_len)?);
                Ok(Work::One(One::new(key, iv, aad, tag_len(tag_bits)?)?))
            }
        }
    }
}

/// `AES_Encrypt`.
unsafe extern "C" fn encrypt(
    cx: *mut c_void,
    out: *mut u8,
    out_len: *mut c_uint,
    max_out: c_uint,
    input: *const u8,
    in_len: c_uint,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { crypt(cx, out, out_len, max_out, input, in_len, original::functions().encrypt, true) }
}

/// `AES_Decrypt`.
unsafe extern "C" fn decrypt(
    cx: *mut c_void,
    out: *mut u8,
    out_len: *mut c_uint,
    max_out: c_uint,
    input: *const u8,
    in_len: c_uint,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { crypt(cx, out, out_len, max_out, input, in_len, original::functions().decrypt, false) }
}

/// Both. Of GCM's ciphertext there need not be room for the tag: `AES_Decrypt` looks at that later.
///
/// # Safety
/// The caller's promise.
#[expect(clippy::too_many_arguments, reason = "freebl's, and which function it is")]
unsafe fn crypt(
    cx: *mut c_void,
    out: *mut u8,
    out_len: *mut c_uint,
    max_out: c_uint,
    input: *const u8,
    in_len: c_uint,
    theirs: freebl::Crypt,
    room_for_all: bool,
) -> c_int {
    let mut forwarded = SUCCESS;
    let ours = guard(|| {
        // SAFETY: the caller's promise.
        let cx = unsafe { border::context(cx) }?;
        if let Work::Theirs(context) = &cx.work {
            // SAFETY: the caller's promise, passed on, and a context of theirs.
            forwarded = unsafe { theirs(context.as_ptr(), out, out_len, max_out, input, in_len) };
            return Ok(());
        }
        if out.is_null() || out_len.is_null() || (input.is_null() && in_len != 0) {
            return Err(Error::INVALID_ARGS);
        }
        if matches!(cx.work, Work::Ecb(_)) && !in_len.is_multiple_of(16) {
            return Err(Error::INPUT_LEN);
        }
        if max_out < in_len && (room_for_all || !matches!(cx.work, Work::One(_) | Work::Many(_))) {
            return Err(Error::OUTPUT_LEN);
        }
        // SAFETY: the caller's promise; none is null.
        unsafe {
            out_len.write(in_len);
            whole(cx, Output::new(out), &mut *out_len, max_out, input, in_len)
        }
    });
    if ours == SUCCESS { border::theirs(forwarded) } else { FAILURE }
}

/// A call of ours. `len` holds the length of the input, and gets that of the output, or what there should be room for.
///
/// # Safety
/// The caller's promise.
unsafe fn whole(
    cx: &mut Context,
    out: Output,
    len: &mut c_uint,
    max_out: c_uint,
    input: *const u8,
    in_len: c_uint,
) -> Result {
    let direction = cx.direction;
    let size = in_len as usize;
    match (&mut cx.work, direction) {
        (Work::Ecb(aes), _) => {
            // SAFETY: the caller's promise, of whole blocks; what was moved to the output is the input there.
            let blocks = unsafe {
                out.move_from(input, size);
                out.blocks(size)?
            };
            match direction {
                Direction::Encrypt => aes.encrypt(blocks),
                Direction::Decrypt => aes.decrypt(blocks),
            }
            counters::add(Mode::Ecb, cx.key_len, direction, size);
        }
        (Work::Ctr(stream), _) => {
            // SAFETY: the caller's promise.
            stream.apply(unsafe { out.data_from(input, size) })?;
            counters::add(Mode::Ctr, cx.key_len, direction, size);
        }
        (Work::One(one), Direction::Encrypt) => {
            let sealed = in_len.checked_add(one.tag_len() as c_uint).ok_or(Error::INPUT_LEN)?;
            *len = sealed;
            if max_out < sealed {
                return Err(Error::OUTPUT_LEN);
            }
            *len = 0;
            // SAFETY: the caller's promise; there is room for the tag, too.
            unsafe {
                let tag = one.seal(out.data_from(input, size))?;
                out.write(size, &tag);
            }
            *len = sealed;
            counters::add(Mode::Gcm, cx.key_len, direction, size);
        }
        (Work::One(one), Direction::Decrypt) => {
            let opened = size.checked_sub(one.tag_len()).ok_or(Error::INPUT_LEN)?;
            if (max_out as usize) < opened {
                *len = opened as c_uint;
                return Err(Error::OUTPUT_LEN);
            }
            *len = 0;
            let mut tag = [0; 16];
            let tag = &mut tag[..one.tag_len()];
            // SAFETY: the caller's promise. The tag is copied, for its place may be written.
            let done = unsafe {
                tag.copy_from_slice(&border::bytes(input, size)?[opened..]);
                one.open(out.data_from(input, opened), tag)
            };
            if done.is_err() {
                // SAFETY: the caller's promise: room that was written.
                unsafe { out.wipe(opened) };
                return done;
            }
            *len = opened as c_uint;
            counters::add(Mode::Gcm, cx.key_len, direction, opened);
        }
        (Work::Many(_) | Work::None | Work::Theirs(_), _) => return Err(Error::NOT_INITIALIZED),
    }
    Ok(())
}

/// `AES_AEAD`.
unsafe extern "C" fn aead(
    cx: *mut c_void,
    out: *mut u8,
    out_len: *mut c_uint,
    max_out: c_uint,
    input: *const u8,
    in_len: c_uint,
    params: *mut c_void,
    params_len: c_uint,
    aad: *const u8,
    aad_len: c_uint,
) -> c_int {
    let mut forwarded = SUCCESS;
    let ours = guard(|| {
        // SAFETY: the caller's promise.
        let cx = unsafe { border::context(cx) }?;
        if let Work::Theirs(context) = &cx.work {
            let (theirs, cx) = (original::functions().aead, context.as_ptr());
            // SAFETY: the caller's promise, passed on, and a context of theirs.
            forwarded = unsafe { theirs(cx, out, out_len, max_out, input, in_len, params, params_len, aad, aad_len) };
            return Ok(());
        }
        if out.is_null() || out_len.is_null() || (input.is_null() && in_len != 0) || params.is_null() {
            return Err(Error::INVALID_ARGS);
        }
        // SAFETY: the caller's promise; what it says of the parameters holds if their length is right.
        unsafe {
            let aad = border::bytes(aad, aad_len)?;
            if matches!(cx.work, Work::None | Work::Ecb(_) | Work::Ctr(_)) {
                return Err(Error::NOT_INITIALIZED);
            }
            if max_out < in_len {
                return Err(Error::OUTPUT_LEN);
            }
            out_len.write(in_len);
            if params_len as usize != size_of::<MessageParams>() {
                return Err(Error::INVALID_ARGS);
            }
            let done = message(cx, Output::new(out), input, in_len as usize, border::params(params)?, aad);
            if done.is_err() {
                out_len.write(0);
            }
            done
        }
    });
    if ours == SUCCESS { border::theirs(forwarded) } else { FAILURE }
}

/// A message of a context for many.
///
/// # Safety
/// The caller's promise.
unsafe fn message(
    cx: &mut Context,
    out: Output,
    input: *const u8,
    len: usize,
    params: MessageParams,
    aad: &[u8],
) -> Result {
    let (direction, many) = cx.many()?;
    let MessageParams { iv, iv_len, fixed_bits, generator, tag, tag_bits } = params;
    if direction == Direction::Encrypt {
        // SAFETY: the caller's promise: the IV is the caller's to be written, and nothing else refers to it yet.
        many.ivs.next(unsafe { border::bytes_mut(iv, iv_len) }?, fixed_bits, generator, random)?;
    }
    // SAFETY: the caller's promise.
    let iv = unsafe { border::bytes(iv, iv_len) }?;
    let tag_len = if iv.is_empty() { Err(Error::INVALID_ARGS) } else { tag_len(tag_bits) }?;
    if tag.is_null() {
        return Err(Error::INVALID_ARGS);
    }
    out.apart_from(len, iv)?;
    out.apart_from(len, aad)?;
    // SAFETY: the caller's promise; the output meets neither IV nor additional data. The tag to compare with is copied, for
    // its place may be written; the one that is made is written when nothing refers to the output any more.
    unsafe {
        match direction {
            Direction::Encrypt => {
                let made = many.seal(iv, aad, out.data_from(input, len), tag_len)?;
                Output::new(tag).write(0, &made[..tag_len]);
            }
            Direction::Decrypt => {
                let mut copy = [0; 16];
                copy[..tag_len].copy_from_slice(border::bytes(tag, tag_len)?);
                many.open(iv, aad, out.data_from(input, len), &copy[..tag_len])?;
            }
        }
    }
    counters::add(Mode::Gcm, cx.key_len, direction, len);
    Ok(())
}

/// NSS's own random bytes.
fn random(bytes: &mut [u8]) -> Result {
    // SAFETY: their function, and bytes to fill.
    let status = unsafe { (original::functions().random)(bytes.as_mut_ptr().cast(), bytes.len()) };
    // It has set the error, which is set again.
    if status == SUCCESS { Ok(()) } else { Err(Error::NEED_RANDOM) }
}

/// `BLAPI_SHVerify`, by which softoken asks whether a library is the one that was validated. With our code behind its
/// ciphers nothing is, so that its FIPS token refuses to start.
unsafe extern "C" fn verify(_: *const u8, _: *const c_void) -> c_int {
    0
}

#[cfg(test)]
mod tests;
