//! What can be shown by trying all cases.
//!
//! Multiplication in GF(2^128) is bilinear: code made of XOR, shift, shuffle and carry-less multiply
//! that is right on all pairs of basis vectors is right on all pairs. A hash of n blocks is linear in
//! each of them: a single bit in each place of each block shows every power of H in every lane. The
//! S-box has 256 inputs, and each of them meets every byte of a block in every lane.

#[path = "shared/aes.rs"]
mod aes;
#[path = "shared/effort.rs"]
mod effort;
#[path = "shared/field.rs"]
mod field;
#[path = "shared/usable.rs"]
mod usable;

use aes::TextbookAes;
use effort::cases;
use evariste::{Aead, Aes, Backend, Block, Ctr, Gcm, Ghash, Polyval};
use field::ghash_mul;
use usable::usable;

/// Numbers of blocks around the widths of kernels and their strides, and more than one stride of 64.
const BLOCKS: [usize; 18] = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70];

/// Several strides.
const MANY: [usize; 2] = [135, 200];

/// dot(a, b) of RFC 8452 §3: a · b · x^-128, modulo x^128 + x^127 + x^126 + x^121 + 1.
fn dot(a: u128, b: u128) -> u128 {
    (0..128).fold(0, |sum, i| {
        let sum = sum ^ if b >> i & 1 == 1 { a } else { 0 };
        // Over x: an odd polynomial is made even by the modulus first.
        sum >> 1 ^ if sum & 1 == 1 { 0xe1 << 120 } else { 0 }
    })
}

/// An element of either field, arbitrary but for being full.
const H: u128 = 0xd3a1_5c86_40f7_2b9e_6e0d_93b4_f12c_58a7;

#[test]
fn products_of_basis_vectors() {
    for backend in usable() {
        for (x, h) in (0..128).flat_map(|x| (0..128).map(move |h| (1 << x, 1 << h))) {
            let mut ghash = Ghash::with_backend(&u128::to_be_bytes(h), backend);
            ghash.update(&u128::to_be_bytes(x));
            assert_eq!(ghash.finish(), ghash_mul(x, h).to_be_bytes(), "{backend}: GHASH, {x:x} by {h:x}");
            let mut polyval = Polyval::with_backend(&u128::to_le_bytes(h), backend);
            polyval.update(&u128::to_le_bytes(x));
            assert_eq!(polyval.finish(), dot(x, h).to_le_bytes(), "{backend}: POLYVAL, {x:x} by {h:x}");
        }
    }
}

/// Messages of blocks of zeros, but for one bit.
struct OneBit([Vec<Block>; 128]);

impl OneBit {
    const MOST: usize = 200;

    /// `block` makes bytes of a number.
    fn new(block: fn(u128) -> Block) -> Self {
        Self(core::array::from_fn(|bit| {
            let mut blocks = vec![[0; 16]; 2 * Self::MOST - 1];
            blocks[Self::MOST - 1] = block(1 << bit);
            blocks
        }))
    }

    /// `n` blocks, the one at `place` with this bit.
    fn message(&self, n: usize, place: usize, bit: usize) -> &[Block] {
        &self.0[bit][Self::MOST - 1 - place..][..n]
    }
}

/// `[1, h, h², …]`, the first of which is not used.
fn powers(h: u128, mul: fn(u128, u128) -> u128) -> Vec<u128> {
    let mut powers = vec![0, h];
    (1..=OneBit::MOST).for_each(|n| powers.push(mul(powers[n], h)));
    powers
}

#[test]
fn ghash_of_one_bit_anywhere() {
    one_bit_anywhere(ghash_mul, u128::to_be_bytes, |backend, messages| {
        let mut ghash = Ghash::with_backend(&H.to_be_bytes(), backend);
        messages.for_each(|m| ghash.update(m.as_flattened()));
        ghash.finish()
    });
}

#[test]
fn polyval_of_one_bit_anywhere() {
    one_bit_anywhere(dot, u128::to_le_bytes, |backend, messages| {
        let mut polyval = Polyval::with_backend(&H.to_le_bytes(), backend);
        messages.for_each(|m| polyval.update(m.as_flattened()));
        polyval.finish()
    });
}

