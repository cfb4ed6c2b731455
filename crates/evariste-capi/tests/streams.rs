//! Messages in pieces: every order of calls, and what a failure leaves.

#[path = "shared/calls.rs"]
mod calls;

use calls::{In, Key, NONCE, NOTHING, NULL, Out};
use evariste_capi::*;
use std::ptr::null_mut;

struct Pieces(*mut Stream);

impl Drop for Pieces {
    fn drop(&mut self) {
        // SAFETY: made by `new`, once.
        unsafe { evariste_stream_free(self.0) }
    }
}

impl Pieces {
    fn new() -> Self {
        let mut stream = null_mut();
        // SAFETY: a place for the pointer.
        assert_eq!(unsafe { evariste_stream_new(&mut stream) }, EVARISTE_OK);
        Self(stream)
    }

    fn begin(&self, key: &Key, operation: i32, nonce: In) -> i32 {
        // SAFETY: a stream and a key, which outlives the message in all tests; the nonce lives or is refused.
        unsafe { evariste_stream_begin(self.0, key.0, operation, nonce.0, nonce.1) }
    }

    fn begin_ccm(&self, key: &Key, operation: i32, nonce: In, aad: u64, text: u64) -> i32 {
        // SAFETY: as in `begin`.
        unsafe { evariste_stream_begin_ccm(self.0, key.0, operation, nonce.0, nonce.1, aad, text) }
    }

    fn aad(&self, aad: In) -> i32 {
        // SAFETY: a stream; the data lives or is refused.
        unsafe { evariste_stream_aad(self.0, aad.0, aad.1) }
    }

    fn update(&self, out: Out, data: In) -> i32 {
        // SAFETY: a stream; arrays that live, or are refused.
        unsafe { evariste_stream_update(self.0, out.0, out.1, data.0, data.1) }
    }

    fn in_place(&self, data: &mut [u8]) -> i32 {
        let place = data.as_mut_ptr();
        self.update(Out(place, data.len()), In(place, data.len()))
    }

    fn finish_seal(&self, tag: Out) -> (i32, usize) {
        let mut len = 77;
        // SAFETY: a stream, and an array that lives, or is refused.
        let status = unsafe { evariste_stream_finish_seal(self.0, tag.0, &mut len, tag.1) };
        (status, len)
    }

    fn finish_open(&self, tag: In) -> i32 {
        // SAFETY: as in `finish_seal`.
        unsafe { evariste_stream_finish_open(self.0, tag.0, tag.1) }
    }
}

const AAD: [u8; 21] = *b"additional, in pieces";

fn nonce() -> In {
    (&NONCE[..12]).into()
}

/// The two kinds of keys, begun with the lengths that CCM wants.
fn keys() -> [(Key, bool); 2] {
    [(Key::new(EVARISTE_AES_256_GCM, 32), false), (Key::new(EVARISTE_AES_128_CCM, 16), true)]
}

fn begin(stream: &Pieces, (key, ccm): &(Key, bool), operation: i32, text: usize) {
    let status = match ccm {
        true => stream.begin_ccm(key, operation, nonce(), AAD.len() as u64, text as u64),
        false => stream.begin(key, operation, nonce()),
    };
    assert_eq!(status, EVARISTE_OK);
}

