//! What the kernels must and must not be made of.

use super::code::Code;
use iced_x86::{
    CpuidFeature, CpuidFeature::*, FlowControl, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic,
    OpAccess, OpKind, Register,
};

/// A backend, or half of one.
pub(crate) struct Tier {
    /// Its type in `evariste::backend::x86_64`.
    pub(crate) path: &'static str,
    /// What its line in the table of backends needs beyond [`BASE`], but for the two below.
    vectors: &'static [CpuidFeature],
    /// For AES: not in what only hashes.
    aes: &'static [CpuidFeature],
    /// For carry-less multiplication: not in what only encrypts.
    clmul: &'static [CpuidFeature],
}

/// Everything outside of these keeps to [`BASE`].
pub(crate) const TIERS: &[Tier] = &[
    Tier {
        path: "Vaes512",
        vectors: &[SSE3, SSSE3, AVX, AVX2, AVX512F, AVX512BW, AVX512DQ, AVX512VL, BMI2],
        aes: &[AES, VAES],
        clmul: &[PCLMULQDQ, VPCLMULQDQ],
    },
    Tier { path: "Vaes256", vectors: &[SSE3, SSSE3, AVX, AVX2], aes: &[AES, VAES], clmul: &[PCLMULQDQ, VPCLMULQDQ] },
    Tier { path: "AesNiAvx", vectors: &[SSE3, SSSE3, AVX], aes: &[AES], clmul: &[PCLMULQDQ] },
    Tier { path: "AesNi", vectors: &[SSE3, SSSE3], aes: &[AES], clmul: &[PCLMULQDQ] },
    Tier { path: "SseAes", vectors: &[SSE3, SSSE3], aes: &[AES], clmul: &[] },
    Tier { path: "Ssse3", vectors: &[SSE3, SSSE3], aes: &[], clmul: &[] },
    Tier { path: "SseClmul", vectors: &[SSE3, SSSE3], aes: &[], clmul: &[PCLMULQDQ] },
];

/// What every x86-64 CPU has, and what is a no-operation on old ones; and XGETBV, which tells about the
/// others, of those that have it.
const BASE: &[CpuidFeature] = &[
    INTEL8086,
    INTEL186,
    INTEL286,
    INTEL386,
    INTEL486,
    X64,
    CMOV,
    CPUID,
    MULTIBYTENOP,
    CET_IBT,
    CX8,
    SSE,
    SSE2,
    XSAVE,
];

/// The half of a tier that a function belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Cipher,
    Hash,
    Both,
}

/// Vectors that may be stored to the stack in one loop, by backend and kind of operation; none elsewhere.
///
/// `_strides`, `_long`: with sixteen registers the stitched loop wants more: the states of a stride, three
/// sums, two operands, the accumulator, a round key, the counter and what they are computed with. The order
/// that makes it want them gains 15 to 40 % all the same.
/// `chunks::outlined`: chunks of four vectors, and what is left of the chunk before.
const PERMITTED_SPILLS: &[(&str, &[&str], usize)] = &[
    ("Vaes256", &["_strides", "_long"], 24),
    ("Vaes256", &["chunks::outlined"], 8),
    ("AesNiAvx", &["_strides", "_long"], 24),
    ("AesNiAvx", &["chunks::outlined"], 8),
    ("AesNi", &["_strides", "_long", "chunks::outlined"], 8),
];

/// Functions that may divide, as what they divide is public, and how many instructions of it there may be:
/// two for one division, a narrow and a wide one.
const PERMITTED_DIVISIONS: &[(&str, usize)] = &[
    // The index of a word of the key schedule by the words of the key.
    ("<evariste::backend::portable::Portable as evariste::backend::Cipher>::expand", 2),
    // The length of the data by the length of a stride.
    ("evariste::backend::whole_strides", 2),
];

/// What was found in a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Loops with AES or carry-less multiplication.
    pub(crate) loops: usize,
    /// Calls in them.
    pub(crate) calls: Vec<u64>,
    /// Vectors stored to the stack in the one of those with both that stores most.
    pub(crate) spills: Vec<u64>,
    /// Instructions that the backend does not declare.
    pub(crate) undeclared: Vec<u64>,
    /// Instructions whose time depends on the numbers, if there are more than [`PERMITTED_DIVISIONS`] has.
    pub(crate) variable_time: Vec<u64>,
}

/// How many vectors an operation of a tier may spill in a loop.
pub(crate) fn permitted_spills(path: &str, operation: &str) -> usize {
    let is_kind = |kinds: &[&str]| kinds.iter().any(|kind| operation.ends_with(kind));
    let mut those = PERMITTED_SPILLS.iter().filter(|(p, kinds, _)| *p == path && is_kind(kinds));
    those.next().map_or(0, |(.., most)| *most)
}

