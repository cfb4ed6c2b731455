//! What the tests here encrypt, and digests of it.

use sha2::{Digest, Sha256};
use std::io::{Read, Result};

/// Bytes that do not repeat where records or packets do, other ones for another seed.
pub fn text(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 32) as u32
    };
    let mut text = Vec::with_capacity(len + 4);
    while text.len() < len {
        text.extend_from_slice(&next().to_le_bytes());
    }
    text.truncate(len);
    text
}

/// SHA-256.
pub fn digest(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// SHA-256 of all that comes, and how much it was.
pub fn digest_of(mut from: impl Read) -> Result<(usize, [u8; 32])> {
    let (mut hash, mut len, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok((len, hash.finalize().into())),
            got => {
                hash.update(&buffer[..got]);
                len += got;
            }
        }
    }
}
