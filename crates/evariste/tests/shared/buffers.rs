//! Buffers at any alignment, between bytes that must not change.

use evariste::InOut;

const GUARD: u8 = 0xee;

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    InPlace,
    Apart,
    /// To memory that holds nothing yet.
    Uninit,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::InPlace, Self::Apart, Self::Uninit];
}

/// Memory for one message at a time.
pub(crate) struct Buffers {
    src: Window,
    dst: Window,
    uninit: Vec<u8>,
}

impl Buffers {
    /// For messages of up to `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { src: Window::new(capacity), dst: Window::new(capacity), uninit: Vec::new() }
    }

    /// What `f` says and writes when it gets `input` at the first offset from a multiple of 64, and an
    /// output at the second one.
    pub(crate) fn run<R>(
        &mut self,
        way: Way,
        input: &[u8],
        (from, to): (usize, usize),
        f: impl FnOnce(InOut<'_>) -> R,
    ) -> (R, &[u8]) {
        let src = self.src.place(input.len(), from);
        src.copy_from_slice(input);
        match way {
            Way::InPlace => (f(src.into()), self.src.read()),
            Way::Apart => {
                let dst = self.dst.place(input.len(), to);
                dst.fill(0x55);
                let said = f(InOut::new(src, dst).expect("equal lengths"));
                assert!(self.src.read() == input, "the input was written to");
                (said, self.dst.read())
            }
            Way::Uninit => {
                self.uninit = Vec::with_capacity(input.len() + 128);
                let room = self.uninit.spare_capacity_mut();
                let to = room.as_ptr().align_offset(64) + to;
                let dst = &mut room[to..][..input.len()];
                let said = f(InOut::uninit(src, dst).expect("equal lengths"));
                // SAFETY: `InOut::uninit` makes it initialized; the callers compare all of it besides.
                (said, unsafe { dst.assume_init_ref() })
            }
        }
    }
}

/// A part of a buffer, anew for each message.
struct Window {
    bytes: Vec<u8>,
    at: usize,
    len: usize,
}

impl Window {
    fn new(capacity: usize) -> Self {
        Self { bytes: vec![GUARD; capacity + 256], at: 64, len: 0 }
    }

    fn place(&mut self, len: usize, offset: usize) -> &mut [u8] {
        self.bytes[self.at..][..self.len].fill(GUARD);
        self.at = 64 + self.bytes.as_ptr().align_offset(64) + offset;
        self.len = len;
        &mut self.bytes[self.at..][..len]
    }

    /// The message. Nothing was written close before or behind it.
    fn read(&self) -> &[u8] {
        let end = self.at + self.len;
        for guards in [self.at - 64..self.at, end..end + 64] {
            assert!(self.bytes[guards].iter().all(|b| *b == GUARD), "written outside the message");
        }
        &self.bytes[self.at..end]
    }
}
