//! Whole messages under a 96-bit nonce, and the pieces of streams.
//!
//! A message ends, and one of up to eight blocks is, one piece of assembly: the cipher on J0's block and up to
//! eight counters at once, then the blocks, each multiplied by its own power, and one reduction. The last block,
//! whole or not, has a lane of its own, so that where it lies does not depend on their number.

use super::ghash::{self, power};
use super::{ADD, C, Tier, ctr, gcm, halves, number};
use crate::backend::partial;
use crate::block::Counter;
use crate::key::GcmKey;
use crate::{Block, InOut};

/// Bytes of text that the end of a message takes.
pub(super) const SHORT: usize = 128;

/// A message of any length; its tag, or the one that it should have.
#[inline(always)]
pub(super) fn message<T: Tier, const SEAL: bool>(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
    let lengths = [aad.len() as u64 * 8, data.len() as u64 * 8];
    let mut end = End { j0: j0(iv), counter: 2, acc: 0, due: !aad.is_empty(), lengths };
    // The last block of it still lacks its multiplication.
    let (whole, last) = aad.split_at(if aad.is_empty() { 0 } else { (aad.len() - 1) / 16 * 16 });
    if !whole.is_empty() {
        ghash::absorb(T::GHASH, &key.hash, &mut end.acc, whole.as_chunks().0);
    }
    end.acc ^= number_of(last);
    let mut rest = data;
    if rest.len() > SHORT {
        if end.due {
            ghash::absorb(T::GHASH, &key.hash, &mut end.acc, &[[0; 16]]);
            end.due = false;
        }
        let eights = rest.len() / (16 * gcm::STRIDE);
        let (whole, later) = rest.split_at(16 * gcm::STRIDE * eights);
        strides::<T, SEAL>(key, end.j0 + 1, &mut end.acc, whole.into_blocks().0);
        end.counter = 2u32.wrapping_add((gcm::STRIDE * eights) as u32);
        rest = later;
    }
    if SEAL { seal_end(key, end, rest) } else { open_end(key, end, rest) }
}

/// A message of at most [`SHORT`] bytes with at most a block of additional data.
#[inline(always)]
pub(super) fn short<const SEAL: bool>(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
    let lengths = [aad.len() as u64 * 8, data.len() as u64 * 8];
    let end = End { j0: j0(iv), counter: 2, acc: number_of(aad), due: !aad.is_empty(), lengths };
    if SEAL { seal_end(key, end, data.into()) } else { open_end(key, end, data.into()) }
}

/// A piece of a stream, whole blocks from any counter.
pub(super) fn piece<T: Tier, const SEAL: bool>(
    key: &GcmKey,
    counter: &mut Counter,
    acc: &mut u128,
    data: InOut<'_, Block>,
) {
    let eights = data.len() / gcm::STRIDE;
    let (whole, mut rest) = data.split_at(gcm::STRIDE * eights);
    strides::<T, SEAL>(key, u128::from_be_bytes(counter.block), acc, whole);
    counter.advance(gcm::STRIDE * eights);
    if !SEAL {
        ghash::absorb(T::GHASH, &key.hash, acc, rest.input());
    }
    ctr::ctr32(&key.aes, &mut counter.block, rest.reborrow());
    if SEAL {
        ghash::absorb(T::GHASH, &key.hash, acc, rest.written());
    }
}

/// Whole eights.
#[inline(always)]
fn strides<T: Tier, const SEAL: bool>(key: &GcmKey, counter: u128, acc: &mut u128, mut data: InOut<'_, Block>) {
    let eights = data.len() / gcm::STRIDE;
    if eights > 0 {
        let strides = if SEAL { T::SEAL } else { T::OPEN };
        // SAFETY: input and output have this many blocks, and are one or apart.
        *acc = unsafe { strides(key, counter, *acc, data.input().as_ptr(), data.output().as_mut_ptr(), eights) };
    }
}

