//! Keys of any length in rustls's own type, which only rustls makes: a cipher for QUIC that keeps what it is given.

use anyhow::{Context, Result};
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{Algorithm, HeaderProtectionKey, Keys, PacketKey, Tag, Version};
use rustls::{Error, Side, SupportedCipherSuite};
use std::cell::RefCell;

/// A key of so many bytes and an IV: always the same ones, derived as those of a first packet.
pub(crate) fn key(len: usize) -> Result<(AeadKey, Iv)> {
    static KEEPERS: [Keeper; 2] = [Keeper { len: 16 }, Keeper { len: 32 }];
    let keeper = KEEPERS.iter().find(|keeper| keeper.len == len).context("no such key")?;
    let SupportedCipherSuite::Tls13(suite) = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256 else {
        unreachable!("a suite of TLS 1.3");
    };
    // A suite with a hash of 32 bytes gives keys of as many.
    drop(Keys::initial(Version::V1, suite, keeper, b"evariste", Side::Client));
    KEPT.take().context("no key came")
}

thread_local! {
    /// What a keeper was given last by this thread: others may be asking for keys, too.
    static KEPT: RefCell<Option<(AeadKey, Iv)>> = const { RefCell::new(None) };
}

struct Keeper {
    len: usize,
}

impl Algorithm for Keeper {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        KEPT.set(Some((key, iv)));
        Box::new(Nothing)
    }

    fn header_protection_key(&self, _: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Nothing)
    }

    fn aead_key_len(&self) -> usize {
        self.len
    }
}

/// Nobody uses what the keeper gives back.
struct Nothing;

impl PacketKey for Nothing {
    fn encrypt_in_place(&self, _: u64, _: &[u8], _: &mut [u8]) -> Result<Tag, Error> {
        Err(Error::EncryptError)
    }

    fn decrypt_in_place<'a>(&self, _: u64, _: &[u8], _: &'a mut [u8]) -> Result<&'a [u8], Error> {
        Err(Error::DecryptError)
    }

    fn tag_len(&self) -> usize {
        16
    }

    fn confidentiality_limit(&self) -> u64 {
        0
    }

    fn integrity_limit(&self) -> u64 {
        0
    }
}

impl HeaderProtectionKey for Nothing {
    fn encrypt_in_place(&self, _: &[u8], _: &mut u8, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::EncryptError)
    }

    fn decrypt_in_place(&self, _: &[u8], _: &mut u8, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::DecryptError)
    }

    fn sample_len(&self) -> usize {
        16
    }
}
