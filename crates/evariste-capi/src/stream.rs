//! Messages in pieces.
#![allow(unsafe_code)]

use crate::aead::{Aead, EVARISTE_STORAGE_ALIGN, Key};
use crate::border::{Buffers, Call, Input, Length, Output, Span, allocate, free, guard, object, object_mut, place};
use crate::message::{told, write_tag};
use crate::status::{
    EVARISTE_ERROR_AAD, EVARISTE_ERROR_ARGUMENT, EVARISTE_ERROR_AUTH, EVARISTE_ERROR_NONCE, EVARISTE_ERROR_NULL,
    EVARISTE_ERROR_STATE, Error, Result, code,
};
use evariste::hazmat::{CcmOpener, GcmOpener};
use evariste::{CcmSealer, CcmStream, GcmSealer, GcmStream, InOut, Tag};
use std::ffi::c_int;

/// Bytes that are enough for an evariste_stream in all versions of the library with this soname.
pub const EVARISTE_STREAM_STORAGE: usize = 1024;

const _: () = assert!(size_of::<Stream>() <= EVARISTE_STREAM_STORAGE && align_of::<Stream>() <= EVARISTE_STORAGE_ALIGN);

/// As an operation: texts are encrypted.
pub const EVARISTE_SEAL: c_int = 1;
/// As an operation: texts are decrypted, and handed out *before* anything says that they are authentic. A program that acts
/// on such text, or only shows it, lets an attacker learn from how it reacts: hold it back until
/// evariste_stream_finish_open returns 0, and throw it away if it does not.
pub const EVARISTE_OPEN_UNVERIFIED: c_int = 2;

/// One message after the other under keys for AES-GCM and AES-CCM, in pieces of any length. To be used by one thread at a
/// time. It must stay where it is, and so must the key, from the beginning of a message until its end.
///
/// A message is: begin, additional data, text, finish. Whatever fails on the way ends it: until another one begins, every
/// call fails, with EVARISTE_ERROR_STATE unless its buffers have an error of their own.
pub struct Stream {
    state: State,
    /// Where the key is, which no output may overlap.
    key: Span,
    tag_len: usize,
}

