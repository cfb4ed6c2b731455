//! A provider for OpenSSL 3.0 to 4.0: AES in GCM, CCM, CTR, ECB and GCM-SIV, and CBC where it is asked for, by evariste.
//!
//! `cargo xtask install-provider` builds it, puts it where OpenSSL looks for modules, as `evariste.so`, and says which
//! lines of openssl.cnf switch it on. Programs need no change; `examples/openssl.cnf` is such a file.
//!
//! Names, parameters and results are those of OpenSSL's own provider. What differs:
//!
//! - After a failure, nothing comes of a message: it takes another IV. Decrypted text that can be held back until it is
//!   known to be authentic (CCM, GCM-SIV, records of TLS) becomes zeros if it is not.
//! - The IV of a message that has ended is used up; in CTR there is no keystream without an IV. One exception: in CCM a
//!   message whose tag has not been read may be encrypted anew, as `openssl speed` does, after its length is announced
//!   again; a program must not give out both texts.
//! - The generator of IVs of GCM (EVP_CTRL_GCM_IV_GEN, records of TLS 1.2) ends with a message that is encrypted without
//!   it, when decryption turns to encryption and in a copy of the context, until a fixed part is set again: it would give
//!   out an IV a second time.
//! - What is beyond a limit of the standard is refused, such as a counter that would begin again.
//! - Tags of GCM have 12 to 16 bytes; with 4 and 8 if the configuration says `short-tags = yes`.
//! - CBC is there only if it says `cbc = yes`, and not for TLS.
//! - Random bytes are the system's, not OpenSSL's: the latter's generator may run on these ciphers.
//!
//! `counters` of the configuration is a file that says how much was encrypted and decrypted: [`counters`].
//!
//! Each function is: take OpenSSL's promise (`border.rs`), look at what comes, call the mode, which is safe Rust around
//! the core. Which lengths, nonces and counters are allowed is the core's business alone.
#![deny(unsafe_code)]

mod algorithm;
mod block;
mod border;
mod ccm;
pub mod counters;
mod ctr;
mod ffi;
mod gcm;
mod gcm_siv;
mod mode;
mod param;
mod provider;
mod reason;
mod text;
mod upcalls;

pub use ffi::{Dispatch, Handle, Param};
pub use provider::OSSL_provider_init;
