//! Counter mode and GHASH in one loop, eight blocks a turn.
//!
//! `vcipher` and `vpmsumd` go to the same unit, which takes one of them a cycle on POWER8 and POWER9: ten and two
//! a block, and the reduction, are the floor that the loop is at. Between the rounds of eight counter blocks
//! stands the hash of eight blocks: opening hashes those it is about to decrypt, sealing those of the turn
//! before, so its first turn has no hash (a rolled loop, before) and its last hash no turn (after). Each line of
//! a turn is a round, with eight slots for the hash.
//!
//! - Products as in `ghash.rs`. The hash so far joins the first block, which is multiplied last.
//! - Counters are selected from two numbers: one instruction a block, from any counter on.
//! - Round 1 of the next eight stands among the last rounds of these.
//! - The rounds that longer keys have more stand apart, without hash: they cost nothing but themselves.
//! - POWER8 on little endian: `lxvd2x` reverses the halves of blocks. `vperm` turns them for the hash, and
//!   `vpermxor` turns the keystream while it adds the data.
//!
//! What was slower, in cycles a block of llvm-mca's model of POWER9, where the loop has 12.13: the hash in one
//! lump before the last round, 13.25; round keys loaded in each turn, 0.12 more; moved from the lower registers,
//! 0.25 more; twelve lanes gain nothing on POWER10 either (6.5, where eight have 6.26).

use super::ghash::power;
use super::words::turns;
use super::{ADD, C, Pair, halves, late, number};
use crate::Block;
use crate::key::GcmKey;

/// Blocks a turn.
pub(super) const STRIDE: usize = 8;

/// What a turn counts on by, and the lanes' bits.
static COUNT: [Pair; 2] = [[0, 8], [0, 7]];

/// Seals or opens this many eights, hashes the ciphertext, and returns the hash. The counter is a number. The pointers
/// are to so many blocks, the same or apart.
pub(super) type Strides = unsafe fn(&GcmKey, u128, u128, *const Block, *mut Block, usize) -> u128;

/// The factors of block `i` of eight.
macro_rules! h {
    (0) => { h!(0 1 powers) }; (1) => { h!(2 3 powers) }; (2) => { h!(4 5 powers) }; (3) => { h!(6 7 powers) };
    (4) => { h!(0 1 lower) }; (5) => { h!(2 3 lower) }; (6) => { h!(4 5 lower) }; (7) => { h!(6 7 lower) };
    ($hi:tt $mid:tt $base:ident) => { lines!(
        concat!("lvx {h}+1,", at!($mid $base)), concat!("lvx {h},", at!($hi $base)),
    ) };
}

macro_rules! load { ($tier:ident $i:tt) => { concat!($tier!(load), " 32+{c}+", $i, ",", at!($i inp)) } }
macro_rules! store { ($tier:ident $i:tt) => { concat!($tier!(store), " 32+{c}+", $i, ",", at!($i out)) } }

/// Sealing loads when the hash is through with the blocks of the turn before.
macro_rules! sealing {
    (early $tier:ident $i:tt) => { "" };
    (late $tier:ident $i:tt) => { load!($tier $i) };
    (prologue $tier:ident) => { lines!(
        "mtctr {middle}",
        "2:", "lvx {h},0,{rk2}", "addi {rk2},{rk2},16", round!("{h}"), "bdnz 2b",
        "mtctr {n}",
        load!($tier 0), load!($tier 1), load!($tier 2), load!($tier 3),
        load!($tier 4), load!($tier 5), load!($tier 6), load!($tier 7),
        $tier!(data 0), $tier!(data 1), $tier!(data 2), $tier!(data 3),
        $tier!(data 4), $tier!(data 5), $tier!(data 6), $tier!(data 7),
        "b 4f",
    ) };
    (epilogue $tier:ident) => { $tier!(hash) };
}

/// Opening loads what it hashes.
macro_rules! opening {
    (early $tier:ident $i:tt) => { load!($tier $i) };
    (late $tier:ident $i:tt) => { $tier!(reload $i) };
    (prologue $tier:ident) => { lines!("mtctr {n} /* {middle} {rk2} */", "blt 3f", "beq 6f") };
    (epilogue $tier:ident) => { "" };
}