/// How far a message is. The keys live as long as the caller promised.
enum State {
    /// Nothing has begun, or it has ended.
    None,
    GcmAad(GcmStream<'static>, Operation),
    CcmAad(CcmStream<'static>, Operation),
    GcmSeal(GcmSealer<'static>),
    GcmOpen(GcmOpener<'static>),
    CcmSeal(CcmSealer<'static>),
    CcmOpen(CcmOpener<'static>),
}

#[derive(Clone, Copy)]
enum Operation {
    Seal,
    Open,
}

impl Stream {
    const NONE: Self = Self { state: State::None, key: Span::NOWHERE, tag_len: 0 };

    fn begin(&mut self, key: &'static Aead, operation: c_int, nonce: &[u8], announced: Option<[u64; 2]>) -> Result {
        let operation = match operation {
            EVARISTE_SEAL => Operation::Seal,
            EVARISTE_OPEN_UNVERIFIED => Operation::Open,
            _ => return Err(Error(EVARISTE_ERROR_ARGUMENT)),
        };
        self.state = match (&key.key, announced) {
            (Key::Gcm(gcm), None) => State::GcmAad(gcm.stream(nonce)?, operation),
            (Key::Ccm(ccm), Some([aad, text])) => State::CcmAad(ccm.stream(nonce, aad, text)?, operation),
            (Key::None, _) => return Err(Error(EVARISTE_ERROR_STATE)),
            _ => return Err(Error(EVARISTE_ERROR_ARGUMENT)),
        };
        (self.key, self.tag_len) = (Span::of(key), key.tag_len());
        Ok(())
    }

    fn aad(&mut self, aad: &[u8]) -> Result {
        match &mut self.state {
            State::GcmAad(stream, _) => stream.aad(aad)?,
            State::CcmAad(stream, _) => stream.aad(aad)?,
            _ => return Err(Error(EVARISTE_ERROR_STATE)),
        }
        Ok(())
    }

    /// Ends the additional data, if it has not ended.
    #[inline(always)]
    fn text(&mut self) -> Result {
        if matches!(self.state, State::GcmAad(..) | State::CcmAad(..)) { self.end_aad() } else { Ok(()) }
    }

    #[cold]
    fn end_aad(&mut self) -> Result {
        self.state = match std::mem::replace(&mut self.state, State::None) {
            State::GcmAad(stream, Operation::Seal) => State::GcmSeal(stream.seal()),
            State::GcmAad(stream, Operation::Open) => State::GcmOpen(stream.into()),
            State::CcmAad(stream, Operation::Seal) => State::CcmSeal(stream.seal()?),
            State::CcmAad(stream, Operation::Open) => State::CcmOpen(stream.try_into()?),
            text => text,
        };
        Ok(())
    }

    fn update(&mut self, data: InOut<'_>) -> Result {
        self.text()?;
        match &mut self.state {
            State::GcmSeal(sealer) => sealer.update(data)?,
            State::GcmOpen(opener) => opener.update(data)?,
            State::CcmSeal(sealer) => sealer.update(data)?,
            State::CcmOpen(opener) => opener.update(data)?,
            _ => return Err(Error(EVARISTE_ERROR_STATE)),
        }
        Ok(())
    }

    fn finish_seal(&mut self) -> Result<Tag> {
        self.text()?;
        match std::mem::replace(&mut self.state, State::None) {
            State::GcmSeal(sealer) => Ok(sealer.finish()),
            State::CcmSeal(sealer) => Ok(sealer.finish()?),
            _ => Err(Error(EVARISTE_ERROR_STATE)),
        }
    }

    fn finish_open(&mut self, tag: &[u8]) -> Result {
        self.text()?;
        match std::mem::replace(&mut self.state, State::None) {
            State::GcmOpen(opener) => opener.finish(tag)?,
            State::CcmOpen(opener) => opener.finish(tag)?,
            _ => return Err(Error(EVARISTE_ERROR_STATE)),
        }
        Ok(())
    }

    /// Runs a call, after whose failure the message is over.
    #[inline(always)]
    fn run(&mut self, run: impl FnOnce(&mut Self) -> Result) -> Result {
        let result = guard(|| run(self));
        if result.is_err() {
            self.state = State::None;
        }
        result
    }
}

/// Bytes that an evariste_stream takes: never more than EVARISTE_STREAM_STORAGE.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_stream_size() -> usize {
    size_of::<Stream>()
}

/// What memory for an evariste_stream must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_stream_align() -> usize {
    align_of::<Stream>()
}

/// Makes a stream in memory of the caller, which has `size` bytes and may hold anything. No message has begun.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_stream_size(), or `stream` is not aligned).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_init(stream: *mut Stream, size: usize) -> c_int {
    // SAFETY: the caller's promise.
    code(unsafe { place(stream, size, Stream::NONE) }.map(drop))
}

/// Wipes a stream in memory of the caller, and ends its message; the memory is the caller's again. Null is nothing to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_cleanup(stream: *mut Stream) {
    // SAFETY: the caller's promise.
    if let Some(stream) = unsafe { object_mut(stream) } {
        *stream = Stream::NONE;
    }
}

/// Makes a stream on the heap, and leaves a pointer to it in `*stream`; null after a failure. To be given back with
/// evariste_stream_free.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_new(stream: *mut *mut Stream) -> c_int {
    // SAFETY: the caller's promise.
    code(unsafe { allocate(stream, Stream::NONE, |_| Ok(())) })
}

/// Wipes a stream from evariste_stream_new and gives its memory back. Null is nothing to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_free(stream: *mut Stream) {
    // SAFETY: the caller's promise.
    unsafe { free(stream) }
}

/// Begins a message under a key for AES-GCM; one that has not been finished is given up. `operation` is EVARISTE_SEAL or
/// EVARISTE_OPEN_UNVERIFIED.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE (the key object has no key), _ARGUMENT (`operation`, or a key for something
/// else), _OVERLAP (the nonce lies in the stream), _NONCE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_begin(
    stream: *mut Stream,
    aead: *const Aead,
    operation: c_int,
    nonce: *const u8,
    nonce_len: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let nonce = unsafe { Input::new(nonce, nonce_len) };
    let apart = nonce.apart(Span::of(stream));
    // SAFETY: the caller's promise, also that the key stays until the message's end.
    let (stream, aead) = unsafe { (object_mut(stream), object(aead)) };
    code(begin(stream, aead, operation, apart.map(|()| nonce), None))
}

/// Begins a message under a key for AES-CCM, of exactly `aad_len` bytes of additional data and `text_len` bytes of text,
/// which are the first thing that is authenticated; one that has not been finished is given up. `operation` is
/// EVARISTE_SEAL or EVARISTE_OPEN_UNVERIFIED.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE (the key object has no key), _ARGUMENT (`operation`, or a key for something
/// else), _OVERLAP (the nonce lies in the stream), _NONCE, _TEXT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_begin_ccm(
    stream: *mut Stream,
    aead: *const Aead,
    operation: c_int,
    nonce: *const u8,
    nonce_len: usize,
    aad_len: u64,
    text_len: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    let nonce = unsafe { Input::new(nonce, nonce_len) };
    let apart = nonce.apart(Span::of(stream));
    // SAFETY: the caller's promise, also that the key stays until the message's end.
    let (stream, aead) = unsafe { (object_mut(stream), object(aead)) };
    code(begin(stream, aead, operation, apart.map(|()| nonce), Some([aad_len, text_len])))
}

