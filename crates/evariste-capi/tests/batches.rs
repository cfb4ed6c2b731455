//! Many messages at once.

#[path = "shared/calls.rs"]
mod calls;

use calls::{ALGORITHMS, In, Key, NONCE};
use evariste_capi::*;
use std::ptr::null_mut;

/// Messages with buffers of their own: nonce, additional data, text, tag.
struct Batch {
    buffers: Vec<[Vec<u8>; 4]>,
    messages: Vec<Many>,
}

impl Batch {
    fn new(count: usize, nonce: usize, len: impl Fn(usize) -> usize) -> Self {
        let bytes = |n: usize, len: usize| (0..len).map(|i| (n * 7 + i) as u8).collect::<Vec<_>>();
        let mut buffers: Vec<_> = (0..count)
            .map(|n| [NONCE[..nonce].to_vec(), bytes(n, n % 20), bytes(n + 1, len(n)), vec![0xaa; 16]])
            .collect();
        buffers.iter_mut().enumerate().for_each(|(n, buffers)| buffers[0][0] = n as u8);
        Self { messages: buffers.iter_mut().map(message).collect(), buffers }
    }

    fn run(&mut self, key: &Key, seal: bool) -> i32 {
        let (at, count) = (self.messages.as_mut_ptr(), self.messages.len());
        run(key, seal, at, count, size_of::<Many>())
    }

    fn statuses(&self) -> Vec<i32> {
        self.messages.iter().map(|m| m.status).collect()
    }
}

fn message([nonce, aad, data, tag]: &mut [Vec<u8>; 4]) -> Many {
    Many {
        nonce: nonce.as_ptr(),
        nonce_len: nonce.len(),
        aad: aad.as_ptr(),
        aad_len: aad.len(),
        data: data.as_mut_ptr(),
        data_len: data.len(),
        tag: tag.as_mut_ptr(),
        tag_len: tag.len(),
        status: 77,
    }
}

fn run(key: &Key, seal: bool, at: *mut Many, count: usize, size: usize) -> i32 {
    // SAFETY: a key or null, and messages whose buffers live, or are refused.
    unsafe {
        match seal {
            true => evariste_aead_seal_many(key.0, at, count, size),
            false => evariste_aead_open_many(key.0, at, count, size),
        }
    }
}

#[test]
fn the_same_as_one_by_one() {
    for (algorithm, key_len, nonce) in ALGORITHMS {
        let key = Key::new(algorithm, key_len);
        for count in [0, 1, 2, 31, 32, 33, 100] {
            let mut batch = Batch::new(count, nonce, |n| n * n % 700);
            let expected = batch.buffers.iter().map(|[nonce, aad, data, _]| {
                let mut out = vec![0; data.len() + 16];
                assert_eq!(key.seal((&mut out).into(), nonce.into(), aad.into(), data.into()).0, EVARISTE_OK);
                out
            });
            let expected: Vec<_> = expected.collect();
            let texts: Vec<_> = batch.buffers.iter().map(|b| b[2].clone()).collect();
            assert_eq!(batch.run(&key, true), EVARISTE_OK, "{algorithm} {count}");
            assert_eq!(batch.statuses(), vec![EVARISTE_OK; count]);
            let sealed: Vec<_> = batch.buffers.iter().map(|b| [&b[2][..], &b[3]].concat()).collect();
            assert_eq!(sealed, expected, "{algorithm} {count}");
            // Some forged, and all others opened.
            let forged = |n: usize| n % 13 == 5;
            (0..count).filter(|n| forged(*n)).for_each(|n| batch.buffers[n][3][n % 16] ^= 1);
            let all = if (0..count).any(forged) { EVARISTE_ERROR_AUTH } else { EVARISTE_OK };
            assert_eq!(batch.run(&key, false), all, "{algorithm} {count}");
            for n in 0..count {
                let status = if forged(n) { EVARISTE_ERROR_AUTH } else { EVARISTE_OK };
                assert_eq!(batch.messages[n].status, status, "{algorithm} {n} of {count}");
                let zeros = vec![0; texts[n].len()];
                assert_eq!(batch.buffers[n][2], if forged(n) { zeros } else { texts[n].clone() });
            }
        }
    }
}

/// A program of a later header has more members.
#[test]
fn larger_structures() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    #[repr(C)]
    struct Later(Many, [usize; 3]);
    let mut batch = Batch::new(40, 12, |n| n);
    let mut same = Batch::new(40, 12, |n| n);
    let mut later: Vec<_> = batch.buffers.iter_mut().map(|b| Later(message(b), [0; 3])).collect();
    assert_eq!(run(&key, true, later.as_mut_ptr().cast(), 40, size_of::<Later>()), EVARISTE_OK);
    assert_eq!(same.run(&key, true), EVARISTE_OK);
    assert_eq!(batch.buffers, same.buffers);
    for size in [0, 8, size_of::<Many>() - 8, size_of::<Many>() + 1, usize::MAX - 7, usize::MAX / 2] {
        let status = run(&key, true, later.as_mut_ptr().cast(), 40, size);
        assert_eq!(status, EVARISTE_ERROR_ARGUMENT, "{size}");
    }
    assert_eq!(batch.buffers, same.buffers);
}

