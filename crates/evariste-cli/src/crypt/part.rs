//! A file from some byte on, for many threads at once.

use evariste_store::ReadAt;
use evariste_store::parallel::WriteAt;
use indicatif::ProgressBar;
use std::fs::File;
use std::io;

/// What of a file belongs to a message or a text; reading moves the bar.
pub(crate) struct Part<'a> {
    pub(crate) file: &'a File,
    pub(crate) from: u64,
    /// Bytes to read; nothing to who writes.
    pub(crate) len: u64,
    pub(crate) bar: ProgressBar,
}

impl ReadAt for Part<'_> {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        ReadAt::read_exact_at(self.file, buffer, self.from + offset)?;
        self.bar.inc(buffer.len() as u64);
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len)
    }
}

impl WriteAt for Part<'_> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        WriteAt::write_all_at(self.file, data, self.from + offset)
    }
}

/// Takes what only has to be verified.
pub(crate) struct Nowhere;

impl WriteAt for Nowhere {
    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Ok(())
    }
}
