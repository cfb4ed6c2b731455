//! The border: pointers of the caller are compared as places, and only then become references.
//!
//! All `unsafe` of this crate rests on one promise, which the header makes the caller's: *a pointer that comes with a
//! length is null or good for so many initialized bytes, outputs for writing, until the call returns, and nobody else
//! writes them, or reads what is written, meanwhile; an object was initialized by this library, lives, and is used by
//! one thread at a time where it is not `const`.* Functions that take pointers take this promise, and say "the
//! caller's promise" where it is passed on. What the promise does not cover is checked here: null pointers, lengths
//! that no memory has, and outputs that overlap something.
#![allow(unsafe_code)]

mod call;

pub(crate) use call::{Buffers, Call, Length, Place};

use crate::status::{
    EVARISTE_ERROR_BUFFER, EVARISTE_ERROR_INTERNAL, EVARISTE_ERROR_MEMORY, EVARISTE_ERROR_NULL, EVARISTE_ERROR_OVERLAP,
    Error, Result,
};
use std::alloc::Layout;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where something lies.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    at: usize,
    len: usize,
}

impl Span {
    pub(crate) const NOWHERE: Self = Self { at: 0, len: 0 };

    #[inline(always)]
    pub(crate) fn of<T>(object: *const T) -> Self {
        Self { at: object.addr(), len: size_of::<T>() }
    }

    pub(crate) fn bytes<T>(start: *const T, len: usize) -> Self {
        Self { at: start.addr(), len }
    }

    /// Whether the two have a byte in common. The distances wrap, so that no end has to be computed. What starts at
    /// null is nowhere, so that two null pointers are not an overlap.
    fn meets(self, other: Self) -> bool {
        let apart = (self.at.wrapping_sub(other.at) >= other.len) & (other.at.wrapping_sub(self.at) >= self.len);
        !apart & (self.len != 0) & (other.len != 0) & (self.at != 0) & (other.at != 0)
    }

    /// The same by one comparison, how far the other's end is behind this one's start; also true of some where this one
    /// is empty. Lengths are within `isize::MAX`.
    #[inline(always)]
    fn may_meet(self, other: Self) -> bool {
        let behind = other.at.wrapping_add(other.len).wrapping_sub(self.at).wrapping_sub(1);
        other.len != 0 && behind < self.len.wrapping_add(other.len).wrapping_sub(1)
    }

    fn end(self) -> usize {
        self.at.wrapping_add(self.len)
    }
}

/// Bytes to read.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    ptr: *const u8,
    len: usize,
}

impl Input {
    pub(crate) const NONE: Self = Self { ptr: std::ptr::dangling(), len: 0 };

    /// # Safety
    /// The caller's promise.
    #[inline(always)]
    pub(crate) unsafe fn new(ptr: *const u8, len: usize) -> Self {
        Self { ptr, len }
    }

    #[inline(always)]
    fn span(self) -> Span {
        Span { at: self.ptr.addr(), len: self.len }
    }

    /// Refuses what lies in an object that is to be written.
    pub(crate) fn apart(self, object: Span) -> Result {
        if self.span().meets(object) { Err(Error(EVARISTE_ERROR_OVERLAP)) } else { Ok(()) }
    }

