//! Records of TLS 1.3 (RFC 8446 §5.2).

use crate::cipher::Cipher;
use crate::count::{Event, count};
use crate::nonce::Base;
use crate::refuse::Refuse;
use evariste::Aead;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundOpaqueMessage,
    OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm, UnsupportedOperationError, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

impl<A: Aead + Send + Sync> Tls13AeadAlgorithm for Cipher<A> {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        match self.key(key.as_ref()) {
            Some(aead) => Box::new(Record { aead, base: Base::from(&iv) }),
            None => Box::new(Refuse),
        }
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        match self.key(key.as_ref()) {
            Some(aead) => Box::new(Record { aead, base: Base::from(&iv) }),
            None => Box::new(Refuse),
        }
    }

    fn key_len(&self) -> usize {
        self.key_len
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.secrets(key, iv)
    }
}

/// One direction of a connection.
struct Record<A> {
    aead: A,
    base: Base,
}

impl<A: Aead + Send + Sync> MessageEncrypter for Record<A> {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let len = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        // The one copy, which joins the chunks, too: rustls gives the text by reference and takes a vector. Without it, by
        // a stream into zeros, since the type has to follow, it takes the same at 16 KiB and more below.
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&msg.typ.to_array());
        let sealed = self.aead.seal(&self.base.nonce(seq), &make_tls13_aad(len), payload.as_mut());
        payload.extend_from_slice(&sealed.map_err(|_| Error::EncryptError)?);
        count(Event::RecordSealed);
        // The outer type and version are the same for all records (§5.2).
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + self.aead.tag_len()
    }
}

impl<A: Aead + Send + Sync> MessageDecrypter for Record<A> {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut msg.payload;
        let (nonce, aad) = (self.base.nonce(seq), make_tls13_aad(payload.len()));
        let Some(at) = payload.len().checked_sub(self.aead.tag_len()) else { return Err(Error::DecryptError) };
        let (text, tag) = payload.split_at_mut(at);
        self.aead.open(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        payload.truncate(at);
        count(Event::RecordOpened);
        msg.into_tls13_unpadded_message()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher::{AES_128_CCM, AES_128_CCM_8, AES_128_GCM, AES_256_GCM};
    use rustls::crypto::cipher::OutboundChunks;

    fn bytes(hex: &str) -> Vec<u8> {
        hex::decode(hex.replace([' ', '\n'], "")).expect("hexadecimal digits")
    }

    fn record<A: Aead>(cipher: &Cipher<A>, key: &[u8], iv: &str) -> Record<A> {
        let iv: [u8; 12] = bytes(iv).try_into().expect("an IV");
        Record { aead: cipher.key(key).expect("a key"), base: iv.into() }
    }

    fn seal(record: &mut dyn MessageEncrypter, typ: ContentType, chunks: &[&[u8]], seq: u64) -> Vec<u8> {
        let payload = OutboundChunks::new(chunks);
        let len = record.encrypted_payload_len(payload.len());
        let msg = OutboundPlainMessage { typ, version: ProtocolVersion::TLSv1_3, payload };
        let sealed = record.encrypt(msg, seq).expect("a record");
        assert_eq!(sealed.payload.as_ref().len(), len);
        sealed.encode()
    }

    fn open(record: &mut dyn MessageDecrypter, sealed: &[u8], seq: u64) -> Result<(ContentType, Vec<u8>), Error> {
        let mut sealed = sealed.to_vec();
        let msg = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut sealed);
        record.decrypt(msg, seq).map(|msg| (msg.typ, msg.payload.to_vec()))
    }

    /// RFC 8448 §3: the client's Finished, its data, its alert.
    #[test]
    fn rfc8448_simple_handshake() {
        let mut handshake =
            record(&AES_128_GCM, &bytes("dbfaa693d1762c5b666af5d950258d01"), "5bd3c71b836e0b76bb73265f");
        let finished = bytes("14000020 a8ec436d677634ae525ac1fcebe11a039ec17694fac6e98527b642f2edd5ce61");
        let sealed = bytes(
            "1703030035 75ec4dc238cce60b298044a71e219c56cc77b0517fe9b93c7a4bfc44d87f38f8
             0338ac98fc46deb384bd1caeacab6867d726c40546",
        );
        assert_eq!(seal(&mut handshake, ContentType::Handshake, &[&finished], 0), sealed);
        assert_eq!(open(&mut handshake, &sealed[5..], 0), Ok((ContentType::Handshake, finished)));

        let mut data = record(&AES_128_GCM, &bytes("17422dda596ed5d9acd890e3c63f5051"), "5b78923dee08579033e523d9");
        let text: Vec<u8> = (0..50).collect();
        let sealed = bytes(
            "1703030043 a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5
             b46b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4",
        );
        assert_eq!(seal(&mut data, ContentType::ApplicationData, &[&text], 0), sealed);
        assert_eq!(open(&mut data, &sealed[5..], 0), Ok((ContentType::ApplicationData, text)));
        let sealed = bytes("1703030013 c9872760655666b74d7ff1153efd6db6d0b0e3");
        assert_eq!(seal(&mut data, ContentType::Alert, &[&[1, 0]], 1), sealed);
        assert_eq!(open(&mut data, &sealed[5..], 1), Ok((ContentType::Alert, vec![1, 0])));
    }

