//! Objects: where they may be, in which states they are, and what is left of them.

#[path = "shared/calls.rs"]
mod calls;

use calls::{ALGORITHMS, In, KEY, Key, NONCE, NOTHING, NULL};
use evariste_capi::*;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{null, null_mut};

/// Zeroed memory for objects.
struct Storage(*mut u8);

const LAYOUT: Layout = match Layout::from_size_align(2 * EVARISTE_AEAD_STORAGE, EVARISTE_STORAGE_ALIGN) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};

impl Storage {
    fn new() -> Self {
        // SAFETY: the layout is not empty.
        Self(unsafe { alloc_zeroed(LAYOUT) })
    }

    fn aead(&self) -> *mut Aead {
        self.0.cast()
    }

    fn bytes(&self) -> Vec<u8> {
        // SAFETY: within the allocation. That some of it is padding is the point: a volatile read takes what is there.
        (0..LAYOUT.size()).map(|n| unsafe { self.0.add(n).read_volatile() }).collect()
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: allocated so.
        unsafe { dealloc(self.0, LAYOUT) }
    }
}

fn init(at: *mut Aead, size: usize, algorithm: i32, key: In, tag_len: usize, flags: u32) -> i32 {
    // SAFETY: memory of an object's size, or what the function refuses; the key lives or is refused.
    unsafe { evariste_aead_init(at, size, algorithm, key.0, key.1, tag_len, flags) }
}

fn rekey(at: *mut Aead, key: In) -> i32 {
    // SAFETY: an object or null; the key lives or is refused.
    unsafe { evariste_aead_rekey(at, key.0, key.1) }
}

fn seal_some(at: *mut Aead, nonce: usize) -> (i32, Vec<u8>) {
    let borrowed = std::mem::ManuallyDrop::new(Key(at));
    let mut out = vec![0xaa; 46];
    let (status, len) = borrowed.seal((&mut out).into(), (&NONCE[..nonce]).into(), NOTHING, (&[5; 30]).into());
    out.truncate(len);
    (status, out)
}

#[test]
fn memory_of_the_caller() {
    let (storage, key, size) = (Storage::new(), In::from(&KEY[..16]), evariste_aead_size());
    let at = storage.aead();
    assert!(size <= EVARISTE_AEAD_STORAGE && EVARISTE_STORAGE_ALIGN.is_multiple_of(evariste_aead_align()));
    assert_eq!(init(null_mut(), size, 1, key, 0, 0), EVARISTE_ERROR_NULL);
    assert_eq!(init(at, size - 1, 1, key, 0, 0), EVARISTE_ERROR_BUFFER);
    assert_eq!(init(at, 0, 1, key, 0, 0), EVARISTE_ERROR_BUFFER);
    for by in [1, 8, evariste_aead_align() / 2] {
        assert_eq!(init(at.wrapping_byte_add(by), size, 1, key, 0, 0), EVARISTE_ERROR_BUFFER);
    }
    let inside = In(at.cast::<u8>().wrapping_add(size - 1).cast_const(), 16);
    assert_eq!(init(at, size, 1, inside, 0, 0), EVARISTE_ERROR_OVERLAP);
    assert!(storage.bytes().iter().all(|b| *b == 0), "written");
    // Zeroed memory is not an object by promise, but a failed init leaves one.
    for (algorithm, key, tag_len, flags, status) in [
        (0, key, 0, 0, EVARISTE_ERROR_ARGUMENT),
        (10, key, 0, 0, EVARISTE_ERROR_ARGUMENT),
        (i32::MIN, key, 0, 0, EVARISTE_ERROR_ARGUMENT),
        (EVARISTE_AES_128_GCM, key, 0, 2, EVARISTE_ERROR_ARGUMENT),
        (EVARISTE_AES_128_GCM, NULL, 0, 0, EVARISTE_ERROR_NULL),
        (EVARISTE_AES_128_GCM, NOTHING, 0, 0, EVARISTE_ERROR_KEY),
        (EVARISTE_AES_128_GCM, key, 17, 0, EVARISTE_ERROR_TAG),
    ] {
        assert_eq!(init(at, size, algorithm, key, tag_len, flags), status);
        assert_eq!(seal_some(at, 12), (EVARISTE_ERROR_STATE, vec![]));
        assert_eq!(
            rekey(at, key),
            if key.0.is_null() && key.1 > 0 { EVARISTE_ERROR_NULL } else { EVARISTE_ERROR_STATE }
        );
        // SAFETY: an object.
        unsafe {
            assert_eq!((evariste_aead_tag_len(at), evariste_backend_name(at)), (0, null()));
            evariste_aead_cleanup(at);
        }
    }
    assert_eq!(init(at, size, 1, key, 0, 0), EVARISTE_OK);
    assert_eq!(seal_some(at, 12), seal_some(Key::new(1, 16).0, 12));
    // SAFETY: an object, twice, and null.
    unsafe {
        evariste_aead_cleanup(at);
        assert_eq!(seal_some(at, 12), (EVARISTE_ERROR_STATE, vec![]));
        evariste_aead_cleanup(at);
        evariste_aead_cleanup(null_mut());
    }
}

