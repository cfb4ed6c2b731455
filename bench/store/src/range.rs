//! 4 KiB out of the middle of a message.

use anyhow::{Result, ensure};
use evariste_store::RangeReader;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The median time to open the file, check its end and read 4 KiB from somewhere in it.
pub(crate) fn measure(sealed: PathBuf, key: PathBuf, mib: u64) -> Result<Duration> {
    let key = fs::read(key)?;
    let mut times = Vec::new();
    for n in 0..101 {
        // Somewhere else each time, and across the border of two chunks at times.
        let offset = (n * 0x9e37_79b9_7f4a_7c15_u64) % ((mib << 20) - 4096);
        let mut text = [0; 4096];
        let start = Instant::now();
        let reader = RangeReader::new(File::open(&sealed)?, &key, b"")?;
        reader.read_exact_at(&mut text, offset)?;
        times.push(start.elapsed());
        ensure!(text != [0; 4096], "no text");
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
