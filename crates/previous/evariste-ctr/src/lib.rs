//! evariste with the names of the crate `ctr` 0.9: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! ctr = { version = "0.9", package = "evariste-ctr" }
//! aes = { version = "0.8", package = "evariste-aes" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::previous::ctr`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_aes::Aes128;
//! use evariste_ctr::{Ctr128BE, cipher::{KeyIvInit, StreamCipher}};
//!
//! let mut data = *b"in pieces of any length";
//! let mut ctr = Ctr128BE::<Aes128>::new(&[7; 16].into(), &[0; 16].into());
//! ctr.apply_keystream(&mut data[..5]);
//! ctr.apply_keystream(&mut data[5..]);
//! Ctr128BE::<Aes128>::new(&[7; 16].into(), &[0; 16].into()).apply_keystream(&mut data);
//! assert_eq!(&data, b"in pieces of any length");
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::previous::ctr::*;
