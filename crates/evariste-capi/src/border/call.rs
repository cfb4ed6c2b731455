//! The buffers of one call: what may be wrong with them, and what they become.

use super::{Input, Output, Span};
use crate::status::{
    EVARISTE_ERROR_AAD, EVARISTE_ERROR_NONCE, EVARISTE_ERROR_NULL, EVARISTE_ERROR_OVERLAP, EVARISTE_ERROR_TEXT, Error,
    Result,
};
use evariste::{InOut, Message};
use std::ffi::c_int;
use std::marker::PhantomData;

/// All buffers of a call.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) nonce: Input,
    pub(crate) aad: Input,
    /// What goes to `out`, and behind it the tag, if that is there.
    pub(crate) text: Input,
    /// Bytes of the tag behind the text; none if it is apart.
    pub(crate) tag_in_text: usize,
    /// A tag to compare with that is apart.
    pub(crate) tag: Input,
    /// Where the text goes, and behind it the tag, if that belongs there.
    pub(crate) out: Output,
    /// Bytes for the tag behind the output.
    pub(crate) tag_in_out: usize,
    /// Where a tag goes that is apart.
    pub(crate) tag_out: Output,
    /// Where the length of the output goes, if that is told.
    pub(crate) length: Option<Length>,
    /// Objects of the library.
    pub(crate) objects: [Span; 2],
}

/// The same as references, none of which meets another.
pub(crate) struct Buffers<'a> {
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) data: Data<'a>,
    pub(crate) tag: &'a [u8],
    pub(crate) tag_out: &'a mut [u8],
}

/// An [`InOut`] in parts, of which each is a word that a closure captures. Captured as a whole it is copied by wide loads
/// of what was just stored word by word, and waits for that.
pub(crate) struct Data<'a> {
    from: *const u8,
    to: *mut u8,
    len: usize,
    life: PhantomData<&'a mut [u8]>,
}

impl<'a> Data<'a> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn inout(self) -> InOut<'a> {
        let Self { from, to, len, .. } = self;
        // SAFETY: the caller's promise; neither is null, there is room for the text, and they are the same place or
        // apart, and apart from all else: `Call::buffers` has seen to that. `self` is gone.
        unsafe { InOut::from_raw(from, to, len) }
    }
}

impl Call {
    pub(crate) const NONE: Self = Self {
        nonce: Input::NONE,
        aad: Input::NONE,
        text: Input::NONE,
        tag_in_text: 0,
        tag: Input::NONE,
        out: Output::NONE,
        tag_in_out: 0,
        tag_out: Output::NONE,
        length: None,
        objects: [Span::NOWHERE; 2],
    };

    /// Whether something may be wrong with the buffers. Most calls are told by this that nothing is: a few comparisons,
    /// one after the other, since their results kept together cost more (30 ns and 7, Zen 4, 2026-11-30). False alarms
    /// are [`check`](Self::check)'s to tell.
    #[inline(always)]
    fn is_odd(&self) -> bool {
        let Self { nonce, aad, text, tag, out, tag_out, objects, .. } = self;
        let lengths = nonce.len | aad.len | text.len | tag.len | out.len | tag_out.len;
        if lengths > isize::MAX as usize || out.len > out.room || tag_out.len > tag_out.room {
            return true;
        }
        // Who has no additional data often says so by null; where nothing else is at null, a closer look does not matter.
        if aad.len != 0 && aad.ptr.is_null()
            || nonce.ptr.is_null()
            || text.ptr.is_null()
            || tag.ptr.is_null()
            || out.ptr.is_null()
            || tag_out.ptr.is_null()
        {
            return true;
        }
        let (to, tag_to) = (out.whole(), tag_out.whole());
        let (text, length) = (text.span(), self.length_span());
        if length.len != 0 && length.at == 0 {
            return true;
        }
        // `may_meet` is made for a first span that is not empty; an empty output costs a closer look at times.
        // In place, what is apart from the output is apart from the text.
        (to.at != text.at && (to.may_meet(text) || tag_to.len != 0 && tag_to.may_meet(text)))
            || to.may_meet(nonce.span())
            || to.may_meet(aad.span())
            || to.may_meet(tag.span())
            || to.may_meet(tag_to)
            || to.may_meet(objects[0])
            || to.may_meet(objects[1])
            || tag_to.len != 0
                && (tag_to.may_meet(nonce.span())
                    || tag_to.may_meet(aad.span())
                    || tag_to.may_meet(objects[0])
                    || tag_to.may_meet(objects[1]))
            || length.len != 0
                && (length.may_meet(to)
                    || length.may_meet(tag_to)
                    || length.may_meet(objects[0])
                    || length.may_meet(objects[1]))
    }

    /// What is wrong with the buffers. First come outputs that overlap something: each other, an input other than the
    /// text in place, or an object of the library. What is read may overlap what is read. Then null pointers, lengths,
    /// room.
    #[cold]
    #[inline(never)]
    fn check(self) -> Result {
        self.apart()?;
        if self.length.is_some_and(|length| length.0.is_null()) {
            return Err(Error(EVARISTE_ERROR_NULL));
        }
        self.text.check(EVARISTE_ERROR_TEXT)?;
        self.nonce.check(EVARISTE_ERROR_NONCE)?;
        self.aad.check(EVARISTE_ERROR_AAD)?;
        self.tag.check(EVARISTE_ERROR_TEXT)?;
        self.out.check()?;
        self.tag_out.check()
    }

