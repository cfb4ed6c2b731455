//! The registers that belong to the caller (both ELF ABIs, §2.2): r14 to r31, f14 to f31 (the upper halves of vs14
//! to vs31) and v20 to v31.

use std::arch::asm;
use std::ffi::c_void;

/// What the registers hold, from memory that `lvx` can load.
#[derive(Default)]
#[repr(C, align(16))]
struct Registers {
    /// v20 to v31.
    vector: [[u8; 16]; 12],
    /// r14 to r31.
    general: [u64; 18],
    /// f14 to f31.
    float: [u64; 18],
}

/// Text for the registers with these numbers, with the number in place of `N`.
macro_rules! each {
    ($($n:literal)* : $text:tt) => { concat!($(each!(@ $n $text)),*) };
    (@ $n:literal [$($text:tt)*]) => { concat!($(each!(= $n $text)),*, "\n") };
    (= $n:literal N) => { $n };
    (= $n:literal $text:literal) => { $text };
}

macro_rules! general {
    ($($text:tt)*) => { each!(14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 : [$($text)*]) };
}
macro_rules! vector { ($($text:tt)*) => { each!(20 21 22 23 24 25 26 27 28 29 30 31 : [$($text)*]) } }

/// All of them to memory, at the address in r9, which is changed.
macro_rules! store { () => { concat!(
    general!("std " N ",192+8*(" N "-14)(9)"),
    general!("stfd " N ",336+8*(" N "-14)(9)"),
    vector!("stvx " N ",0,9\naddi 9,9,16"),
) } }

/// And back.
macro_rules! load { () => { concat!(
    general!("ld " N ",192+8*(" N "-14)(9)"),
    general!("lfd " N ",336+8*(" N "-14)(9)"),
    vector!("lvx " N ",0,9\naddi 9,9,16"),
) } }

/// A call through a pointer: to code, or to a descriptor of it.
#[cfg(target_endian = "little")]
macro_rules! call {
    () => {
        "mtctr 12\nbctrl\n"
    };
}
#[cfg(target_endian = "big")]
macro_rules! call {
    () => {
        "ld 0,0(12)\nld 2,8(12)\nld 11,16(12)\nmtctr 0\nbctrl\n"
    };
}

/// Calls `f` with canaries in the registers, and names those that are gone afterwards.
pub(super) fn changed(f: extern "C" fn(*mut c_void), argument: *mut c_void) -> Vec<String> {
    let mut canaries = Registers::default();
    for (n, (general, float)) in canaries.general.iter_mut().zip(&mut canaries.float).enumerate() {
        (*general, *float) = (0xc0de_0000_cafe_0000 + n as u64, 0xf10a_0000_f10a_0000 + n as u64);
    }
    for (n, vector) in canaries.vector.iter_mut().enumerate() {
        *vector = [0xe0 + n as u8; 16];
    }
    let (mut before, mut after) = (Registers::default(), Registers::default());
    // SAFETY: a call like any other, of a function that takes one pointer, in a stack frame made for it, which also
    // holds what is needed afterwards. The registers that belong to the caller are saved before and restored at the
    // end; what a call may change is declared.
    unsafe {
        asm!(
            "stdu 1,-176(1)",
            "std 2,128(1)", "std 10,136(1)", "std 11,144(1)",
            "mr 9,10", store!(),
            "mr 9,8", load!(),
            call!(),
            "ld 9,144(1)", store!(),
            "ld 9,136(1)", load!(),
            "ld 2,128(1)", "addi 1,1,176",
            in("r3") argument,
            in("r12") f,
            in("r8") &canaries,
            in("r10") &mut before,
            in("r11") &mut after,
            clobber_abi("C"),
        );
    }
    let mut gone = Vec::new();
    for n in 0..18 {
        let different = |kind, is, was| (is != was).then(|| format!("{kind}{}", 14 + n));
        gone.extend(different("r", after.general[n], canaries.general[n]));
        gone.extend(different("f", after.float[n], canaries.float[n]));
    }
    gone.extend((0..12).filter(|n| after.vector[*n] != canaries.vector[*n]).map(|n| format!("v{}", 20 + n)));
    gone
}

#[test]
fn a_planted_clobber_is_found() {
    extern "C" fn clobber(_: *mut c_void) {
        // SAFETY: not what a kernel may do: none of it is declared. Whoever calls this restores them.
        unsafe { asm!("li 17,0", "fmr 19,0", "vspltisb 23,0") }
    }
    assert_eq!(changed(clobber, std::ptr::null_mut()), ["r17", "f19", "v23"]);
}