#[test]
fn the_same_as_in_one_piece() {
    let stream = Pieces::new();
    for key in &keys() {
        let text: Vec<u8> = (0..200).collect();
        let mut sealed = vec![0; 216];
        assert_eq!(key.0.seal((&mut sealed).into(), nonce(), (&AAD).into(), (&text).into()).0, EVARISTE_OK);
        for step in [1, 3, 15, 16, 17, 64, 200] {
            begin(&stream, key, EVARISTE_SEAL, 200);
            AAD.chunks(step).for_each(|piece| assert_eq!(stream.aad(piece.into()), EVARISTE_OK));
            let (mut data, mut tag) = (text.clone(), [0xaa; 17]);
            data.chunks_mut(step).for_each(|piece| assert_eq!(stream.in_place(piece), EVARISTE_OK));
            assert_eq!(stream.update(Out(null_mut(), 0), NOTHING), EVARISTE_OK);
            assert_eq!(stream.finish_seal((&mut tag).into()), (EVARISTE_OK, 16));
            assert_eq!((&data[..], &tag[..16], tag[16]), (&sealed[..200], &sealed[200..], 0xaa), "{step}");

            begin(&stream, key, EVARISTE_OPEN_UNVERIFIED, 200);
            assert_eq!(stream.aad((&AAD).into()), EVARISTE_OK);
            let mut opened = vec![0; 200];
            for (out, data) in opened.chunks_mut(step).zip(sealed[..200].chunks(step)) {
                assert_eq!(stream.update(out.into(), data.into()), EVARISTE_OK);
            }
            assert_eq!(stream.finish_open((&sealed[200..]).into()), EVARISTE_OK);
            assert_eq!(opened, text);
        }
        for (tag, status) in [
            (In::from(&[0; 16]), EVARISTE_ERROR_AUTH),
            (In::from(&sealed[200..215]), EVARISTE_ERROR_AUTH),
            (NOTHING, EVARISTE_ERROR_AUTH),
            (NULL, EVARISTE_ERROR_NULL),
        ] {
            begin(&stream, key, EVARISTE_OPEN_UNVERIFIED, 200);
            assert_eq!(stream.aad((&AAD).into()), EVARISTE_OK);
            assert_eq!(stream.in_place(&mut sealed.clone()[..200]), EVARISTE_OK);
            assert_eq!(stream.finish_open(tag), status);
            assert_over(&stream);
        }
    }
}

/// Everything but a new message is refused, and leaves zeros.
fn assert_over(stream: &Pieces) {
    let (mut data, mut tag) = ([7; 5], [7; 16]);
    assert_eq!(stream.aad((&AAD).into()), EVARISTE_ERROR_STATE);
    assert_eq!((stream.in_place(&mut data), data), (EVARISTE_ERROR_STATE, [0; 5]));
    assert_eq!(stream.finish_seal((&mut tag).into()), (EVARISTE_ERROR_STATE, 0));
    assert_eq!(stream.finish_open((&tag).into()), EVARISTE_ERROR_STATE);
}

