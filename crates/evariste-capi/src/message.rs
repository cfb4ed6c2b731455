//! Whole messages.
#![allow(unsafe_code)]

use crate::aead::{Aead, with_key};
use crate::border::{Buffers, Call, Input, Length, Output, Span, guard, object};
use crate::status::{EVARISTE_ERROR_NULL, EVARISTE_ERROR_STATE, EVARISTE_OK, Result};
use evariste::{Aead as _, Tag};
use std::ffi::c_int;

/// Encrypts `in_len` bytes at `in` to `out`, and writes the tag behind them.
///
/// `max_out` is the room at `out`: at least `in_len` and the length of the tag. `*out_len` is set to the sum of the two,
/// after a failure to 0. `out` may be `in`.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _NONCE, _AAD, _TEXT. After a failure what would have been
/// written is zero, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_seal(
    aead: *const Aead,
    out: *mut u8,
    out_len: *mut usize,
    max_out: usize,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let objects = [Span::of(aead), Span::NOWHERE];
    // SAFETY: the caller's promise, for all of them.
    unsafe {
        let aead = object(aead);
        let tag_in_out = tag_len(aead);
        let call = Call {
            nonce: Input::new(nonce, nonce_len),
            aad: Input::new(aad, aad_len),
            text: Input::new(r#in, in_len),
            // If that wraps, the text's length is refused.
            out: Output::new(out, max_out, in_len.wrapping_add(tag_in_out)),
            tag_in_out,
            length: Some(Length::new(out_len)),
            objects,
            ..Call::NONE
        };
        seal(aead, &call)
    }
}

/// Checks the tag, the last bytes of the `in_len` at `in`, and decrypts what stands before it to `out`.
///
/// `max_out` is the room at `out`: at least `in_len` less the length of the tag. `*out_len` is set to that, after a failure
/// to 0. `out` may be `in`.
///
/// Returns 0, or EVARISTE_ERROR_AUTH, _NULL, _STATE, _OVERLAP, _BUFFER. Whatever makes a message impossible, a nonce of
/// the wrong length say, is EVARISTE_ERROR_AUTH. After a failure what would have been written is zero, as far as there
/// is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_open(
    aead: *const Aead,
    out: *mut u8,
    out_len: *mut usize,
    max_out: usize,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let objects = [Span::of(aead), Span::NOWHERE];
    // SAFETY: the caller's promise, for all of them.
    unsafe {
        let aead = object(aead);
        let tag_in_text = tag_len(aead).min(in_len);
        let call = Call {
            nonce: Input::new(nonce, nonce_len),
            aad: Input::new(aad, aad_len),
            text: Input::new(r#in, in_len),
            tag_in_text,
            out: Output::new(out, max_out, in_len - tag_in_text),
            length: Some(Length::new(out_len)),
            objects,
            ..Call::NONE
        };
        open(aead, &call)
    }
}

/// Encrypts `in_len` bytes at `in` to as many at `out`, and writes the tag to `tag`: evariste_aead_tag_len() bytes. With
/// no text this is GMAC, or CBC-MAC with a nonce.
///
/// `max_out` and `max_tag` are the room at `out` and `tag`. `out` may be `in`.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _NONCE, _AAD, _TEXT. After a failure what would have been
/// written is zero, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_seal_detached(
    aead: *const Aead,
    out: *mut u8,
    max_out: usize,
    tag: *mut u8,
    max_tag: usize,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let objects = [Span::of(aead), Span::NOWHERE];
    // SAFETY: the caller's promise, for all of them.
    unsafe {
        let aead = object(aead);
        let call = Call {
            nonce: Input::new(nonce, nonce_len),
            aad: Input::new(aad, aad_len),
            text: Input::new(r#in, in_len),
            out: Output::new(out, max_out, in_len),
            tag_out: Output::new(tag, max_tag, tag_len(aead)),
            objects,
            ..Call::NONE
        };
        seal(aead, &call)
    }
}

