//! What the CPU has, less what was switched off.
//!
//! Detected once, with an atomic that the first caller fills: CPUID traps in virtual machines and
//! costs microseconds there. With the feature `std`, `EVARISTE_DISABLE` takes features away one by
//! one, so that AES and GHASH can be measured and suspected separately; programs that run with
//! elevated rights ignore it.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64")))]
mod other;
#[cfg(target_arch = "powerpc64")]
mod powerpc64;
#[cfg(not(target_arch = "aarch64"))]
mod untimed;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as arch;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64")))]
use other as arch;
#[cfg(target_arch = "powerpc64")]
use powerpc64 as arch;
#[cfg(target_arch = "x86_64")]
use x86_64 as arch;

#[cfg(target_arch = "aarch64")]
use aarch64::Timing;
#[cfg(not(target_arch = "aarch64"))]
use untimed::Timing;

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
    /// Arm: the three-way XOR that came with the SHA-3 instructions.
    SHA3 "sha3" = 8;
    /// Arm: vectors of 128 bits.
    NEON "neon" = 9;
    /// POWER: ISA 3.0, of POWER9.
    ISA300 "isa300" = 10;
    /// POWER: ISA 3.1, of POWER10.
    ISA310 "isa310" = 11;
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

/// Takes features away beside those of `EVARISTE_DISABLE`, for programs that have switches of their own. It works until
/// somebody has asked what there is, which making the first key does; a wish for what is not there is none.
///
/// # Errors
/// The features that stay usable, because somebody had asked.
pub fn disable(features: Features) -> Result<(), Features> {
    decide(features);
    let kept = Features(features.0 & usable().0);
    if kept == Features::NONE { Ok(()) } else { Err(kept) }
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

/// Asks the CPU, until the result is dropped, to take a time for each instruction that does not depend on its
/// operands: PSTATE.DIT of Arm, for this thread and those that it starts meanwhile.
///
/// Call it where a thread begins to work with secrets, not around each message: what it costs on a given CPU is
/// not known here. On other architectures, and on Arm CPUs without it, it does nothing. SECURITY.md says what
/// is promised without it.
pub fn data_independent_timing() -> DataIndependentTiming {
    DataIndependentTiming(Timing::start())
}

/// From [`data_independent_timing`]; ends it on drop.
#[must_use]
pub struct DataIndependentTiming(Timing);

impl DataIndependentTiming {
    /// Whether the CPU has it, and it is on.
    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }
}

impl fmt::Debug for DataIndependentTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataIndependentTiming({})", if self.is_on() { "on" } else { "not there" })
    }
}

/// Whether this CPU lowers its clock for 512-bit vectors by more than they gain.
pub(crate) fn slow_512() -> bool {
    cfg_select! {
        target_arch = "x86_64" => x86_64::slow_512(),
        _ => false,
    }
}

/// Words of `EVARISTE_DISABLE` that name no feature.
#[cfg(feature = "std")]
pub fn unknown_words() -> std::vec::Vec<std::string::String> {
    let words = switch("EVARISTE_DISABLE").unwrap_or_default();
    split(&words.to_string_lossy()).filter(|w| Features::by_name(w).is_none()).map(Into::into).collect()
}

/// The value of an environment variable, this project's or a served library's, unless the process has elevated rights:
/// then the environment is not to be trusted.
#[cfg(feature = "std")]
pub fn switch(name: &str) -> Option<std::ffi::OsString> {
    (!elevated()).then(|| std::env::var_os(name)).flatten()
}

#[cfg(feature = "std")]
fn split(words: &str) -> impl Iterator<Item = &str> {
    words.split([' ', ',', ':', ';', '\t']).filter(|w| !w.is_empty())
}

/// Detected and disabled.
fn once() -> (u32, u32) {
    split_word(decide(Features::NONE))
}

const DONE: u32 = 1 << 31;
const DISABLED: u32 = 15;

fn split_word(both: u32) -> (u32, u32) {
    (both & ((1 << DISABLED) - 1), (both & !DONE) >> DISABLED)
}

/// Both sets in a word, the same for all threads: the first to ask decides, with what it wants disabled besides.
fn decide(besides: Features) -> u32 {
    const { assert!(Features::WORDS.len() as u32 <= DISABLED, "both sets and the mark fit 32 bits") };
    static ONCE: AtomicU32 = AtomicU32::new(0);
    let both = ONCE.load(Relaxed);
    if both != 0 {
        return both;
    }
    let ours = DONE | switched_off().and(besides).0 << DISABLED | arch::detect().0;
    ONCE.compare_exchange(0, ours, Relaxed, Relaxed).map_or_else(|theirs| theirs, |_| ours)
}

#[cfg(feature = "std")]
fn switched_off() -> Features {
    let words = switch("EVARISTE_DISABLE").unwrap_or_default();
    split(&words.to_string_lossy()).filter_map(Features::by_name).fold(Features::NONE, Features::and)
}

#[cfg(not(feature = "std"))]
fn switched_off() -> Features {
    Features::NONE
}

/// Whether the process was given rights its user does not have (setuid, file capabilities): then the
/// environment is not to be trusted.
#[cfg(feature = "std")]
fn elevated() -> bool {
    cfg_select! {
        any(target_os = "linux", target_os = "android") => {
            const AT_SECURE: core::ffi::c_ulong = 23;
            auxiliary(AT_SECURE) != 0
        }
        any(
            target_vendor = "apple",
            target_os = "freebsd",
            target_os = "openbsd",
            target_os = "netbsd",
            target_os = "dragonfly",
            target_os = "illumos",
            target_os = "solaris"
        ) => {
            unsafe extern "C" {
                fn issetugid() -> core::ffi::c_int;
            }
            // SAFETY: a function of these systems' C libraries, without arguments.
            unsafe { issetugid() != 0 }
        }
        // Other Unixes may have such programs, and cannot be asked. Windows has none: what a program starts has
        // its rights at most, and what a user raises is started by the system, with an environment that this
        // user set up. WebAssembly has no users, and its host gives it the environment.
        _ => cfg!(unix),
    }
}

/// What the kernel left for the program at its start.
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
fn auxiliary(kind: core::ffi::c_ulong) -> core::ffi::c_ulong {
    unsafe extern "C" {
        fn getauxval(kind: core::ffi::c_ulong) -> core::ffi::c_ulong;
    }
    // SAFETY: a function of every Linux C library that std links; it only reads.
    unsafe { getauxval(kind) }
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
    fn timing_is_set_where_the_cpu_can() {
        let outer = data_independent_timing();
        {
            let inner = data_independent_timing();
            assert_eq!(inner.is_on(), outer.is_on());
        }
        // The inner one restored what the outer one set.
        #[cfg(target_arch = "aarch64")]
        assert_eq!(outer.is_on(), std::arch::is_aarch64_feature_detected!("dit"));
        assert!(cfg!(target_arch = "aarch64") || !outer.is_on());
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