/// The product of block `i`, one half of it. The middle one comes first: the other may replace the block.
macro_rules! product {
    ($tier:ident $i:tt mid) => { concat!("vpmsumd {t}+1,", $tier!(block $i), ",{h}+1") };
    ($tier:ident $i:tt hi) => { concat!("vpmsumd {t},", $tier!(block $i), ",{h}") };
}

macro_rules! sum {
    (mid) => {
        "vxor {am},{am},{t}+1"
    };
    (hi) => {
        "vxor {ah},{ah},{t}"
    };
}

/// What POWER8 and POWER9 have in common: hashing with 128-bit loads and two-way sums.
macro_rules! two {
    // Rounds 2 to 9.
    (turn $tier:ident $dir:ident) => { lines!(
        round!($tier!(key 2); $dir!(early $tier 1), $dir!(early $tier 2), $dir!(early $tier 3), $dir!(early $tier 4),
            $dir!(early $tier 5), lines!($dir!(early $tier 6), $dir!(early $tier 7)),
            lines!($dir!(early $tier 0), $tier!(straight 1)), h!(1)),
        round!($tier!(key 3); concat!("vpmsumd {am},", $tier!(block 1), ",{h}+1"),
            concat!("vpmsumd {ah},", $tier!(block 1), ",{h}"), lines!(h!(2), $tier!(straight 2)),
            product!($tier 2 mid), product!($tier 2 hi), h!(3), sum!(mid), sum!(hi)),
        round!($tier!(key 4); $tier!(straight 3), product!($tier 3 mid), product!($tier 3 hi), h!(4), sum!(mid),
            sum!(hi), $tier!(straight 4), product!($tier 4 mid)),
        round!($tier!(key 5); product!($tier 4 hi), h!(5), sum!(mid), sum!(hi), $tier!(straight 5),
            product!($tier 5 mid), product!($tier 5 hi), lines!(h!(6), sum!(mid))),
        round!($tier!(key 6); lines!(sum!(hi), $tier!(straight 6)), product!($tier 6 mid), product!($tier 6 hi),
            lines!(h!(7), sum!(mid)), lines!(sum!(hi), $tier!(straight 7)), product!($tier 7 mid),
            product!($tier 7 hi), lines!(h!(0), sum!(mid))),
        $tier!(rekey 7),
        round!($tier!(key 7); lines!(sum!(hi), $tier!(straight 0)), $tier!(join), product!($tier 0 mid),
            product!($tier 0 hi), "lxvd2x 32+{h},0,{constants}", $dir!(late $tier 1),
            lines!(sum!(mid), $dir!(late $tier 2)), lines!(sum!(hi), $dir!(late $tier 3))),
        $tier!(rekey 8),
        round!($tier!(key 8); "vpmsumd {t},{am},{h}", "xxpermdi 32+{am},32+{am},32+{am},2",
            lines!($dir!(late $tier 4), $dir!(late $tier 5)), lines!($dir!(late $tier 6), $dir!(late $tier 7)),
            $dir!(late $tier 0), "vxor {ah},{ah},{am}", $tier!(data 1), $tier!(data 2)),
        $tier!(rekey 9),
        round!($tier!(key 9); "xxlxor {y},32+{ah},32+{t}", $tier!(data 3), $tier!(data 4), $tier!(data 5),
            $tier!(data 6), $tier!(data 7), $tier!(data 0), ""),
    ) };
    // The hash of the blocks in {c}, alone.
    (hash $tier:ident) => { lines!(
        $tier!(straight 1), h!(1),
        concat!("vpmsumd {am},", $tier!(block 1), ",{h}+1"), concat!("vpmsumd {ah},", $tier!(block 1), ",{h}"),
        two!(hash $tier 2), two!(hash $tier 3), two!(hash $tier 4),
        two!(hash $tier 5), two!(hash $tier 6), two!(hash $tier 7),
        $tier!(straight 0), $tier!(join),
        h!(0), product!($tier 0 mid), product!($tier 0 hi), sum!(mid), sum!(hi),
        "lxvd2x 32+{h},0,{constants}",
        "vpmsumd {t},{am},{h}", "xxpermdi 32+{am},32+{am},32+{am},2", "vxor {ah},{ah},{am}",
        "xxlxor {y},32+{ah},32+{t}",
    ) };
    (hash $tier:ident $i:tt) => { lines!(
        $tier!(straight $i), h!($i), product!($tier $i mid), product!($tier $i hi), sum!(mid), sum!(hi),
    ) };
}

