//! GHASH and POLYVAL: two carry-less products a block and one reduction for up to ten.
//!
//! `vpmsumd` multiplies both halves of one register with those of the other and adds the two products. All
//! numbers are as in docs/field.md, where sections 8 and 5 have the algebra: with g = h·x^-64,
//!
//! ```text
//! dot(a, h) = (a.hi × h + a.lo × g) x^-64
//!     hi  = vpmsumd(a, (h.hi, g.hi))
//!     mid = vpmsumd(a, (h.lo, g.lo))
//!     dot = hi + mid x^-64 = hi + swap(mid) + mid.lo × p
//! ```
//!
//! No operand has to be prepared, and the reduction is one product more. Karatsuba's method on pairs of blocks
//! takes three products for two of them, but also twice the other instructions: of the whole of GCM's loop it
//! saves 3 % in llvm-mca's model of POWER9 and costs 15 % in that of POWER10.

use super::{C, Pair, halves, number};
use crate::Block;
use crate::key::HashKey;

/// Powers in a key: eight blocks and what surrounds them in a message, the additional data and the lengths.
pub(super) const POWERS: usize = 10;

/// A block's number from what `lxvd2x` loads: the halves on little endian, the whole on big endian.
pub(super) static GHASH: Pair = if cfg!(target_endian = "little") {
    [0x07060504_03020100, 0x0f0e0d0c_0b0a0908]
} else {
    [0x00010203_04050607, 0x08090a0b_0c0d0e0f]
};
pub(super) static POLYVAL: Pair = if cfg!(target_endian = "little") {
    [0x08090a0b_0c0d0e0f, 0x00010203_04050607]
} else {
    [0x0f0e0d0c_0b0a0908, 0x07060504_03020100]
};

/// The factors of h^n, (h.hi, g.hi) and (h.lo, g.lo), and after them those of lower powers.
#[inline(always)]
pub(super) fn power(key: &HashKey, n: usize) -> *const Block {
    key.powers[2 * (POWERS - n.min(POWERS))..].as_ptr()
}

/// Stores the factors of the first powers, as many as `blocks` needs.
pub(super) fn hash_key(h: u128, blocks: usize, out: &mut HashKey) {
    let have = blocks.clamp(1, POWERS);
    let [hi, lo] = halves(h);
    out.have = have as u64;
    // SAFETY: as `words` says; stores two blocks for each power, from the lowest one's place down to the first.
    unsafe {
        asm_few!(
            number!("{y}", hi lo, "{t}"), "lxvd2x 32+{c},0,{constant}", "mtctr {n}",
            // The first turn multiplies nothing yet: its product is not used.
            "vor {h},{y},{y}",
            "2:",
            "vpmsumd {t},{h},{c}", "xxpermdi 32+{g},32+{h},32+{h},2", "vxor {g},{g},{t}",
            "xxpermdi 32+{upper},32+{h},32+{g},0", "xxpermdi 32+{lower},32+{h},32+{g},3",
            "stvx {upper},0,{out}", "stvx {lower},{out},{o1}", "addi {out},{out},-32",
            // h^(n+1) = dot(h, h^n)
            "vpmsumd {upper},{y},{upper}", "vpmsumd {lower},{y},{lower}",
            "vpmsumd {t},{lower},{c}", "xxpermdi 32+{lower},32+{lower},32+{lower},2", "vxor {upper},{upper},{lower}", "vxor {h},{upper},{t}",
            "bdnz 2b",
            y = const 0, h = const 1, g = const 2, t = const 3, upper = const 5, lower = const 6, c = const 7,
            hi = in(reg) hi, lo = in(reg) lo,
            constant = in(reg_nonzero) &C, n = in(reg) have, o1 = in(reg) 16usize,
            out = inout(reg_nonzero) out.powers.as_mut_ptr().wrapping_add(2 * (POWERS - 1)) => _,
        );
    }
}

/// Absorbs blocks whose numbers `mask` makes.
pub(super) fn absorb(mask: &'static Pair, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    let have = (key.have as usize).clamp(1, 8);
    let (eights, mut rest) = blocks.as_chunks::<8>();
    if eights.len() > 1 && have == 8 {
        groups(mask, key, acc, eights);
    } else {
        rest = blocks;
    }
    rest.chunks(have).for_each(|blocks| few(mask, key, acc, blocks));
}

