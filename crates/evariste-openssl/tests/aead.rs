//! GCM, CCM and GCM-SIV by their tables: known answers, pieces, states.

mod shared;

use evariste::{Aead, Ccm, Gcm, GcmSiv};
use shared::*;

const SPENT: &str = "the IV is used up, or the message has failed: set another IV";

fn evariste(kind: &str, key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut data = text.to_vec();
    let tag = match kind {
        "GCM" => Gcm::new(key).expect("key").seal(nonce, aad, &mut data),
        "CCM" => Ccm::new(key).expect("key").seal(nonce, aad, &mut data),
        _ => GcmSiv::new(key).expect("key").seal(nonce, aad, &mut data),
    };
    (data, tag.expect("within limits").to_vec())
}

/// SP 800-38D test case 4, SP 800-38C example 1, RFC 8452 appendix C.1.
#[test]
fn known_answers() {
    let provider = Provider::load(&[]).expect("loads");
    let mut gcm = provider.cipher("id-aes128-GCM");
    gcm.init(true, Some(&hex("feffe9928665731c6d6a8f9467308308")), Some(&hex("cafebabefacedbaddecaf888")));
    gcm.aad(&hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
    let sealed = gcm.text(&hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    ));
    assert_eq!(
        sealed,
        hex(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        )
    );
    assert_eq!(gcm.finish(), Some(vec![]));
    assert_eq!(gcm.get(c"tag", 16), Some(hex("5bc94fbc3221a5db94fae95ae7121a47")));
    assert_eq!(gcm.get(c"tag", 12), Some(hex("5bc94fbc3221a5db94fae95a")));

    let mut ccm = provider.cipher("2.16.840.1.101.3.4.1.7");
    assert!(ccm.set_all(&[Param { data_size: 4, ..param(c"tag", OCTETS, &mut []) }.without_data(), END]));
    ccm.init(true, Some(&hex("404142434445464748494a4b4c4d4e4f")), Some(&hex("10111213141516")));
    assert!(ccm.announce(4));
    ccm.aad(&hex("0001020304050607"));
    assert_eq!(ccm.text(&hex("20212223")), hex("7162015b"));
    assert_eq!(ccm.get(c"tag", 4), Some(hex("4dac255d")));

    let mut siv = provider.cipher("AES-128-GCM-SIV");
    let nonce = hex("030000000000000000000000");
    siv.init(true, Some(&hex("01000000000000000000000000000000")), Some(&nonce));
    assert_eq!(siv.text(&hex("0100000000000000")), hex("b5d839330ac7b786"));
    assert_eq!(siv.finish(), Some(vec![]));
    assert_eq!(siv.get(c"tag", 16), Some(hex("578782fff6013b815b287c22493a364c")));
}

trait WithoutData {
    fn without_data(self) -> Self;
}

impl WithoutData for Param {
    fn without_data(self) -> Self {
        Self { data: std::ptr::null_mut(), ..self }
    }
}

