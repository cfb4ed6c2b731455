//! Whole messages: what they are, and every way in which a call can be wrong.

#[path = "shared/calls.rs"]
mod calls;

use calls::{ALGORITHMS, In, KEY, Key, NO_ROOM, NONCE, NOTHING, NULL, Out};
use evariste::{Backend, Ccm, Gcm, GcmSiv, Xaes256Gcm};
use evariste_capi::*;

const AAD: [u8; 13] = *b"not encrypted";
const LENGTHS: [usize; 9] = [0, 1, 15, 16, 17, 64, 255, 1350, 5000];

fn paint(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n % 251) as u8).collect()
}

/// What the core makes of a message.
fn by_core(algorithm: i32, key: &[u8], nonce: &[u8], text: &[u8]) -> Vec<u8> {
    let b = Backend::active();
    let core: Box<dyn evariste::Aead> = match algorithm {
        EVARISTE_AES_128_GCM..=EVARISTE_AES_256_GCM => Box::new(Gcm::with_backend(key, b).expect("a key")),
        EVARISTE_AES_128_CCM..=EVARISTE_AES_256_CCM => Box::new(Ccm::with_backend(key, b).expect("a key")),
        EVARISTE_XAES_256_GCM => Box::new(Xaes256Gcm::with_backend(key, b).expect("a key")),
        _ => Box::new(GcmSiv::with_backend(key, b).expect("a key")),
    };
    let mut out = vec![0; text.len() + 16];
    core.seal_appended(nonce, &AAD, text, &mut out).expect("within limits");
    out
}

#[test]
fn the_same_as_the_core_in_every_way_of_calling() {
    for (algorithm, key_len, nonce_len) in ALGORITHMS {
        let (key, nonce) = (Key::new(algorithm, key_len), &NONCE[..nonce_len]);
        for len in LENGTHS {
            let text = paint(len);
            let sealed = by_core(algorithm, &KEY[..key_len], nonce, &text);
            let (nonce, aad) = (In::from(nonce), In::from(&AAD));

            let mut out = vec![0xaa; len + 17];
            assert_eq!(key.seal((&mut out).into(), nonce, aad, (&text).into()), (EVARISTE_OK, len + 16));
            assert_eq!((&out[..len + 16], out[len + 16]), (&sealed[..], 0xaa), "{algorithm} {len}");
            let place = out.as_mut_ptr();
            assert_eq!(key.open(Out(place, len), nonce, aad, In(place, len + 16)), (EVARISTE_OK, len));
            assert_eq!((&out[..len], &out[len..len + 16]), (&text[..], &sealed[len..]), "the tag stays");
            let place = out.as_mut_ptr();
            assert_eq!(key.seal(Out(place, len + 16), nonce, aad, In(place, len)), (EVARISTE_OK, len + 16));
            assert_eq!(out[..len + 16], sealed);
            let mut opened = vec![0xaa; len];
            assert_eq!(key.open((&mut opened).into(), nonce, aad, (&sealed).into()), (EVARISTE_OK, len));
            assert_eq!(opened, text);

            let mut tag = [0; 16];
            let mut out = vec![0xaa; len];
            let status = key.seal_detached((&mut out).into(), (&mut tag).into(), nonce, aad, (&text).into());
            assert_eq!((status, &out[..], &tag[..]), (EVARISTE_OK, &sealed[..len], &sealed[len..]));
            let place = out.as_mut_ptr();
            assert_eq!(key.open_detached(Out(place, len), (&tag).into(), nonce, aad, In(place, len)), EVARISTE_OK);
            assert_eq!(out, text);
        }
    }
}

