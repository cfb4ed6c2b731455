//! Mistakes that were made elsewhere, each named after where it was reported. More of them are in
//! `pieces.rs`, `switches.rs`, `first_call.rs` and `wiped.rs`.

#[path = "shared/modes.rs"]
mod modes;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/usable.rs"]
mod usable;

use evariste::hazmat::GcmOpener;
use evariste::{Aead, AuthError, Backend, Ccm, Ctr, Gcm, KeyError, LimitError};
use modes::{MODES, Mode};
use paint::paint;
use usable::usable;

const KEYS: [usize; 3] = [16, 24, 32];

fn portable() -> Backend {
    Backend::by_name("portable").expect("always there")
}

/// Each mode, under each length of key, on each backend.
fn each(test: impl Fn(&Mode, &dyn Aead)) {
    for backend in usable() {
        for mode in &MODES {
            for key in mode.keys {
                test(mode, &*(mode.make)(&paint(*key, 3), backend));
            }
        }
    }
}

/// The kernel took eight blocks at a time, and left the wrong counter behind after two or three more.
#[test]
fn openssl_8510_ctr_8n_plus_2_blocks() {
    let text = paint(200 * 16, 0);
    for key in KEYS {
        let key = paint(key, 0);
        let start = |b| Ctr::with_backend(&key, &[0xf7; 16], b).expect("a key length");
        let mut expected = text.clone();
        start(portable()).apply((&mut expected[..]).into()).expect("before the end");
        for backend in usable() {
            for blocks in 1..=100 {
                let mut data = text.clone();
                let mut ctr = start(backend);
                let (first, rest) = data.split_at_mut(blocks * 16);
                let (second, third) = rest.split_at_mut(blocks * 16 % 48 + 5);
                for piece in [first, second, third] {
                    ctr.apply(piece.into()).expect("before the end");
                }
                assert!(data == expected, "{backend}: {blocks} blocks, then more");
            }
        }
    }
}

/// Messages longer than 255 bytes came out wrong; so all short ones, and sealed by the other side.
#[test]
fn nss_power_gcm_over_255_bytes() {
    for key in KEYS {
        let key = paint(key, 0);
        let theirs = Gcm::with_backend(&key, portable()).expect("a key length");
        for backend in usable() {
            let ours = Gcm::with_backend(&key, backend).expect("a key length");
            for len in 0..=1100 {
                let text = paint(len, len);
                let mut data = text.clone();
                let tag = theirs.seal(&[1; 12], &[], &mut data).expect("within limits");
                assert_eq!(ours.open(&[1; 12], &[], &mut data, &tag), Ok(()), "{backend}: {len}");
                assert!(data == text, "{backend}: {len}");
            }
        }
    }
}

/// Loads that want alignment. Known answers, since two equal mistakes undo each other: test case 4 of
/// the GCM specification.
#[test]
fn openssl_20413_openssl_29845_misaligned_buffers() {
    let hex = |s: &str| -> Vec<u8> {
        (0..s.len() / 2).map(|i| u8::from_str_radix(&s[2 * i..][..2], 16).expect("hexadecimal")).collect()
    };
    let key = hex("feffe9928665731c6d6a8f9467308308");
    let nonce = hex("cafebabefacedbaddecaf888");
    let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let text = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
                    b16aedf5aa0de657ba637b39");
    let sealed =
        hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05\
                      1ba30b396a0aac973d58e091");
    let tag = hex("5bc94fbc3221a5db94fae95ae7121a47");
    let at = |bytes: &[u8], offset| [&vec![0; offset][..], bytes].concat();
    for backend in usable() {
        for n in 0..256 {
            let (i, o) = (n / 16, n % 16);
            let (key, nonce, aad) = (at(&key, i), at(&nonce, o), at(&aad, (i + o) % 16));
            let gcm = Gcm::with_backend(&key[i..], backend).expect("16 bytes");
            let (nonce, aad) = (&nonce[o..], &aad[(i + o) % 16..]);
            let mut out = vec![0; text.len() + o];
            let made = gcm.seal_to(nonce, aad, &at(&text, i)[i..], &mut out[o..]).expect("within limits");
            assert_eq!((&out[o..], &*made), (&sealed[..], &tag[..]), "{backend}: {i} {o}");
            assert_eq!(gcm.open_to(nonce, aad, &at(&sealed, i)[i..], &mut out[o..], &at(&tag, i)[i..]), Ok(()));
            assert_eq!(out[o..], text, "{backend}: {i} {o}");
        }
    }
}

