//! Whole messages under a 96-bit nonce, and the pieces of streams.
//!
//! A message ends, and one of up to eight blocks is, one piece of assembly: the cipher on J0's block and up to
//! eight counters at once, then the blocks, each multiplied by its own power, and one reduction. The last block,
//! whole or not, has a lane of its own, so that where it lies does not depend on their number.

use super::ghash::{self, power};
use super::{ADD, C, Pair, Tier, ctr, gcm, number};
use crate::block::Counter;
use crate::key::{GcmKey, Secret};
use crate::{Block, InOut};
use core::arch::asm;

/// Bytes of text that the end of a message takes.
pub(super) const SHORT: usize = 128;

/// A message of any length; its tag, or the one that it should have.
#[inline(always)]
pub(super) fn message<T: Tier, const SEAL: bool>(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
    let [hi, lo] = iv_words(iv);
    let mut acc = Secret(0u128);
    let (whole, last) = aad.as_chunks();
    ghash::absorb(T::GHASH, &key.hash, &mut acc, whole);
    if !last.is_empty() {
        ghash::absorb(T::GHASH, &key.hash, &mut acc, &[padded(last)]);
    }
    let eights = data.len() / (16 * gcm::STRIDE);
    let (whole, rest) = data.split_at(16 * gcm::STRIDE * eights);
    let lengths = [aad.len() as u64 * 8, (16 * gcm::STRIDE * eights + rest.len()) as u64 * 8];
    strides::<T, SEAL>(key, number([hi, lo | 2]), &mut acc, whole.into_blocks().0);
    let counter = 2u32.wrapping_add((gcm::STRIDE * eights) as u32);
    let acc = Secret(acc.to_be_bytes());
    let end = End { iv: [hi, lo], counter, acc: &acc, due: false, lengths };
    if SEAL { seal_end(key, end, rest) } else { open_end(key, end, rest) }
}

/// A message of at most [`SHORT`] bytes with at most a block of additional data.
#[inline(always)]
pub(super) fn short<const SEAL: bool>(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
    let lengths = [aad.len() as u64 * 8, data.len() as u64 * 8];
    let room;
    let acc = match aad.first_chunk() {
        Some(block) => block,
        None => {
            room = padded(aad);
            &room
        }
    };
    let end = End { iv: iv_words(iv), counter: 2, acc, due: !aad.is_empty(), lengths };
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

/// A block under this IV as two words: but for the counter, which the lower half of the second is for.
#[inline(always)]
fn iv_words(iv: &[u8; 12]) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, last @ ..] = iv;
    [load64(&[*a, *b, *c, *d, *e, *f, *g, *h]), (u32::from_be_bytes(*last) as u64) << 32]
}

/// Where a message stands before its end.
struct End<'a> {
    iv: [u64; 2],
    /// The next counter.
    counter: u32,
    /// The hash so far.
    acc: &'a Block,
    /// Whether it still lacks a multiplication.
    due: bool,
    /// In bits.
    lengths: [u64; 2],
}

/// What `end` loads first, and the reduction constant.
static CONSTANTS: [Pair; 2] = [ADD, C[0]];

