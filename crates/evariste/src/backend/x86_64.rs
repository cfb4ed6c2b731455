//! x86-64: AES-NI and PCLMULQDQ on 128-bit vectors, VAES and VPCLMULQDQ on 256 and 512 bits, and byte shuffles for
//! CPUs that have none of these.
//!
//! Each tier is gated on exactly what its instructions need: there are CPUs, and virtual machines, with
//! VAES but no VPCLMULQDQ, with AES but no PCLMULQDQ, and with AVX-512 but no VAES.
#![allow(unsafe_code)]

mod ssse3;
mod v128;
mod v256;
mod v512;

use super::choice::Entry;
use super::pair::Pair;
use crate::cpu::Features;

/// x^63 + x^62 + x^57.
const POLY: i64 = 0xc2 << 56;

const HALVES: Features = Features::AES.and(Features::CLMUL).and(Features::SSSE3);
const ON_AVX2: Features = HALVES.and(Features::AVX).and(Features::AVX2).and(Features::VAES).and(Features::VPCLMUL);

/// Fastest first on most CPUs.
pub(super) const ENTRIES: &[Entry] = &[
    // VAES and VPCLMULQDQ on AVX-512.
    Entry { needs: ON_AVX2.and(Features::AVX512), imp: &v512::TOKEN },
    // VAES and VPCLMULQDQ on AVX2.
    Entry { needs: ON_AVX2, imp: &v256::TOKEN },
    // AES-NI and PCLMULQDQ, three-operand encodings.
    Entry { needs: HALVES.and(Features::AVX), imp: &v128::AVX },
    // AES-NI and PCLMULQDQ as Westmere has them.
    Entry { needs: HALVES, imp: &v128::SSE },
    // AES-NI without PCLMULQDQ.
    Entry {
        needs: Features::AES.and(Features::SSSE3),
        imp: &Pair { name: "aesni+ssse3", cipher: &v128::SSE_AES, hash: &ssse3::SSSE3 },
    },
    // PCLMULQDQ without AES-NI.
    Entry {
        needs: Features::CLMUL.and(Features::SSSE3),
        imp: &Pair { name: "ssse3+pclmul", cipher: &ssse3::SSSE3, hash: &v128::SSE_CLMUL },
    },
    // Neither: Core 2, Nehalem, Bonnell, Bobcat.
    Entry { needs: Features::SSSE3, imp: &ssse3::SSSE3 },
    Entry::PORTABLE,
];
