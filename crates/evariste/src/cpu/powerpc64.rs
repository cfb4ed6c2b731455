//! What the system says the CPU has: the capabilities that it hands to every program.

use super::Features;

/// Linux and FreeBSD agree on the bits. AES and carry-less multiplication came as one category, which a system
/// may take away; nothing here runs without vectors either. Without `std`, no system is asked, and the compiler
/// does not say.
pub(super) fn detect() -> Features {
    const ALTIVEC_VSX: u64 = 0x1000_0080;
    const VEC_CRYPTO: u64 = 0x0200_0000;
    const ARCH_3_00: u64 = 0x0080_0000;
    const ARCH_3_1: u64 = 0x0004_0000;
    let [one, two] = capabilities();
    if one & ALTIVEC_VSX != ALTIVEC_VSX {
        return Features::NONE;
    }
    [
        (Features::AES, VEC_CRYPTO),
        (Features::CLMUL, VEC_CRYPTO),
        (Features::ISA300, ARCH_3_00),
        (Features::ISA310, ARCH_3_1),
    ]
    .iter()
    .fold(Features::NONE, |all, (f, bit)| if two & bit != 0 { all.and(*f) } else { all })
}

/// AT_HWCAP and AT_HWCAP2.
#[cfg(all(feature = "std", target_os = "linux"))]
fn capabilities() -> [u64; 2] {
    [16, 26].map(super::auxiliary)
}

/// AT_HWCAP and AT_HWCAP2: FreeBSD has no `getauxval`.
#[cfg(all(feature = "std", target_os = "freebsd"))]
fn capabilities() -> [u64; 2] {
    use core::ffi::{c_int, c_ulong, c_void};
    unsafe extern "C" {
        fn elf_aux_info(kind: c_int, out: *mut c_void, len: c_int) -> c_int;
    }
    [25, 26].map(|kind| {
        let mut word: c_ulong = 0;
        // SAFETY: a function of the system's C library; it writes at most the length it is given. Where it
        // knows no answer it writes nothing.
        unsafe { elf_aux_info(kind, (&raw mut word).cast(), size_of::<c_ulong>() as c_int) };
        word
    })
}

#[cfg(not(all(feature = "std", any(target_os = "linux", target_os = "freebsd"))))]
fn capabilities() -> [u64; 2] {
    [0, 0]
}

/// After the instructions there are: systems do not agree on more.
pub(super) fn name(out: &mut [u8; 48]) {
    let features = detect();
    let name = if features.contains(Features::ISA310) {
        "POWER10 or later"
    } else if features.contains(Features::ISA300) {
        "POWER9"
    } else if features.contains(Features::AES) {
        "POWER8"
    } else {
        "POWER or PowerPC, 64 bits"
    };
    out[..name.len()].copy_from_slice(name.as_bytes());
}