    /// Refuses a null pointer to something, and with `too_long` what no memory has.
    fn check(self, too_long: c_int) -> Result {
        match self.len {
            0 => Ok(()),
            _ if self.ptr.is_null() => Err(Error(EVARISTE_ERROR_NULL)),
            len if len > isize::MAX as usize => Err(Error(too_long)),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn bytes<'a>(self, too_long: c_int) -> Result<&'a [u8]> {
        self.check(too_long)?;
        // SAFETY: just checked.
        Ok(unsafe { self.somewhere().slice() })
    }

    /// The same; nothing, but not at null, if it was nothing at null.
    #[inline(always)]
    fn somewhere(self) -> Self {
        Self { ptr: if self.ptr.is_null() { std::ptr::dangling() } else { self.ptr }, ..self }
    }

    /// # Safety
    /// [`check`](Self::check) would find nothing, and it is [`somewhere`](Self::somewhere).
    #[inline(always)]
    unsafe fn slice<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise, which `new` took; not null.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

/// Bytes to write: how many there is room for, and how many it will be.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    ptr: *mut u8,
    room: usize,
    len: usize,
}

impl Output {
    pub(crate) const NONE: Self = Self { ptr: std::ptr::dangling_mut(), room: 0, len: 0 };

    /// # Safety
    /// The caller's promise, of `room` bytes.
    #[inline(always)]
    pub(crate) unsafe fn new(ptr: *mut u8, room: usize, len: usize) -> Self {
        Self { ptr, room, len }
    }

    /// What would be written, if there is room.
    #[inline(always)]
    fn whole(self) -> Span {
        Span { at: self.ptr.addr(), len: self.len }
    }

    /// What would be written, as far as there is room for it.
    fn span(self) -> Span {
        let len = if self.ptr.is_null() { 0 } else { self.len.min(self.room) };
        Span { at: self.ptr.addr(), len }
    }

    fn check(self) -> Result {
        match self.len {
            0 => Ok(()),
            _ if self.ptr.is_null() => Err(Error(EVARISTE_ERROR_NULL)),
            len if len > self.room => Err(Error(EVARISTE_ERROR_BUFFER)),
            _ => Ok(()),
        }
    }

    /// The same; nothing, but not at null, if it was nothing at null.
    #[inline(always)]
    fn somewhere(self) -> Self {
        Self { ptr: if self.ptr.is_null() { std::ptr::dangling_mut() } else { self.ptr }, ..self }
    }

    /// The last `len` of the bytes.
    ///
    /// # Safety
    /// [`check`](Self::check) would find nothing, it is [`somewhere`](Self::somewhere), there are as many, and nothing else
    /// has a reference to them.
    #[inline(always)]
    unsafe fn last<'a>(self, len: usize) -> &'a mut [u8] {
        // SAFETY: the caller's promise, which `new` took; not null, and room enough.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.add(self.len - len), len) }
    }

    /// Zeros, as far as there is room for them.
    fn clear(self) {
        let len = self.span().len;
        if len != 0 && len <= isize::MAX as usize {
            // SAFETY: the caller's promise, which `new` took: not null, and `len` is within the room.
            unsafe { self.ptr.write_bytes(0, len) }
        }
    }
}

/// Runs what could only panic by a bug, and turns that into an error: no panic may leave for C.
#[inline(always)]
pub(crate) fn guard<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    // Whoever called throws away what the call may have left half done.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Error(EVARISTE_ERROR_INTERNAL)))
}

/// An object of the caller, to use.
///
/// # Safety
/// The caller's promise.
#[inline(always)]
pub(crate) unsafe fn object<'a, T>(at: *const T) -> Option<&'a T> {
    // SAFETY: the caller's promise: null, or an object that lives.
    unsafe { at.as_ref() }
}

/// An object of the caller, to change.
///
/// # Safety
/// The caller's promise.
#[inline(always)]
pub(crate) unsafe fn object_mut<'a, T>(at: *mut T) -> Option<&'a mut T> {
    // SAFETY: the caller's promise: null, or an object that lives, and that nobody else uses.
    unsafe { at.as_mut() }
}

/// An object in memory of the caller, which has `size` bytes and may hold anything.
///
/// # Safety
/// The caller's promise, but that the memory need not be initialized.
pub(crate) unsafe fn place<'a, T>(at: *mut T, size: usize, value: T) -> Result<&'a mut T> {
    if at.is_null() {
        return Err(Error(EVARISTE_ERROR_NULL));
    }
    if size < size_of::<T>() || !at.is_aligned() {
        return Err(Error(EVARISTE_ERROR_BUFFER));
    }
    // SAFETY: the caller's promise; not null, aligned and large enough: checked above.
    unsafe {
        at.write(value);
        Ok(&mut *at)
    }
}

/// Makes an object on the heap, and leaves a pointer to it for the caller, null if that fails. The allocation may fail,
/// where `Box` would end the program.
///
/// # Safety
/// The caller's promise.
pub(crate) unsafe fn allocate<T>(to: *mut *mut T, value: T, init: impl FnOnce(&mut T) -> Result) -> Result {
    const { assert!(size_of::<T>() > 0) };
    if to.is_null() {
        return Err(Error(EVARISTE_ERROR_NULL));
    }
    // SAFETY: the caller's promise; not null.
    unsafe { to.write(std::ptr::null_mut()) };
    // SAFETY: the layout is not empty.
    let at: *mut T = unsafe { std::alloc::alloc(Layout::new::<T>()) }.cast();
    // SAFETY: null, or memory of this size and alignment that nobody else knows.
    let object = unsafe { place(at, size_of::<T>(), value) }.map_err(|_| Error(EVARISTE_ERROR_MEMORY))?;
    let result = guard(|| init(object));
    match result {
        // SAFETY: the caller's promise; not null.
        Ok(()) => unsafe { to.write(at) },
        // SAFETY: made above, and nobody else knows it.
        Err(_) => unsafe { free(at) },
    }
    result
}

/// Gives an object from [`allocate`] back, all of it wiped: dropping it leaves what was moved out of it, as the state
/// of a message that has ended, and what came along where it was moved in.
///
/// # Safety
/// The caller's promise, and `at` is null or from [`allocate`].
pub(crate) unsafe fn free<T>(at: *mut T) {
    if !at.is_null() {
        // SAFETY: the caller's promise: an object that lives, from `allocate`, and that nobody will use again.
        unsafe {
            at.drop_in_place();
            wipe(at);
            std::alloc::dealloc(at.cast(), Layout::new::<T>());
        }
    }
}

/// Zeros in all memory of an object that has been dropped, in words, which the compiler may not leave out.
///
/// # Safety
/// `at` is good for writing a `T`, and nobody has a reference to it.
unsafe fn wipe<T>(at: *mut T) {
    const { assert!(align_of::<T>() >= align_of::<u64>()) };
    for n in 0..size_of::<T>() / size_of::<u64>() {
        // SAFETY: within the object, and aligned as it is: checked above, and so is its size a whole number of words.
        unsafe { at.cast::<u64>().add(n).write_volatile(0) }
    }
}

/// A string of the caller.
///
/// # Safety
/// Null, or a string that ends in a zero and stays as it is until the call returns.
pub(crate) unsafe fn name_of<'a>(name: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller's promise; not null.
    if name.is_null() { None } else { Some(unsafe { CStr::from_ptr(name) }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_panic_leaves() {
        let caught = guard(|| if std::hint::black_box(true) { panic!("on purpose, by a test") } else { Ok(()) });
        assert_eq!(caught, Err(Error(EVARISTE_ERROR_INTERNAL)));
        assert_eq!(guard(|| Ok(3)), Ok(3));
    }

    /// All pairs of short spans, also around the end of addresses: one comparison is true of all that meet, and, where the
    /// first is not empty, of no others.
    #[test]
    fn overlaps_by_one_comparison() {
        let spans = || (0..12).flat_map(|at| (0..6).map(move |len| Span { at: usize::wrapping_sub(at, 6), len }));
        let bytes = |s: Span| (0..s.len).map(move |n| s.at.wrapping_add(n));
        for a in spans() {
            for b in spans() {
                let meet = bytes(a).any(|x| bytes(b).any(|y| x == y));
                assert_eq!(a.meets(b), meet && a.at != 0 && b.at != 0, "{} {} {} {}", a.at, a.len, b.at, b.len);
                assert!(a.may_meet(b) == meet || (a.len == 0 && !meet), "{} {} {} {}", a.at, a.len, b.at, b.len);
            }
        }
    }
}