#[test]
fn a_failure_ends_the_message() {
    let stream = Pieces::new();
    assert_over(&stream);
    let mut buffer = [7u8; 64];
    let base = buffer.as_mut_ptr();
    let to = |n: usize, room| Out(base.wrapping_add(n), room);
    let from = |n: usize, len| In(base.wrapping_add(n), len);
    for key in &keys() {
        type Step<'a> = &'a dyn Fn(&Pieces) -> i32;
        let aad: Step<'_> = &|s| s.aad((&AAD).into());
        let text: Step<'_> = &|s| s.update(to(0, 10), from(0, 10));
        let wrong: [(&str, &[Step<'_>], Step<'_>, i32); 9] = [
            ("aad after text", &[aad, text], &|s| s.aad((&AAD).into()), EVARISTE_ERROR_STATE),
            ("aad at null", &[], &|s| s.aad(NULL), EVARISTE_ERROR_NULL),
            ("text at null", &[aad], &|s| s.update(to(0, 10), NULL), EVARISTE_ERROR_NULL),
            ("output at null", &[aad], &|s| s.update(Out(null_mut(), 9), from(0, 1)), EVARISTE_ERROR_NULL),
            ("no room", &[aad], &|s| s.update(to(0, 9), from(0, 10)), EVARISTE_ERROR_BUFFER),
            ("overlap before", &[aad, text], &|s| s.update(to(20, 9), from(21, 9)), EVARISTE_ERROR_OVERLAP),
            ("overlap behind", &[aad, text], &|s| s.update(to(22, 9), from(21, 9)), EVARISTE_ERROR_OVERLAP),
            ("opened at its end", &[aad, text], &|s| s.finish_open((&[0; 16]).into()), EVARISTE_ERROR_STATE),
            ("no room for the tag", &[aad, text], &|s| s.finish_seal(to(0, 15)).0, EVARISTE_ERROR_BUFFER),
        ];
        for (what, before, last, status) in wrong {
            begin(&stream, key, EVARISTE_SEAL, 10);
            before.iter().for_each(|step| assert_eq!(step(&stream), EVARISTE_OK, "{what}"));
            assert_eq!(last(&stream), status, "{what}");
            assert_over(&stream);
        }
        // The key's object, and the stream's own, are no places for outputs.
        for object in [key.0.0.cast::<u8>(), stream.0.cast()] {
            begin(&stream, key, EVARISTE_SEAL, 10);
            assert_eq!(stream.aad((&AAD).into()), EVARISTE_OK);
            let inside = Out(object.wrapping_add(16), 10);
            assert_eq!(stream.update(inside, from(0, 10)), EVARISTE_ERROR_OVERLAP);
            // The key is what it was.
            begin(&stream, key, EVARISTE_SEAL, 10);
        }
        // Nor is the stream's own one for inputs.
        let inside = In(stream.0.cast::<u8>().wrapping_add(16), 12);
        let inputs: [(&[Step<'_>], Step<'_>); 4] = [
            (&[], &|s| s.begin(&key.0, EVARISTE_SEAL, inside)),
            (&[], &|s| s.aad(inside)),
            (&[aad], &|s| s.update(to(0, 12), inside)),
            (&[aad, text], &|s| s.finish_open(inside)),
        ];
        for (before, last) in inputs {
            begin(&stream, key, EVARISTE_OPEN_UNVERIFIED, 10);
            before.iter().for_each(|step| assert_eq!(step(&stream), EVARISTE_OK));
            assert_eq!(last(&stream), EVARISTE_ERROR_OVERLAP);
            assert_over(&stream);
        }
        begin(&stream, key, EVARISTE_OPEN_UNVERIFIED, 10);
        assert_eq!((stream.aad((&AAD).into()), text(&stream)), (EVARISTE_OK, EVARISTE_OK));
        assert_eq!(stream.finish_seal(to(0, 16)), (EVARISTE_ERROR_STATE, 0));
        assert_over(&stream);
        // No key, no nonce: what was before is over as well.
        begin(&stream, key, EVARISTE_SEAL, 10);
        assert_eq!(stream.begin(&Key(null_mut()), EVARISTE_SEAL, nonce()), EVARISTE_ERROR_NULL);
        assert_over(&stream);
        for operation in [0, 3, -1] {
            begin(&stream, key, EVARISTE_SEAL, 10);
            assert_eq!(stream.begin(&key.0, operation, nonce()), EVARISTE_ERROR_ARGUMENT);
            assert_over(&stream);
        }
    }
}

#[test]
fn keys_and_nonces_that_do_not_fit() {
    let stream = Pieces::new();
    let [(gcm, _), (ccm, _)] = &keys();
    assert_eq!(stream.begin(ccm, EVARISTE_SEAL, nonce()), EVARISTE_ERROR_ARGUMENT);
    assert_eq!(stream.begin_ccm(gcm, EVARISTE_SEAL, nonce(), 0, 0), EVARISTE_ERROR_ARGUMENT);
    for (algorithm, key_len) in [(EVARISTE_AES_128_GCM_SIV, 16), (EVARISTE_XAES_256_GCM, 32)] {
        let key = Key::new(algorithm, key_len);
        assert_eq!(stream.begin(&key, EVARISTE_SEAL, nonce()), EVARISTE_ERROR_ARGUMENT);
        assert_eq!(stream.begin_ccm(&key, EVARISTE_SEAL, nonce(), 0, 0), EVARISTE_ERROR_ARGUMENT);
    }
    assert_eq!(stream.begin(gcm, EVARISTE_SEAL, NOTHING), EVARISTE_ERROR_NONCE);
    assert_eq!(stream.begin(gcm, EVARISTE_SEAL, NULL), EVARISTE_ERROR_NULL);
    assert_eq!(stream.begin_ccm(ccm, EVARISTE_SEAL, (&NONCE[..14]).into(), 0, 0), EVARISTE_ERROR_NONCE);
    assert_eq!(stream.begin_ccm(ccm, EVARISTE_SEAL, (&NONCE[..13]).into(), 0, 1 << 16), EVARISTE_ERROR_TEXT);
    assert_over(&stream);
    let emptied = Key::new(EVARISTE_AES_128_GCM, 16);
    // SAFETY: an object.
    unsafe { evariste_aead_cleanup(emptied.0) };
    assert_eq!(stream.begin(&emptied, EVARISTE_SEAL, nonce()), EVARISTE_ERROR_STATE);
}

#[test]
fn ccm_keeps_what_was_announced() {
    let stream = Pieces::new();
    let [_, key] = &keys();
    let mut data = [7; 11];
    begin(&stream, key, EVARISTE_SEAL, 10);
    assert_eq!(stream.aad((&[0; 22]).into()), EVARISTE_ERROR_AAD);
    assert_over(&stream);
    begin(&stream, key, EVARISTE_SEAL, 10);
    assert_eq!((stream.in_place(&mut data), data), (EVARISTE_ERROR_UNFINISHED, [0; 11]));
    assert_over(&stream);
    begin(&stream, key, EVARISTE_SEAL, 10);
    assert_eq!(stream.aad((&AAD).into()), EVARISTE_OK);
    data.fill(7);
    assert_eq!((stream.in_place(&mut data), data), (EVARISTE_ERROR_TEXT, [0; 11]));
    assert_over(&stream);
    for (operation, status) in
        [(EVARISTE_SEAL, EVARISTE_ERROR_UNFINISHED), (EVARISTE_OPEN_UNVERIFIED, EVARISTE_ERROR_AUTH)]
    {
        for enough_aad in [false, true] {
            begin(&stream, key, operation, 10);
            if enough_aad {
                assert_eq!(stream.aad((&AAD).into()), EVARISTE_OK);
            }
            let mut tag = [7; 16];
            let ended = match operation {
                EVARISTE_SEAL => stream.finish_seal((&mut tag).into()),
                _ => (stream.finish_open((&tag).into()), 0),
            };
            assert_eq!(ended, (status, 0));
            assert!(operation != EVARISTE_SEAL || tag == [0; 16]);
            assert_over(&stream);
        }
    }
}

#[test]
fn without_a_stream() {
    let none = std::mem::ManuallyDrop::new(Pieces(null_mut()));
    let mut data = [7; 5];
    assert_eq!(none.begin(&Key::new(1, 16), EVARISTE_SEAL, nonce()), EVARISTE_ERROR_NULL);
    assert_eq!(none.aad((&AAD).into()), EVARISTE_ERROR_NULL);
    assert_eq!((none.in_place(&mut data), data), (EVARISTE_ERROR_NULL, [0; 5]));
    assert_eq!(none.finish_seal((&mut data).into()), (EVARISTE_ERROR_NULL, 0));
    assert_eq!(none.finish_open((&data).into()), EVARISTE_ERROR_NULL);
    // SAFETY: nowhere; then the memory of a stream.
    unsafe {
        assert_eq!(evariste_stream_new(null_mut()), EVARISTE_ERROR_NULL);
        assert_eq!(evariste_stream_init(null_mut(), evariste_stream_size()), EVARISTE_ERROR_NULL);
        let stream = Pieces::new();
        assert_eq!(evariste_stream_init(stream.0, evariste_stream_size() - 1), EVARISTE_ERROR_BUFFER);
        evariste_stream_cleanup(stream.0);
        evariste_stream_cleanup(null_mut());
        assert_over(&stream);
        assert_eq!(evariste_stream_init(stream.0, evariste_stream_size()), EVARISTE_OK);
        assert_over(&stream);
        assert!(EVARISTE_STORAGE_ALIGN.is_multiple_of(evariste_stream_align()));
    }
}