/// GCM: any pieces, in place and not, by update and by EVP_Cipher, all lengths of keys and nonces: the core's result.
#[test]
fn gcm_in_pieces() {
    let provider = Provider::load(&[]).expect("loads");
    let step: usize = std::env::var("EVARISTE_TEST_STEP").map_or(1, |step| step.parse().expect("a number"));
    for key_len in [16, 24, 32] {
        let mut cipher = provider.cipher(&format!("AES-{}-GCM", 8 * key_len));
        for (n, len) in (0..200).chain([255, 1024, 1350, 2079, 2081, 4097, 16384]).enumerate().step_by(step) {
            let (key, nonce) = (bytes(key_len, n), bytes(if n % 5 == 4 { 1 + n % 128 } else { 12 }, n));
            let (aad, text) = (bytes(n % 67, 1), bytes(len, 2));
            let (sealed, tag) = evariste("GCM", &key, &nonce, &aad, &text);
            for piece in [1, 7, 16, 33, 1000, usize::MAX] {
                for by_cipher in [false, true] {
                    let pieces = |data: &[u8]| -> Vec<Vec<u8>> {
                        data.chunks(piece.min(data.len() + 1)).map(<[u8]>::to_vec).collect()
                    };
                    for encrypt in [true, false] {
                        let given = if encrypt { &text } else { &sealed };
                        // The length of the IV goes with it, and the key comes now or then.
                        match n % 3 {
                            0 => cipher.init(encrypt, Some(&key), Some(&nonce)),
                            1 => {
                                cipher.init(encrypt, Some(&key), None);
                                cipher.init(encrypt, None, Some(&nonce));
                            }
                            _ => {
                                cipher.init(encrypt, None, Some(&nonce));
                                cipher.init(encrypt, Some(&key), None);
                            }
                        }
                        pieces(&aad).iter().for_each(|piece| assert!(cipher.try_aad(piece, by_cipher)));
                        let mut got = Vec::new();
                        for (n, mut piece) in pieces(given).into_iter().enumerate() {
                            if n % 2 == 0 {
                                assert_eq!(cipher.try_in_place(&mut piece, by_cipher), Some(piece.len()));
                                got.extend(piece);
                            } else {
                                got.extend(cipher.try_text(&piece, by_cipher).expect("done"));
                            }
                        }
                        assert_eq!(&got, if encrypt { &sealed } else { &text }, "{key_len} {len} {piece}");
                        if !encrypt {
                            assert!(cipher.set(c"tag", &tag));
                        }
                        assert!(if by_cipher { cipher.finish_by_cipher() } else { cipher.finish().is_some() });
                        if encrypt {
                            assert_eq!(cipher.get(c"tag", 16).as_ref(), Some(&tag));
                        }
                        no_error();
                    }
                }
            }
        }
    }
}

/// CCM and GCM-SIV: the core's result, additional data in pieces, zeros for what is forged.
#[test]
fn whole_texts() {
    let provider = Provider::load(&[]).expect("loads");
    for (kind, key_len) in [("CCM", 16), ("CCM", 24), ("CCM", 32), ("GCM-SIV", 16), ("GCM-SIV", 32)] {
        let mut cipher = provider.cipher(&format!("AES-{}-{kind}", 8 * key_len));
        let (is_ccm, key) = (kind == "CCM", bytes(key_len, 3));
        if is_ccm {
            assert_eq!((cipher.get_number(c"ivlen"), cipher.get_number(c"taglen")), (Some(7), Some(12)));
            assert!(cipher.set_all(&[Param { data_size: 16, ..param(c"tag", OCTETS, &mut []) }.without_data(), END]));
        }
        for len in (0..100).chain([1350, 4096, 20000]) {
            let (nonce, aad, text) =
                (bytes(if is_ccm { 7 + len % 7 } else { 12 }, len), bytes(len % 67, 1), bytes(len, 2));
            let (sealed, tag) = evariste(kind, &key, &nonce, &aad, &text);
            let start = |cipher: &mut Cipher<'_>, encrypt| {
                cipher.init(encrypt, Some(&key), Some(&nonce));
                assert!(!is_ccm || cipher.announce(len));
                aad.chunks(5).for_each(|piece| cipher.aad(piece));
            };
            start(&mut cipher, true);
            // A text of length 0 need not be given.
            if len % 3 != 0 || len > 0 {
                assert_eq!(cipher.text(&text), sealed, "{kind} {key_len} {len}");
            }
            assert_eq!(cipher.finish(), Some(vec![]));
            assert_eq!(cipher.get(c"tag", 16).as_ref(), Some(&tag));

            start(&mut cipher, false);
            assert!(cipher.set(c"tag", &tag));
            let mut data = sealed.clone();
            assert_eq!(cipher.try_in_place(&mut data, len % 2 == 0), Some(len));
            assert_eq!((data, cipher.finish()), (text.clone(), Some(vec![])));
            no_error();

            for bit in [0, 127] {
                let mut forged = tag.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                start(&mut cipher, false);
                assert!(cipher.set(c"tag", &forged));
                let mut data = sealed.clone();
                assert_eq!(cipher.try_in_place(&mut data, false), None);
                assert_eq!(cipher.error(), "the message is not authentic");
                assert_eq!(data, vec![0; len]);
                assert_eq!(cipher.finish(), None);
                assert_eq!(cipher.error(), SPENT);
            }
        }
    }
}

