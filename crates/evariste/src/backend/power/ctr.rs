//! The counter mode, in groups of eight blocks from any counter on.

use super::{ADD, Pair, halves};
use crate::key::AesKey;
use crate::{Block, InOut};

/// How a counter block counts.
#[repr(C)]
pub(super) struct Form {
    /// The block from its number.
    mask: Pair,
    /// One and eight, as numbers.
    one: Pair,
    eight: Pair,
    /// Seven, in a block.
    seven: Pair,
    /// Where in the number the word is that counts.
    shift: u32,
}

/// Big-endian in the last word (SP 800-38D §6.2): the number is the block.
pub(super) static BE: Form =
    Form { mask: [0x00010203_04050607, 0x08090a0b_0c0d0e0f], one: [0, 1], eight: [0, 8], seven: [0, 7], shift: 0 };

/// Little-endian in the first word (RFC 8452 §4): the number has that one reversed.
pub(super) static LE: Form = Form {
    mask: [0x03020100_04050607, 0x08090a0b_0c0d0e0f],
    one: [1 << 32, 0],
    eight: [8 << 32, 0],
    seven: [7 << 56, 0],
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

/// XORs the keystream from the number `counter` on, and counts. No branch looks at the counter.
pub(super) fn ctr(form: &'static Form, key: &AesKey, counter: &mut u128, data: InOut<'_, Block>) {
    let mut rest = data;
    if rest.len() >= 16 {
        let eights = rest.len() / 8;
        let (whole, later) = rest.split_at(8 * eights);
        groups(form, key, counter, whole);
        rest = later;
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
            hi = in(reg) hi, lo = in(reg) lo, form = in(reg_nonzero) form, adding = in(reg_nonzero) &ADD,
            rk = inout(reg_nonzero) &key.round_keys => _, rounds = in(reg) key.rounds - 1, o1 = in(reg) 16usize,
            n = in(reg) data.len(), inp = inout(reg_nonzero) data.input().as_ptr() => _,
            out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
        );
    }
}

/// Eights.
#[inline(never)]
fn groups(form: &'static Form, key: &AesKey, counter: &mut u128, mut data: InOut<'_, Block>) {
    macro_rules! next {
        () => {
            lines!(
                "xxlxor 10,11,{seven}",
                "vadduwm {ctr},{ctr},{eight}",
                "vperm {t},{ctr},{ctr},{mask}",
                "xxlxor 11,32+{t},8",
            )
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
    let [hi, lo] = halves(*counter & !(7 << form.shift));
    let phase = (*counter >> form.shift) as u64 & 7;
    form.advance(counter, data.len());
    let rk = &key.round_keys;
    // The last ten keys are those of rounds 1 to 10 with 128 bits of key.
    let late = key.rounds as usize - 10;
    // SAFETY: as `words` says; reads the round keys and the input, writes the output, 128 bytes at a time.
    unsafe {
        asm_all!(
            number!("{ctr}", hi lo, "{t}"), adding!(),
            "cmpwi {rounds},12", "mtctr {n}",
            "lxvd2x 32+{mask},0,{form}", "lxvd2x 32+{eight},{form},{o2}", "lxvd2x {seven},{form},{o3}",
            selectors!("vperm {c},{c},{c},{mask}"),
            "lvx {t},0,{rk}", "xxlor 8,32+{t},32+{t}", "lvx {k}+1,{rk},{o1}",
            "lvx {k}+2,{late},{o2}", "lvx {k}+3,{late},{o3}", "lvx {k}+4,{late},{o4}", "lvx {k}+5,{late},{o5}",
            "lvx {k}+6,{late},{o6}", "lvx {k}+7,{late},{o7}", "lvx {k}+8,0,{later}", "lvx {k}+9,{later},{o1}",
            "lvx {k}+10,{later},{o2}",
            "vperm {t},{ctr},{ctr},{mask}", "xxlxor 10,32+{t},8", "xxlxor 8,8,{seven}",
            "vadduwm {ctr},{ctr},{eight}", "vperm {t},{ctr},{ctr},{mask}", "xxlxor 11,32+{t},8",
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
            s = const 0, c = const 8, t = const 16, ctr = const 18, eight = const 19, mask = const 20,
            add = const 21, k = const 21, seven = const 9,
            hi = in(reg) hi, lo = in(reg) lo, n = in(reg) eights, rounds = in(reg) key.rounds,
            form = in(reg_nonzero) form, phase = in(reg) phase, adding = in(reg_nonzero) &ADD,
            rk = in(reg_nonzero) rk, late = in(reg_nonzero) rk[late..].as_ptr(),
            later = in(reg_nonzero) rk[late + 8..].as_ptr(),
            inp = inout(reg_nonzero) data.input().as_ptr() => _,
            out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
            o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize, o5 = in(reg) 80usize, o6 = in(reg) 96usize,
            o7 = in(reg) 112usize,
        );
    }
}
