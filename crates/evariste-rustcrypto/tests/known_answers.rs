//! Known answers of the standards through the traits, for each type.

use evariste_rustcrypto::aead::{AeadInOut, Error, KeyInit, KeySizeUser, Nonce, Tag};
use evariste_rustcrypto::aes::{Aes128, Aes128Dec, Aes128Enc, Aes192, Aes256};
use evariste_rustcrypto::aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use evariste_rustcrypto::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use evariste_rustcrypto::ccm::Ccm;
use evariste_rustcrypto::cipher::consts::{U4, U6, U7, U8, U12, U13, U14, U15, U16, U60};
use evariste_rustcrypto::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InOutBuf, KeyIvInit, StreamCipher,
};
use evariste_rustcrypto::ctr::{Ctr, CtrFlavor, flavors};
use evariste_rustcrypto::ghash::GHash;
use evariste_rustcrypto::polyval::Polyval;
use evariste_rustcrypto::universal_hash::UniversalHash;
use evariste_rustcrypto::xaes::Xaes256Gcm;

fn hex(hex: &str) -> Vec<u8> {
    hex::decode(hex).expect("digits")
}

/// A message both ways, in place and to another buffer, and what becomes of it when a bit of it is another.
fn known<A: AeadInOut + KeyInit + From<B>, B: KeyInit + KeySizeUser<KeySize = A::KeySize>>(
    key: &str,
    nonce: &str,
    aad: &str,
    text: &str,
    sealed: &str,
) {
    let key = hex(key);
    message(&A::new_from_slice(&key).expect("its length"), nonce, aad, text, sealed);
    message(&A::from(B::new_from_slice(&key).expect("its length")), nonce, aad, text, sealed);
}

fn message<A: AeadInOut>(aead: &A, nonce: &str, aad: &str, text: &str, sealed: &str) {
    let nonce = Nonce::<A>::try_from(&hex(nonce)[..]).expect("its length");
    let (aad, text, sealed) = (hex(aad), hex(text), hex(sealed));
    let (expected, tag) = sealed.split_at(text.len());
    let tag = Tag::<A>::try_from(tag).expect("its length");

    let mut data = text.clone();
    assert_eq!(aead.encrypt_inout_detached(&nonce, &aad, (&mut data[..]).into()), Ok(tag.clone()));
    assert_eq!(data, expected);
    let mut out = vec![1; text.len()];
    let apart = InOutBuf::new(&text[..], &mut out[..]).expect("equal lengths");
    assert_eq!(aead.encrypt_inout_detached(&nonce, &aad, apart), Ok(tag.clone()));
    assert_eq!(out, expected);

    aead.decrypt_inout_detached(&nonce, &aad, (&mut data[..]).into(), &tag).expect("authentic");
    assert_eq!(data, text);
    let mut out = vec![1; text.len()];
    let apart = InOutBuf::new(expected, &mut out[..]).expect("equal lengths");
    aead.decrypt_inout_detached(&nonce, &aad, apart, &tag).expect("authentic");
    assert_eq!(out, text);

    for bit in 0..8 * tag.len() {
        let mut forged = tag.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        let mut data = expected.to_vec();
        assert_eq!(aead.decrypt_inout_detached(&nonce, &aad, (&mut data[..]).into(), &forged), Err(Error));
        assert!(data.iter().all(|b| *b == 0));
        let apart = InOutBuf::new(expected, &mut out[..]).expect("equal lengths");
        assert_eq!(aead.decrypt_inout_detached(&nonce, &aad, apart, &forged), Err(Error));
        assert!(out.iter().all(|b| *b == 0));
    }
}

const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308";
const GCM_IV: &str = "cafebabefacedbaddecaf888";
const GCM_AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

