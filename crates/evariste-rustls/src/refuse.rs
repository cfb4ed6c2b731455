//! What stands in for a key that cannot be made.
//!
//! rustls derives keys and nonces of the lengths that it is told, so this is never in use there. The traits are public
//! all the same, and have no way to say no: not to encrypt is better than to panic.

use rustls::Error;
use rustls::crypto::cipher::{
    InboundOpaqueMessage, InboundPlainMessage, MessageDecrypter, MessageEncrypter, OutboundOpaqueMessage,
    OutboundPlainMessage,
};
use rustls::quic::{HeaderProtectionKey, PacketKey, Tag};

/// Refuses everything.
pub(crate) struct Refuse;

impl MessageEncrypter for Refuse {
    fn encrypt(&mut self, _: OutboundPlainMessage<'_>, _: u64) -> Result<OutboundOpaqueMessage, Error> {
        Err(Error::EncryptError)
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len
    }
}

impl MessageDecrypter for Refuse {
    fn decrypt<'a>(&mut self, _: InboundOpaqueMessage<'a>, _: u64) -> Result<InboundPlainMessage<'a>, Error> {
        Err(Error::DecryptError)
    }
}

impl PacketKey for Refuse {
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

impl HeaderProtectionKey for Refuse {
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
