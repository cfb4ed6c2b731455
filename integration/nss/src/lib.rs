//! What the tests share: private directories of NSS's libraries, counters, and freebl's tables.

mod freebl;
mod install;

pub use evariste_test_text::digest;
pub use freebl::{Cx, Freebl, Outcome};
pub use install::{Nss, counters, doctor};

/// Random numbers that are the same in each run: PCG-XSH-RR.
pub struct Random(u64);

impl Random {
    /// Another sequence for another seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(2).wrapping_add(1));
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        let state = self.0;
        self.0 = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((((state >> 18) ^ state) >> 27) as u32).rotate_right((state >> 59) as u32)
    }

    /// One below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.next() as u64 * end as u64) >> 32) as usize
    }

    /// Whether the one of `n` happens.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// So many bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len.div_ceil(4)).flat_map(|_| self.next().to_le_bytes()).take(len).collect()
    }
}