/// openssl#31584 and what belongs to it: nothing comes of a message that has ended or failed.
#[test]
fn states() {
    let provider = Provider::load(&[]).expect("loads");
    let mut gcm = provider.cipher("AES-256-GCM");
    let (key, nonce, text) = (bytes(32, 1), bytes(12, 2), bytes(50, 3));
    let (sealed, tag) = evariste("GCM", &key, &nonce, b"", &text);
    assert_eq!(gcm.try_text(&text, false), None);
    assert_eq!(gcm.error(), "no key is set");
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), "no key is set");

    gcm.init(false, Some(&key), None);
    assert_eq!(gcm.try_text(&sealed, false), None);
    assert_eq!(gcm.error(), "no IV is set");
    gcm.init(false, None, Some(&nonce));
    assert_eq!(gcm.text(&sealed), text);
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), "no tag is set, or none is there yet");
    // A good message, then a forged one, then the end once more.
    gcm.init(false, None, Some(&nonce));
    assert!(gcm.set(c"tag", &tag));
    gcm.text(&sealed);
    assert!(gcm.finish().is_some());
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), "no tag is set, or none is there yet");
    gcm.init(false, None, Some(&nonce));
    assert!(gcm.set(c"tag", &[&tag[..15], &[tag[15] ^ 1]].concat()));
    gcm.text(&sealed);
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), "the message is not authentic");
    assert!(gcm.set(c"tag", &tag));
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), SPENT);
    assert_eq!(gcm.try_text(&sealed, true), None);
    assert_eq!(gcm.error(), SPENT);

    // The IV of a message that was encrypted is used up, also with another key, and there is no tag before the end.
    gcm.init(true, None, Some(&nonce));
    assert_eq!(gcm.text(&text), sealed);
    assert_eq!(gcm.get(c"tag", 16), None);
    assert_eq!(gcm.error(), "no tag is set, or none is there yet");
    assert!(!gcm.try_aad(b"behind", false));
    assert_eq!(gcm.error(), "the additional data is too long, or comes behind text");
    assert_eq!(gcm.finish(), None);
    assert_eq!(gcm.error(), SPENT);
    gcm.init(true, None, Some(&nonce));
    gcm.text(&text);
    assert!(gcm.finish().is_some());
    gcm.init(true, Some(&key), None);
    assert_eq!(gcm.try_text(&text, false), None);
    assert_eq!(gcm.error(), SPENT);
    // Another key, or the other direction, in the middle of a message.
    for (encrypt, key) in [(true, Some(&key[..])), (false, None)] {
        gcm.init(true, None, Some(&nonce));
        gcm.text(&text);
        gcm.init(encrypt, key, None);
        assert_eq!(gcm.try_text(&text, false), None);
        assert_eq!(gcm.error(), SPENT);
    }
}

/// Copies go on by themselves.
#[test]
fn copies() {
    let provider = Provider::load(&[]).expect("loads");
    let (key, nonce, text) = (bytes(16, 1), bytes(12, 2), bytes(5000, 3));
    let (sealed, tag) = evariste("GCM", &key, &nonce, b"aad", &text);
    let mut gcm = provider.cipher("AES-128-GCM");
    gcm.init(true, Some(&key), Some(&nonce));
    gcm.aad(b"aa");
    let mut first = gcm.copy();
    gcm.aad(b"d");
    let mut got = gcm.text(&text[..21]);
    let mut second = gcm.copy();
    gcm.text(&[0; 100]);
    drop(gcm);
    got.extend(second.text(&text[21..]));
    assert!(second.finish().is_some());
    assert_eq!((got, second.copy().get(c"tag", 16)), (sealed.clone(), Some(tag.clone())));
    first.aad(b"d");
    assert_eq!(first.text(&text), sealed);
    assert!(first.finish().is_some());
    assert_eq!(first.get(c"tag", 16), Some(tag));
}

