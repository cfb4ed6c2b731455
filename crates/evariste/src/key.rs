//! Expanded keys: fixed size, no allocation, wiped on drop.
//!
//! What stands in the fields is private to the backend that wrote it. A key never meets another
//! backend, because whoever holds one holds the [`Backend`](crate::Backend) beside it.
#![allow(unsafe_code)]

use crate::Block;
use core::fmt;
use core::ops::{Deref, DerefMut};
use zeroize::Zeroize;

/// Powers of H kept per key: two strides of the widest kernel for long messages, or one pass over a
/// short one.
pub(crate) const POWERS: usize = 68;

/// Blocks per reduction in long messages: two strides of the widest kernel.
pub(crate) const GROUP: usize = 64;

/// An expanded AES key.
#[repr(C, align(64))]
pub(crate) struct AesKey {
    /// `[k_0, …, k_rounds]` (FIPS 197 §5.2), in the backend's format.
    pub(crate) round_keys: [Block; 15],
    /// 10, 12 or 14.
    pub(crate) rounds: u64,
    spare: u64,
}

/// A GHASH or POLYVAL key: powers of H in POLYVAL's field (docs/field.md).
#[repr(C, align(64))]
pub(crate) struct HashKey {
    /// Highest first, so that those from `POWERS - n` on hash `n` blocks:
    /// `[H^POWERS, …, H^2, H^1]`, and zeros to the end of the widest vector.
    pub(crate) powers: [Block; POWERS + 4],
    /// Karatsuba's operands of the highest [`GROUP`] of them, two to a block, by pairs of vectors.
    pub(crate) mids: [Block; GROUP / 2],
    /// How many of the lowest powers are there; the others must not be used.
    pub(crate) have: u64,
    spare: [u64; 7],
}

/// All that AES-GCM needs of a key. One argument instead of two keeps the entry points within the
/// argument registers, which is worth 10 ns a message.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct GcmKey {
    /// For the counter mode.
    pub(crate) aes: AesKey,
    /// For GHASH.
    pub(crate) hash: HashKey,
}

impl AesKey {
    pub(crate) const ZERO: Self = Self { round_keys: [[0; 16]; 15], rounds: 0, spare: 0 };
}

impl HashKey {
    pub(crate) const ZERO: Self =
        Self { powers: [[0; 16]; POWERS + 4], mids: [[0; 16]; GROUP / 2], have: 0, spare: [0; 7] };
}

impl GcmKey {
    pub(crate) const ZERO: Self = Self { aes: AesKey::ZERO, hash: HashKey::ZERO };
}

/// Wiping on drop, eight bytes at a time: byte by byte it would take longer than making the key.
macro_rules! wiped {
    ($($key:ident)*) => { $(
        impl Drop for $key {
            fn drop(&mut self) {
                const { assert!(size_of::<$key>() % 8 == 0 && align_of::<$key>() >= 8) };
                let words = core::ptr::from_mut(self).cast::<u64>();
                // SAFETY: the type is plain old data without padding (its fields fill it, which the
                // sizes in the tests below show), and this is the only reference to it.
                unsafe { core::slice::from_raw_parts_mut(words, size_of::<$key>() / 8) }.zeroize();
            }
        }

        impl fmt::Debug for $key {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($key), "(..)"))
            }
        }
    )* };
}

wiped! { AesKey HashKey }

/// Something less than a key that must not be seen either: wiped on drop, never shown.
pub(crate) struct Secret<T: Zeroize>(pub(crate) T);

impl<T: Zeroize> Deref for Secret<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> DerefMut for Secret<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{ManuallyDrop, offset_of};

    #[test]
    fn no_padding() {
        assert_eq!(size_of::<AesKey>(), offset_of!(AesKey, spare) + 8);
        assert_eq!(size_of::<HashKey>(), offset_of!(HashKey, spare) + 56);
        assert_eq!(size_of::<GcmKey>(), size_of::<AesKey>() + size_of::<HashKey>());
    }

    #[test]
    fn dropped_keys_are_zero() {
        let mut key = ManuallyDrop::new(GcmKey::ZERO);
        key.aes.round_keys = [[0xa5; 16]; 15];
        key.aes.rounds = !0;
        key.hash.powers = [[0xa5; 16]; POWERS + 4];
        key.hash.mids = [[0xa5; 16]; GROUP / 2];
        key.hash.have = !0;
        // SAFETY: dropped once, and not used as a key again; its memory stays.
        unsafe { ManuallyDrop::drop(&mut key) };
        let bytes = (&raw const *key).cast::<u8>();
        for n in 0..size_of::<GcmKey>() {
            // SAFETY: within the object.
            assert_eq!(unsafe { bytes.add(n).read_volatile() }, 0, "{n}");
        }
    }
}
