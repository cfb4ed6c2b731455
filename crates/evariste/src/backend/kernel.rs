//! CTR, GHASH, GCM and CCM, written once over vectors of any width. No `unsafe` here.
//!
//! Everything is `#[inline(always)]`, so that it is compiled inside the `#[target_feature]` entry point
//! that calls it, with that ISA's instructions. Plain `for` loops only: a closure handed to a std adapter
//! may stay behind as a function without those features. A missed inline is slow, never unsound.
//!
//! The order of instructions is part of the algorithm here. LLVM would put the rounds of one vector in a
//! chain and hash afterwards; [`Vector::pin`] keeps what the source interleaves (16 KiB AES-256-GCM on
//! 512-bit vectors, Zen 5: 24.3 GB/s without, 30.3 with).

pub(crate) mod aes;
pub(crate) mod bitslice;
pub(crate) mod ccm;
pub(crate) mod counters;
pub(crate) mod field;
mod finish;
#[macro_use]
pub(crate) mod isa;
pub(crate) mod lane;
pub(crate) mod many;
pub(crate) mod message;
pub(crate) mod powers;
pub(crate) mod siv;
pub(crate) mod stitch;

use crate::Block;
use crate::key::{AesKey, GcmKey};

/// Vectors of 128-bit lanes, one block each, and what is common to all kernels.
///
/// A value of the type is the proof that the CPU has the instructions, which is what makes the safe
/// methods sound: it exists only in a backend that was found usable.
pub(crate) trait Vector: Copy {
    /// Lanes.
    const BLOCKS: usize;
    /// Whether one instruction loads or stores two vectors, if nothing stands between them.
    const PAIRS: bool = false;
    /// A vector.
    type V: Copy;
    /// The one-lane ISA of the same CPU, for what is serial.
    type Narrow: Vector<Narrow = Self::Narrow>;

    /// This proof implies that one.
    fn narrow(self) -> Self::Narrow;

    /// Reads [`BLOCKS`](Self::BLOCKS) blocks.
    fn load(self, src: &[Block]) -> Self::V;
    /// Writes [`BLOCKS`](Self::BLOCKS) blocks.
    fn store(self, v: Self::V, dst: &mut [Block]);
    /// Reads at most 16 bytes; zeros beyond their end.
    fn block(self, bytes: &[u8]) -> <Self::Narrow as Vector>::V;
    /// Reads a nonce, and zeros.
    fn nonce(self, bytes: &[u8; 12]) -> <Self::Narrow as Vector>::V;
    /// Reads the start of `data` into the lanes from `lane` on (0 or 1); zeros where there is none.
    fn read(self, data: &[u8], lane: usize) -> Self::V;
    /// Writes the lanes of `v` from `lane` on to the start of `data`, as much as there is, and returns
    /// `v` with zeros elsewhere.
    fn write(self, v: Self::V, data: &mut [u8], lane: usize) -> Self::V;

    /// `b` in every lane.
    fn splat(self, b: u128) -> Self::V;
    /// `b` in lane `n`, zero elsewhere.
    fn lane(self, b: u128, n: usize) -> Self::V;
    /// `v` in every lane.
    fn spread(self, v: <Self::Narrow as Vector>::V) -> Self::V;
    /// `v` in lane 0, zero elsewhere.
    fn widen(self, v: <Self::Narrow as Vector>::V) -> Self::V;
    /// Lane 0.
    fn first(self, v: Self::V) -> <Self::Narrow as Vector>::V;
    /// Lane 0 as a number.
    fn to_u128(self, v: Self::V) -> u128;
    /// The first [`BLOCKS`](Self::BLOCKS) of these as lanes.
    fn join(self, lanes: &[<Self::Narrow as Vector>::V; 4]) -> Self::V;
    /// Lane `n`.
    fn part(self, v: Self::V, n: usize) -> <Self::Narrow as Vector>::V;
    /// The odd lanes of `b` and the others of `a`. This and the next two: here of one lane.
    #[inline(always)]
    fn odd(self, a: Self::V, b: Self::V) -> Self::V {
        let _ = b;
        a
    }
    /// The upper half of the lanes of `b` and the others of `a`.
    #[inline(always)]
    fn upper(self, a: Self::V, b: Self::V) -> Self::V {
        let _ = b;
        a
    }
    /// The last lane of `a`, and all but the last of `b`.
    #[inline(always)]
    fn shifted(self, a: Self::V, b: Self::V) -> Self::V {
        let _ = b;
        a
    }
    /// XOR of all lanes.
    fn fold(self, v: Self::V) -> <Self::Narrow as Vector>::V;

    /// Bitwise sum; addition in the field.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise product.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// 32-bit lane-wise sum.
    fn add32(self, a: Self::V, b: Self::V) -> Self::V;
    /// Reverses the 16 bytes of every block.
    fn reverse(self, v: Self::V) -> Self::V;
    /// Swaps the 64-bit halves of every block.
    fn swap(self, v: Self::V) -> Self::V;
    /// The identity, which the compiler may not schedule across.
    fn pin(self, v: Self::V) -> Self::V;
}

/// AES rounds.
///
/// x86 adds a round's key last, Arm adds the one before first: each method takes both and uses one.
pub(crate) trait AesOps: Vector {
    /// Whether [`round`](Self::round) adds the key before it. Then the counter mode can leave most of round 1
    /// in there.
    const KEY_FIRST: bool = false;
    /// Whether rounds take so many instructions that a loop over them costs nothing, and copies of them much.
    const LONG_ROUNDS: bool = false;

