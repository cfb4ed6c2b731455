//! Many messages at once.
#![allow(unsafe_code)]

use crate::aead::{Aead, with_key};
use crate::border::{Call, Input, Output, Place, Span, guard, object};
use crate::status::{
    EVARISTE_ERROR_ARGUMENT, EVARISTE_ERROR_AUTH, EVARISTE_ERROR_BUFFER, EVARISTE_ERROR_NULL, EVARISTE_ERROR_OVERLAP,
    EVARISTE_OK, Error, Result, code, is_limit,
};
use evariste::{Aead as _, Message};
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// One of several messages, in place. Set it to zeros first: members that come later will mean nothing then.
#[repr(C)]
pub struct Many {
    /// Its nonce, unique under the key.
    pub nonce: *const u8,
    /// Bytes at `nonce`.
    pub nonce_len: usize,
    /// What is authenticated but not encrypted.
    pub aad: *const u8,
    /// Bytes at `aad`.
    pub aad_len: usize,
    /// The text, which is encrypted or decrypted where it is.
    pub data: *mut u8,
    /// Bytes at `data`.
    pub data_len: usize,
    /// The tag: written by sealing, compared by opening.
    pub tag: *mut u8,
    /// Bytes at `tag`: evariste_aead_tag_len().
    pub tag_len: usize,
    /// Set for every message: 0, or what went wrong with it.
    pub status: c_int,
}

/// Messages that go to the core together. Enough for the lanes of CCM to be filled again and again.
const GROUP: usize = 32;

/// Objects that need not be looked at again.
const NONE: [Span; 2] = [Span::NOWHERE; 2];

/// The caller's array. Its items may be larger than ours.
#[derive(Clone, Copy)]
struct Messages {
    first: *mut Many,
    count: usize,
    step: usize,
}

/// Seals `count` independent messages in place, each as by evariste_aead_seal_detached. CCM runs them side by side, eight
/// long ones in a fourth of the time; short ones of GCM save calls.
///
/// `message_size` is sizeof(evariste_message): programs that know fewer or more members than the library go on working. No
/// message's text or tag may overlap anything of another one; of messages next to each other, 32 at a time, that is
/// checked. Nothing here may lie in the array.
///
/// All are sealed, or none: returns 0, or EVARISTE_ERROR_NULL, _STATE, _ARGUMENT (`message_size`), _OVERLAP, _BUFFER (a tag
/// of another length), _NONCE, _AAD, _TEXT if any message has such an error; so does the `status` of each, if there is an
/// array and a key. After _NULL, _STATE, _ARGUMENT and _OVERLAP texts and tags are untouched, after the others zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_seal_many(
    aead: *const Aead,
    messages: *mut Many,
    count: usize,
    message_size: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let object = unsafe { object(aead) };
    code(guard(|| {
        let messages = Messages::new(messages, count, message_size)?;
        let key = object.ok_or(Error(EVARISTE_ERROR_NULL))?;
        let sealed = messages
            .checked(key, Span::of(aead), || messages.groups(|group| with_key!(key, key => Ok(key.seal_many(group)?))));
        if sealed.is_err_and(|Error(code)| code == EVARISTE_ERROR_BUFFER || is_limit(code)) {
            (0..count).for_each(|n| _ = messages.call(n, NONE).fail(Error(EVARISTE_ERROR_BUFFER)));
        }
        sealed
    }))
}

/// Opens `count` independent messages in place, each as by evariste_aead_open_detached, whatever becomes of the others:
/// `status` of each is 0 or EVARISTE_ERROR_AUTH, and the text of the latter zero. The rest is as with
/// evariste_aead_seal_many.
///
/// Returns 0 if all are authentic, EVARISTE_ERROR_AUTH if one is not; or EVARISTE_ERROR_NULL, _STATE, _ARGUMENT, _OVERLAP,
/// or _NONCE, _AAD, _TEXT for a length that no memory has, after which texts are untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_open_many(
    aead: *const Aead,
    messages: *mut Many,
    count: usize,
    message_size: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let object = unsafe { object(aead) };
    code(guard(|| {
        let messages = Messages::new(messages, count, message_size)?;
        let key = object.ok_or(Error(EVARISTE_ERROR_NULL))?;
        messages
            .checked(key, Span::of(aead), || messages.groups(|group| with_key!(key, key => Ok(key.open_many(group)?))))
    }))
}

