//! ring.

use super::{Library, Run, ring_api, run};
use crate::algorithm::{Algorithm, Direction};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

pub(crate) struct Ring;

impl Library for Ring {
    fn name(&self) -> String {
        "ring".into()
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        let ring = match algorithm {
            Algorithm::Aes128Gcm | Algorithm::Gmac => &AES_128_GCM,
            Algorithm::Aes256Gcm => &AES_256_GCM,
            _ => return None,
        };
        let key = LessSafeKey::new(UnboundKey::new(ring, algorithm.key()).ok()?);
        ring_api!(key, direction)
    }
}
