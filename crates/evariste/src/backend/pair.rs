//! For CPUs with only one of AES and carry-less multiply: each half from another backend.

use super::{Cipher, Hash, Imp};

/// Implements [`Cipher`] by that of another.
macro_rules! by_cipher {
    ($name:ty, |$this:ident| $cipher:expr) => {
        impl crate::backend::Cipher for $name {
            crate::backend::pair::forward! { |$this| $cipher,
                fn expand(key: &[u8], out: &mut crate::key::AesKey) -> Result<(), crate::KeyError>;
                fn expand_decrypt(key: &crate::key::AesKey, out: &mut crate::key::AesKey);
                fn encrypt(key: &crate::key::AesKey, blocks: &mut [crate::Block]);
                fn decrypt(key: &crate::key::AesKey, blocks: &mut [crate::Block]);
                fn ctr32(key: &crate::key::AesKey, ctr: &mut crate::block::Counter, data: crate::InOut<'_, crate::Block>);
                fn ctr(key: &crate::key::AesKey, ctr: &mut crate::block::Counter, data: crate::InOut<'_>, rest: &mut crate::Block);
                fn ctr32_le(key: &crate::key::AesKey, ctr: &mut crate::Block, data: crate::InOut<'_, crate::Block>);
                fn cbc_mac(key: &crate::key::AesKey, mac: &mut crate::Block, blocks: &[crate::Block]);
                fn ccm_seal(key: &crate::key::AesKey, mac: &mut crate::Block, ctr: crate::Block, data: crate::InOut<'_, crate::Block>);
                fn ccm_open(key: &crate::key::AesKey, mac: &mut crate::Block, ctr: crate::Block, data: crate::InOut<'_, crate::Block>);
                fn lanes_have_keys() -> bool;
                fn ccm_lanes(lanes: &mut crate::lanes::Lanes<'_>, feeds: &mut crate::inout::Feeds<'_>);
            }
        }
    };
}

/// Implements [`Hash`] by that of another.
macro_rules! by_hash {
    ($name:ty, |$this:ident| $hash:expr) => {
        impl crate::backend::Hash for $name {
            crate::backend::pair::forward! { |$this| $hash,
                fn hash_key(h: u128, blocks: usize, out: &mut crate::key::HashKey);
                fn ghash(key: &crate::key::HashKey, acc: &mut u128, blocks: &[crate::Block]);
                fn polyval(key: &crate::key::HashKey, acc: &mut u128, blocks: &[crate::Block]);
            }
        }
    };
}

/// Methods that call those of `$to`.
macro_rules! forward {
    (|$this:ident| $to:expr, $(fn $f:ident($($a:ident: $t:ty),*) $(-> $r:ty)?;)*) => {
        $(
            fn $f(&self, $($a: $t),*) $(-> $r)? {
                let $this = self;
                $to.$f($($a),*)
            }
        )*
    };
}

// POWER has pairs, but no ISA that is both.
pub(crate) use forward;
#[cfg_attr(target_arch = "powerpc64", expect(unused_imports))]
pub(crate) use {by_cipher, by_hash};

/// A cipher and a hash that know nothing of each other; [`Imp`]'s defaults do the rest.
pub(crate) struct Pair {
    /// Both halves' names: `aesni+ssse3`.
    pub(crate) name: &'static str,
    pub(crate) cipher: &'static dyn Cipher,
    pub(crate) hash: &'static dyn Hash,
}

impl Imp for Pair {
    fn name(&self) -> &'static str {
        self.name
    }
}

by_cipher!(Pair, |pair| pair.cipher);
by_hash!(Pair, |pair| pair.hash);
