//! ring.

use super::{Library, Run, run};
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
        let key = LessSafeKey::new(UnboundKey::new(ring, &algorithm.key()).ok()?);
        match direction {
            Direction::Seal => run(move |m| {
                let (nonce, aad) = (Nonce::assume_unique_for_key(*m.iv()), Aad::from(m.aad));
                let (text, out) = m.parts();
                key.seal_in_place_separate_tag(nonce, aad, text).map(|tag| out.copy_from_slice(tag.as_ref())).is_ok()
            }),
            Direction::Open => run(move |m| {
                let (nonce, aad) = (Nonce::assume_unique_for_key(*m.iv()), Aad::from(m.aad));
                key.open_in_place(nonce, aad, m.sealed).is_ok()
            }),
            Direction::Hash => run(move |m| {
                let nonce = Nonce::assume_unique_for_key(*m.iv());
                let (data, out) = m.parts();
                let tag = key.seal_in_place_separate_tag(nonce, Aad::from(&*data), &mut []);
                tag.map(|tag| out.copy_from_slice(tag.as_ref())).is_ok()
            }),
            Direction::Encrypt => None,
        }
    }
}
