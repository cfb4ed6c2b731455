//! All instructions of a stride of AES-GCM, as `backend/kernel/stitch.rs` has them: eight vectors of counters are
//! encrypted, eight of ciphertext hashed, in pairs, by Karatsuba's three products each. Rounds take the key for a
//! state, so that they wait for none, and sums run on. The reduction, a few instructions for many strides, and one
//! load of a key are left out. What is left is a floor for the loop: it would take so long if no result had to be
//! waited for. The hash alone is there as well.
//!
//! In the room: text at 0, the ciphertext to hash at 512, that which is written at 1024, powers of H at 1536, operands
//! of the middle products at 2048, round keys at 2304, what counters count on by at 3264, their start at 3776, the
//! shuffle that reverses bytes at 3840. States are registers 0 to 7, elements to hash 8 and 9, the sums 10 to 12, a
//! round key 15, and 13 and 14 are free.

use super::probe;
use crate::probe::{How, Need, Probe};
use std::arch::asm;

/// AES-128 and AES-256 on vectors `$v` of `$w` bytes, with what has another name on each width.
macro_rules! mix {
    ($to:ident, $bits:literal, $v:literal, $w:literal, $mov:literal, $xor:literal, $reversal:literal, $sum:ident,
        [$($need:tt)*]) => {
        // Nine rounds of eight vectors: 18 instructions beside each pair.
        mix!($to, "AES-128-GCM, all instructions", $bits, $v, $w, $mov, $xor, $sum, [$($need)*],
            [key!($v, $mov), rounds!($v, "0,1,2,3,4,5"), load!($v, $w, $mov, $reversal)],
            [rounds!($v, "6,7,0,1,2,3")],
            [key!($v, $mov), rounds!($v, "4,5,6,7,0,1")]);
        // Thirteen: 26.
        mix!($to, "AES-256-GCM, all instructions", $bits, $v, $w, $mov, $xor, $sum, [$($need)*],
            [key!($v, $mov), rounds!($v, "0,1,2,3,4,5,6,7,0"), load!($v, $w, $mov, $reversal)],
            [key!($v, $mov), rounds!($v, "1,2,3,4,5,6,7,0,1")],
            [key!($v, $mov), rounds!($v, "2,3,4,5,6,7,0,1")]);
        $to.push(probe!("GHASH, all instructions", $bits, Many, [$($need)*], 8, [
            ".irp p,0,1,2,3",
            load!($v, $w, $mov, $reversal), products!($v, $w, 0x00), $sum!($v, 10),
            products!($v, $w, 0x11), $sum!($v, 11),
            middle!($v, $w, $xor), $sum!($v, 12),
            ".endr",
        ], "vzeroupper"));
    };
    ($to:ident, $name:literal, $bits:literal, $v:literal, $w:literal, $mov:literal, $xor:literal, $sum:ident,
        [$($need:tt)*], [$($a:expr),*], [$($b:expr),*], [$($c:expr),*]) => {
        $to.push(probe!($name, $bits, Many, [$($need)*], 8, [
            counters!($v, $w, $mov, $xor),
            ".irp p,0,1,2,3",
            $($a,)* products!($v, $w, 0x00), $sum!($v, 10),
            $($b,)* products!($v, $w, 0x11), $sum!($v, 11),
            $($c,)* middle!($v, $w, $xor), $sum!($v, 12),
            ".endr",
            last!($v, $w, $mov, $xor),
        ], "vzeroupper"));
    };
}

/// Counters, whitened.
#[rustfmt::skip]
macro_rules! counters {
    ($v:literal, $w:literal, $mov:literal, $xor:literal) => {
        concat!(
            $mov, " ", $v, "14, [{m} + 3776]\n",
            $mov, " ", $v, "15, [{m} + 2304]\n",
            ".irp i,0,1,2,3,4,5,6,7\n",
            "vpaddd ", $v, "\\i, ", $v, "14, [{m} + 3264 + ", $w, "*\\i]\n",
            $xor, " ", $v, "\\i, ", $v, "\\i, ", $v, "15\n",
            ".endr\n"
        )
    };
}

