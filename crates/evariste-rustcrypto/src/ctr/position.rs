//! Where a keystream stands, how much of it is left, and where its counter wraps: the core knows one counter, of 128
//! bits, that ends instead.

use super::flavors::{CtrFlavor, block};
use core::marker::PhantomData;
use evariste::Ctr;
use zeroize::Zeroize;

/// The keystream ends before the data does.
#[derive(Debug)]
pub(crate) struct Exhausted;

/// Blocks of one call where the counter does not count as the core's does.
const TOGETHER: usize = 16;

/// A keystream at some byte of it.
pub(crate) struct Keystream<F> {
    ctr: Ctr,
    iv: [u8; 16],
    /// Blocks that may be begun before the counter wraps or the keystream ends: with these the core is right alone.
    /// The common way changes this number and `left`, no other.
    plain: u64,
    /// Blocks begun when `plain` is 0.
    then: u128,
    /// Bytes left of the block begun last, 0..16.
    left: u8,
    flavor: PhantomData<F>,
}

impl<F: CtrFlavor> Keystream<F> {
    /// `ctr` stands at `iv`.
    #[inline]
    pub(crate) fn new(ctr: Ctr, iv: &[u8; 16]) -> Self {
        let mut keystream = Self { ctr, iv: *iv, plain: 0, then: 0, left: 0, flavor: PhantomData };
        keystream.settle(0);
        keystream
    }

    /// Whether the keystream has `len` more bytes.
    #[inline]
    pub(crate) fn check(&self, len: usize) -> Result<(), Exhausted> {
        let blocks = self.blocks(len);
        if blocks <= self.plain || blocks as u128 <= F::MAX - self.begun() { Ok(()) } else { Err(Exhausted) }
    }

    /// XORs the next bytes into `data`; nothing, if there are not that many.
    #[inline]
    pub(crate) fn apply(&mut self, data: &mut [u8]) -> Result<(), Exhausted> {
        let blocks = self.blocks(data.len());
        if blocks > self.plain || F::LITTLE {
            return self.apply_in_pieces(data);
        }
        let left = self.left as u64 + 16 * blocks - data.len() as u64;
        self.ctr.apply(data.into()).map_err(|_| Exhausted)?;
        self.plain -= blocks;
        self.left = left as u8;
        Ok(())
    }

    /// Blocks begun, and bytes used of the last of them, 16 where nothing is left.
    pub(crate) fn position(&self) -> (u128, u8) {
        (self.begun(), 16 - self.left)
    }

    /// Goes to byte `byte` of block `index`, wherever the keystream stands.
    pub(crate) fn seek(&mut self, index: u128, byte: u8) -> Result<(), Exhausted> {
        // cipher 0.4 makes block 0 of a negative position, and a byte that no block has.
        if byte >= 16 || index > F::MAX || (byte != 0 && index == F::MAX) {
            return Err(Exhausted);
        }
        self.left = 0;
        self.ctr.restart(&block::<F>(&self.iv, index));
        self.settle(index);
        let mut passed = [0; 16];
        let done = self.apply(&mut passed[..byte as usize]);
        passed.zeroize();
        done
    }

    /// Blocks to begin for `len` bytes.
    #[inline(always)]
    fn blocks(&self, len: usize) -> u64 {
        len.saturating_sub(self.left as usize).div_ceil(16) as u64
    }

    #[inline(always)]
    fn begun(&self) -> u128 {
        self.then - self.plain as u128
    }

    /// The counter of block `index`.
    fn value(&self, index: u128) -> u128 {
        let start = if F::LITTLE { u128::from_le_bytes(self.iv) } else { u128::from_be_bytes(self.iv) };
        start.wrapping_add(index) & F::MAX
    }

    /// So many blocks are begun, and the core stands behind them, at a counter that has not wrapped.
    fn settle(&mut self, begun: u128) {
        let plain = if F::LITTLE { 0 } else { (F::MAX - self.value(begun)).min(F::MAX - begun).min(u64::MAX as u128) };
        self.plain = plain as u64;
        self.then = begun + plain;
    }

    /// What the core does not do alone: the end of the keystream, the counter that wraps, those that are little-endian.
    #[cold]
    #[inline(never)]
    fn apply_in_pieces(&mut self, data: &mut [u8]) -> Result<(), Exhausted> {
        self.check(data.len())?;
        if F::LITTLE {
            return self.apply_block_by_block(data);
        }
        let (now, mut later) = data.split_at_mut(data.len().min(self.left as usize));
        self.ctr.apply(now.into()).map_err(|_| Exhausted)?;
        self.left -= now.len() as u8;
        let mut begun = self.begun();
        while !later.is_empty() {
            let until_wrap = (F::MAX - self.value(begun)).saturating_add(1);
            let blocks = (later.len().div_ceil(16) as u128).min(until_wrap);
            let (piece, rest) = later.split_at_mut(later.len().min(usize::try_from(16 * blocks).unwrap_or(usize::MAX)));
            self.ctr.restart(&block::<F>(&self.iv, begun));
            self.left = ((16 - piece.len() % 16) % 16) as u8;
            self.ctr.apply(piece.into()).map_err(|_| Exhausted)?;
            begun += blocks;
            later = rest;
        }
        if self.value(begun) != 0 {
            self.settle(begun);
        } else if self.left == 0 {
            // The core has counted on where this counter wraps.
            self.ctr.restart(&block::<F>(&self.iv, begun));
            self.settle(begun);
        } else {
            // And must stand there until the last bytes of the block are used.
            (self.plain, self.then) = (0, begun);
        }
        Ok(())
    }

    /// Each block under a counter of its own.
    fn apply_block_by_block(&mut self, data: &mut [u8]) -> Result<(), Exhausted> {
        let mut begun = self.begun();
        let (now, later) = data.split_at_mut(data.len().min(self.left as usize));
        if !now.is_empty() {
            let mut last = [0; 16];
            self.ctr.apply_many(&mut [(block::<F>(&self.iv, begun - 1), &mut last)]).map_err(|_| Exhausted)?;
            now.iter_mut().zip(&last[16 - self.left as usize..]).for_each(|(b, k)| *b ^= k);
            last.zeroize();
            self.left -= now.len() as u8;
        }
        for piece in later.chunks_mut(16 * TOGETHER) {
            let mut used = 0;
            let mut blocks: [([u8; 16], &mut [u8]); TOGETHER] = core::array::from_fn(|_| ([0; 16], &mut [][..]));
            for (place, bytes) in blocks.iter_mut().zip(piece.chunks_mut(16)) {
                self.left = 16 - bytes.len() as u8;
                *place = (block::<F>(&self.iv, begun), bytes);
                begun += 1;
                used += 1;
            }
            self.ctr.apply_many(&mut blocks[..used]).map_err(|_| Exhausted)?;
        }
        self.settle(begun);
        Ok(())
    }
}

impl<F> Clone for Keystream<F> {
    fn clone(&self) -> Self {
        let &Self { ref ctr, iv, plain, then, left, flavor } = self;
        Self { ctr: ctr.clone(), iv, plain, then, left, flavor }
    }
}