    fn apart(&self) -> Result {
        let (out, tag_out, text) = (self.out.span(), self.tag_out.span(), self.text.span());
        let mut meet = out.meets(tag_out) | tag_out.meets(text) | self.length_meets();
        meet |= out.meets(text) & (out.at != text.at);
        for other in [self.nonce.span(), self.aad.span(), self.tag.span(), self.objects[0], self.objects[1]] {
            meet |= out.meets(other) | tag_out.meets(other);
        }
        if meet { Err(Error(EVARISTE_ERROR_OVERLAP)) } else { Ok(()) }
    }

    /// Whether writing the length would change an output, or an object. It is the last thing that is written, so that it
    /// harms nothing that is only read.
    fn length_meets(&self) -> bool {
        let outputs = [self.out.span(), self.tag_out.span()];
        let length = self.length_span();
        outputs.iter().chain(&self.objects).any(|other| length.meets(*other))
    }

    #[inline(always)]
    fn length_span(&self) -> Span {
        self.length.map_or(Span::NOWHERE, |length| Span::of(length.0))
    }

    /// What is wrong where something else than the buffers is, which comes behind overlaps.
    #[cold]
    #[inline(never)]
    pub(crate) fn blame(self, code: c_int) -> Error {
        self.apart().err().unwrap_or(Error(code))
    }

    /// The references.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    #[inline(always)]
    pub(crate) fn buffers<'a>(&self) -> Result<Buffers<'a>> {
        let mut call = *self;
        if self.is_odd() {
            self.check()?;
            call.nonce = call.nonce.somewhere();
            call.text = call.text.somewhere();
            call.tag = call.tag.somewhere();
            call.out = call.out.somewhere();
            call.tag_out = call.tag_out.somewhere();
        }
        call.aad = call.aad.somewhere();
        let len = call.text.len - call.tag_in_text;
        let data = Data { from: call.text.ptr, to: call.out.ptr, len, life: PhantomData };
        // SAFETY: just checked, none is null now, and that what is written is apart from all else. The tag behind an output is behind
        // the data, and that behind the text is behind what is overwritten in place.
        unsafe {
            let (nonce, aad) = (call.nonce.slice(), call.aad.slice());
            let tag = match call.tag_in_text {
                0 => call.tag.slice(),
                behind => Input { ptr: call.text.ptr.wrapping_add(len), len: behind }.slice(),
            };
            let tag_out = match call.tag_in_out {
                0 => call.tag_out.last(call.tag_out.len),
                behind => call.out.last(behind),
            };
            Ok(Buffers { nonce, aad, data, tag, tag_out })
        }
    }

    /// The same of a call in place, as one of many.
    #[inline(always)]
    pub(crate) fn message<'a>(&self) -> Result<Message<'a>> {
        let Buffers { nonce, aad, tag_out: tag, .. } = self.buffers()?;
        // SAFETY: checked by `buffers`, whose `data` is gone.
        let data = unsafe { self.out.somewhere().last(self.out.len) };
        Ok(Message { nonce, aad, data, tag, authentic: false })
    }

    /// What a function returns that has failed: leaves zeros in all that was to be written.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail(self, Error(code): Error) -> c_int {
        if code != EVARISTE_ERROR_OVERLAP {
            self.out.clear();
            self.tag_out.clear();
        }
        if !self.length_meets() {
            self.set_length(0);
        }
        code
    }

    /// Tells the length, where that is wanted.
    #[inline(always)]
    pub(crate) fn set_length(&self, len: usize) {
        if let Some(Length(at)) = self.length
            && !at.is_null()
        {
            // SAFETY: the caller's promise, which `Length::new` took; no reference to it exists.
            unsafe { at.write_unaligned(len) }
        }
    }

    /// What is written: two places.
    pub(crate) fn outputs(&self) -> [Place; 2] {
        [self.out.span(), self.tag_out.span()].map(Place)
    }

    /// Whether what is read lies in one of `outputs`, which are sorted, apart and without the empty ones, other than
    /// text in place. Most inputs lie before or behind all of them.
    pub(crate) fn reads_from(&self, outputs: &[Place]) -> bool {
        let (Some(first), Some(last)) = (outputs.first(), outputs.last()) else { return false };
        let all = Span { at: first.0.at, len: last.0.end().wrapping_sub(first.0.at) };
        [self.nonce.span(), self.aad.span(), self.tag.span()].into_iter().any(|input| {
            input.meets(all) && {
                let next = outputs.partition_point(|o| o.0.end() <= input.at);
                outputs.get(next).is_some_and(|o| o.0.meets(input))
            }
        })
    }
}

/// A place in memory, in the order of addresses.
#[derive(Clone, Copy)]
pub(crate) struct Place(Span);

impl Place {
    pub(crate) const NOWHERE: Self = Self(Span::NOWHERE);

    pub(crate) fn is_empty(self) -> bool {
        self.0.len == 0
    }

    pub(crate) fn start(self) -> usize {
        self.0.at
    }

    /// Whether this one ends before the other begins.
    pub(crate) fn is_before(self, other: Self) -> bool {
        self.0.at <= other.0.at && !self.0.meets(other.0)
    }
}

/// Where a function leaves a length.
#[derive(Clone, Copy)]
pub(crate) struct Length(*mut usize);

impl Length {
    /// # Safety
    /// The caller's promise.
    #[inline(always)]
    pub(crate) unsafe fn new(at: *mut usize) -> Self {
        Self(at)
    }
}
