//! The border: NSS's pointers, compared as places before they become references.
//!
//! All rests on one promise, freebl's: *a pointer that comes with a length is null or good for so many initialized bytes,
//! outputs and what is behind parameters for writing where they are written, until the call returns, and nobody else
//! writes them, or reads what is written, meanwhile; a context came from this table, lives, and is used by one thread at a
//! time.* It is "the caller's promise" below.
#![allow(unsafe_code)]

use crate::context::Context;
use crate::error::{Error, Result};
use crate::freebl::{FAILURE, SUCCESS};
use crate::original;
use crate::system;
use evariste::{Block, InOut};
use std::alloc::Layout;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A length that `at` may have: none, or some of what memory has, and not at null.
fn length(at: *const u8, len: impl TryInto<usize>) -> Result<usize> {
    let len = len.try_into().map_err(|_| Error::INVALID_ARGS)?;
    if len > isize::MAX as usize || (at.is_null() && len != 0) { Err(Error::INVALID_ARGS) } else { Ok(len) }
}

/// Bytes to read; none at null where there are none.
///
/// # Errors
/// `INVALID_ARGS`: some at null, or more than memory has.
///
/// # Safety
/// The caller's promise.
pub(crate) unsafe fn bytes<'a>(at: *const u8, len: impl TryInto<usize>) -> Result<&'a [u8]> {
    match length(at, len)? {
        0 => Ok(&[]),
        // SAFETY: the caller's promise; not null, and no longer than memory is.
        len => Ok(unsafe { std::slice::from_raw_parts(at, len) }),
    }
}

/// Bytes to change.
///
/// # Errors
/// As [`bytes`].
///
/// # Safety
/// The caller's promise, and nothing else refers to them.
pub(crate) unsafe fn bytes_mut<'a>(at: *mut u8, len: impl TryInto<usize>) -> Result<&'a mut [u8]> {
    match length(at, len)? {
        0 => Ok(&mut []),
        // SAFETY: the caller's promise; not null, and no longer than memory is.
        len => Ok(unsafe { std::slice::from_raw_parts_mut(at, len) }),
    }
}

/// Parameters, which need not be aligned.
///
/// # Errors
/// `INVALID_ARGS` for null.
///
/// # Safety
/// Null, or a `T` that the caller has filled.
pub(crate) unsafe fn params<T: Copy>(at: *const c_void) -> Result<T> {
    // SAFETY: the caller's promise; not null.
    if at.is_null() { Err(Error::INVALID_ARGS) } else { Ok(unsafe { at.cast::<T>().read_unaligned() }) }
}

/// Where something is to be written.
#[derive(Clone, Copy)]
pub(crate) struct Output(*mut u8);

impl Output {
    /// # Safety
    /// The caller's promise, for what the calls below write.
    pub(crate) unsafe fn new(at: *mut u8) -> Self {
        Self(at)
    }

    /// Reads `len` bytes at `input`, writes as many here. The two may overlap in any way; where it is not in one of the
    /// two that the core takes, the input is moved to the output first.
    ///
    /// # Safety
    /// The caller's promise, of `input`, too, and nothing refers to the output while the result lives.
    pub(crate) unsafe fn data_from<'a>(self, input: *const u8, len: usize) -> InOut<'a> {
        if len == 0 {
            return InOut::from(&mut []);
        }
        let apart = input.addr().abs_diff(self.0.addr()) >= len;
        if apart || input.addr() == self.0.addr() {
            // SAFETY: the caller's promise; the same place, or no byte in common.
            return unsafe { InOut::from_raw(input, self.0, len) };
        }
        // SAFETY: the caller's promise. After the move the input is not looked at again.
        unsafe {
            self.move_from(input, len);
            InOut::from_raw(self.0, self.0, len)
        }
    }

    /// Moves the input here, if it is not here; the two may overlap in any way.
    ///
    /// # Safety
    /// The caller's promise, of `input`, too, and nothing refers to the output.
    pub(crate) unsafe fn move_from(self, input: *const u8, len: usize) {
        if len > 0 {
            // SAFETY: the caller's promise; a move may overlap.
            unsafe { std::ptr::copy(input, self.0, len) };
        }
    }

