//! Keys that do not have all powers of H yet: every way to use one is right, before and after it is completed.
#![allow(missing_docs)]

use evariste::hazmat::GcmOpener;
use evariste::{Aead, Backend, Gcm, Message};

const LENGTHS: [usize; 17] = [0, 1, 16, 17, 48, 64, 65, 240, 257, 500, 512, 513, 1056, 1350, 2080, 2081, 5000];

#[test]
fn keys_for_short_messages() {
    for b in Backend::available() {
        for key in [&[3; 16][..], &[4; 24], &[5; 32]] {
            let whole = Gcm::with_backend(key, b).expect("a length of keys");
            let mut gcm = Gcm::with_backend(&[9; 16], b).expect("16 bytes");
            for longest in [0, 1, 16, 30, 64, 130, 512, 513, 4096, usize::MAX] {
                gcm.rekey_for(key, longest).expect("a length of keys");
                assert_alike(&whole, &gcm);
                gcm.prepare(longest);
                assert_alike(&whole, &gcm);
                gcm.prepare(1 << 20);
                assert_alike(&whole, &gcm);
            }
        }
    }
}

/// Messages that have fewer powers than blocks, hashed in groups and strides: every kind of end, sealed and opened.
#[test]
fn groups_end_anywhere() {
    let text: Vec<u8> = (0..4200).map(|n| (n / 7) as u8).collect();
    for b in Backend::available() {
        let whole = Gcm::with_backend(&[3; 32], b).expect("32 bytes");
        let keys = [512, 2080, 4200].map(|longest| Gcm::with_backend_for(&[3; 32], b, longest).expect("32 bytes"));
        for len in (0..2100).step_by(7).chain((2100..4200).step_by(61)) {
            let aad = &text[..len % 17];
            let mut expected = text[..len].to_vec();
            let tag = whole.seal(&[1; 12], aad, &mut expected).expect("within limits");
            for gcm in &keys {
                let mut data = text[..len].to_vec();
                assert_eq!(gcm.seal(&[1; 12], aad, &mut data).expect("within limits")[..], tag[..], "{b} {len}");
                assert!(data == expected, "{b} {len}");
                gcm.open(&[1; 12], aad, &mut data, &tag).expect("authentic");
                assert!(data == text[..len], "{b} {len}");
            }
        }
    }
}

/// All ways in, under both.
fn assert_alike(whole: &Gcm, gcm: &Gcm) {
    let text: Vec<u8> = (0..*LENGTHS.last().expect("not empty")).map(|n| n as u8).collect();
    for len in LENGTHS {
        for (aad, nonce) in [(0, 12), (13, 12), (300, 12), (5, 8)] {
            let (aad, nonce) = (&text[..aad], &text[7..][..nonce]);
            let (mut a, mut b) = (text[..len].to_vec(), text[..len].to_vec());
            let tag = whole.seal(nonce, aad, &mut a).expect("within limits");
            assert_eq!(*gcm.seal(nonce, aad, &mut b).expect("within limits"), *tag, "{gcm:?} {len}");
            assert_eq!(a, b, "{gcm:?} {len}");
            gcm.open(nonce, aad, &mut b, &tag).expect("authentic");
            assert_eq!(b, text[..len]);
            let mut opener = GcmOpener::from(opened(gcm, nonce, aad));
            opener.update((&mut a[..]).into()).expect("within limits");
            opener.finish(&tag).expect("authentic");
            assert_eq!(a, text[..len]);
            let mac = whole.mac(nonce, &text[..len]).expect("within limits");
            gcm.verify_mac(nonce, &text[..len], &mac).expect("authentic");
            let mut sealed = [0; 16];
            let message = Message { nonce, aad, data: &mut b, tag: &mut sealed, authentic: false };
            gcm.seal_many(&mut [message]).expect("within limits");
            assert_eq!(sealed, *tag);
        }
    }
}

fn opened<'k>(gcm: &'k Gcm, nonce: &[u8], aad: &[u8]) -> evariste::GcmStream<'k> {
    let mut stream = gcm.stream(nonce).expect("within limits");
    stream.aad(aad).expect("within limits");
    stream
}
