//! Keys, nonces and lengths: what is the same for writing, reading and any order of chunks.

use crate::Error;
use ctutils::CtEq;
use evariste::{Aead, Backend, Gcm};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha512;
use std::{array, fmt};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of text in every chunk but the last, which has fewer.
pub(crate) const CHUNK: usize = 16 * 1024;
/// Bytes of tag behind the text.
pub(crate) const TAG: usize = 16;
/// Bytes of a full chunk with its tag.
pub(crate) const SEALED_CHUNK: usize = CHUNK + TAG;
/// Bytes of salt in front.
pub(crate) const SALT: usize = 24;
/// Bytes of salt and commitment.
pub(crate) const HEADER: usize = SALT + COMMITMENT;
/// The number that the last chunk may have at most.
pub(crate) const LAST: u64 = (1 << 38) - 1;

const COMMITMENT: usize = 32;
const NONCE: usize = 12;

/// Which AES-GCM the chunks are sealed with; the length of the input key says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suite {
    /// Input keys of 16 bytes, AES-128-GCM.
    Cobblestone128,
    /// Input keys of 32 bytes, AES-256-GCM.
    Cobblestone256,
}

impl Suite {
    /// The suite of `key`.
    ///
    /// # Errors
    /// [`Error::KeyLength`] unless it has 16 or 32 bytes.
    pub fn of(key: &[u8]) -> Result<Self, Error> {
        match key.len() {
            16 => Ok(Self::Cobblestone128),
            32 => Ok(Self::Cobblestone256),
            _ => Err(Error::KeyLength),
        }
    }

    /// Its name in the IANA registry of AEAD algorithms.
    fn aead(self) -> &'static str {
        match self {
            Self::Cobblestone128 => "AEAD_AES_128_GCM",
            Self::Cobblestone256 => "AEAD_AES_256_GCM",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cobblestone128 => "Cobblestone-128",
            Self::Cobblestone256 => "Cobblestone-256",
        })
    }
}

/// Bytes of the sealed message for `text` bytes of text.
///
/// # Errors
/// [`Error::TooLong`] for 4 PiB of text or more.
pub fn sealed_len(text: u64) -> Result<u64, Error> {
    let last = text / CHUNK as u64;
    if last > LAST {
        return Err(Error::TooLong);
    }
    Ok(HEADER as u64 + text + (last + 1) * TAG as u64)
}

/// Bytes of text in a sealed message of `sealed` bytes.
///
/// # Errors
/// [`Error::Truncated`] and [`Error::TooLong`] for lengths that no message has.
pub fn text_len(sealed: u64) -> Result<u64, Error> {
    let chunks = sealed.checked_sub(HEADER as u64).ok_or(Error::Truncated)?;
    let last = chunks / SEALED_CHUNK as u64;
    if last > LAST {
        return Err(Error::TooLong);
    }
    let text = (chunks % SEALED_CHUNK as u64).checked_sub(TAG as u64).ok_or(Error::Truncated)?;
    Ok(last * CHUNK as u64 + text)
}

/// Where chunk `n` starts in the sealed message.
pub(crate) fn position(n: u64) -> u64 {
    HEADER as u64 + n * SEALED_CHUNK as u64
}

/// One message's key and nonces: seals and opens its chunks, in any order and from any thread.
#[derive(Debug)]
pub(crate) struct Chunks {
    gcm: Gcm,
    base_nonce: [u8; NONCE],
}

impl Chunks {
    /// For a message to seal; also its header.
    pub(crate) fn seal_with(
        key: &[u8],
        context: &[u8],
        salt: &[u8; SALT],
        backend: Backend,
    ) -> Result<(Self, [u8; HEADER]), Error> {
        let (chunks, commitment) = Self::derive(key, context, salt, backend)?;
        let mut header = [0; HEADER];
        header[..SALT].copy_from_slice(salt);
        header[SALT..].copy_from_slice(&commitment);
        Ok((chunks, header))
    }

    /// For the message with this header, if it is one for this key and context.
    pub(crate) fn open_with(
        key: &[u8],
        context: &[u8],
        header: &[u8; HEADER],
        backend: Backend,
    ) -> Result<Self, Error> {
        let salt = array::from_fn(|i| header[i]);
        let (chunks, commitment) = Self::derive(key, context, &salt, backend)?;
        if commitment[..].ct_eq(&header[SALT..]).to_bool() { Ok(chunks) } else { Err(Error::Commitment) }
    }

    fn derive(
        key: &[u8],
        context: &[u8],
        salt: &[u8; SALT],
        backend: Backend,
    ) -> Result<(Self, [u8; COMMITMENT]), Error> {
        let aead = Suite::of(key)?.aead().as_bytes();
        let info = [b"c2sp.org/chunked-encryption@v1+", aead, &[0], salt, context];
        let mut secrets = Zeroizing::new([0; 32 + NONCE + COMMITMENT]);
        hkdf_expand(key, &info, &mut secrets[..])?;
        let (key, rest) = secrets.split_at(key.len());
        let gcm = Gcm::with_backend(key, backend).map_err(|_| Error::KeyLength)?;
        Ok((Self { gcm, base_nonce: array::from_fn(|i| rest[i]) }, array::from_fn(|i| rest[NONCE + i])))
    }

    /// Seals chunk `n` in place; the last 16 bytes take the tag.
    pub(crate) fn seal(&self, n: u64, chunk: &mut [u8]) -> Result<(), Error> {
        self.gcm.seal_in_place(&self.nonce(n, chunk.len())?, &[], chunk).map_err(|_| Error::TooLong)
    }

