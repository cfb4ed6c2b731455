//! RFC 9001 appendix A, known answers of another implementation, and what a hostile peer may send.

use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex.replace([' ', '\n'], "")).expect("hexadecimal digits")
}

fn packets<A: Aead>(quic: &Quic<A>, key: &str, iv: &str) -> Packets<A> {
    let iv: [u8; 12] = bytes(iv).try_into().expect("an IV");
    Packets { aead: quic.cipher.key(&bytes(key)).expect("a key"), base: iv.into(), limits: quic.limits }
}

/// Protects a packet and lays it open again; `packet_number` says where that stands in the header.
fn both_ways<A: Aead + Send + Sync>(
    packets: &Packets<A>,
    headers: &Headers,
    (header, at, number): (&[u8], usize, u64),
    text: &[u8],
) -> Vec<u8> {
    let mut packet = [header, text].concat();
    let (head, payload) = packet.split_at_mut(header.len());
    let tag = packets.encrypt_in_place(number, head, payload).expect("a packet");
    packet.extend_from_slice(tag.as_ref());
    let mask = |packet: &mut Vec<u8>, protect: bool| {
        let sample = packet[at + 4..at + 20].to_vec();
        let (first, rest) = packet.split_first_mut().expect("a header");
        let number = &mut rest[at - 1..at + 3];
        let done = match protect {
            true => HeaderProtectionKey::encrypt_in_place(headers, &sample, first, number),
            false => HeaderProtectionKey::decrypt_in_place(headers, &sample, first, number),
        };
        done.expect("a sample of 16 bytes");
    };
    mask(&mut packet, true);
    let protected = packet.clone();
    mask(&mut packet, false);
    let (head, payload) = packet.split_at_mut(header.len());
    assert_eq!(head, header);
    assert_eq!(packets.decrypt_in_place(number, head, payload), Ok(text));
    protected
}

/// Appendix A.2, the client's first packet: 1162 bytes of text in 1200.
#[test]
fn rfc9001_a2_client_initial() {
    let packets = packets(&QUIC_AES_128_GCM, "1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c");
    let headers = Headers(Aes::new(&bytes("9f50449e04a0e810283a1e9933adedd2")).expect("a key"));
    let mut text = bytes(
        "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c
         00000413011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007
         000504616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43
         e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d00020101001c000240010039003204
         08ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff",
    );
    text.resize(1162, 0);
    let header = bytes("c300000001088394c8f03e5157080000449e00000002");
    let protected = both_ways(&packets, &headers, (&header, 18, 2), &text);
    assert_eq!(protected.len(), 1200);
    assert_eq!(protected[..22], bytes("c000000001088394c8f03e5157080000449e7b9aec34"));
    assert_eq!(protected[22..38], bytes("d1b1c98dd7689fb8ec11d242b123dc9b"));
    assert_eq!(protected[1184..], bytes("e221af44860018ab0856972e194cd934"));
}

/// Appendix A.3, the server's answer, whose packet number has two bytes.
#[test]
fn rfc9001_a3_server_initial() {
    let packets = packets(&QUIC_AES_128_GCM, "cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e");
    let headers = Headers(Aes::new(&bytes("c206b8d9b9f0f37644430b490eeaa314")).expect("a key"));
    let text = bytes(
        "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a1200130100002e
         00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304",
    );
    let header = bytes("c1000000010008f067a5502a4262b50040750001");
    let protected = both_ways(&packets, &headers, (&header, 18, 1), &text);
    let expected = "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb3
         8cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4
         cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee";
    assert_eq!(protected, bytes(expected));
}

/// Appendix A.4: the integrity tag of a Retry packet is the tag of no text, the pseudo-packet before it (§5.8).
#[test]
fn rfc9001_a4_retry() {
    let packets = packets(&QUIC_AES_128_GCM, "be0c690b9f66575a1d766b54e368c84e", "461599d35d632bf2239825bb");
    let pseudo = bytes("088394c8f03e515708ff000000010008f067a5502a4262b5746f6b656e");
    let tag = packets.encrypt_in_place(0, &pseudo, &mut []).expect("a tag");
    assert_eq!(tag.as_ref(), bytes("04a265ba2eff4d829058fb3f0f2496ba"));
}

/// By Python's cryptography 48, which is OpenSSL: key 00 01 …, IV a0 a1 …, packet 258, of path 0 and of path 3.
#[test]
fn paths_and_ccm() {
    fn check<A: Aead + Send + Sync>(quic: &Quic<A>, sealed: [&str; 2]) {
        let packets = packets(quic, "000102030405060708090a0b0c0d0e0f", "a0a1a2a3a4a5a6a7a8a9aaab");
        let (header, text) = (bytes("40aabbccdd0102"), b"sixteen byte text and some more");
        for (path, sealed) in [(0, sealed[0]), (3, sealed[1])] {
            let mut payload = text.to_vec();
            let tag = packets.encrypt_in_place_for_path(path, 0x102, &header, &mut payload).expect("a packet");
            payload.extend_from_slice(tag.as_ref());
            assert_eq!(payload, bytes(sealed));
            assert!(packets.decrypt_in_place_for_path(path + 1, 0x102, &header, &mut payload.clone()).is_err());
            if path == 0 {
                assert_eq!(packets.decrypt_in_place(0x102, &header, &mut payload.clone()), Ok(&text[..]));
            }
            assert_eq!(packets.decrypt_in_place_for_path(path, 0x102, &header, &mut payload), Ok(&text[..]));
        }
    }
    check(
        &QUIC_AES_128_GCM,
        [
            "f2ec04909c4b3cc1ebbaaf392447529f744aa4d108fbca74f81db388b3476f5414693cdb5f9385d46c6ff9bc477d6f",
            "d997628bc3da84219c6c247d678ed97ccf1665ae2bb0c6380b8452fc00ed9fdaf63ef69c8b3006310f5f793673ffa7",
        ],
    );
    check(
        &QUIC_AES_128_CCM,
        [
            "1b16ba414b07770eb442808c2fe9c3ca012f5d1f687ff5e5daa5511adc5159e7bcbf326121759e7bd42b38fe4e6e1d",
            "73e8ea1a6650417b64c52f6938904f4032733e5e74ec705317cd96b6a676649ec7e2013790f7273206fad157e42527",
        ],
    );
}

