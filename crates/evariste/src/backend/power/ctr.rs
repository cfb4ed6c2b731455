//! The counter mode, in groups of eight blocks from any counter on. No branch looks at a counter.

use super::words::turns;
use super::{ADD, Pair, late};
use crate::block::inc32_le;
use crate::key::AesKey;
use crate::{Block, InOut};

/// Adds CIPH(ctr), CIPH(inc32(ctr)), … and counts (SP 800-38D §6.5).
#[inline(always)]
pub(super) fn ctr32(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let (mut whole, rest) = eights(data);
    if !whole.is_empty() {
        let (input, output, n) = (whole.input().as_ptr(), whole.output().as_mut_ptr(), whole.len());
        // SAFETY: both have `n` blocks, a multiple of eight.
        unsafe { groups_be(key, ctr, ctr[15] as u64 & 7, input, output, n / 8) };
        count(ctr, n);
    }
    in_eights(rest, |now| {
        let n = now.len();
        few(&FEW_BE, key, ctr, now);
        count(ctr, n);
    });
}

/// The next block of keystream.
#[inline(never)]
pub(super) fn keystream(key: &AesKey, ctr: &mut Block, out: &mut Block) {
    *out = [0; 16];
    few(&FEW_BE, key, ctr, core::slice::from_mut(out).into());
    count(ctr, 1);
}

/// inc32, with no more than the word that counts.
#[inline(always)]
fn count([.., a, b, c, d]: &mut Block, by: usize) {
    [*a, *b, *c, *d] = u32::from_be_bytes([*a, *b, *c, *d]).wrapping_add(by as u32).to_be_bytes();
}

/// The same with RFC 8452's counter: the first word, little-endian.
#[inline(always)]
pub(super) fn ctr32_le(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
    let (mut whole, rest) = eights(data);
    if !whole.is_empty() {
        let (input, output, n) = (whole.input().as_ptr(), whole.output().as_mut_ptr(), whole.len());
        // SAFETY: both have `n` blocks, a multiple of eight.
        unsafe { groups_le(key, ctr, ctr[0] as u64 & 7, input, output, n / 8) };
        inc32_le(ctr, n as u32);
    }
    in_eights(rest, |now| {
        let n = now.len();
        few(&FEW_LE, key, ctr, now);
        inc32_le(ctr, n as u32);
    });
}

/// As many eights as pay, and the rest.
#[inline(always)]
fn eights(data: InOut<'_, Block>) -> (InOut<'_, Block>, InOut<'_, Block>) {
    let n = if data.len() < 16 { 0 } else { data.len() / 8 * 8 };
    data.split_at(n)
}

/// At most eight at a time.
#[inline(always)]
fn in_eights(mut rest: InOut<'_, Block>, mut few: impl FnMut(InOut<'_, Block>)) {
    while !rest.is_empty() {
        let (now, later) = rest.split_at(8);
        few(now);
        rest = later;
    }
}

/// The mask between a block and its number, and one, as a number: 32-bit sums are to count. What is little-endian
/// in the block is reversed in the number.
const FEW_BE: [Pair; 2] = [[0x00010203_04050607, 0x08090a0b_0c0d0e0f], [0, 1]];
const FEW_LE: [Pair; 2] = [[0x03020100_04050607, 0x08090a0b_0c0d0e0f], [1 << 32, 0]];

