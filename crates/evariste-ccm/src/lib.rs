//! evariste with the names of the crate `ccm` 0.6: a project swaps by its manifest alone.
//!
//! ```toml
//! [dependencies]
//! ccm = { version = "0.6", package = "evariste-ccm" }
//! aes = { version = "0.9", package = "evariste-aes" }
//! ```
//!
//! All of it is [`evariste_rustcrypto::ccm`], which see. Features are those of the model; `zeroize`, `aes` and the like
//! are always on. `std` is [`evariste`](evariste_rustcrypto::evariste)'s.
//!
//! ```
//! use evariste_aes::Aes128;
//! use evariste_ccm::{Ccm, KeyInit, aead::AeadInOut, consts::{U8, U13}};
//!
//! let ccm = Ccm::<Aes128, U8, U13>::new(&[7; 16].into());
//! let mut data = *b"text";
//! let tag = ccm.encrypt_inout_detached(&[0; 13].into(), b"header", (&mut data[..]).into())?;
//! ccm.decrypt_inout_detached(&[0; 13].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_ccm::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub use evariste_rustcrypto::ccm::*;
