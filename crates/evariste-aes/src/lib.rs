//! evariste with the names of the crate `aes` 0.9: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! aes = { version = "0.9", package = "evariste-aes" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::aes`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_aes::{Aes128, cipher::{BlockCipherEncrypt, KeyInit}};
//!
//! let mut block = [0; 16].into();
//! Aes128::new(&[0; 16].into()).encrypt_block(&mut block);
//! assert_eq!(block[..4], [0x66, 0xe9, 0x4b, 0xd4]);
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::aes::*;
