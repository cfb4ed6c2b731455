//! AArch64: the AES and PMULL instructions of Armv8, and the three-way XOR that came with SHA-3.
#![allow(unsafe_code)]

mod v128;

use super::choice::Entry;
use super::pair::Pair;
use super::portable::Portable;
use crate::cpu::Features;

const BOTH: Features = Features::AES.and(Features::CLMUL);

/// Fastest first.
pub(super) const ENTRIES: &[Entry] = &[
    // AESE, PMULL and EOR3.
    Entry { needs: BOTH.and(Features::SHA3), imp: &v128::SHA3 },
    // AESE and PMULL.
    Entry { needs: BOTH, imp: &v128::ARMV8 },
    // AESE without PMULL of 64 bits.
    Entry { needs: Features::AES, imp: &Pair { name: "armv8+portable", cipher: &v128::AES, hash: &Portable } },
    // PMULL of 64 bits without AESE.
    Entry { needs: Features::CLMUL, imp: &Pair { name: "portable+pmull", cipher: &Portable, hash: &v128::PMULL } },
    Entry::PORTABLE,
];
