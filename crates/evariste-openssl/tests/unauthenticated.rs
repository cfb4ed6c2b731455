//! CTR, ECB and CBC by their tables.

mod shared;

use shared::*;

const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";

/// SP 800-38A appendix F: F.1.1, F.2.1, F.5.1, in all pieces.
#[test]
fn known_answers() {
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    for (name, iv, sealed) in [
        ("AES-128-ECB", "", "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),
        (
            "AES128",
            "000102030405060708090a0b0c0d0e0f",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
        ),
        (
            "AES-128-CTR",
            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
        ),
    ] {
        let mut cipher = provider.cipher(name);
        let iv = (!iv.is_empty()).then(|| hex(iv));
        for piece in 1..=32 {
            for (encrypt, from, to) in [(true, TEXT, sealed), (false, sealed, TEXT)] {
                cipher.init(encrypt, Some(&hex(KEY)), iv.as_deref());
                assert!(cipher.set_number(c"padding", 0));
                let mut got: Vec<u8> = hex(from).chunks(piece).flat_map(|piece| cipher.text(piece)).collect();
                got.extend(cipher.finish().expect("whole blocks"));
                assert_eq!(got, hex(to), "{name} {piece}");
            }
        }
        cipher.init(true, None, iv.as_deref());
        assert_eq!(cipher.try_text(&hex(TEXT), true), Some(hex(sealed)), "{name}");
    }
}

/// In place, one piece behind the other, the output behind the input by what is held.
#[test]
fn padding() {
    let provider = Provider::load(&[("cbc", "on")]).expect("loads");
    for name in ["AES-256-ECB", "AES-256-CBC"] {
        let (key, iv) = (bytes(32, 1), (name == "AES-256-CBC").then(|| bytes(16, 2)));
        let mut cipher = provider.cipher(name);
        for len in (0..100).chain([511, 512, 513, 2000]) {
            let text = bytes(len, 3);
            cipher.init(true, Some(&key), iv.as_deref());
            let mut sealed = cipher.text(&text);
            sealed.extend(cipher.finish().expect("padded"));
            assert_eq!(sealed.len(), len / 16 * 16 + 16);
            for piece in [1, 5, 16, 17, 48, 5000] {
                cipher.init(false, None, iv.as_deref());
                let mut memory = sealed.clone();
                let (mut at, mut to, end) = (0, 0, sealed.len());
                while at < end {
                    let n = piece.min(end - at);
                    to += cipher.try_at(&mut memory, Some((to, n + 16)), Some(at), n).expect("done");
                    at += n;
                }
                let last = cipher.finish().expect("right padding");
                memory[to..][..last.len()].copy_from_slice(&last);
                assert_eq!(memory[..to + last.len()], text, "{name} {len} {piece}");
            }
            // The padding is what was given, or the call fails.
            cipher.init(true, None, iv.as_deref());
            assert!(cipher.set_number(c"padding", 0));
            cipher.text(&text);
            assert_eq!(cipher.finish().is_some(), len % 16 == 0);
            _ = errors();
            assert!(cipher.set_number(c"padding", 1));
        }
        for bad in [0, 17, 255] {
            cipher.init(true, None, iv.as_deref());
            assert!(cipher.set_number(c"padding", 0));
            let sealed = cipher.text(&[[7; 16], [bad; 16]].concat());
            assert!(cipher.set_number(c"padding", 1));
            cipher.init(false, None, iv.as_deref());
            assert_eq!(cipher.text(&sealed).len(), 16);
            assert_eq!(cipher.finish(), None);
            assert_eq!(cipher.error(), "the padding is not right");
            assert_eq!(cipher.finish(), None);
            _ = errors();
        }
        cipher.init(false, None, iv.as_deref());
        assert_eq!(cipher.text(&[1; 40]).len(), 32);
        assert_eq!(cipher.finish(), None);
        assert_eq!(cipher.error(), "the text is not whole blocks");
        cipher.init(true, None, iv.as_deref());
        assert_eq!(cipher.try_text(&[0; 15], true), None);
        assert_eq!(cipher.error(), "the text is not whole blocks");
    }
}

/// TLS's CBC is refused, so that a handshake fails and nothing leaks.
#[test]
fn no_cbc_records() {
    let provider = Provider::load(&[("cbc", "1")]).expect("loads");
    let mut cbc = provider.cipher("AES-128-CBC");
    cbc.init(false, Some(&bytes(16, 1)), Some(&bytes(16, 1)));
    for key in [c"tls-version", c"tls-mac-size"] {
        assert!(!cbc.set_number(key, 0x303));
        assert_eq!(cbc.error(), "removing the MAC of CBC records is not implemented");
    }
    for without in [&[][..], &[("cbc", "no")]] {
        let provider = Provider::load(without).expect("loads");
        assert!(provider.algorithms().iter().all(|(names, ..)| !names.contains("CBC")));
    }
    assert!(Provider::load(&[("cbc", "maybe")]).is_none());
}

/// Where a keystream stands, and how it goes on.
#[test]
fn positions() {
    let provider = Provider::load(&[]).expect("loads");
    let (key, iv) = (bytes(16, 1), hex("000000000000000000000000fffffffe"));
    let mut ctr = provider.cipher("AES-128-CTR");
    let next = |ctr: &mut Cipher<'_>| ctr.get(c"updated-iv", 16).expect("16 bytes");
    ctr.init(true, Some(&key), None);
    assert_eq!(ctr.try_text(&[0; 5], false), None);
    assert_eq!(ctr.error(), "no IV is set");
    ctr.init(true, None, Some(&iv));
    let whole = ctr.text(&[0; 100]);
    for at in 0..100 {
        ctr.init(true, None, Some(&iv));
        let start = ctr.text(&vec![0; at]);
        assert_eq!(start, whole[..at]);
        assert_eq!(ctr.get_number(c"num"), Some(at as u64 % 16));
        let counter = u128::from_be_bytes(iv[..].try_into().expect("16 bytes")) + at.div_ceil(16) as u128;
        assert_eq!(next(&mut ctr), counter.to_be_bytes());
        assert_eq!(ctr.get(c"iv", 16).as_ref(), Some(&iv));
        let mut copy = ctr.copy();
        assert_eq!(copy.text(&vec![0; 100 - at]), whole[at..]);
        // Without an IV it goes on with the next block; a position within one cannot be set.
        assert!(!ctr.set_number(c"num", at as u64 % 16 + 1));
        assert_eq!(ctr.error(), "the position in a block of keystream cannot be set");
        assert!(ctr.set_number(c"num", at as u64 % 16));
        if at % 2 == 0 {
            ctr.init(true, None, None);
        } else {
            assert!(ctr.set_number(c"num", 0));
        }
        assert_eq!(
            ctr.text(&[0; 100])[..100 - at.next_multiple_of(16).min(100)],
            whole[at.next_multiple_of(16).min(100)..]
        );
    }
    // By its address.
    let mut address: *const u8 = std::ptr::null();
    let data = std::ptr::from_mut(&mut address).cast();
    for key in [c"iv", c"updated-iv"] {
        let wanted = Param { key: key.as_ptr(), data_type: OCTET_PTR, data, data_size: 16, return_size: 0 };
        let mut params = [wanted, END];
        assert!(ctr.get_all(&mut params) && !address.is_null() && params[0].return_size == 16);
    }
    // The counter ends.
    ctr.init(true, None, Some(&[0xff; 16]));
    assert_eq!(ctr.text(&[0; 16]).len(), 16);
    assert_eq!(ctr.try_text(&[0; 1], false), None);
    assert_eq!(ctr.error(), "the counter would pass its end");
    ctr.init(true, Some(&key), None);
    assert_eq!(ctr.try_text(&[0; 1], false), None);
    assert_eq!(ctr.error(), "the IV is used up, or the message has failed: set another IV");
    ctr.init(true, None, Some(&[0xff; 16]));
    assert_eq!(ctr.try_text(&[0; 17], false), None);
    assert_eq!(ctr.error(), "the counter would pass its end");
}
