//! Words of the assembly: a macro each, which expands to text for `asm!`.
//!
//! A vector register is a number to the assembler, so `const` operands give registers names: with
//! `s = const 0` and `k = const 22`, `vcipher {s}+3,{s}+3,{k}+1` is `vcipher 3,3,23`. The same register in an
//! instruction that takes all 64 (VSX) is `32+{s}+3`.
//!
//! # Safety of the assembly
//! What is true of every block here, so that its own comment need only name its memory:
//! - *Instructions.* A backend is handed out only where the CPU and the system have what its line in the table
//!   needs, and no more than that is used.
//! - *Keys.* A key that comes here was made here, so its number of rounds is 10, 12 or 14.
//! - *Memory.* Nothing is accessed but through the pointers passed in. `lvx` and `stvx` take addresses of whole
//!   [`AesKey`](crate::key::AesKey)s and [`HashKey`](crate::key::HashKey)s, which are aligned to 64 bytes; all
//!   other accesses take any address.
//! - *Registers.* Two wrappers around `asm!`, `asm_few` and `asm_all`, declare everything that may change
//!   besides the operands; `cargo xtask asm` compares. No block touches the stack.

/// Lines of assembly.
macro_rules! lines { ($($line:expr),* $(,)?) => { concat!($($line, "\n"),*) } }

/// The address `{base}` + 16·n, where `{o1}` to `{o7}` hold 16 to 112.
macro_rules! at {
    (0 $base:ident) => {
        concat!("0,{", stringify!($base), "}")
    };
    ($n:tt $base:ident) => {
        concat!("{", stringify!($base), "},{o", $n, "}")
    };
}

/// `asm!` that changes at most what a call may change: v0 to v19, vs0 to vs13, CTR and cr0.
macro_rules! asm_few {
    ($($t:tt)*) => { core::arch::asm!($($t)*
        out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
        out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _, out("v13") _, out("v14") _,
        out("v15") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _,
        out("vs0") _, out("vs1") _, out("vs2") _, out("vs3") _, out("vs4") _, out("vs5") _, out("vs6") _,
        out("vs7") _, out("vs8") _, out("vs9") _, out("vs10") _, out("vs11") _, out("vs12") _, out("vs13") _,
        out("ctr") _, out("cr0") _, options(nostack)) }
}

/// `asm!` that changes v20 to v31 too, and whatever else is given.
macro_rules! asm_all {
    ($($t:tt)*) => { asm_few!($($t)*
        out("v20") _, out("v21") _, out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _,
        out("v27") _, out("v28") _, out("v29") _, out("v30") _, out("v31") _,) }
}

/// A number of 128 bits from two registers into the vector register `v`; `t` and the one after it are changed.
macro_rules! number {
    ($v:literal, $hi:ident $lo:ident, $t:literal) => {
        lines!(
            concat!("mtvsrd 32+", $t, ",{", stringify!($hi), "}"),
            concat!("mtvsrd 33+", $t, ",{", stringify!($lo), "}"),
            concat!("xxpermdi 32+", $v, ",32+", $t, ",33+", $t, ",0"),
        )
    };
}

/// The way back, which changes `v`.
macro_rules! into_number {
    ($v:literal, $hi:ident $lo:ident) => {
        lines!(
            concat!("mfvsrd {", stringify!($hi), "},32+", $v),
            concat!("xxpermdi 32+", $v, ",32+", $v, ",32+", $v, ",2"),
            concat!("mfvsrd {", stringify!($lo), "},32+", $v),
        )
    };
}

/// `out = a + b` where one is a block as `lxvd2x` loads it and the other one in AES's order; the sum is in the
/// order of `b`. On little endian `lxvd2x` reverses each half, and `vpermxor` under [`ADD`](super::ADD) in
/// `{add}` reverses those of `a`.
#[cfg(target_endian = "little")]
macro_rules! add {
    ($out:expr, $a:expr, $b:expr) => {
        concat!("vpermxor ", $out, ",", $a, ",", $b, ",{add}")
    };
}
#[cfg(target_endian = "big")]
macro_rules! add {
    ($out:expr, $a:expr, $b:expr) => {
        concat!("vxor ", $out, ",", $a, ",", $b)
    };
}

/// A block as `lxvd2x` loads it, from AES's order or the other way round, where {zero} is zero.
#[cfg(target_endian = "little")]
macro_rules! turn_halves {
    ($v:literal) => {
        add!($v, $v, "{zero}")
    };
}
#[cfg(target_endian = "big")]
macro_rules! turn_halves {
    ($v:literal) => {
        ""
    };
}

/// Loads what `add` needs, from [`ADD`](super::ADD) or from elsewhere.
#[cfg(target_endian = "little")]
macro_rules! adding {
    () => {
        adding!("0,{adding}")
    };
    ($at:literal) => {
        concat!("lxvd2x 32+{add},", $at)
    };
}
#[cfg(target_endian = "big")]
macro_rules! adding {
    () => {
        "/* {add} {adding} */"
    };
    ($at:literal) => {
        "/* {add} */"
    };
}

