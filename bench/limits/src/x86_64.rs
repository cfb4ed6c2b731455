//! The loops for x86-64.
//!
//! Registers hold whatever they held: no instruction here takes longer for some values. The assembler repeats and
//! counts (`.rept`, `.irp`), so that a loop is as it reads.

mod mix;

use crate::probe::{How, Need, Probe};
use std::arch::asm;

pub(crate) const ROUND: &str = "aesenc";
pub(crate) const PRODUCT: &str = "pclmulqdq";
pub(crate) const WIDTHS: &[u32] = &[128, 256, 512];

/// Additions in a turn of [`additions`].
pub(crate) const ADDITIONS: u64 = 64;

/// A chain of additions, of registers: to add a constant takes no time on some CPUs.
pub(crate) fn additions(turns: u64) {
    // SAFETY: only the registers that are named change.
    unsafe {
        asm!("2:", ".rept 64", "add {a}, {b}", ".endr", "dec {n}", "jnz 2b",
            n = inout(reg) turns.max(1) => _, a = inout(reg) 0u64 => _, b = in(reg) 1u64, options(nomem, nostack))
    }
}

/// `[lines]` over and over, `end` behind them; they take `{m}` as the address of the room.
macro_rules! probe {
    ($name:expr, $bits:literal, $how:ident, [$($need:tt)*], $times:literal, [$($line:expr),+ $(,)?], $end:literal) => {{
        unsafe fn run(turns: u64, room: *mut u8) {
            // SAFETY: the caller has checked that the CPU has the instructions, and takes at least one turn. They
            // use the room only, and the registers that are named.
            unsafe {
                asm!("/* {m} */", "2:", $($line,)+ "dec {n}", "jnz 2b", $end,
                    n = inout(reg) turns => _, m = in(reg) room,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _, options(nostack))
            }
        }
        Probe {
            name: $name,
            bits: $bits,
            how: How::$how,
            needs: &[$(Need($need, || std::arch::is_x86_feature_detected!($need))),*],
            times: $times,
            run,
        }
    }};
}
use probe;

/// An instruction on register `\i`, into twelve registers in turn, and over and over into one.
macro_rules! instruction {
    ($to:ident, $name:literal, $bits:literal, [$($need:tt)*], $line:literal, $end:literal) => {
        $to.push(many!($name, $bits, [$($need)*], $line, $end));
        $to.push(probe!($name, $bits, Chain, [$($need)*], 48,
            [".rept 48", ".irp i,0", $line, ".endr", ".endr"], $end));
    };
}

macro_rules! many {
    ($name:literal, $bits:literal, [$($need:tt)*], $line:literal, $end:literal) => {
        probe!($name, $bits, Many, [$($need)*], 48,
            [".rept 4", ".irp i,0,1,2,3,4,5,6,7,8,9,10,11", $line, ".endr", ".endr"], $end)
    };
}

/// Rounds and products of a vector of AES-GCM, that wait for nothing.
macro_rules! together {
    ($to:ident, $bits:literal, $v:literal, [$($need:tt)*]) => {
        together!($to, "10 aesenc + 3 pclmulqdq", $bits, $v, [$($need)*], "0,1,2", "3,4,5", "6,7,8,9", "");
        together!($to, "10 aesenc + 4 pclmulqdq", $bits, $v, [$($need)*], "0,1,2", "3,4,5", "6,7", "8,9");
        together!($to, "14 aesenc + 3 pclmulqdq", $bits, $v, [$($need)*], "0,1,2,3,4", "5,6,7,8,9", "0,1,2,3", "");
        together!($to, "14 aesenc + 4 pclmulqdq", $bits, $v, [$($need)*], "0,1,2,3", "4,5,6,7", "8,9,0", "1,2,3");
    };
    ($to:ident, $name:literal, $bits:literal, $v:literal, [$($need:tt)*], $a:literal, $b:literal, $c:literal, "") => {
        $to.push(probe!($name, $bits, Many, [$($need)*], 4, [
            ".rept 4",
            rounds!($v, $a), product!($v, 10), rounds!($v, $b), product!($v, 11), rounds!($v, $c), product!($v, 12),
            ".endr",
        ], "vzeroupper"));
    };
    ($to:ident, $name:literal, $bits:literal, $v:literal, [$($need:tt)*], $a:literal, $b:literal, $c:literal, $d:literal) => {
        $to.push(probe!($name, $bits, Many, [$($need)*], 4, [
            ".rept 4",
            rounds!($v, $a), product!($v, 10), rounds!($v, $b), product!($v, 11), rounds!($v, $c), product!($v, 12),
            rounds!($v, $d), product!($v, 13),
            ".endr",
        ], "vzeroupper"));
    };
}

