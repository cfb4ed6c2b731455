//! The generation before, which most crates of the registry still use: aead 0.5, cipher 0.4 and universal-hash 0.5 (feature
//! `previous`).
//!
//! The types are those of the rest of this crate, which have the traits of both generations then; arrays are
//! `GenericArray`, and aliases of them are here. A project swaps by the packages of version 0.10 and so on:
//!
//! ```toml
//! [dependencies]
//! aes-gcm = { version = "0.10", package = "evariste-aes-gcm" }
//! ```

pub mod aes;
pub mod aes_gcm;
pub mod aes_gcm_siv;
mod authenticated;
pub mod ccm;
pub mod ctr;
pub mod ghash;
mod xaes;

pub use aead_05 as aead;
pub use cipher_04 as cipher;
pub use universal_hash_05 as universal_hash;
