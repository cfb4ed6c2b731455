//! Digests over AES-GCM messages of all lengths, on which independent implementations agree.

use evariste::{Aead, Backend, Gcm};
use sha2::{Digest, Sha256};

/// All of them.
pub(super) fn digests(backend: Backend) -> Result<(), String> {
    for (key_len, want) in [
        (16, "c1792b06f48f6f22259e4ed62eef651306b5c23d437523e44fda9b8bdf47275b"),
        (24, "553122bb2d1c20a64ea79280e98677379a9b172f52c5c4e14419681ad7161701"),
        (32, "9756ce6e5575f41bb34f96a4e9b230143150b0c1f7156143bfb6e6ae02a06885"),
    ] {
        compare("texts of 0 to 1100 bytes", all_texts(&key(backend, key_len)?)?, want)?;
    }
    let want = "ebb84b63ff980a01536b295e04d187549ee00f571d9a9c2c1631147434ec23a3";
    compare("nonces of 8 to 128 bytes", all_nonces(&key(backend, 16)?)?, want)?;
    compare("a text of 2^20 + 13 bytes", long_text(&key(backend, 16)?)?, "be3f7d24699158a6992302d5357cafff")
}

fn compare(what: &str, got: Vec<u8>, want: &str) -> Result<(), String> {
    if hex::encode(&got) == want { Ok(()) } else { Err(format!("{what}: {}", hex::encode(got))) }
}

/// The key 00 01 02 …
fn key(backend: Backend, len: u8) -> Result<Gcm, String> {
    Gcm::with_backend(&Vec::from_iter(0..len), backend).map_err(|error| error.to_string())
}

/// Every length, each with other additional data, under one nonce.
fn all_texts(gcm: &Gcm) -> Result<Vec<u8>, String> {
    let mut hash = Sha256::new();
    for len in 0..=1100 {
        let aad = painted(len % 67, 13, 3 * len);
        hash.update(sealed(gcm, &NONCE, &aad, painted(len, 7, len))?);
    }
    Ok(hash.finalize().to_vec())
}

/// Every length of the nonce from 8 to 128 bytes.
fn all_nonces(gcm: &Gcm) -> Result<Vec<u8>, String> {
    let mut hash = Sha256::new();
    for len in 8..=128 {
        hash.update(sealed(gcm, &painted(len, 29, len), &[], painted(100, 7, 100))?);
    }
    Ok(hash.finalize().to_vec())
}

/// The tag of a text that no power of two divides.
fn long_text(gcm: &Gcm) -> Result<Vec<u8>, String> {
    let len = (1 << 20) + 13;
    let text = (0..len).map(|i| (i * 7 + (i >> 8)) as u8).collect();
    Ok(sealed(gcm, &NONCE, &[], text)?.split_off(len))
}

const NONCE: [u8; 12] = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab];

/// `start`, `start + step`, …
fn painted(len: usize, step: usize, start: usize) -> Vec<u8> {
    (0..len).map(|i| (i * step + start) as u8).collect()
}

/// The ciphertext and the tag.
fn sealed(gcm: &Gcm, nonce: &[u8], aad: &[u8], mut text: Vec<u8>) -> Result<Vec<u8>, String> {
    let tag = gcm.seal(nonce, aad, &mut text).map_err(|error| error.to_string())?;
    text.extend_from_slice(&tag);
    Ok(text)
}
