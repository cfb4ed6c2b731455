//! Known answers of the standards through the traits of the generation before.
#![cfg(feature = "previous")]

use evariste_rustcrypto::previous::aead::generic_array::GenericArray;
use evariste_rustcrypto::previous::aead::{AeadInPlace, Error, KeyInit, Nonce, Tag};
use evariste_rustcrypto::previous::aes::{Aes128, Aes128Dec, Aes128Enc, Aes192, Aes256};
use evariste_rustcrypto::previous::aes_gcm::{Aes128Gcm, AesGcm};
use evariste_rustcrypto::previous::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use evariste_rustcrypto::previous::ccm::Ccm;
use evariste_rustcrypto::previous::cipher::consts::{U4, U7, U8, U12, U13, U16};
use evariste_rustcrypto::previous::cipher::inout::InOutBuf;
use evariste_rustcrypto::previous::cipher::{
    BlockDecrypt, BlockEncrypt, BlockSizeUser, KeyIvInit, StreamCipher, StreamCipherSeek,
};
use evariste_rustcrypto::previous::ctr::{Ctr128BE, Ctr128LE};
use evariste_rustcrypto::previous::ghash::GHash;
use evariste_rustcrypto::previous::universal_hash::UniversalHash;
use evariste_rustcrypto::xaes::Xaes256Gcm;

fn hex(hex: &str) -> Vec<u8> {
    hex::decode(hex).expect("digits")
}

fn known<A: AeadInPlace + KeyInit>(key: &str, nonce: &str, aad: &str, text: &str, sealed: &str) {
    let aead = A::new_from_slice(&hex(key)).expect("its length");
    let (nonce, aad, text, sealed) = (hex(nonce), hex(aad), hex(text), hex(sealed));
    let nonce = Nonce::<A>::from_slice(&nonce);
    let (expected, tag) = sealed.split_at(text.len());
    let tag = Tag::<A>::from_slice(tag);
    let mut data = text.clone();
    assert_eq!(aead.encrypt_in_place_detached(nonce, &aad, &mut data).as_ref(), Ok(tag));
    assert_eq!(data, expected);
    aead.decrypt_in_place_detached(nonce, &aad, &mut data, tag).expect("authentic");
    assert_eq!(data, text);
    for bit in 0..8 * tag.len() {
        let mut forged = tag.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        let mut data = expected.to_vec();
        assert_eq!(aead.decrypt_in_place_detached(nonce, &aad, &mut data, &forged), Err(Error));
        assert!(data.iter().all(|b| *b == 0));
    }
}

/// Test cases 4, 5 and 10 of the GCM specification (McGrew and Viega, appendix B).
#[test]
fn gcm() {
    let key = "feffe9928665731c6d6a8f9467308308";
    let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let text = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let sealed = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                  21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091\
                  5bc94fbc3221a5db94fae95ae7121a47";
    known::<Aes128Gcm>(key, "cafebabefacedbaddecaf888", aad, text, sealed);
    known::<AesGcm<Aes128, U12, U12>>(key, "cafebabefacedbaddecaf888", aad, text, &sealed[..2 * 72]);
    known::<AesGcm<Aes128, U12, U13>>(key, "cafebabefacedbaddecaf888", aad, text, &sealed[..2 * 73]);
    let sealed = "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
                  73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598\
                  3612d2e79e3b0785561be14aaca2fccb";
    known::<AesGcm<Aes128, U8>>(key, "cafebabefacedbad", aad, text, sealed);
    let sealed = "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                  7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710\
                  2519498e80f1478f37ba55bd6d27618c";
    let key = [key, &key[..16]].concat();
    known::<AesGcm<Aes192, U12>>(&key, "cafebabefacedbaddecaf888", aad, text, sealed);
}

/// RFC 8452 appendices C.1 and C.2.
#[test]
fn gcm_siv() {
    let key = "01000000000000000000000000000000";
    let (nonce, text) = ("030000000000000000000000", "0100000000000000");
    known::<Aes128GcmSiv>(key, nonce, "", text, "b5d839330ac7b786578782fff6013b815b287c22493a364c");
    let key = [key, "00000000000000000000000000000000"].concat();
    known::<Aes256GcmSiv>(&key, nonce, "", text, "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28");
}

/// SP 800-38C appendices C.1 and C.3.
#[test]
fn ccm() {
    let key = "404142434445464748494a4b4c4d4e4f";
    known::<Ccm<Aes128, U4, U7>>(key, "10111213141516", "0001020304050607", "20212223", "7162015b4dac255d");
    let aad = "000102030405060708090a0b0c0d0e0f10111213";
    let text = "202122232425262728292a2b2c2d2e2f3031323334353637";
    let sealed = "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951";
    known::<Ccm<Aes128, U8, U12>>(key, "101112131415161718191a1b", aad, text, sealed);
}

/// The first test vector of C2SP's specification.
#[test]
fn xaes() {
    let (nonce, text) = (hex::encode(b"ABCDEFGHIJKLMNOPQRSTUVWX"), hex::encode(b"XAES-256-GCM"));
    let sealed = "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271";
    known::<Xaes256Gcm>(&hex::encode([1; 32]), &nonce, "", &text, sealed);
}