#[test]
fn forgeries_leave_zeros() {
    for (algorithm, key_len, nonce_len) in ALGORITHMS {
        let (key, nonce) = (Key::new(algorithm, key_len), In::from(&NONCE[..nonce_len]));
        let sealed = by_core(algorithm, &KEY[..key_len], &NONCE[..nonce_len], &paint(50));
        let (mut out, aad) = ([0xaa; 66], In::from(&AAD));
        for n in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[n] ^= 1 << (n % 8);
            out.fill(0xaa);
            assert_eq!(key.open((&mut out).into(), nonce, aad, (&forged).into()), (EVARISTE_ERROR_AUTH, 0));
            assert_eq!((out[..50].to_vec(), out[50]), (vec![0; 50], 0xaa), "{algorithm}: only what is the text's");
            let place = forged.as_mut_ptr();
            assert_eq!(key.open(Out(place, 66), nonce, aad, In(place, 66)), (EVARISTE_ERROR_AUTH, 0));
            assert_eq!(forged[..50], [0; 50]);
        }
        // Whatever else makes it another message, or none.
        let other = In::from(&NONCE[1..][..nonce_len.min(23)]);
        for (nonce, aad, data) in [
            (other, aad, In::from(&sealed)),
            (In::from(&NONCE[..0]), aad, In::from(&sealed)),
            (In::from(&NONCE[..nonce_len - 6]), aad, In::from(&sealed)),
            (nonce, NOTHING, In::from(&sealed)),
            (nonce, aad, In::from(&sealed[..65])),
            (nonce, aad, In::from(&sealed[1..])),
            (nonce, aad, In::from(&sealed[..15])),
            (nonce, aad, NOTHING),
        ] {
            out.fill(0xaa);
            assert_eq!(key.open((&mut out).into(), nonce, aad, data), (EVARISTE_ERROR_AUTH, 0), "{algorithm}");
            let text = data.1.saturating_sub(16);
            assert!(out[..text].iter().all(|b| *b == 0) && out[text] == 0xaa);
        }
        for tag_len in [0, 8, 15, 17] {
            let (mut tag, data) = ([0; 17], In::from(&sealed[..50]));
            tag[..16].copy_from_slice(&sealed[50..]);
            let status = key.open_detached((&mut out).into(), (&tag[..tag_len]).into(), nonce, aad, data);
            assert_eq!((status, &out[..50]), (EVARISTE_ERROR_AUTH, &[0; 50][..]));
        }
    }
}

#[test]
fn room_is_kept_to() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let (nonce, text) = (In::from(&NONCE[..12]), paint(40));
    let sealed = by_core(EVARISTE_AES_128_GCM, &KEY[..16], &NONCE[..12], &text);
    for room in 0..60 {
        let mut out = [0xaa; 60];
        let place = out.as_mut_ptr();
        let done = key.seal(Out(place, room), nonce, (&AAD).into(), (&text).into());
        let fits = room >= 56;
        assert_eq!(done, if fits { (EVARISTE_OK, 56) } else { (EVARISTE_ERROR_BUFFER, 0) }, "{room}");
        assert!(if fits { out[..56] == sealed } else { out[..room].iter().all(|b| *b == 0) });
        assert!(out[room.min(56)..].iter().all(|b| *b == 0xaa), "{room}");

        let mut out = [0xaa; 60];
        let place = out.as_mut_ptr();
        let done = key.open(Out(place, room), nonce, (&AAD).into(), (&sealed).into());
        let fits = room >= 40;
        assert_eq!(done, if fits { (EVARISTE_OK, 40) } else { (EVARISTE_ERROR_BUFFER, 0) }, "{room}");
        assert!(if fits { out[..40] == text } else { out[..room].iter().all(|b| *b == 0) });
        assert!(out[room.min(40)..].iter().all(|b| *b == 0xaa), "{room}");

        let (mut out, mut tag) = ([0xaa; 60], [0xaa; 60]);
        let (out_room, tag_room) = (Out(out.as_mut_ptr(), room), Out(tag.as_mut_ptr(), room));
        let status = key.seal_detached(out_room, tag_room, nonce, (&AAD).into(), (&text).into());
        assert_eq!(status, if room >= 40 { EVARISTE_OK } else { EVARISTE_ERROR_BUFFER }, "{room}");
        if room < 40 {
            assert!(out[..room].iter().chain(&tag[..room.min(16)]).all(|b| *b == 0), "{room}");
        }
        assert!(tag[room.min(16)..].iter().all(|b| *b == 0xaa));
    }
}