/// Lengths of IVs are honoured before and after the IV and with it, or refused.
#[test]
fn lengths_of_ivs() {
    let provider = Provider::load(&[]).expect("loads");
    let key = bytes(16, 1);
    let mut gcm = provider.cipher("AES-128-GCM");
    for len in [1, 7, 8, 11, 13, 16, 128] {
        let nonce = bytes(len, len);
        assert!(gcm.set_number(c"ivlen", len as u64));
        assert_eq!(gcm.get_number(c"ivlen"), Some(len as u64));
        gcm.init(true, Some(&key), Some(&nonce));
        assert_eq!(gcm.text(b"text"), evariste("GCM", &key, &nonce, b"", b"text").0);
        assert_eq!(gcm.get(c"iv", len), Some(nonce.clone()));
        // In the same call: of four bytes, signed.
        let mut number = (len as i32).to_ne_bytes();
        let mut params = [param(c"ivlen", INTEGER, &mut number), END];
        assert!(gcm.try_init(true, None, Some(&nonce), &mut params));
        assert_eq!(gcm.text(b"text"), evariste("GCM", &key, &nonce, b"", b"text").0);
        // Another length than the IV's.
        let mut number = (len as u64 + 1).to_ne_bytes();
        assert!(!gcm.try_init(true, None, Some(&nonce), &mut [param(c"ivlen", UNSIGNED, &mut number), END]));
        assert_eq!(gcm.error(), "the IV is not of a length that was set or that the mode takes");
        assert_eq!(gcm.try_text(b"text", false), None);
        assert_eq!(gcm.error(), SPENT);
        // After the IV, which is not cut or filled up.
        gcm.init(true, None, Some(&nonce));
        assert!(gcm.set_number(c"ivlen", len as u64));
        assert_eq!(gcm.text(b"text"), evariste("GCM", &key, &nonce, b"", b"text").0);
        gcm.init(true, None, Some(&nonce));
        assert!(gcm.set_number(c"ivlen", 12));
        assert_eq!(gcm.try_text(b"text", false), None);
        assert_eq!(gcm.error(), SPENT);
    }
    for (name, lens) in [("AES-128-GCM", &[0, 129, u64::MAX][..]), ("AES-128-CCM", &[0, 6, 14, 1 << 32])] {
        let mut cipher = provider.cipher(name);
        for len in lens {
            assert!(!cipher.set_number(c"ivlen", *len));
            assert_eq!(cipher.error(), "the IV is not of a length that was set or that the mode takes");
        }
    }
    for name in ["AES-128-GCM", "AES-128-CCM", "AES-128-GCM-SIV", "AES-128-CTR"] {
        let mut cipher = provider.cipher(name);
        for len in [0, 5, 129] {
            assert!(
                !cipher.try_init(true, Some(&key), Some(&bytes(len, 1)), &mut []) || name.ends_with("GCM") && len == 5
            );
            _ = shared::errors();
        }
        assert!(!cipher.try_init(true, Some(&key[..15]), None, &mut []));
        assert_eq!(cipher.error(), "the key is not of this cipher's length");
    }
}

/// Encryption without an IV takes a random one; decryption does not.
#[test]
fn random_ivs() {
    let provider = Provider::load(&[]).expect("loads");
    let key = bytes(16, 1);
    let ivs = [12, 12, 16].map(|len| {
        let mut gcm = provider.cipher("AES-128-GCM");
        assert!(gcm.set_number(c"ivlen", len));
        gcm.init(true, Some(&key), None);
        assert_eq!(gcm.get(c"iv", len as usize), None);
        assert_eq!(gcm.error(), "no IV is set");
        let sealed = gcm.text(b"text");
        assert!(gcm.finish().is_some());
        let iv = gcm.get(c"updated-iv", len as usize).expect("made");
        assert_eq!(evariste("GCM", &key, &iv, b"", b"text").0, sealed);
        iv
    });
    assert_ne!(ivs[0], ivs[1]);
    let mut gcm = provider.cipher("AES-128-GCM");
    assert!(gcm.set_number(c"ivlen", 8));
    gcm.init(true, Some(&key), None);
    assert_eq!(gcm.try_text(b"text", false), None);
    assert_eq!(gcm.error(), "no IV is set");
}

