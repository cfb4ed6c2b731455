//! What the CPU has, less what was switched off.
//!
//! Detected once, with an atomic that the first caller fills: CPUID traps in virtual machines and
//! costs microseconds there. With the feature `std`, `EVARISTE_DISABLE` takes features away one by
//! one, so that AES and GHASH can be measured and suspected separately; programs that run with
//! elevated rights ignore it.
#![allow(unsafe_code)]

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A set of instruction-set extensions, as far as they matter here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u32);

/// Declares the features that a kernel of any architecture may need.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident $word:literal = $bit:literal;)*) => {
        impl Features {
            $( $(#[$doc])* pub const $name: Self = Self(1 << $bit); )*
            const WORDS: &[(&'static str, Self)] = &[$(($word, Self::$name)),*];
        }
    };
}

features! {
    /// Instructions for AES rounds.
    AES "aes" = 0;
    /// Instructions for carry-less multiplication of 64-bit numbers.
    CLMUL "clmul" = 1;
    /// x86: byte shuffles on 128-bit vectors.
    SSSE3 "ssse3" = 2;
    /// x86: three-operand encodings, and 256-bit registers kept by the system.
    AVX "avx" = 3;
    /// x86: integers in 256-bit vectors.
    AVX2 "avx2" = 4;
    /// x86: AVX-512 F, BW, DQ and VL with BMI2, and 512-bit registers kept by the system.
    AVX512 "avx512" = 5;
    /// x86: AES rounds on vectors of more than one block.
    VAES "vaes" = 6;
    /// x86: carry-less multiplication on such vectors.
    VPCLMUL "vpclmul" = 7;
}

impl Features {
    /// No features.
    pub const NONE: Self = Self(0);

    /// Both together.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` are there.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The feature with this name in `EVARISTE_DISABLE`.
    pub fn by_name(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(w, _)| *w == word).map(|(_, f)| *f)
    }

    /// The names of all that are there.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.iter().filter(move |(_, f)| self.contains(*f)).map(|(word, _)| *word)
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, name) in self.names().enumerate() {
            write!(f, "{}{name}", if n == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Features({self})")
    }
}

/// What the CPU, and the system that saves its registers, can do.
pub fn detected() -> Features {
    Features(once().0)
}

/// What `EVARISTE_DISABLE` takes away, on this CPU or any other.
pub fn disabled() -> Features {
    Features(once().1)
}

/// What kernels may use.
pub fn usable() -> Features {
    detected().without(disabled())
}

/// The CPU's name for itself: at most 48 bytes of ASCII.
pub fn name() -> Name {
    let mut bytes = [0; 48];
    arch::name(&mut bytes);
    Name(bytes)
}

/// A CPU's name for itself.
#[derive(Clone, Copy)]
pub struct Name([u8; 48]);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = core::str::from_utf8(&self.0).unwrap_or_default();
        let text = text.trim_matches(|c: char| c == '\0' || c == ' ');
        f.write_str(if text.is_empty() { "unknown CPU" } else { text })
    }
}

/// Whether this CPU lowers its clock for 512-bit vectors by more than they gain.
pub(crate) use arch::slow_512;

/// Words of `EVARISTE_DISABLE` that name no feature.
#[cfg(feature = "std")]
pub fn unknown_words() -> std::vec::Vec<std::string::String> {
    let words = switch("EVARISTE_DISABLE").unwrap_or_default();
    split(&words).filter(|w| Features::by_name(w).is_none()).map(Into::into).collect()
}

/// The value of an environment variable that chooses backends, unless the process has elevated rights.
#[cfg(feature = "std")]
pub(crate) fn switch(name: &str) -> Option<std::string::String> {
    (!elevated()).then(|| std::env::var_os(name)).flatten().map(|v| v.to_string_lossy().into_owned())
}

#[cfg(feature = "std")]
fn split(words: &str) -> impl Iterator<Item = &str> {
    words.split([' ', ',', ':', ';', '\t']).filter(|w| !w.is_empty())
}