    /// By Python's cryptography 48, which is OpenSSL: keys 00 01 …, IV a0 a1 …, sequence number 258.
    #[test]
    fn known_answers() {
        fn check<A: Aead + Send + Sync>(cipher: &Cipher<A>, sealed: &str) {
            let key: Vec<u8> = (0..cipher.key_len as u8).collect();
            let mut record = record(cipher, &key, "a0a1a2a3a4a5a6a7a8a9aaab");
            let text: &[u8] = b"sixteen byte text and some more";
            let sealed = bytes(sealed);
            for chunks in [&[text][..], &[&text[..7], &[], &text[7..16], &text[16..]]] {
                assert_eq!(seal(&mut record, ContentType::ApplicationData, chunks, 0x102)[5..], sealed);
            }
            assert_eq!(open(&mut record, &sealed, 0x102), Ok((ContentType::ApplicationData, text.to_vec())));
        }
        check(
            &AES_256_GCM,
            "9e4158ccb5bac47cbb1173d330aaa836ad40817799b969039f58b23a0b7c2eb3bd34a629e84172a49595469f751c8ffe",
        );
        check(
            &AES_128_CCM,
            "1b16ba414b07770eb442808c2fe9c3ca012f5d1f687ff5e5daa5511adc5159e901e128109c47b6c1be5df49db7b2c7b2",
        );
        check(&AES_128_CCM_8, "1b16ba414b07770eb442808c2fe9c3ca012f5d1f687ff5e5daa5511adc5159e9a0d5a7bb0b1c2334");
    }

    #[test]
    fn hostile_records() {
        fn check<A: Aead + Send + Sync>(cipher: &Cipher<A>) {
            let mut record = record(cipher, &vec![7; cipher.key_len], "000000000000000000000000");
            let sealed = seal(&mut record, ContentType::ApplicationData, &[b"text"], 5)[5..].to_vec();
            assert!(open(&mut record, &sealed, 5).is_ok());
            assert_eq!(open(&mut record, &sealed, 6), Err(Error::DecryptError));
            for len in 0..sealed.len() {
                assert_eq!(open(&mut record, &sealed[..len], 5), Err(Error::DecryptError), "{len} bytes");
            }
            for bit in 0..8 * sealed.len() {
                let mut forged = sealed.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(&mut record, &forged, 5), Err(Error::DecryptError), "bit {bit}");
            }
            // Authentic, but against the protocol: no type, and more text than a record may have.
            let none = seal(&mut record, ContentType::Unknown(0), &[&[0; 9]], 5);
            assert!(matches!(open(&mut record, &none[5..], 5), Err(Error::PeerMisbehaved(_))));
            let long = seal(&mut record, ContentType::ApplicationData, &[&[1; (1 << 14) + 1]], 5);
            assert_eq!(open(&mut record, &long[5..], 5), Err(Error::PeerSentOversizedRecord));
        }
        check(&AES_128_GCM);
        check(&AES_256_GCM);
        check(&AES_128_CCM);
        check(&AES_128_CCM_8);
    }

    #[test]
    fn a_key_of_another_length_refuses() {
        let (key, iv) = (|| AeadKey::from([1; 32]), || Iv::from([0; 12]));
        let alg: &dyn Tls13AeadAlgorithm = &AES_128_GCM;
        let payload = OutboundChunks::new(&[b"text"]);
        let msg = OutboundPlainMessage { typ: ContentType::Alert, version: ProtocolVersion::TLSv1_3, payload };
        assert_eq!(alg.encrypter(key(), iv()).encrypt(msg, 0).err(), Some(Error::EncryptError));
        assert_eq!(open(&mut *alg.decrypter(key(), iv()), &[0; 40], 0), Err(Error::DecryptError));
        assert!(alg.extract_keys(key(), iv()).is_err());
        assert!(!alg.fips());
    }
}