/// The IV and a counter of one, as a number.
#[inline(always)]
fn j0(iv: &[u8; 12]) -> u128 {
    let [a, b, c, d, e, f, g, h, last @ ..] = *iv;
    number([u64::from_be_bytes([a, b, c, d, e, f, g, h]), (u32::from_be_bytes(last) as u64) << 32 | 1])
}

/// At most a block as a number, zeros beyond its end.
#[inline(always)]
fn number_of(bytes: &[u8]) -> u128 {
    match bytes.first_chunk::<16>() {
        Some(block) => u128::from_be_bytes(*block),
        None => partial::read(bytes).swap_bytes(),
    }
}

/// Where a message stands before its end.
struct End {
    j0: u128,
    /// The last word of the next counter.
    counter: u32,
    /// The hash so far.
    acc: u128,
    /// Whether it still lacks a multiplication.
    due: bool,
    /// In bits.
    lengths: [u64; 2],
}

/// All rounds on these lanes.
macro_rules! lanes { ($($lane:tt)*) => { lines!(
    "mtctr {rounds}", each!(whiten $($lane)*),
    "7:", "lvx {k},{rk},{o1}", "addi {rk},{rk},16", each!(cipher $($lane)*), "bdnz 7b",
    "lvx {k},{rk},{o1}", each!(cipher_last $($lane)*),
) } }

/// Loads a block that is hashed next, and its factors.
macro_rules! take {
    ($inp:literal) => {
        lines!(
            concat!("lxvd2x 32+{d},0,", $inp),
            "lvx {h},0,{powers}",
            "lvx {h}+1,{powers},{o1}",
            "addi {powers},{powers},32",
        )
    };
}

/// Multiplies {d}.
macro_rules! multiply {
    () => {
        lines!("vpmsumd {t},{d},{h}", "vpmsumd {t}+1,{d},{h}+1", "vxor {ah},{ah},{t}", "vxor {am},{am},{t}+1",)
    };
}

/// Keystream `$s` on the block in {d}, which is then the ciphertext's number.
macro_rules! sealing {
    ($s:literal $out:literal) => {
        lines!(add!("{d}", $s, "{d}"), concat!("stxvd2x 32+{d},0,", $out), turn_halves!("{d}"),)
    };
}
macro_rules! opening {
    ($s:literal $out:literal) => {
        lines!(add!("{t}", $s, "{d}"), concat!("stxvd2x 32+{t},0,", $out), turn_halves!("{d}"),)
    };
}