/// From the nth byte on: a mask of all bytes but the last n of a block.
static MASKS: [Block; 2] = [[0xff; 16], [0; 16]];

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
        fn $name(key: &GcmKey, end: End<'_>, data: InOut<'_>) -> u128 {
            macro_rules! whole { ($s:literal) => { lines!(
                "bdz 4f",
                take!("{inp}"), "addi {inp},{inp},16", $direction!($s "{out}"), "addi {out},{out},16", multiply!(),
            ) } }
            let blocks = data.len().div_ceil(16);
            let before = blocks.saturating_sub(1);
            let (mut whole, mut last) = data.split_at(16 * before);
            let ([hi, lo], n) = (end.iv, last.len());
            let counter = |by: usize| lo | end.counter.wrapping_add(by as u32) as u64;
            // Less than a block stands here meanwhile, and keystream behind it.
            let mut room = Secret([0; 16]);
            let (last_in, last_out) = if n == 16 {
                (last.input().as_ptr(), last.output().as_mut_ptr())
            } else {
                *room = padded(last.input());
                (room.as_ptr(), room.as_mut_ptr())
            };
            let mut tag: Block = [0; 16];
            // SAFETY: as `words` says; reads the round keys and the powers, the hash so far, a block of the masks
            // that starts in the first; reads and writes the `before` blocks before the last, and the last or the
            // room for it; writes the tag.
            unsafe {
                asm_few!(
                    // Lanes: J0, the last block, and the blocks before it.
                    "mtvsrd 32+{d},{hi}", "mtvsrd 32+{s},{j0}", "mtvsrd 33+{s},{last}",
                    "xxpermdi 32+{s},32+{d},32+{s},0", "xxpermdi 33+{s},32+{d},33+{s},0",
                    "lvx {k},0,{rk}", adding!("0,{constants}"), "vxor {zero},{zero},{zero}",
                    "cmpldi {blocks},1", "ble 2f",
                    "mtvsrd 34+{s},{next}", "xxpermdi 34+{s},32+{d},34+{s},0",
                    "vspltisw {t},1", "vsldoi {t},{zero},{t},4", "cmpldi {blocks},4",
                    "vadduwm {s}+3,{s}+2,{t}", "vadduwm {s}+4,{s}+3,{t}", "ble 1f",
                    "vadduwm {s}+5,{s}+4,{t}", "vadduwm {s}+6,{s}+5,{t}", "vadduwm {s}+7,{s}+6,{t}",
                    "vadduwm {s}+8,{s}+7,{t}",
                    lanes!(0 1 2 3 4 5 6 7 8), "b 3f",
                    "1:", lanes!(0 1 2 3 4), "b 3f",
                    "2:", lanes!(0 1),
                    "3:",
                    // The hash so far has a power of its own, or shares that of the next block.
                    "lxvd2x 32+{d},0,{acc}", turn_halves!("{d}"), "lvx {h},0,{first}", "lvx {h}+1,{first},{o1}",
                    "lxvd2x 32+{c},{constants},{o1}", "cmpldi {blocks},0",
                    "vpmsumd {ah},{d},{h}", "vpmsumd {am},{d},{h}+1", "beq 5f",
                    "mtctr {blocks}",
                    whole!("{s}+2"), whole!("{s}+3"), whole!("{s}+4"), whole!("{s}+5"), whole!("{s}+6"),
                    whole!("{s}+7"), whole!("{s}+8"),
                    "4:",
                    take!("{last_in}"), $direction!("{s}+1" "{last_out}"),
                    "lxvd2x 32+{t},0,{mask}", turn_halves!("{t}"), "vand {d},{d},{t}", multiply!(),
                    "5:",
                    number!("{d}", len_hi len_lo, "{t}"), "lvx {h},0,{powers}", "lvx {h}+1,{powers},{o1}", multiply!(),
                    "vpmsumd {t},{am},{c}", "xxpermdi 32+{am},32+{am},32+{am},2",
                    "vxor {ah},{ah},{am}", "vxor {s},{s},{t}", "vxor {s},{s},{ah}",
                    turn_halves!("{s}"), "stxvd2x 32+{s},0,{tag}",
                    s = const 0, k = const 9, c = const 9, d = const 10, ah = const 11, am = const 12, t = const 13,
                    h = const 15, add = const 17, zero = const 18,
                    hi = in(reg) hi, j0 = in(reg) lo | 1, next = in(reg) counter(0), last = in(reg) counter(before),
                    acc = in(reg_nonzero) end.acc, mask = in(reg_nonzero) MASKS.as_flattened()[16 - n.min(16)..].as_ptr(),
                    len_hi = in(reg) end.lengths[0], len_lo = in(reg) end.lengths[1],
                    blocks = in(reg) blocks,
                    rk = inout(reg_nonzero) &key.aes.round_keys => _, rounds = in(reg) key.aes.rounds - 1,
                    o1 = in(reg) 16usize,
                    first = in(reg_nonzero) power(&key.hash, blocks + 1 + end.due as usize),
                    powers = inout(reg_nonzero) power(&key.hash, blocks + 1) => _,
                    constants = in(reg_nonzero) &CONSTANTS,
                    inp = inout(reg_nonzero) whole.input().as_ptr() => _,
                    out = inout(reg_nonzero) whole.output().as_mut_ptr() => _,
                    last_in = in(reg_nonzero) last_in, last_out = in(reg_nonzero) last_out,
                    tag = in(reg_nonzero) &mut tag,
                );
            }
            if n < 16 {
                cut(&room, last.output());
            }
            u128::from_ne_bytes(tag)
        }
    };
}

end!(seal_end, sealing);
end!(open_end, opening);

/// `ldbrx`, or what it does: left alone, the compiler loads early and turns the number in nine instructions.
#[inline(always)]
fn load64(bytes: &[u8; 8]) -> u64 {
    if cfg!(target_endian = "big") {
        return u64::from_be_bytes(*bytes);
    }
    let number;
    // SAFETY: reads these eight bytes, and changes nothing.
    unsafe {
        asm!("ldbrx {number},0,{bytes}", number = out(reg) number, bytes = in(reg) bytes,
            options(pure, readonly, nostack, preserves_flags));
    }
    number
}

/// At most a block, zeros beyond its end.
#[inline(always)]
fn padded(bytes: &[u8]) -> Block {
    let mut block = [0; 16];
    let n = bytes.len();
    if let Some(whole) = bytes.first_chunk() {
        return *whole;
    }
    // The two may overlap, on equal bytes.
    if let (Some(a), Some(b)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        block[..8].copy_from_slice(a);
        block[n - 8..n].copy_from_slice(b);
    } else if let (Some(a), Some(b)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        block[..4].copy_from_slice(a);
        block[n - 4..n].copy_from_slice(b);
    } else if let (Some(a), Some(b)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        block[..2].copy_from_slice(a);
        block[n - 2..n].copy_from_slice(b);
    } else if let Some(a) = bytes.first() {
        block[0] = *a;
    }
    block
}

/// The start of a block to less than one: [`padded`] the other way round.
#[inline(always)]
fn cut(block: &Block, bytes: &mut [u8]) {
    let n = bytes.len();
    if n >= 16 {
        return;
    }
    if n >= 8 {
        bytes[..8].copy_from_slice(&block[..8]);
        bytes[n - 8..].copy_from_slice(&block[n - 8..n]);
    } else if n >= 4 {
        bytes[..4].copy_from_slice(&block[..4]);
        bytes[n - 4..].copy_from_slice(&block[n - 4..n]);
    } else if n >= 2 {
        bytes[..2].copy_from_slice(&block[..2]);
        bytes[n - 2..].copy_from_slice(&block[n - 2..n]);
    } else if n == 1 {
        bytes[0] = block[0];
    }
}
