//! The front door: what is refused, with which error, and that nothing has been written by then.

#[path = "shared/modes.rs"]
mod modes;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/usable.rs"]
mod usable;

use evariste::{
    Aead, Aes, AuthError, Backend, Ccm, Ctr, Gcm, GcmSiv, InOut, KeyError, LimitError, Message, Xaes256Gcm,
};
use modes::{MODES, Mode};
use paint::paint;
use std::mem::MaybeUninit;
use usable::usable;

/// Each mode under its longest key, on each backend, and a nonce.
fn each(test: impl Fn(&Mode, &dyn Aead, &[u8])) {
    for backend in usable() {
        for mode in &MODES {
            let key = paint(mode.keys[mode.keys.len() - 1], 0);
            test(mode, &*(mode.make)(&key, backend), &paint(mode.nonces[0], 7));
        }
    }
}

#[test]
fn key_lengths() {
    let (aes, siv, xaes): (&[usize], &[usize], &[usize]) = (&[16, 24, 32], &[16, 32], &[32]);
    for backend in usable() {
        for len in 0..=64 {
            let key = paint(len, 0);
            let outcome = |allowed: &[usize]| if allowed.contains(&len) { None } else { Some(KeyError::Length) };
            assert_eq!(Aes::with_backend(&key, backend).err(), outcome(aes), "{len}");
            assert_eq!(Ctr::with_backend(&key, &[0; 16], backend).err(), outcome(aes), "{len}");
            assert_eq!(Gcm::with_backend(&key, backend).err(), outcome(aes), "{len}");
            assert_eq!(Ccm::with_backend(&key, backend).err(), outcome(aes), "{len}");
            assert_eq!(GcmSiv::with_backend(&key, backend).err(), outcome(siv), "{len}");
            assert_eq!(Xaes256Gcm::with_backend(&key, backend).err(), outcome(xaes), "{len}");
        }
    }
}

#[test]
fn a_refused_rekey_leaves_the_key() {
    for backend in usable() {
        let mut gcm = Gcm::with_backend(&[1; 32], backend).expect("32 bytes");
        let before = gcm.mac(&[0; 12], b"data").expect("within limits");
        assert_eq!(gcm.rekey(&[2; 20]), Err(KeyError::Length));
        assert_eq!(*gcm.mac(&[0; 12], b"data").expect("within limits"), *before, "{backend}");
        gcm.rekey(&[2; 16]).expect("16 bytes");
        let other = Gcm::with_backend(&[2; 16], backend).expect("16 bytes");
        let other = other.mac(&[0; 12], b"data").expect("within limits");
        assert_eq!(*gcm.mac(&[0; 12], b"data").expect("within limits"), *other, "{backend}");
    }
}

/// What a key makes of one message.
fn sealed(aead: &dyn Aead, nonce: usize) -> Vec<u8> {
    let mut buffer = [7; 50];
    aead.seal_in_place(&[9; 24][..nonce], b"header", &mut buffer).expect("within limits");
    buffer.to_vec()
}

/// The same of the other modes.
#[test]
fn keys_are_replaced_or_stay() {
    for b in usable() {
        let mut ccm = Ccm::with_backend(&[1; 32], b).expect("32 bytes");
        let mut siv = GcmSiv::with_backend(&[1; 32], b).expect("32 bytes");
        let mut xaes = Xaes256Gcm::with_backend(&[1; 32], b).expect("32 bytes");
        let before = [sealed(&ccm, 12), sealed(&siv, 12), sealed(&xaes, 24)];
        for len in [0, 15, 24, 33] {
            let key = &[2; 33][..len];
            // CCM has keys of 24 bytes.
            assert!(len == 24 || ccm.rekey(key) == Err(KeyError::Length), "{b} {len}");
            assert_eq!(siv.rekey(key), Err(KeyError::Length), "{b} {len}");
            assert_eq!(xaes.rekey(key), Err(KeyError::Length), "{b} {len}");
            assert_eq!([sealed(&ccm, 12), sealed(&siv, 12), sealed(&xaes, 24)], before, "{b} {len}");
        }
        ccm.rekey(&[3; 16]).expect("16 bytes");
        siv.rekey(&[3; 16]).expect("16 bytes");
        xaes.rekey(&[3; 32]).expect("32 bytes");
        let new = Ccm::with_backend(&[3; 16], b).expect("16 bytes");
        assert_eq!(sealed(&ccm, 12), sealed(&new, 12), "{b}");
        let new = GcmSiv::with_backend(&[3; 16], b).expect("16 bytes");
        assert_eq!(sealed(&siv, 12), sealed(&new, 12), "{b}");
        let new = Xaes256Gcm::with_backend(&[3; 32], b).expect("32 bytes");
        assert_eq!(sealed(&xaes, 24), sealed(&new, 24), "{b}");
    }
}