/// All bits of a block, one after the other in one hash: making the key takes longer than a message.
fn one_bit_anywhere(
    mul: fn(u128, u128) -> u128,
    block: fn(u128) -> Block,
    hash: impl Fn(Backend, &mut dyn Iterator<Item = &[Block]>) -> Block,
) {
    let (one_bit, powers, backends) = (OneBit::new(block), powers(H, mul), usable());
    for (n, place) in cases(BLOCKS.into_iter().chain(MANY).flat_map(|n| (0..n).map(move |place| (n, place)))) {
        let expected = (0..128).fold(0, |sum, bit| mul(sum, powers[n]) ^ mul(1 << bit, powers[n - place]));
        for backend in &backends {
            let hash = hash(*backend, &mut (0..128).map(|bit| one_bit.message(n, place, bit)));
            assert_eq!(hash, block(expected), "{backend}: {n} blocks, bits in the one at {place}");
        }
    }
}

/// GCM under a key, and what is needed to foretell its tags.
struct KnownGcm {
    on: Vec<(Backend, Gcm)>,
    powers: Vec<u128>,
    /// E(J0), and the keystream that follows.
    e_j0: u128,
    keystream: Vec<Block>,
}

impl KnownGcm {
    const NONCE: [u8; 12] = [0xb5; 12];

    fn new(key: &[u8]) -> Self {
        let aes = TextbookAes::new(key);
        let j0 = u128::from_be_bytes([0xb5; 16]) >> 32 << 32 | 1;
        let mut keystream: Vec<_> = (0..=OneBit::MOST as u128).map(|n| aes.encrypt((j0 + n).to_be_bytes())).collect();
        Self {
            on: usable().into_iter().map(|b| (b, Gcm::with_backend(key, b).expect("a key length"))).collect(),
            powers: powers(u128::from_be_bytes(aes.encrypt([0; 16])), ghash_mul),
            e_j0: u128::from_be_bytes(keystream.remove(0)),
            keystream,
        }
    }

    /// The tag of `n` blocks, the one at `place` with this bit, and of these lengths.
    fn tag(&self, n: usize, place: usize, bit: usize, lengths: u128) -> Block {
        let hash = ghash_mul(1 << bit, self.powers[n + 1 - place]) ^ ghash_mul(lengths, self.powers[1]);
        (hash ^ self.e_j0).to_be_bytes()
    }
}

/// Each message by itself, of all numbers of blocks up to 71.
#[test]
fn gmac_of_one_bit_anywhere() {
    let (gcm, one_bit) = (KnownGcm::new(&[7; 16]), OneBit::new(u128::to_be_bytes));
    for (n, place) in cases((1..=71).flat_map(|n| (0..n).map(move |place| (n, place)))) {
        for bit in 0..128 {
            let message = one_bit.message(n, place, bit).as_flattened();
            let tag = gcm.tag(n, place, bit, (n as u128 * 128) << 64);
            for (backend, gcm) in &gcm.on {
                let made = gcm.mac(&KnownGcm::NONCE, message).expect("within limits");
                assert_eq!(*made, tag, "{backend}: {n} blocks, bit {bit} of the one at {place}");
            }
        }
    }
}

/// As ciphertexts, so that the kernels which cipher and hash at once hash them.
#[test]
fn ciphertexts_of_one_bit_anywhere() {
    let (gcm, one_bit) = (KnownGcm::new(&[9; 32]), OneBit::new(u128::to_be_bytes));
    let all = BLOCKS.into_iter().map(|n| (n, 1)).chain(MANY.map(|n| (n, 21)));
    for (n, place, step) in cases(all.flat_map(|(n, step)| (0..n).map(move |place| (n, place, step)))) {
        for bit in (0..128).step_by(step) {
            let sealed = one_bit.message(n, place, bit);
            let mut text = gcm.keystream[..n].to_vec();
            text[place] = (u128::from_be_bytes(text[place]) ^ 1 << bit).to_be_bytes();
            let tag = gcm.tag(n, place, bit, n as u128 * 128);
            let mut data = text.clone();
            for (backend, gcm) in &gcm.on {
                let case = || format!("{backend}: {n} blocks, bit {bit} of the one at {place}");
                let made = gcm.seal(&KnownGcm::NONCE, &[], data.as_flattened_mut()).expect("within limits");
                assert_eq!(*made, tag, "{}", case());
                assert!(data == sealed, "sealed, {}", case());
                assert_eq!(gcm.open(&KnownGcm::NONCE, &[], data.as_flattened_mut(), &tag), Ok(()), "{}", case());
                assert!(data == text, "opened, {}", case());
                let (from, to) = (sealed.as_flattened(), data.as_flattened_mut());
                assert_eq!(gcm.open_to(&KnownGcm::NONCE, &[], from, to, &tag), Ok(()), "{}", case());
                assert!(data == text, "opened to another buffer, {}", case());
            }
        }
    }
}

