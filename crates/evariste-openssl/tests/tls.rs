//! Records of TLS 1.2, and IVs of SSH.

mod shared;

use evariste::{Aead, Ccm, Gcm};
use shared::*;

/// Sequence number, type, version, length: as libssl gives it, of all that is to come.
fn header(sequence: u64, len: usize) -> Vec<u8> {
    [&sequence.to_be_bytes()[..], &[23, 3, 3], &(len as u16).to_be_bytes()].concat()
}

/// What a record must be by RFC 5288 and RFC 6655.
fn expected(is_gcm: bool, key: &[u8], tag_len: usize, nonce: &[u8], sequence: u64, text: &[u8]) -> Vec<u8> {
    let mut data = text.to_vec();
    let aad = header(sequence, text.len());
    let tag = if is_gcm {
        Gcm::new(key).expect("key").seal(nonce, &aad, &mut data)
    } else {
        Ccm::with_tag_len(key, evariste::Backend::active(), tag_len).expect("key").seal(nonce, &aad, &mut data)
    };
    [&nonce[4..], &data, &tag.expect("within limits")].concat()
}

/// A record's turn: additional data, then one call in place.
fn record(
    cipher: &mut Cipher<'_>,
    sequence: u64,
    data: &mut [u8],
    by_cipher: bool,
    encrypt: bool,
    tag_len: usize,
) -> Option<usize> {
    let announced = data.len() - if encrypt { tag_len } else { 0 };
    assert!(cipher.set(c"tlsaad", &header(sequence, announced)));
    assert_eq!(cipher.get_number(c"tlsaadpad"), Some(tag_len as u64));
    cipher.try_in_place(data, by_cipher)
}

fn ready<'p>(
    provider: &'p Provider,
    name: &str,
    key: &[u8],
    encrypt: bool,
    tag_len: usize,
    fixed: &[u8],
) -> Cipher<'p> {
    let mut cipher = provider.cipher(name);
    cipher.init(encrypt, None, None);
    if name.ends_with("CCM") {
        assert!(cipher.set_number(c"ivlen", 12));
        let only_length = Param { key: c"tag".as_ptr(), data_type: OCTETS, data_size: tag_len, ..END };
        assert!(cipher.set_all(&[only_length, END]));
        assert!(cipher.set(c"tlsivfixed", fixed));
        cipher.init(encrypt, Some(key), None);
    } else {
        cipher.init(encrypt, Some(key), None);
        // libssl tells all ciphers about the MAC of others.
        assert!(cipher.set_number(c"tls-version", 0x303) && cipher.set_number(c"tls-mac-size", 0));
        assert!(cipher.set(c"tlsivfixed", fixed));
    }
    cipher
}

#[test]
fn records() {
    let provider = Provider::load(&[]).expect("loads");
    for (name, key_len, tag_len) in
        [("AES-128-GCM", 16, 16), ("AES-256-GCM", 32, 16), ("AES-128-CCM", 16, 16), ("AES-256-CCM", 32, 8)]
    {
        let (is_gcm, key, fixed) = (name.ends_with("GCM"), bytes(key_len, 1), bytes(4, 2));
        let mut sealer = ready(&provider, name, &key, true, tag_len, &fixed);
        let mut opener = ready(&provider, name, &key, false, tag_len, &fixed);
        let mut last = None::<u64>;
        for (n, len) in [0, 1, 15, 16, 17, 100, 1350, 2080, 2081, 16384].into_iter().enumerate() {
            let (text, by_cipher) = (bytes(len, n), n % 2 == 0);
            let mut data = vec![0; 8 + len + tag_len];
            data[8..][..len].copy_from_slice(&text);
            let sequence = 70 + n as u64;
            let whole = data.len();
            assert_eq!(record(&mut sealer, sequence, &mut data, by_cipher, true, tag_len), Some(whole));
            // GCM counts from anywhere, CCM takes the sequence number.
            let explicit = u64::from_be_bytes(*data.first_chunk().expect("8 bytes"));
            assert!(if is_gcm {
                last.is_none_or(|last| explicit == last.wrapping_add(1))
            } else {
                explicit == sequence
            });
            last = Some(explicit);
            let nonce = [&fixed[..], &explicit.to_be_bytes()].concat();
            assert_eq!(data, expected(is_gcm, &key, tag_len, &nonce, sequence, &text), "{name} {len}");

            // Forged ones become zeros, and those behind them can be opened: DTLS throws them away and goes on.
            for at in [7, 8, whole - 1].into_iter().filter(|at| len > 0 || *at != 8) {
                let mut forged = data.clone();
                forged[at] ^= 4;
                assert_eq!(record(&mut opener, sequence, &mut forged, by_cipher, false, tag_len), None);
                assert_eq!(opener.error(), "the message is not authentic");
                assert_eq!(forged[8..][..len], vec![0; len]);
            }
            let mut copy = opener.copy();
            assert_eq!(record(&mut copy, sequence, &mut data.clone(), by_cipher, false, tag_len), Some(len));
            assert_eq!(record(&mut opener, sequence, &mut data, by_cipher, false, tag_len), Some(len));
            assert_eq!(data[8..][..len], text);
            no_error();
        }
    }
}

