//! Records of TLS 1.2 (RFC 5246 §6.2.3.3, RFC 5288, RFC 6655).

use crate::cipher::Cipher;
use crate::count::{Event, count};
use crate::nonce::{Base, NONCE};
use crate::refuse::Refuse;
use evariste::{Aead, InOut};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    OutboundChunks, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};
use std::iter::repeat_n;

/// Bytes of the nonce that are a secret of the connection.
const SALT: usize = 4;
/// Bytes of the nonce that each record carries in front.
const EXPLICIT: usize = 8;
/// Longest text of a record (RFC 5246 §6.2.1).
const FRAGMENT: usize = 1 << 14;
/// Texts in one piece, from here on, are sealed from where they are. Safe Rust knows no way to a vector's room, so that is
/// filled with zeros first, but a copy waits for the text: 16 KiB of AES-128 1370 ns, with a copy 1520 (Zen 4,
/// 2026-12-01).
const LONG: usize = 4096;

impl<A: Aead + Send + Sync> Tls12AeadAlgorithm for Cipher<A> {
    fn encrypter(&self, key: AeadKey, iv: &[u8], extra: &[u8]) -> Box<dyn MessageEncrypter> {
        match self.key(key.as_ref()).zip(whole_iv(iv, extra)) {
            Some((aead, iv)) => Box::new(Sealer { aead, base: Base::from(iv) }),
            None => Box::new(Refuse),
        }
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        match self.key(key.as_ref()).zip(iv.try_into().ok()) {
            Some((aead, salt)) => Box::new(Opener { aead, salt }),
            None => Box::new(Refuse),
        }
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: self.key_len, fixed_iv_len: SALT, explicit_nonce_len: EXPLICIT }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.secrets(key, whole_iv(iv, explicit).ok_or(UnsupportedOperationError)?.into())
    }
}

/// The salt, and where the explicit nonces start: derived with the key, each is that XOR the sequence number, so that
/// they are distinct, as they have to be, and do not tell how many records there were.
fn whole_iv(salt: &[u8], explicit: &[u8]) -> Option<[u8; NONCE]> {
    let (salt, explicit): ([u8; SALT], [u8; EXPLICIT]) = (salt.try_into().ok()?, explicit.try_into().ok()?);
    let mut iv = [0; NONCE];
    iv[..SALT].copy_from_slice(&salt);
    iv[SALT..].copy_from_slice(&explicit);
    Some(iv)
}

struct Sealer<A> {
    aead: A,
    base: Base,
}

impl<A: Aead + Send + Sync> MessageEncrypter for Sealer<A> {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let text = msg.payload.len();
        let nonce = self.base.nonce(seq);
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(text));
        payload.extend_from_slice(&nonce[SALT..]);
        let elsewhere = match msg.payload {
            OutboundChunks::Single(text) if text.len() >= LONG => {
                payload.extend(repeat_n(&0, text.len()));
                Some(text)
            }
            _ => {
                payload.extend_from_chunks(&msg.payload);
                None
            }
        };
        let aad = make_tls12_aad(seq, msg.typ, msg.version, text);
        let out = &mut payload.as_mut()[EXPLICIT..];
        let data = match elsewhere {
            Some(text) => InOut::new(text, out).map_err(|_| Error::EncryptError)?,
            None => out.into(),
        };
        let sealed = self.aead.seal_inout(&nonce, &aad, data);
        payload.extend_from_slice(&sealed.map_err(|_| Error::EncryptError)?);
        count(Event::RecordSealed);
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        EXPLICIT + payload_len + self.aead.tag_len()
    }
}

struct Opener<A> {
    aead: A,
    salt: [u8; SALT],
}