macro_rules! end {
    ($name:ident, $direction:ident) => {
        #[inline(always)]
        fn $name(key: &GcmKey, end: End, data: InOut<'_>) -> u128 {
            macro_rules! whole { ($s:literal) => { lines!(
                "bdz 4f",
                take!("{inp}"), "addi {inp},{inp},16", $direction!($s "{out}"), "addi {out},{out},16", multiply!(),
            ) } }
            let blocks = data.len().div_ceil(16);
            let before = blocks.saturating_sub(1);
            let (mut whole, mut last) = data.split_at(16 * before);
            let [j0_hi, j0_lo] = halves(end.j0);
            let next = |by: usize| j0_lo & !0xffff_ffff | end.counter.wrapping_add(by as u32) as u64;
            let [acc_hi, acc_lo] = halves(end.acc);
            let n = last.len();
            let [mask_hi, mask_lo] = halves(if n == 0 { 0 } else { !0 << (128 - 8 * n) });
            // Less than a block stands here meanwhile.
            let mut room: Block = [0; 16];
            let (last_in, last_out) = if n == 16 {
                (last.input().as_ptr(), last.output().as_mut_ptr())
            } else {
                room = partial::read(last.input()).to_le_bytes();
                (room.as_ptr(), room.as_mut_ptr())
            };
            let mut tag: Block = [0; 16];
            // SAFETY: as `words` says; reads the round keys and the powers; reads and writes the `before`
            // blocks before the last, and the last or the room for it; writes the tag.
            unsafe {
                asm_few!(
                    // Lanes: J0, the last block, and the blocks before it.
                    number!("{s}", j0_hi j0_lo, "{t}"), number!("{s}+1", j0_hi last_lo, "{t}"),
                    "lvx {k},0,{rk}", adding!(), "vxor {zero},{zero},{zero}",
                    "cmpldi {blocks},1", "ble 2f",
                    number!("{s}+2", j0_hi next_lo, "{t}"),
                    "vspltisw {t},1", "vsldoi {t},{zero},{t},4", "cmpldi {blocks},4",
                    "vadduwm {s}+3,{s}+2,{t}", "vadduwm {s}+4,{s}+3,{t}", "ble 1f",
                    "vadduwm {s}+5,{s}+4,{t}", "vadduwm {s}+6,{s}+5,{t}", "vadduwm {s}+7,{s}+6,{t}",
                    "vadduwm {s}+8,{s}+7,{t}",
                    lanes!(0 1 2 3 4 5 6 7 8), "b 3f",
                    "1:", lanes!(0 1 2 3 4), "b 3f",
                    "2:", lanes!(0 1),
                    "3:",
                    // The hash so far has a power of its own, or shares that of the next block.
                    number!("{d}", acc_hi acc_lo, "{t}"), "lvx {h},0,{first}", "lvx {h}+1,{first},{o1}",
                    "lxvd2x 32+{c},0,{constant}", "mtctr {turns}",
                    "vpmsumd {ah},{d},{h}", "vpmsumd {am},{d},{h}+1",
                    whole!("{s}+2"), whole!("{s}+3"), whole!("{s}+4"), whole!("{s}+5"), whole!("{s}+6"),
                    whole!("{s}+7"), whole!("{s}+8"),
                    "4:",
                    "cmpldi {blocks},0", "beq 5f",
                    take!("{last_in}"), $direction!("{s}+1" "{last_out}"),
                    number!("{t}", mask_hi mask_lo, "{t}"), "vand {d},{d},{t}", multiply!(),
                    "5:",
                    number!("{d}", len_hi len_lo, "{t}"), "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", multiply!(),
                    "vpmsumd {t},{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2",
                    "vxor {ah},{ah},{am}", "vxor {s},{s},{t}", "vxor {s},{s},{ah}",
                    turn_halves!("{s}"), "stxvd2x 32+{s},0,{tag}",
                    s = const 0, k = const 9, c = const 9, d = const 10, ah = const 11, am = const 12, t = const 13,
                    h = const 15, add = const 17, zero = const 18,
                    j0_hi = in(reg) j0_hi, j0_lo = in(reg) j0_lo, next_lo = in(reg) next(0),
                    last_lo = in(reg) next(before),
                    acc_hi = in(reg) acc_hi, acc_lo = in(reg) acc_lo,
                    mask_hi = in(reg) mask_hi, mask_lo = in(reg) mask_lo,
                    len_hi = in(reg) end.lengths[0], len_lo = in(reg) end.lengths[1],
                    blocks = in(reg) blocks, turns = in(reg) before + 1,
                    rk = inout(reg_nonzero) &key.aes.round_keys => _, rounds = in(reg) key.aes.rounds - 1,
                    o1 = in(reg) 16usize,
                    first = in(reg_nonzero) power(&key.hash, blocks + 1 + end.due as usize),
                    powers = inout(reg_nonzero) power(&key.hash, blocks + 1) => _,
                    adding = in(reg_nonzero) &ADD, constant = in(reg_nonzero) &C,
                    inp = inout(reg_nonzero) whole.input().as_ptr() => _,
                    out = inout(reg_nonzero) whole.output().as_mut_ptr() => _,
                    last_in = in(reg_nonzero) last_in, last_out = in(reg_nonzero) last_out,
                    tag = in(reg_nonzero) &mut tag,
                );
            }
            if n < 16 {
                partial::write(u128::from_le_bytes(room), last.output());
            }
            u128::from_le_bytes(tag)
        }
    };
}

end!(seal_end, sealing);
end!(open_end, opening);
