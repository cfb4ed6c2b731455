//! A C library that runs on qemu's 970.
//!
//! `dcbz` zeroes a line of the cache: 128 bytes on this CPU, unless its system asks for 32, as they were on older
//! ones. Debian's memset counts on 128; qemu's user mode is set to 32, so that memory stays as it was, and the
//! second thread of a program falls over what the first one left. `dcbzl`, with one more bit set, zeroes a whole
//! line in either case.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Copies the C library with `dcbzl` in place of `dcbz`, and returns the folder that it is in.
pub(super) fn prepare(library: &Path, cache: &Path) -> Result<PathBuf> {
    let (from, dir) = (library.join("lib/libc.so.6"), cache.join("libc-970"));
    let mut bytes = std::fs::read(&from).with_context(|| from.display().to_string())?;
    ensure!(lengthen(&mut bytes) > 0, "{} zeroes no lines of the cache", from.display());
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("libc.so.6"), bytes)?;
    Ok(dir)
}

/// Makes each `dcbz` a `dcbzl`, and says how many there were.
fn lengthen(code: &mut [u8]) -> usize {
    let mut found = 0;
    for word in code.as_chunks_mut::<4>().0 {
        let instruction = u32::from_be_bytes(*word);
        // Power ISA, X-form: 31 in the first six bits, the registers in the middle, 1014 before the last bit.
        if instruction & 0xffe0_07ff == 31 << 26 | 1014 << 1 {
            *word = (instruction | 1 << 21).to_be_bytes();
            found += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dcbz_is_changed() {
        let words = |words: [u32; 4]| words.map(u32::to_be_bytes).concat();
        // dcbz 0,r6; dcbzl 0,r6; ld r9,-8(r3); dcbz r4,r5
        let mut code = words([0x7c00_37ec, 0x7c20_37ec, 0xe923_fff8, 0x7c04_2fec]);
        assert_eq!(lengthen(&mut code), 2);
        assert_eq!(code, words([0x7c20_37ec, 0x7c20_37ec, 0xe923_fff8, 0x7c24_2fec]));
        assert_eq!(lengthen(&mut code), 0);
    }
}
