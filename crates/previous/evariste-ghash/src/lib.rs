//! evariste with the names of the crate `ghash` 0.5: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! ghash = { version = "0.5", package = "evariste-ghash" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::previous::ghash`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_ghash::{GHash, universal_hash::{KeyInit, UniversalHash}};
//!
//! let mut ghash = GHash::new(&[3; 16].into());
//! ghash.update_padded(b"padded with zeros");
//! assert_eq!(ghash.finalize().len(), 16);
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::previous::ghash::*;
