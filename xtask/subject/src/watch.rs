//! What stands around an operation, so that whoever looks on sees that and nothing else.

use crate::memcheck;
use std::arch::asm;

/// Who looks on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// memcheck.
    Taint,
    /// A debugger, or an emulator.
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
            Self::Trace => begin(name),
        }
    }

    /// After it.
    pub(crate) fn end(self) {
        if self == Self::Trace {
            end();
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn begin(name: &str) {
    breakpoint(name);
}

#[cfg(target_arch = "x86_64")]
fn end() {
    breakpoint("");
}

/// Hands over to the debugger, with a string in rdi and rsi.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn breakpoint(name: &str) {
    // SAFETY: the debugger goes on behind it and changes nothing; without one the process ends.
    unsafe {
        asm!("int3", in("rdi") name.as_ptr(), in("rsi") name.len(), options(nostack, preserves_flags));
    }
}

/// An emulator cannot be handed anything: the names are printed, in the order of the marks.
#[cfg(not(target_arch = "x86_64"))]
fn begin(name: &str) {
    println!("{name}");
    mark::<0x4547>();
}

#[cfg(not(target_arch = "x86_64"))]
fn end() {
    mark::<0x4548>();
}

/// An instruction that does nothing, for xtask/plugin to know again.
#[cfg(not(target_arch = "x86_64"))]
#[inline(never)]
fn mark<const N: u16>() {
    // SAFETY: a constant goes to a register that cannot hold it.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("movz xzr, {}", const N, options(nostack, preserves_flags));
    }
    // SAFETY: a constant goes to a register that is named as changed.
    #[cfg(target_arch = "powerpc64")]
    unsafe {
        asm!("li 0, {}", const N, out("r0") _, options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "aarch64", target_arch = "powerpc64")))]
    panic!("no mark is known for this CPU: {N}");
}
