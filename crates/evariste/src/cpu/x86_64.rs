//! CPUID.

use super::Features;
use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv, CpuidResult};

/// CPUID, and XCR0 for the registers that the system saves.
pub(super) fn detect() -> Features {
    let (one, seven) = (__cpuid(1), leaf7());
    let bit = |word: u32, bit: u32| word >> bit & 1 != 0;
    let xcr0 = if bit(one.ecx, 27) {
        #[target_feature(enable = "xsave")]
        fn xcr0() -> u64 {
            // SAFETY: register 0 exists wherever XGETBV does.
            unsafe { _xgetbv(0) }
        }
        // SAFETY: OSXSAVE says that XGETBV works.
        unsafe { xcr0() }
    } else {
        0
    };
    // XMM and YMM; and the masks, the upper halves, the upper sixteen.
    let (ymm, zmm) = (xcr0 & 0x06 == 0x06, xcr0 & 0xe6 == 0xe6);
    let avx512 = [16, 17, 30, 31, 8].iter().all(|b| bit(seven.ebx, *b));
    [
        (Features::SSSE3, bit(one.ecx, 9)),
        (Features::AES, bit(one.ecx, 25)),
        (Features::CLMUL, bit(one.ecx, 1)),
        (Features::AVX, ymm && bit(one.ecx, 28)),
        (Features::AVX2, ymm && bit(seven.ebx, 5)),
        (Features::AVX512, zmm && avx512),
        (Features::VAES, ymm && bit(seven.ecx, 9)),
        (Features::VPCLMUL, ymm && bit(seven.ecx, 10)),
    ]
    .iter()
    .fold(Features::NONE, |all, (f, there)| if *there { all.and(*f) } else { all })
}

/// Intel's cores from Ice Lake to Tiger Lake, client and server: one core with 512-bit vectors slows
/// the clock of all. Rocket Lake, Sapphire Rapids and AMD's do not.
pub(super) fn slow_512() -> bool {
    let (vendor, one) = (__cpuid(0), __cpuid(1).eax);
    let intel = [vendor.ebx, vendor.edx, vendor.ecx] == [0x756e_6547, 0x4965_6e69, 0x6c65_746e];
    let (family, model) = (one >> 8 & 0xf, one >> 4 & 0xf | one >> 12 & 0xf0);
    intel && family == 6 && matches!(model, 0x6a | 0x6c | 0x7d | 0x7e | 0x8c | 0x8d | 0x9d)
}

pub(super) fn name(out: &mut [u8; 48]) {
    if __cpuid(0x8000_0000).eax >= 0x8000_0004 {
        for (n, part) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let r = __cpuid(0x8000_0002 + n as u32);
            for (word, value) in part.as_chunks_mut().0.iter_mut().zip([r.eax, r.ebx, r.ecx, r.edx]) {
                *word = value.to_le_bytes();
            }
        }
    }
}

/// Leaf 7, or zeros where there is none: what CPUID says beyond the last leaf is arbitrary.
fn leaf7() -> CpuidResult {
    if __cpuid(0).eax >= 7 { __cpuid_count(7, 0) } else { CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 } }
}
