//! GHASH (SP 800-38D §6.4) and POLYVAL (RFC 8452 §3) on bytes.

use crate::backend::Imp;
use crate::block::{padded, split_unfinished};
use crate::field::mulx;
use crate::key::{HashKey, Secret};
use crate::{Backend, Block};

/// GHASH under a key H of 16 bytes, without a limit of its own.
///
/// Not a message authentication code: without a secret, unique mask its output gives the key away.
///
/// ```
/// let mut ghash = evariste::Ghash::new(&[3; 16]);
/// ghash.update(b"any number of bytes, ");
/// ghash.update(b"in pieces");
/// let hash: [u8; 16] = ghash.finish();
/// # let mut again = evariste::Ghash::new(&[3; 16]);
/// # again.update(b"any number of bytes, in pieces");
/// # assert_eq!(hash, again.finish());
/// ```
#[derive(Clone, Debug)]
pub struct Ghash(Hasher<false>);

/// POLYVAL under a key H of 16 bytes, without a limit of its own.
///
/// Not a message authentication code: without a secret, unique mask its output gives the key away.
#[derive(Clone, Debug)]
pub struct Polyval(Hasher<true>);

impl Ghash {
    /// On the active backend.
    pub fn new(h: &Block) -> Self {
        Self::with_backend(h, Backend::active())
    }

    /// On the backend of the caller's choice.
    pub fn with_backend(h: &Block, backend: Backend) -> Self {
        Self(Hasher::new(mulx(u128::from_be_bytes(*h)), backend))
    }

    /// Absorbs `data`; pieces are joined without padding.
    pub fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// Pads what has been absorbed to whole blocks with zeros.
    pub fn pad(&mut self) {
        self.0.pad();
    }

    /// Forgets what has been absorbed, but not the key.
    pub fn reset(&mut self) {
        self.0.state = Absorber::new();
    }

    /// Pads to whole blocks and returns the hash.
    pub fn finish(mut self) -> Block {
        self.pad();
        self.0.state.acc.to_be_bytes()
    }
}

impl Polyval {
    /// On the active backend.
    pub fn new(h: &Block) -> Self {
        Self::with_backend(h, Backend::active())
    }

    /// On the backend of the caller's choice.
    pub fn with_backend(h: &Block, backend: Backend) -> Self {
        Self(Hasher::new(u128::from_le_bytes(*h), backend))
    }

    /// Absorbs `data`; pieces are joined without padding.
    pub fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// Pads what has been absorbed to whole blocks with zeros.
    pub fn pad(&mut self) {
        self.0.pad();
    }

    /// Forgets what has been absorbed, but not the key.
    pub fn reset(&mut self) {
        self.0.state = Absorber::new();
    }

    /// Pads to whole blocks and returns the hash.
    pub fn finish(mut self) -> Block {
        self.pad();
        self.0.state.acc.to_le_bytes()
    }
}

/// Both, told apart by the byte order of a block.
#[derive(Clone, Debug)]
struct Hasher<const POLYVAL: bool> {
    backend: Backend,
    key: HashKey,
    state: Absorber<POLYVAL>,
}

impl<const POLYVAL: bool> Hasher<POLYVAL> {
    fn new(h: u128, backend: Backend) -> Self {
        let mut hasher = Self { backend, key: HashKey::ZERO, state: Absorber::new() };
        backend.imp().hash_key(h, usize::MAX, &mut hasher.key);
        hasher
    }

    fn update(&mut self, data: &[u8]) {
        self.state.update(self.backend.imp(), &self.key, data);
    }

    fn pad(&mut self) {
        self.state.pad(self.backend.imp(), &self.key);
    }
}

/// A hash in progress. The bytes of an unfinished block are already in `acc`, not yet multiplied.
#[derive(Clone, Debug)]
pub(crate) struct Absorber<const POLYVAL: bool> {
    pub(crate) acc: Secret<u128>,
    /// Bytes in the unfinished block, 0..16.
    used: usize,
    /// What is added after the next `due` multiplications, if any: see [`resume`](Self::resume).
    late: Secret<u128>,
    due: u8,
}

impl<const POLYVAL: bool> Absorber<POLYVAL> {
    pub(crate) fn new() -> Self {
        Self { acc: Secret(0), used: 0, late: Secret(0), due: 0 }
    }

