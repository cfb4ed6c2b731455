//! A buffer to read and the buffer to write: one and the same, or two apart.
#![allow(unsafe_code)]

pub(crate) mod feeds;

pub(crate) use feeds::{AHEAD, Feed, Feeds, Link};

use crate::{Block, LimitError};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Where a message is read from and where it goes: in place, or to another buffer of equal length.
///
/// Safe Rust rules out a partial overlap. Made from `&mut [u8]` by [`From`], from two buffers by
/// [`new`](Self::new) or [`uninit`](Self::uninit), from pointers of another language by [`from_raw`](Self::from_raw).
#[derive(Debug)]
pub struct InOut<'a, T = u8> {
    src: *const T,
    dst: *mut T,
    len: usize,
    life: PhantomData<(&'a [T], &'a mut [T])>,
}

impl<'a, T: Plain> InOut<'a, T> {
    /// Reads `src`, writes `dst`.
    ///
    /// # Errors
    /// [`LimitError::Buffer`] when the two differ in length.
    #[inline]
    pub fn new(src: &'a [T], dst: &'a mut [T]) -> Result<Self, LimitError> {
        if src.len() != dst.len() {
            return Err(LimitError::Buffer);
        }
        Ok(Self { src: src.as_ptr(), dst: dst.as_mut_ptr(), len: dst.len(), life: PhantomData })
    }

    /// As [`new`](Self::new), to memory that holds nothing yet.
    ///
    /// # Errors
    /// [`LimitError::Buffer`] when the two differ in length.
    #[inline]
    pub fn uninit(src: &'a [T], dst: &'a mut [MaybeUninit<T>]) -> Result<Self, LimitError> {
        Self::new(src, initialized(dst))
    }

    /// Reads `len` items at `src`, writes as many at `dst`: for whoever gets pointers from C, and cannot tell beforehand
    /// whether they are the same. What is in place takes `src == dst`.
    ///
    /// # Safety
    /// For 'a, `src` must be valid for reads and `dst` for reads and writes of `len` initialized items in one object
    /// each, as for slices, also where `len` is 0. Nothing else may write the items at `src`, or read or write those at
    /// `dst`. The two must be the same place, or have no byte in common.
    #[inline(always)]
    pub unsafe fn from_raw(src: *const T, dst: *mut T, len: usize) -> Self {
        Self { src, dst, len, life: PhantomData }
    }

    /// Number of items.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to do.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What is read; in place, what has been written so far.
    #[inline(always)]
    pub(crate) fn input(&self) -> &[T] {
        // SAFETY: `src` and `len` come from a slice that lives for 'a; the result borrows `self`, so no
        // `output` is alive beside it.
        unsafe { core::slice::from_raw_parts(self.src, self.len) }
    }

    /// What was written.
    #[inline(always)]
    pub(crate) fn written(&self) -> &[T] {
        // SAFETY: as in `output`, and shared.
        unsafe { core::slice::from_raw_parts(self.dst, self.len) }
    }

    /// What is written.
    #[inline(always)]
    pub(crate) fn output(&mut self) -> &mut [T] {
        // SAFETY: `dst` and `len` come from a slice that was borrowed mutably for 'a; the result borrows
        // `self` mutably, so no `input` is alive beside it.
        unsafe { core::slice::from_raw_parts_mut(self.dst, self.len) }
    }

    /// The output, for as long as the buffers live.
    #[inline(always)]
    pub(crate) fn into_output(self) -> &'a mut [T] {
        // SAFETY: as in `output`; `self` is gone.
        unsafe { core::slice::from_raw_parts_mut(self.dst, self.len) }
    }

    /// Whether input and output are the same.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        core::ptr::eq(self.src, self.dst)
    }

    /// The same, as a value of the function that calls this: one that came as an argument lies in its
    /// caller's memory, and a loop over it would store it there at every turn.
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
    #[inline(always)]
    pub(crate) fn local(self) -> Self {
        let Self { src, dst, len, life } = self;
        Self { src, dst, len, life }
    }

    /// The same for a shorter time.
    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> InOut<'_, T> {
        InOut { src: self.src, dst: self.dst, len: self.len, life: PhantomData }
    }

    /// Leaves out the first `n` items, at most all.
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
    #[inline(always)]
    pub(crate) fn advance(&mut self, n: usize) {
        let n = n.min(self.len);
        // SAFETY: `n` is within both slices.
        (self.src, self.dst) = unsafe { (self.src.add(n), self.dst.add(n)) };
        self.len -= n;
    }

    /// The first `at` items, at most all, and the rest.
    #[inline(always)]
    pub fn split_at(self, at: usize) -> (Self, Self) {
        let Self { src, dst, len, life } = self;
        let at = at.min(len);
        // SAFETY: `at` is within both slices; the halves do not overlap.
        let (src2, dst2) = unsafe { (src.add(at), dst.add(at)) };
        (Self { src, dst, len: at, life }, Self { src: src2, dst: dst2, len: len - at, life })
    }
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
impl<'a> InOut<'a, Block> {
    /// The same as bytes.
    #[inline(always)]
    pub(crate) fn into_bytes(self) -> InOut<'a, u8> {
        InOut { src: self.src.cast(), dst: self.dst.cast(), len: 16 * self.len, life: PhantomData }
    }
}