/// Loads that give AES's order. The last nine keys and round 1's stay in registers.
macro_rules! plain {
    (keys) => {
        lines!(
            "lvx {k}+7,{late},{o7}",
            "lvx {k}+8,0,{later}",
            "lvx {k}+9,{later},{o1}",
            "lvx {t},{later},{o2}",
            "xxlor 9,32+{t},32+{t}",
            "/* {adding} */"
        )
    };
    (key $r:tt) => {
        concat!("{k}+", $r)
    };
    (rekey $r:tt) => {
        ""
    };
    (straight $i:tt) => {
        ""
    };
    (join) => {
        "xxlxor 32+{t},32+{c},{y}"
    };
    (block 0) => {
        "{t}"
    };
    (block $i:tt) => {
        concat!("{c}+", $i)
    };
    // The last key joins the data.
    (data $i:tt) => {
        concat!("xxlxor 32+{c}+", $i, ",32+{c}+", $i, ",9")
    };
    (last $i:tt) => {
        concat!("vcipherlast {c}+", $i, ",{s}+", $i, ",{c}+", $i)
    };
    (finish $i:tt) => {
        ""
    };
    (reload $i:tt) => {
        ""
    };
    (again) => {
        again!()
    };
    (longest) => {
        false
    };
}

/// POWER9: `lxvb16x` gives AES's order whatever the byte order.
macro_rules! nine {
    (load) => { "lxvb16x" };
    (store) => { "stxvb16x" };
    (turn $dir:ident) => { two!(turn nine $dir) };
    (hash) => { two!(hash nine) };
    ($($word:tt)*) => { plain!($($word)*) };
}