/// Which tags there are is the core's word; short ones come on request only.
#[test]
fn tag_lengths() {
    for (algorithm, key_len, _) in ALGORITHMS {
        let key = In::from(&KEY[..key_len]);
        for len in 0..=20 {
            let (plain, short): (&[usize], &[usize]) = match algorithm {
                1..=3 => (&[12, 13, 14, 15, 16], &[4, 8]),
                4..=6 => (&[8, 10, 12, 14, 16], &[4, 6]),
                _ => (&[16], &[]),
            };
            for (flags, allowed) in [(0, plain), (EVARISTE_SHORT_TAG, short)] {
                let fits = allowed.contains(&len) || (len == EVARISTE_DEFAULT_TAG_LENGTH && flags == 0);
                let (made, status) = Key::try_new(algorithm, key, len, flags);
                assert_eq!(status, if fits { EVARISTE_OK } else { EVARISTE_ERROR_TAG }, "{algorithm} {len} {flags}");
                let len = if len == 0 { 16 } else { len };
                assert_eq!(made.tag_len(), if fits { len } else { 0 });
                if fits {
                    let (status, sealed) = seal_some(made.0, ALGORITHMS[algorithm as usize - 1].2);
                    assert_eq!((status, sealed.len()), (EVARISTE_OK, 30 + len));
                }
            }
        }
    }
}

#[test]
fn keys_are_of_the_algorithms_length() {
    for (algorithm, key_len, nonce) in ALGORITHMS {
        for len in 0..=32 {
            let status = Key::try_new(algorithm, (&KEY[..len]).into(), 0, 0).1;
            assert_eq!(status, if len == key_len { EVARISTE_OK } else { EVARISTE_ERROR_KEY }, "{algorithm} {len}");
        }
        let key = Key::new(algorithm, key_len);
        let before = seal_some(key.0, nonce);
        for len in (0..=32).filter(|len| *len != key_len) {
            assert_eq!(rekey(key.0, (&KEY[..len]).into()), EVARISTE_ERROR_KEY, "{algorithm} {len}");
        }
        assert_eq!(rekey(key.0, NULL), EVARISTE_ERROR_NULL);
        assert_eq!(rekey(key.0, In(key.0.cast::<u8>().cast_const(), key_len)), EVARISTE_ERROR_OVERLAP);
        assert_eq!(seal_some(key.0, nonce), before);
        assert_eq!(rekey(key.0, (&[9; 32][..key_len]).into()), EVARISTE_OK);
        let other = Key::try_new(algorithm, (&[9; 32][..key_len]).into(), 0, 0).0;
        assert_eq!(seal_some(key.0, nonce), seal_some(other.0, nonce), "{algorithm}");
    }
    assert_eq!(rekey(null_mut(), (&KEY[..16]).into()), EVARISTE_ERROR_NULL);
    // SAFETY: nowhere to leave the pointer, which is refused.
    let status = unsafe { evariste_aead_new(null_mut(), 1, KEY.as_ptr(), 16, 0, 0) };
    assert_eq!(status, EVARISTE_ERROR_NULL);
}