/// Blocks that differ from one another in one byte: all its values, in all 16 places.
fn one_byte() -> Vec<Block> {
    let blocks = (0..16).flat_map(|place| {
        (0..=255).map(move |value| core::array::from_fn(|i| if i == place { value } else { 0x3c + i as u8 }))
    });
    blocks.collect()
}

#[test]
fn every_byte_in_every_lane() {
    for key in [16, 24, 32] {
        let key: Vec<u8> = (0..key).map(|i| 0x91 ^ (i * 5)).collect();
        let textbook = TextbookAes::new(&key);
        let blocks = one_byte();
        let encrypted: Vec<_> = blocks.iter().map(|b| textbook.encrypt(*b)).collect();
        let decrypted: Vec<_> = blocks.iter().map(|b| textbook.decrypt(*b)).collect();
        for backend in usable() {
            let aes = Aes::with_backend(&key, backend).expect("a key length");
            // Another start takes each block to another lane.
            for start in cases(0..64) {
                let mut data = blocks.clone();
                aes.encrypt(&mut data[start..]);
                assert!(data[start..] == encrypted[start..], "{backend}: encrypted from {start}");
                let mut data = blocks.clone();
                aes.decrypt(&mut data[start..]);
                assert!(data[start..] == decrypted[start..], "{backend}: decrypted from {start}");
            }
            // Groups too small for the widest loop.
            for n in cases(1..64) {
                let mut data = blocks.clone();
                data.chunks_mut(n).for_each(|group| aes.encrypt(group));
                assert!(data == encrypted, "{backend}: encrypted {n} at a time");
                let mut data = blocks.clone();
                data.chunks_mut(n).for_each(|group| aes.decrypt(group));
                assert!(data == decrypted, "{backend}: decrypted {n} at a time");
            }
        }
    }
}

/// The cipher of the last one, `portable`, is shown to be right above.
#[test]
fn every_byte_of_a_counter() {
    for key in [16, 24, 32] {
        let key: Vec<u8> = (0..key).map(|i| 0x17 ^ (i * 3)).collect();
        let backends = usable();
        let portable = Aes::with_backend(&key, backends[backends.len() - 1]).expect("a key length");
        let mut ctrs: Vec<_> =
            backends.into_iter().map(|b| (b, Ctr::with_backend(&key, &[0; 16], b).expect("a key length"))).collect();
        for iv in one_byte() {
            let start = u128::from_be_bytes(iv);
            let mut expected: [Block; 67] = core::array::from_fn(|n| (start + n as u128).to_be_bytes());
            portable.encrypt(&mut expected);
            for (backend, ctr) in &mut ctrs {
                let mut keystream = [[0; 16]; 67];
                ctr.restart(&iv);
                ctr.apply(keystream.as_flattened_mut().into()).expect("before the end");
                assert!(keystream == expected, "{backend} from {start:032x}");
            }
        }
    }
}

#[test]
fn every_byte_of_a_key() {
    let (mut textbook, backends) = (TextbookAes::new(&[0; 16]), usable());
    for (key_len, place, value) in [16, 24, 32]
        .into_iter()
        .flat_map(|len| (0..len).flat_map(move |place| (0..=255u8).map(move |value| (len, place, value))))
    {
        let mut key = vec![0x6d; key_len];
        key[place] = value;
        textbook.expand(&key);
        let text = [0xa7; 16];
        let sealed = textbook.encrypt(text);
        for backend in &backends {
            let aes = Aes::with_backend(&key, *backend).expect("a key length");
            let mut block = [text];
            aes.encrypt(&mut block);
            assert_eq!(block, [sealed], "{backend}: {value} in byte {place} of {key_len}");
            aes.decrypt(&mut block);
            assert_eq!(block, [text], "{backend}: {value} in byte {place} of {key_len}");
        }
    }
}
