//! Every authenticated mode of both generations beside its model, on random messages.

use fastrand::Rng;

/// A generation's types and those of its models, with the same calls.
macro_rules! generation {
    ($module:ident, $trait:ident, $seal:ident, $open:ident, $aes:ident $gcm:ident $siv:ident $ccm:ident, $model_aes:ident $model_gcm:ident $model_siv:ident $model_ccm:ident) => {
        mod $module {
            use super::*;
            use $gcm::aead::consts::*;
            use $gcm::aead::{$trait, AeadCore, Key, KeyInit, Nonce, Tag};

            /// Random messages through both, and forgeries.
            fn same<A, M>(nonces_are_long: bool)
            where
                A: $trait + KeyInit + Clone,
                M: $trait + KeyInit + AeadCore<NonceSize = A::NonceSize, TagSize = A::TagSize>,
            {
                let mut rng = Rng::with_seed((Nonce::<A>::default().len() + 100 * Tag::<A>::default().len()) as u64);
                for round in 0..200 {
                    let mut key = vec![0; <A as $gcm::aead::KeySizeUser>::key_size()];
                    rng.fill(&mut key);
                    let ours = A::new_from_slice(&key).expect("its length");
                    let ours = if round % 2 == 0 { ours } else { ours.clone() };
                    let model = M::new_from_slice(&key).expect("its length");
                    let mut nonce = Nonce::<A>::default();
                    rng.fill(&mut nonce);
                    let longest = if round % 10 == 0 { 20_000 } else { 400 };
                    let mut text = vec![0; rng.usize(..longest)];
                    let mut aad = vec![0; if nonces_are_long { rng.usize(..40) } else { rng.usize(..300) }];
                    rng.fill(&mut text);
                    rng.fill(&mut aad);

                    let (mut one, mut other) = (text.clone(), text.clone());
                    let tag = ours.$seal(&nonce, &aad, (&mut one[..]).into()).expect("within limits");
                    let expected = model.$seal(&nonce, &aad, (&mut other[..]).into()).expect("within limits");
                    assert_eq!(tag, expected);
                    assert_eq!(one, other);
                    ours.$open(&nonce, &aad, (&mut one[..]).into(), &tag).expect("authentic");
                    assert_eq!(one, text);

                    // A bit of tag, text, nonce or additional data is another one.
                    let mut forged = (other.clone(), tag.clone(), nonce.clone(), aad.clone());
                    let at = match round % 4 {
                        0 if !forged.0.is_empty() => &mut forged.0[..],
                        1 => &mut forged.2[..],
                        2 if !aad.is_empty() => &mut forged.3[..],
                        _ => &mut forged.1[..],
                    };
                    at[rng.usize(..at.len())] ^= 1 << rng.u8(..8);
                    assert!(ours.$open(&forged.2, &forged.3, (&mut forged.0[..]).into(), &forged.1).is_err());
                    assert!(forged.0.iter().all(|b| *b == 0));
                }
            }

            #[test]
            fn gcm() {
                same::<$gcm::Aes128Gcm, $model_gcm::Aes128Gcm>(false);
                same::<$gcm::Aes256Gcm, $model_gcm::Aes256Gcm>(false);
                same::<$gcm::AesGcm<$aes::Aes192, U12>, $model_gcm::AesGcm<$model_aes::Aes192, U12>>(false);
                same::<$gcm::AesGcm<$aes::Aes128, U1>, $model_gcm::AesGcm<$model_aes::Aes128, U1>>(false);
                same::<$gcm::AesGcm<$aes::Aes256, U16>, $model_gcm::AesGcm<$model_aes::Aes256, U16>>(false);
                same::<$gcm::AesGcm<$aes::Aes128, U100>, $model_gcm::AesGcm<$model_aes::Aes128, U100>>(true);
                same::<$gcm::AesGcm<$aes::Aes128, U12, U12>, $model_gcm::AesGcm<$model_aes::Aes128, U12, U12>>(false);
                same::<$gcm::AesGcm<$aes::Aes128, U12, U13>, $model_gcm::AesGcm<$model_aes::Aes128, U12, U13>>(false);
                same::<$gcm::AesGcm<$aes::Aes128, U12, U14>, $model_gcm::AesGcm<$model_aes::Aes128, U12, U14>>(false);
                same::<$gcm::AesGcm<$aes::Aes128, U12, U15>, $model_gcm::AesGcm<$model_aes::Aes128, U12, U15>>(false);
            }

            #[test]
            fn gcm_siv() {
                same::<$siv::Aes128GcmSiv, $model_siv::Aes128GcmSiv>(false);
                same::<$siv::Aes256GcmSiv, $model_siv::Aes256GcmSiv>(false);
            }

            macro_rules! ccm {
                ($cipher:ident: $m:ident with $n1:ident $n2:ident) => {
                    same::<$ccm::Ccm<$aes::$cipher, $m, $n1>, $model_ccm::Ccm<$model_aes::$cipher, $m, $n1>>(false);
                    same::<$ccm::Ccm<$aes::$cipher, $m, $n2>, $model_ccm::Ccm<$model_aes::$cipher, $m, $n2>>(false);
                };
            }

            #[test]
            fn ccm() {
                ccm!(Aes128: U4 with U7 U13);
                ccm!(Aes192: U6 with U8 U12);
                ccm!(Aes256: U8 with U9 U13);
                ccm!(Aes128: U10 with U10 U11);
                ccm!(Aes256: U12 with U11 U12);
                ccm!(Aes192: U14 with U7 U13);
                ccm!(Aes128: U16 with U12 U13);
            }

            /// Text of 2^16 bytes is too long for a nonce of 13; nothing is written.
            #[test]
            fn ccm_refuses_what_is_too_long() {
                let ccm = $ccm::Ccm::<$aes::Aes128, U16, U13>::new(&Key::<$aes::Aes128>::default());
                let mut data = vec![1; 1 << 16];
                assert!(ccm.$seal(&Nonce::<$ccm::Ccm<$aes::Aes128, U16, U13>>::default(), b"", (&mut data[..]).into()).is_err());
                assert!(data.iter().all(|b| *b == 1));
                assert!(ccm.$seal(&Default::default(), b"", (&mut data[1..]).into()).is_ok());
            }
        }
    };
}

