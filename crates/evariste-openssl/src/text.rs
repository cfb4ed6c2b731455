//! What a call is given: pointers, until it is known how they lie to each other.
#![allow(unsafe_code)]

use crate::reason::{Reason, Result};
use evariste::{Block, InOut};
use std::marker::PhantomData;
use zeroize::Zeroize;

/// What a call is to work on. Which of two pointers is null says what it is.
pub(crate) enum Input<'a> {
    /// Text, and where it goes.
    Text(Text<'a>),
    /// Additional data.
    Aad(&'a [u8]),
    /// Nothing but a number: of the text to come, in CCM.
    Length(usize),
    /// Nothing, with or without a place for it.
    Nothing(Text<'a>),
}

impl<'a> Input<'a> {
    /// # Safety
    /// `src` is null or good for reading `len` bytes, `dst` null or good for writing `room` bytes, both until the call
    /// returns, and nobody else writes them, or reads what is written, meanwhile. Neither overlaps the cipher's context.
    #[inline(always)]
    pub(crate) unsafe fn new(dst: *mut u8, room: usize, src: *const u8, len: usize) -> Result<Self> {
        if len > isize::MAX as usize {
            return Err(Reason::TextTooLong);
        }
        let text = Text { src, dst, len, room, life: PhantomData };
        match (src.is_null(), dst.is_null()) {
            (false, false) if room < len => Err(Reason::OutputTooSmall),
            (false, false) => Ok(Self::Text(text)),
            // SAFETY: not null, and good for reading `len` bytes, no more than there can be.
            (false, true) => Ok(Self::Aad(unsafe { std::slice::from_raw_parts(src, len) })),
            (true, true) => Ok(Self::Length(len)),
            (true, false) if len > 0 => Err(Reason::NullPointer),
            (true, false) => Ok(Self::Nothing(text)),
        }
    }

    /// Whether there is nothing at all, whatever pointers come with it: those of empty vectors are often null.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.len == 0,
            Self::Aad(aad) => aad.is_empty(),
            Self::Length(len) => *len == 0,
            Self::Nothing(_) => true,
        }
    }

    /// The length of additional data, or of text, and whether there is either.
    #[inline(always)]
    pub(crate) fn tally(&self) -> (bool, usize) {
        match self {
            Self::Text(text) => (text.len > 0, text.len),
            Self::Aad(aad) => (!aad.is_empty(), 0),
            _ => (false, 0),
        }
    }
}

/// Text to read, and as much room for what becomes of it; anywhere.
pub(crate) struct Text<'a> {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    room: usize,
    life: PhantomData<&'a mut [u8]>,
}

impl<'a> Text<'a> {
    pub(crate) const NOWHERE: Self =
        Self { src: std::ptr::null(), dst: std::ptr::null_mut(), len: 0, room: 0, life: PhantomData };

    /// Nothing to read, and so much room.
    ///
    /// # Safety
    /// As [`Input::new`].
    pub(crate) unsafe fn room(dst: *mut u8, room: usize) -> Self {
        let room = if dst.is_null() { 0 } else { room.min(isize::MAX as usize) };
        Self { src: dst, dst, len: 0, room, life: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// For the core.
    ///
    /// # Errors
    /// [`Reason::Overlap`] where the two overlap, but are not the same.
    #[inline(always)]
    pub(crate) fn inout(self) -> Result<InOut<'a>> {
        let (src, dst) = (self.src.addr(), self.dst.addr());
        if src != dst && (src.wrapping_sub(dst) < self.len || dst.wrapping_sub(src) < self.len) {
            return Err(Reason::Overlap);
        }
        // SAFETY: as `new` asks for, with room for `len` bytes; the same place or without a byte in common.
        Ok(unsafe { InOut::from_raw(self.src, self.dst, self.len) })
    }

    /// Both in one, if they are the same.
    pub(crate) fn in_place(self) -> Option<&'a mut [u8]> {
        // SAFETY: as `new` asks for, with room for `len` bytes; nothing else refers to them.
        (self.src.addr() == self.dst.addr()).then(|| unsafe { std::slice::from_raw_parts_mut(self.dst, self.len) })
    }

