//! POLYVAL (RFC 8452 §3), with the names of the crate `polyval` 0.7.
//!
//! ```
//! use evariste_rustcrypto::polyval::{Polyval, universal_hash::UniversalHash};
//!
//! let mut polyval = Polyval::new(&[3; 16].into());
//! polyval.update_padded(b"padded with zeros");
//! assert_eq!(polyval.finalize().len(), 16);
//! ```

pub use universal_hash;

use crate::ghash::universal;
use core::fmt;
use evariste::Polyval as Core;
use universal_hash::array::Array;
use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser, Reset};
use universal_hash::consts::{U16, U64};
use universal_hash::{KeyInit, UhfBackend, UhfClosure, UniversalHash};
use zeroize::ZeroizeOnDrop;

/// Bytes of a block.
pub const BLOCK_SIZE: usize = 16;

/// Bytes of a key.
pub const KEY_SIZE: usize = 16;

/// A key H: 16 bytes.
pub type Key = universal_hash::Key<Polyval>;

/// A block: 16 bytes.
pub type Block = universal_hash::Block<Polyval>;

/// Blocks that are hashed by one call of the core.
pub type ParBlocks<T> = universal_hash::ParBlocks<T>;

/// A hash: 16 bytes.
pub type Tag = universal_hash::Block<Polyval>;

/// POLYVAL under a key H of 16 bytes, on blocks of 16, without a limit of its own.
///
/// Not a message authentication code: without a secret, unique mask its output gives the key away. `Debug` shows no key;
/// it is wiped on drop.
#[derive(Clone)]
pub struct Polyval(Core);

universal!(Polyval);