impl Messages {
    fn new(first: *mut Many, count: usize, step: usize) -> Result<Self> {
        if count > 0 && first.is_null() {
            return Err(Error(EVARISTE_ERROR_NULL));
        }
        // A program of today's header has at least these members; whole words, so that all are aligned.
        let fits = step >= size_of::<Many>() && step.is_multiple_of(align_of::<Many>());
        if count > 0 && !(fits && first.is_aligned() && count.checked_mul(step).is_some()) {
            return Err(Error(EVARISTE_ERROR_ARGUMENT));
        }
        Ok(Self { first, count, step })
    }

    fn at(self, n: usize) -> *mut Many {
        self.first.wrapping_byte_add(n * self.step)
    }

    /// The buffers of a message. To the core the tag is something to write, also where it is only compared.
    #[inline(always)]
    fn call(self, n: usize, objects: [Span; 2]) -> Call {
        // SAFETY: the caller's promise, for this item of the array and for what it points to.
        unsafe {
            let m = &*self.at(n);
            Call {
                nonce: Input::new(m.nonce, m.nonce_len),
                aad: Input::new(m.aad, m.aad_len),
                text: Input::new(m.data, m.data_len),
                out: Output::new(m.data, m.data_len, m.data_len),
                tag_out: Output::new(m.tag, m.tag_len, m.tag_len),
                objects,
                ..Call::NONE
            }
        }
    }

    fn set_status(self, n: usize, status: c_int) {
        // SAFETY: the caller's promise; no reference to it exists.
        unsafe { (*self.at(n)).status = status }
    }

    /// Runs what `run` does if nothing is wrong with any pointer of any message, which is found out before anything is
    /// written. Sets the status of all, which `run` may change for some.
    fn checked(self, key: &Aead, place: Span, run: impl FnOnce() -> Result) -> Result {
        key.backend()?;
        let result = guard(|| {
            let objects = [place, Span::bytes(self.first, self.count * self.step)];
            (0..self.count).try_for_each(|n| self.call(n, objects).buffers().map(drop))?;
            (0..self.count).step_by(GROUP).try_for_each(|at| self.apart(at))?;
            (0..self.count).for_each(|n| self.set_status(n, EVARISTE_OK));
            run()
        });
        // One that is not authentic concerns no other.
        if result.is_err_and(|error| error != Error(EVARISTE_ERROR_AUTH)) {
            (0..self.count).for_each(|n| self.set_status(n, code(result)));
        }
        result
    }

    /// Whether the messages of a group have nothing in common that is written.
    fn apart(self, at: usize) -> Result {
        let range = at..self.count.min(at + GROUP);
        let (mut outputs, mut used) = ([Place::NOWHERE; 2 * GROUP], 0);
        for output in range.clone().flat_map(|n| self.call(n, NONE).outputs()).filter(|o| !o.is_empty()) {
            outputs[used] = output;
            used += 1;
        }
        let outputs = &mut outputs[..used];
        // Buffers often lie in memory in the order of the messages.
        let in_order = |outputs: &[Place]| outputs.windows(2).all(|w| w[0].is_before(w[1]));
        if !in_order(outputs) {
            outputs.sort_unstable_by_key(|o| o.start());
            if !in_order(outputs) {
                return Err(Error(EVARISTE_ERROR_OVERLAP));
            }
        }
        for n in range {
            if self.call(n, NONE).reads_from(outputs) {
                return Err(Error(EVARISTE_ERROR_OVERLAP));
            }
        }
        Ok(())
    }

    /// Hands all to the core, group by group, and takes from there which are authentic.
    #[inline(always)]
    fn groups(self, run: impl Fn(&mut [Message<'_>]) -> Result) -> Result {
        let mut all = Ok(());
        for at in (0..self.count).step_by(GROUP) {
            let len = GROUP.min(self.count - at);
            let mut group = [const { MaybeUninit::uninit() }; GROUP];
            for (n, message) in group[..len].iter_mut().enumerate() {
                message.write(self.call(at + n, NONE).message()?);
            }
            // SAFETY: just written, `len` of them.
            let group = unsafe { std::slice::from_raw_parts_mut(group.as_mut_ptr().cast::<Message<'_>>(), len) };
            match run(group) {
                Err(Error(EVARISTE_ERROR_AUTH)) => {
                    let failed = group.iter().enumerate().filter(|(_, message)| !message.authentic);
                    failed.for_each(|(n, _)| self.set_status(at + n, EVARISTE_ERROR_AUTH));
                    all = Err(Error(EVARISTE_ERROR_AUTH));
                }
                result => result?,
            }
        }
        all
    }
}