/// The pointer to a new object would be written into what it is made of.
#[test]
fn pointers_are_no_part_of_keys() {
    for (word, overlap) in [(0, true), (1, true), (2, false)] {
        let mut words = [0x0707_0707_0707_0707_u64; 5];
        let (place, before) = (words.as_mut_ptr(), words);
        let key = place.cast::<u8>().cast_const();
        // SAFETY: the array lives.
        let mut status = unsafe { vec![evariste_aead_new(place.add(word).cast(), 1, key, 16, 0, 0)] };
        assert!(!overlap || words == before, "{word}");
        if !overlap {
            // SAFETY: made just now, once.
            unsafe { evariste_aead_free(place.add(word).cast::<*mut Aead>().read()) }
        }
        let place = words.as_mut_ptr();
        for (key, iv) in [(place, KEY.as_ptr().cast::<u64>().cast_mut()), (KEY.as_ptr().cast_mut().cast(), place)] {
            // SAFETY: the arrays live.
            unsafe {
                status.push(evariste_ctr_new(place.add(word).cast(), key.cast(), 16, iv.cast(), 16));
                if !overlap {
                    evariste_ctr_free(place.add(word).cast::<*mut Ctr>().read());
                }
            }
        }
        assert_eq!(status, [if overlap { EVARISTE_ERROR_OVERLAP } else { EVARISTE_OK }; 3], "{word}");
    }
}

/// Two pointers that are null are null, and no overlap.
#[test]
fn two_nulls() {
    let (key, size, mut out) = (In(null(), 16), evariste_aead_size(), [0xaa; 40]);
    assert_eq!(init(null_mut(), size, 1, key, 0, 0), EVARISTE_ERROR_NULL);
    assert_eq!(rekey(null_mut(), key), EVARISTE_ERROR_NULL);
    // SAFETY: what is null is refused.
    unsafe {
        let (nonce, text) = (NONCE.as_ptr(), KEY.as_ptr());
        assert_eq!(evariste_ctr_init(null_mut(), size, null(), 16, null(), 16), EVARISTE_ERROR_NULL);
        let status = evariste_aead_seal(null(), out.as_mut_ptr(), null_mut(), 40, nonce, 12, null(), 0, text, 24);
        assert_eq!((status, out[23], out[24]), (EVARISTE_ERROR_NULL, 0, 0xaa));
        assert_eq!(evariste_stream_finish_seal(null_mut(), out.as_mut_ptr(), null_mut(), 16), EVARISTE_ERROR_NULL);
        let (key, mut len) = (Key::new(1, 16), 0);
        for huge in [usize::MAX, usize::MAX - 15, 1 << (usize::BITS - 1)] {
            let status = evariste_aead_seal(key.0, out.as_mut_ptr(), &mut len, 40, null(), huge, null(), 0, text, 24);
            assert_eq!(status, EVARISTE_ERROR_NULL);
        }
    }
}

/// Of the key, and of what two keys differ in, nothing is left in the caller's memory.
#[test]
fn what_is_cleaned_up_is_wiped() {
    for (algorithm, key_len, _) in ALGORITHMS {
        let [one, other] = [3u8, 0xc5].map(|byte| {
            let storage = Storage::new();
            let key: Vec<u8> = (0..key_len as u8).map(|n| byte ^ n.wrapping_mul(37)).collect();
            assert_eq!(init(storage.aead(), evariste_aead_size(), algorithm, (&key).into(), 0, 0), EVARISTE_OK);
            let before = storage.bytes();
            // SAFETY: an object.
            unsafe { evariste_aead_cleanup(storage.aead()) };
            (before, storage.bytes(), key)
        });
        let secret: Vec<_> = (0..one.0.len()).filter(|n| one.0[*n] != other.0[*n]).collect();
        assert!(secret.len() > 100, "{algorithm}: {} bytes are secret", secret.len());
        let left = secret.iter().filter(|n| one.1[**n] == one.0[**n] && other.1[**n] == other.0[**n]).count();
        assert!(left < 16, "{algorithm}: {left} bytes are as they were");
        for (_, after, key) in [one, other] {
            assert!(!after.windows(8).any(|w| key.windows(8).any(|k| k == w)), "{algorithm}");
        }
    }
}

struct CtrKey(*mut Ctr);

impl Drop for CtrKey {
    fn drop(&mut self) {
        // SAFETY: made by `ctr`, once, or null.
        unsafe { evariste_ctr_free(self.0) }
    }
}

fn ctr(key: In, iv: In) -> (CtrKey, i32) {
    let mut made = std::ptr::dangling_mut();
    // SAFETY: key and block live, or are refused.
    let status = unsafe { evariste_ctr_new(&mut made, key.0, key.1, iv.0, iv.1) };
    (CtrKey(made), status)
}

