//! AES in counter, GCM, CCM and GCM-SIV mode, and GHASH, as fast as each CPU allows.
//!
//! Everything here runs in constant time: no branch and no index depends on a key or a text. The code is
//! chosen when the program runs, among [`Backend`]s from portable Rust to AVX-512, and each key keeps the
//! one it was made with. There is no build script, no C and no assembler; without the feature `std` there
//! is no `std` and no `alloc` either.
//!
//! | type | what | standard |
//! |---|---|---|
//! | [`Gcm`] | authenticated encryption, and GMAC | SP 800-38D |
//! | [`GcmRandom`] | the same under counted random nonces | SP 800-38D §8 |
//! | [`Ccm`] | authenticated encryption of known length | SP 800-38C |
//! | [`GcmSiv`] | authenticated encryption that survives a repeated nonce | RFC 8452 |
//! | [`Xaes256Gcm`] | AES-256-GCM with 24-byte nonces | C2SP |
//! | [`Ctr`], [`Aes`] | keystream and block cipher | SP 800-38A, FIPS 197 |
//! | [`Ghash`], [`Polyval`] | universal hashes | SP 800-38D §6.4, RFC 8452 §3 |
//!
//! One-shot calls are in the trait [`Aead`]; messages in pieces start with [`Gcm::stream`] and
//! [`Ccm::stream`]; many messages at once go by [`Aead::seal_many`] and [`Ccm::seal_each`]. Sizes are in bytes throughout.
//!
//! # Features
//! `std` (default): the environment variables `EVARISTE_BACKEND=name` and
//! `EVARISTE_DISABLE=feature,…` are read once; see [`cpu`] for the features. A name that this CPU cannot
//! run, or that does not exist, is passed over.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod aead;
mod aes;
mod backend;
mod block;
mod ccm;
pub mod cpu;
mod ct;
mod ctr;
mod error;
mod field;
mod gcm;
mod gcm_siv;
mod ghash;
pub mod hazmat;
mod inout;
mod key;
mod lanes;
pub mod limits;
mod partial;
mod xaes;

pub use aead::{Aead, Message, Tag};
pub use aes::Aes;
pub use backend::{Backend, Candidate, Reason};
pub use block::Block;
pub use ccm::{Ccm, CcmSealer, CcmStream};
pub use ctr::Ctr;
pub use error::{AuthError, KeyError, LimitError};
pub use gcm::{Gcm, GcmRandom, GcmSealer, GcmStream};
pub use gcm_siv::GcmSiv;
pub use ghash::{Ghash, Polyval};
pub use inout::{InOut, Plain};
pub use xaes::Xaes256Gcm;

/// The README's example, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
