//! Lengths as types: an array of so many bytes, in the generations that are wanted.

use cipher::array::ArraySize;

/// A length that has arrays in each generation. One trait for both: nonces and tags are named by the same numbers.
#[cfg(not(feature = "previous"))]
pub trait Length: ArraySize {}
#[cfg(not(feature = "previous"))]
impl<T: ArraySize> Length for T {}

/// A length that has arrays in each generation. One trait for both: nonces and tags are named by the same numbers.
#[cfg(feature = "previous")]
pub trait Length: ArraySize + cipher_04::generic_array::ArrayLength<u8> {}
#[cfg(feature = "previous")]
impl<T: ArraySize + cipher_04::generic_array::ArrayLength<u8>> Length for T {}

/// The key of a mode whose lengths come from types, and so are among those that the mode has.
#[inline(always)]
pub(crate) fn made<T>(key: Result<T, evariste::KeyError>) -> T {
    key.expect("key and tag have lengths of the mode, by their types")
}
