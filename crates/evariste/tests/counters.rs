//! Counters that wrap, at every place inside a kernel's loop.
//!
//! GCM hides where its counter starts behind GHASH, and GCM-SIV behind POLYVAL and AES. Whoever holds
//! the key can undo both: these tests choose a start, and solve for the nonce or the additional data
//! that leads there.

#[path = "shared/field.rs"]
mod field;
#[path = "shared/paint.rs"]
mod paint;
#[path = "shared/usable.rs"]
mod usable;

use evariste::{Aead, Aes, Backend, Block, Ctr, Gcm, GcmSiv, LimitError, hazmat::GcmOpener};
use field::ghash_mul;
use paint::paint;
use usable::usable;

/// Blocks before the wrap, at most: every place in two strides of the widest kernel, and some.
const BEFORE: u128 = 70;

/// More than two groups of 64 blocks follow the wrap, and a part of a block.
const LEN: usize = 210 * 16 + 5;

/// Counters of which the lowest `bits` bits wrap after `BEFORE` blocks or fewer.
fn near_wrap(bits: u32) -> impl Iterator<Item = u128> {
    let low = u128::MAX >> (128 - bits);
    (0..=BEFORE).map(move |n| 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978 & !low | (low - n))
}

fn portable(key: &[u8]) -> Aes {
    Aes::with_backend(key, Backend::by_name("portable").expect("always there")).expect("a key length")
}

/// `text` under the keystream of the counter blocks `ctr(0)`, `ctr(1)`, …
fn crypt(aes: &Aes, text: &[u8], ctr: impl Fn(u32) -> Block) -> Vec<u8> {
    let mut keystream: Vec<_> = (0..text.len().div_ceil(16) as u32).map(ctr).collect();
    aes.encrypt(&mut keystream);
    text.iter().zip(keystream.as_flattened()).map(|(a, b)| a ^ b).collect()
}

#[test]
fn ctr_carries_over_all_bytes() {
    let text = paint(LEN, 0);
    for key in [16, 24, 32] {
        let key = paint(key, 1);
        let aes = portable(&key);
        let mut ctrs: Vec<_> =
            usable().into_iter().map(|b| (b, Ctr::with_backend(&key, &[0; 16], b).expect("a key length"))).collect();
        for start in [8, 16, 32, 64, 96].into_iter().flat_map(near_wrap) {
            let expected = crypt(&aes, &text, |n| (start + n as u128).to_be_bytes());
            for (backend, ctr) in &mut ctrs {
                for cut in [0, start as usize % LEN] {
                    let mut data = text.clone();
                    let (first, second) = data.split_at_mut(cut);
                    ctr.restart(&start.to_be_bytes());
                    ctr.apply(first.into()).expect("before the end");
                    ctr.apply(second.into()).expect("before the end");
                    assert!(data == expected, "{backend} from {start:032x}, cut at {cut}");
                }
            }
        }
    }
}

#[test]
fn ctr_ends_at_2_to_the_128() {
    for backend in usable() {
        for left in 1..=BEFORE + 1 {
            let start = (0u128.wrapping_sub(left)).to_be_bytes();
            let mut ctr = Ctr::with_backend(&[1; 16], &start, backend).expect("16 bytes");
            let text = paint(left as usize * 16 + 1, 0);
            let mut data = text.clone();
            assert_eq!(ctr.apply((&mut data[..]).into()), Err(LimitError::Counter));
            assert_eq!(data, text, "{backend}: written although refused");
            let whole = &mut data[..left as usize * 16];
            assert_eq!(ctr.apply((&mut *whole).into()), Ok(()));
            assert_eq!(ctr.apply((&mut [0][..]).into()), Err(LimitError::Counter));
            let start = u128::from_be_bytes(start);
            let expected = crypt(&portable(&[1; 16]), &text[..whole.len()], |n| (start + n as u128).to_be_bytes());
            assert!(*whole == *expected, "{backend}: the last {left} blocks");
        }
    }
}