    /// The output as whole blocks.
    ///
    /// # Errors
    /// `INVALID_ARGS` for some at null.
    ///
    /// # Safety
    /// The caller's promise, the output holds something, and nothing refers to it while the result lives.
    pub(crate) unsafe fn blocks<'a>(self, len: usize) -> Result<&'a mut [Block]> {
        // SAFETY: the caller's promise.
        Ok(unsafe { bytes_mut(self.0, len) }?.as_chunks_mut().0)
    }

    /// Refuses what lies in the first `len` bytes here and is to be read while they are written.
    ///
    /// # Errors
    /// `INVALID_ARGS`.
    pub(crate) fn apart_from(self, len: usize, input: &[u8]) -> Result {
        let (at, other) = (self.0.addr(), input.as_ptr().addr());
        let meet = len > 0 && !input.is_empty() && at < other + input.len() && other < at + len;
        if meet { Err(Error::INVALID_ARGS) } else { Ok(()) }
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Safety
    /// There is room for them, and nothing refers to that.
    pub(crate) unsafe fn write(self, offset: usize, bytes: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.0.add(offset), bytes.len()) };
    }

    /// Zeros.
    ///
    /// # Safety
    /// There is room for them, and nothing refers to that.
    pub(crate) unsafe fn wipe(self, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.write_bytes(0, len) };
    }
}

/// Runs an entry; what fails sets the error. What could only panic by a bug is an error, too: no panic may leave for C.
#[inline]
pub(crate) fn guard(call: impl FnOnce() -> Result) -> c_int {
    match catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Error::LIBRARY_FAILURE)) {
        Ok(()) => SUCCESS,
        Err(Error(code)) => {
            system::set_error(code);
            FAILURE
        }
    }
}

/// An error that has been set, by NSS's own code.
pub(crate) fn theirs(status: c_int) -> c_int {
    if status == SUCCESS { SUCCESS } else { FAILURE }
}

/// An empty context on the heap, null if there is no memory, for which `Box` would end the program.
pub(crate) fn allocate() -> *mut Context {
    // SAFETY: the layout is not empty. Zeros are an empty context: `Context` says so.
    let at = unsafe { std::alloc::alloc_zeroed(Layout::new::<Context>()) };
    if at.is_null() {
        system::set_error(Error::NO_MEMORY.0);
    }
    at.cast()
}

/// Empties a context. An assignment of an empty one would copy what happens to lie on the stack, which may be of a key.
pub(crate) fn clear(cx: &mut Context) {
    // SAFETY: dropped, which wipes keys, and at once overwritten with zeros, which are an empty one. `black_box` keeps them.
    unsafe {
        std::ptr::drop_in_place(cx);
        std::ptr::write_bytes(cx, 0, 1);
    }
    std::hint::black_box(cx);
}

/// A context of the caller.
///
/// # Errors
/// `INVALID_ARGS` for null.
///
/// # Safety
/// The caller's promise.
pub(crate) unsafe fn context<'a>(at: *mut c_void) -> Result<&'a mut Context> {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<Context>().as_mut() }.ok_or(Error::INVALID_ARGS)
}

/// Gives a context back, whose keys are wiped.
///
/// # Safety
/// The caller's promise, and that it will not be used again.
pub(crate) unsafe fn free(at: *mut c_void) {
    let at: *mut Context = at.cast();
    // SAFETY: the caller's promise: from `allocate`.
    unsafe {
        clear(&mut *at);
        std::alloc::dealloc(at.cast(), Layout::new::<Context>());
    }
}

/// A context of NSS's own code, destroyed with whoever holds it.
pub(crate) struct Theirs(*mut c_void);

impl Theirs {
    /// An empty one.
    ///
    /// # Errors
    /// `NO_MEMORY`.
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: their function, which takes nothing.
        let at = unsafe { (original::functions().allocate)() };
        if at.is_null() { Err(Error::NO_MEMORY) } else { Ok(Self(at)) }
    }

    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.0
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: their function and a context of theirs, which nobody else has.
        unsafe { (original::functions().destroy)(self.0, 1) };
    }
}
