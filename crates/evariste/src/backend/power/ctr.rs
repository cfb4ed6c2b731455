//! The counter mode.
//!
//! Eight counters that start at a multiple of eight differ in their lowest three bits only: the whitened states
//! are one number, in which the first round key is, plus 0 to 7. That is one instruction a block, where to
//! count and to add the key are two.

use super::{ADD, Pair, halves};
use crate::key::AesKey;
use crate::{Block, InOut};

/// How a counter block counts.
#[repr(C)]
pub(super) struct Form {
    /// Eight, as a number.
    step: Pair,
    /// 1 to 7, in a block.
    lanes: [Pair; 7],
    /// The block from its number.
    mask: Pair,
    /// One, as a number.
    one: Pair,
    /// Where in the number the word is that counts.
    shift: u32,
}

/// Big-endian in the last word (SP 800-38D §6.2): the number is the block.
pub(super) static BE: Form = Form {
    step: [0, 8],
    lanes: [[0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [0, 6], [0, 7]],
    mask: [0x00010203_04050607, 0x08090a0b_0c0d0e0f],
    one: [0, 1],
    shift: 0,
};

/// Little-endian in the first word (RFC 8452 §4): the number has that one reversed.
pub(super) static LE: Form = Form {
    step: [8 << 32, 0],
    lanes: [[1 << 56, 0], [2 << 56, 0], [3 << 56, 0], [4 << 56, 0], [5 << 56, 0], [6 << 56, 0], [7 << 56, 0]],
    mask: [0x03020100_04050607, 0x08090a0b_0c0d0e0f],
    one: [1 << 32, 0],
    shift: 96,
};

impl Form {
    /// Counts.
    #[inline(always)]
    pub(super) fn advance(&self, counter: &mut u128, by: usize) {
        let word = ((*counter >> self.shift) as u32).wrapping_add(by as u32);
        *counter = *counter & !(0xffff_ffff << self.shift) | (word as u128) << self.shift;
    }
}

/// XORs the keystream from the number `counter` on, and counts. A secret counter may not be looked at.
pub(super) fn ctr(form: &'static Form, key: &AesKey, counter: &mut u128, secret: bool, data: InOut<'_, Block>) {
    let mut rest = data;
    if !secret && rest.len() >= 16 {
        let (head, later) = rest.split_at(((*counter >> form.shift) as usize).wrapping_neg() & 7);
        few(form, key, counter, head);
        let eights = later.len() / 8;
        let (whole, later) = later.split_at(8 * eights);
        rest = later;
        groups(form, key, counter, whole);
    }
    while !rest.is_empty() {
        let (now, later) = rest.split_at(8);
        few(form, key, counter, now);
        rest = later;
    }
}

/// Up to eight blocks from any counter.
fn few(form: &'static Form, key: &AesKey, counter: &mut u128, mut data: InOut<'_, Block>) {
    macro_rules! count {
        ($i:tt) => {
            concat!("vadduwm {s}+1+", $i, ",{s}+", $i, ",{t}")
        };
    }
    macro_rules! whiten {
        ($i:tt) => {
            lines!(
                concat!("vperm {s}+", $i, ",{s}+", $i, ",{s}+", $i, ",{mask}"),
                concat!("vxor {s}+", $i, ",{s}+", $i, ",{k}"),
            )
        };
    }
    macro_rules! round {
        ($i:tt) => {
            concat!("vcipher {s}+", $i, ",{s}+", $i, ",{k}")
        };
    }
    macro_rules! last {
        ($i:tt) => {
            concat!("vcipherlast {s}+", $i, ",{s}+", $i, ",{k}")
        };
    }
    macro_rules! data {
        ($i:tt) => {
            lines!(
                "lxvd2x 32+{t},0,{inp}",
                "addi {inp},{inp},16",
                add!("{t}", concat!("{s}+", $i), "{t}"),
                "stxvd2x 32+{t},0,{out}",
                "addi {out},{out},16",
                "bdz 3f",
            )
        };
    }
    if data.is_empty() {
        return;
    }
    let [hi, lo] = halves(*counter);
    form.advance(counter, data.len());
    // SAFETY: as `words` says; reads the round keys and the input, writes the output, of as many blocks as there
    // are, at most eight.
    unsafe {
        asm_few!(
            number!("{s}", hi lo, "{t}"), adding!(),
            "lxvd2x 32+{t},{form},{o1}", "lxvd2x 32+{mask},0,{form}", "lvx {k},0,{rk}",
            each!(count 0 1 2 3 4 5 6), each!(whiten 0 1 2 3 4 5 6 7),
            "mtctr {rounds}",
            "2:", "lvx {k},{rk},{o1}", "addi {rk},{rk},16", each!(round 0 1 2 3 4 5 6 7), "bdnz 2b",
            "lvx {k},{rk},{o1}", each!(last 0 1 2 3 4 5 6 7),
            "mtctr {n}", each!(data 0 1 2 3 4 5 6 7),
            "3:",
            s = const 0, k = const 8, mask = const 9, add = const 10, t = const 12,
            hi = in(reg) hi, lo = in(reg) lo, form = in(reg_nonzero) &form.mask, adding = in(reg_nonzero) &ADD,
            rk = inout(reg_nonzero) &key.round_keys => _, rounds = in(reg) key.rounds - 1, o1 = in(reg) 16usize,
            n = in(reg) data.len(), inp = inout(reg_nonzero) data.input().as_ptr() => _,
            out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
        );
    }
}

/// A whole number of eights, from a counter that is a multiple of eight.
#[inline(never)]
fn groups(form: &'static Form, key: &AesKey, counter: &mut u128, mut data: InOut<'_, Block>) {
    macro_rules! count {
        (0) => {
            "xxlor 32+{s},9,9"
        };
        ($i:tt) => {
            concat!("xxlxor 32+{s}+", $i, ",9,", $i, "-1")
        };
    }
    macro_rules! next {
        () => {
            lines!("vadduwm {ctr},{ctr},{step}", "vperm {t},{ctr},{ctr},{mask}", "xxlxor 9,32+{t},8",)
        };
    }
    macro_rules! load { ($i:tt) => { concat!("lxvd2x 32+{c}+", $i, ",", at!($i inp)) } }
    macro_rules! last {
        ($i:tt) => {
            concat!("vcipherlast {s}+", $i, ",{s}+", $i, ",{k}+10")
        };
    }
    macro_rules! data {
        ($i:tt) => {
            add!(concat!("{c}+", $i), concat!("{s}+", $i), concat!("{c}+", $i))
        };
    }
    macro_rules! store { ($i:tt) => { concat!("stxvd2x 32+{c}+", $i, ",", at!($i out)) } }
    let eights = data.len() / 8;
    if eights == 0 {
        return;
    }
    let [hi, lo] = halves(*counter);
    form.advance(counter, data.len());
    let rk = &key.round_keys;
    // The last ten keys are those of rounds 1 to 10 with 128 bits of key.
    let late = key.rounds as usize - 10;
    // SAFETY: as `words` says; reads the round keys and the input, writes the output, 128 bytes at a time.
    unsafe {
        asm_all!(
            number!("{ctr}", hi lo, "{t}"), adding!(),
            "cmpwi {rounds},12", "mtctr {n}",
            "lxvd2x 32+{step},0,{form}", "lxvd2x 0,{form},{o1}", "lxvd2x 1,{form},{o2}", "lxvd2x 2,{form},{o3}",
            "lxvd2x 3,{form},{o4}", "lxvd2x 4,{form},{o5}", "lxvd2x 5,{form},{o6}", "lxvd2x 6,{form},{o7}",
            "lxvd2x 32+{mask},0,{mask_at}",
            "lvx {t},0,{rk}", "xxlor 8,32+{t},32+{t}", "lvx {k}+1,{rk},{o1}",
            "lvx {k}+2,{late},{o2}", "lvx {k}+3,{late},{o3}", "lvx {k}+4,{late},{o4}", "lvx {k}+5,{late},{o5}",
            "lvx {k}+6,{late},{o6}", "lvx {k}+7,{late},{o7}", "lvx {k}+8,0,{later}", "lvx {k}+9,{later},{o1}",
            "lvx {k}+10,{later},{o2}",
            "vperm {t},{ctr},{ctr},{mask}", "xxlxor 9,32+{t},8",
            each!(count 0 1 2 3 4 5 6 7), next!(), each!(first 0 1 2 3 4 5 6 7),
            ".p2align 5",
            "2:",
            "bge 5f",
            "3:",
            round!("{k}+2"), round!("{k}+3"), round!("{k}+4"), round!("{k}+5"), round!("{k}+6"),
            round!("{k}+7"; load!(0), "", load!(1), "", load!(2), "", load!(3), ""),
            round!("{k}+8"; load!(4), "", load!(5), "", load!(6), "", load!(7), ""),
            round!("{k}+9"),
            "addi {inp},{inp},128",
            last!(0), last!(1), last!(2), last!(3),
            data!(0), count!(0), last!(4), data!(1), count!(1), last!(5), data!(2), count!(2), last!(6),
            data!(3), count!(3), last!(7),
            store!(0), first!(0), data!(4), count!(4), store!(1), first!(1), data!(5), count!(5),
            store!(2), first!(2), data!(6), count!(6), store!(3), first!(3), data!(7), count!(7),
            store!(4), first!(4), store!(5), first!(5), store!(6), first!(6), store!(7), first!(7),
            next!(),
            "addi {out},{out},128",
            "bdnz 2b",
            "b 9f",
            // Two or four rounds more.
            "5:",
            "lvx {t},{rk},{o2}", round!("{t}"), "lvx {t},{rk},{o3}", round!("{t}"),
            "beq 3b",
            "lvx {t},{rk},{o4}", round!("{t}"), "lvx {t},{rk},{o5}", round!("{t}"),
            "b 3b",
            "9:",
            s = const 0, c = const 8, t = const 16, ctr = const 18, step = const 19, mask = const 20,
            add = const 21, k = const 21,
            hi = in(reg) hi, lo = in(reg) lo, n = in(reg) eights, rounds = in(reg) key.rounds,
            form = in(reg_nonzero) form, mask_at = in(reg_nonzero) &form.mask, adding = in(reg_nonzero) &ADD,
            rk = in(reg_nonzero) rk, late = in(reg_nonzero) rk[late..].as_ptr(),
            later = in(reg_nonzero) rk[late + 8..].as_ptr(),
            inp = inout(reg_nonzero) data.input().as_ptr() => _,
            out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
            o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize, o5 = in(reg) 80usize, o6 = in(reg) 96usize,
            o7 = in(reg) 112usize,
        );
    }
}
