//! Packet and header protection of QUIC (RFC 9001 §5).

#[cfg(test)]
mod tests;

use crate::cipher::{AES_128_CCM, AES_128_GCM, AES_256_GCM, Cipher};
use crate::count::{Event, count};
use crate::nonce::{Base, NONCE};
use crate::refuse::Refuse;
use evariste::{Aead, Aes, Ccm, Gcm};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};

/// An AEAD as QUIC uses it. There is none for CCM with short tags, which QUIC forbids (§5.3).
pub(crate) struct Quic<A: 'static> {
    cipher: &'static Cipher<A>,
    limits: Limits,
}

/// How often a key may be used (§6.6).
#[derive(Clone, Copy)]
struct Limits {
    /// Packets that may be sealed.
    confidentiality: u64,
    /// Packets that may turn out to be forged.
    integrity: u64,
}

const GCM: Limits = Limits { confidentiality: 1 << 23, integrity: 1 << 52 };

/// 2^21.5 each, rounded down.
const CCM: Limits = Limits { confidentiality: 2_965_820, integrity: 2_965_820 };

pub(crate) static QUIC_AES_128_GCM: Quic<Gcm> = Quic { cipher: &AES_128_GCM, limits: GCM };
pub(crate) static QUIC_AES_256_GCM: Quic<Gcm> = Quic { cipher: &AES_256_GCM, limits: GCM };
pub(crate) static QUIC_AES_128_CCM: Quic<Ccm> = Quic { cipher: &AES_128_CCM, limits: CCM };

impl<A: Aead + Send + Sync> Algorithm for Quic<A> {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        match self.cipher.key(key.as_ref()) {
            Some(aead) => Box::new(Packets { aead, base: Base::from(&iv), limits: self.limits }),
            None => Box::new(Refuse),
        }
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        let key = key.as_ref();
        let aes = (key.len() == self.cipher.key_len).then(|| Aes::new(key).ok()).flatten();
        match aes {
            Some(aes) => Box::new(Headers(aes)),
            None => Box::new(Refuse),
        }
    }

    fn aead_key_len(&self) -> usize {
        self.cipher.key_len
    }
}

struct Packets<A> {
    aead: A,
    base: Base,
    limits: Limits,
}

impl<A: Aead> Packets<A> {
    #[inline(always)]
    fn seal(&self, nonce: [u8; NONCE], header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let tag = self.aead.seal(&nonce, header, payload).map_err(|_| Error::EncryptError)?;
        count(Event::PacketSealed);
        // Of 16 bytes, as it has to be: `Quic` has no cipher with another.
        match tag.first_chunk::<16>() {
            Some(tag) => Ok(Tag::from(&tag[..])),
            None => Err(Error::EncryptError),
        }
    }

    #[inline(always)]
    fn open<'a>(&self, nonce: [u8; NONCE], header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        let Some(at) = payload.len().checked_sub(self.aead.tag_len()) else { return Err(Error::DecryptError) };
        let (text, tag) = payload.split_at_mut(at);
        self.aead.open(&nonce, header, text, tag).map_err(|_| Error::DecryptError)?;
        count(Event::PacketOpened);
        Ok(text)
    }
}

impl<A: Aead + Send + Sync> PacketKey for Packets<A> {
    fn encrypt_in_place(&self, packet_number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.seal(self.base.nonce(packet_number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(self.base.nonce_for_path(path_id, packet_number), header, payload)
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(self.base.nonce(packet_number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(self.base.nonce_for_path(path_id, packet_number), header, payload)
    }

    fn tag_len(&self) -> usize {
        self.aead.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.limits.confidentiality
    }

    fn integrity_limit(&self) -> u64 {
        self.limits.integrity
    }
}

/// Header protection with AES (§5.4.3).
struct Headers(Aes);

/// Bytes of ciphertext that the mask is made of.
const SAMPLE: usize = 16;
/// Longest packet number (RFC 9000 §17.1).
const PACKET_NUMBER: usize = 4;

impl Headers {
    /// XORs the mask to the header (§5.4.1). How long the packet number is stands in the first byte, in the clear: before
    /// the XOR in a packet that is `PLAIN`, after it in one that is not.
    #[inline(always)]
    fn mask<const PLAIN: bool>(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        let Ok(sample) = <[u8; SAMPLE]>::try_from(sample) else { return Err(refused("a sample has 16 bytes")) };
        if packet_number.len() > PACKET_NUMBER {
            return Err(refused("a packet number has at most four bytes"));
        }
        let mut block = [sample];
        self.0.encrypt(&mut block);
        // In a register from here on: single bytes of what was just written as a block would wait for it to be in memory.
        let mask = u128::from_le_bytes(block[0]) as u64;
        // The low four bits of a long header, five of a short one.
        let bits = mask as u8 & if *first & 0x80 != 0 { 0x0f } else { 0x1f };
        let plain = if PLAIN { *first } else { *first ^ bits };
        *first ^= bits;
        // As many bytes as the packet number has, of the four behind that for the first byte.
        let mask = (mask >> 8) as u32 & (u32::MAX >> (8 * (3 - (plain & 3))));
        match packet_number.first_chunk_mut() {
            Some(number) => *number = (u32::from_le_bytes(*number) ^ mask).to_le_bytes(),
            None => packet_number.iter_mut().zip(mask.to_le_bytes()).for_each(|(byte, mask)| *byte ^= mask),
        }
        count(Event::HeaderMasked);
        Ok(())
    }
}

#[cold]
fn refused(why: &str) -> Error {
    Error::General(why.into())
}

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.mask::<true>(sample, first, packet_number)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.mask::<false>(sample, first, packet_number)
    }

    fn sample_len(&self) -> usize {
        SAMPLE
    }
}