/// Up to eight blocks, on one lane, four or eight.
#[inline(always)]
fn few(form: &[Pair; 2], key: &AesKey, ctr: &Block, mut data: InOut<'_, Block>) {
    macro_rules! count {
        ($i:tt) => {
            concat!("vadduwm {s}+1+", $i, ",{s}+", $i, ",{t}")
        };
    }
    macro_rules! block {
        ($i:tt) => {
            concat!("vperm {s}+", $i, ",{s}+", $i, ",{s}+", $i, ",{mask}")
        };
    }
    macro_rules! lanes { ($($lane:tt)*) => { lines!(
        each!(block $($lane)*), each!(whiten $($lane)*), "mtctr {rounds}",
        "2:", "lvx {k},{rk},{o1}", "addi {rk},{rk},16", each!(cipher $($lane)*), "bdnz 2b",
        "lvx {k},{rk},{o1}", each!(cipher_last $($lane)*),
    ) } }
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
    // SAFETY: as `words` says; reads the counter, the round keys and the input, writes the output, of as many blocks
    // as there are, at least one and at most eight.
    unsafe {
        asm_few!(
            adding!(), "lxvd2x 32+{s},0,{counter}", "vxor {t},{t},{t}", add!("{s}", "{s}", "{t}"),
            "lxvd2x 32+{t},{form},{o1}", "lxvd2x 32+{mask},0,{form}", "lvx {k},0,{rk}",
            "vperm {s},{s},{s},{mask}", "cmpldi {n},1", "ble 7f",
            each!(count 0 1 2), "cmpldi {n},4", "ble 6f",
            each!(count 3 4 5 6), lanes!(0 1 2 3 4 5 6 7), "b 5f",
            "6:", lanes!(0 1 2 3), "b 5f",
            "7:", lanes!(0),
            "5:",
            "mtctr {n}", each!(data 0 1 2 3 4 5 6 7),
            "3:",
            s = const 0, k = const 8, mask = const 9, add = const 10, t = const 11,
            counter = in(reg_nonzero) ctr, form = in(reg_nonzero) form, adding = in(reg_nonzero) &ADD,
            rk = inout(reg_nonzero) &key.round_keys => _, rounds = in(reg) key.rounds - 1, o1 = in(reg) 16usize,
            n = in(reg) data.len(), inp = inout(reg_nonzero) data.input().as_ptr() => _,
            out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
        );
    }
}

/// Eight as a number, seven in a block, what `add` needs, and the mask between number and block, if it takes one.
static GROUPS_BE: [Pair; 3] = [[0, 8], [0, 7], ADD];
static GROUPS_LE: [Pair; 4] = [[8 << 32, 0], [7 << 56, 0], ADD, FEW_LE[0]];

/// Block `i` has a register for half a turn only.
macro_rules! load { ($i:tt) => { concat!("lxvd2x 32+{c}+(", $i, "&3),", at!($i inp)) } }
macro_rules! last {
    ($i:tt) => {
        concat!("vcipherlast {s}+", $i, ",{s}+", $i, ",{k}+10")
    };
}
macro_rules! data {
    ($i:tt) => {
        add!(concat!("{c}+(", $i, "&3)"), concat!("{s}+", $i), concat!("{c}+(", $i, "&3)"))
    };
}
macro_rules! store { ($i:tt) => { concat!("stxvd2x 32+{c}+(", $i, "&3),", at!($i out)) } }