/// All or none: nothing is written if a pointer is wrong, and nothing of use if a length is.
#[test]
fn errors_concern_all() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    let wrong = |change: &dyn Fn(&mut Many), status: i32, untouched: bool| {
        for at in [0, 40, 69] {
            for seal in [true, false] {
                let mut batch = Batch::new(70, 12, |n| n + 1);
                let before = batch.buffers.clone();
                change(&mut batch.messages[at]);
                let limit = !untouched;
                let expected = if limit && !seal { EVARISTE_ERROR_AUTH } else { status };
                assert_eq!(batch.run(&key, seal), expected, "{at}");
                assert_eq!(batch.statuses(), vec![expected; 70], "none of these tags is right");
                if untouched {
                    assert!(batch.buffers == before);
                } else {
                    let zeros = |b: &[u8]| b.iter().all(|b| *b == 0);
                    assert!(batch.buffers.iter().all(|b| zeros(&b[2]) && (!seal || zeros(&b[3][..15]))));
                }
            }
        }
    };
    wrong(&|m| m.nonce = null_mut(), EVARISTE_ERROR_NULL, true);
    wrong(&|m| (m.aad, m.aad_len) = (null_mut(), 1), EVARISTE_ERROR_NULL, true);
    wrong(&|m| m.data = null_mut(), EVARISTE_ERROR_NULL, true);
    wrong(&|m| m.tag = null_mut(), EVARISTE_ERROR_NULL, true);
    wrong(&|m| m.nonce = m.data, EVARISTE_ERROR_OVERLAP, true);
    wrong(&|m| (m.aad, m.aad_len) = (m.tag, 1), EVARISTE_ERROR_OVERLAP, true);
    wrong(&|m| m.tag = m.data, EVARISTE_ERROR_OVERLAP, true);
    wrong(&|m| m.nonce_len = 0, EVARISTE_ERROR_NONCE, false);
    wrong(&|m| m.tag_len = 15, EVARISTE_ERROR_BUFFER, false);

    let mut batch = Batch::new(3, 12, |n| n + 1);
    let none = Key(null_mut());
    assert_eq!([batch.run(&none, true), batch.run(&none, false)], [EVARISTE_ERROR_NULL; 2]);
    assert_eq!(run(&key, true, null_mut(), 1, size_of::<Many>()), EVARISTE_ERROR_NULL);
    assert_eq!(run(&key, true, null_mut(), 0, 0), EVARISTE_OK);
    // SAFETY: an object.
    unsafe { evariste_aead_cleanup(key.0) };
    assert_eq!([batch.run(&key, true), batch.run(&key, false)], [EVARISTE_ERROR_STATE; 2]);
}

/// Whatever one message writes, no other may have: in any order in memory.
#[test]
fn messages_are_apart() {
    let key = Key::new(EVARISTE_AES_128_GCM, 16);
    for (a, b) in [(0, 1), (1, 0), (3, 29), (29, 3), (31, 30)] {
        type Change<'a> = &'a dyn Fn(&mut Many, &Many);
        let changes: [Change<'_>; 6] = [
            &|m, other| m.data = other.data,
            &|m, other| m.data = other.data.wrapping_add(other.data_len - 1),
            &|m, other| m.tag = other.tag,
            &|m, other| m.tag = other.data,
            &|m, other| m.nonce = other.data.wrapping_add(1),
            &|m, other| (m.aad, m.aad_len) = (other.tag.wrapping_add(15), 1),
        ];
        for (n, change) in changes.iter().enumerate() {
            let mut batch = Batch::new(32, 12, |_| 64);
            if n == 1 {
                // Two bytes of one buffer's end are in both: they are of the same allocation.
                batch.messages[a].data_len = 1;
            }
            let before = batch.buffers.clone();
            let [m, other] = batch.messages.get_disjoint_mut([a, b]).expect("two");
            change(m, other);
            assert_eq!(batch.run(&key, true), EVARISTE_ERROR_OVERLAP, "{n} {a} {b}");
            assert!(batch.buffers == before, "{n} {a} {b}");
        }
    }
    // In memory the other way round, and all with the same nonce and additional data to read: nothing is wrong.
    let mut batch = Batch::new(32, 12, |_| 64);
    batch.messages.reverse();
    let shared = In::from(&NONCE[..12]);
    batch.messages.iter_mut().for_each(|m| {
        (m.nonce, m.nonce_len) = (shared.0, shared.1);
        (m.aad, m.aad_len) = (shared.0, shared.1);
    });
    assert_eq!(batch.run(&key, true), EVARISTE_OK);
    // Nor may anything that is written lie in the array.
    let mut batch = Batch::new(2, 12, |_| 64);
    let inside = batch.messages.as_mut_ptr().wrapping_add(1).cast();
    batch.messages[0].data = inside;
    assert_eq!(batch.run(&key, true), EVARISTE_ERROR_OVERLAP);
}
