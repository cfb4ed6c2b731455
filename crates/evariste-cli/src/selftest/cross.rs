//! The backends against the portable one, at the lengths and counters where kernels go wrong.
//!
//! Portable computes each message in one call, the backend under test in every way there is: so that
//! portable itself is checked too, against itself in pieces.

use crate::vectors::{Turn, aead, cipher};
use aead::Mode;
use evariste::{Aead, Aes, Backend, Block, Ccm, Ctr, Gcm, GcmSiv, Ghash};

/// The block cipher on any number of blocks.
pub(super) fn aes(backend: Backend) -> Result<(), String> {
    let mut turn = Turn::default();
    for key in KEY_LENGTHS.map(painted) {
        let aes = Aes::with_backend(&key, portable()?).map_err(text_of)?;
        for blocks in (0..=80).chain([127, 128, 129]) {
            let text = Vec::from(painted(16 * blocks).as_chunks().0);
            let mut sealed = text.clone();
            aes.encrypt(&mut sealed);
            turn.next_vector();
            let vector = cipher::Ecb { key: key.clone(), text, sealed, times: 1 };
            vector.run(backend, &mut turn).map_err(|why| format!("{blocks} blocks, {why}"))?;
        }
    }
    Ok(())
}

/// Counters that carry out of 32 and out of 64 bits halfway, and one that ends with the text.
pub(super) fn ctr(backend: Backend) -> Result<(), String> {
    let mut turn = Turn::default();
    for key in KEY_LENGTHS.map(painted) {
        for len in lengths() {
            let blocks = len.div_ceil(16) as u128;
            let carries = [32, 64].map(|bits| (0x0123 << 112 | 1 << bits) - 1 - blocks / 2);
            for iv in carries.into_iter().chain([u128::MAX - blocks.saturating_sub(1)]).map(u128::to_be_bytes) {
                let (text, mut sealed) = (painted(len), painted(len));
                let mut ctr = Ctr::with_backend(&key, &iv, portable()?).map_err(text_of)?;
                ctr.apply((&mut sealed[..]).into()).map_err(text_of)?;
                turn.next_vector();
                let vector = cipher::Ctr { key: key.clone(), iv, text, sealed };
                vector.run(backend, &mut turn).map_err(|why| format!("{len} bytes, {why}"))?;
            }
        }
    }
    Ok(())
}

/// Nonces of 12 bytes, and others that make the counter wrap halfway.
pub(super) fn gcm(backend: Backend) -> Result<(), String> {
    let mut turn = Turn::default();
    for key in KEY_LENGTHS.map(painted) {
        let gcm = Gcm::with_backend(&key, portable()?).map_err(text_of)?;
        let wrapping = Wrapping::new(&key)?;
        for len in lengths() {
            let wrap = wrapping.nonce(len as u32 / 32)?;
            for nonce in [&painted(12)[..], &wrap] {
                compare(&gcm, Mode::Gcm, &key, nonce, len, backend, &mut turn)?;
            }
        }
    }
    Ok(())
}

/// Nonces of all lengths, as far as they leave room for the text.
pub(super) fn ccm(backend: Backend) -> Result<(), String> {
    let mut turn = Turn::default();
    for key in KEY_LENGTHS.map(painted) {
        let ccm = Ccm::with_backend(&key, portable()?).map_err(text_of)?;
        for (len, nonce) in lengths().zip((7..=13).cycle()) {
            compare(&ccm, Mode::Ccm, &key, &painted(nonce), len, backend, &mut turn)?;
        }
    }
    Ok(())
}

pub(super) fn gcm_siv(backend: Backend) -> Result<(), String> {
    let mut turn = Turn::default();
    for key in [16, 32].map(painted) {
        let siv = GcmSiv::with_backend(&key, portable()?).map_err(text_of)?;
        for len in lengths() {
            compare(&siv, Mode::GcmSiv, &key, &painted(12), len, backend, &mut turn)?;
        }
    }
    Ok(())
}

