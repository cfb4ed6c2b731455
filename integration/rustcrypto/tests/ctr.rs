//! Counter mode of both generations beside its model: pieces, seeking, wraps, and the end of the keystream.

use fastrand::Rng;

macro_rules! generation {
    ($module:ident, $aes:ident $ctr:ident, $model_aes:ident $model_ctr:ident) => {
        mod $module {
            use super::*;
            use $ctr::cipher::consts::U16;
            use $ctr::cipher::{IvSizeUser, KeyIvInit, StreamCipher, StreamCipherSeek};

            /// Counter blocks near each wrap there is, and anywhere.
            fn iv(rng: &mut Rng) -> [u8; 16] {
                let near = rng.u128(..40);
                match rng.u8(..6) {
                    0 => (!near).to_be_bytes(),
                    1 => (!near).to_le_bytes(),
                    2 => (rng.u128(..) | 0xffff_ffff).wrapping_sub(near).to_be_bytes(),
                    3 => (rng.u128(..) | u64::MAX as u128).wrapping_sub(near).to_be_bytes(),
                    4 => (rng.u128(..) | u64::MAX as u128).wrapping_sub(near).to_le_bytes(),
                    _ => rng.u128(..).to_be_bytes(),
                }
            }

            /// The same calls on both: pieces of any length, seeks, positions, clones.
            fn same<A, M>(bits: u32)
            where
                A: StreamCipher + StreamCipherSeek + KeyIvInit + IvSizeUser<IvSize = U16> + Clone,
                M: StreamCipher + StreamCipherSeek + KeyIvInit + IvSizeUser<IvSize = U16>,
            {
                let mut rng = Rng::with_seed(bits as u64);
                for _ in 0..60 {
                    let mut key = vec![0; A::key_size()];
                    rng.fill(&mut key);
                    let iv = iv(&mut rng);
                    let mut ours = A::new_from_slices(&key, &iv).expect("their lengths");
                    let mut model = M::new_from_slices(&key, &iv).expect("their lengths");
                    for _ in 0..40 {
                        match rng.u8(..8) {
                            0 => {
                                let end = 16u128 << bits.min(60);
                                let within = if rng.bool() { 2000 } else { end - 200_000 };
                                let pos = rng.u128(..within);
                                ours.seek(pos);
                                model.seek(pos);
                            }
                            1 => ours = ours.clone(),
                            2 => {
                                let (one, other) = (ours.try_current_pos::<u64>(), model.try_current_pos::<u64>());
                                assert_eq!(one.ok(), other.ok());
                            }
                            _ => {
                                let longest = if rng.u8(..8) == 0 { 3000 } else { 70 };
                                let mut one = vec![0; rng.usize(..longest)];
                                rng.fill(&mut one);
                                let mut other = one.clone();
                                ours.apply_keystream(&mut one);
                                model.apply_keystream(&mut other);
                                assert_eq!(one, other);
                            }
                        }
                    }
                }
            }

            /// Where the keystream ends, to a byte.
            fn same_end<A, M>()
            where
                A: StreamCipher + StreamCipherSeek + KeyIvInit + IvSizeUser<IvSize = U16>,
                M: StreamCipher + StreamCipherSeek + KeyIvInit + IvSizeUser<IvSize = U16>,
            {
                let end = (16u64 << 32) - 16;
                for iv in [[0; 16], [0xff; 16], [0xa5; 16]] {
                    for before in [0u64, 1, 15, 16, 17, 100] {
                        for more in 0..40 {
                            let mut ours = A::new_from_slices(&[1; 16], &iv).expect("their lengths");
                            let mut model = M::new_from_slices(&[1; 16], &iv).expect("their lengths");
                            ours.seek(end - before);
                            model.seek(end - before);
                            let len = (before + more).saturating_sub(20) as usize;
                            let (mut one, mut other) = (vec![0; len], vec![0; len]);
                            let failed = ours.try_apply_keystream(&mut one).is_err();
                            assert_eq!(failed, len as u64 > before, "{before} {len}");
                            assert_eq!(failed, model.try_apply_keystream(&mut other).is_err());
                            assert_eq!(one, other);
                            assert!(!failed || one.iter().all(|b| *b == 0));
                            assert_eq!(ours.try_current_pos::<u64>().ok(), model.try_current_pos::<u64>().ok());
                        }
                    }
                    let mut ours = A::new_from_slices(&[1; 16], &iv).expect("their lengths");
                    assert!(ours.try_seek(end + 1).is_err());
                    assert!(ours.try_seek(u128::MAX).is_err());
                }
            }

            #[test]
            fn flavors() {
                same::<$ctr::Ctr128BE<$aes::Aes128>, $model_ctr::Ctr128BE<$model_aes::Aes128>>(128);
                same::<$ctr::Ctr128BE<$aes::Aes256>, $model_ctr::Ctr128BE<$model_aes::Aes256>>(128);
                same::<$ctr::Ctr128LE<$aes::Aes192>, $model_ctr::Ctr128LE<$model_aes::Aes192>>(128);
                same::<$ctr::Ctr64BE<$aes::Aes192>, $model_ctr::Ctr64BE<$model_aes::Aes192>>(64);
                same::<$ctr::Ctr64LE<$aes::Aes128>, $model_ctr::Ctr64LE<$model_aes::Aes128>>(64);
                same::<$ctr::Ctr32BE<$aes::Aes128>, $model_ctr::Ctr32BE<$model_aes::Aes128>>(32);
                same::<$ctr::Ctr32LE<$aes::Aes256>, $model_ctr::Ctr32LE<$model_aes::Aes256>>(32);
            }

            #[test]
            fn the_end_of_the_keystream() {
                same_end::<$ctr::Ctr32BE<$aes::Aes128>, $model_ctr::Ctr32BE<$model_aes::Aes128>>();
                same_end::<$ctr::Ctr32LE<$aes::Aes128>, $model_ctr::Ctr32LE<$model_aes::Aes128>>();
            }

            /// A counter of 32 bits wraps, one of 128 carries on.
            #[test]
            fn flavors_differ_where_they_wrap() {
                let mut iv = [7; 16];
                iv[12..].fill(0xff);
                let (mut short, mut long) = ([0; 32], [0; 32]);
                $ctr::Ctr32BE::<$aes::Aes128>::new_from_slices(&[1; 16], &iv)
                    .expect("lengths")
                    .apply_keystream(&mut short);
                $ctr::Ctr128BE::<$aes::Aes128>::new_from_slices(&[1; 16], &iv)
                    .expect("lengths")
                    .apply_keystream(&mut long);
                assert_eq!(short[..16], long[..16]);
                assert_ne!(short[16..], long[16..]);
            }
        }
    };
}

generation!(current, evariste_aes evariste_ctr, aes ctr);
generation!(previous, previous_aes previous_ctr, model_aes_08 model_ctr_09);