/// FIPS 197 appendices C.1 to C.3.
#[test]
fn aes() {
    fn known<A: BlockEncrypt + BlockDecrypt + KeyInit + BlockSizeUser<BlockSize = U16>>(len: u8, sealed: &str) {
        let key: Vec<u8> = (0..len).collect();
        let aes = A::new_from_slice(&key).expect("its length");
        let text = GenericArray::clone_from_slice(&hex("00112233445566778899aabbccddeeff"));
        let sealed = GenericArray::clone_from_slice(&hex(sealed));
        let mut block = text;
        aes.encrypt_block(&mut block);
        assert_eq!(block, sealed);
        aes.decrypt_block(&mut block);
        assert_eq!(block, text);
        for n in [0, 1, 31, 32, 33, 100] {
            let mut blocks = vec![text; n];
            aes.encrypt_blocks(&mut blocks);
            assert!(blocks.iter().all(|b| *b == sealed), "{n}");
            let mut out = vec![GenericArray::default(); n];
            aes.decrypt_blocks_b2b(&blocks, &mut out).expect("equal lengths");
            assert!(out.iter().all(|b| *b == text), "{n}");
        }
    }
    known::<Aes128>(16, "69c4e0d86a7b0430d8cdb78070b4c55a");
    known::<Aes192>(24, "dda97ca4864cdfe06eaf70a0ec0d7191");
    known::<Aes256>(32, "8ea2b7ca516745bfeafc49904b496089");
    let enc = Aes128Enc::new(&[0; 16].into());
    let mut block = [0; 16].into();
    enc.encrypt_block(&mut block);
    Aes128Dec::from(enc).decrypt_block(&mut block);
    assert_eq!(block, [0; 16].into());
}

/// SP 800-38A §F.5.1, in place, in pieces, to another buffer and from the middle on.
#[test]
fn ctr() {
    let (key, iv) = (hex("2b7e151628aed2a6abf7158809cf4f3c"), hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
    let text = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let sealed = hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff");
    let mut ctr = Ctr128BE::<Aes128>::new_from_slices(&key, &iv).expect("their lengths");
    let mut out = [0; 32];
    ctr.apply_keystream_b2b(&text[..21], &mut out[..21]).expect("equal lengths");
    assert_eq!(ctr.current_pos::<u64>(), 21);
    ctr.apply_keystream_inout(InOutBuf::new(&text[21..], &mut out[21..]).expect("equal lengths"));
    assert_eq!(out[..], sealed);
    assert!(ctr.apply_keystream_b2b(&text, &mut out[1..]).is_err());
    ctr.seek(9u32);
    ctr.apply_keystream(&mut out[9..]);
    assert_eq!(out[9..], text[9..]);
    // cipher 0.4 makes a byte of block 0 of some of these.
    for negative in [-1i32, -7, -16, -255, i32::MIN] {
        assert!(ctr.try_seek(negative).is_err(), "{negative}");
        assert_eq!(ctr.current_pos::<u64>(), 32, "{negative}");
    }
    // Little-endian: the blocks one by one.
    let aes = Aes128::new_from_slice(&key).expect("its length");
    let mut data = [0; 40];
    Ctr128LE::<Aes128>::new_from_slices(&key, &[0xff; 16]).expect("their lengths").apply_keystream(&mut data);
    for (n, piece) in data.chunks(16).enumerate() {
        let mut block = u128::MAX.wrapping_add(n as u128).to_le_bytes().into();
        aes.encrypt_block(&mut block);
        assert_eq!(*piece, block[..piece.len()]);
    }
}

/// RFC 8452 appendix A.
#[test]
fn ghash() {
    let h = hex("25629347589242761d31f826ba4b757b");
    let x = hex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362");
    let expected = GenericArray::clone_from_slice(&hex("bd9b3997046731fb96251b91f9c99d7a"));
    let mut hash = GHash::new_from_slice(&h).expect("its length");
    hash.update_padded(&x);
    assert_eq!(hash.clone().finalize(), expected);
    hash.update_padded(&[0]);
    assert_ne!(hash.finalize(), expected);
    let mut blocks = GHash::new_from_slice(&h).expect("its length");
    blocks.update(&[GenericArray::clone_from_slice(&x[..16]), GenericArray::clone_from_slice(&x[16..])]);
    assert_eq!(blocks.finalize(), expected);
    // From the hash of the first block on: that is the state, and is added to the second.
    let mut first = GHash::new_from_slice(&h).expect("its length");
    first.update_padded(&x[..16]);
    let state = u128::from_le_bytes(first.finalize().into());
    let mut rest = GHash::new_with_init_block(GenericArray::from_slice(&h), state);
    assert_eq!(rest.clone().finalize(), state.to_le_bytes().into());
    rest.update_padded(&x[16..]);
    assert_eq!(rest.finalize(), expected);
}
