//! graviola.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use graviola::aead::AesGcm;

pub(crate) struct Graviola;

impl Library for Graviola {
    fn name(&self) -> String {
        "graviola".into()
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        if !matches!(algorithm, Aes128Gcm | Aes256Gcm | Gmac) {
            return None;
        }
        let key = AesGcm::new(algorithm.key());
        match direction {
            Direction::Seal => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                key.encrypt(iv, aad, text, tag);
                true
            }),
            Direction::Open => run(move |m| {
                let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
                key.decrypt(iv, aad, text, tag).is_ok()
            }),
            Direction::Hash => run(move |m| {
                let (iv, (data, tag)) = (m.iv(), m.parts());
                key.encrypt(iv, data, &mut [], tag);
                true
            }),
            Direction::Encrypt => None,
        }
    }
}
