//! Messages side by side come out as one by one: on every backend, any number of any lengths, under one key or many.

#[path = "shared/effort.rs"]
mod effort;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/random.rs"]
mod random;
#[path = "shared/usable.rs"]
mod usable;

use effort::cases;
use evariste::{Aead, AuthError, Backend, Ccm, Ctr, Gcm, LimitError, Message};
use paint::paint;
use random::Random;
use usable::usable;

/// What goes into a message, and what must come of it.
struct Case {
    key: usize,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

impl Case {
    /// Some are short, some are longer than a few steps of all lanes.
    fn new(random: &mut Random, keys: &[Ccm]) -> Self {
        let key = random.below(keys.len());
        let mut below = |most: [usize; 3]| {
            let most = most[random.below(3)];
            random.below(most + 1)
        };
        let (len, aad, nonce) = (below([40, 300, 3000]), below([0, 40, 700]), 7 + below([6; 3]));
        let (nonce, aad, text) =
            (paint(nonce, below([250; 3])), paint(aad, below([250; 3])), paint(len, below([250; 3])));
        let mut sealed = text.clone();
        let tag = keys[key].seal(&nonce, &aad, &mut sealed).expect("within limits").to_vec();
        Self { key, nonce, aad, text, sealed, tag }
    }
}

/// Changes a bit somewhere.
fn forge(random: &mut Random, Case { nonce, aad, sealed, tag, .. }: &mut Case) {
    let parts: [&mut [u8]; 4] = [nonce, aad, sealed, tag];
    let mut parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let part = random.below(parts.len());
    let bit = random.below(8 * parts[part].len());
    parts[part][bit / 8] ^= 1 << (bit % 8);
}

/// Keys of one length or of all, with tags of one length or of all.
fn keys(random: &mut Random, backend: Backend, round: usize) -> Vec<Ccm> {
    let key = |n: usize, random: &mut Random| {
        let bytes = paint([16, 24, 32][(if round.is_multiple_of(2) { round / 2 } else { n }) % 3], 3 * n);
        match 4 + 2 * random.below(7) {
            tag @ (4 | 6) => Ccm::with_short_tag(&bytes, backend, tag),
            tag => Ccm::with_tag_len(&bytes, backend, tag),
        }
    };
    (0..9).map(|n| key(n, random).expect("a key and tag length")).collect()
}

/// The buffers, and what stands in them before.
fn messages<'a>(cases: &'a [Case], data: &'a mut [Vec<u8>], tags: &'a mut [Vec<u8>]) -> Vec<Message<'a>> {
    let parts = cases.iter().zip(data).zip(tags);
    parts
        .map(|((case, data), tag)| Message { nonce: &case.nonce, aad: &case.aad, data, tag, authentic: true })
        .collect()
}

