//! What stands around an operation, so that whoever looks on sees that and nothing else.

use crate::memcheck;
use std::arch::asm;

/// Who looks on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// memcheck.
    Taint,
    /// A debugger.
    Trace,
}

impl Watch {
    /// Before the operation: its name, and its secrets.
    pub(crate) fn begin(self, name: &str, secrets: &mut [&mut [u8]]) {
        match self {
            Self::Taint => {
                // Among memcheck's complaints, to tell which operation they are about.
                eprintln!("operation: {name}");
                secrets.iter_mut().for_each(|s| memcheck::mark_secret(s));
            }
            Self::Trace => breakpoint(name),
        }
    }

    /// After it.
    pub(crate) fn end(self) {
        if self == Self::Trace {
            breakpoint("");
        }
    }
}

/// Hands over to the debugger, with a string in rdi and rsi.
#[inline(never)]
fn breakpoint(name: &str) {
    // SAFETY: the debugger goes on behind it and changes nothing; without one the process ends.
    unsafe {
        asm!("int3", in("rdi") name.as_ptr(), in("rsi") name.len(), options(nostack, preserves_flags));
    }
}