    /// Begins anew.
    pub(crate) fn clear(&mut self) {
        (*self.acc, self.used, *self.late, self.due) = (0, 0, 0, 0);
    }

    /// Goes on behind `used` bytes of an unfinished block, zero-padded, where only `late` = Y·H is known and not the hash
    /// Y itself. With R the rest of that block, at its place, and C the next one, the hash is (Y + R·H + C)·H =
    /// Y·H + (R·H + C)·H: as from nothing, with Y·H added once C is multiplied. Where no block is unfinished there
    /// is no R. Until then blocks are to come [one by one](Self::is_late).
    pub(crate) fn resume(&mut self, used: usize, late: u128) {
        (*self.acc, self.used, *self.late) = (0, used, late);
        self.due = if used > 0 { 2 } else { 1 };
    }

    /// Whether the next block must be absorbed by itself.
    pub(crate) fn is_late(&self) -> bool {
        self.due > 0
    }

    /// After a multiplication.
    #[inline]
    fn multiplied(&mut self) {
        if self.due > 0 {
            self.due -= 1;
            if self.due == 0 {
                *self.acc ^= core::mem::take(&mut *self.late);
            }
        }
    }

    #[inline]
    pub(crate) fn update(&mut self, imp: &dyn Imp, key: &HashKey, data: &[u8]) {
        let (now, later) = split_unfinished(self.used, data);
        if !now.is_empty() {
            self.add(now);
            if self.used == 16 {
                self.pad(imp, key);
            }
        }
        let (whole, tail) = later.as_chunks();
        if !whole.is_empty() {
            if POLYVAL {
                imp.polyval(key, &mut self.acc, whole);
            } else {
                imp.ghash(key, &mut self.acc, whole);
            }
            self.multiplied();
        }
        if !tail.is_empty() {
            self.add(tail);
        }
    }

    /// Adds bytes to the unfinished block, which must have room for them.
    fn add(&mut self, bytes: &[u8]) {
        let block = padded(bytes);
        *self.acc ^= if POLYVAL {
            u128::from_le_bytes(block) << (8 * self.used.min(15))
        } else {
            u128::from_be_bytes(block) >> (8 * self.used.min(15))
        };
        self.used += bytes.len();
    }

    /// Pads, and absorbs one more block, for GHASH: in one call.
    #[inline]
    pub(crate) fn last(&mut self, imp: &dyn Imp, key: &HashKey, block: Block) {
        if self.is_late() {
            self.pad(imp, key);
            imp.ghash(key, &mut self.acc, &[block]);
            return self.multiplied();
        }
        let blocks = [[0; 16], block];
        imp.ghash(key, &mut self.acc, if self.used > 0 { &blocks } else { &blocks[1..] });
        self.used = 0;
    }

    /// Multiplies an unfinished block, zero-padded; does nothing where there is none.
    pub(crate) fn pad(&mut self, imp: &dyn Imp, key: &HashKey) {
        if self.used > 0 {
            imp.ghash(key, &mut self.acc, &[[0; 16]]);
            self.used = 0;
            self.multiplied();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(hex: u128) -> Block {
        hex.to_be_bytes()
    }

    /// RFC 8452 appendix A: the same key and text under both.
    #[test]
    fn rfc8452_appendix_a() {
        let h = block(0x25629347589242761d31f826ba4b757b);
        let x = [block(0x4f4f95668c83dfb6401762bb2d01a262), block(0xd1a24ddd2721d006bbe45f20d3c9f362)].concat();
        for b in Backend::available() {
            let mut p = Polyval::with_backend(&h, b);
            p.update(&x);
            assert_eq!(p.finish(), block(0xf7a3b47b846119fae5b7866cf5e5b77e), "{b}");
            let mut g = Ghash::with_backend(&h, b);
            g.update(&x);
            assert_eq!(g.finish(), block(0xbd9b3997046731fb96251b91f9c99d7a), "{b}");
        }
    }

    #[test]
    fn pieces_are_joined() {
        let text: [u8; 200] = core::array::from_fn(|i| (i % 251) as u8);
        for b in Backend::available() {
            let mut whole = Ghash::with_backend(&[7; 16], b);
            whole.update(&text);
            let whole = whole.finish();
            for step in 1..40 {
                let mut g = Ghash::with_backend(&[7; 16], b);
                text.chunks(step).for_each(|c| g.update(c));
                assert_eq!(g.finish(), whole, "{b} {step}");
            }
        }
    }
}
