//! AArch64: the AES and PMULL instructions of Armv8, the three-way XOR that came with SHA-3, and NEON alone.
#![allow(unsafe_code)]

mod neon;
mod v128;

use super::choice::Entry;
use super::pair::Pair;
use crate::cpu::Features;

const AES: Features = Features::NEON.and(Features::AES);
const CLMUL: Features = Features::NEON.and(Features::CLMUL);

/// Fastest first.
pub(super) const ENTRIES: &[Entry] = &[
    // AESE, PMULL and EOR3.
    Entry { needs: AES.and(CLMUL).and(Features::SHA3), imp: &v128::SHA3 },
    // AESE and PMULL.
    Entry { needs: AES.and(CLMUL), imp: &v128::ARMV8 },
    // AESE without PMULL of 64 bits.
    Entry { needs: AES, imp: &Pair { name: "armv8+neon", cipher: &v128::AES, hash: &neon::NEON } },
    // PMULL of 64 bits without AESE.
    Entry { needs: CLMUL, imp: &Pair { name: "neon+pmull", cipher: &neon::NEON, hash: &v128::PMULL } },
    // Neither.
    Entry { needs: Features::NEON, imp: &neon::NEON },
    Entry::PORTABLE,
];