/// Two that count on from the same IV would encrypt under one twice.
#[test]
fn copies_do_not_count() {
    let provider = Provider::load(&[]).expect("loads");
    let (key, fixed) = (bytes(16, 1), [1, 2, 3, 4]);
    let mut sealer = ready(&provider, "AES-128-GCM", &key, true, 16, &fixed);
    let mut copy = sealer.copy();
    let mut data = vec![0; 8 + 20 + 16];
    assert_eq!(record(&mut copy, 1, &mut data.clone(), false, true, 16), None);
    assert!(!copy.error().is_empty());
    assert_eq!(record(&mut sealer, 1, &mut data, false, true, 16), Some(44));
    // With a fixed part of its own it begins anywhere.
    assert!(copy.set(c"tlsivfixed", &fixed));
    assert_eq!(record(&mut copy, 1, &mut [0; 44], false, true, 16), Some(44));
    no_error();
}

#[test]
fn no_records() {
    let provider = Provider::load(&[]).expect("loads");
    for name in ["AES-128-GCM", "AES-128-CCM"] {
        let key = bytes(16, 1);
        for encrypt in [true, false] {
            let mut cipher = ready(&provider, name, &key, encrypt, 16, &[1, 2, 3, 4]);
            for wrong in [header(1, 100)[..12].to_vec(), header(1, 7), [header(1, 50), vec![0]].concat(), vec![]] {
                assert!(!cipher.set(c"tlsaad", &wrong));
                assert!(cipher.error().starts_with("the additional data of a record"));
            }
            assert_eq!(cipher.set(c"tlsaad", &header(1, 23)), encrypt);
            _ = errors();
            // Not in place, too short, not text at all, the end.
            assert!(cipher.set(c"tlsaad", &header(1, 50)));
            assert_eq!(cipher.try_text(&[0; 50], false), None);
            assert!(cipher.error().starts_with("a record has to be worked on in place"));
            for len in [0, 7, 23] {
                assert!(cipher.set(c"tlsaad", &header(1, 50)));
                assert_eq!(cipher.try_in_place(&mut vec![0; len], false), None);
                _ = errors();
            }
            assert!(cipher.set(c"tlsaad", &header(1, 50)));
            assert!(!cipher.try_aad(&[0; 50], false));
            assert!(cipher.error().starts_with("a record has to be worked on in place"));
            assert!(cipher.set(c"tlsaad", &header(1, 50)));
            assert_eq!(cipher.finish(), None);
            _ = errors();
            // And then a right one.
            let mut data = vec![0; 74];
            assert_eq!(record(&mut cipher, 1, &mut data, false, encrypt, 16).is_some(), encrypt);
            _ = errors();
        }
    }
    // Without the fixed part, or the key.
    let mut gcm = provider.cipher("AES-128-GCM");
    gcm.init(true, Some(&bytes(16, 1)), None);
    assert_eq!(record(&mut gcm, 1, &mut [0; 50], false, true, 16), None);
    assert_eq!(gcm.error(), "no fixed part of an IV is set");
    let mut gcm = provider.cipher("AES-128-GCM");
    assert!(gcm.set(c"tlsivfixed", &[0; 4]));
    assert_eq!(record(&mut gcm, 1, &mut [0; 50], false, true, 16), None);
    assert_eq!(gcm.error(), "no key is set");
    for fixed in [0, 3, 5, 12] {
        assert!(!gcm.set(c"tlsivfixed", &vec![0; fixed]));
        _ = errors();
    }
}

