//! The loops for aarch64.
//!
//! Registers hold whatever they held: no instruction here takes longer for some values. The assembler repeats and
//! counts (`.rept`, `.irp`), so that a loop is as it reads.

use crate::probe::{How, Need, Probe};
use std::arch::asm;

pub(crate) const ROUND: &str = "aese + aesmc";
pub(crate) const PRODUCT: &str = "pmull";
pub(crate) const WIDTHS: &[u32] = &[128];

/// Additions in a turn of [`additions`].
pub(crate) const ADDITIONS: u64 = 64;

/// A chain of additions.
pub(crate) fn additions(turns: u64) {
    // SAFETY: only the registers that are named change.
    unsafe {
        asm!("2:", ".rept 64", "add {a}, {a}, {b}", ".endr", "subs {n}, {n}, #1", "b.ne 2b",
            n = inout(reg) turns.max(1) => _, a = inout(reg) 0u64 => _, b = in(reg) 1u64, options(nomem, nostack))
    }
}

/// `[lines]` over and over; they take `{m}` as the address of the room. The assembler is told what the CPU was asked.
macro_rules! probe {
    ($name:expr, $how:ident, [$($need:tt)*], $times:literal, [$($line:expr),+ $(,)?]) => {{
        unsafe fn run(turns: u64, room: *mut u8) {
            // SAFETY: the caller has checked that the CPU has the instructions, and takes at least one turn. They
            // use the room only, and the registers that are named.
            unsafe {
                asm!(".arch_extension crypto", ".arch_extension sha3",
                    "2:", $($line,)+ "subs {n}, {n}, #1", "b.ne 2b", "/* {m} */",
                    n = inout(reg) turns => _, m = in(reg) room,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _,
                    out("v7") _, out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _, out("v13") _,
                    out("v14") _, out("v15") _, options(nostack))
            }
        }
        Probe {
            name: $name,
            bits: 128,
            how: How::$how,
            needs: &[$(Need($need, || std::arch::is_aarch64_feature_detected!($need))),*],
            times: $times,
            run,
        }
    }};
}

/// An instruction on register `\i`, into twelve registers in turn, and over and over into one. (`.irp` within `.rept`
/// would not find the end of `\i`, which `\()` marks.)
macro_rules! instruction {
    ($to:ident, $name:expr, [$($need:tt)*], $line:literal) => {
        $to.push(probe!($name, Many, [$($need)*], 24,
            [".irp i,0,1,2,3,4,5,6,7,8,9,10,11,0,1,2,3,4,5,6,7,8,9,10,11", $line, ".endr"]));
        $to.push(probe!($name, Chain, [$($need)*], 24,
            [".irp i,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", $line, ".endr"]));
    };
}

/// Rounds and products of a block of AES-GCM, that wait for nothing.
macro_rules! together {
    ($to:ident, $name:literal, $a:literal, $b:literal, $c:literal, $products:literal) => {
        $to.push(probe!($name, Many, ["aes" "pmull"], 1, [
            rounds!($a), "pmull v12.1q, v14.1d, v15.1d", rounds!($b), "pmull v13.1q, v14.1d, v15.1d",
            rounds!($c), concat!(".rept ", $products, " - 2\npmull v11.1q, v14.1d, v15.1d\n.endr"),
        ]));
    };
}

macro_rules! rounds {
    ($registers:literal) => {
        concat!(".irp i,", $registers, "\naese v\\i\\().16b, v15.16b\naesmc v\\i\\().16b, v\\i\\().16b\n.endr")
    };
}

/// All of them, in the order of the tables.
pub(crate) fn probes() -> Vec<Probe> {
    let mut all = Vec::new();
    instruction!(all, ROUND, ["aes"], "aese v\\i\\().16b, v15.16b\naesmc v\\i\\().16b, v\\i\\().16b");
    instruction!(all, PRODUCT, ["pmull"], "pmull v\\i\\().1q, v\\i\\().1d, v15.1d");
    instruction!(all, "pmull2", ["pmull"], "pmull2 v\\i\\().1q, v\\i\\().2d, v15.2d");
    instruction!(all, "eor", ["neon"], "eor v\\i\\().16b, v\\i\\().16b, v15.16b");
    instruction!(all, "eor3", ["sha3"], "eor3 v\\i\\().16b, v\\i\\().16b, v14.16b, v15.16b");
    instruction!(all, "add", ["neon"], "add v\\i\\().4s, v\\i\\().4s, v15.4s");
    instruction!(all, "tbl", ["neon"], "tbl v\\i\\().16b, {{v\\i\\().16b}}, v15.16b");
    instruction!(all, "rev64", ["neon"], "rev64 v\\i\\().16b, v\\i\\().16b");
    together!(all, "10 aese + aesmc + 3 pmull", "0,1,2", "3,4,5", "6,7,8,9", 3);
    together!(all, "10 aese + aesmc + 4 pmull", "0,1,2", "3,4,5", "6,7,8,9", 4);
    together!(all, "14 aese + aesmc + 3 pmull", "0,1,2,3,4", "5,6,7,8,9", "0,1,2,3", 3);
    together!(all, "14 aese + aesmc + 4 pmull", "0,1,2,3,4", "5,6,7,8,9", "0,1,2,3", 4);
    all
}
