//! AWS-LC by its Rust crate.

use super::{Library, Run, ring_api, run};
use crate::algorithm::{Algorithm, Direction};
use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{self, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;

pub(crate) struct AwsLc;

impl Library for AwsLc {
    fn name(&self) -> String {
        "aws-lc-rs".into()
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        let aws = match algorithm {
            Aes128Gcm | Gmac => &aead::AES_128_GCM,
            Aes192Gcm => &aead::AES_192_GCM,
            Aes256Gcm => &aead::AES_256_GCM,
            Aes128GcmSiv => &aead::AES_128_GCM_SIV,
            Aes256GcmSiv => &aead::AES_256_GCM_SIV,
            Aes128Ctr => return ctr(&cipher::AES_128, algorithm.key()),
            Aes256Ctr => return ctr(&cipher::AES_256, algorithm.key()),
            Aes128Ccm | Aes256Ccm | Aes128CcmMany | Aes256CcmMany | Ghash => return None,
        };
        let key = LessSafeKey::new(UnboundKey::new(aws, algorithm.key()).ok()?);
        ring_api!(key, direction)
    }
}

fn ctr(algorithm: &'static cipher::Algorithm, key: &[u8]) -> Option<Run> {
    let key = EncryptingKey::ctr(UnboundCipherKey::new(algorithm, key).ok()?).ok()?;
    run(move |m| {
        let iv = EncryptionContext::Iv128(FixedLength::from(m.nonce));
        key.less_safe_encrypt(m.parts().0, iv).is_ok()
    })
}