/// A refused key leaves the keystream where it was; another one starts anew.
#[test]
fn ctr_is_rekeyed() {
    for b in usable() {
        let stream = |ctr: &mut Ctr| {
            let mut data = [0; 21];
            ctr.apply((&mut data).into()).expect("within limits");
            data
        };
        let (mut ctr, mut same) = [(); 2].map(|()| Ctr::with_backend(&[1; 16], &[2; 16], b).expect("16 bytes")).into();
        assert_eq!(stream(&mut ctr), stream(&mut same));
        assert_eq!(ctr.rekey(&[3; 17], &[4; 16]), Err(KeyError::Length));
        assert_eq!(stream(&mut ctr), stream(&mut same), "{b}");
        ctr.rekey(&[3; 32], &[4; 16]).expect("32 bytes");
        let mut new = Ctr::with_backend(&[3; 32], &[4; 16], b).expect("32 bytes");
        assert_eq!(stream(&mut ctr), stream(&mut new), "{b}");
    }
}

#[test]
fn tag_lengths() {
    for backend in usable() {
        for len in 0..=40 {
            let outcome = |allowed: &[usize]| if allowed.contains(&len) { None } else { Some(KeyError::Tag) };
            let key = [4; 16];
            assert_eq!(Gcm::with_tag_len(&key, backend, len).err(), outcome(&[12, 13, 14, 15, 16]), "{len}");
            assert_eq!(Gcm::with_short_tag(&key, backend, len).err(), outcome(&[4, 8]), "{len}");
            assert_eq!(Ccm::with_tag_len(&key, backend, len).err(), outcome(&[8, 10, 12, 14, 16]), "{len}");
            assert_eq!(Ccm::with_short_tag(&key, backend, len).err(), outcome(&[4, 6]), "{len}");
        }
    }
}

/// Each tag length takes tags of that length, and no others.
#[test]
fn tags_of_the_agreed_length_only() {
    fn check(aead: Result<impl Aead, KeyError>, tag_len: usize) {
        let aead = aead.expect("a tag length");
        assert_eq!(aead.tag_len(), tag_len);
        let mut sealed = paint(45, 0);
        let tag = aead.seal(&[0; 12], b"aad", &mut sealed).expect("within limits");
        assert_eq!(tag.len(), tag_len);
        let long = [&tag[..], &[0; 20]].concat();
        for len in 0..=24 {
            let mut data = sealed.clone();
            let opened = aead.open(&[0; 12], b"aad", &mut data, &long[..len]);
            let expected = if len == tag_len { (Ok(()), paint(45, 0)) } else { (Err(AuthError), vec![0; 45]) };
            assert_eq!((opened, data), expected, "{len} of {tag_len}");
        }
        for bit in 0..8 * tag_len {
            let mut forged = tag.to_vec();
            forged[bit / 8] ^= 1 << (bit % 8);
            let mut data = sealed.clone();
            assert_eq!(aead.open(&[0; 12], b"aad", &mut data, &forged), Err(AuthError), "bit {bit} of {tag_len}");
            assert_eq!(data, [0; 45]);
        }
    }
    for backend in usable() {
        (12..=16).for_each(|len| check(Gcm::with_tag_len(&[5; 16], backend, len), len));
        [4, 8].into_iter().for_each(|len| check(Gcm::with_short_tag(&[5; 16], backend, len), len));
        (8..=16).step_by(2).for_each(|len| check(Ccm::with_tag_len(&[5; 16], backend, len), len));
        [4, 6].into_iter().for_each(|len| check(Ccm::with_short_tag(&[5; 16], backend, len), len));
        check(GcmSiv::with_backend(&[5; 16], backend), 16);
    }
}

