//! Modes over an expanded cipher, and copies of keys, do what new ones from the key's bytes do.

use evariste::{Aead, Aes, Backend, Ccm, Ctr, Gcm, GcmSiv, Ghash, KeyError, Polyval, Xaes256Gcm};

const KEY: [u8; 32] = [0x5a; 32];
const AAD: &[u8] = b"header";

/// Ciphertext and tag of a few lengths, some of them longer than what backends take as short.
fn sealed(aead: &dyn Aead, nonce: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for len in [0, 1, 16, 100, 5000] {
        let mut data = vec![7; len];
        let tag = aead.seal(nonce, AAD, &mut data).expect("within limits");
        all.extend_from_slice(&data);
        all.extend_from_slice(&tag);
    }
    all
}

#[test]
fn modes_over_a_cipher() {
    for b in Backend::available() {
        for key in [&KEY[..16], &KEY[..24], &KEY] {
            let aes = Aes::with_backend(key, b).expect("a key length");
            for tag in 12..=16 {
                let new = Gcm::with_tag_len(key, b, tag).expect("a tag length");
                let over = Gcm::from_aes(&aes, tag).expect("a tag length");
                assert_eq!(sealed(&over, &[1; 12]), sealed(&new, &[1; 12]), "{b} {tag}");
                assert_eq!(sealed(&over, &[1; 9]), sealed(&new, &[1; 9]), "{b} {tag}");
                assert_eq!(over.backend(), b);
            }
            for tag in [4, 8] {
                let new = Gcm::with_short_tag(key, b, tag).expect("a tag length");
                let over = Gcm::from_aes_short_tag(&aes, tag).expect("a tag length");
                assert_eq!(sealed(&over, &[1; 12]), sealed(&new, &[1; 12]), "{b} {tag}");
            }
            for tag in [8, 10, 12, 14, 16] {
                let new = Ccm::with_tag_len(key, b, tag).expect("a tag length");
                let over = Ccm::from_aes(&aes, tag).expect("a tag length");
                assert_eq!(sealed(&over, &[1; 12]), sealed(&new, &[1; 12]), "{b} {tag}");
            }
            for tag in [4, 6] {
                let new = Ccm::with_short_tag(key, b, tag).expect("a tag length");
                let over = Ccm::from_aes_short_tag(&aes, tag).expect("a tag length");
                assert_eq!(sealed(&over, &[1; 12]), sealed(&new, &[1; 12]), "{b} {tag}");
            }
            match GcmSiv::from_aes(&aes) {
                Ok(over) => {
                    let new = GcmSiv::with_backend(key, b).expect("16 or 32 bytes");
                    assert_eq!(sealed(&over, &[1; 12]), sealed(&new, &[1; 12]), "{b}");
                }
                Err(e) => assert_eq!((e, key.len()), (KeyError::Length, 24)),
            }
            let (mut one, mut other) = ([3; 77], [3; 77]);
            Ctr::from_aes(&aes, &[0xfe; 16]).apply((&mut one).into()).expect("within the counter");
            let mut new = Ctr::with_backend(key, &[0xfe; 16], b).expect("a key length");
            new.apply((&mut other).into()).expect("within the counter");
            assert_eq!(one, other, "{b}");
        }
    }
}

#[test]
fn tag_lengths_are_checked() {
    let aes = Aes::new(&KEY).expect("32 bytes");
    for len in 0..20 {
        assert_eq!(Gcm::from_aes(&aes, len).is_ok(), (12..=16).contains(&len));
        assert_eq!(Gcm::from_aes_short_tag(&aes, len).is_ok(), len == 4 || len == 8);
        assert_eq!(Ccm::from_aes(&aes, len).is_ok(), [8, 10, 12, 14, 16].contains(&len));
        assert_eq!(Ccm::from_aes_short_tag(&aes, len).is_ok(), len == 4 || len == 6);
    }
}

#[test]
fn copies() {
    for b in Backend::available() {
        let gcm = Gcm::with_backend(&KEY, b).expect("32 bytes");
        assert_eq!(sealed(&gcm.clone(), &[2; 12]), sealed(&gcm, &[2; 12]), "{b}");
        let ccm = Ccm::with_backend(&KEY, b).expect("32 bytes");
        assert_eq!(sealed(&ccm.clone(), &[2; 12]), sealed(&ccm, &[2; 12]), "{b}");
        let siv = GcmSiv::with_backend(&KEY, b).expect("32 bytes");
        assert_eq!(sealed(&siv.clone(), &[2; 12]), sealed(&siv, &[2; 12]), "{b}");
        let xaes = Xaes256Gcm::with_backend(&KEY, b).expect("32 bytes");
        assert_eq!(sealed(&xaes.clone(), &[2; 24]), sealed(&xaes, &[2; 24]), "{b}");
        // A keystream goes on in the middle of a block, in both.
        let mut ctr = Ctr::with_backend(&KEY, &[9; 16], b).expect("32 bytes");
        ctr.apply((&mut [0; 21]).into()).expect("within the counter");
        let mut copy = ctr.clone();
        let (mut one, mut other) = ([0; 50], [0; 50]);
        ctr.apply((&mut one).into()).expect("within the counter");
        copy.apply((&mut other).into()).expect("within the counter");
        assert_eq!(one, other, "{b}");
    }
}

#[test]
fn hashes_are_copied_and_reset() {
    for b in Backend::available() {
        let mut ghash = Ghash::with_backend(&[3; 16], b);
        ghash.update(&[4; 37]);
        let whole = ghash.clone().finish();
        ghash.reset();
        ghash.update(&[4; 30]);
        let mut copy = ghash.clone();
        copy.update(&[4; 7]);
        assert_eq!(copy.finish(), whole, "{b}");
        let mut polyval = Polyval::with_backend(&[3; 16], b);
        polyval.update(&[4; 37]);
        let whole = polyval.clone().finish();
        polyval.reset();
        polyval.update(&[4; 37]);
        assert_eq!(polyval.finish(), whole, "{b}");
    }
}
