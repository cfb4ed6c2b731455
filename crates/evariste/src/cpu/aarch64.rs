//! What the system says the CPU has: a program may not ask an Arm core for that itself.

use super::Features;
use core::arch::asm;
use core::marker::PhantomData;

/// `std` asks Linux and the BSDs for the hardware capabilities, macOS for its `sysctl`s and Windows for its
/// processor features. Without `std`, what the compiler was told.
pub(super) fn detect() -> Features {
    // The kernels are neither written nor tested for the other byte order.
    if cfg!(target_endian = "big") {
        return Features::NONE;
    }
    #[cfg(feature = "std")]
    let (aes, pmull, sha3) = (
        std::arch::is_aarch64_feature_detected!("aes"),
        std::arch::is_aarch64_feature_detected!("pmull"),
        std::arch::is_aarch64_feature_detected!("sha3"),
    );
    // The compiler's "aes" is both.
    #[cfg(not(feature = "std"))]
    let (aes, pmull, sha3) =
        (cfg!(target_feature = "aes"), cfg!(target_feature = "aes"), cfg!(target_feature = "sha3"));
    [(Features::AES, aes), (Features::CLMUL, pmull), (Features::SHA3, sha3)]
        .iter()
        .fold(Features::NEON, |all, (f, there)| if *there { all.and(*f) } else { all })
}

/// Of the main ID register, where Linux lets a program read it.
pub(super) fn name(out: &mut [u8; 48]) {
    let Some(midr) = main_id() else { return };
    let (implementer, part) = (midr >> 24 & 0xff, midr >> 4 & 0xfff);
    let name = match (implementer, part) {
        (0x41, 0xd03) => "Arm Cortex-A53",
        (0x41, 0xd05) => "Arm Cortex-A55",
        (0x41, 0xd07) => "Arm Cortex-A57",
        (0x41, 0xd08) => "Arm Cortex-A72",
        (0x41, 0xd09) => "Arm Cortex-A73",
        (0x41, 0xd0a) => "Arm Cortex-A75",
        (0x41, 0xd0b) => "Arm Cortex-A76",
        (0x41, 0xd0c) => "Arm Neoverse N1",
        (0x41, 0xd40) => "Arm Neoverse V1",
        (0x41, 0xd41) => "Arm Cortex-A78",
        (0x41, 0xd44) => "Arm Cortex-X1",
        (0x41, 0xd47) => "Arm Cortex-A710",
        (0x41, 0xd48) => "Arm Cortex-X2",
        (0x41, 0xd49) => "Arm Neoverse N2",
        (0x41, 0xd4f) => "Arm Neoverse V2",
        (0x41, 0xd84) => "Arm Neoverse V3",
        (0x41, 0xd8e) => "Arm Neoverse N3",
        (0x46, 0x001) => "Fujitsu A64FX",
        (0x61, _) => "Apple silicon",
        (0xc0, 0xac3) => "Ampere-1",
        (0x41, _) => "Arm, not known by name",
        _ => "AArch64, not known by name",
    };
    out[..name.len()].copy_from_slice(name.as_bytes());
}

#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
fn main_id() -> Option<u64> {
    const AT_HWCAP: core::ffi::c_ulong = 16;
    const HWCAP_CPUID: core::ffi::c_ulong = 1 << 11;
    (super::auxiliary(AT_HWCAP) & HWCAP_CPUID != 0).then(|| {
        let midr: u64;
        // SAFETY: Linux answers for the register where it has this capability.
        unsafe { asm!("mrs {}, midr_el1", out(reg) midr, options(pure, nomem, nostack, preserves_flags)) };
        midr
    })
}

#[cfg(not(all(feature = "std", any(target_os = "linux", target_os = "android"))))]
fn main_id() -> Option<u64> {
    None
}

/// PSTATE.DIT while this lives.
pub(super) struct Timing {
    /// What the register held, if the CPU has it.
    before: Option<u64>,
    /// It is the thread's.
    stay: PhantomData<*mut ()>,
}

impl Timing {
    pub(super) fn start() -> Self {
        #[cfg(feature = "std")]
        let there = std::arch::is_aarch64_feature_detected!("dit");
        #[cfg(not(feature = "std"))]
        let there = cfg!(target_feature = "dit");
        let before = there.then(|| {
            let before = read_dit();
            write_dit(before | DIT);
            before
        });
        Self { before, stay: PhantomData }
    }

    pub(super) fn is_on(&self) -> bool {
        self.before.is_some() && read_dit() & DIT != 0
    }
}

impl Drop for Timing {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            write_dit(before);
        }
    }
}

/// The bit in the register of the same name, which is S3_3_C4_C2_5 to assemblers that do not know it.
const DIT: u64 = 1 << 24;

fn read_dit() -> u64 {
    let value: u64;
    // SAFETY: only called where the CPU has the register. Not `pure`: another write may stand between two.
    unsafe { asm!("mrs {}, s3_3_c4_c2_5", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

fn write_dit(value: u64) {
    // SAFETY: as above. Nothing but timing depends on it; without `nomem`, so that work on memory stays behind.
    unsafe { asm!("msr s3_3_c4_c2_5, {}", in(reg) value, options(nostack, preserves_flags)) };
}