impl<'a> InOut<'a, u8> {
    /// The whole blocks, and the bytes after them.
    #[inline(always)]
    pub(crate) fn into_blocks(self) -> (InOut<'a, Block>, InOut<'a, u8>) {
        let bytes = self.len / 16 * 16;
        let (whole, rest) = self.split_at(bytes);
        (InOut { src: whole.src.cast(), dst: whole.dst.cast(), len: whole.len / 16, life: PhantomData }, rest)
    }

    /// `output = input ^ key`, for at most a block.
    pub(crate) fn xor(mut self, key: &[u8]) {
        for (n, key) in key.iter().enumerate().take(self.len) {
            let b = self.input()[n] ^ key;
            self.output()[n] = b;
        }
    }
}

impl<'a, T: Plain> From<&'a mut [T]> for InOut<'a, T> {
    #[inline(always)]
    fn from(data: &'a mut [T]) -> Self {
        let (dst, len) = (data.as_mut_ptr(), data.len());
        Self { src: dst, dst, len, life: PhantomData }
    }
}

impl<'a, T: Plain, const N: usize> From<&'a mut [T; N]> for InOut<'a, T> {
    #[inline(always)]
    fn from(data: &'a mut [T; N]) -> Self {
        Self::from(&mut data[..])
    }
}

/// Bytes or blocks: types for which every bit pattern is a value.
pub trait Plain: Copy + sealed::Sealed {}
impl Plain for u8 {}
impl Plain for Block {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for super::Block {}
}

/// `data`, holding something, nobody knows what.
#[inline(always)]
fn initialized<T: Plain>(data: &mut [MaybeUninit<T>]) -> &mut [T] {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64")))]
    // SAFETY: the template is a comment. What the compiler must assume of it is that it may have
    // stored any bytes to the memory it was given the address of, which is all that is needed.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) data.as_mut_ptr(), options(nostack, preserves_flags));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64"))))]
    // SAFETY: a slice of exactly this length; all bit patterns are values.
    unsafe {
        data.as_mut_ptr().write_bytes(0, data.len());
    }
    let (data, len) = (data.as_mut_ptr().cast::<T>(), data.len());
    // SAFETY: the same memory, just initialized, as far as the language is concerned; `Plain` types
    // have no invalid values.
    unsafe { core::slice::from_raw_parts_mut(data, len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_blocks() {
        let src: [u8; 40] = core::array::from_fn(|i| i as u8);
        let mut dst = [MaybeUninit::uninit(); 40];
        let io = InOut::uninit(&src, &mut dst).expect("equal lengths");
        let (mut blocks, rest) = io.into_blocks();
        assert_eq!((blocks.len(), rest.len()), (2, 8));
        let b = blocks.input()[1];
        blocks.output()[0] = b;
        blocks.output()[1] = [9; 16];
        rest.xor(&[1; 16]);
        // SAFETY: all 40 bytes were written.
        let dst = dst.map(|b| unsafe { b.assume_init() });
        assert_eq!(dst[..16], src[16..32]);
        assert_eq!(dst[16..32], [9; 16]);
        assert!(dst[32..].iter().zip(&src[32..]).all(|(a, b)| *a == b ^ 1));
    }

    /// From pointers it is what it is from slices.
    #[test]
    fn pointers() {
        let (src, mut dst) = ([5u8; 20], [0u8; 20]);
        // SAFETY: two arrays of 20 bytes, which nobody else uses meanwhile.
        let io = unsafe { InOut::from_raw(src.as_ptr(), dst.as_mut_ptr(), 17) };
        assert!(!io.is_in_place());
        let (mut blocks, rest) = io.into_blocks();
        blocks.output()[0] = [7; 16];
        rest.xor(&[1; 16]);
        assert_eq!((dst[..16].to_vec(), &dst[16..]), (vec![7; 16], &[4, 0, 0, 0][..]));
        let data = dst.as_mut_ptr();
        // SAFETY: one array of 20 bytes, both times.
        let io = unsafe { InOut::from_raw(data, data, 3) };
        assert!(io.is_in_place());
        io.xor(&[7; 16]);
        assert_eq!(dst[..4], [0, 0, 0, 7]);
    }

    #[test]
    fn lengths_must_agree() {
        assert_eq!(InOut::new(&[0u8; 3], &mut [0; 4]).err(), Some(LimitError::Buffer));
    }

    #[test]
    fn in_place() {
        let mut data = [1u8; 5];
        let io = InOut::from(&mut data[..]);
        assert!(io.is_in_place());
        let (a, b) = io.split_at(2);
        a.xor(&[3; 16]);
        b.xor(&[0; 16]);
        assert_eq!(data, [2, 2, 1, 1, 1]);
        let (_, none) = InOut::from(&mut data[..]).split_at(9);
        assert!(none.is_empty());
    }
}
