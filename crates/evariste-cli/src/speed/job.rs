//! One message under one key, processed over and over.
//!
//! Keys, nonces, buffers and what is to be opened are made before the clock starts. The loops stand
//! inside the jobs, so that each call is a direct one, as in a program that uses the library.

use anyhow::{Context, Result, anyhow};
use evariste::{Aead, Aes, Backend, Block, Ctr, Gcm, Ghash, KeyError};
use std::hint::black_box;
use std::ops::{Deref, DerefMut};

/// Bytes of an AEAD's nonce: the only length that all have.
pub(crate) const NONCE: usize = 12;

/// What kind of message.
#[derive(Clone)]
pub(crate) struct Shape {
    /// Bytes of text.
    pub(crate) size: usize,
    /// Bytes of additional data, for an AEAD.
    pub(crate) aad: usize,
    /// Bytes by which every buffer is off a 64-byte boundary.
    pub(crate) misalign: usize,
    /// Whether to open or decrypt.
    pub(crate) decrypt: bool,
}

/// A prepared message.
pub(crate) trait Job: Send {
    /// Processes the message once and returns all that came out.
    fn once(&mut self) -> Result<Vec<u8>>;

    /// Processes it so many times.
    fn run(&mut self, times: u64);
}

/// Bytes of period 251, a prime, so that swapped blocks differ.
pub(crate) fn painted(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n % 251) as u8).collect()
}

/// The backend that the others are checked against.
pub(crate) fn portable() -> Result<Backend> {
    Backend::by_name("portable").context("there is no portable backend")
}

pub(crate) fn ecb(key: &[u8], backend: Backend, shape: &Shape) -> Result<Box<dyn Job>> {
    let whole = shape.size.next_multiple_of(16);
    Ok(Box::new(Ecb {
        aes: Aes::with_backend(key, backend)?,
        decrypt: shape.decrypt,
        data: Buffer::new(whole, shape.misalign),
    }))
}

pub(crate) fn ctr(key: &[u8], backend: Backend, shape: &Shape) -> Result<Box<dyn Job>> {
    Ok(Box::new(Keystream {
        ctr: Ctr::with_backend(key, &[0; 16], backend)?,
        nonces: Nonces::new(),
        data: Buffer::new(shape.size, shape.misalign),
    }))
}

pub(crate) fn ghash(key: &[u8], backend: Backend, shape: &Shape) -> Result<Box<dyn Job>> {
    let h = key.try_into()?;
    Ok(Box::new(Hashing {
        ghash: Ghash::with_backend(&h, backend),
        h,
        backend,
        data: Buffer::new(shape.size, shape.misalign),
    }))
}

pub(crate) fn gmac(key: &[u8], backend: Backend, shape: &Shape) -> Result<Box<dyn Job>> {
    let (gcm, nonces) = (Gcm::with_backend(key, backend)?, Nonces::new());
    let data = Buffer::new(shape.size, shape.misalign);
    Ok(if shape.decrypt {
        let tag = Gcm::with_backend(key, portable()?)?.mac(nonces.aead(0), &data)?.to_vec();
        Box::new(Verifying { gcm, nonces, data, tag })
    } else {
        Box::new(Mac { gcm, nonces, data })
    })
}

pub(crate) fn aead<A: Aead + Send + 'static>(
    with_backend: impl Fn(Backend) -> Result<A, KeyError>,
    backend: Backend,
    shape: &Shape,
) -> Result<Box<dyn Job>> {
    let (aead, nonces) = (with_backend(backend)?, Nonces::new());
    let aad = Buffer::new(shape.aad, shape.misalign);
    let mut data = Buffer::new(shape.size, shape.misalign);
    Ok(if shape.decrypt {
        let tag = with_backend(portable()?)?.seal(nonces.aead(0), &aad, &mut data)?.to_vec();
        let out = Buffer::new(shape.size, shape.misalign);
        Box::new(Opening { aead, nonces, aad, sealed: data, tag, out })
    } else {
        Box::new(Sealing { aead, nonces, aad, data })
    })
}

/// In place, the last result being the next input.
struct Ecb {
    aes: Aes,
    decrypt: bool,
    data: Buffer,
}

impl Job for Ecb {
    fn once(&mut self) -> Result<Vec<u8>> {
        self.run(1);
        Ok(self.data.to_vec())
    }

    fn run(&mut self, times: u64) {
        let blocks = self.data.as_chunks_mut().0;
        for _ in 0..times {
            if self.decrypt {
                self.aes.decrypt(black_box(blocks));
            } else {
                self.aes.encrypt(black_box(blocks));
            }
        }
    }
}

/// In place, each message from a counter block of its own.
struct Keystream {
    ctr: Ctr,
    nonces: Nonces,
    data: Buffer,
}

impl Job for Keystream {
    fn once(&mut self) -> Result<Vec<u8>> {
        self.ctr.restart(self.nonces.block(0));
        self.ctr.apply((&mut self.data[..]).into())?;
        Ok(self.data.to_vec())
    }