impl Tier {
    fn declares(&self, half: Half, feature: &CpuidFeature) -> bool {
        self.vectors.contains(feature)
            || half != Half::Hash && self.aes.contains(feature)
            || half != Half::Cipher && self.clmul.contains(feature)
    }
}

/// Looks at all of a function; without a tier it may have nothing but [`BASE`].
pub(crate) fn check(name: &str, code: &Code, tier: Option<(&Tier, Half)>) -> Findings {
    let mut found = Findings::default();
    let mut info = InstructionInfoFactory::new();
    let declared = |f| BASE.contains(f) || tier.is_some_and(|(tier, half)| tier.declares(half, f));
    for i in &code.instructions {
        if i.is_invalid() || !i.cpuid_features().iter().all(declared) {
            found.undeclared.push(i.ip());
        }
        if matches!(i.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
            found.variable_time.push(i.ip());
        }
    }
    if found.variable_time.len() <= permitted_divisions(name) {
        found.variable_time.clear();
    }
    let rbp_too = code.has_frame_pointer();
    for body in &code.loops {
        let body: Vec<&Instruction> = body.iter().map(|n| &code.instructions[*n]).collect();
        let (aes, clmul) = (body.iter().any(|i| is_aes(i)), body.iter().any(|i| is_clmul(i)));
        if aes || clmul {
            found.loops += 1;
            found.calls.extend(body.iter().filter(|i| is_call(i)).map(|i| i.ip()));
        }
        if aes && clmul {
            let spills: Vec<u64> = body.iter().filter(|i| is_spill(i, &mut info, rbp_too)).map(|i| i.ip()).collect();
            if spills.len() > found.spills.len() {
                found.spills = spills;
            }
        }
    }
    found
}

fn permitted_divisions(name: &str) -> usize {
    PERMITTED_DIVISIONS.iter().find(|(function, _)| *function == name).map_or(0, |(_, most)| *most)
}

fn is_aes(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Aesenc | Mnemonic::Vaesenc | Mnemonic::Aesdec | Mnemonic::Vaesdec)
}

fn is_clmul(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Pclmulqdq | Mnemonic::Vpclmulqdq)
}