/// A tag of CCM is not the start of a longer one; one of GCM is.
#[test]
fn short_tags() {
    let portable = Backend::by_name("portable").expect("always there");
    let sealed = |ccm: Result<Ccm, KeyError>| {
        let mut data = paint(45, 0);
        let tag = ccm.expect("a tag length").seal(&[0; 12], b"aad", &mut data).expect("within limits");
        [data, tag.to_vec()].concat()
    };
    for backend in usable() {
        for len in [8, 10, 12, 14, 16] {
            let on = |b| sealed(Ccm::with_tag_len(&[5; 16], b, len));
            assert_eq!(on(backend), on(portable), "{backend}: {len}");
            assert!(len == 16 || !sealed(Ccm::with_backend(&[5; 16], backend)).starts_with(&on(backend)));
        }
        for len in [4, 6] {
            let on = |b| sealed(Ccm::with_short_tag(&[5; 16], b, len));
            assert_eq!(on(backend), on(portable), "{backend}: {len}");
        }
        let full = Gcm::with_backend(&[5; 16], backend).expect("16 bytes");
        let full = full.mac(&[0; 12], b"aad").expect("within limits");
        for len in 12..=16 {
            let gcm = Gcm::with_tag_len(&[5; 16], backend, len).expect("a tag length");
            assert_eq!(*gcm.mac(&[0; 12], b"aad").expect("within limits"), full[..len], "{backend}: {len}");
        }
    }
}

/// The error of a seal, and the zeros of an open, for a nonce or a text that the mode does not take.
fn refused(aead: &dyn Aead, nonce: &[u8], len: usize, error: LimitError) {
    let text = paint(len, 1);
    let mut data = text.clone();
    assert_eq!(aead.seal(nonce, b"aad", &mut data).err(), Some(error));
    assert!(data == text, "written although refused");
    let mut out = vec![0x55; len];
    assert_eq!(aead.seal_to(nonce, b"aad", &text, &mut out).err(), Some(error));
    assert!(out.iter().all(|b| *b == 0x55), "written although refused");
    let mut out = vec![0x55; len + aead.tag_len()];
    assert_eq!(aead.seal_appended(nonce, b"aad", &text, &mut out), Err(error));
    assert_eq!(aead.seal_in_place(nonce, b"aad", &mut out), Err(error));
    assert!(out.iter().all(|b| *b == 0x55), "written although refused");
    let tag = [0x55; 16];
    assert_eq!(aead.open(nonce, b"aad", &mut data, &tag), Err(AuthError));
    assert!(data.iter().all(|b| *b == 0));
    assert_eq!(aead.open_to(nonce, b"aad", &text, &mut out[..len], &tag), Err(AuthError));
    assert!(out[..len].iter().all(|b| *b == 0));
    let mut out = vec![0x55; len];
    assert_eq!(aead.open_appended(nonce, b"aad", &[&text[..], &tag].concat(), &mut out), Err(AuthError));
    assert!(out.iter().all(|b| *b == 0));
    let mut buffer = [&text[..], &tag].concat();
    assert_eq!(aead.open_in_place(nonce, b"aad", &mut buffer), Err(AuthError));
    assert!(buffer[..len].iter().all(|b| *b == 0));
}

#[test]
fn nonce_lengths() {
    each(|mode, aead, _| {
        for len in 0..=40 {
            let takes = match mode.name {
                "GCM" => len > 0,
                "CCM" => (7..=13).contains(&len),
                _ => len == mode.nonces[0],
            };
            if takes {
                let mut data = paint(30, 0);
                let tag = aead.seal(&paint(len, 0), &[], &mut data).expect("a nonce");
                assert_eq!(aead.open(&paint(len, 0), &[], &mut data, &tag), Ok(()), "{}: {len}", mode.name);
            } else {
                refused(aead, &paint(len, 0), 30, LimitError::Nonce);
            }
        }
    });
}

#[test]
fn ccm_text_lengths() {
    for backend in usable() {
        let ccm = Ccm::with_backend(&[0; 16], backend).expect("16 bytes");
        refused(&ccm, &[0; 13], 1 << 16, LimitError::Text);
        refused(&ccm, &[0; 12], 1 << 24, LimitError::Text);
        for (nonce, longest) in [(13, (1 << 16) - 1), (12, (1 << 24) - 1), (11, (1 << 32) - 1), (8, (1 << 56) - 1)] {
            let nonce = vec![0; nonce];
            assert_eq!(ccm.stream(&nonce, 0, longest).err(), None);
            assert_eq!(ccm.stream(&nonce, 0, longest + 1).err(), Some(LimitError::Text));
        }
        assert_eq!(ccm.stream(&[0; 7], u64::MAX, u64::MAX).err(), None);
    }
}

