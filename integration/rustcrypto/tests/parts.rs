//! Hashes beside their models, and the block ciphers in modes of other crates.

use fastrand::Rng;

macro_rules! hashes {
    ($name:ident, $traits:path, $ours:ty, $model:ty) => {
        #[test]
        fn $name() {
            use uh::{KeyInit, UniversalHash};
            use $traits as uh;
            let mut rng = Rng::with_seed(1);
            for _ in 0..100 {
                let mut key = [0; 16];
                rng.fill(&mut key);
                let mut ours = <$ours as KeyInit>::new_from_slice(&key).expect("16 bytes");
                let mut model = <$model as KeyInit>::new_from_slice(&key).expect("16 bytes");
                for _ in 0..5 {
                    let longest = if rng.bool() { 100 } else { 3000 };
                    let mut data = vec![0; rng.usize(..longest)];
                    rng.fill(&mut data);
                    ours = ours.clone();
                    ours.update_padded(&data);
                    model.update_padded(&data);
                }
                let expected = model.finalize();
                assert!(ours.clone().verify(&expected).is_ok());
                assert_eq!(ours.finalize(), expected);
            }
        }
    };
}

hashes!(ghash_current, evariste_ghash::universal_hash, evariste_ghash::GHash, ghash::GHash);
hashes!(ghash_previous, previous_ghash::universal_hash, previous_ghash::GHash, model_ghash_05::GHash);
hashes!(polyval_current, evariste_ghash::universal_hash, evariste_rustcrypto::polyval::Polyval, polyval::Polyval);

/// The state that a hash starts from means the same.
#[test]
fn ghash_with_init_block() {
    use previous_ghash::universal_hash::UniversalHash;
    let (key, init) = ([3; 16].into(), 0x0123456789abcdef_fedcba9876543210);
    for text in [&b""[..], b"short", &[5; 100]] {
        let mut ours = previous_ghash::GHash::new_with_init_block(&key, init);
        let mut model = model_ghash_05::GHash::new_with_init_block(&key, init);
        ours.update_padded(text);
        model.update_padded(text);
        assert_eq!(ours.finalize(), model.finalize());
    }
}

/// CBC of many blocks, both ways, and CMAC, on either's block ciphers.
#[test]
fn modes_of_others() {
    use cbc::cipher::block_padding::Pkcs7;
    use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
    use cmac::{Cmac, KeyInit, Mac};
    let mut rng = Rng::with_seed(2);
    for len in [0, 1, 16, 100, 511, 512, 513, 2000] {
        let (mut key, mut iv, mut text) = ([0; 32], [0; 16], vec![0; len]);
        rng.fill(&mut key);
        rng.fill(&mut iv);
        rng.fill(&mut text);
        let sealed =
            cbc::Encryptor::<evariste_aes::Aes256>::new(&key.into(), &iv.into()).encrypt_padded_vec::<Pkcs7>(&text);
        let model = cbc::Encryptor::<aes::Aes256>::new(&key.into(), &iv.into()).encrypt_padded_vec::<Pkcs7>(&text);
        assert_eq!(sealed, model);
        let opened =
            cbc::Decryptor::<evariste_aes::Aes256>::new(&key.into(), &iv.into()).decrypt_padded_vec::<Pkcs7>(&sealed);
        assert_eq!(opened.expect("padded"), text);

        let mut ours = <Cmac<evariste_aes::Aes256> as KeyInit>::new(&key.into());
        let mut model = <Cmac<aes::Aes256> as KeyInit>::new(&key.into());
        ours.update(&text);
        model.update(&text);
        assert_eq!(ours.finalize().into_bytes(), model.finalize().into_bytes());
    }
    // RFC 4493 §4, example 2.
    let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
    let mut cmac = <Cmac<evariste_aes::Aes128> as KeyInit>::new(&key.into());
    cmac.update(&0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes());
    assert_eq!(cmac.finalize().into_bytes(), 0x070a16b46b4d4144f79bdd9dd04a287c_u128.to_be_bytes());
}

/// The same in the generation before.
#[test]
fn modes_of_others_previous() {
    use cbc_01::cipher::{BlockDecryptMut, BlockEncryptMut, KeyIvInit};
    use cmac_07::{Cmac, Mac};
    let mut rng = Rng::with_seed(3);
    let mut text = vec![[0; 16].into(); 100];
    text.iter_mut().for_each(|block: &mut cbc_01::cipher::Block<previous_aes::Aes128>| rng.fill(block));
    let (mut one, mut other) = (text.clone(), text.clone());
    cbc_01::Encryptor::<previous_aes::Aes128>::new(&[1; 16].into(), &[2; 16].into()).encrypt_blocks_mut(&mut one);
    cbc_01::Encryptor::<model_aes_08::Aes128>::new(&[1; 16].into(), &[2; 16].into()).encrypt_blocks_mut(&mut other);
    assert_eq!(one, other);
    cbc_01::Decryptor::<previous_aes::Aes128>::new(&[1; 16].into(), &[2; 16].into()).decrypt_blocks_mut(&mut one);
    assert_eq!(one, text);

    let mut ours = Cmac::<previous_aes::Aes256>::new_from_slice(&[1; 32]).expect("32 bytes");
    let mut model = Cmac::<model_aes_08::Aes256>::new_from_slice(&[1; 32]).expect("32 bytes");
    ours.update(&[5; 100]);
    model.update(&[5; 100]);
    assert_eq!(ours.finalize().into_bytes(), model.finalize().into_bytes());
}
