//! What is run where, and which backends must be found there.

/// A target, and what emulates it.
pub(crate) struct Target {
    pub(crate) triple: &'static str,
    /// GNU's name of it, which gcc and the directory of its C library have.
    pub(crate) gnu: &'static str,
    /// Debian's package of its C library; none for the machine itself, which has one.
    pub(crate) libc: Option<&'static str>,
    /// The emulator.
    pub(crate) qemu: &'static str,
    pub(crate) cases: &'static [Case],
}

impl Target {
    /// The triple up to its first dash.
    pub(crate) fn architecture(&self) -> &'static str {
        self.triple.split('-').next().unwrap_or(self.triple)
    }
}

/// A CPU, with or without features switched off.
#[derive(Debug)]
pub(crate) struct Case {
    /// A model of qemu, or nothing for the one it takes by itself.
    pub(crate) cpu: &'static str,
    /// `EVARISTE_DISABLE`.
    pub(crate) disable: &'static str,
    /// All that can run there, fastest first: the first one is active.
    pub(crate) usable: &'static str,
    /// Whether CI runs it.
    pub(crate) quick: bool,
}

/// A case of the quick set.
const fn quick(cpu: &'static str, disable: &'static str, usable: &'static str) -> Case {
    Case { cpu, disable, usable, quick: true }
}

/// A case of the nightly run only.
const fn full(cpu: &'static str, disable: &'static str, usable: &'static str) -> Case {
    Case { cpu, disable, usable, quick: false }
}

/// What `cargo xtask cross` runs.
pub(crate) const OTHERS: &[Target] = &[
    Target {
        triple: "powerpc64le-unknown-linux-gnu",
        gnu: "powerpc64le-linux-gnu",
        libc: Some("libc6-dev-ppc64el-cross"),
        qemu: "qemu-ppc64le",
        cases: &[
            quick("power8", "", POWER8),
            quick("power8", "aes", "portable+power8 portable"),
            quick("power8", "clmul", "power8+portable portable"),
            quick("power9", "", POWER9),
            full("power9", "isa300", POWER8),
            quick("power10", "", POWER10),
            full("power10", "isa310", POWER9),
        ],
    },
    Target {
        triple: "powerpc64-unknown-linux-gnu",
        gnu: "powerpc64-linux-gnu",
        libc: Some("libc6-dev-ppc64-cross"),
        qemu: "qemu-ppc64",
        cases: &[
            quick("970", "", PORTABLE),
            quick("power8", "", POWER8),
            full("power9", "", POWER9),
            quick("power10", "", POWER10),
        ],
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        gnu: "aarch64-linux-gnu",
        libc: Some("libc6-dev-arm64-cross"),
        qemu: "qemu-aarch64",
        cases: &[
            quick("cortex-a53", "", ARMV8),
            quick("cortex-a53", "aes", NO_AES),
            quick("cortex-a53", "clmul", NO_CLMUL),
            quick("cortex-a53", "aes clmul", NEON),
            full("neoverse-n1", "", ARMV8),
            full("neoverse-v1", "", ARMV8_SHA3),
            quick("max", "", ARMV8_SHA3),
            full("max", "sha3", ARMV8),
            full("max", "aes", NO_AES),
            full("max", "clmul", NO_CLMUL),
            full("max", "aes clmul", NEON),
            quick("max", "neon", PORTABLE),
        ],
    },
    Target {
        triple: "i686-unknown-linux-gnu",
        gnu: "i686-linux-gnu",
        libc: Some("libc6-dev-i386-cross"),
        qemu: "qemu-i386",
        cases: &[quick("", "", PORTABLE)],
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        gnu: "riscv64-linux-gnu",
        libc: Some("libc6-dev-riscv64-cross"),
        qemu: "qemu-riscv64",
        cases: &[full("", "", PORTABLE)],
    },
    Target {
        triple: "s390x-unknown-linux-gnu",
        gnu: "s390x-linux-gnu",
        libc: Some("libc6-dev-s390x-cross"),
        qemu: "qemu-s390x",
        cases: &[full("", "", PORTABLE)],
    },
];

