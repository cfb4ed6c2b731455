//! What the system says the CPU has: user programs may not ask an Arm core for it themselves.

use super::Features;

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
        .fold(Features::NONE, |all, (f, there)| if *there { all.and(*f) } else { all })
}

/// Only x86 has it.
pub(crate) fn slow_512() -> bool {
    false
}

pub(super) fn name(_: &mut [u8; 48]) {}
