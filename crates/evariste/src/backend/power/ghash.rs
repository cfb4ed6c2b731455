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

/// How blocks become numbers.
pub(super) struct Form {
    /// From what `lxvd2x` loads.
    mask: Pair,
    /// Eights.
    groups: fn(&Pair, &HashKey, &mut u128, &[[Block; 8]]),
}

/// Big-endian numbers: with the halves reversed, on little endian.
pub(super) static GHASH: Form = if cfg!(target_endian = "little") {
    Form { mask: HALVES, groups: turned }
} else {
    Form { mask: AS_IT_IS, groups: plain }
};

/// The same where `lxvb16x` is there.
pub(super) static GHASH9: Form = Form { mask: GHASH.mask, groups: plain };

/// Little-endian numbers.
pub(super) static POLYVAL: Form =
    Form { mask: if cfg!(target_endian = "little") { SWAPPED } else { REVERSED }, groups: turned };

const AS_IT_IS: Pair = [0x00010203_04050607, 0x08090a0b_0c0d0e0f];
const HALVES: Pair = [0x07060504_03020100, 0x0f0e0d0c_0b0a0908];
const SWAPPED: Pair = [0x08090a0b_0c0d0e0f, 0x00010203_04050607];
const REVERSED: Pair = [0x0f0e0d0c_0b0a0908, 0x07060504_03020100];

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
            "vpmsumd {t},{lower},{c}", "xxpermdi 32+{lower},32+{lower},32+{lower},2", "vxor {upper},{upper},{lower}",
            "vxor {h},{upper},{t}",
            "bdnz 2b",
            y = const 0, h = const 1, g = const 2, t = const 3, upper = const 5, lower = const 6, c = const 7,
            hi = in(reg) hi, lo = in(reg) lo,
            constant = in(reg_nonzero) &C, n = in(reg) have, o1 = in(reg) 16usize,
            out = inout(reg_nonzero) out.powers.as_mut_ptr().wrapping_add(2 * (POWERS - 1)) => _,
        );
    }
}

/// Absorbs blocks (SP 800-38D §6.4, RFC 8452 §3).
pub(super) fn absorb(form: &'static Form, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
    let have = (key.have as usize).clamp(1, 8);
    let (eights, mut rest) = blocks.as_chunks::<8>();
    if eights.len() > 1 && have == 8 {
        (form.groups)(&form.mask, key, acc, eights);
    } else {
        rest = blocks;
    }
    rest.chunks(have).for_each(|blocks| few(&form.mask, key, acc, blocks));
}