/// The vcipher of states 0 to 7 under one key, and after each of them something else.
macro_rules! round {
    ($k:expr; $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr $(,)?) => { lines!(
        concat!("vcipher {s}+0,{s}+0,", $k), $a,
        concat!("vcipher {s}+1,{s}+1,", $k), $b,
        concat!("vcipher {s}+2,{s}+2,", $k), $c,
        concat!("vcipher {s}+3,{s}+3,", $k), $d,
        concat!("vcipher {s}+4,{s}+4,", $k), $e,
        concat!("vcipher {s}+5,{s}+5,", $k), $f,
        concat!("vcipher {s}+6,{s}+6,", $k), $g,
        concat!("vcipher {s}+7,{s}+7,", $k), $h,
    ) };
    ($k:expr) => { round!($k; "", "", "", "", "", "", "", "") };
}

/// Key {k} on state `i`, a round, and the last round.
macro_rules! whiten {
    ($i:tt) => {
        concat!("vxor {s}+", $i, ",{s}+", $i, ",{k}")
    };
}
macro_rules! cipher {
    ($i:tt) => {
        concat!("vcipher {s}+", $i, ",{s}+", $i, ",{k}")
    };
}
macro_rules! cipher_last {
    ($i:tt) => {
        concat!("vcipherlast {s}+", $i, ",{s}+", $i, ",{k}")
    };
}

/// Round 1 of state `i` of eight, whose keys stay in registers.
macro_rules! first {
    ($i:tt) => {
        concat!("vcipher {s}+", $i, ",{s}+", $i, ",{k}+1")
    };
}

/// `line!(n)` for each `n`.
macro_rules! each { ($line:ident $($n:tt)*) => { lines!($($line!($n)),*) } }

/// The selectors of eight lanes, in vs0 to vs7, where the first counter is at {phase} of eight; `$turn` makes a
/// block of the number in {c}.
///
/// Eight counters from anywhere on lie in two groups of eight. With k the first round key, a = k + (a multiple of
/// eight) and b = k + (the next one) + 7, one instruction takes a whitened counter from the two, bit by bit:
/// where the selector is 1 from b. Its lowest three bits are the counter's, since those of a and b are each
/// other's opposites; its others say which group. For v = 0 to 14 that is v with bit 3 for a sign, which is
/// (v - 8) ^ -8. No branch: the counter may be secret.
macro_rules! selectors {
    ("") => { lines!(
        selectors!(),
        selectors!("" 0), selectors!("" 1), selectors!("" 2), selectors!("" 3),
        selectors!("" 4), selectors!("" 5), selectors!("" 6), selectors!("" 7),
    ) };
    ($turn:tt) => { lines!(
        selectors!(), $turn, "vor {c}+1,{c},{c}",
        selectors!($turn 0), selectors!($turn 1), selectors!($turn 2), selectors!($turn 3),
        selectors!($turn 4), selectors!($turn 5), selectors!($turn 6), selectors!($turn 7),
    ) };
    // v - 8 of the first lane in {t}; and -8 and 1.
    () => { lines!(
        "mtvsrd 32+{t},{phase}", "vspltw {t},{t},1", "vspltisw {c},-8", "vadduwm {t},{t},{c}", "vspltisw {c}+2,1",
    ) };
    ("" $i:literal) => { lines!(concat!("xxlxor ", $i, ",32+{t},32+{c}"), "vadduwm {t},{t},{c}+2") };
    ($turn:tt $i:literal) => { lines!(
        "vor {c},{t},{t}", $turn, concat!("xxlxor ", $i, ",32+{c},33+{c}"), "vadduwm {t},{t},{c}+2",
    ) };
}

/// The next counter, whitened, into state `i`: from a in vs10 and b in vs11.
macro_rules! count {
    ($i:tt) => {
        concat!("xxsel 32+{s}+", $i, ",10,11,", $i)
    };
}

/// Before a loop that ends with `again`: leaves in cr0 whether {rounds} is 10 (lt), 12 (eq) or 14 (gt).
macro_rules! turns {
    () => {
        "cmpwi {rounds},12"
    };
}

/// The end of a loop whose turns begin at 3 with ten rounds, at 6 with twelve, at 5 with fourteen. A branch tests both
/// CTR, which it counts down, and cr0: the branch that stands first is the only one that its keys go through.
macro_rules! again {
    () => {
        lines!("bdnzt lt,3b", "bdnzt gt,5b", "bdnzt eq,6b")
    };
    (longest) => {
        lines!("bdnzt gt,5b", "bdnzt lt,3b", "bdnzt eq,6b")
    };
}

/// What CTR is, for a loop that ends with `again` to take so many turns.
pub(super) fn turns(rounds: u64, turns: usize, longest_first: bool) -> usize {
    match rounds {
        10 => turns << longest_first as u32,
        14 => turns << !longest_first as u32,
        _ => 3 * turns,
    }
}
