//! How much was encrypted and decrypted, for checks of other people's programs: a file that processes share.
//!
//! The provider's section of the configuration names it by `counters = FILE`, else the environment variable
//! `EVARISTE_OPENSSL_COUNTERS`, unless the process has elevated rights. The file is made when the provider is loaded, if it
//! is not there; nothing is counted without it. Its form stands in `crates/evariste-counters`. Calls count that took in
//! text or additional data; bytes are those of text, of decrypted text authentic or not.

use crate::algorithm::NAMES;
use crate::mode::Direction;
use evariste_counters::Counters;
pub use evariste_counters::{Counter, Work, read};
use std::fs::File;
use std::io::Result;
use std::path::Path;
use std::sync::Arc;

/// Opens a file, or makes it.
///
/// # Errors
/// What opening can, and [`Counters::new`].
pub(crate) fn open(path: &Path) -> Result<Arc<Counters>> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    Ok(Arc::new(Counters::new(file, NAMES)?))
}

/// Where an algorithm's work is counted.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    pub(crate) counters: Arc<Counters>,
    /// The algorithm's record.
    pub(crate) record: usize,
}

impl Count {
    /// Counts a call.
    #[cold]
    pub(crate) fn add(&self, direction: Direction, bytes: usize) {
        self.counters.add(self.record, direction, bytes);
    }
}