/// Test cases 4, 5, 6, 10 and 16 of the GCM specification (McGrew and Viega, appendix B).
#[test]
fn gcm() {
    let text = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
    let tag = "5bc94fbc3221a5db94fae95ae7121a47";
    let sealed = [text, tag].concat();
    known::<Aes128Gcm, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed);
    known::<AesGcm<_, U12, U15>, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed[..2 * 75]);
    known::<AesGcm<_, U12, U14>, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed[..2 * 74]);
    known::<AesGcm<_, U12, U13>, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed[..2 * 73]);
    known::<AesGcm<_, U12, U12>, Aes128Enc>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed[..2 * 72]);
    let sealed = "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
                  73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598\
                  3612d2e79e3b0785561be14aaca2fccb";
    known::<AesGcm<_, U8>, Aes128>(GCM_KEY, "cafebabefacedbad", GCM_AAD, GCM_TEXT, sealed);
    let nonce = "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728\
                 c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b";
    let sealed = "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7\
                  01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5\
                  619cc5aefffe0bfa462af43c1699d050";
    known::<AesGcm<_, U60>, Aes128>(GCM_KEY, nonce, GCM_AAD, GCM_TEXT, sealed);
    let sealed = "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                  7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710\
                  2519498e80f1478f37ba55bd6d27618c";
    let key = [GCM_KEY, &GCM_KEY[..16]].concat();
    known::<AesGcm<_, U12>, Aes192>(&key, GCM_IV, GCM_AAD, GCM_TEXT, sealed);
    let sealed = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                  8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
                  76fc6ece0f4e1768cddf8853bb2d551b";
    let key = [GCM_KEY, GCM_KEY].concat();
    known::<Aes256Gcm, Aes256>(&key, GCM_IV, GCM_AAD, GCM_TEXT, sealed);
}

/// Test case 4 with its tag cut to 8 and 4 bytes (SP 800-38D §5.2.1.2).
#[cfg(feature = "hazmat")]
#[test]
fn gcm_short_tags() {
    let sealed = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                  21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db";
    known::<AesGcm<_, U12, U8>, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, sealed);
    known::<AesGcm<_, U12, U4>, Aes128>(GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, &sealed[..2 * 64]);
}

/// A nonce of no bytes is refused, and nothing of the text becomes the output.
#[test]
fn gcm_without_a_nonce() {
    let gcm = AesGcm::<Aes128, evariste_rustcrypto::cipher::consts::U0>::new(&[7; 16].into());
    let mut data = *b"text";
    assert!(gcm.encrypt_inout_detached(&[].into(), b"", (&mut data[..]).into()).is_err());
    assert_eq!(&data, b"text");
    let mut out = [1; 4];
    let apart = InOutBuf::new(&data[..], &mut out[..]).expect("equal lengths");
    assert!(gcm.encrypt_inout_detached(&[].into(), b"", apart).is_err());
    assert_eq!(out, [0; 4]);
}

/// RFC 8452 appendices C.1 and C.2.
#[test]
fn gcm_siv() {
    let key = "01000000000000000000000000000000";
    let (nonce, text) = ("030000000000000000000000", "0100000000000000");
    let sealed = "b5d839330ac7b786578782fff6013b815b287c22493a364c";
    known::<Aes128GcmSiv, Aes128>(key, nonce, "", text, sealed);
    let sealed = "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28";
    known::<Aes256GcmSiv, Aes256>(&[key, "00000000000000000000000000000000"].concat(), nonce, "", text, sealed);
}

/// SP 800-38C appendices C.1 to C.3, and mirage-crypto#299.
#[test]
fn ccm() {
    let key = "404142434445464748494a4b4c4d4e4f";
    let nonce = "101112131415161718191a1b";
    let aad = "000102030405060708090a0b0c0d0e0f10111213";
    let text = "202122232425262728292a2b2c2d2e2f3031323334353637";
    known::<Ccm<_, U4, U7>, Aes128>(key, &nonce[..14], &aad[..16], &text[..8], "7162015b4dac255d");
    let sealed = "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd";
    known::<Ccm<_, U6, U8>, Aes128>(key, &nonce[..16], &aad[..32], &text[..32], sealed);
    let sealed = "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951";
    known::<Ccm<_, U8, U12>, Aes128>(key, nonce, aad, text, sealed);
    let bytes = "000102030405060708090a0b0c0d0e0f";
    let sealed = "4c8deb839f1db3856356fe0c0956db30";
    known::<Ccm<_, U16, U13>, Aes128>(bytes, &bytes[..26], &bytes[..28], "", sealed);
}

