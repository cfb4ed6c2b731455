//! evariste with the names of the crate `aes-gcm-siv` 0.12: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! aes-gcm-siv = { version = "0.12", package = "evariste-aes-gcm-siv" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::aes_gcm_siv`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_aes_gcm_siv::{Aes256GcmSiv, KeyInit, aead::AeadInOut};
//!
//! let cipher = Aes256GcmSiv::new(&[7; 32].into());
//! let mut data = *b"text";
//! let tag = cipher.encrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into())?;
//! cipher.decrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_aes_gcm_siv::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::aes_gcm_siv::*;