/// Another round key.
macro_rules! key {
    ($v:literal, $mov:literal) => {
        concat!($mov, " ", $v, "15, [{m} + 2368 + 64*\\p]\n")
    };
}

/// Rounds of these states.
macro_rules! rounds {
    ($v:literal, $states:literal) => {
        concat!(".irp i,", $states, "\nvaesenc ", $v, "\\i, ", $v, "15, ", $v, "15\n.endr\n")
    };
}

/// The last round, whose key takes the text along.
#[rustfmt::skip]
macro_rules! last {
    ($v:literal, $w:literal, $mov:literal, $xor:literal) => {
        concat!(
            $mov, " ", $v, "15, [{m} + 3200]\n",
            ".irp i,0,1,2,3,4,5,6,7\n",
            $xor, " ", $v, "14, ", $v, "15, [{m} + ", $w, "*\\i]\n",
            "vaesenclast ", $v, "\\i, ", $v, "15, ", $v, "14\n",
            $mov, " [{m} + 1024 + ", $w, "*\\i], ", $v, "\\i\n",
            ".endr\n"
        )
    };
}

/// Pair `\p` of ciphertext, as elements of the field.
#[rustfmt::skip]
macro_rules! load {
    ($v:literal, $w:literal, $mov:literal, $reversal:literal) => {
        concat!(
            $mov, " ", $v, "8, [{m} + 512 + 2*", $w, "*\\p]\n",
            "vpshufb ", $v, "8, ", $v, "8, ", $reversal, "\n",
            $mov, " ", $v, "9, [{m} + 512 + ", $w, " + 2*", $w, "*\\p]\n",
            "vpshufb ", $v, "9, ", $v, "9, ", $reversal, "\n"
        )
    };
}

/// Low or high products of the pair.
#[rustfmt::skip]
macro_rules! products {
    ($v:literal, $w:literal, $halves:literal) => {
        concat!(
            "vpclmulqdq ", $v, "13, ", $v, "8, [{m} + 1536 + 2*", $w, "*\\p], ", $halves, "\n",
            "vpclmulqdq ", $v, "14, ", $v, "9, [{m} + 1536 + ", $w, " + 2*", $w, "*\\p], ", $halves, "\n"
        )
    };
}

/// Its middle products, with their operands.
#[rustfmt::skip]
macro_rules! middle {
    ($v:literal, $w:literal, $xor:literal) => {
        concat!(
            "vpunpcklqdq ", $v, "13, ", $v, "8, ", $v, "9\n",
            "vpunpckhqdq ", $v, "8, ", $v, "8, ", $v, "9\n",
            $xor, " ", $v, "8, ", $v, "8, ", $v, "13\n",
            "vpclmulqdq ", $v, "13, ", $v, "8, [{m} + 2048 + ", $w, "*\\p], 0\n",
            "vpclmulqdq ", $v, "14, ", $v, "8, [{m} + 2048 + ", $w, "*\\p], 0x11\n"
        )
    };
}

/// Adds two products to a sum.
macro_rules! two_sums {
    ($v:literal, $to:literal) => {
        concat!("vpxor ", $v, $to, ", ", $v, $to, ", ", $v, "13\nvpxor ", $v, $to, ", ", $v, $to, ", ", $v, "14\n")
    };
}

/// The same at once, as AVX-512 can.
macro_rules! one_sum {
    ($v:literal, $to:literal) => {
        concat!("vpternlogq ", $v, $to, ", ", $v, "13, ", $v, "14, 0x96\n")
    };
}

pub(super) fn probes() -> Vec<Probe> {
    let mut all = Vec::new();
    mix!(all, 128, "xmm", 16, "vmovdqu", "vpxor", "[{m} + 3840]", two_sums, ["aes" "pclmulqdq" "avx"]);
    mix!(all, 256, "ymm", 32, "vmovdqu", "vpxor", "[{m} + 3840]", two_sums, ["vaes" "vpclmulqdq" "avx2"]);
    // A register more holds the shuffle.
    mix!(all, 512, "zmm", 64, "vmovdqu64", "vpxorq", "zmm16", one_sum, ["vaes" "vpclmulqdq" "avx512f" "avx512bw"]);
    all
}