#[test]
fn buffers_that_do_not_fit() {
    each(|mode, aead, nonce| {
        let text = paint(30, 0);
        let mut sealed = vec![0; 46];
        aead.seal_appended(nonce, &[], &text, &mut sealed).expect("within limits");
        for len in (0..80).filter(|len| *len != 30) {
            let mut out = vec![0x55; len];
            assert_eq!(aead.seal_to(nonce, &[], &text, &mut out).err(), Some(LimitError::Buffer), "{}", mode.name);
            assert_eq!(out, vec![0x55; len]);
            assert_eq!(aead.open_to(nonce, &[], &sealed[..30], &mut out, &sealed[30..]), Err(AuthError));
            assert_eq!(out, vec![0; len], "{}: open_to {len}", mode.name);
            let mut out = vec![0x55; len];
            assert_eq!(aead.open_appended(nonce, &[], &sealed, &mut out), Err(AuthError));
            assert_eq!(out, vec![0; len], "{}: open_appended {len}", mode.name);
        }
        for len in (0..80).filter(|len| *len != 46) {
            let mut out = vec![0x55; len];
            assert_eq!(aead.seal_appended(nonce, &[], &text, &mut out), Err(LimitError::Buffer), "{}", mode.name);
            assert_eq!(out, vec![0x55; len]);
        }
        for len in 0..16 {
            let mut buffer = vec![0x55; len];
            assert_eq!(aead.seal_in_place(nonce, &[], &mut buffer), Err(LimitError::Buffer), "{}", mode.name);
            assert_eq!(buffer, vec![0x55; len]);
            assert_eq!(aead.open_in_place(nonce, &[], &mut buffer), Err(AuthError));
            assert_eq!(buffer, vec![0; len], "{}: open_in_place {len}", mode.name);
        }
        let mut out = vec![0; 30];
        assert_eq!(aead.open_appended(nonce, &[], &sealed, &mut out), Ok(()));
        assert_eq!(out, text);
    });
    assert_eq!(InOut::new(&[0u8; 3], &mut [0; 4]).err(), Some(LimitError::Buffer));
    assert_eq!(InOut::uninit(&[0u8; 3], &mut [MaybeUninit::uninit(); 2]).err(), Some(LimitError::Buffer));
}

#[test]
fn many_messages() {
    each(|mode, aead, nonce| {
        let mut data: Vec<_> = (0..5).map(|n| paint(20 * n, n)).collect();
        let mut tags = [[0x55u8; 16]; 5];
        fn messages<'a>(nonce: &'a [u8], data: &'a mut [Vec<u8>], tags: &'a mut [[u8; 16]]) -> Vec<Message<'a>> {
            let each = data.iter_mut().zip(tags).map(|(data, tag)| Message {
                nonce,
                aad: b"aad",
                data,
                tag,
                authentic: false,
            });
            each.collect()
        }
        // The third one is refused: those before it are sealed, the others as they were.
        for fault in [LimitError::Nonce, LimitError::Buffer] {
            let mut list = messages(nonce, &mut data, &mut tags);
            let third = std::mem::take(&mut list[2].tag);
            match fault {
                LimitError::Nonce => (list[2].nonce, list[2].tag) = (&[], third),
                _ => list[2].tag = &mut third[..15],
            }
            assert_eq!(aead.seal_many(&mut list), Err(fault), "{}", mode.name);
            for (n, (data, tag)) in data.iter_mut().zip(&mut tags).enumerate() {
                assert_eq!(*tag == [0x55; 16], n >= 2, "{}: {n}", mode.name);
                assert!(n >= 2 || aead.open(nonce, b"aad", data, tag).is_ok());
                assert_eq!(*data, paint(20 * n, n), "{}: {n}", mode.name);
                *tag = [0x55; 16];
            }
        }
        assert_eq!(aead.seal_many(&mut messages(nonce, &mut data, &mut tags)), Ok(()));
        // One is forged: it is zeroed, the others are opened all the same.
        tags[3][15] ^= 1;
        let mut list = messages(nonce, &mut data, &mut tags);
        assert_eq!(aead.open_many(&mut list), Err(AuthError), "{}", mode.name);
        let authentic: Vec<_> = list.iter().map(|m| m.authentic).collect();
        assert_eq!(authentic, [true, true, true, false, true], "{}", mode.name);
        for (n, data) in data.iter().enumerate() {
            assert_eq!(*data, if n == 3 { vec![0; 60] } else { paint(20 * n, n) }, "{}: {n}", mode.name);
        }
    });
}