generation!(current, AeadInOut, encrypt_inout_detached, decrypt_inout_detached,
    evariste_aes evariste_aes_gcm evariste_aes_gcm_siv evariste_ccm, aes aes_gcm aes_gcm_siv ccm);
generation!(previous, AeadInPlace, encrypt_in_place_detached, decrypt_in_place_detached,
    previous_aes previous_aes_gcm previous_aes_gcm_siv previous_ccm,
    model_aes_08 model_aes_gcm_010 model_aes_gcm_siv_011 model_ccm_05);

/// `Aead::encrypt`, with the tag behind the text, as the model has it; streams of the generation before.
#[test]
fn vectors_and_streams() {
    use evariste_aes_gcm::aead::{Aead, KeyInit, Payload};
    let (key, nonce) = ([7; 32], [9; 12]);
    let payload = || Payload { msg: b"text", aad: b"header" };
    let ours = evariste_aes_gcm::Aes256Gcm::new(&key.into());
    let sealed = ours.encrypt(&nonce.into(), payload()).expect("within limits");
    let model = aes_gcm::Aes256Gcm::new(&key.into());
    assert_eq!(sealed, model.encrypt(&nonce.into(), payload()).expect("within limits"));
    let opened = ours.decrypt(&nonce.into(), Payload { msg: &sealed, aad: b"header" });
    assert_eq!(opened.expect("authentic"), b"text");
    assert!(ours.decrypt(&nonce.into(), Payload { msg: &sealed[..15], aad: b"header" }).is_err());

    use previous_aes_gcm::aead::stream::{DecryptorBE32, EncryptorBE32};
    let mut seal = EncryptorBE32::<previous_aes_gcm::Aes256Gcm>::new(&key.into(), &[9; 7].into());
    let pieces = [seal.encrypt_next(&b"first"[..]), seal.encrypt_last(&b"last"[..])].map(|p| p.expect("room"));
    let mut open = DecryptorBE32::<previous_aes_gcm::Aes256Gcm>::new(&key.into(), &[9; 7].into());
    assert_eq!(open.decrypt_next(&pieces[0][..]).expect("authentic"), b"first");
    assert_eq!(open.decrypt_last(&pieces[1][..]).expect("authentic"), b"last");
}