/// POWER10: loads of a power's two factors together, and sums of three. {h} is one pair of registers, of which {hh}
/// and {hm} are the factors; {t} and {u} are pairs of products.
macro_rules! ten {
    (load) => { "lxvb16x" };
    (store) => { "stxvb16x" };
    (keys) => { lines!(plain!(keys), "/* {lower} */") };
    (power $i:tt) => { concat!("lxvp 32+{h},32*", $i, "({powers})") };
    (product $t:literal $i:tt hi) => { concat!("vpmsumd ", $t, ",{c}+", $i, ",{hh}") };
    (product $t:literal $i:tt mid) => { concat!("vpmsumd ", $t, "+1,{c}+", $i, ",{hm}") };
    (sum hi) => { sum3!("{hi}", "{hi}", "32+{t}", "32+{u}") };
    (sum mid) => { sum3!("{mid}", "{mid}", "33+{t}", "33+{u}") };
    (join) => { "xxlxor 32+{c},32+{c},{y}" };
    // The hash so far joined the block itself.
    (reload 0) => { load!(ten 0) };
    (turn $dir:ident) => { lines!(
        round!("{k}+2"; $dir!(early ten 1), $dir!(early ten 2), $dir!(early ten 3), $dir!(early ten 4),
            $dir!(early ten 5), $dir!(early ten 6), lines!($dir!(early ten 7), $dir!(early ten 0)), ten!(power 1)),
        round!("{k}+3"; ten!(product "{t}" 1 hi), ten!(product "{t}" 1 mid), ten!(power 2), ten!(product "{u}" 2 hi),
            ten!(product "{u}" 2 mid), ten!(power 3), "xxlxor {hi},32+{t},32+{u}", "xxlxor {mid},33+{t},33+{u}"),
        round!("{k}+4"; ten!(product "{t}" 3 hi), ten!(product "{t}" 3 mid), ten!(power 4),
            ten!(product "{u}" 4 hi), ten!(product "{u}" 4 mid), ten!(power 5), "",
            lines!(ten!(sum hi), ten!(sum mid))),
        round!("{k}+5"; ten!(product "{t}" 5 hi), ten!(product "{t}" 5 mid), ten!(power 6),
            ten!(product "{u}" 6 hi), ten!(product "{u}" 6 mid), ten!(power 7), "",
            lines!(ten!(sum hi), ten!(sum mid))),
        round!("{k}+6"; lines!(ten!(product "{t}" 7 hi), ten!(join)), lines!(ten!(product "{t}" 7 mid), ten!(power 0)),
            $dir!(late ten 1), ten!(product "{u}" 0 hi), ten!(product "{u}" 0 mid),
            $dir!(late ten 2), $dir!(late ten 3), $dir!(late ten 4)),
        round!("{k}+7"; "lxvd2x 32+{h},0,{constants}", "",
            lines!(ten!(sum hi), sum3!("32+{t}", "{mid}", "33+{t}", "33+{u}")),
            $dir!(late ten 5), $dir!(late ten 6), $dir!(late ten 7), $dir!(late ten 0), plain!(data 1)),
        round!("{k}+8"; "vpmsumd {u},{t},{h}", "xxpermdi 32+{t},32+{t},32+{t},2", plain!(data 2), plain!(data 3),
            plain!(data 4), plain!(data 5), plain!(data 6), plain!(data 7)),
        round!("{k}+9"; plain!(data 0), sum3!("{y}", "{hi}", "32+{t}", "32+{u}"), "", "", "", "", "", ""),
    ) };
    (hash) => { lines!(
        ten!(power 1), ten!(product "{t}" 1 hi), ten!(product "{t}" 1 mid),
        ten!(power 2), ten!(product "{u}" 2 hi), ten!(product "{u}" 2 mid),
        "xxlxor {hi},32+{t},32+{u}", "xxlxor {mid},33+{t},33+{u}",
        ten!(hash 3 4), ten!(hash 5 6), ten!(join), ten!(hash 7 0),
        "xxlor 32+{t},{mid},{mid}", "lxvd2x 32+{h},0,{constants}",
        "vpmsumd {u},{t},{h}", "xxpermdi 32+{t},32+{t},32+{t},2", sum3!("{y}", "{hi}", "32+{t}", "32+{u}"),
    ) };
    (hash $i:tt $j:tt) => { lines!(
        ten!(power $i), ten!(product "{t}" $i hi), ten!(product "{t}" $i mid),
        ten!(power $j), ten!(product "{u}" $j hi), ten!(product "{u}" $j mid), ten!(sum hi), ten!(sum mid),
    ) };
    ($($word:tt)*) => { plain!($($word)*) };
}

/// `xxeval t,a,b,c,105`, which is t = a + b + c, of any registers, as two words: rustc 1.95 crashes on a prefixed
/// instruction after a label (LLVM's PPCELFStreamer asks a source manager that inline assembly does not have).
/// Aligned, since it may not cross 64 bytes.
macro_rules! sum3 {
    ($t:literal, $a:literal, $b:literal, $c:literal) => { concat!(".p2align 3\n.long 0x05000069,0x88000010",
        sum3!($t 21 0), sum3!($a 16 2), sum3!($b 11 1), sum3!($c 6 3)) };
    // A register's lower five bits, and its highest.
    ($register:literal $low:literal $high:literal) => {
        concat!("+(((", $register, ")&31)<<", $low, ")+(((", $register, ")>>5)<<", $high, ")")
    };
}

/// POWER8 on big endian: so does `lxvd2x`.
#[cfg(target_endian = "big")]
macro_rules! eight {
    (load) => { "lxvd2x" };
    (store) => { "stxvd2x" };
    (turn $dir:ident) => { two!(turn eight $dir) };
    (hash) => { two!(hash eight) };
    ($($word:tt)*) => { plain!($($word)*) };
}