    /// The state before the first round.
    fn whiten(self, s: Self::V, k: Self::V) -> Self::V;
    /// The same of the equivalent inverse cipher (§5.3.5).
    #[inline(always)]
    fn inv_whiten(self, s: Self::V, k: Self::V) -> Self::V {
        self.whiten(s, k)
    }
    /// ROUND between two keys (FIPS 197 §5.1).
    fn round(self, s: Self::V, before: Self::V, after: Self::V) -> Self::V;
    /// The last round, without MixColumns and with both keys added.
    fn last_round(self, s: Self::V, before: Self::V, after: Self::V) -> Self::V;
    /// ROUND of the equivalent inverse cipher.
    fn inv_round(self, s: Self::V, before: Self::V, after: Self::V) -> Self::V;
    /// Its last round.
    fn inv_last_round(self, s: Self::V, before: Self::V, after: Self::V) -> Self::V;
    /// InvMixColumns, for its round keys.
    fn inv_mix_columns(self, k: Self::V) -> Self::V;
    /// SubWord of the last word, or of RotWord of it, plus `rcon`, in every word (§5.2). One lane only.
    fn sub_last(self, v: Self::V, rot: bool, rcon: u8) -> Self::V;
    /// The words of a block one up, zero in the first.
    fn slide(self, v: Self::V) -> Self::V;
    /// Word `n` of every block in word 0, zero in the others. Only asked of ISAs with
    /// [`KEY_FIRST`](Self::KEY_FIRST).
    #[inline(always)]
    fn column(self, v: Self::V, n: usize) -> Self::V {
        let _ = n;
        v
    }
}

/// Carry-less multiplication of 64-bit halves to 128 bits, lane by lane.
///
/// An element of the field is a number, or a number with its halves exchanged where that saves an instruction
/// a block (Arm reverses the bytes of halves only). Products are numbers.
pub(crate) trait ClmulOps: Vector {
    /// The element of a number, or the other way round.
    #[inline(always)]
    fn element(self, v: Self::V) -> Self::V {
        v
    }
    /// The element of a block of GHASH's, which is byte-reversed, or the other way round.
    #[inline(always)]
    fn reflect(self, v: Self::V) -> Self::V {
        self.reverse(v)
    }
    /// `a.lo·b.lo` of elements.
    fn mul_lo(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a.hi·b.hi` of elements.
    fn mul_hi(self, a: Self::V, b: Self::V) -> Self::V;
    /// Whether [`mul_crossed`](Self::mul_crossed) takes two multiplications and no shuffles.
    const CROSSED: bool = false;
    /// `a.lo·b.hi + a.hi·b.lo` of elements. Only asked of ISAs with [`CROSSED`](Self::CROSSED).
    #[inline(always)]
    fn mul_crossed(self, a: Self::V, b: Self::V) -> Self::V {
        let _ = b;
        a
    }
    /// Karatsuba's operands of two vectors: `lo + hi` of `a` in one half, of `b` in the other.
    fn mids(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a.lo·(x^63 + x^62 + x^57)` of a product.
    fn mul_poly(self, a: Self::V) -> Self::V;
    /// The element of `a` plus `b` with its halves exchanged, of two products.
    #[inline(always)]
    fn add_swapped(self, a: Self::V, b: Self::V) -> Self::V {
        self.xor(a, self.swap(b))
    }
}

/// AES rounds, on single blocks too.
pub(crate) trait Aes: AesOps<Narrow: AesOps> {}
impl<I: AesOps<Narrow: AesOps>> Aes for I {}

/// Carry-less multiplication, of single blocks too.
pub(crate) trait Clmul: ClmulOps<Narrow: ClmulOps> {}
impl<I: ClmulOps<Narrow: ClmulOps>> Clmul for I {}

/// Both, as GCM wants them.
pub(crate) trait Isa: Aes + Clmul {
    /// Bytes of a message up to which one pass with one reduction is faster than strides.
    const SHORT: usize;

    /// Vectors that such a message takes at once, 4 or 6: with all states, texts and products in registers.
    const FEW: usize;

    /// [`message::chunks`], as a function of its own: messages of [`FEW`](Self::FEW) vectors need not save and spill
    /// what it does.
    fn chunks<const SEAL: bool>(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128;

    /// Runs `part` in a function of its own, see [`apart!`].
    #[cfg(debug_assertions)]
    fn apart<R>(&self, part: impl FnOnce() -> R) -> R;
}

/// A part of a kernel as a function of its own, where nothing is optimized. There each inlined operation has its own
/// place on the stack: a message took 3 MiB of it on `vaes512`, and threads have 2.
macro_rules! apart {
    ($i:expr, $part:expr) => {{
        #[cfg(debug_assertions)]
        let done = $i.apart(|| $part);
        #[cfg(not(debug_assertions))]
        let done = $part;
        done
    }};
}
use apart;

/// Repeats a block with `$t` a constant: a loop that must not survive.
macro_rules! unroll {
    ($t:ident in [$($n:literal)*] $body:block) => { $({ const $t: usize = $n; $body })* };
}
use unroll;

/// Vector `n` of `blocks`.
#[inline(always)]
fn at<I: Vector>(i: I, blocks: &[Block], n: usize) -> I::V {
    i.load(&blocks[n * I::BLOCKS..][..I::BLOCKS])
}

/// A block as a number, as the vectors see it.
#[inline(always)]
fn number(b: &Block) -> u128 {
    u128::from_le_bytes(*b)
}

/// Every round key in every lane. `0..=NR` would stay a loop, through memory: 20 ns a call (Zen 4, 2026-11-30).
#[inline(always)]
fn splat_keys<I: Vector, const NR: usize>(i: I, key: &AesKey) -> [I::V; 15] {
    let mut k = [i.splat(0); 15];
    for r in 0..NR + 1 {
        k[r] = i.splat(number(&key.round_keys[r]));
    }
    k
}