/// A hash of the long nonce, or of its additional data, that stayed behind in the key.
#[test]
fn zfs_7f05fface3_long_nonce_then_short() {
    for backend in usable() {
        for key in KEYS {
            let fresh = || Gcm::with_backend(&paint(key, 0), backend).expect("a key length");
            let used = fresh();
            for nonce in [&paint(128, 1)[..], &paint(12, 2), &paint(1, 3), &paint(12, 4), &paint(16, 5)] {
                let (mut a, mut b) = (paint(300, 0), paint(300, 0));
                let aad = paint(40, nonce.len());
                let one = used.seal(nonce, &aad, &mut a).expect("within limits");
                let other = fresh().seal(nonce, &aad, &mut b).expect("within limits");
                assert_eq!((a, &*one), (b, &*other), "{backend}");
            }
        }
    }
}

/// An empty nonce was taken, and gave the key away.
#[test]
fn nss_1369353_wolfssl_2910_empty_nonce() {
    each(|mode, aead| {
        let mut data = paint(40, 0);
        assert_eq!(aead.seal(&[], &[], &mut data).err(), Some(LimitError::Nonce), "{}", mode.name);
        assert_eq!(data, paint(40, 0));
        assert_eq!(aead.open(&[], &[], &mut data, &[0; 16]), Err(AuthError), "{}", mode.name);
        assert_eq!(data, [0; 40]);
    });
    for backend in usable() {
        let gcm = Gcm::with_backend(&[0; 16], backend).expect("16 bytes");
        assert_eq!(gcm.stream(&[]).err(), Some(LimitError::Nonce));
        assert_eq!(gcm.mac(&[], b"data").err(), Some(LimitError::Nonce));
        assert_eq!(gcm.verify_mac(&[], b"data", &[0; 16]), Err(AuthError));
        let ccm = Ccm::with_backend(&[0; 16], backend).expect("16 bytes");
        assert_eq!(ccm.stream(&[], 0, 0).err(), Some(LimitError::Nonce));
    }
}

/// A good message, then a forged one: what is kept of the first must not vouch for the second.
#[test]
fn openssl_31584_forged_after_good() {
    each(|mode, aead| {
        let nonce = paint(mode.nonces[0], 0);
        let mut sealed = paint(100, 0);
        let tag = aead.seal(&nonce, b"aad", &mut sealed).expect("within limits");
        for _ in 0..3 {
            let mut good = sealed.clone();
            assert_eq!(aead.open(&nonce, b"aad", &mut good, &tag), Ok(()));
            let mut forged = sealed.clone();
            forged[50] ^= 4;
            assert_eq!(aead.open(&nonce, b"aad", &mut forged, &tag), Err(AuthError), "{}", mode.name);
            assert_eq!(forged, [0; 100]);
            assert_eq!(aead.open(&nonce, b"add", &mut sealed.clone(), &tag), Err(AuthError), "{}", mode.name);
        }
    });
    for backend in usable() {
        let gcm = Gcm::with_backend(&[7; 16], backend).expect("16 bytes");
        let mut data = paint(100, 0);
        let tag = gcm.seal(&[0; 12], &[], &mut data).expect("within limits");
        for (bit, verdict) in [(0, Ok(())), (1, Err(AuthError)), (0, Ok(()))] {
            let mut piece = data.clone();
            piece[99] ^= bit;
            let mut opener = GcmOpener::from(gcm.stream(&[0; 12]).expect("12 bytes"));
            opener.update((&mut piece[..]).into()).expect("within limits");
            // Finishing takes the opener: there is no second try.
            assert_eq!(opener.finish(&tag), verdict, "{backend}");
        }
    }
}

/// In place or not is all one; a kernel that reads a block after the one before was written must know.
#[test]
fn jdk_8181386_optee_7554_in_place() {
    each(|mode, aead| {
        let nonce = paint(mode.nonces[0], 0);
        for len in (0..300).chain([1000, 2000, 4099]) {
            let text = paint(len, 0);
            let (mut a, mut b) = (text.clone(), vec![0; len]);
            let one = aead.seal(&nonce, &[], &mut a).expect("within limits");
            let other = aead.seal_to(&nonce, &[], &text, &mut b).expect("within limits");
            assert!(a == b && *one == *other, "{}: {len}", mode.name);
            assert_eq!(aead.open_to(&nonce, &[], &a, &mut b, &one), Ok(()));
            assert_eq!(aead.open(&nonce, &[], &mut a, &one), Ok(()));
            assert!(a == text && b == text, "{}: {len}", mode.name);
        }
    });
}