/// Up to eight blocks.
fn few(mask: &Pair, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
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

/// Eights, all factors in registers. What waits for the turn before, the first block of eight and the reduction,
/// stands among the products of the next eight's other blocks, in an order that a search found: 2.4 cycles a block
/// in llvm-mca's model of POWER9, where one after the other takes 2.8.
macro_rules! groups {
    ($name:ident, $load:literal, $turn:ident) => {
        #[inline(never)]
        fn $name(mask: &Pair, key: &HashKey, acc: &mut u128, eights: &[[Block; 8]]) {
            macro_rules! load { ($i:tt) => { concat!($load, " 32+{x}+", $i, ",", at!($i p)) } }
            // A product of block `i`.
            macro_rules! hi { ($t:literal $i:tt) => { concat!("vpmsumd ", $t, ",{x}+", $i, ",{h}+2*", $i) } }
            macro_rules! mid { ($t:literal $i:tt) => { concat!("vpmsumd ", $t, ",{x}+", $i, ",{h}+1+2*", $i) } }
            // Sums of products, at last into {hi} and {am}.
            macro_rules! sum { ($to:literal $a:literal $b:literal) => { concat!("xxlxor ", $to, ",", $a, ",", $b) } }
            let [mut y_hi, mut y_lo] = halves(*acc);
            // SAFETY: as `words` says; reads the blocks, 128 bytes at a time, and the lowest eight powers.
            unsafe {
                asm_all!(
                    number!("{x}", y_hi y_lo, "{t}"), "xxlor {y},32+{x},32+{x}",
                    "lxvd2x 32+{c},0,{constant}", "lxvd2x 32+{mask},0,{mask_at}", "mtctr {n}",
                    "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", "lvx {h}+2,{powers},{o2}",
                    "lvx {h}+3,{powers},{o3}", "lvx {h}+4,{powers},{o4}", "lvx {h}+5,{powers},{o5}",
                    "lvx {h}+6,{powers},{o6}", "lvx {h}+7,{powers},{o7}",
                    "addi {powers},{powers},128",
                    "lvx {h}+8,0,{powers}", "lvx {h}+9,{powers},{o1}", "lvx {h}+10,{powers},{o2}",
                    "lvx {h}+11,{powers},{o3}", "lvx {h}+12,{powers},{o4}", "lvx {h}+13,{powers},{o5}",
                    "lvx {h}+14,{powers},{o6}", "lvx {h}+15,{powers},{o7}",
                    // The other blocks of the first eight.
                    each!(load 1 2 3 4 5 6 7 0), each!($turn 1 2 3 4 5 6 7 0),
                    mid!("{am}" 1), hi!("{t}" 1), "xxlor {hi},32+{t},32+{t}",
                    groups!(others 2), groups!(others 3), groups!(others 4),
                    groups!(others 5), groups!(others 6), groups!(others 7),
                    "bdz 3f",
                    ".p2align 5",
                    "2:",
                    "addi {p},{p},128",
                    load!(1), load!(7), "xxlxor 32+{x},32+{x},{y}", load!(2), load!(3), $turn!(1),
                    hi!("{t}" 1), mid!("{u}+1" 0), load!(4), $turn!(2), mid!("{v}" 2), mid!("{t}+1" 1),
                    sum!("{m}" "33+{t}" "32+{v}"), $turn!(3), mid!("{t}+1" 3), hi!("{v}" 2), hi!("{u}" 0),
                    sum!("{hi}" "{hi}" "32+{u}"), load!(6), sum!("{e}" "32+{t}" "32+{v}"), hi!("{t}" 3), $turn!(4),
                    mid!("{v}" 4), sum!("33+{t}" "33+{t}" "32+{v}"), "vxor {am},{am},{u}+1", load!(0), load!(5),
                    "vpmsumd {u}+1,{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2", sum!("{m}" "{m}" "33+{t}"),
                    hi!("{v}" 4), sum!("32+{t}" "32+{t}" "32+{v}"), sum!("{e}" "{e}" "32+{t}"), $turn!(5),
                    hi!("{t}" 5), sum!("{hi}" "{hi}" "32+{am}"), sum!("{y}" "{hi}" "33+{u}"), mid!("{t}+1" 5),
                    $turn!(6), mid!("{v}" 6), sum!("33+{t}" "33+{t}" "32+{v}"), hi!("{v}" 6),
                    sum!("32+{t}" "32+{t}" "32+{v}"), sum!("{e}" "{e}" "32+{t}"), $turn!(7), hi!("{t}" 7),
                    sum!("{hi}" "{e}" "32+{t}"), sum!("{m}" "{m}" "33+{t}"), mid!("{t}+1" 7), $turn!(0),
                    sum!("32+{am}" "{m}" "33+{t}"),
                    "bdnz 2b",
                    "3:",
                    // The first block of the last eight, and the reduction.
                    "xxlxor 32+{x},32+{x},{y}", mid!("{u}+1" 0), hi!("{u}" 0), "vxor {am},{am},{u}+1",
                    "vpmsumd {t},{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2", "xxlxor {hi},{hi},32+{u}",
                    "vxor {t},{t},{am}", "xxlxor 32+{x},{hi},32+{t}",
                    into_number!("{x}", y_hi y_lo),
                    x = const 0, am = const 8, t = const 9, u = const 11, c = const 13, mask = const 14, v = const 15,
                    h = const 16, y = const 0, m = const 1, e = const 2, hi = const 3,
                    y_hi = inout(reg) y_hi, y_lo = inout(reg) y_lo, n = in(reg) eights.len(),
                    constant = in(reg_nonzero) &C, mask_at = in(reg_nonzero) mask,
                    powers = inout(reg_nonzero) power(key, 8) => _, p = inout(reg_nonzero) eights.as_ptr() => _,
                    o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
                    o5 = in(reg) 80usize, o6 = in(reg) 96usize, o7 = in(reg) 112usize,
                );
            }
            *acc = number([y_hi, y_lo]);
        }
    };
    (others $i:tt) => { lines!(
        concat!("vpmsumd {t},{x}+", $i, ",{h}+1+2*", $i), concat!("vpmsumd {u},{x}+", $i, ",{h}+2*", $i),
        "vxor {am},{am},{t}", "xxlxor {hi},{hi},32+{u}",
    ) };
}

macro_rules! turn {
    ($i:tt) => {
        concat!("vperm {x}+", $i, ",{x}+", $i, ",{x}+", $i, ",{mask}")
    };
}
macro_rules! stay {
    ($i:tt) => {
        ""
    };
}

groups!(turned, "lxvd2x", turn);
#[cfg(target_endian = "little")]
groups!(plain, "lxvb16x", stay);
#[cfg(target_endian = "big")]
groups!(plain, "lxvd2x", stay);