/// POWER8 on little endian: blocks stay as `lxvd2x` loads them. {m} turns them, {m}+1 turns the keystream, {m}+2
/// is for the last keys, which find no room to stay.
#[cfg(target_endian = "little")]
macro_rules! eight {
    (load) => { "lxvd2x" };
    (store) => { "stxvd2x" };
    (turn $dir:ident) => { two!(turn eight $dir) };
    (hash) => { two!(hash eight) };
    (keys) => { lines!("lxvd2x 32+{m},{constants},{o1}", "lxvd2x 32+{m}+1,0,{adding}") };
    (key 7) => { "{m}+2" };
    (key 8) => { "{m}+2" };
    (key 9) => { "{m}+2" };
    (rekey 7) => { "lvx {m}+2,{late},{o7}" };
    (rekey 8) => { "lvx {m}+2,0,{later}" };
    (rekey 9) => { "lvx {m}+2,{later},{o1}" };
    (rekey 10) => { "lvx {m}+2,{later},{o2}" };
    (straight $i:tt) => { concat!("vperm {t},{c}+", $i, ",{c}+", $i, ",{m}") };
    (join) => { "xxlxor 32+{t},32+{t},{y}" };
    (block $i:tt) => { "{t}" };
    (data $i:tt) => { "" };
    (last $i:tt) => { concat!("vcipherlast ", eight!(keystream $i), ",{s}+", $i, ",{m}+2") };
    (finish $i:tt) => { concat!("vpermxor {c}+", $i, ",", eight!(keystream $i), ",{c}+", $i, ",{m}+1") };
    // With fourteen rounds most instructions are spent.
    (again) => { again!(longest) };
    (longest) => { true };
    // Registers of the hash, free by then.
    (keystream 0) => { "{ah}" };
    (keystream 1) => { "{am}" };
    (keystream 2) => { "{t}" };
    (keystream 3) => { "{t}+1" };
    (keystream 4) => { "{ah}" };
    (keystream 5) => { "{am}" };
    (keystream 6) => { "{t}" };
    (keystream 7) => { "{t}+1" };
    ($($word:tt)*) => { plain!($($word)*) };
}