    /// Opens chunk `n` in place; the text is what stands before the last 16 bytes.
    pub(crate) fn open(&self, n: u64, chunk: &mut [u8]) -> Result<(), Error> {
        let failed = if chunk.len() == SEALED_CHUNK { Error::Chunk(n) } else { Error::LastChunk(n) };
        self.gcm.open_in_place(&self.nonce(n, chunk.len())?, &[], chunk).map_or(Err(failed), |_| Ok(()))
    }

    /// The nonce of chunk `n`, which has `len` bytes with its tag.
    fn nonce(&self, n: u64, len: usize) -> Result<[u8; NONCE], Error> {
        // The last number is for a last chunk, which is never full.
        if n > LAST || (n == LAST && len >= SEALED_CHUNK) {
            return Err(Error::TooLong);
        }
        let mut nonce = self.base_nonce;
        for (b, n) in nonce[NONCE - 8..].iter_mut().zip(n.to_be_bytes()) {
            *b ^= n;
        }
        Ok(nonce)
    }
}

/// HKDF-Expand with HMAC-SHA-512 (RFC 5869 §2.3): T(1) ‖ T(2) ‖ …, T(i) = HMAC(PRK, T(i − 1) ‖ info ‖ i).
///
/// The crate `hkdf` wants a PRK as long as the hash; here it is as long as the cipher's key.
pub(crate) fn hkdf_expand(prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    let keyed = Hmac::<Sha512>::new_from_slice(prk).map_err(|_| Error::KeyLength)?;
    let mut t = Zeroizing::new([0; 64]);
    for (i, out) in (1u8..).zip(out.chunks_mut(64)) {
        let mut mac = keyed.clone();
        if i > 1 {
            mac.update(&t[..]);
        }
        info.iter().for_each(|part| mac.update(part));
        mac.update(&[i]);
        let mut digest = mac.finalize().into_bytes();
        t.copy_from_slice(&digest);
        digest.zeroize();
        out.copy_from_slice(&t[..out.len()]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (text, sealed) in [(0, 72), (1, 73), (16383, 16455), (16384, 16472), (16385, 16473), (32768, 32872)] {
            assert_eq!(sealed_len(text), Ok(sealed));
            assert_eq!(text_len(sealed), Ok(text));
        }
        for sealed in [0, 55, 56, 71, 16456, 16471, 32856, 32871] {
            assert_eq!(text_len(sealed), Err(Error::Truncated), "{sealed}");
        }
        let longest = (1 << 52) - 1;
        assert_eq!(sealed_len(longest).and_then(text_len), Ok(longest));
        assert_eq!(sealed_len(longest + 1), Err(Error::TooLong));
        assert_eq!(sealed_len(u64::MAX), Err(Error::TooLong));
        assert_eq!(text_len(position(LAST + 1)), Err(Error::TooLong));
        assert_eq!(text_len(u64::MAX), Err(Error::TooLong));
    }

    #[test]
    fn every_length_but_impossible_ones_leads_back() {
        let possible: Vec<u64> = (0..40_000).filter(|n| text_len(*n).is_ok()).collect();
        assert!(possible.iter().all(|n| text_len(*n).and_then(sealed_len) == Ok(*n)));
        assert!((0..39_000).map(|n| sealed_len(n).unwrap()).all(|n| possible.binary_search(&n).is_ok()));
    }

    /// RFC 5869 has no cases for SHA-512: T(1) and T(2) from their definition.
    #[test]
    fn expand_is_counted_hmacs() {
        let mac = |parts: &[&[u8]]| {
            let mut mac = Hmac::<Sha512>::new_from_slice(&[1; 16]).unwrap();
            parts.iter().for_each(|p| mac.update(p));
            mac.finalize().into_bytes()
        };
        let t1 = mac(&[b"info", &[1]]);
        let t2 = mac(&[&t1, b"info", &[2]]);
        let mut out = [0; 76];
        hkdf_expand(&[1; 16], &[b"in", b"fo"], &mut out).unwrap();
        assert_eq!(out[..64], t1[..]);
        assert_eq!(out[64..], t2[..12]);
    }

    #[test]
    fn nonces_count_big_endian_and_end() {
        let (mut chunks, _) = Chunks::seal_with(&[1; 16], b"", &[0; SALT], Backend::active()).unwrap();
        chunks.base_nonce = [0xff; NONCE];
        let tail = |n| chunks.nonce(n, TAG).map(|n| n[6..].to_vec());
        assert_eq!(
            tail(0x12_3456_789a),
            Ok(vec![0xff, 0xff ^ 0x12, 0xff ^ 0x34, 0xff ^ 0x56, 0xff ^ 0x78, 0xff ^ 0x9a])
        );
        assert_eq!(tail(LAST), Ok(vec![0xff, 0xc0, 0, 0, 0, 0]));
        assert_eq!(tail(LAST + 1), Err(Error::TooLong));
        assert_eq!(chunks.nonce(LAST, SEALED_CHUNK), Err(Error::TooLong));
        assert_eq!(chunks.nonce(LAST - 1, SEALED_CHUNK).map(|n| n[11]), Ok(1));
    }

    #[test]
    fn keys_have_two_lengths() {
        for len in 0..70 {
            assert_eq!(Suite::of(&vec![0; len]).is_ok(), len == 16 || len == 32);
        }
    }
}