/// The plaintext of a forged message stayed in the buffer.
#[test]
fn rustsec_2023_0096_wolfssl_5732_no_plaintext_after_failure() {
    each(|mode, aead| {
        let nonce = paint(mode.nonces[0], 0);
        for len in (1..300).chain([1024, 4096, 5000]) {
            let mut sealed = vec![0x41; len];
            let mut tag = aead.seal(&nonce, b"aad", &mut sealed).expect("within limits").to_vec();
            tag[len % 16] ^= 1;
            let mut out = vec![0x55; len];
            assert_eq!(aead.open_to(&nonce, b"aad", &sealed, &mut out, &tag), Err(AuthError));
            assert!(out.iter().all(|b| *b == 0), "{}: {len}", mode.name);
            let mut appended = [&sealed[..], &tag].concat();
            assert_eq!(aead.open_appended(&nonce, b"aad", &appended, &mut out), Err(AuthError));
            assert!(out.iter().all(|b| *b == 0), "{}: {len}", mode.name);
            assert_eq!(aead.open_in_place(&nonce, b"aad", &mut appended), Err(AuthError));
            assert!(appended[..len].iter().all(|b| *b == 0), "{}: {len}", mode.name);
            assert_eq!(aead.open(&nonce, b"aad", &mut sealed, &tag), Err(AuthError));
            assert!(sealed.iter().all(|b| *b == 0), "{}: {len}", mode.name);
        }
    });
}

/// An empty text has a tag like any other.
#[test]
fn mirage_299_ccm_without_text() {
    let bytes: [u8; 16] = core::array::from_fn(|i| i as u8);
    let tag = 0x4c8d_eb83_9f1d_b385_6356_fe0c_0956_db30u128.to_be_bytes();
    for backend in usable() {
        let ccm = Ccm::with_backend(&bytes, backend).expect("16 bytes");
        assert_eq!(*ccm.seal(&bytes[..13], &bytes[..14], &mut []).expect("within limits"), tag, "{backend}");
        assert_eq!(ccm.open(&bytes[..13], &bytes[..14], &mut [], &tag), Ok(()));
        assert_eq!(ccm.open(&bytes[..13], &bytes[..13], &mut [], &tag), Err(AuthError));
    }
}

/// Nonces of 6 and 14 bytes do not exist in CCM.
#[test]
fn libtomcrypt_775_ccm_nonce_lengths() {
    for backend in usable() {
        let ccm = Ccm::with_backend(&[1; 16], backend).expect("16 bytes");
        for len in 0..=20 {
            let mut data = [9; 20];
            let sealed = ccm.seal(&paint(len, 0), &[], &mut data);
            if (7..=13).contains(&len) {
                assert_eq!(ccm.open(&paint(len, 0), &[], &mut data, &sealed.expect("a nonce")), Ok(()));
            } else {
                assert_eq!(sealed.err(), Some(LimitError::Nonce), "{len}");
            }
            assert_eq!(data, [9; 20], "{backend}: {len}");
        }
    }
}

/// With a nonce of 13 bytes the length has two.
#[test]
fn pyca_11912_ccm_length_field() {
    for backend in usable() {
        let ccm = Ccm::with_backend(&[1; 16], backend).expect("16 bytes");
        let mut data = vec![7; 65536];
        assert_eq!(ccm.seal(&[0; 13], &[], &mut data).err(), Some(LimitError::Text));
        assert!(data.iter().all(|b| *b == 7), "{backend}: written although refused");
        let tag = ccm.seal(&[0; 13], &[], &mut data[1..]).expect("65535 bytes");
        assert_eq!(ccm.open(&[0; 13], &[], &mut data[1..], &tag), Ok(()));
        assert!(data.iter().all(|b| *b == 7), "{backend}");
        assert_eq!(ccm.open(&[0; 13], &[], &mut data, &tag), Err(AuthError));
        assert!(data.iter().all(|b| *b == 0), "{backend}");
        assert_eq!(ccm.stream(&[0; 13], 0, 65536).err(), Some(LimitError::Text));
        assert_eq!(ccm.stream(&[0; 12], 0, 1 << 24).err(), Some(LimitError::Text));
    }
}

/// The comparison stopped early. That it takes equally long is shown elsewhere; that it looks at every
/// bit, here.
#[test]
fn rustsec_2026_0045_every_bit_of_the_tag_counts() {
    each(|mode, aead| {
        let nonce = paint(mode.nonces[0], 0);
        let mut sealed = paint(33, 0);
        let tag = aead.seal(&nonce, &[], &mut sealed).expect("within limits");
        for bit in 0..128 {
            let mut forged = tag.to_vec();
            forged[bit / 8] ^= 1 << (bit % 8);
            let mut data = sealed.clone();
            assert_eq!(aead.open(&nonce, &[], &mut data, &forged), Err(AuthError), "{}: {bit}", mode.name);
            assert_eq!(data, [0; 33]);
        }
        assert_eq!(aead.open(&nonce, &[], &mut sealed, &tag), Ok(()));
    });
}

