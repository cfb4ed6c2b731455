//! The low halves of v8 to v15, which belong to the caller (AAPCS64 §6.1.2).

use std::arch::{asm, global_asm};
use std::ffi::c_void;

const CANARY: u64 = 0xc0de_0000_cafe_0000;

/// Calls `f` with canaries in the registers, and names those that are gone afterwards.
pub(super) fn changed(f: extern "C" fn(*mut c_void), argument: *mut c_void) -> Vec<String> {
    let mut after = [0u64; 8];
    // SAFETY: a call like any other, of a function that takes one pointer; all that it may change, and all that
    // is changed here, is declared. x20 and x21 survive it, and so hold what is needed later.
    unsafe {
        asm!(
            "fmov d8, x21",
            "add x21, x21, #1",
            "fmov d9, x21",
            "add x21, x21, #1",
            "fmov d10, x21",
            "add x21, x21, #1",
            "fmov d11, x21",
            "add x21, x21, #1",
            "fmov d12, x21",
            "add x21, x21, #1",
            "fmov d13, x21",
            "add x21, x21, #1",
            "fmov d14, x21",
            "add x21, x21, #1",
            "fmov d15, x21",
            "blr {f}",
            "stp d8, d9, [x20]",
            "stp d10, d11, [x20, #16]",
            "stp d12, d13, [x20, #32]",
            "stp d14, d15, [x20, #48]",
            f = in(reg) f,
            in("x0") argument,
            in("x20") after.as_mut_ptr(),
            inout("x21") CANARY => _,
            clobber_abi("C"),
        );
    }
    let gone = after.iter().enumerate().filter(|(n, v)| **v != CANARY + *n as u64);
    gone.map(|(n, _)| format!("d{}", 8 + n)).collect()
}

// Not what a kernel may do.
global_asm!(".globl clobbers_d11", "clobbers_d11:", "fmov d11, xzr", "ret");

unsafe extern "C" {
    fn clobbers_d11(_: *mut c_void);
}

#[test]
fn a_planted_clobber_is_found() {
    extern "C" fn clobber(argument: *mut c_void) {
        // SAFETY: on the way back the caller restores the register for its own caller.
        unsafe { clobbers_d11(argument) }
    }
    assert_eq!(changed(clobber, std::ptr::null_mut()), ["d11"]);
}