/// Short tags of GCM are asked for in the configuration, or there are none.
#[test]
fn short_tags() {
    let (key, nonce) = (bytes(16, 1), bytes(12, 2));
    for (config, allowed) in [(&[][..], false), (&[("short-tags", "yes")], true), (&[("short-tags", "off")], false)] {
        let provider = Provider::load(config).expect("loads");
        let mut gcm = provider.cipher("AES-128-GCM");
        let (sealed, tag) = evariste("GCM", &key, &nonce, b"", b"text");
        for len in 0..=20 {
            let right = (12..=16).contains(&len) || allowed && (len == 4 || len == 8);
            gcm.init(true, Some(&key), Some(&nonce));
            gcm.text(b"text");
            assert!(gcm.finish().is_some());
            assert_eq!(gcm.get(c"tag", len), right.then(|| tag[..len].to_vec()));
            assert_eq!(shared::errors() == 0, right);
            gcm.init(false, None, Some(&nonce));
            assert_eq!(gcm.set(c"tag", &[&tag[..], &[0; 4]].concat()[..len]), right, "{len}");
            _ = shared::errors();
            assert_eq!(gcm.text(&sealed), b"text");
            assert_eq!(gcm.finish().is_some(), right);
            _ = shared::errors();
        }
    }
    assert!(Provider::load(&[("short-tags", "perhaps")]).is_none());
}

/// CCM: what was announced is kept, a message is encrypted anew only until its tag has been read.
#[test]
fn ccm_rules() {
    let provider = Provider::load(&[]).expect("loads");
    let mut ccm = provider.cipher("AES-128-CCM");
    let (key, nonce) = (bytes(16, 1), bytes(7, 2));
    ccm.init(true, Some(&key), Some(&nonce));
    assert!(!ccm.try_aad(b"aad", false));
    assert_eq!(ccm.error(), "the length of the text has to be announced before additional data");
    ccm.init(true, None, Some(&nonce));
    assert!(ccm.announce(5));
    assert_eq!(ccm.try_text(b"text", false), None);
    assert_eq!(ccm.error(), "the text is not of the length that was announced");
    ccm.init(true, None, Some(&nonce));
    assert!(ccm.announce(4));
    let sealed = ccm.text(b"text");
    assert_eq!(ccm.try_text(b"text", false), None);
    assert_eq!(ccm.error(), SPENT);
    ccm.init(true, None, Some(&nonce));
    assert_eq!(ccm.text(b"text"), sealed);
    assert!(ccm.announce(4));
    assert_eq!(ccm.text(b"text"), sealed);
    assert_eq!(ccm.get(c"tag", 16), None);
    assert_eq!(ccm.error(), "the tag is not of a length that the mode takes, or one that short-tags = yes would allow");
    let tag = ccm.get(c"tag", 12).expect("made");
    assert!(!ccm.announce(4));
    assert_eq!(ccm.error(), SPENT);
    assert_eq!(ccm.get(c"tag", 12), None);
    assert_eq!(ccm.error(), "no tag is set, or none is there yet");
    // Nothing is opened without a tag.
    ccm.init(false, None, Some(&nonce));
    assert!(!ccm.set(c"tag", &tag[..5]));
    assert_eq!(ccm.error(), "the tag is not of a length that the mode takes, or one that short-tags = yes would allow");
    assert_eq!(ccm.try_text(&sealed, false), None);
    assert_eq!(ccm.error(), "no tag is set, or none is there yet");
    ccm.init(false, None, Some(&nonce));
    assert!(ccm.set(c"tag", &tag));
    assert_eq!(ccm.text(&sealed), b"text");
    assert!(ccm.finish().is_some());
    ccm.init(false, None, Some(&nonce));
    assert_eq!(ccm.finish(), None);
    assert_eq!(ccm.error(), "no tag is set, or none is there yet");
    // 13 bytes of nonce leave 2 for the length (pyca#11912).
    let nonce = bytes(13, 1);
    ccm.init(true, None, Some(&nonce));
    assert_eq!(ccm.text(&vec![0; 65535]).len(), 65535);
    ccm.init(true, None, Some(&nonce));
    assert_eq!(ccm.try_text(&vec![0; 65536], false), None);
    assert_eq!(ccm.error(), "the text is longer than the mode allows");
}