fn begin(
    stream: Option<&mut Stream>,
    aead: Option<&'static Aead>,
    operation: c_int,
    nonce: Result<Input>,
    announced: Option<[u64; 2]>,
) -> Result {
    stream.ok_or(Error(EVARISTE_ERROR_NULL))?.run(|stream| {
        stream.state = State::None;
        let aead = aead.ok_or(Error(EVARISTE_ERROR_NULL))?;
        stream.begin(aead, operation, nonce?.bytes(EVARISTE_ERROR_NONCE)?, announced)
    })
}

/// Takes in the next piece of additional data, before all text.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP (it lies in the stream), _AAD (the total is too long, or longer than
/// announced). A failure ends the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_aad(stream: *mut Stream, aad: *const u8, aad_len: usize) -> c_int {
    // SAFETY: the caller's promise.
    let aad = unsafe { Input::new(aad, aad_len) };
    let apart = aad.apart(Span::of(stream));
    // SAFETY: the caller's promise.
    let Some(stream) = (unsafe { object_mut(stream) }) else { return EVARISTE_ERROR_NULL };
    code(stream.run(|stream| apart.and_then(|()| stream.aad(aad.bytes(EVARISTE_ERROR_AAD)?))))
}

/// Encrypts or decrypts the next piece of text: `in_len` bytes at `in`, to as many at `out`, which may be `in`. `max_out`
/// is the room at `out`.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _TEXT (the total is too long, or longer than announced),
/// _UNFINISHED (less additional data than announced). A failure ends the message; what would have been written is zero
/// then, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_update(
    stream: *mut Stream,
    out: *mut u8,
    max_out: usize,
    r#in: *const u8,
    in_len: usize,
) -> c_int {
    let place = Span::of(stream);
    // SAFETY: the caller's promise, for all of them.
    let (stream, call) = unsafe {
        let (text, out) = (Input::new(r#in, in_len), Output::new(out, max_out, in_len));
        let stream = object_mut(stream);
        let objects = [place, key_of(&stream)];
        (stream, Call { text, out, objects, ..Call::NONE })
    };
    let Some(stream) = stream else { return call.fail(call.blame(EVARISTE_ERROR_NULL)) };
    let buffers = call.text.apart(place).and_then(|()| call.buffers());
    told(&call, stream.run(|stream| stream.update(buffers?.data.inout())), in_len)
}

/// Ends a message that was being sealed, and writes its tag to `tag`: evariste_aead_tag_len() bytes, to which `*tag_len` is
/// set; after a failure to 0. `max_tag` is the room at `tag`.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE (which includes that the message was being opened), _OVERLAP, _BUFFER,
/// _UNFINISHED (less than announced). The message has ended in any case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_finish_seal(
    stream: *mut Stream,
    tag: *mut u8,
    tag_len: *mut usize,
    max_tag: usize,
) -> c_int {
    let place = Span::of(stream);
    // SAFETY: the caller's promise, for all of them.
    let (stream, call) = unsafe {
        let stream = object_mut(stream);
        let tag_out = Output::new(tag, max_tag, stream.as_ref().map_or(0, |stream| stream.tag_len));
        let (length, objects) = (Some(Length::new(tag_len)), [place, key_of(&stream)]);
        (stream, Call { tag_out, length, objects, ..Call::NONE })
    };
    let Some(stream) = stream else { return call.fail(call.blame(EVARISTE_ERROR_NULL)) };
    let (buffers, len) = (call.buffers(), stream.tag_len);
    let finished = stream.run(|stream| {
        let Buffers { tag_out, .. } = buffers?;
        write_tag(&stream.finish_seal()?, tag_out);
        Ok(())
    });
    told(&call, finished, len)
}

/// Where the key of a stream's message is.
fn key_of(stream: &Option<&mut Stream>) -> Span {
    stream.as_ref().map_or(Span::NOWHERE, |stream| stream.key)
}

/// Ends a message that was being opened, and compares its tag with the `tag_len` bytes at `tag`, in constant time.
///
/// Returns 0, or EVARISTE_ERROR_AUTH: then all that was handed out must be thrown away; or EVARISTE_ERROR_NULL, _STATE
/// (which includes that the message was being sealed), _OVERLAP (the tag lies in the stream). The message has ended in any
/// case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_stream_finish_open(stream: *mut Stream, tag: *const u8, tag_len: usize) -> c_int {
    // SAFETY: the caller's promise.
    let tag = unsafe { Input::new(tag, tag_len) };
    let apart = tag.apart(Span::of(stream));
    // SAFETY: the caller's promise.
    let Some(stream) = (unsafe { object_mut(stream) }) else { return EVARISTE_ERROR_NULL };
    let result = stream.run(|stream| {
        let finished = apart.and_then(|()| stream.finish_open(tag.bytes(EVARISTE_ERROR_AUTH)?));
        stream.state = State::None;
        finished
    });
    code(result.map_err(Error::of_opening))
}
