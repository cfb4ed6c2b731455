//! The C interface of evariste.
//!
//! `cargo xtask install-capi` makes `libevariste.so`, `libevariste.a`, `evariste.h` and `evariste.pc` of this crate.
//! The header is written from what stands here, comments included (`cargo xtask header`); it is the documentation, and
//! begins with what holds for all calls. In Rust use [`evariste`] itself.
//!
//! Each function is: take the caller's promise (one `unsafe` block), check the buffers (`border.rs`), call the core.
//! Which lengths, nonces and tags are allowed is the core's business alone.
#![deny(unsafe_code)]
// The contract is the same everywhere, and stands once: in `border`, and at the top of the header.
#![allow(clippy::missing_safety_doc)]

// In the order of the header.
mod status;

mod algorithm;

mod aead;

mod message;

mod many;

mod stream;

mod ctr;

mod backend;

mod border;

pub use aead::*;
pub use algorithm::*;
pub use backend::*;
pub use ctr::*;
pub use many::*;
pub use message::*;
pub use status::*;
pub use stream::*;
