//! CBC-MAC, and CCM's pair of it and the counter mode: a chain of single blocks, at the latency of AES each. The
//! counter's block goes beside it and takes no time of its own.

use super::{ADD, aes, halves, late, number};
use crate::block::inc32;
use crate::key::AesKey;
use crate::{Block, InOut};

/// Loads all round keys: that of round 0 into `k`, those of rounds 1 to 4 after it, and the last ten.
macro_rules! keys {
    () => {
        lines!(
            "cmpwi {rounds},12",
            "lvx {k},0,{rk}",
            "lvx {k}+1,{rk},{o1}",
            "lvx {k}+2,{rk},{o2}",
            "lvx {k}+3,{rk},{o3}",
            "lvx {k}+4,{rk},{o4}",
            "lvx {k}+5,{late},{o1}",
            "lvx {k}+6,{late},{o2}",
            "lvx {k}+7,{late},{o3}",
            "lvx {k}+8,{late},{o4}",
            "addi {late},{late},64",
            "lvx {k}+9,{late},{o1}",
            "lvx {k}+10,{late},{o2}",
            "lvx {k}+11,{late},{o3}",
            "lvx {k}+12,{late},{o4}",
            "addi {late},{late},64",
            "lvx {k}+13,{late},{o1}",
            "lvx {k}+14,{late},{o2}",
        )
    };
}

/// All rounds but the last, `$round` each; cr0 knows how many.
macro_rules! rounds {
    ($round:ident) => {
        lines!(
            "blt 3f",
            $round!(1),
            $round!(2),
            "beq 3f",
            $round!(3),
            $round!(4),
            "3:",
            $round!(5),
            $round!(6),
            $round!(7),
            $round!(8),
            $round!(9),
            $round!(10),
            $round!(11),
            $round!(12),
            $round!(13),
        )
    };
}

/// `mac = CIPH(mac + block)` for each (SP 800-38C §6).
pub(super) fn cbc_mac(key: &AesKey, mac: &mut Block, blocks: &[Block]) {
    macro_rules! one {
        ($r:tt) => {
            concat!("vcipher {m},{m},{k}+", $r)
        };
    }
    if blocks.is_empty() {
        return;
    }
    let [mut hi, mut lo] = halves(u128::from_be_bytes(*mac));
    let rk = &key.round_keys;
    // SAFETY: as `words` says; reads the round keys and the blocks.
    unsafe {
        asm_few!(
            number!("{m}", hi lo, "{d}"), adding!(), keys!(), "mtctr {n}",
            "2:",
            "lxvd2x 32+{d},0,{p}", "addi {p},{p},16", add!("{m}", "{d}", "{m}"), "vxor {m},{m},{k}",
            rounds!(one),
            "vcipherlast {m},{m},{k}+14",
            "bdnz 2b",
            into_number!("{m}", hi lo),
            m = const 0, d = const 1, add = const 3, k = const 4,
            hi = inout(reg) hi, lo = inout(reg) lo, adding = in(reg_nonzero) &ADD, rounds = in(reg) key.rounds,
            rk = in(reg_nonzero) rk, late = inout(reg_nonzero) late(key) => _,
            n = in(reg) blocks.len(), p = inout(reg_nonzero) blocks.as_ptr() => _,
            o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
        );
    }
    *mac = number([hi, lo]).to_be_bytes();
}

/// Sealing takes the text into the chain, and the counter's block that goes beside is this one's.
macro_rules! sealing {
    () => {
        lines!(
            add!("{m}", "{d}", "{m}"),
            "vxor {m},{m},{k}",
            "vxor {s},{ctr},{k}",
            "vadduwm {ctr},{ctr},{one}",
            rounds!(both),
            "vcipherlast {m},{m},{k}+14",
            "vcipherlast {s},{s},{k}+14",
            add!("{d}", "{s}", "{d}"),
            "stxvd2x 32+{d},0,{out}",
        )
    };
}

/// Opening decrypts with the block of the counter that went beside the one before, and takes the result.
macro_rules! opening {
    () => {
        lines!(
            add!("{d}", "{s}", "{d}"),
            "stxvd2x 32+{d},0,{out}",
            add!("{m}", "{d}", "{m}"),
            "vxor {m},{m},{k}",
            "vxor {s},{ctr},{k}",
            "vadduwm {ctr},{ctr},{one}",
            rounds!(both),
            "vcipherlast {m},{m},{k}+14",
            "vcipherlast {s},{s},{k}+14",
        )
    };
}

macro_rules! ccm {
    ($name:ident, $direction:ident) => {
        /// The first block of keystream is made; opening needs it.
        fn $name(key: &AesKey, mac: &mut Block, ctr: u128, keystream: u128, mut data: InOut<'_, Block>) {
            macro_rules! both { ($r:tt) => { lines!(
                concat!("vcipher {m},{m},{k}+", $r), concat!("vcipher {s},{s},{k}+", $r),
            ) } }
            let [mut hi, mut lo] = halves(u128::from_be_bytes(*mac));
            let ([ctr_hi, ctr_lo], [s_hi, s_lo]) = (halves(ctr), halves(keystream));
            let rk = &key.round_keys;
            // SAFETY: as `words` says; reads the round keys and the input, writes the output.
            unsafe {
                asm_few!(
                    number!("{m}", hi lo, "{d}"), number!("{ctr}", ctr_hi ctr_lo, "{d}"),
                    number!("{s}", s_hi s_lo, "{d}"),
                    "vspltisw {one},1", "vxor {d},{d},{d}", "vsldoi {one},{d},{one},4",
                    adding!(), keys!(), "mtctr {n}",
                    "2:", "lxvd2x 32+{d},0,{inp}", "addi {inp},{inp},16",
                    $direction!(),
                    "addi {out},{out},16", "bdnz 2b",
                    into_number!("{m}", hi lo),
                    m = const 0, d = const 1, add = const 3, k = const 4, s = const 19, ctr = const 20, one = const 21,
                    hi = inout(reg) hi, lo = inout(reg) lo, ctr_hi = in(reg) ctr_hi, ctr_lo = in(reg) ctr_lo,
                    s_hi = in(reg) s_hi, s_lo = in(reg) s_lo,
                    adding = in(reg_nonzero) &ADD, rounds = in(reg) key.rounds,
                    rk = in(reg_nonzero) rk, late = inout(reg_nonzero) late(key) => _,
                    n = in(reg) data.len(), inp = inout(reg_nonzero) data.input().as_ptr() => _,
                    out = inout(reg_nonzero) data.output().as_mut_ptr() => _,
                    o1 = in(reg) 16usize, o2 = in(reg) 32usize, o3 = in(reg) 48usize, o4 = in(reg) 64usize,
                    out("v20") _, out("v21") _,
                );
            }
            *mac = number([hi, lo]).to_be_bytes();
        }
    };
}

ccm!(seal_blocks, sealing);
ccm!(open_blocks, opening);

/// CBC-MAC over the input, and CTR.
pub(super) fn seal(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
    if !data.is_empty() {
        seal_blocks(key, mac, u128::from_be_bytes(ctr), 0, data);
    }
}

/// CTR, and CBC-MAC over the output.
pub(super) fn open(key: &AesKey, mac: &mut Block, mut ctr: Block, data: InOut<'_, Block>) {
    if !data.is_empty() {
        let keystream = aes::cipher(key, u128::from_be_bytes(ctr));
        inc32(&mut ctr, 1);
        open_blocks(key, mac, u128::from_be_bytes(ctr), keystream, data);
    }
}