#[test]
fn null_is_nothing_or_refused() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let (nonce, aad, data) = (In::from(&NONCE[..12]), In::from(&AAD), In::from(&AAD));
    let mut out = [0xaa; 40];
    let refused = (EVARISTE_ERROR_NULL, 0);
    for (n, [nonce, aad, data]) in [[NULL, aad, data], [nonce, NULL, data], [nonce, aad, NULL]].into_iter().enumerate()
    {
        out.fill(0xaa);
        assert_eq!(key.seal((&mut out).into(), nonce, aad, data), refused);
        assert_eq!(out[..data.1 + 16], [0; 40][..data.1 + 16]);
        let mut tag = [0xaa; 16];
        let status = key.seal_detached((&mut out).into(), (&mut tag).into(), nonce, aad, data);
        assert_eq!((status, tag), (EVARISTE_ERROR_NULL, [0; 16]));
        // Of a message of one byte nothing can be at null but the tag.
        assert_eq!(key.open((&mut out).into(), nonce, aad, data), refused, "{n}");
        let status = key.open_detached((&mut out).into(), (&tag).into(), nonce, aad, data);
        assert_eq!(status, EVARISTE_ERROR_NULL);
    }
    assert_eq!(key.open_detached((&mut out).into(), NULL, nonce, aad, data), EVARISTE_ERROR_NULL);
    assert_eq!(key.seal(Out(std::ptr::null_mut(), 40), nonce, aad, data), refused);
    assert_eq!(key.open(Out(std::ptr::null_mut(), 40), nonce, aad, (&[0; 30]).into()), refused);
    let none = Key(std::ptr::null_mut());
    out.fill(0xaa);
    assert_eq!(none.seal((&mut out).into(), nonce, aad, data), refused);
    assert_eq!(out[..13], [0; 13]);
    assert_eq!(none.open((&mut out).into(), nonce, aad, data), refused);
    assert_eq!(none.tag_len(), 0);
    // SAFETY: only the place for the length is null, which is refused.
    let status = unsafe {
        let out_len = std::ptr::null_mut();
        evariste_aead_seal(key.0, out.as_mut_ptr(), out_len, 40, nonce.0, nonce.1, aad.0, aad.1, data.0, data.1)
    };
    assert_eq!(status, EVARISTE_ERROR_NULL);

    // Nothing may be anywhere.
    assert_eq!(key.seal((&mut out).into(), nonce, NOTHING, NOTHING), (EVARISTE_OK, 16));
    let sealed = out;
    assert_eq!(key.open(NO_ROOM, nonce, NOTHING, (&sealed[..16]).into()), (EVARISTE_OK, 0));
    let mut tag = [0; 16];
    assert_eq!(key.seal_detached(NO_ROOM, (&mut tag).into(), nonce, NOTHING, NOTHING), EVARISTE_OK);
    assert_eq!(tag, sealed[..16]);
    assert_eq!(key.open_detached(NO_ROOM, (&tag).into(), nonce, NOTHING, NOTHING), EVARISTE_OK);
    assert_eq!(key.open_detached(NO_ROOM, NOTHING, nonce, NOTHING, NOTHING), EVARISTE_ERROR_AUTH);
}

/// Lengths that no memory has are refused before anything is read there.
#[test]
fn impossible_lengths() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let (nonce, aad, mut out) = (In::from(&NONCE[..12]), In::from(&AAD), [0xaa; 40]);
    for len in [usize::MAX, usize::MAX - 15, isize::MAX as usize + 1] {
        let long = In(AAD.as_ptr(), len);
        let few = Out(out.as_mut_ptr(), 3);
        // They may well reach around to the output.
        let refused = |status: i32, code: i32| assert!([code, EVARISTE_ERROR_OVERLAP].contains(&status), "{status}");
        refused(key.seal(few, nonce, aad, long).0, EVARISTE_ERROR_TEXT);
        refused(key.seal(few, nonce, long, aad).0, EVARISTE_ERROR_AAD);
        refused(key.seal(few, long, aad, aad).0, EVARISTE_ERROR_NONCE);
        refused(key.open(few, nonce, long, aad).0, EVARISTE_ERROR_AUTH);
        refused(key.open(few, nonce, aad, long).0, EVARISTE_ERROR_AUTH);
    }
}

