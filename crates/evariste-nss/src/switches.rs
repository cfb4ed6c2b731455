//! NSS's switches: environment variables that take instructions away from it, and from us. Any value counts, also none,
//! as in NSS; with elevated rights they are not seen. AES and GHASH go separately.

use crate::system;
use evariste::cpu::{self, Features};

#[cfg(target_arch = "x86_64")]
const AVX2: Features = Features::AVX2.and(Features::AVX512).and(Features::VAES).and(Features::VPCLMUL);

/// A variable, and what it takes away on the architectures that know it.
const SWITCHES: &[(&str, Features)] = &[
    ("NSS_DISABLE_HW_CRYPTO", Features::AES.and(Features::CLMUL)),
    ("NSS_DISABLE_HW_AES", Features::AES),
    #[cfg(target_arch = "x86_64")]
    ("NSS_DISABLE_PCLMUL", Features::CLMUL),
    #[cfg(target_arch = "x86_64")]
    ("NSS_DISABLE_AVX", Features::AVX.and(AVX2)),
    #[cfg(target_arch = "x86_64")]
    ("NSS_DISABLE_AVX2", AVX2),
    #[cfg(target_arch = "x86_64")]
    ("NSS_DISABLE_SSSE3", Features::SSSE3),
    #[cfg(target_arch = "aarch64")]
    ("NSS_DISABLE_PMULL", Features::CLMUL),
    #[cfg(target_arch = "aarch64")]
    ("NSS_DISABLE_ARM_NEON", Features::NEON),
    #[cfg(target_arch = "powerpc64")]
    ("NSS_DISABLE_PPC_GHASH", Features::CLMUL),
];

/// Takes away what is switched off, before the first key.
pub(crate) fn apply() {
    if let Err(kept) = cpu::disable(switched_off(|name| cpu::switch(name).is_some())) {
        system::note(&format!("{kept} cannot be switched off any more"));
    }
}

fn switched_off(is_set: impl Fn(&str) -> bool) -> Features {
    SWITCHES.iter().filter(|(name, _)| is_set(name)).fold(Features::NONE, |all, (_, features)| all.and(*features))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_takes_its_own() {
        let off = |names: &[&str]| switched_off(|name| names.contains(&name));
        assert_eq!(off(&[]), Features::NONE);
        assert_eq!(off(&["NSS_DISABLE_HW_AES"]), Features::AES);
        assert_eq!(off(&["NSS_DISABLE_HW_CRYPTO"]), Features::AES.and(Features::CLMUL));
        assert_eq!(off(&["NSS_DISABLE_HW_SHA"]), Features::NONE);
        let hash = cfg_select! {
            target_arch = "x86_64" => "NSS_DISABLE_PCLMUL",
            target_arch = "aarch64" => "NSS_DISABLE_PMULL",
            target_arch = "powerpc64" => "NSS_DISABLE_PPC_GHASH",
            _ => return,
        };
        assert_eq!(off(&[hash]), Features::CLMUL);
        let all: Vec<&str> = SWITCHES.iter().map(|(name, _)| *name).collect();
        assert!(off(&all).contains(off(&[hash, "NSS_DISABLE_HW_AES"])));
        if cfg!(target_arch = "x86_64") {
            assert!(!off(&["NSS_DISABLE_AVX"]).contains(Features::AES));
            assert!(off(&["NSS_DISABLE_AVX"]).contains(off(&["NSS_DISABLE_AVX2"])));
            assert!(!off(&["NSS_DISABLE_AVX2"]).contains(Features::AVX));
        }
    }
}