impl<A: Aead + Send + Sync> MessageDecrypter for Opener<A> {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let Some(text) = msg.payload.len().checked_sub(EXPLICIT + self.aead.tag_len()) else {
            return Err(Error::DecryptError);
        };
        let (explicit, sealed) = msg.payload.split_at_mut(EXPLICIT);
        let mut nonce = [0; NONCE];
        nonce[..SALT].copy_from_slice(&self.salt);
        nonce[SALT..].copy_from_slice(explicit);
        let aad = make_tls12_aad(seq, msg.typ, msg.version, text);
        let (sealed, tag) = sealed.split_at_mut(text);
        self.aead.open(&nonce, &aad, sealed, tag).map_err(|_| Error::DecryptError)?;
        count(Event::RecordOpened);
        // After opening, so that only the peer can bring this about.
        if text > FRAGMENT {
            return Err(Error::PeerSentOversizedRecord);
        }
        Ok(msg.into_plain_message_range(EXPLICIT..EXPLICIT + text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher::{AES_128_CCM, AES_128_CCM_8, AES_128_GCM, AES_256_CCM, AES_256_CCM_8, AES_256_GCM};
    use rustls::{ContentType, ProtocolVersion};

    const SALT_BYTES: [u8; SALT] = [0xa0, 0xa1, 0xa2, 0xa3];
    const START: [u8; EXPLICIT] = [0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7];

    /// Both ends of a direction, of a key 00 01 …
    fn ends<A: Aead>(cipher: &Cipher<A>) -> (Sealer<A>, Opener<A>) {
        let key: Vec<u8> = (0..cipher.key_len as u8).collect();
        let aead = || cipher.key(&key).expect("a key");
        let iv = whole_iv(&SALT_BYTES, &START).expect("an IV");
        (Sealer { aead: aead(), base: iv.into() }, Opener { aead: aead(), salt: SALT_BYTES })
    }

    fn seal(sealer: &mut dyn MessageEncrypter, chunks: &[&[u8]], seq: u64) -> Vec<u8> {
        let payload = OutboundChunks::new(chunks);
        let len = sealer.encrypted_payload_len(payload.len());
        let (typ, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
        let sealed = sealer.encrypt(OutboundPlainMessage { typ, version, payload }, seq).expect("a record");
        assert_eq!((sealed.typ, sealed.version, sealed.payload.as_ref().len()), (typ, version, len));
        sealed.payload.as_ref().to_vec()
    }

    fn open(opener: &mut dyn MessageDecrypter, sealed: &[u8], seq: u64) -> Result<Vec<u8>, Error> {
        let mut sealed = sealed.to_vec();
        let (typ, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
        let msg = opener.decrypt(InboundOpaqueMessage::new(typ, version, &mut sealed), seq)?;
        assert_eq!((msg.typ, msg.version), (typ, version));
        Ok(msg.payload.to_vec())
    }

    /// By Python's cryptography 48, which is OpenSSL: sequence number 258.
    #[test]
    fn known_answers() {
        fn check<A: Aead + Send + Sync>(cipher: &Cipher<A>, sealed: &str) {
            let (mut sealer, mut opener) = ends(cipher);
            let text: &[u8] = b"sixteen byte text and some more";
            let sealed = hex::decode(sealed).expect("hexadecimal digits");
            for chunks in [&[text][..], &[&text[..1], &text[1..20], &[], &text[20..]]] {
                assert_eq!(seal(&mut sealer, chunks, 0x102), sealed);
            }
            assert_eq!(open(&mut opener, &sealed, 0x102).as_deref(), Ok(text));
        }
        check(
            &AES_128_GCM,
            "b0b1b2b3b4b5b7b5615b8c95a70f77c8335897d32bbcb77b427fce7c76b447a686c59d9aae350d227a24d05328b0c765210735a7d38b80",
        );
        check(
            &AES_256_GCM,
            "b0b1b2b3b4b5b7b570144c10e5c95f5b1270a7283379a60aaadc5607ec319a040ab52ccaf0f223074c789419ee12972c075fc24c64f22b",
        );
        check(
            &AES_128_CCM,
            "b0b1b2b3b4b5b7b55092154360bc9f032ffba56fe4db35498d30ee7fd2c252d03dd284a4703f8337b4e44a7fa15356a60f2c3b8723699a",
        );
        check(
            &AES_256_CCM,
            "b0b1b2b3b4b5b7b54cc2ae9bacee20355d7ff638169a8862cecf4aa5ad289d743dacbbfb5931b95d0792758a2bbdb830f0cf347da13d3e",
        );
        check(
            &AES_128_CCM_8,
            "b0b1b2b3b4b5b7b55092154360bc9f032ffba56fe4db35498d30ee7fd2c252d03dd284a4703f837f4ed1912403b190",
        );
        check(
            &AES_256_CCM_8,
            "b0b1b2b3b4b5b7b54cc2ae9bacee20355d7ff638169a8862cecf4aa5ad289d743dacbbfb5931b9a6dee18ac43802d7",
        );
    }

    /// In one piece, which is not copied when it is long, and in two, which are.
    #[test]
    fn long_and_short() {
        let (mut sealer, mut opener) = ends(&AES_128_GCM);
        for len in [LONG - 1, LONG, LONG + 1, FRAGMENT] {
            let text: Vec<u8> = (0..len).map(|n| (n * 7 + n / 256) as u8).collect();
            let sealed = seal(&mut sealer, &[&text], 3);
            assert_eq!(sealed, seal(&mut sealer, &[&text[..1000], &text[1000..]], 3), "{len}");
            assert_eq!(open(&mut opener, &sealed, 3), Ok(text), "{len}");
        }
    }

    #[test]
    fn hostile_records() {
        fn check<A: Aead + Send + Sync>(cipher: &Cipher<A>) {
            let (mut sealer, mut opener) = ends(cipher);
            let sealed = seal(&mut sealer, &[b"text"], 5);
            assert_eq!(open(&mut opener, &sealed, 5).as_deref(), Ok(&b"text"[..]));
            assert_eq!(open(&mut opener, &sealed, 6), Err(Error::DecryptError));
            for len in 0..sealed.len() {
                assert_eq!(open(&mut opener, &sealed[..len], 5), Err(Error::DecryptError), "{len} bytes");
            }
            for bit in 0..8 * sealed.len() {
                let mut forged = sealed.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(&mut opener, &forged, 5), Err(Error::DecryptError), "bit {bit}");
            }
            let empty = seal(&mut sealer, &[], 5);
            assert_eq!(open(&mut opener, &empty, 5), Ok(Vec::new()));
            let long = seal(&mut sealer, &[&[1; FRAGMENT + 1]], 5);
            assert_eq!(open(&mut opener, &long, 5), Err(Error::PeerSentOversizedRecord));
        }
        check(&AES_128_GCM);
        check(&AES_256_GCM);
        check(&AES_128_CCM);
        check(&AES_256_CCM_8);
    }

    #[test]
    fn wrong_lengths_refuse() {
        let alg: &dyn Tls12AeadAlgorithm = &AES_256_GCM;
        let key = || AeadKey::from([1; 32]);
        for (salt, explicit) in [(3, 8), (5, 8), (0, 0), (4, 7), (4, 9), (12, 0)] {
            let (salt, explicit) = (&[0; 12][..salt], &[0; 12][..explicit]);
            let payload = OutboundChunks::new(&[b"text"]);
            let msg = OutboundPlainMessage { typ: ContentType::Alert, version: ProtocolVersion::TLSv1_2, payload };
            assert_eq!(alg.encrypter(key(), salt, explicit).encrypt(msg, 0).err(), Some(Error::EncryptError));
            assert!(alg.extract_keys(key(), salt, explicit).is_err());
        }
        for salt in [0, 3, 5, 12] {
            assert_eq!(open(&mut *alg.decrypter(key(), &[0; 12][..salt]), &[0; 40], 0), Err(Error::DecryptError));
        }
        assert!(!alg.fips());
    }
}