/// Detected and disabled, the same for all threads: the first to ask decides.
fn once() -> (u32, u32) {
    const DONE: u32 = 1 << 31;
    const DISABLED: u32 = 15;
    const { assert!(Features::WORDS.len() as u32 <= DISABLED, "both sets and the mark fit 32 bits") };
    static ONCE: AtomicU32 = AtomicU32::new(0);
    let mut both = ONCE.load(Relaxed);
    if both == 0 {
        let ours = DONE | switched_off().0 << DISABLED | arch::detect().0;
        both = ONCE.compare_exchange(0, ours, Relaxed, Relaxed).map_or_else(|theirs| theirs, |_| ours);
    }
    (both & ((1 << DISABLED) - 1), (both & !DONE) >> DISABLED)
}

#[cfg(feature = "std")]
fn switched_off() -> Features {
    let words = switch("EVARISTE_DISABLE").unwrap_or_default();
    split(&words).filter_map(Features::by_name).fold(Features::NONE, Features::and)
}

#[cfg(not(feature = "std"))]
fn switched_off() -> Features {
    Features::NONE
}

/// Whether the process was given rights its user does not have (setuid, file capabilities): then the
/// environment is not to be trusted.
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
fn elevated() -> bool {
    unsafe extern "C" {
        fn getauxval(kind: core::ffi::c_ulong) -> core::ffi::c_ulong;
    }
    const AT_SECURE: core::ffi::c_ulong = 23;
    // SAFETY: a function of every Linux C library that std links; it reads what the kernel left at start.
    unsafe { getauxval(AT_SECURE) != 0 }
}

#[cfg(all(
    feature = "std",
    any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd",
        target_os = "dragonfly",
        target_os = "illumos",
        target_os = "solaris"
    )
))]
fn elevated() -> bool {
    unsafe extern "C" {
        fn issetugid() -> core::ffi::c_int;
    }
    // SAFETY: a function of these systems' C libraries, without arguments.
    unsafe { issetugid() != 0 }
}

#[cfg(all(
    feature = "std",
    not(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd",
        target_os = "dragonfly",
        target_os = "illumos",
        target_os = "solaris"
    ))
))]
fn elevated() -> bool {
    // Other Unixes may have such programs, and cannot be asked. Windows has none: what a program starts has its
    // rights at most, and what a user raises is started by the system, with an environment that this user set
    // up. WebAssembly has no users, and its host gives it the environment.
    cfg!(unix)
}

#[cfg(target_arch = "x86_64")]
mod arch {
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
    pub(crate) fn slow_512() -> bool {
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
}

#[cfg(not(target_arch = "x86_64"))]
mod arch {
    use super::Features;

    pub(super) fn detect() -> Features {
        Features::NONE
    }

    pub(crate) fn slow_512() -> bool {
        false
    }

    pub(super) fn name(_: &mut [u8; 48]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sets() {
        let both = Features::AES.and(Features::VAES);
        assert!(both.contains(Features::AES) && !both.contains(Features::CLMUL));
        assert_eq!(both.without(Features::AES), Features::VAES);
        assert!(both.names().eq(["aes", "vaes"]));
        for (word, feature) in Features::WORDS {
            assert_eq!(Features::by_name(word), Some(*feature));
        }
        assert_eq!(Features::by_name("AES"), None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn agrees_with_std() {
        for (feature, std) in [
            (Features::AES, std::arch::is_x86_feature_detected!("aes")),
            (Features::CLMUL, std::arch::is_x86_feature_detected!("pclmulqdq")),
            (Features::SSSE3, std::arch::is_x86_feature_detected!("ssse3")),
            (Features::AVX, std::arch::is_x86_feature_detected!("avx")),
            (Features::AVX2, std::arch::is_x86_feature_detected!("avx2")),
            (Features::VAES, std::arch::is_x86_feature_detected!("vaes")),
            (Features::VPCLMUL, std::arch::is_x86_feature_detected!("vpclmulqdq")),
        ] {
            assert_eq!(detected().contains(feature), std, "{feature}");
        }
    }
}