/// Seals a text with `portable`; `backend` must do the same, and refuse a forged tag.
fn compare(
    portable: &impl Aead,
    mode: Mode,
    key: &[u8],
    nonce: &[u8],
    len: usize,
    backend: Backend,
    turn: &mut Turn,
) -> Result<(), String> {
    let (text, mut sealed, aad) = (painted(len), painted(len), painted(len % 67));
    let tag = portable.seal(nonce, &aad, &mut sealed).map_err(text_of)?.to_vec();
    let mut vector = aead::Vector {
        mode,
        key: key.into(),
        nonce: nonce.into(),
        aad,
        text: Some(text),
        sealed,
        tag_len: tag.len(),
        tag,
        authentic: true,
    };
    turn.next_vector();
    let named = |why| format!("{len} bytes under a nonce of {}, {why}", nonce.len());
    vector.run(backend, turn).map_err(named)?;
    vector.tag[len % 16] ^= 1 << (len % 8);
    vector.authentic = false;
    vector.run(backend, turn).map_err(named)
}

/// Nonces of 16 bytes from which AES-GCM comes to a counter of choice (SP 800-38D §7.1 step 2, backwards).
struct Wrapping {
    /// H^-1.
    inverse: Block,
}

impl Wrapping {
    fn new(key: &[u8]) -> Result<Self, String> {
        let mut h = [[0; 16]];
        Aes::with_backend(key, portable()?).map_err(text_of)?.encrypt(&mut h);
        // H^(2^128 - 2): the product of H^2, H^4, …, H^(2^127).
        let mut power = times(h[0], h[0])?;
        let mut inverse = power;
        for _ in 2..128 {
            power = times(power, power)?;
            inverse = times(inverse, power)?;
        }
        Ok(Self { inverse })
    }

    /// J0 = (nonce · H + its length in bits) · H ends in 32 bits that wrap after `blocks` more.
    fn nonce(&self, blocks: u32) -> Result<Block, String> {
        let j0 = 0xfeed << 112 | u128::from(u32::MAX - blocks);
        let sum = u128::from_be_bytes(times(j0.to_be_bytes(), self.inverse)?) ^ 128;
        times(sum.to_be_bytes(), self.inverse)
    }
}

/// The product in GHASH's field.
fn times(a: Block, b: Block) -> Result<Block, String> {
    let mut ghash = Ghash::with_backend(&a, portable()?);
    ghash.update(&b);
    Ok(ghash.finish())
}

/// Around the ends of blocks, and of what kernels take at a time.
pub(super) fn lengths() -> impl Iterator<Item = usize> {
    let strides = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256];
    let borders = strides.into_iter().flat_map(|blocks| 16 * blocks - 1..=16 * blocks + 1);
    [0, 1].into_iter().chain(borders).chain([5000])
}

/// Bytes of a period that is prime, so that swapped blocks show.
pub(super) fn painted(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

pub(super) fn portable() -> Result<Backend, String> {
    Backend::by_name("portable").ok_or_else(|| "no portable backend".into())
}

const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

fn text_of(error: impl std::error::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_where_they_should() -> Result<(), String> {
        let key = painted(16);
        let nonce = Wrapping::new(&key)?.nonce(2)?;
        let mut keystream = [[0; 16]; 5];
        let gcm = Gcm::with_backend(&key, portable()?).map_err(text_of)?;
        gcm.seal(&nonce, &[], keystream.as_flattened_mut()).map_err(text_of)?;
        let counters = [0xffff_fffe, 0xffff_ffff, 0, 1, 2];
        let mut want = counters.map(|low: u32| (0xfeed << 112 | u128::from(low)).to_be_bytes());
        Aes::with_backend(&key, portable()?).map_err(text_of)?.encrypt(&mut want);
        assert_eq!(keystream, want);
        Ok(())
    }
}
