//! AES: the key schedule and whole blocks. Round keys are numbers in memory, as `lvx` loads them.

use super::{ADD, Pair, halves, number};
use crate::key::AesKey;
use crate::{Block, KeyError};

/// KEYEXPANSION (FIPS 197 §5.2).
#[inline]
pub(super) fn expand(key: &[u8], out: &mut AesKey) -> Result<(), KeyError> {
    let words = |n: usize| key.as_chunks::<8>().0.get(n).map_or(0, |w| u64::from_be_bytes(*w));
    match key.len() {
        16 => expand128([words(0), words(1)], out),
        24 => expand192([words(0), words(1), words(2)], out),
        32 => expand256([words(0), words(1), words(2), words(3)], out),
        _ => return Err(KeyError::Length),
    }
    out.rounds = key.len() as u64 / 4 + 6;
    Ok(())
}

/// Masks that take RotWord of the last word and of the second to all words, RCON's first value and its ninth.
static SCHEDULE: [Pair; 4] =
    [[0x0d0e0f0c_0d0e0f0c; 2], [0x05060704_05060704; 2], [0x01000000_01000000; 2], [0x1b000000_1b000000; 2]];

/// The four words in `a` as running sums, plus `t`. A word depends on the one before it, and four words are two
/// shifts and two sums.
macro_rules! sums {
    ($a:literal) => {
        lines!(
            concat!("vsldoi 2,3,", $a, ",12"),
            concat!("vxor ", $a, ",", $a, ",2"),
            concat!("vsldoi 2,3,", $a, ",8"),
            concat!("vxor ", $a, ",", $a, ",2"),
            concat!("vxor ", $a, ",", $a, ",1"),
        )
    };
}

/// SubWord(RotWord(w)) + RCON in all words of v1, w from `a`. All columns are equal: ShiftRows does nothing.
macro_rules! rotated {
    ($a:literal) => {
        lines!(concat!("vperm 1,", $a, ",", $a, ",4"), "vcipherlast 1,1,5")
    };
}

/// Stores the next round key.
macro_rules! store {
    ($a:literal) => {
        lines!("addi {out},{out},16", concat!("stvx ", $a, ",0,{out}"))
    };
}

fn expand128([k0, k1]: [u64; 2], out: &mut AesKey) {
    // A longer key that was here before must not outlive this one.
    out.round_keys[11..].fill([0; 16]);
    // SAFETY: as `words` says; stores eleven of the fifteen round keys.
    unsafe {
        asm_few!(
            number!("0", k0 k1, "1"),
            "lxvd2x 36,0,{c}", "lxvd2x 37,{c},{o2}", "vxor 3,3,3",
            "stvx 0,0,{out}", "mtctr {eight}",
            "2:", rotated!("0"), sums!("0"), store!("0"), "vadduwm 5,5,5", "bdnz 2b",
            "lxvd2x 37,{c},{o3}",
            rotated!("0"), sums!("0"), store!("0"), "vadduwm 5,5,5",
            rotated!("0"), sums!("0"), store!("0"),
            k0 = in(reg) k0, k1 = in(reg) k1, c = in(reg_nonzero) &SCHEDULE, eight = in(reg) 8usize,
            out = inout(reg_nonzero) &mut out.round_keys => _, o2 = in(reg) 32usize, o3 = in(reg) 48usize,
        );
    }
}

fn expand192([k0, k1, k2]: [u64; 3], out: &mut AesKey) {
    out.round_keys[13..].fill([0; 16]);
    // Six words a step, v0 and the upper half of v6: two steps make three round keys.
    macro_rules! step {
        () => {
            lines!(
                rotated!("6"),
                sums!("0"),
                "vadduwm 5,5,5",
                "vsldoi 2,3,6,12",
                "vxor 6,6,2",
                "vspltw 2,0,3",
                "vxor 6,6,2",
            )
        };
    }
    // SAFETY: as `words` says; stores thirteen of the fifteen round keys.
    unsafe {
        asm_few!(
            number!("0", k0 k1, "1"), "mtvsrd 38,{k2}",
            "lxvd2x 36,{c},{o1}", "lxvd2x 37,{c},{o2}", "vxor 3,3,3",
            "stvx 0,0,{out}", "mtctr {four}",
            "2:", "vor 7,6,6", step!(),
            "xxpermdi 34,39,32,0", store!("2"), "xxpermdi 34,32,38,2", store!("2"),
            step!(), store!("0"), "bdnz 2b",
            k0 = in(reg) k0, k1 = in(reg) k1, k2 = in(reg) k2, c = in(reg_nonzero) &SCHEDULE, four = in(reg) 4usize,
            out = inout(reg_nonzero) &mut out.round_keys => _, o1 = in(reg) 16usize, o2 = in(reg) 32usize,
        );
    }
}