/// The test vectors of C2SP's specification.
#[test]
fn xaes() {
    let nonce = hex::encode(b"ABCDEFGHIJKLMNOPQRSTUVWX");
    let text = hex::encode(b"XAES-256-GCM");
    let sealed = "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271";
    message(&Xaes256Gcm::new(&[1; 32].into()), &nonce, "", &text, sealed);
    let aad = hex::encode(b"c2sp.org/XAES-256-GCM");
    let sealed = "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d";
    message(&Xaes256Gcm::new(&[3; 32].into()), &nonce, &aad, &text, sealed);
}

/// FIPS 197 appendices C.1 to C.3, on each way to call a block cipher.
#[test]
fn aes() {
    fn known<A: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U16>>(
        len: usize,
        sealed: &str,
    ) {
        let key: Vec<u8> = (0..len as u8).collect();
        let aes = A::new_from_slice(&key).expect("its length");
        let text = hex("00112233445566778899aabbccddeeff");
        let text: [u8; 16] = text.try_into().expect("a block");
        let sealed: [u8; 16] = hex(sealed).try_into().expect("a block");
        let mut block = text.into();
        aes.encrypt_block(&mut block);
        assert_eq!(block, sealed);
        aes.decrypt_block(&mut block);
        assert_eq!(block, text);
        for n in [0, 1, 31, 32, 33, 100] {
            let mut blocks = vec![text.into(); n];
            aes.encrypt_blocks(&mut blocks);
            assert!(blocks.iter().all(|b| *b == sealed), "{n}");
            let mut out = vec![[0; 16].into(); n];
            aes.decrypt_blocks_b2b(&blocks, &mut out).expect("equal lengths");
            assert!(out.iter().all(|b| *b == text), "{n}");
            aes.encrypt_blocks_b2b(&out, &mut blocks).expect("equal lengths");
            assert!(blocks.iter().all(|b| *b == sealed), "{n}");
            aes.decrypt_blocks(&mut blocks);
            assert!(blocks.iter().all(|b| *b == text), "{n}");
        }
    }
    known::<Aes128>(16, "69c4e0d86a7b0430d8cdb78070b4c55a");
    known::<Aes192>(24, "dda97ca4864cdfe06eaf70a0ec0d7191");
    known::<Aes256>(32, "8ea2b7ca516745bfeafc49904b496089");
    // Halves, and what can be made of them.
    let enc = Aes128Enc::new(&[0; 16].into());
    let mut block = [0; 16].into();
    enc.encrypt_block(&mut block);
    assert_eq!(block[..4], [0x66, 0xe9, 0x4b, 0xd4]);
    Aes128Dec::from(&enc).decrypt_block(&mut block);
    assert_eq!(block, [0; 16]);
    Aes128::from(enc).encrypt_block(&mut block);
    assert_eq!(block[..4], [0x66, 0xe9, 0x4b, 0xd4]);
}

/// SP 800-38A §F.5, and each flavor by its blocks, encrypted one by one, across each of its wraps.
#[test]
fn ctr() {
    let text = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let iv = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    let mut data = text.clone();
    let mut ctr = Ctr::<Aes128, flavors::Ctr128BE>::new_from_slices(&hex("2b7e151628aed2a6abf7158809cf4f3c"), &iv)
        .expect("their lengths");
    ctr.apply_keystream(&mut data);
    assert_eq!(hex::encode(&data), "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff");
    let key = hex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b");
    let mut data = text.clone();
    Ctr::<Aes192, flavors::Ctr64BE>::new_from_slices(&key, &iv).expect("their lengths").apply_keystream(&mut data);
    assert_eq!(hex::encode(&data[..16]), "1abc932417521ca24f2b0459fe7e6e0b");
    let key = hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
    let mut data = text.clone();
    Ctr::<Aes256, flavors::Ctr32BE>::new_from_slices(&key, &iv).expect("their lengths").apply_keystream(&mut data);
    assert_eq!(hex::encode(&data[..16]), "601ec313775789a5b7a7f504bbf3d228");

    flavor::<flavors::Ctr128BE>(|iv, n| u128::from_be_bytes(iv).wrapping_add(n).to_be_bytes());
    flavor::<flavors::Ctr128LE>(|iv, n| u128::from_le_bytes(iv).wrapping_add(n).to_le_bytes());
    flavor::<flavors::Ctr64BE>(|mut iv, n| {
        let counter = u64::from_be_bytes(iv[8..].try_into().expect("eight bytes"));
        iv[8..].copy_from_slice(&counter.wrapping_add(n as u64).to_be_bytes());
        iv
    });
    flavor::<flavors::Ctr64LE>(|mut iv, n| {
        let counter = u64::from_le_bytes(iv[..8].try_into().expect("eight bytes"));
        iv[..8].copy_from_slice(&counter.wrapping_add(n as u64).to_le_bytes());
        iv
    });
    flavor::<flavors::Ctr32BE>(|mut iv, n| {
        let counter = u32::from_be_bytes(iv[12..].try_into().expect("four bytes"));
        iv[12..].copy_from_slice(&counter.wrapping_add(n as u32).to_be_bytes());
        iv
    });
    flavor::<flavors::Ctr32LE>(|mut iv, n| {
        let counter = u32::from_le_bytes(iv[..4].try_into().expect("four bytes"));
        iv[..4].copy_from_slice(&counter.wrapping_add(n as u32).to_le_bytes());
        iv
    });
}