#[test]
fn as_one_by_one() {
    let portable = Backend::by_name("portable").expect("there is always one");
    for backend in usable() {
        let mut random = Random(1);
        let mut seen = [0; 2];
        for round in cases(0..120) {
            // One key for all of them by the trait's methods, or one for each.
            for one_key in [true, false] {
                let mut expected = keys(&mut random.clone(), portable, round);
                let mut own = keys(&mut random, backend, round);
                if one_key {
                    expected.truncate(1);
                    own.truncate(1);
                }
                let count = random.below(21);
                let mut batch: Vec<_> = (0..count).map(|_| Case::new(&mut random, &expected)).collect();
                let mut data: Vec<_> = batch.iter().map(|case| case.text.clone()).collect();
                let mut tags: Vec<_> = batch.iter().map(|case| vec![0x55; case.tag.len()]).collect();
                let list = messages(&batch, &mut data, &mut tags);
                let sealed = if one_key {
                    own[0].seal_many(&mut { list })
                } else {
                    Ccm::seal_each(&mut keyed(&own, &batch, list))
                };
                assert_eq!(sealed, Ok(()));
                for (n, case) in batch.iter().enumerate() {
                    assert!(data[n] == case.sealed, "{backend} {round}: {n} of {count}, {} bytes", case.text.len());
                    assert_eq!(tags[n], case.tag, "{backend} {round}: {n} of {count}, {} bytes", case.text.len());
                }
                // Half of the batches have forged messages in them.
                let forged: Vec<_> = batch
                    .iter_mut()
                    .map(|case| {
                        let forged = round % 4 < 2 && random.below(3) == 0;
                        if forged {
                            forge(&mut random, case);
                        }
                        forged
                    })
                    .collect();
                let mut data: Vec<_> = batch.iter().map(|case| case.sealed.clone()).collect();
                let mut tags: Vec<_> = batch.iter().map(|case| case.tag.clone()).collect();
                let list = messages(&batch, &mut data, &mut tags);
                let (opened, authentic): (_, Vec<_>) = if one_key {
                    let mut list = list;
                    (own[0].open_many(&mut list), list.iter().map(|m| m.authentic).collect())
                } else {
                    let mut list = keyed(&own, &batch, list);
                    (Ccm::open_each(&mut list), list.iter().map(|(_, m)| m.authentic).collect())
                };
                assert_eq!(opened, if forged.contains(&true) { Err(AuthError) } else { Ok(()) });
                for (n, case) in batch.iter().enumerate() {
                    assert_eq!(authentic[n], !forged[n], "{backend} {round}: {n} of {count}");
                    let right = if forged[n] { &vec![0; case.text.len()] } else { &case.text };
                    assert!(data[n] == *right, "{backend} {round}: {n} of {count}, {} bytes", case.text.len());
                    seen[forged[n] as usize] += 1;
                }
            }
        }
        println!("{backend}: {seen:?} messages, authentic and forged");
        assert!(seen[0] > 20 && seen[1] > 5);
    }
}

/// Each message with its key.
fn keyed<'a, 'b>(keys: &'a [Ccm], batch: &[Case], list: Vec<Message<'b>>) -> Vec<(&'a Ccm, Message<'b>)> {
    list.into_iter().zip(batch).map(|(m, case)| (&keys[case.key], m)).collect()
}

/// Where a message cannot be sealed, those before it are, whatever the length of their keys; it and those after it
/// stay as they are. Those that cannot be opened are refused, and only they.
#[test]
fn lengths_are_checked_message_by_message() {
    for backend in usable() {
        let keys = [16, 32, 24].map(|len| Ccm::with_backend(&paint(len, len), backend).expect("a key length"));
        for (fault, nonce, tag) in [(LimitError::Nonce, 14, 16), (LimitError::Buffer, 13, 15)] {
            let mut data: Vec<_> = (0..12).map(|n| paint(70, n)).collect();
            let mut tags = [[0x55; 16]; 12];
            let nonces = [12; 12].map(|len| paint(len, 3));
            let odd = paint(nonce, 3);
            let mut list = one_of(&keys, &nonces, (&odd, tag), &mut data, &mut tags);
            assert_eq!(Ccm::seal_each(&mut list), Err(fault), "{backend}");
            for n in 0..12 {
                assert_eq!(tags[n] == [0x55; 16], n >= 8, "{backend} {n}");
                assert_eq!(data[n] == paint(70, n), n >= 8, "{backend} {n}");
            }
            let mut list = one_of(&keys, &nonces, (&odd, tag), &mut data, &mut tags);
            assert_eq!(Ccm::open_each(&mut list), Err(AuthError), "{backend}");
            assert!(list.iter().enumerate().all(|(n, (_, m))| m.authentic == (n < 8)), "{backend}");
            for n in 0..12 {
                assert_eq!(data[n], if n < 8 { paint(70, n) } else { vec![0; 70] }, "{backend} {n}");
            }
        }
    }
}

/// The ninth has the odd nonce and a tag of the odd length.
fn one_of<'a>(
    keys: &'a [Ccm; 3],
    nonces: &'a [Vec<u8>; 12],
    (odd, tag_len): (&'a [u8], usize),
    data: &'a mut [Vec<u8>],
    tags: &'a mut [[u8; 16]; 12],
) -> Vec<(&'a Ccm, Message<'a>)> {
    let parts = data.iter_mut().zip(tags).zip(nonces).enumerate();
    let each = parts.map(|(n, ((data, tag), nonce))| {
        let (nonce, tag) = if n == 8 { (odd, &mut tag[..tag_len]) } else { (&nonce[..], &mut tag[..]) };
        (&keys[n % 3], Message { nonce, aad: b"", data, tag, authentic: true })
    });
    each.collect()
}

