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
            "vpmsumd {t},{lower},{c}", "xxpermdi 32+{lower},32+{lower},32+{lower},2", "vxor {upper},{upper},{lower}", "vxor {h},{upper},{t}",
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

/// Eights, all factors in registers. What waits for the turn before, the reduction and the first block of eight,
/// stands among the products of the next eight's other blocks: 2.2 cycles a block in llvm-mca's model of POWER9,
/// where one after the other takes 2.8.
macro_rules! groups {
    ($name:ident, $load:literal, $turn:ident) => {
        #[inline(never)]
        fn $name(mask: &Pair, key: &HashKey, acc: &mut u128, eights: &[[Block; 8]]) {
            macro_rules! load { ($i:tt) => { concat!($load, " 32+{x}+", $i, ",", at!($i p)) } }
            // Both products of a block, in {t} and {t}+1, and their sums, in vs1 and vs2.
            macro_rules! products { ($i:tt) => { lines!(
                $turn!($i),
                concat!("vpmsumd {t}+1,{x}+", $i, ",{h}+1+2*", $i), concat!("vpmsumd {t},{x}+", $i, ",{h}+2*", $i),
            ) } }
            macro_rules! add { ($i:tt) => { lines!(products!($i), "xxlxor 1,1,33+{t}", "xxlxor 2,2,32+{t}") } }
            macro_rules! add_last { () => { lines!(products!(7), "xxlxor 32+{am},1,33+{t}", "xxlxor 3,2,32+{t}") } }
            // The first block, and the reduction, in steps.
            macro_rules! first {
                (1) => { "xxlxor 32+{x},32+{x},0" };
                (2) => { lines!("vpmsumd {u}+1,{x},{h}+1", "vpmsumd {u},{x},{h}") };
                (3) => { "vxor {am},{am},{u}+1" };
                (4) => { "vpmsumd {u}+1,{am},{c}" };
                (5) => { lines!("xxpermdi 32+{am},32+{am},32+{am},2", "xxlxor 3,3,32+{u}") };
                (6) => { "xxlxor 3,3,32+{am}" };
                (7) => { "xxlxor 0,3,33+{u}" };
            }
            let [mut y_hi, mut y_lo] = halves(*acc);
            // SAFETY: as `words` says; reads the blocks, 128 bytes at a time, and the lowest eight powers.
            unsafe {
                asm_all!(
                    number!("{x}", y_hi y_lo, "{t}"), "xxlor 0,32+{x},32+{x}",
                    "lxvd2x 32+{c},0,{constant}", "lxvd2x 32+{mask},0,{mask_at}", "mtctr {n}",
                    "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", "lvx {h}+2,{powers},{o2}", "lvx {h}+3,{powers},{o3}",
                    "lvx {h}+4,{powers},{o4}", "lvx {h}+5,{powers},{o5}", "lvx {h}+6,{powers},{o6}",
                    "lvx {h}+7,{powers},{o7}",
                    "addi {powers},{powers},128",
                    "lvx {h}+8,0,{powers}", "lvx {h}+9,{powers},{o1}", "lvx {h}+10,{powers},{o2}",
                    "lvx {h}+11,{powers},{o3}", "lvx {h}+12,{powers},{o4}", "lvx {h}+13,{powers},{o5}",
                    "lvx {h}+14,{powers},{o6}", "lvx {h}+15,{powers},{o7}",
                    each!(load 1 2 3 4 5 6 7 0),
                    products!(1), "xxlor 1,33+{t},33+{t}", "xxlor 2,32+{t},32+{t}", each!(add 2 3 4 5 6), add_last!(),
                    $turn!(0),
                    "bdz 3f",
                    ".p2align 5",
                    "2:",
                    "addi {p},{p},128",
                    load!(1), load!(2), load!(3), first!(1), products!(1), load!(4), first!(2),
                    "xxlor 1,33+{t},33+{t}", "xxlor 2,32+{t},32+{t}", load!(5), load!(6), load!(7), load!(0),
                    first!(3), add!(2), first!(4), add!(3), first!(5), add!(4), first!(6), add!(5), first!(7),
                    add!(6), $turn!(0), add_last!(),
                    "bdnz 2b",
                    "3:",
                    each!(first 1 2 3 4 5 6 7),
                    "xxlor 32+{x},0,0", into_number!("{x}", y_hi y_lo),
                    x = const 0, am = const 8, t = const 9, u = const 11, c = const 13, mask = const 14, h = const 16,
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