fn expand256([k0, k1, k2, k3]: [u64; 4], out: &mut AesKey) {
    // SAFETY: as `words` says; stores fifteen of the fifteen round keys.
    unsafe {
        asm_few!(
            number!("0", k0 k1, "1"), number!("6", k2 k3, "1"),
            "lxvd2x 36,0,{c}", "lxvd2x 37,{c},{o2}", "vxor 3,3,3",
            "stvx 0,0,{out}", store!("6"), "mtctr {six}",
            "2:", rotated!("6"), sums!("0"), store!("0"), "vadduwm 5,5,5",
            "vspltw 1,0,3", "vsbox 1,1", sums!("6"), store!("6"), "bdnz 2b",
            rotated!("6"), sums!("0"), store!("0"),
            k0 = in(reg) k0, k1 = in(reg) k1, k2 = in(reg) k2, k3 = in(reg) k3,
            c = in(reg_nonzero) &SCHEDULE, six = in(reg) 6usize,
            out = inout(reg_nonzero) &mut out.round_keys => _, o2 = in(reg) 32usize,
        );
    }
}

/// `vncipher` adds the key before InvMixColumns, so the inverse cipher (§5.3) takes the same keys backwards.
pub(super) fn expand_decrypt(key: &AesKey, out: &mut AesKey) {
    let last = (key.rounds as usize).min(14);
    for r in 0..=last {
        out.round_keys[r] = key.round_keys[last - r];
    }
    out.rounds = key.rounds;
}

/// CIPHER of one block (§5.1), both as numbers.
#[inline]
pub(super) fn cipher(key: &AesKey, block: u128) -> u128 {
    let [mut hi, mut lo] = halves(block);
    // SAFETY: as `words` says; reads the round keys.
    unsafe {
        asm_few!(
            number!("0", hi lo, "1"),
            "lvx 1,0,{rk}", "lvx 2,{rk},{o1}", "mtctr {n}", "vxor 0,0,1",
            "2:", "vcipher 0,0,2", "addi {rk},{rk},16", "lvx 2,{rk},{o1}", "bdnz 2b",
            "vcipherlast 0,0,2",
            into_number!("0", hi lo),
            hi = inout(reg) hi, lo = inout(reg) lo, n = in(reg) key.rounds - 1,
            rk = inout(reg_nonzero) &key.round_keys => _, o1 = in(reg) 16usize,
        );
    }
    number([hi, lo])
}

/// Up to eight blocks: CIPHER or INVCIPHER on all lanes, loads and stores on as many as there are.
macro_rules! blocks {
    ($name:ident, $round:literal $last:literal) => {
        pub(super) fn $name(key: &AesKey, blocks: &mut [Block]) {
            macro_rules! load { ($i:tt) => { lines!(
                "lxvd2x 32+{t},0,{p}", "addi {p},{p},16", add!(concat!("{s}+", $i), "{t}", "{k}"), "bdz 3f",
            ) } }
            macro_rules! round { ($i:tt) => { concat!($round, " {s}+", $i, ",{s}+", $i, ",{k}") } }
            macro_rules! last { ($i:tt) => { concat!($last, " {s}+", $i, ",{s}+", $i, ",{k}") } }
            macro_rules! store { ($i:tt) => { lines!(
                add!("{t}", concat!("{s}+", $i), "{zero}"), "stxvd2x 32+{t},0,{q}", "addi {q},{q},16", "bdz 5f",
            ) } }
            for blocks in blocks.chunks_mut(8) {
                let n = blocks.len();
                let p = blocks.as_mut_ptr();
                // SAFETY: as `words` says; reads the round keys, reads and writes these blocks.
                unsafe {
                    asm_few!(
                        adding!(), "vxor {zero},{zero},{zero}", "lvx {k},0,{rk}",
                        "mtctr {n}", each!(load 0 1 2 3 4 5 6 7),
                        "3:", "mtctr {rounds}",
                        "4:", "lvx {k},{rk},{o1}", "addi {rk},{rk},16", each!(round 0 1 2 3 4 5 6 7), "bdnz 4b",
                        "lvx {k},{rk},{o1}", each!(last 0 1 2 3 4 5 6 7),
                        "mtctr {n}", each!(store 0 1 2 3 4 5 6 7),
                        "5:",
                        s = const 0, k = const 8, t = const 9, add = const 10, zero = const 11,
                        n = in(reg) n, rounds = in(reg) key.rounds - 1, adding = in(reg_nonzero) &ADD,
                        rk = inout(reg_nonzero) &key.round_keys => _, o1 = in(reg) 16usize,
                        p = inout(reg_nonzero) p => _, q = inout(reg_nonzero) p => _,
                    );
                }
            }
        }
    };
}

blocks!(encrypt, "vcipher" "vcipherlast");
blocks!(decrypt, "vncipher" "vncipherlast");