    fn run(&mut self, times: u64) {
        let data = &mut self.data[..];
        for n in 0..times {
            self.ctr.restart(self.nonces.block(n));
            _ = black_box(self.ctr.apply(black_box(&mut *data).into()));
        }
    }
}

/// Each message continues from the last one's hash: nothing can be left out or reordered.
struct Hashing {
    ghash: Ghash,
    h: Block,
    backend: Backend,
    data: Buffer,
}

impl Job for Hashing {
    fn once(&mut self) -> Result<Vec<u8>> {
        let mut ghash = Ghash::with_backend(&self.h, self.backend);
        ghash.update(&self.data);
        Ok(ghash.finish().to_vec())
    }

    fn run(&mut self, times: u64) {
        for _ in 0..times {
            self.ghash.update(black_box(&self.data));
            self.ghash.pad();
        }
        black_box(&mut self.ghash);
    }
}

struct Mac {
    gcm: Gcm,
    nonces: Nonces,
    data: Buffer,
}

impl Job for Mac {
    fn once(&mut self) -> Result<Vec<u8>> {
        Ok(self.gcm.mac(self.nonces.aead(0), &self.data)?.to_vec())
    }

    fn run(&mut self, times: u64) {
        for n in 0..times {
            _ = black_box(self.gcm.mac(self.nonces.aead(n), black_box(&self.data)));
        }
    }
}

struct Verifying {
    gcm: Gcm,
    nonces: Nonces,
    data: Buffer,
    tag: Vec<u8>,
}

impl Job for Verifying {
    fn once(&mut self) -> Result<Vec<u8>> {
        self.gcm.verify_mac(self.nonces.aead(0), &self.data, &self.tag)?;
        Ok(Vec::new())
    }

    fn run(&mut self, times: u64) {
        for _ in 0..times {
            _ = black_box(self.gcm.verify_mac(self.nonces.aead(0), black_box(&self.data), &self.tag));
        }
    }
}

/// In place, the last message's ciphertext being the next one's text.
struct Sealing<A> {
    aead: A,
    nonces: Nonces,
    aad: Buffer,
    data: Buffer,
}

impl<A: Aead + Send> Job for Sealing<A> {
    fn once(&mut self) -> Result<Vec<u8>> {
        let tag = self.aead.seal(self.nonces.aead(0), &self.aad, &mut self.data)?;
        Ok([&self.data, &tag[..]].concat())
    }

    fn run(&mut self, times: u64) {
        let data = &mut self.data[..];
        for n in 0..times {
            _ = black_box(self.aead.seal(self.nonces.aead(n), &self.aad, black_box(&mut *data)));
        }
    }
}

/// To another buffer: in place there would be nothing authentic left to open a second time.
struct Opening<A> {
    aead: A,
    nonces: Nonces,
    aad: Buffer,
    sealed: Buffer,
    tag: Vec<u8>,
    out: Buffer,
}

impl<A: Aead + Send> Job for Opening<A> {
    fn once(&mut self) -> Result<Vec<u8>> {
        let Self { aead, nonces, aad, sealed, tag, out } = self;
        aead.open_to(nonces.aead(0), aad, sealed, out, tag).map_err(|e| anyhow!(e))?;
        Ok(out.to_vec())
    }

    fn run(&mut self, times: u64) {
        let Self { aead, nonces, aad, sealed, tag, out } = self;
        for _ in 0..times {
            _ = black_box(aead.open_to(nonces.aead(0), aad, black_box(sealed), out, tag));
        }
    }
}

/// Nonces written long before they are read: one stored by the byte right before the call could not be
/// forwarded to a wider load, and the wait would count as part of the message.
struct Nonces([Block; 64]);

impl Nonces {
    fn new() -> Self {
        let mut nonces = [[0; 16]; 64];
        for (n, nonce) in nonces.iter_mut().enumerate() {
            nonce[0] = n as u8;
        }
        Self(nonces)
    }

    #[inline]
    fn block(&self, n: u64) -> &Block {
        &self.0[n as usize % 64]
    }

    #[inline]
    fn aead(&self, n: u64) -> &[u8] {
        &self.block(n)[..NONCE]
    }
}

/// Painted bytes at a fixed distance from a 64-byte boundary.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    fn new(len: usize, misalign: usize) -> Self {
        let mut bytes = vec![0; 63 + misalign + len];
        let start = (bytes.as_ptr().addr().wrapping_neg() & 63) + misalign;
        bytes[start..][..len].copy_from_slice(&painted(len));
        Self { bytes, start, len }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_off_by_what_was_asked() {
        for misalign in [0, 1, 15, 64, 100] {
            let buffer = Buffer::new(1000, misalign);
            assert_eq!(buffer.as_ptr().addr() % 64, misalign % 64);
            assert_eq!(*buffer, painted(1000)[..]);
        }
    }
}