/// Each key stays on its backend.
#[test]
fn keys_of_several_backends() {
    let keys: Vec<_> = usable().iter().map(|b| Ccm::with_backend(&[7; 16], *b).expect("16 bytes")).collect();
    let mut data = vec![paint(333, 0); 3 * keys.len()];
    let mut tags = vec![[0; 16]; data.len()];
    let parts = data.iter_mut().zip(&mut tags).zip(keys.iter().cycle());
    let mut list: Vec<_> = parts
        .map(|((data, tag), key)| (key, Message { nonce: &[1; 12], aad: b"aad", data, tag, authentic: false }))
        .collect();
    assert_eq!(Ccm::seal_each(&mut list), Ok(()));
    assert!(list.windows(2).all(|pair| pair[0].1.data == pair[1].1.data && pair[0].1.tag == pair[1].1.tag));
    assert_eq!(Ccm::open_each(&mut list), Ok(()));
    assert!(data.iter().all(|data| *data == paint(333, 0)));
}

/// GCM's messages go one by one, and come out as such.
#[test]
fn gcm_too() {
    for backend in usable() {
        let gcm = Gcm::with_backend(&[9; 32], backend).expect("32 bytes");
        let mut random = Random(2);
        let texts: Vec<_> = (0..20).map(|n| paint(random.below(1600), n)).collect();
        let (mut data, mut tags) = (texts.clone(), [[0; 16]; 20]);
        let parts = data.iter_mut().zip(&mut tags);
        let mut list: Vec<_> =
            parts.map(|(data, tag)| Message { nonce: &[1; 12], aad: b"", data, tag, authentic: false }).collect();
        assert_eq!(gcm.seal_many(&mut list), Ok(()));
        for (mut text, m) in texts.into_iter().zip(&list) {
            assert_eq!(*gcm.seal(&[1; 12], b"", &mut text).expect("within limits"), *m.tag, "{backend}");
            assert!(text == m.data, "{backend}");
        }
    }
}

/// Buffers of any lengths from counters that wrap, in 32 bits and more, or end.
#[test]
fn counter_mode() {
    let starts = [0, 0xf9, 0xffff_ffff, u128::from(u64::MAX), u128::MAX - 199];
    for backend in usable() {
        let mut random = Random(3);
        for round in cases(0..60) {
            let key = paint([16, 24, 32][round % 3], round);
            let ctr = Ctr::with_backend(&key, &[0; 16], backend).expect("a key length");
            let mut batch: Vec<_> = (0..random.below(70))
                .map(|n| {
                    let most = [17, 60, 3000][random.below(3)];
                    let len = random.below(most);
                    (starts[random.below(starts.len())].to_be_bytes(), paint(len, n))
                })
                .collect();
            let mut expected = batch.clone();
            for (iv, data) in &mut expected {
                let mut one = Ctr::with_backend(&key, iv, backend).expect("a key length");
                one.apply((&mut data[..]).into()).expect("within limits");
            }
            let mut list: Vec<_> = batch.iter_mut().map(|(iv, data)| (*iv, &mut data[..])).collect();
            assert_eq!(ctr.apply_many(&mut list), Ok(()));
            assert!(batch == expected, "{backend} {round}");
            // One more block than there are counters: nobody's buffer is written.
            let mut last = [0; 33];
            let end = (u128::MAX - 1).to_be_bytes();
            let mut list: Vec<_> = batch.iter_mut().map(|(iv, data)| (*iv, &mut data[..])).collect();
            list.push((end, &mut last));
            assert_eq!(ctr.apply_many(&mut list), Err(LimitError::Counter));
            drop(list);
            assert!(batch == expected && last == [0; 33], "{backend} {round}");
            assert_eq!(ctr.apply_many(&mut [(end, &mut last[..32])]), Ok(()));
        }
    }
}