fn flavor<F: CtrFlavor>(block: impl Fn([u8; 16], u128) -> [u8; 16]) {
    let aes = Aes128::new(&[9; 16].into());
    for before in [0u128, 1, 2, 3, 17, 40] {
        for iv in [!0u128 - before, !0u128 << 64 | (before << 32), !(before << 32), !(before << 120)] {
            let iv = iv.to_be_bytes();
            let mut expected = Vec::new();
            for n in 0..50 {
                let mut block = block(iv, n).into();
                aes.encrypt_block(&mut block);
                expected.extend_from_slice(&block);
            }
            for step in [1, 3, 15, 16, 17, 31, 32, 100, 271, 800] {
                let mut ctr = Ctr::<Aes128, F>::from_cipher(&aes, &iv.into());
                let mut data = [0; 800];
                data.chunks_mut(step).for_each(|piece| ctr.apply_keystream(piece));
                assert_eq!(data[..], expected, "{} {iv:02x?} {step}", F::NAME);
            }
        }
    }
}

/// RFC 8452 appendix A: the same key and text under both hashes, on each way to call them.
#[test]
fn hashes() {
    let h: [u8; 16] = hex("25629347589242761d31f826ba4b757b").try_into().expect("a block");
    let x = hex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362");
    fn known<H: UniversalHash + KeyInit + Clone>(h: &[u8], x: &[u8], expected: &str) {
        let mut hash = H::new_from_slice(h).expect("its length");
        hash.update_padded(x);
        assert_eq!(hex::encode(hash.clone().finalize()), expected);
        let mut blocks = H::new_from_slice(h).expect("its length");
        for block in x.chunks(16) {
            blocks.update(&[block.try_into().expect("a block")]);
        }
        assert_eq!(hex::encode(blocks.finalize()), expected);
        let expected = hex(expected)[..].try_into().expect("a block");
        assert!(hash.clone().verify(&expected).is_ok());
        hash.update_padded(&[0]);
        assert!(hash.verify(&expected).is_err());
    }
    known::<GHash>(&h, &x, "bd9b3997046731fb96251b91f9c99d7a");
    known::<Polyval>(&h, &x, "f7a3b47b846119fae5b7866cf5e5b77e");
}

/// Nothing secret is shown.
#[test]
fn debug_shows_no_key() {
    let key = [0xab; 16].into();
    let ctr = Ctr::<Aes128, flavors::Ctr128BE>::new(&key, &[0xab; 16].into());
    let shown = format!("{:?} {:?} {ctr:?}", Aes128::new(&key), Aes128Gcm::new(&key));
    assert_eq!(shown, "Aes128 { .. } AesGcm { .. } Ctr { .. }");
    let shown = format!("{:?} {:?}", Ccm::<Aes128, U16, U13>::new(&key), Aes128GcmSiv::new(&key));
    assert_eq!(shown, "Ccm { .. } AesGcmSiv { .. }");
    assert_eq!(format!("{:?} {:?}", GHash::new(&key), Polyval::new(&key)), "GHash(..) Polyval(..)");
}