#[test]
fn hostile_packets() {
    fn check<A: Aead + Send + Sync>(quic: &Quic<A>) {
        let packets = packets(quic, &"07".repeat(quic.cipher.key_len), "000000000000000000000000");
        let mut sealed = b"text".to_vec();
        let tag = packets.encrypt_in_place(5, b"head", &mut sealed).expect("a packet");
        sealed.extend_from_slice(tag.as_ref());
        for len in 0..sealed.len() {
            let mut short = sealed[..len].to_vec();
            assert_eq!(packets.decrypt_in_place(5, b"head", &mut short), Err(Error::DecryptError), "{len} bytes");
        }
        for bit in 0..8 * sealed.len() {
            let mut forged = sealed.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(packets.decrypt_in_place(5, b"head", &mut forged), Err(Error::DecryptError), "bit {bit}");
            assert!(forged[..4].iter().all(|b| *b == 0));
        }
        assert!(packets.decrypt_in_place(6, b"head", &mut sealed.clone()).is_err());
        assert!(packets.decrypt_in_place(5, b"heat", &mut sealed.clone()).is_err());
        assert!(packets.decrypt_in_place(5, b"head", &mut sealed).is_ok());
    }
    check(&QUIC_AES_128_GCM);
    check(&QUIC_AES_256_GCM);
    check(&QUIC_AES_128_CCM);
}

/// Whatever the sample, also one that as a counter would be at its end (ring, before 0.17.12).
#[test]
fn hostile_headers() {
    let headers = Headers(Aes::new(&[7; 32]).expect("a key"));
    let keys: &dyn HeaderProtectionKey = &headers;
    for len in (0..40).filter(|len| *len != 16) {
        let (mut first, mut number) = (0xc3, [1; 4]);
        assert!(keys.decrypt_in_place(&[0xff; 40][..len], &mut first, &mut number).is_err());
        assert!(keys.encrypt_in_place(&[0xff; 40][..len], &mut first, &mut number).is_err());
        assert_eq!((first, number), (0xc3, [1; 4]));
    }
    let (mut first, mut number) = (0xc3, [1; 5]);
    assert!(keys.encrypt_in_place(&[0xff; 16], &mut first, &mut number).is_err());
    assert_eq!((first, number), (0xc3, [1; 5]));
    for before in 0..=255 {
        for len in 0..=4 {
            let (mut first, mut number) = (before, [1, 2, 3, 4]);
            assert_eq!(keys.encrypt_in_place(&[0xff; 16], &mut first, &mut number[..len]), Ok(()));
            // The form, and in a long header the type, are in the clear.
            assert_eq!((first ^ before) & if before & 0x80 == 0 { 0xe0 } else { 0xf0 }, 0);
            // Bytes behind the packet number are text.
            let masked = len.min((before & 3) as usize + 1);
            assert_eq!(number[masked..], [1, 2, 3, 4][masked..]);
            assert!(masked < 4 || number != [1, 2, 3, 4]);
            assert_eq!(keys.decrypt_in_place(&[0xff; 16], &mut first, &mut number[..len]), Ok(()));
            assert_eq!((first, number), (before, [1, 2, 3, 4]));
        }
    }
}

/// §6.6.
#[test]
fn limits() {
    fn of<A: Aead + Send + Sync>(quic: &Quic<A>) -> (u64, u64) {
        let packets = packets(quic, &"00".repeat(quic.cipher.key_len), "000000000000000000000000");
        (packets.confidentiality_limit(), packets.integrity_limit())
    }
    assert_eq!(of(&QUIC_AES_128_GCM), (1 << 23, 1 << 52));
    assert_eq!(of(&QUIC_AES_256_GCM), (1 << 23, 1 << 52));
    let (packets, forgeries) = of(&QUIC_AES_128_CCM);
    assert!(u128::from(packets).pow(2) <= 1 << 43 && u128::from(packets + 1).pow(2) > 1 << 43);
    assert_eq!(packets, forgeries);
}

#[test]
fn a_key_of_another_length_refuses() {
    let (key, quic): (_, &dyn Algorithm) = (|| AeadKey::from([1; 32]), &QUIC_AES_128_GCM);
    let packets = quic.packet_key(key(), [0; 12].into());
    assert!(packets.encrypt_in_place(0, &[], &mut [0; 40]).is_err());
    assert!(packets.decrypt_in_place(0, &[], &mut [0; 40]).is_err());
    assert_eq!((packets.confidentiality_limit(), packets.integrity_limit()), (0, 0));
    let headers = quic.header_protection_key(key());
    assert!(headers.encrypt_in_place(&[0; 16], &mut 0, &mut [0; 4]).is_err());
    assert!(headers.decrypt_in_place(&[0; 16], &mut 0, &mut [0; 4]).is_err());
    assert!(!quic.fips());
}
