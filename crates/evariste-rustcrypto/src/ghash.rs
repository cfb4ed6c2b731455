//! GHASH (SP 800-38D §6.4), with the names of the crate `ghash` 0.6.
//!
//! ```
//! use evariste_rustcrypto::ghash::{GHash, universal_hash::UniversalHash};
//!
//! let mut ghash = GHash::new(&[3; 16].into());
//! ghash.update(&[[1; 16].into(), [2; 16].into()]);
//! ghash.update_padded(b"padded with zeros");
//! let hash = ghash.finalize();
//! assert_eq!(hash.len(), 16);
//! ```

pub use universal_hash;

use core::fmt;
use evariste::Ghash as Core;
use universal_hash::array::Array;
use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser, Reset};
use universal_hash::consts::{U16, U64};
use universal_hash::{KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash};
use zeroize::ZeroizeOnDrop;

/// A key H: 16 bytes.
pub type Key = universal_hash::Key<GHash>;

/// A block: 16 bytes.
pub type Block = universal_hash::Block<GHash>;

/// A hash: 16 bytes.
pub type Tag = universal_hash::Block<GHash>;

/// A universal hash over a type of the core with `new`, `update`, `pad`, `reset` and `finish`.
macro_rules! universal {
    ($name:ident) => {
        impl $name {
            /// Under the key `h`, of 16 bytes.
            #[inline]
            pub fn new(h: &Key) -> Self {
                Self(Core::new(h.into()))
            }
        }

        impl KeySizeUser for $name {
            type KeySize = U16;
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl KeyInit for $name {
            #[inline]
            fn new(h: &Key) -> Self {
                Self::new(h)
            }
        }

        struct Blocks<'a>(&'a mut Core);

        impl BlockSizeUser for Blocks<'_> {
            type BlockSize = U16;
        }

        impl ParBlocksSizeUser for Blocks<'_> {
            type ParBlocksSize = U64;
        }

        impl UhfBackend for Blocks<'_> {
            #[inline]
            fn proc_block(&mut self, block: &Block) {
                self.0.update(block);
            }

            #[inline]
            fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
                self.0.update(blocks.as_flattened());
            }
        }

        impl UniversalHash for $name {
            #[inline]
            fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
                f.call(&mut Blocks(&mut self.0));
            }

            #[inline]
            fn update(&mut self, blocks: &[Block]) {
                self.0.update(Array::slice_as_flattened(blocks));
            }

            #[inline]
            fn update_padded(&mut self, data: &[u8]) {
                self.0.update(data);
                self.0.pad();
            }

            #[inline]
            fn finalize(self) -> Tag {
                self.0.finish().into()
            }
        }

        impl Reset for $name {
            fn reset(&mut self) {
                self.0.reset();
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl ZeroizeOnDrop for $name {}
    };
}

pub(crate) use universal;

/// GHASH under a key H of 16 bytes, on blocks of 16, without a limit of its own.
///
/// Not a message authentication code: without a secret, unique mask its output gives the key away. `Debug` shows no key;
/// it is wiped on drop.
#[derive(Clone)]
pub struct GHash(Core);

universal!(GHash);