/// What `cargo xtask cpus` runs. qemu has neither AVX-512 nor VPCLMULQDQ: the backends with VAES run natively
/// or not at all, and a model with VAES alone must not get one.
///
/// Where a model has AVX2 everything takes five to eight times as long (Icelake-Server 785 s, Westmere 145 s, qemu 10.0,
/// 2026-12-01), and finds no other backends: the quick set has none. That of AVX alone takes 344 s, and runs natively too.
pub(crate) const X86_64: Target = Target {
    triple: "x86_64-unknown-linux-gnu",
    gnu: "x86_64-linux-gnu",
    libc: None,
    qemu: "qemu-x86_64",
    cases: &[
        quick("Opteron_G1", "", PORTABLE),
        full("Opteron_G3", "", PORTABLE),
        quick("Conroe", "", SSSE3),
        full("Conroe", "ssse3", PORTABLE),
        full("Penryn", "", SSSE3),
        full("Nehalem", "", SSSE3),
        quick("Westmere", "", SSE),
        quick("Westmere,-aes", "", NO_AESNI),
        quick("Westmere,-pclmulqdq", "", NO_PCLMUL),
        full("Denverton", "", SSE),
        full("SandyBridge", "", AVX),
        full("IvyBridge", "", AVX),
        full("Opteron_G5", "", AVX),
        full("Haswell", "", AVX),
        full("Haswell,-avx2", "", AVX),
        full("EPYC", "", AVX),
        full("Skylake-Server", "", AVX),
        full("Icelake-Server", "", AVX),
        full("max", "", AVX),
        full("max,-aes", "", NO_AESNI),
        full("max,-pclmulqdq", "", NO_PCLMUL),
    ],
};

const PORTABLE: &str = "portable";
const SSSE3: &str = "ssse3 portable";
const SSE: &str = "aesni aesni+ssse3 ssse3+pclmul ssse3 portable";
const NO_AESNI: &str = "ssse3+pclmul ssse3 portable";
const NO_PCLMUL: &str = "aesni+ssse3 ssse3 portable";
const AVX: &str = "aesni-avx aesni aesni+ssse3 ssse3+pclmul ssse3 portable";

const POWER10: &str = "power10 power9 power8 power8+portable portable+power8 portable";
const POWER9: &str = "power9 power8 power8+portable portable+power8 portable";
const POWER8: &str = "power8 power8+portable portable+power8 portable";

const ARMV8_SHA3: &str = "armv8-sha3 armv8 armv8+neon neon+pmull neon portable";
const ARMV8: &str = "armv8 armv8+neon neon+pmull neon portable";
const NO_AES: &str = "neon+pmull neon portable";
const NO_CLMUL: &str = "armv8+neon neon portable";
const NEON: &str = "neon portable";

/// Tests that only one architecture has, as `program::name`. All others that the machine has, every target must
/// run.
pub(crate) const OF_ONE_ARCHITECTURE: &[(&str, &[&str])] = &[
    (
        "x86_64",
        &[
            "evariste::backend::x86_64::ssse3::field::tests::groups",
            "evariste::backend::x86_64::ssse3::tower::tests::all_bytes",
            "evariste::cpu::tests::agrees_with_std",
        ],
    ),
    ("aarch64", CANARIES),
    ("powerpc64le", CANARIES),
    ("powerpc64", CANARIES),
];

const CANARIES: &[&str] =
    &["canaries::aeads", "canaries::parts", "canaries::registers::a_planted_clobber_is_found", "canaries::streams"];

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static Target> {
        OTHERS.iter().chain([&X86_64])
    }

    #[test]
    fn no_case_stands_twice() {
        for target in all() {
            let mut cases: Vec<_> = target.cases.iter().map(|c| (c.cpu, c.disable)).collect();
            let len = cases.len();
            cases.sort_unstable();
            cases.dedup();
            assert_eq!(cases.len(), len, "{}", target.triple);
        }
    }

    #[test]
    fn portable_runs_everywhere() {
        for case in all().flat_map(|t| t.cases) {
            assert!(case.usable.split(' ').next_back() == Some("portable"), "{case:?}");
        }
    }

    /// Each backend there is, and each target but two: one differs from x86-64 too little, the other is big endian and
    /// portable as the 970. What POWER9 has runs in one byte order; AVX, which takes qemu long, natively.
    #[test]
    fn the_quick_set_covers_every_backend() {
        let without: Vec<_> = all().filter(|t| t.cases.iter().all(|c| !c.quick)).map(|t| t.triple).collect();
        assert_eq!(without, ["riscv64gc-unknown-linux-gnu", "s390x-unknown-linux-gnu"]);
        let family = |target: &Target| target.triple.starts_with("powerpc64");
        for target in all().filter(|t| !without.contains(&t.triple)) {
            let is_alike = |t: &&Target| t.triple == target.triple || (family(t) && family(target));
            let quick: Vec<_> = all().filter(is_alike).flat_map(|t| t.cases).filter(|c| c.quick).collect();
            for (case, backend) in target.cases.iter().flat_map(|case| case.usable.split(' ').map(move |b| (case, b))) {
                let runs = quick.iter().any(|c| c.usable.split(' ').any(|b| b == backend));
                assert!(runs || backend == "aesni-avx", "{case:?}: {backend}");
            }
        }
    }
}