    /// Runs what is held and the text through `work`, as far as it is whole blocks, and holds the rest; a whole block, too,
    /// if `keep_last`, for it may be padding. Returns how much was written. Input and output may lie in any way.
    pub(crate) fn in_blocks(self, held: &mut Held, keep_last: bool, work: impl FnOnce(&mut [Block])) -> Result<usize> {
        let total = held.len + self.len;
        let written = if keep_last { total.saturating_sub(1) } else { total } / 16 * 16;
        if written > self.room {
            return Err(Reason::OutputTooSmall);
        }
        // What is held is less than a block, or a whole one that is written as soon as there is more.
        let Some(taken) = written.checked_sub(held.len).filter(|_| written > 0) else {
            // SAFETY: `len` bytes to read, as `new` asks for, and fewer than there is room for.
            return unsafe { held.read(self.src, held.len, self.len) }.map(|()| 0);
        };
        let mut next = Held::NOTHING;
        // SAFETY: what is left of `len` bytes to read.
        unsafe { next.read(self.src.add(taken), 0, self.len - taken)? };
        // SAFETY: `taken` bytes to read and, behind what is held, to write; `written` in all, which there is room for.
        // From here on the input is not used any more.
        let out = unsafe {
            if self.dst.add(held.len).cast_const() != self.src {
                std::ptr::copy(self.src, self.dst.add(held.len), taken);
            }
            std::slice::from_raw_parts_mut(self.dst, written)
        };
        out[..held.len].copy_from_slice(&held.block[..held.len]);
        *held = next;
        work(out.as_chunks_mut().0);
        Ok(written)
    }

    /// Writes bytes that do not come of the text.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if bytes.len() > self.room {
            return Err(Reason::OutputTooSmall);
        }
        // SAFETY: there is room for them, as `new` asks for.
        unsafe { self.dst.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(bytes.len())
    }
}

/// What is left over of blocks: text, so wiped.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) block: Block,
    pub(crate) len: usize,
}

impl Held {
    pub(crate) const NOTHING: Self = Self { block: [0; 16], len: 0 };

    /// # Safety
    /// `src` is good for reading `len` bytes.
    unsafe fn read(&mut self, src: *const u8, at: usize, len: usize) -> Result {
        let room = self.block.get_mut(at..at + len).ok_or(Reason::Internal)?;
        if len > 0 {
            // SAFETY: as many to read as there is room for; our block is nobody else's.
            unsafe { room.as_mut_ptr().copy_from_nonoverlapping(src, len) };
        }
        self.len = at + len;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.block.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever the output lies to the input, what is written is what was read.
    #[test]
    fn any_overlap() {
        let text: [u8; 70] = std::array::from_fn(|i| i as u8 + 1);
        for (held_len, keep_last) in [(0, false), (5, false), (15, false), (0, true), (16, true), (7, true)] {
            for len in 0..70 {
                for at in 0..80 {
                    let mut memory = [0; 160];
                    memory[40..][..70].copy_from_slice(&text);
                    let mut held = Held { block: [0xaa; 16], len: held_len };
                    let all = [&held.block[..held_len], &text[..len]].concat();
                    let base = memory.as_mut_ptr();
                    // SAFETY: both within `memory`, which nobody uses meanwhile.
                    let input = unsafe { Input::new(base.add(at), 80, base.add(40), len) };
                    let Ok(Input::Text(io)) = input else { panic!("text") };
                    let n =
                        io.in_blocks(&mut held, keep_last, |b| b.as_flattened_mut().iter_mut().for_each(|b| *b ^= 1));
                    let n = n.expect("room");
                    assert_eq!(memory[at..][..n], all[..n].iter().map(|b| b ^ 1).collect::<Vec<_>>());
                    assert_eq!(held.block[..held.len], all[n..], "{held_len} {len} {at}");
                    assert!(held.len < 16 || keep_last && held.len == 16);
                }
            }
        }
    }

    #[test]
    fn what_overlaps_is_told_apart() {
        let mut memory = [0u8; 100];
        let base = memory.as_mut_ptr();
        for at in 0..80 {
            // SAFETY: both within `memory`, which nobody uses meanwhile.
            let Ok(Input::Text(io)) = (unsafe { Input::new(base.add(at), 20, base.add(40), 20) }) else {
                panic!("text")
            };
            assert_eq!(io.inout().is_ok(), at == 40 || at <= 20 || at >= 60, "{at}");
        }
    }
}