/// One buffer for everything, and what is written at every distance from what is read.
#[test]
fn overlaps_are_refused_before_anything_is_written() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let (aad, len, tag) = (In::from(&AAD), 40usize, 16usize);
    let buffer = paint(300);
    let mut work = buffer.clone();
    let meets = |a: usize, a_len: usize, b: usize, b_len: usize| a < b + b_len && b < a + a_len;
    for at in 60..250 - 56 {
        let base = work.as_mut_ptr();
        let to = |n: usize| base.wrapping_add(n);
        let from = |n: usize, len| In(to(n).cast_const(), len);
        let nonce = In::from(&NONCE[..12]);
        let here = 120;
        type Run<'a> = &'a dyn Fn() -> i32;
        let cases: [(&str, bool, Run<'_>); 9] = [
            ("seal, text", at != here && meets(at, len + tag, here, len), &|| {
                key.seal(Out(to(at), len + tag), nonce, aad, from(here, len)).0
            }),
            ("seal, nonce", meets(at, len + tag, here, 12), &|| {
                key.seal(Out(to(at), len + tag), from(here, 12), aad, from(0, len)).0
            }),
            ("seal, aad", meets(at, len + tag, here, 9), &|| {
                key.seal(Out(to(at), len + tag), nonce, from(here, 9), from(0, len)).0
            }),
            ("open, text and tag", at != here && meets(at, len, here, len + tag), &|| {
                key.open(Out(to(at), len), nonce, aad, from(here, len + tag)).0
            }),
            ("open, aad", meets(at, len, here, 9), &|| {
                key.open(Out(to(at), len), nonce, from(here, 9), from(0, len + tag)).0
            }),
            ("detached, tag and text", meets(at, tag, here, len), &|| {
                key.seal_detached(Out(to(250), len), Out(to(at), tag), nonce, aad, from(here, len))
            }),
            ("detached, tag and output", meets(at, tag, here, len), &|| {
                key.seal_detached(Out(to(here), len), Out(to(at), tag), nonce, aad, from(0, len))
            }),
            ("detached, tag and nonce", meets(at, tag, here, 12), &|| {
                key.seal_detached(Out(to(250), len), Out(to(at), tag), from(here, 12), aad, from(0, len))
            }),
            ("detached, opened over the tag", meets(at, len, here, tag), &|| {
                key.open_detached(Out(to(at), len), from(here, tag), nonce, aad, from(0, len))
            }),
        ];
        for (what, overlap, run) in cases {
            let status = run();
            assert_eq!(status == EVARISTE_ERROR_OVERLAP, overlap, "{what}, {at}: {status}");
            let slice = view(base, 300);
            assert!(!overlap || slice == buffer, "{what}, {at}: written");
            restore(base, &buffer);
        }
    }
}

/// The buffer, while nothing else has a reference to it.
fn view(base: *const u8, len: usize) -> Vec<u8> {
    // SAFETY: within the buffer of the caller.
    (0..len).map(|n| unsafe { base.add(n).read() }).collect()
}

fn restore(base: *mut u8, with: &[u8]) {
    // SAFETY: the buffer of the caller has this length.
    unsafe { base.copy_from_nonoverlapping(with.as_ptr(), with.len()) }
}

/// An output in the key's object would destroy it, and a length in a buffer that.
#[test]
fn objects_and_lengths_are_no_outputs() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let (nonce, aad) = (In::from(&NONCE[..12]), In::from(&AAD));
    for at in [0, 100, evariste_aead_size() - 1] {
        let out = Out(key.0.cast::<u8>().wrapping_add(at), 1);
        assert_eq!(key.open_detached(out, aad, nonce, aad, (&[1]).into()), EVARISTE_ERROR_OVERLAP);
    }
    let (mut out, mut words) = ([0xaa; 40], [3usize; 8]);
    let place = words.as_mut_ptr();
    // SAFETY: arrays that live; the length lies in the output, which is refused.
    let status = unsafe {
        let out = place.cast();
        evariste_aead_seal(key.0, out, place.add(1), 64, nonce.0, nonce.1, aad.0, aad.1, aad.0, aad.1)
    };
    assert_eq!((status, words), (EVARISTE_ERROR_OVERLAP, [3; 8]));
    let inside = key.0.cast::<usize>().wrapping_add(3);
    // SAFETY: the same, in the key's object.
    let status = unsafe {
        let out = out.as_mut_ptr();
        evariste_aead_seal(key.0, out, inside, 40, nonce.0, nonce.1, aad.0, aad.1, aad.0, aad.1)
    };
    assert_eq!((status, out), (EVARISTE_ERROR_OVERLAP, [0xaa; 40]));
    // The key is as it was.
    assert_eq!(key.seal((&mut out).into(), nonce, aad, aad).0, EVARISTE_OK);
    assert_eq!(out[..29], by_core(EVARISTE_AES_128_GCM, &KEY[..16], &NONCE[..12], &AAD));
}

#[test]
fn eight_threads_share_a_key() {
    let key = &Key::new(EVARISTE_AES_256_GCM, 32);
    let sealed = &by_core(EVARISTE_AES_256_GCM, &KEY, &NONCE[..12], &paint(700));
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(move || {
                for _ in 0..200 {
                    let mut out = [0; 716];
                    let (nonce, text) = (In::from(&NONCE[..12]), paint(700));
                    let done = key.seal((&mut out).into(), nonce, (&AAD).into(), (&text).into());
                    assert_eq!((done, &out[..]), ((EVARISTE_OK, 716), &sealed[..]));
                    let place = out.as_mut_ptr();
                    let done = key.open(Out(place, 716), nonce, (&AAD).into(), In(place, 716));
                    assert_eq!((done, &out[..700]), ((EVARISTE_OK, 700), &text[..]));
                }
            });
        }
    });
}