/// RFC 5647: all of an IV is set, and its last eight bytes count messages.
#[test]
fn ssh() {
    let provider = Provider::load(&[]).expect("loads");
    let (key, iv, text) = (bytes(32, 1), [&bytes(4, 2)[..], &[0xff; 7], &[0xfe]].concat(), bytes(64, 3));
    let [mut sealer, mut opener] = [true, false].map(|encrypt| {
        let mut cipher = provider.cipher("AES-256-GCM");
        cipher.init(encrypt, Some(&key), None);
        assert_eq!(cipher.get(c"tlsivgen", 1), None);
        assert_eq!(cipher.error(), "no fixed part of an IV is set");
        let mut iv = iv.clone();
        let all = Param { data_size: usize::MAX, ..param(c"tlsivfixed", OCTETS, &mut iv) };
        assert!(cipher.set_all(&[all, END]));
        cipher
    });
    for n in 0..4 {
        let counter = 0xffff_ffff_ffff_fffe_u64.wrapping_add(n);
        let nonce = [&iv[..4], &counter.to_be_bytes()].concat();
        let mut expected = text.clone();
        let tag = Gcm::new(&key).expect("key").seal(&nonce, b"len!", &mut expected).expect("within limits");
        // One byte is asked for, or the counter, or all.
        let (size, told) = [(1, 1), (8, 8), (0, 12), (12, 12)][n as usize];
        let mut last = vec![0xee; 12];
        let given = Param { data_size: size, ..param(c"tlsivgen", OCTETS, &mut last) };
        assert!(sealer.get_all(&mut [given, END]));
        assert_eq!(last[..told], nonce[12 - told..]);
        assert!(sealer.try_aad(b"len!", true));
        assert_eq!(sealer.try_text(&text, true), Some(expected.clone()));
        assert!(sealer.finish_by_cipher());
        assert_eq!(sealer.get(c"tag", 16).as_deref(), Some(&*tag));

        // The counter is given, or goes on by itself.
        if n % 2 == 0 {
            assert!(opener.set(c"tlsivinv", &nonce[4..]));
        } else {
            let mut counted = opener.copy();
            assert!(counted.set(c"tlsivinv", &nonce[4..]));
            opener = counted;
        }
        assert!(opener.try_aad(b"len!", true));
        assert_eq!(opener.try_text(&expected, true), Some(text.clone()));
        assert!(opener.set(c"tag", &tag));
        assert!(opener.finish_by_cipher());
        no_error();
    }
    assert!(!sealer.set(c"tlsivinv", &[0; 8]));
    _ = errors();
    assert!(!opener.set(c"tlsivinv", &[0; 13]));
    _ = errors();
    // Without setting it again the IV is used up, and counts on.
    assert_eq!(sealer.try_text(&text, true), None);
    _ = errors();
}

/// No two messages under one IV, whatever is mixed with IVs of the generator.
#[test]
fn generator_and_other_messages() {
    let provider = Provider::load(&[]).expect("loads");
    let key = bytes(16, 1);
    let next = |cipher: &mut Cipher<'_>| cipher.get(c"tlsivgen", 8);
    let message = |cipher: &mut Cipher<'_>| {
        cipher.text(&[0; 32]);
        assert!(cipher.finish().is_some());
    };
    // A message under the IV that would be the next one, whole or only begun, or under another one.
    for (iv, ends) in [(None, true), (None, false), (Some(bytes(12, 2)), true)] {
        let mut cipher = ready(&provider, "AES-128-GCM", &key, true, 16, &bytes(4, 3));
        assert!(next(&mut cipher).is_some());
        assert!(cipher.set(c"tlsivfixed", &bytes(4, 3)));
        cipher.init(true, None, iv.as_deref());
        if ends {
            message(&mut cipher)
        } else {
            cipher.aad(&[1])
        }
        assert!(next(&mut cipher).is_none() && cipher.error().contains("no fixed part"));
        assert!(record(&mut cipher, 1, &mut [0; 56], true, true, 16).is_none());
        assert!(cipher.error().contains("no fixed part"));
        // With it again.
        assert!(cipher.set(c"tlsivfixed", &bytes(4, 3)));
        let ivs = [(); 2].map(|()| {
            let iv = next(&mut cipher);
            message(&mut cipher);
            iv.expect("there is one")
        });
        assert_ne!(ivs[0], ivs[1]);
        no_error();
    }
    // A record that came in, and then one that goes out.
    let mut data = [0; 56];
    let mut sealing = ready(&provider, "AES-128-GCM", &key, true, 16, &bytes(4, 3));
    assert_eq!(record(&mut sealing, 1, &mut data, true, true, 16), Some(56));
    let mut opening = ready(&provider, "AES-128-GCM", &key, false, 16, &bytes(4, 3));
    assert_eq!(record(&mut opening, 1, &mut data, true, false, 16), Some(32));
    opening.init(true, None, None);
    assert!(record(&mut opening, 2, &mut data, true, true, 16).is_none());
    assert!(opening.error().contains("no fixed part"));
}
