//! The portable backend, which is the oracle of all others, against independent crates.

#[path = "shared/paint.rs"]
mod paint;

use aes_gcm::AesGcm;
use aes_gcm::aead::{self, Key, KeyInit, Nonce, Payload};
use aes_gcm::aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyIvInit, StreamCipher};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use ccm::consts::{U4, U6, U7, U8, U10, U12, U13, U14, U16, U60};
use evariste::{Aead, Aes, Backend, Ccm, Ctr, Gcm, GcmSiv, KeyError};
use paint::paint;

/// Lengths of text, each with a length of additional data.
fn lens() -> impl Iterator<Item = (usize, usize)> {
    let long = [(1100, 31), (2049, 4096), (65535, 1), (70001, 300)];
    (0..=600).map(|len| (len, len * 7 % 100)).chain(long)
}

fn portable() -> Backend {
    Backend::by_name("portable").expect("always there")
}

#[test]
fn gcm() {
    agree::<AesGcm<Aes128, U12>, _>(|key| Gcm::with_backend(key, portable()));
    agree::<AesGcm<Aes192, U12>, _>(|key| Gcm::with_backend(key, portable()));
    agree::<AesGcm<Aes256, U12>, _>(|key| Gcm::with_backend(key, portable()));
    agree::<AesGcm<Aes256, U8>, _>(|key| Gcm::with_backend(key, portable()));
    agree::<AesGcm<Aes256, U16>, _>(|key| Gcm::with_backend(key, portable()));
    agree::<AesGcm<Aes256, U60>, _>(|key| Gcm::with_backend(key, portable()));
}

#[test]
fn ccm() {
    agree::<ccm::Ccm<Aes128, U16, U12>, _>(|key| Ccm::with_backend(key, portable()));
    agree::<ccm::Ccm<Aes192, U16, U12>, _>(|key| Ccm::with_backend(key, portable()));
    agree::<ccm::Ccm<Aes256, U16, U12>, _>(|key| Ccm::with_backend(key, portable()));
    agree::<ccm::Ccm<Aes128, U16, U7>, _>(|key| Ccm::with_backend(key, portable()));
    agree::<ccm::Ccm<Aes128, U14, U8>, _>(|key| Ccm::with_tag_len(key, portable(), 14));
    agree::<ccm::Ccm<Aes128, U12, U10>, _>(|key| Ccm::with_tag_len(key, portable(), 12));
    agree::<ccm::Ccm<Aes128, U10, U12>, _>(|key| Ccm::with_tag_len(key, portable(), 10));
    agree::<ccm::Ccm<Aes128, U8, U12>, _>(|key| Ccm::with_tag_len(key, portable(), 8));
    agree::<ccm::Ccm<Aes128, U6, U12>, _>(|key| Ccm::with_short_tag(key, portable(), 6));
    agree::<ccm::Ccm<Aes128, U4, U12>, _>(|key| Ccm::with_short_tag(key, portable(), 4));
}

/// The length of the additional data has two bytes below 0xff00, and six from there.
#[test]
fn ccm_with_much_additional_data() {
    let ours = Ccm::with_backend(&[5; 16], portable()).expect("16 bytes");
    let theirs = ccm::Ccm::<Aes128, U16, U13>::new(&[5; 16].into());
    for len in [0xfeff, 0xff00, 0xff01, 0x10000, 0x12345] {
        same(&ours, &theirs, (100, len));
    }
}

#[test]
fn gcm_siv() {
    agree::<aes_gcm_siv::Aes128GcmSiv, _>(|key| GcmSiv::with_backend(key, portable()));
    agree::<aes_gcm_siv::Aes256GcmSiv, _>(|key| GcmSiv::with_backend(key, portable()));
}

/// Equal results under one key, at all lengths.
fn agree<T: aead::Aead + KeyInit, A: Aead>(make: impl Fn(&[u8]) -> Result<A, KeyError>) {
    let key = Key::<T>::try_from(&paint(T::key_size(), 77)[..]).expect("its length");
    let (ours, theirs) = (make(&key).expect("a key length"), T::new(&key));
    lens().for_each(|lens| same(&ours, &theirs, lens));
}

fn same<T: aead::Aead>(ours: &impl Aead, theirs: &T, (len, aad_len): (usize, usize)) {
    let (text, aad) = (paint(len, aad_len), paint(aad_len, len));
    let nonce = Nonce::<T>::from_fn(|i| (i + len) as u8);
    let expected = theirs.encrypt(&nonce, Payload { msg: &text, aad: &aad }).expect("within limits");
    let mut out = vec![0; expected.len()];
    ours.seal_appended(&nonce, &aad, &text, &mut out).expect("within limits");
    assert!(out == expected, "{len} bytes, {aad_len} of AAD, a nonce of {}", nonce.len());
    assert_eq!(ours.open_in_place(&nonce, &aad, &mut out).expect("authentic"), text);
}

#[test]
fn ctr() {
    fn agree<T: KeyIvInit + StreamCipher>() {
        let key = paint(T::key_size(), 50);
        for (len, _) in lens() {
            // Wraps in 8, 16, … bits after a few blocks, but never in all 128.
            let iv: [u8; 16] = core::array::from_fn(|i| if i > len % 15 { 0xff - (i == 15) as u8 * 3 } else { 9 });
            let (mut ours, mut theirs) = (paint(len, 0), paint(len, 0));
            T::new_from_slices(&key, &iv).expect("their lengths").apply_keystream(&mut theirs);
            let mut ctr = Ctr::with_backend(&key, &iv, portable()).expect("a key length");
            ctr.apply((&mut ours[..]).into()).expect("before the end");
            assert!(ours == theirs, "{len}");
        }
    }
    agree::<ctr::Ctr128BE<Aes128>>();
    agree::<ctr::Ctr128BE<Aes192>>();
    agree::<ctr::Ctr128BE<Aes256>>();
}

#[test]
fn blocks() {
    fn agree<T: KeyInit + BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt>() {
        for n in 0..300 {
            let key = paint(T::key_size(), n);
            let theirs = T::new_from_slice(&key).expect("its length");
            let ours = Aes::with_backend(&key, portable()).expect("a key length");
            let block: [u8; 16] = core::array::from_fn(|i| (i * n) as u8);
            let (mut a, mut b) = ([block], block.into());
            ours.encrypt(&mut a);
            theirs.encrypt_block(&mut b);
            assert_eq!(a[0], b[..]);
            let (mut a, mut b) = ([block], block.into());
            ours.decrypt(&mut a);
            theirs.decrypt_block(&mut b);
            assert_eq!(a[0], b[..]);
        }
    }
    agree::<Aes128>();
    agree::<Aes192>();
    agree::<Aes256>();
}
