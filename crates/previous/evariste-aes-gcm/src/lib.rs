//! evariste with the names of the crate `aes-gcm` 0.10: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! aes-gcm = { version = "0.10", package = "evariste-aes-gcm" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::previous::aes_gcm`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_aes_gcm::{Aes256Gcm, KeyInit, aead::AeadInPlace};
//!
//! let cipher = Aes256Gcm::new(&[7; 32].into());
//! let mut data = *b"text";
//! let tag = cipher.encrypt_in_place_detached(&[0; 12].into(), b"header", &mut data)?;
//! cipher.decrypt_in_place_detached(&[0; 12].into(), b"header", &mut data, &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_aes_gcm::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::previous::aes_gcm::*;