#[test]
fn gcm_increments_32_bits() {
    let (text, aad) = (paint(LEN, 0), paint(20, 9));
    for key in [16, 24, 32] {
        let key = paint(key, 1);
        let aes = portable(&key);
        let h = block(&aes, 0);
        let backends: Vec<_> =
            usable().into_iter().map(|b| (b, Gcm::with_backend(&key, b).expect("a key length"))).collect();
        for j0 in [8, 16, 24, 32].into_iter().flat_map(near_wrap) {
            // J0 = ((IV • H) + 128) • H for an IV of 128 bits (SP 800-38D §7.1).
            let undo = inverse(h);
            let iv = ghash_mul(ghash_mul(j0, undo) ^ 128, undo).to_be_bytes();
            let sealed =
                crypt(&aes, &text, |n| (j0 >> 32 << 32 | (j0 as u32).wrapping_add(1 + n) as u128).to_be_bytes());
            let lengths = ((aad.len() as u128 * 8) << 64) | (LEN as u128 * 8);
            let hash = blocks(&aad).chain(blocks(&sealed)).map(u128::from_be_bytes).chain([lengths]);
            let tag = hash.fold(0, |y, x| ghash_mul(y ^ x, h)) ^ block(&aes, j0);
            let tag = tag.to_be_bytes();
            for (backend, gcm) in &backends {
                let case = format!("{backend} from {j0:032x}");
                let mut data = text.clone();
                assert_eq!(*gcm.seal(&iv, &aad, &mut data).expect("within limits"), tag, "{case}");
                assert!(data == sealed, "{case}");
                assert_eq!(gcm.open(&iv, &aad, &mut data, &tag), Ok(()), "{case}");
                assert!(data == text, "{case}");
                // And in two pieces.
                let (first, second) = data.split_at_mut(j0 as usize % LEN);
                let mut stream = gcm.stream(&iv).expect("a nonce");
                stream.aad(&aad).expect("within limits");
                let mut sealer = stream.seal();
                sealer.update((&mut *first).into()).expect("within limits");
                sealer.update((&mut *second).into()).expect("within limits");
                assert_eq!(*sealer.finish(), tag, "{case}");
                assert!(*first == sealed[..first.len()] && *second == sealed[first.len()..], "{case}");
                let mut stream = gcm.stream(&iv).expect("a nonce");
                stream.aad(&aad).expect("within limits");
                let mut opener = GcmOpener::from(stream);
                opener.update(first.into()).expect("within limits");
                opener.update(second.into()).expect("within limits");
                assert_eq!(opener.finish(&tag), Ok(()), "{case}");
                assert!(data == text, "{case}");
            }
        }
    }
}

#[test]
fn gcm_siv_increments_32_bits_little_endian() {
    let (text, nonce) = (paint(LEN, 0), *paint(12, 5).first_chunk::<12>().expect("12 bytes"));
    for key in [16, 32] {
        let key = paint(key, 1);
        let (h, aes) = derive_keys(&key, &nonce);
        let backends: Vec<_> =
            usable().into_iter().map(|b| (b, GcmSiv::with_backend(&key, b).expect("a key length"))).collect();
        // POLYVAL in GHASH's terms (RFC 8452 appendix A): blocks reversed, the key times x.
        let h = ghash_mul(u128::from_le_bytes(h), 1 << 126);
        let lengths = (LEN as u128 * 8) << 64 | 128;
        for start in [8, 16, 24, 32].into_iter().flat_map(near_wrap) {
            // The tag, and the hash it is the encryption of; the highest bit of that must be clear.
            let (tag, sum) = (0..)
                .map(|n: u128| {
                    let tag = (start ^ n << 96).to_le_bytes();
                    let mut sum = [tag];
                    aes.decrypt(&mut sum);
                    (tag, u128::from_le_bytes(sum[0]))
                })
                .find(|(_, sum)| sum >> 127 == 0)
                .expect("every other one");
            let mut padded_nonce = [0; 16];
            padded_nonce[..12].copy_from_slice(&nonce);
            let hash = sum ^ u128::from_le_bytes(padded_nonce);
            // One block of additional data comes first in the hash: what it must be for this result.
            let rest = || blocks(&text).map(u128::from_le_bytes).chain([lengths]);
            let without = rest().fold(0, |y, x| ghash_mul(y ^ x, h));
            let undo = inverse(h);
            let aad = rest().fold(ghash_mul(hash ^ without, undo), |a, _| ghash_mul(a, undo)).to_le_bytes();
            let ctr = u128::from_le_bytes(tag) | 1 << 127;
            let sealed = crypt(&aes, &text, |n| (ctr >> 32 << 32 | (ctr as u32).wrapping_add(n) as u128).to_le_bytes());
            for (backend, siv) in &backends {
                let case = format!("{backend} from {ctr:032x}");
                let mut data = text.clone();
                assert_eq!(*siv.seal(&nonce, &aad, &mut data).expect("within limits"), tag, "{case}");
                assert!(data == sealed, "{case}");
                assert_eq!(siv.open(&nonce, &aad, &mut data, &tag), Ok(()), "{case}");
                assert!(data == text, "{case}");
            }
        }
    }
}

/// CIPH of a big-endian number.
fn block(aes: &Aes, input: u128) -> u128 {
    let mut block = [input.to_be_bytes()];
    aes.encrypt(&mut block);
    u128::from_be_bytes(block[0])
}

/// The blocks of `bytes`, the last one padded with zeros.
fn blocks(bytes: &[u8]) -> impl Iterator<Item = Block> {
    bytes.chunks(16).map(|c| core::array::from_fn(|i| c.get(i).copied().unwrap_or(0)))
}

/// 1 / h in GHASH's field: h to the power of 2^128 − 2.
fn inverse(h: u128) -> u128 {
    let mut square = h;
    (0..127).fold(1 << 127, |product, _| {
        square = ghash_mul(square, square);
        ghash_mul(product, square)
    })
}

/// RFC 8452 §4: the authentication key, and AES under the encryption key.
fn derive_keys(key: &[u8], nonce: &[u8; 12]) -> (Block, Aes) {
    let mut counters: Vec<Block> = (0..2 + key.len() / 8)
        .map(|n| core::array::from_fn(|i| if i < 4 { (n >> (8 * i)) as u8 } else { nonce[i - 4] }))
        .collect();
    portable(key).encrypt(&mut counters);
    let keys: Vec<u8> = counters.iter().flat_map(|b| b[..8].iter().copied()).collect();
    (*keys.first_chunk().expect("16 bytes"), portable(&keys[16..]))
}
