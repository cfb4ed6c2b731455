//! The counter mode, in groups of eight blocks from any counter on.

use super::{ADD, Pair};
use crate::key::AesKey;
use crate::{Block, InOut};

/// Adds CIPH(ctr), CIPH(inc32(ctr)), … and counts (SP 800-38D §6.5).
pub(super) fn ctr32(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let mut number = words(ctr);
    counter_mode::<false>(key, &mut number, data);
    *ctr = bytes(number);
}

/// The same with RFC 8452's counter: the first word, little-endian. The number has that one reversed.
pub(super) fn ctr32_le(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let reversed = |[hi, lo]: Pair| [hi << 32 >> 32 | (((hi >> 32) as u32).swap_bytes() as u64) << 32, lo];
    let mut number = reversed(words(ctr));
    counter_mode::<true>(key, &mut number, data);
    *ctr = bytes(reversed(number));
}

#[inline(always)]
fn words(block: &Block) -> Pair {
    let [a, b] = [0, 8].map(|n| block[n..].first_chunk().map_or(0, |w| u64::from_be_bytes(*w)));
    [a, b]
}

#[inline(always)]
fn bytes([hi, lo]: Pair) -> Block {
    super::number([hi, lo]).to_be_bytes()
}

/// Counts in the upper word of the upper half (`LE`), or in the lower word of the lower one. No branch looks at the
/// counter.
#[inline(always)]
fn counter_mode<const LE: bool>(key: &AesKey, number: &mut Pair, data: InOut<'_, Block>) {
    let advance = |[hi, lo]: Pair, by: usize| {
        if LE {
            [hi.wrapping_add((by as u64) << 32), lo]
        } else {
            [hi, lo >> 32 << 32 | (lo as u32).wrapping_add(by as u32) as u64]
        }
    };
    let mut rest = data;
    if rest.len() >= 16 {
        let eights = rest.len() / 8;
        let (whole, later) = rest.split_at(8 * eights);
        let [hi, lo] = *number;
        if LE {
            groups_le(key, [hi & !(7 << 32), lo], hi >> 32 & 7, whole);
        } else {
            groups_be(key, [hi, lo & !7], lo & 7, whole);
        }
        *number = advance(*number, 8 * eights);
        rest = later;
    }
    while !rest.is_empty() {
        let (now, later) = rest.split_at(8);
        let n = now.len();
        few(if LE { &FEW_LE } else { &FEW_BE }, key, *number, now);
        *number = advance(*number, n);
        rest = later;
    }
}

/// The mask that makes a block of a number, and one, as a number.
static FEW_BE: [Pair; 2] = [[0x00010203_04050607, 0x08090a0b_0c0d0e0f], [0, 1]];
static FEW_LE: [Pair; 2] = [[0x03020100_04050607, 0x08090a0b_0c0d0e0f], [1 << 32, 0]];

/// Up to eight blocks.
fn few(form: &'static [Pair; 2], key: &AesKey, [hi, lo]: Pair, mut data: InOut<'_, Block>) {
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
    // SAFETY: as `words` says; reads the round keys and the input, writes the output, of as many blocks as there
    // are, at least one and at most eight.
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

/// Eight as a number, seven in a block, and the mask that makes a block, if it takes one.
static GROUPS_BE: [Pair; 2] = [[0, 8], [0, 7]];
static GROUPS_LE: [Pair; 3] = [[8 << 32, 0], [7 << 56, 0], [0x03020100_04050607, 0x08090a0b_0c0d0e0f]];

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

macro_rules! groups {
    // What makes a block of the number in {c}, if it is not the block, and the mask for that.
    ($name:ident, $statics:ident, $block:literal $(, $mask:ident = $value:literal $register:tt)?) => {
        /// Eights, from a counter at `phase` of the eight that `base` starts.
        #[inline(never)]
        fn $name(key: &AesKey, [hi, lo]: Pair, phase: u64, mut data: InOut<'_, Block>) {
            let rk = &key.round_keys;
            // The last ten keys are those of rounds 1 to 10 with 128 bits of key.
            let late = key.rounds as usize - 10;
            // SAFETY: as `words` says; reads the round keys and the input, writes the output, 128 bytes at a time.
            unsafe {
                asm_few!(
                    number!("{ctr}", hi lo, "{c}"), adding!(),
                    "cmpwi {rounds},12", "mtctr {n}",
                    "lxvd2x 32+{eight},0,{statics}", "lxvd2x {seven},{statics},{o1}", $(concat!("lxvd2x 32+{", stringify!($mask), "},{statics},{o2}"),)?
                    selectors!($block),
                    "lvx {c},0,{rk}", "xxlor 8,32+{c},32+{c}", "lvx {k}+1,{rk},{o1}",
                    "lvx {k}+2,{late},{o2}", "lvx {k}+3,{late},{o3}", "lvx {k}+4,{late},{o4}", "lvx {k}+5,{late},{o5}",
                    "lvx {k}+6,{late},{o6}", "lvx {k}+7,{late},{o7}", "lvx {k}+8,0,{later}", "lvx {k}+9,{later},{o1}",
                    "lvx {k}+10,{later},{o2}",
                    "vor {c},{ctr},{ctr}", $block, "xxlxor 10,32+{c},8", "xxlxor 8,8,{seven}",
                    "vadduwm {ctr},{ctr},{eight}", "vor {c},{ctr},{ctr}", $block, "xxlxor 11,32+{c},8",
                    each!(count 0 1 2 3 4 5 6 7), groups!(next $block), each!(first 0 1 2 3 4 5 6 7),
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
                    groups!(next $block),
                    "addi {out},{out},128",
                    "bdnz 2b",
                    "b 9f",
                    // Two or four rounds more.
                    "5:",
                    "lvx {c},{rk},{o2}", round!("{c}"), "lvx {c},{rk},{o3}", round!("{c}"),
                    "beq 3b",
                    "lvx {c},{rk},{o4}", round!("{c}"), "lvx {c},{rk},{o5}", round!("{c}"),
                    "b 3b",
                    "9:",
                    s = const 0, t = const 0, c = const 8, ctr = const 16, eight = const 17, add = const 18, k = const 18,
                    seven = const 9, $($mask = const $value,)?
                    hi = in(reg) hi, lo = in(reg) lo, n = in(reg) data.len() / 8, rounds = in(reg) key.rounds,
                    statics = in(reg_nonzero) &$statics, phase = in(reg) phase, adding = in(reg_nonzero) &ADD,
                    rk = in(reg_nonzero) rk, late = in(reg_nonzero) rk[late..].as_ptr(),
                    later = in(reg_nonzero) rk[late + 8..].as_ptr(),
                    inp = inout(reg_nonzero) data.input().as_ptr() => _,
                    out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
                    o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
                    o5 = in(reg) 80usize, o6 = in(reg) 96usize, o7 = in(reg) 112usize,
                    out("v20") _, out("v21") _, out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _,
                    out("v27") _, out("v28") _, $(out($register) _,)?
                );
            }
        }
    };
    (next "") => { lines!("xxlxor 10,11,{seven}", "vadduwm {ctr},{ctr},{eight}", "xxlxor 11,32+{ctr},8") };
    (next $block:literal) => { lines!(
        "xxlxor 10,11,{seven}", "vadduwm {ctr},{ctr},{eight}", "vor {c},{ctr},{ctr}", $block, "xxlxor 11,32+{c},8",
    ) };
}

groups!(groups_be, GROUPS_BE, "");
groups!(groups_le, GROUPS_LE, "vperm {c},{c},{c},{mask}", mask = 29 "v29");
