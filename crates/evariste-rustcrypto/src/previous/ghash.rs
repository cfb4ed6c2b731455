//! GHASH, with the names of the crate `ghash` 0.5.
//!
//! A type of its own: [`crate::ghash::GHash`] has a function `new` that takes arrays of the other generation.

pub use universal_hash_05 as universal_hash;

use core::fmt;
use evariste::Ghash as Core;
use universal_hash::consts::{U16, U32};
use universal_hash::crypto_common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
use universal_hash::typenum::Unsigned;
use universal_hash::{KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A key H: 16 bytes.
pub type Key = universal_hash::Key<GHash>;

/// A block: 16 bytes.
pub type Block = universal_hash::Block<GHash>;

/// A hash: 16 bytes.
pub type Tag = universal_hash::Block<GHash>;

/// Blocks that are hashed by one call of the core.
type Together = U32;

/// GHASH under a key H of 16 bytes, on blocks of 16, without a limit of its own.
///
/// Not a message authentication code: without a secret, unique mask its output gives the key away. `Debug` shows no key;
/// it is wiped on drop.
#[derive(Clone)]
pub struct GHash {
    core: Core,
    /// What the first block is added to; zero afterwards.
    init: Zeroizing<u128>,
    begun: bool,
}

impl GHash {
    /// Under the key `h`, of 16 bytes, from the hash `init_block` on, as a number whose lowest byte is the
    /// hash's first.
    pub fn new_with_init_block(h: &Key, init_block: u128) -> Self {
        Self { core: Core::new(&(*h).into()), init: Zeroizing::new(init_block), begun: false }
    }

    fn absorb(&mut self, blocks: &mut [[u8; 16]]) {
        if let (false, [first, ..]) = (self.begun, &mut *blocks) {
            *first = (u128::from_le_bytes(*first) ^ *self.init).to_le_bytes();
            self.begun = true;
            self.init.zeroize();
        }
        self.core.update(blocks.as_flattened());
    }

    /// Blocks on the stack, since slices of `GenericArray` are not slices of bytes.
    fn absorb_all<'a>(&mut self, blocks: impl Iterator<Item = &'a Block>) {
        let mut some = [[0; 16]; Together::USIZE];
        let mut used = 0;
        for block in blocks {
            some[used] = (*block).into();
            used += 1;
            if used == some.len() {
                self.absorb(&mut some);
                used = 0;
            }
        }
        self.absorb(&mut some[..used]);
    }
}

impl KeySizeUser for GHash {
    type KeySize = U16;
}

impl BlockSizeUser for GHash {
    type BlockSize = U16;
}

impl KeyInit for GHash {
    fn new(h: &Key) -> Self {
        Self::new_with_init_block(h, 0)
    }
}

struct Blocks<'a>(&'a mut GHash);

impl BlockSizeUser for Blocks<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Blocks<'_> {
    type ParBlocksSize = Together;
}

impl UhfBackend for Blocks<'_> {
    fn proc_block(&mut self, block: &Block) {
        self.0.absorb(&mut [(*block).into()]);
    }

    fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
        self.0.absorb_all(blocks.iter());
    }
}

impl UniversalHash for GHash {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(&mut Blocks(self));
    }

    fn update(&mut self, blocks: &[Block]) {
        self.absorb_all(blocks.iter());
    }

    fn update_padded(&mut self, data: &[u8]) {
        if self.begun {
            self.core.update(data);
            self.core.pad();
        } else if let Some((first, rest)) = data.split_first_chunk::<16>() {
            self.absorb(&mut [*first]);
            self.update_padded(rest);
        } else if !data.is_empty() {
            let mut last = [0; 16];
            last[..data.len()].copy_from_slice(data);
            self.absorb(&mut [last]);
        }
    }

    fn finalize(self) -> Tag {
        if self.begun { self.core.finish().into() } else { self.init.to_le_bytes().into() }
    }
}

impl ZeroizeOnDrop for GHash {}

impl fmt::Debug for GHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GHash").finish_non_exhaustive()
    }
}