macro_rules! rounds {
    ($v:literal, $registers:literal) => {
        concat!(".irp i,", $registers, "\nvaesenc ", $v, "\\i, ", $v, "14, ", $v, "15\n.endr\n")
    };
}

macro_rules! product {
    ($v:literal, $register:literal) => {
        concat!("vpclmulqdq ", $v, $register, ", ", $v, "14, ", $v, "15, 0\n")
    };
}

/// All of them, in the order of the tables.
pub(crate) fn probes() -> Vec<Probe> {
    let mut all = Vec::new();
    instruction!(all, "aesenc", 128, ["aes"], "aesenc xmm\\i, xmm15", "");
    instruction!(all, "aesenc", 256, ["vaes" "avx"], "vaesenc ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "aesenc", 512, ["vaes" "avx512f"], "vaesenc zmm\\i, zmm\\i, zmm15", "vzeroupper");
    instruction!(all, "aesenclast", 128, ["aes"], "aesenclast xmm\\i, xmm15", "");
    instruction!(all, "aesenclast", 256, ["vaes" "avx"], "vaesenclast ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "aesenclast", 512, ["vaes" "avx512f"], "vaesenclast zmm\\i, zmm\\i, zmm15", "vzeroupper");
    instruction!(all, "pclmulqdq", 128, ["pclmulqdq"], "pclmulqdq xmm\\i, xmm15, 0", "");
    instruction!(all, "pclmulqdq", 256, ["vpclmulqdq" "avx"], "vpclmulqdq ymm\\i, ymm\\i, ymm15, 0", "vzeroupper");
    instruction!(all, "pclmulqdq", 512, ["vpclmulqdq" "avx512f"], "vpclmulqdq zmm\\i, zmm\\i, zmm15, 0", "vzeroupper");
    instruction!(all, "pxor", 128, [], "pxor xmm\\i, xmm15", "");
    instruction!(all, "pxor", 256, ["avx2"], "vpxor ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "pxor", 512, ["avx512f"], "vpxorq zmm\\i, zmm\\i, zmm15", "vzeroupper");
    instruction!(all, "vpternlogq", 128, ["avx512f" "avx512vl"], "vpternlogq xmm\\i, xmm14, xmm15, 0x96", "vzeroupper");
    instruction!(all, "vpternlogq", 256, ["avx512f" "avx512vl"], "vpternlogq ymm\\i, ymm14, ymm15, 0x96", "vzeroupper");
    instruction!(all, "vpternlogq", 512, ["avx512f"], "vpternlogq zmm\\i, zmm14, zmm15, 0x96", "vzeroupper");
    instruction!(all, "paddd", 128, [], "paddd xmm\\i, xmm15", "");
    instruction!(all, "paddd", 256, ["avx2"], "vpaddd ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "paddd", 512, ["avx512f"], "vpaddd zmm\\i, zmm\\i, zmm15", "vzeroupper");
    instruction!(all, "pshufb", 128, ["ssse3"], "pshufb xmm\\i, xmm15", "");
    instruction!(all, "pshufb", 256, ["avx2"], "vpshufb ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "pshufb", 512, ["avx512bw"], "vpshufb zmm\\i, zmm\\i, zmm15", "vzeroupper");
    instruction!(all, "punpcklqdq", 128, [], "punpcklqdq xmm\\i, xmm15", "");
    instruction!(all, "punpcklqdq", 256, ["avx2"], "vpunpcklqdq ymm\\i, ymm\\i, ymm15", "vzeroupper");
    instruction!(all, "punpcklqdq", 512, ["avx512f"], "vpunpcklqdq zmm\\i, zmm\\i, zmm15", "vzeroupper");
    all.push(many!("load", 128, [], "movdqu xmm\\i, [{m} + 64*\\i]", ""));
    all.push(many!("load", 256, ["avx"], "vmovdqu ymm\\i, [{m} + 64*\\i]", "vzeroupper"));
    all.push(many!("load", 512, ["avx512f"], "vmovdqu64 zmm\\i, [{m} + 64*\\i]", "vzeroupper"));
    all.push(many!("store", 128, [], "movdqu [{m} + 64*\\i], xmm\\i", ""));
    all.push(many!("store", 256, ["avx"], "vmovdqu [{m} + 64*\\i], ymm\\i", "vzeroupper"));
    all.push(many!("store", 512, ["avx512f"], "vmovdqu64 [{m} + 64*\\i], zmm\\i", "vzeroupper"));
    together!(all, 128, "xmm", ["aes" "pclmulqdq" "avx"]);
    together!(all, 256, "ymm", ["vaes" "vpclmulqdq" "avx"]);
    together!(all, 512, "zmm", ["vaes" "vpclmulqdq" "avx512f"]);
    all.extend(mix::probes());
    all
}