macro_rules! groups {
    // What makes a number of the block in {c}, or the other way round, if it is not the same; and the mask for that.
    ($name:ident, $statics:ident, $turn:tt $(, $mask:ident = $value:literal $register:tt)?) => {
        /// This many eights, from a counter that is `phase` modulo eight. The pointers are to so many blocks, the same
        /// or apart.
        #[inline(never)]
        unsafe fn $name(
            key: &AesKey,
            ctr: &Block,
            phase: u64,
            input: *const Block,
            output: *mut Block,
            eights: usize,
        ) {
            let rk = &key.round_keys;
            // SAFETY: as `words` says; reads the counter, the round keys and the input, writes the output, of
            // which the caller says how long they are.
            unsafe {
                asm_few!(
                    adding!("{statics},{o2}"), turns!(), "mtctr {n}",
                    "lxvd2x 32+{eight},0,{statics}", "lxvd2x {seven},{statics},{o1}",
                    $(concat!("lxvd2x 32+{", stringify!($mask), "},{statics},{o3}"),)?
                    selectors!($turn),
                    "lvx {k}+1,{rk},{o1}",
                    "lvx {k}+2,{late},{o2}", "lvx {k}+3,{late},{o3}", "lvx {k}+4,{late},{o4}", "lvx {k}+5,{late},{o5}",
                    "lvx {k}+6,{late},{o6}", "lvx {k}+7,{late},{o7}", "addi {late},{late},128",
                    "lvx {k}+8,0,{late}", "lvx {k}+9,{late},{o1}", "lvx {k}+10,{late},{o2}",
                    "lxvd2x 32+{c},0,{counter}", "vxor {c}+1,{c}+1,{c}+1", add!("{c}", "{c}", "{c}+1"),
                    "lvx {c}+1,0,{rk}",
                    "xxlandc 32+{c},32+{c},{seven}", "xxlxor 10,32+{c},33+{c}", "xxlxor 8,33+{c},{seven}",
                    $turn, "vadduwm {ctr},{c},{eight}", groups!(block $turn),
                    each!(count 0 1 2 3 4 5 6 7), groups!(next $turn), each!(first 0 1 2 3 4 5 6 7),
                    "blt 3f", "beq 6f",
                    // Four rounds more, or two.
                    "5:",
                    "lvx {c},{rk},{o2}", round!("{c}"), "lvx {c},{rk},{o3}", round!("{c}"),
                    "6:",
                    "lvx {c},0,{more}", round!("{c}"), "lvx {c},{more},{o1}", round!("{c}"),
                    "3:",
                    round!("{k}+2"), round!("{k}+3"), round!("{k}+4"), round!("{k}+5"), round!("{k}+6"),
                    round!("{k}+7"), round!("{k}+8"),
                    round!("{k}+9"; load!(0), "", load!(1), "", load!(2), "", load!(3), ""),
                    last!(0), last!(1), last!(2), last!(3),
                    data!(0), count!(0), last!(4), data!(1), count!(1), last!(5), data!(2), count!(2), last!(6),
                    data!(3), count!(3), last!(7),
                    store!(0), first!(0), load!(4), store!(1), first!(1), load!(5), store!(2), first!(2), load!(6),
                    store!(3), first!(3), load!(7),
                    data!(4), count!(4), data!(5), count!(5), store!(4), first!(4), data!(6), count!(6),
                    store!(5), first!(5), data!(7), count!(7), store!(6), first!(6), store!(7), first!(7),
                    "addi {inp},{inp},128",
                    groups!(next $turn),
                    "addi {out},{out},128",
                    again!(),
                    s = const 0, t = const 0, c = const 8, ctr = const 12, eight = const 13, add = const 14,
                    k = const 14, seven = const 9, $($mask = const $value,)?
                    n = in(reg) turns(key.rounds, eights, false), rounds = in(reg) key.rounds,
                    counter = in(reg_nonzero) ctr, statics = in(reg_nonzero) &$statics, phase = in(reg) phase,
                    rk = in(reg_nonzero) rk, late = inout(reg_nonzero) late(key) => _, more = in(reg_nonzero) late(key),
                    inp = inout(reg_nonzero) input => _,
                    out = inout(reg_nonzero) output => _,
                    o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
                    o5 = in(reg) 80usize, o6 = in(reg) 96usize, o7 = in(reg) 112usize,
                    out("v20") _, out("v21") _, out("v22") _, out("v23") _, out("v24") _, $(out($register) _,)?
                );
            }
        }
    };
    // b of the number in {ctr}; the next a and b.
    (block "") => { "xxlxor 11,32+{ctr},8" };
    (block $turn:tt) => { lines!("vor {c},{ctr},{ctr}", $turn, "xxlxor 11,32+{c},8") };
    (next $turn:tt) => { lines!("xxlxor 10,11,{seven}", "vadduwm {ctr},{ctr},{eight}", groups!(block $turn)) };
}

groups!(groups_be, GROUPS_BE, "");
groups!(groups_le, GROUPS_LE, "vperm {c},{c},{c},{mask}", mask = 25 "v25");