/// Checks the tag of `tag_len` bytes at `tag` and decrypts `in_len` bytes at `in` to as many at `out`.
///
/// `max_out` is the room at `out`, which may be `in`.
///
/// Returns 0, or EVARISTE_ERROR_AUTH, _NULL, _STATE, _OVERLAP, _BUFFER. Whatever makes a message impossible, a nonce or a
/// tag of the wrong length say, is EVARISTE_ERROR_AUTH. After a failure what would have been written is zero, as far as
/// there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_open_detached(
    aead: *const Aead,
    out: *mut u8,
    max_out: usize,
    tag: *const u8,
    tag_len: usize,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let objects = [Span::of(aead), Span::NOWHERE];
    // SAFETY: the caller's promise, for all of them.
    unsafe {
        let call = Call {
            nonce: Input::new(nonce, nonce_len),
            aad: Input::new(aad, aad_len),
            text: Input::new(r#in, in_len),
            tag: Input::new(tag, tag_len),
            out: Output::new(out, max_out, in_len),
            objects,
            ..Call::NONE
        };
        open(object(aead), &call)
    }
}

/// The length of the tags, 0 where there is no key.
#[inline(always)]
fn tag_len(aead: Option<&Aead>) -> usize {
    aead.map_or(0, Aead::tag_len)
}

/// The checks are outside of the guard: they are comparisons of numbers, and where they stand it is known which of the
/// buffers there are.
#[inline(always)]
fn seal(aead: Option<&Aead>, call: &Call) -> c_int {
    let (aead, buffers) = match ready(aead, call) {
        Ok(ready) => ready,
        Err(error) => return call.fail(error),
    };
    let Buffers { nonce, aad, data, tag_out, .. } = buffers;
    let len = data.len() + tag_out.len();
    // In each arm, so that the tag stays in registers where it came in registers.
    let seal = || {
        with_key!(aead, key => {
            write_tag(&key.seal_inout(nonce, aad, data.inout())?, tag_out);
            Ok(())
        })
    };
    told(call, guard(seal), len)
}

#[inline(always)]
fn open(aead: Option<&Aead>, call: &Call) -> c_int {
    let (aead, buffers) = match ready(aead, call) {
        Ok(ready) => ready,
        Err(error) => return call.fail(error.of_opening()),
    };
    let Buffers { nonce, aad, data, tag, .. } = buffers;
    let len = data.len();
    let opened = guard(|| with_key!(aead, key => Ok(key.open_inout(nonce, aad, data.inout(), tag)?)));
    told(call, opened, len)
}

/// The key, if there is one, and the buffers.
#[inline(always)]
fn ready<'a>(aead: Option<&'a Aead>, call: &Call) -> Result<(&'a Aead, Buffers<'a>)> {
    match aead {
        Some(aead) if aead.tag_len() != 0 => Ok((aead, call.buffers()?)),
        Some(_) => Err(call.blame(EVARISTE_ERROR_STATE)),
        None => Err(call.blame(EVARISTE_ERROR_NULL)),
    }
}

/// What a function returns, and zeros where it failed.
#[inline(always)]
pub(crate) fn told(call: &Call, done: Result, len: usize) -> c_int {
    match done {
        Ok(()) => {
            call.set_length(len);
            EVARISTE_OK
        }
        Err(error) => call.fail(error),
    }
}

/// Copies a tag to where there is room for exactly that.
#[inline(always)]
pub(crate) fn write_tag(tag: &Tag, to: &mut [u8]) {
    // Most have 16 bytes, and came in two registers: as a number they go to memory from there.
    match (<&[u8; 16]>::try_from(&**tag), <&mut [u8; 16]>::try_from(&mut *to)) {
        (Ok(tag), Ok(to)) => *to = u128::from_ne_bytes(*tag).to_ne_bytes(),
        _ => write_short(*tag, to),
    }
}

/// By value and out of line: where both copies are of one place, LLVM makes one call of them, by length.
#[cold]
#[inline(never)]
fn write_short(tag: Tag, to: &mut [u8]) {
    to.copy_from_slice(&tag);
}