fn is_call(i: &Instruction) -> bool {
    matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

fn is_spill(i: &Instruction, info: &mut InstructionInfoFactory, rbp_too: bool) -> bool {
    let on_stack = i.memory_base() == Register::RSP || rbp_too && i.memory_base() == Register::RBP;
    let vector = (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Register && i.op_register(n).is_vector_register());
    let writes = |access| matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite);
    on_stack && vector && {
        let info = info.info_options(i, InstructionInfoOptions::NO_REGISTER_USAGE);
        info.used_memory().iter().any(|m| writes(m.access()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::Surroundings;
    use super::*;
    use crate::subject::Function;

    const AESENC: &[u8] = &[0x66, 0x0f, 0x38, 0xdc, 0xc1];
    const VAESENC: &[u8] = &[0xc4, 0xe2, 0x79, 0xdc, 0xc1];
    const VAESENC_YMM: &[u8] = &[0xc4, 0xe2, 0x7d, 0xdc, 0xc1];
    const VAESENC_ZMM: &[u8] = &[0x62, 0xf2, 0x7d, 0x48, 0xdc, 0xc1];
    const CLMUL: &[u8] = &[0x66, 0x0f, 0x3a, 0x44, 0xd3, 0x00];
    const STORE_RSP: &[u8] = &[0x0f, 0x29, 0x44, 0x24, 0x10];
    const STORE_RBP: &[u8] = &[0x0f, 0x29, 0x45, 0xf0];
    const STORE_RDI: &[u8] = &[0x0f, 0x29, 0x07];
    const LOAD_RSP: &[u8] = &[0x0f, 0x28, 0x44, 0x24, 0x10];
    const MOV_RBP_RSP: &[u8] = &[0x48, 0x89, 0xe5];
    const CALL: &[u8] = &[0xe8, 0x00, 0x10, 0x00, 0x00];
    const CALL_RAX: &[u8] = &[0xff, 0xd0];
    const DIV: &[u8] = &[0xf7, 0xf1];

    struct Returning;
    impl Surroundings for Returning {
        fn returns(&self, _: &Instruction) -> bool {
            true
        }
        fn constant(&self, _: u64) -> Option<i32> {
            None
        }
    }

    fn tier(path: &str) -> &'static Tier {
        TIERS.iter().find(|t| t.path == path).expect("a tier")
    }

    /// `before`, then `body` again and again.
    fn found(tier: Option<&str>, before: &[&[u8]], body: &[&[u8]]) -> Findings {
        let mut code = before.concat();
        let from = code.len();
        code.extend(body.concat());
        let back = -(i8::try_from(code.len() - from + 2).expect("a short loop"));
        code.extend([0x75, back as u8, 0xc3]);
        let code = Code::new(&Function { name: "f".into(), address: 0, code }, &Returning);
        check("f", &code, tier.map(|path| (self::tier(path), Half::Both)))
    }

    #[test]
    fn a_clean_loop_is_clean() {
        let clean = found(Some("AesNi"), &[STORE_RSP, CALL], &[AESENC, LOAD_RSP, CLMUL, STORE_RDI]);
        assert_eq!(clean, Findings { loops: 1, ..Findings::default() });
    }

    #[test]
    fn calls_in_loops_are_found() {
        assert_eq!(found(Some("AesNi"), &[], &[AESENC, CALL]).calls, [5]);
        assert_eq!(found(Some("AesNi"), &[], &[CALL_RAX, CLMUL]).calls, [0]);
        assert!(found(Some("AesNi"), &[AESENC], &[CALL]).calls.is_empty());
    }

    #[test]
    fn spills_are_found() {
        assert_eq!(found(Some("AesNi"), &[], &[AESENC, CLMUL, STORE_RSP]).spills, [11]);
        assert_eq!(found(Some("AesNi"), &[MOV_RBP_RSP], &[AESENC, STORE_RBP, CLMUL]).spills, [8]);
        assert!(found(Some("AesNi"), &[], &[AESENC, STORE_RBP, CLMUL]).spills.is_empty());
        assert!(found(Some("AesNi"), &[], &[AESENC, STORE_RSP]).spills.is_empty());
    }

    #[test]
    fn undeclared_instructions_are_found() {
        let undeclared = |tier, code| !found(tier, &[], &[code]).undeclared.is_empty();
        assert!(undeclared(None, AESENC) && undeclared(None, CLMUL) && !undeclared(None, STORE_RSP));
        assert!(undeclared(Some("AesNi"), VAESENC) && !undeclared(Some("AesNiAvx"), VAESENC));
        assert!(undeclared(Some("AesNiAvx"), VAESENC_YMM) && !undeclared(Some("Vaes256"), VAESENC_YMM));
        assert!(undeclared(Some("Vaes256"), VAESENC_ZMM) && !undeclared(Some("Vaes512"), VAESENC_ZMM));
        assert!(undeclared(Some("SseClmul"), AESENC) && !undeclared(Some("SseAes"), AESENC));
        assert!(undeclared(Some("SseAes"), CLMUL) && !undeclared(Some("SseClmul"), CLMUL));
        assert!(undeclared(Some("AesNi"), &[0x06]), "not an instruction at all");
    }

    #[test]
    fn halves_keep_apart() {
        let all = tier("AesNi");
        let declares = |half| [AES, PCLMULQDQ].map(|f| all.declares(half, &f));
        assert_eq!([Half::Cipher, Half::Hash, Half::Both].map(declares), [[true, false], [false, true], [true, true]]);
    }

    #[test]
    fn divisions_are_found() {
        assert_eq!(found(Some("AesNi"), &[DIV], &[AESENC]).variable_time, [0]);
        assert_eq!(found(None, &[STORE_RDI], &[DIV]).variable_time, [3]);
    }

    #[test]
    fn divisions_are_permitted_by_function_and_number() {
        let divisions = |name: &str, n: usize| {
            let code = Code::new(&Function { name: name.into(), address: 0, code: DIV.repeat(n) }, &Returning);
            check(name, &code, None).variable_time.len()
        };
        let portable = |f| format!("<evariste::backend::portable::Portable as evariste::backend::{f}");
        assert_eq!([1, 2].map(|n| divisions(&portable("Hash>::ghash"), n)), [1, 2]);
        assert_eq!([1, 2, 3].map(|n| divisions(&portable("Cipher>::expand"), n)), [0, 0, 3]);
        assert_eq!(divisions("<evariste::gcm::Gcm as evariste::aead::Aead>::seal", 1), 1);
    }

    #[test]
    fn exceptions_name_a_tier() {
        assert!(PERMITTED_SPILLS.iter().all(|(path, ..)| TIERS.iter().any(|t| t.path == *path)));
        assert!(permitted_spills("Vaes256", "seal_long") > permitted_spills("Vaes256", "seal_short"));
        assert_eq!(permitted_spills("AesNi", "ctr32") + permitted_spills("Vaes512", "seal_long"), 0);
    }
}
