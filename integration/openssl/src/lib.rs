//! What the tests share: programs of several OpenSSLs, with our provider and without it, and what it has counted.
//!
//! Nothing of the system's configuration is used or changed: each program is started with a configuration of its own.

mod counts;
mod openssl;
mod process;
mod provider;

pub use counts::Counts;
pub use evariste_test_text::{digest, digest_of, text};
pub use openssl::OpenSsl;
pub use process::{PATIENCE, Process, free_port, output, send, wait_for};
pub use provider::{Installed, Key, With, library, program};
