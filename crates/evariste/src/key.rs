//! Expanded keys: fixed size, no allocation, wiped on drop.
//!
//! What stands in the fields is private to the backend that wrote it. A key never meets another
//! backend, because whoever holds one holds the [`Backend`](crate::Backend) beside it.

use crate::Block;
use core::fmt;
use core::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// Powers of H kept per key: two strides of the widest kernel for long messages, or one pass over a
/// short one, which on 512-bit vectors pays up to 2 KiB.
pub(crate) const POWERS: usize = if cfg!(target_arch = "x86_64") { 132 } else { 68 };

/// Blocks per reduction in long messages: two strides of the widest kernel.
pub(crate) const GROUP: usize = 64;

/// An expanded AES key.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct AesKey {
    /// `[k_0, …, k_rounds]` (FIPS 197 §5.2), in the backend's format.
    pub(crate) round_keys: [Block; 15],
    /// 10, 12 or 14.
    pub(crate) rounds: u64,
}

/// A GHASH or POLYVAL key: powers of H in POLYVAL's field (docs/field.md).
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct HashKey {
    /// Highest first, so that those from `POWERS - n` on hash `n` blocks:
    /// `[H^POWERS, …, H^2, H^1]`, and zeros to the end of the widest vector.
    pub(crate) powers: [Block; POWERS + 4],
    /// Karatsuba's operands of the highest [`GROUP`] of them, two to a block, by pairs of vectors.
    pub(crate) mids: [Block; GROUP / 2],
    /// How many of the lowest powers are there; the others must not be used.
    pub(crate) have: u64,
    /// Of how many of the lowest powers `mids` are there.
    pub(crate) mids_of: u64,
}

/// All that AES-GCM needs of a key. One argument instead of two keeps the entry points within the
/// argument registers, which is worth 10 ns a message.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct GcmKey {
    /// For the counter mode.
    pub(crate) aes: AesKey,
    /// For GHASH.
    pub(crate) hash: HashKey,
}

impl AesKey {
    pub(crate) const ZERO: Self = Self { round_keys: [[0; 16]; 15], rounds: 0 };
}

impl HashKey {
    pub(crate) const ZERO: Self =
        Self { powers: [[0; 16]; POWERS + 4], mids: [[0; 16]; GROUP / 2], have: 0, mids_of: 0 };

    /// The lowest `have` powers, and the operands of `mids_of` of them, are another key's now: what is left of the one
    /// before is wiped.
    #[inline(always)]
    #[allow(dead_code, reason = "not every architecture makes less than all powers")]
    pub(crate) fn replaced(&mut self, have: usize, mids_of: usize) {
        let before = self.have.min(POWERS as u64) as usize;
        if before > have {
            self.powers[POWERS - before..POWERS - have].fill([0; 16]);
            optimization_barrier(self);
        }
        if self.mids_of > mids_of as u64 {
            self.mids[..(GROUP - mids_of.min(GROUP)) / 2].fill([0; 16]);
            optimization_barrier(self);
        }
        (self.have, self.mids_of) = (have as u64, mids_of as u64);
    }
}

impl GcmKey {
    pub(crate) const ZERO: Self = Self { aes: AesKey::ZERO, hash: HashKey::ZERO };
}

impl Drop for AesKey {
    fn drop(&mut self) {
        self.round_keys = [[0; 16]; 15];
        self.rounds = 0;
        optimization_barrier(self);
    }
}

impl Drop for HashKey {
    fn drop(&mut self) {
        self.powers = [[0; 16]; POWERS + 4];
        self.mids = [[0; 16]; GROUP / 2];
        (self.have, self.mids_of) = (0, 0);
        optimization_barrier(self);
    }
}

impl fmt::Debug for AesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AesKey(..)")
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey(..)")
    }
}

/// Something less than a key that must not be seen either: wiped on drop, never shown.
#[derive(Clone)]
pub(crate) struct Secret<T: Default>(pub(crate) T);

impl<T: Default> Deref for Secret<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Default> DerefMut for Secret<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Default> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0 = T::default();
        optimization_barrier(&self.0);
    }
}

impl<T: Default> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use core::mem::ManuallyDrop;

    #[test]
    fn dropped_keys_are_zero() {
        let mut key = ManuallyDrop::new(GcmKey::ZERO);
        key.aes.round_keys = [[0xa5; 16]; 15];
        key.aes.rounds = !0;
        key.hash.powers = [[0xa5; 16]; POWERS + 4];
        key.hash.mids = [[0xa5; 16]; GROUP / 2];
        (key.hash.have, key.hash.mids_of) = (!0, !0);
        // SAFETY: dropped once, and not used as a key again; its memory stays.
        unsafe { ManuallyDrop::drop(&mut key) };
        let words = [&key.aes.round_keys[..], &key.hash.powers[..], &key.hash.mids[..]];
        assert!(words.iter().all(|blocks| core::hint::black_box(*blocks).iter().all(|b| *b == [0; 16])));
        assert_eq!((key.aes.rounds, key.hash.have, key.hash.mids_of), (0, 0, 0));
    }
}