fn apply(ctr: *mut Ctr, out: *mut u8, room: usize, data: In) -> i32 {
    // SAFETY: arrays that live, or are refused.
    unsafe { evariste_ctr_apply(ctr, out, room, data.0, data.1) }
}

#[test]
fn ctr_has_its_errors() {
    let (key, iv) = (In::from(&KEY), In::from(&[0xff; 16]));
    for len in 0..=32 {
        let fits = [16, 24, 32].contains(&len);
        assert_eq!(ctr((&KEY[..len]).into(), iv).1, if fits { EVARISTE_OK } else { EVARISTE_ERROR_KEY });
        assert_eq!(ctr(key, (&KEY[..len]).into()).1, if len == 16 { EVARISTE_OK } else { EVARISTE_ERROR_NONCE });
    }
    assert_eq!([ctr(NULL, iv).1, ctr(key, NULL).1], [EVARISTE_ERROR_NULL; 2]);
    let (made, _) = ctr(key, iv);
    let mut data = [7u8; 40];
    let place = data.as_mut_ptr();
    // One block is left.
    assert_eq!(apply(made.0, place, 40, In(place, 17)), EVARISTE_ERROR_COUNTER);
    assert_eq!((data[..17].to_vec(), data[17]), (vec![0; 17], 7));
    let place = data.as_mut_ptr();
    assert_eq!(apply(made.0, place, 5, In(place, 6)), EVARISTE_ERROR_BUFFER);
    assert_eq!(apply(made.0, place.wrapping_add(1), 6, In(place, 6)), EVARISTE_ERROR_OVERLAP);
    assert_eq!(apply(made.0, place, 6, NULL), EVARISTE_ERROR_NULL);
    assert_eq!(apply(made.0, null_mut(), 6, In(place, 6)), EVARISTE_ERROR_NULL);
    assert_eq!(apply(null_mut(), place, 6, In(place, 6)), EVARISTE_ERROR_NULL);
    assert_eq!(apply(made.0, null_mut(), 0, NOTHING), EVARISTE_OK);
    let mut core = evariste::Ctr::new(&KEY, &[0xff; 16]).expect("32 bytes");
    let (mut ours, mut theirs) = ([7; 16], [7; 16]);
    let place = ours.as_mut_ptr();
    assert_eq!(apply(made.0, place, 7, In(place, 7)), EVARISTE_OK, "nothing of the keystream was lost");
    assert_eq!(apply(made.0, place.wrapping_add(7), 9, In(place.wrapping_add(7), 9)), EVARISTE_OK);
    core.apply((&mut theirs).into()).expect("one block");
    assert_eq!(ours, theirs);
    assert_eq!(apply(made.0, place, 1, In(place, 1)), EVARISTE_ERROR_COUNTER);
    // SAFETY: an object and blocks that live, or are refused.
    unsafe {
        assert_eq!(evariste_ctr_restart(made.0, KEY.as_ptr(), 15), EVARISTE_ERROR_NONCE);
        assert_eq!(evariste_ctr_restart(made.0, null(), 16), EVARISTE_ERROR_NULL);
        assert_eq!(evariste_ctr_restart(null_mut(), KEY.as_ptr(), 16), EVARISTE_ERROR_NULL);
        let inside = made.0.cast::<u8>().wrapping_add(16);
        assert_eq!(evariste_ctr_restart(made.0, inside, 16), EVARISTE_ERROR_OVERLAP);
        assert_eq!(apply(made.0, place, 16, In(inside, 16)), EVARISTE_ERROR_OVERLAP);
        assert_eq!(evariste_ctr_restart(made.0, KEY.as_ptr(), 16), EVARISTE_OK);
        evariste_ctr_cleanup(made.0);
        assert_eq!(evariste_ctr_restart(made.0, KEY.as_ptr(), 16), EVARISTE_ERROR_STATE);
        assert_eq!(
            evariste_ctr_init(made.0, evariste_ctr_size() - 1, KEY.as_ptr(), 16, iv.0, 16),
            EVARISTE_ERROR_BUFFER
        );
        assert_eq!(evariste_ctr_init(made.0, evariste_ctr_size(), made.0.cast(), 16, iv.0, 16), EVARISTE_ERROR_OVERLAP);
        assert_eq!(evariste_ctr_init(made.0, evariste_ctr_size(), KEY.as_ptr(), 16, iv.0, 16), EVARISTE_OK);
    }
}