/// Up to eight blocks.
fn few(mask: &'static Pair, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    if blocks.is_empty() {
        return;
    }
    let [mut y_hi, mut y_lo] = halves(*acc);
    // SAFETY: as `words` says; reads these blocks and as many powers.
    unsafe {
        asm_few!(
            number!("{x}", y_hi y_lo, "{t}"), "lxvd2x 32+{c},0,{constant}", "lxvd2x 32+{mask},0,{mask_at}",
            // The hash so far, times the first power; the first block takes the same one.
            "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", "mtctr {n}",
            "vpmsumd {ah},{x},{h}", "vpmsumd {am},{x},{h}+1",
            "2:",
            "lxvd2x 32+{x},0,{p}", "addi {p},{p},16", "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}",
            "addi {powers},{powers},32", "vperm {x},{x},{x},{mask}",
            "vpmsumd {t},{x},{h}", "vpmsumd {t}+1,{x},{h}+1", "vxor {ah},{ah},{t}", "vxor {am},{am},{t}+1",
            "bdnz 2b",
            "vpmsumd {t},{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2",
            "vxor {ah},{ah},{am}", "vxor {ah},{ah},{t}",
            into_number!("{ah}", y_hi y_lo),
            x = const 0, ah = const 1, am = const 2, t = const 3, h = const 5, c = const 7, mask = const 8,
            y_hi = inout(reg) y_hi, y_lo = inout(reg) y_lo, n = in(reg) blocks.len(), o1 = in(reg) 16usize,
            constant = in(reg_nonzero) &C, mask_at = in(reg_nonzero) mask,
            powers = inout(reg_nonzero) power(key, blocks.len()) => _, p = inout(reg_nonzero) blocks.as_ptr() => _,
        );
    }
    *acc = number([y_hi, y_lo]);
}

/// Eight blocks at a time, all factors in registers.
#[inline(never)]
fn groups(mask: &'static Pair, key: &HashKey, acc: &mut u128, eights: &[[Block; 8]]) {
    macro_rules! load { ($i:tt) => { concat!("lxvd2x 32+{x}+", $i, ",", at!($i p)) } }
    macro_rules! turn {
        ($i:tt) => {
            concat!("vperm {x}+", $i, ",{x}+", $i, ",{x}+", $i, ",{mask}")
        };
    }
    macro_rules! multiply {
        ($i:tt) => {
            lines!(
                concat!("vpmsumd {t},{x}+", $i, ",{h}+2*", $i),
                concat!("vpmsumd {t}+1,{x}+", $i, ",{h}+1+2*", $i),
                "vxor {ah},{ah},{t}",
                "vxor {am},{am},{t}+1",
            )
        };
    }
    let [mut y_hi, mut y_lo] = halves(*acc);
    // SAFETY: as `words` says; reads the blocks, 128 bytes at a time, and the lowest eight powers.
    unsafe {
        asm_all!(
            number!("{y}", y_hi y_lo, "{t}"), "lxvd2x 32+{c},0,{constant}", "lxvd2x 32+{mask},0,{mask_at}",
            "mtctr {n}",
            "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", "lvx {h}+2,{powers},{o2}", "lvx {h}+3,{powers},{o3}",
            "lvx {h}+4,{powers},{o4}", "lvx {h}+5,{powers},{o5}", "lvx {h}+6,{powers},{o6}", "lvx {h}+7,{powers},{o7}",
            "addi {powers},{powers},128",
            "lvx {h}+8,0,{powers}", "lvx {h}+9,{powers},{o1}", "lvx {h}+10,{powers},{o2}", "lvx {h}+11,{powers},{o3}",
            "lvx {h}+12,{powers},{o4}", "lvx {h}+13,{powers},{o5}", "lvx {h}+14,{powers},{o6}",
            "lvx {h}+15,{powers},{o7}",
            ".p2align 5",
            "2:",
            each!(load 1 2 3 4 5 6 7 0), each!(turn 1 2 3 4 5 6 7 0),
            "addi {p},{p},128",
            "vpmsumd {am},{x}+1,{h}+3", "vpmsumd {ah},{x}+1,{h}+2",
            each!(multiply 2 3 4 5 6 7),
            // What waits for the turn before comes last.
            "vxor {x},{x},{y}", "vpmsumd {t}+1,{x},{h}+1", "vpmsumd {t},{x},{h}",
            "vxor {am},{am},{t}+1", "vxor {ah},{ah},{t}",
            "vpmsumd {t},{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2", "vxor {ah},{ah},{am}", "vxor {y},{ah},{t}",
            "bdnz 2b",
            into_number!("{y}", y_hi y_lo),
            x = const 0, ah = const 8, am = const 9, t = const 10, c = const 12, mask = const 13, y = const 14,
            h = const 16,
            y_hi = inout(reg) y_hi, y_lo = inout(reg) y_lo, n = in(reg) eights.len(),
            constant = in(reg_nonzero) &C, mask_at = in(reg_nonzero) mask,
            powers = inout(reg_nonzero) power(key, 8) => _, p = inout(reg_nonzero) eights.as_ptr() => _,
            o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize, o5 = in(reg) 80usize, o6 = in(reg) 96usize,
            o7 = in(reg) 112usize,
        );
    }
    *acc = number([y_hi, y_lo]);
}
