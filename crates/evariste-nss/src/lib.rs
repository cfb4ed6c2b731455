//! AES of evariste under NSS: `libfreeblpriv3.so` in front of NSS's own.
//!
//! NSS's softoken takes its ciphers from a library of this name, by one function that returns a table of functions. This
//! library loads NSS's own, renamed to `libfreeblpriv3-orig.so` beside it, and hands out a copy of its table in which the
//! entries of AES are ours: GCM by messages (TLS) and at once, CTR and ECB, with keys of 16, 24 and 32 bytes. CBC, CTS,
//! other key lengths, and all that is not AES, go on to NSS's own code. Nothing of NSS is compiled in: one library serves
//! 3.87 and later. Where the table has a version that is not known, or the system is in FIPS mode, it is handed out as it
//! is, with a note on stderr.
//!
//! Environment variables, none of them with elevated rights (`secure_getenv`):
//!
//! | variable | what |
//! |---|---|
//! | `EVARISTE_BACKEND`, `EVARISTE_DISABLE` | as everywhere |
//! | `NSS_DISABLE_HW_AES` and its like | take features away, `switches.rs` |
//! | `EVARISTE_NSS_ORIGINAL` | a path of NSS's own library |
//! | `EVARISTE_NSS_COUNTERS` | a file that counts what went through here, `counters.rs` |
//!
//! Errors are NSS's, with the codes that NSS's own code has for the same fault. What is different, on purpose:
//! - a generator of IVs that does not exist is refused; NSS leaves the IV as it is, and counts;
//! - IVs end before one comes twice, where NSS's own masks and counts do not agree (`iv.rs`);
//! - a counter of CTR that has come round stays refused, and so does a context after a forged message;
//! - null pointers are `SEC_ERROR_INVALID_ARGS` throughout; input and output may overlap in any way, but neither IV nor
//!   additional data may lie in the output.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![deny(unsafe_code)]

mod border;
mod context;
mod counters;
mod ctr;
mod entries;
mod error;
mod freebl;
mod gcm;
mod iv;
mod original;
mod switches;
mod system;
mod vector;