/// The code for one key length and one remainder of blocks was wrong.
#[test]
fn openssl_32883_every_key_length_and_remainder() {
    for key in KEYS {
        let key = paint(key, 0);
        let on = |backend| {
            let ctr = Ctr::with_backend(&key, &[3; 16], backend).expect("a key length");
            (backend, Gcm::with_backend(&key, backend).expect("a key length"), ctr)
        };
        let (_, portable_gcm, mut portable_ctr) = on(portable());
        let mut all: Vec<_> = usable().into_iter().map(on).collect();
        for blocks in 64..=192 {
            let text = paint(16 * blocks, blocks);
            let (mut sealed, mut encrypted) = (text.clone(), text.clone());
            let tag = portable_gcm.seal(&[2; 12], &[], &mut sealed).expect("within limits");
            portable_ctr.restart(&[3; 16]);
            portable_ctr.apply((&mut encrypted[..]).into()).expect("before the end");
            for (backend, gcm, ctr) in &mut all {
                let case = format!("{backend}: {blocks} blocks, a key of {}", key.len());
                let mut data = text.clone();
                assert_eq!(*gcm.seal(&[2; 12], &[], &mut data).expect("within limits"), *tag, "{case}");
                assert!(data == sealed, "{case}");
                assert_eq!(gcm.open(&[2; 12], &[], &mut data, &tag), Ok(()), "{case}");
                assert!(data == text, "{case}");
                ctr.restart(&[3; 16]);
                ctr.apply((&mut data[..]).into()).expect("before the end");
                assert!(data == encrypted, "{case}");
            }
        }
    }
}

/// A nonce from the other side was not of the length expected, and the program ended.
#[test]
fn jose2go_42_hostile_nonce_lengths() {
    let hostile = paint(70_000, 0);
    each(|mode, aead| {
        for len in (0..300).chain([1000, 4096, 65535, 65536, 70_000]) {
            let mut data = [1; 20];
            let takes = match mode.name {
                "GCM" => len > 0,
                "CCM" => (7..=13).contains(&len),
                _ => len == mode.nonces[0],
            };
            assert_eq!(aead.seal(&hostile[..len], &[], &mut data).is_ok(), takes, "{}: {len}", mode.name);
            assert_eq!(aead.open(&hostile[..len], &[], &mut data, &hostile[..16]), Err(AuthError));
            assert_eq!(data, [0; 20]);
        }
    });
}

/// QUIC takes the counter from a sample of the ciphertext: it may be anything, and the program must not
/// end over it where additions are checked, as they are here.
#[test]
fn ring_0_17_12_counter_from_the_wire() {
    for backend in usable() {
        for word in 0..4 {
            let mut sample = [0x11; 16];
            sample[4 * word..][..4].fill(0xff);
            for len in [5, 16, 17, 100, 1000, 5000] {
                let on = |b| {
                    let mut data = vec![0; len];
                    let mut ctr = Ctr::with_backend(&[8; 32], &sample, b).expect("32 bytes");
                    ctr.apply((&mut data[..]).into()).expect("before the end");
                    data
                };
                assert!(on(backend) == on(portable()), "{backend}: {sample:02x?}, {len}");
            }
        }
        let mut all = Ctr::with_backend(&[8; 32], &[0xff; 16], backend).expect("32 bytes");
        assert_eq!(all.apply((&mut [0; 5][..]).into()), Ok(()), "the mask of a header");
    }
}

/// A right tag cut short, down to nothing, was taken for right.
#[test]
fn mongoose_cve_2026_6986_bun_34093_truncated_tag() {
    each(|mode, aead| {
        let nonce = paint(mode.nonces[0], 0);
        let mut sealed = paint(50, 0);
        let tag = aead.seal(&nonce, &[], &mut sealed).expect("within limits");
        let long = [&tag[..], &[0; 16]].concat();
        for len in (0..=32).filter(|len| *len != 16) {
            let mut data = sealed.clone();
            assert_eq!(aead.open(&nonce, &[], &mut data, &long[..len]), Err(AuthError), "{}: {len}", mode.name);
            assert_eq!(data, [0; 50]);
        }
    });
    for backend in usable() {
        // Neither is a long tag where short ones were agreed on, nor the other way round.
        let short = Gcm::with_short_tag(&[0; 16], backend, 4).expect("opted in");
        let full = Gcm::with_backend(&[0; 16], backend).expect("16 bytes");
        let tag = full.mac(&[0; 12], b"data").expect("within limits");
        assert_eq!(*short.mac(&[0; 12], b"data").expect("within limits"), tag[..4]);
        assert_eq!(short.verify_mac(&[0; 12], b"data", &tag[..4]), Ok(()));
        assert_eq!(short.verify_mac(&[0; 12], b"data", &tag), Err(AuthError));
        assert_eq!(full.verify_mac(&[0; 12], b"data", &tag[..4]), Err(AuthError));
        assert_eq!(Gcm::with_tag_len(&[0; 16], backend, 4).err(), Some(KeyError::Tag));
    }
}