macro_rules! strides {
    // At the end, registers of the caller that it changes beside v20 to v31.
    ($name:ident, $tier:ident $dir:ident $(, $operand:ident = $value:expr)* $(; $($saved:tt)*)?) => {
        /// As [`Strides`] says.
        #[inline(never)]
        pub(super) unsafe fn $name(
            key: &GcmKey,
            counter: u128,
            acc: u128,
            input: *const Block,
            output: *mut Block,
            eights: usize,
        ) -> u128 {
            let (rk, rounds) = (&key.aes.round_keys, key.aes.rounds as usize);
            let late = late(&key.aes);
            let [ctr_hi, ctr_lo] = halves(counter & !7);
            let [mut y_hi, mut y_lo] = halves(acc);
            // SAFETY: as `words` says; reads the round keys and the powers; reads the input and writes the output,
            // of which the caller says how long they are.
            unsafe {
                asm_all!(
                    number!("{ctr}", ctr_hi ctr_lo, "{t}"),
                    "mtvsrd {y},{y_hi}", "mtvsrd 1,{y_lo}", "xxpermdi {y},{y},1,0",
                    turns!(),
                    "lvx {k}+1,{rk},{o1}",
                    "lvx {k}+2,{late},{o2}", "lvx {k}+3,{late},{o3}", "lvx {k}+4,{late},{o4}", "lvx {k}+5,{late},{o5}",
                    "lvx {k}+6,{late},{o6}",
                    $tier!(keys),
                    selectors!(""),
                    "lxvd2x 32+{h},0,{lanes}", "lxvd2x {seven},{lanes},{o1}", "lvx {t},0,{rk}",
                    "xxlxor 10,32+{ctr},32+{t}", "xxlxor 8,32+{t},{seven}", "vadduwm {ctr},{ctr},{h}",
                    "xxlxor 11,32+{ctr},8",
                    each!(count 0 1 2 3 4 5 6 7),
                    "vadduwm {ctr},{ctr},{h}", "xxlxor 10,11,{seven}", "xxlxor 11,32+{ctr},8",
                    each!(first 0 1 2 3 4 5 6 7),
                    $dir!(prologue $tier),
                    // Four rounds more, or two.
                    "5:",
                    "lvx {h},{rk},{o2}", "lvx {t},{rk},{o3}", round!("{h}"), round!("{t}"),
                    "6:",
                    "lvx {h},0,{late}", "lvx {t},{late},{o1}", round!("{h}"), round!("{t}"),
                    "3:",
                    $tier!(turn $dir),
                    "4:",
                    $tier!(rekey 10),
                    "addi {inp},{inp},128",
                    "lxvd2x 32+{h},0,{lanes}",
                    // The last round of these blocks, the next counters, and their first round.
                    $tier!(last 0), count!(0), $tier!(last 1), count!(1),
                    $tier!(last 2), count!(2), $tier!(last 3), count!(3),
                    first!(0), $tier!(finish 0), $tier!(last 4), count!(4), store!($tier 0),
                    first!(1), $tier!(finish 1), $tier!(last 5), count!(5), store!($tier 1),
                    first!(2), $tier!(finish 2), $tier!(last 6), count!(6), store!($tier 2),
                    first!(3), $tier!(finish 3), $tier!(last 7), count!(7), store!($tier 3),
                    first!(4), $tier!(finish 4), "vadduwm {ctr},{ctr},{h}", store!($tier 4),
                    first!(5), $tier!(finish 5), "xxlxor 10,11,{seven}", store!($tier 5),
                    first!(6), $tier!(finish 6), store!($tier 6),
                    first!(7), $tier!(finish 7), "xxlxor 11,32+{ctr},8", store!($tier 7),
                    "addi {out},{out},128",
                    $tier!(again),
                    $dir!(epilogue $tier),
                    "mfvsrd {y_hi},{y}", "xxpermdi {y},{y},{y},2", "mfvsrd {y_lo},{y}",
                    s = const 0, c = const 8, t = const 18, h = const 20, ctr = const 22,
                    y = const 12, $($operand = const $value,)*
                    ctr_hi = in(reg) ctr_hi, ctr_lo = in(reg) ctr_lo, y_hi = inout(reg) y_hi, y_lo = inout(reg) y_lo,
                    lanes = in(reg_nonzero) &COUNT, phase = in(reg) counter as u64 & 7,
                    constants = in(reg_nonzero) &C, adding = in(reg_nonzero) &ADD,
                    n = in(reg) turns(rounds as u64, eights, $tier!(longest)), rounds = in(reg) rounds, middle = in(reg) rounds - 2,
                    rk = in(reg_nonzero) rk, rk2 = inout(reg_nonzero) rk[2..].as_ptr() => _,
                    late = in(reg_nonzero) late, later = in(reg_nonzero) late.wrapping_add(8),
                    powers = in(reg_nonzero) power(&key.hash, 8), lower = in(reg_nonzero) power(&key.hash, 4),
                    inp = inout(reg_nonzero) input => _, out = inout(reg_nonzero) output => _,
                    o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
                    o5 = in(reg) 80usize, o6 = in(reg) 96usize, o7 = in(reg) 112usize,
                    $($(out($saved) _,)*)?
                );
            }
            number([y_hi, y_lo])
        }
    };
}

#[cfg(target_endian = "big")]
strides!(seal8, eight sealing, k = 22, ah = 16, am = 17, seven = 13);
#[cfg(target_endian = "big")]
strides!(open8, eight opening, k = 22, ah = 16, am = 17, seven = 13);
#[cfg(target_endian = "little")]
strides!(seal8, eight sealing, k = 25, m = 23, ah = 16, am = 17, seven = 13);
#[cfg(target_endian = "little")]
strides!(open8, eight opening, k = 25, m = 23, ah = 16, am = 17, seven = 13);
strides!(seal9, nine sealing, k = 22, ah = 16, am = 17, seven = 13);
strides!(open9, nine opening, k = 22, ah = 16, am = 17, seven = 13);
strides!(seal10, ten sealing, k = 22, u = 16, hh = 20 + HI, hm = 21 - HI, hi = 13, mid = 14, seven = 15; "vs14" "vs15");
strides!(open10, ten opening, k = 22, u = 16, hh = 20 + HI, hm = 21 - HI, hi = 13, mid = 14, seven = 15; "vs14" "vs15");

/// `lxvp` fills a pair of registers from the higher one down on little endian.
const HI: i32 = cfg!(target_endian = "little") as i32;
