//! ring and aws-lc-rs: the latter has ring's interface, in types of its own.

mod aws_lc;
mod ring;

use super::{Library, Run, run};

pub(crate) fn load() -> [Box<dyn Library>; 2] {
    [Box::new(ring::Ring), Box::new(aws_lc::AwsLc)]
}

/// Sealing, opening and hashing by a `LessSafeKey`, where its module has `Nonce` and `Aad` too.
macro_rules! ring_api {
    ($key:ident, $direction:ident) => {
        match $direction {
            Direction::Seal => run(move |m| {
                let (nonce, aad) = (Nonce::assume_unique_for_key(*m.iv()), Aad::from(m.aad));
                let (text, out) = m.parts();
                $key.seal_in_place_separate_tag(nonce, aad, text).map(|tag| out.copy_from_slice(tag.as_ref())).is_ok()
            }),
            Direction::Open => run(move |m| {
                let (nonce, aad) = (Nonce::assume_unique_for_key(*m.iv()), Aad::from(m.aad));
                $key.open_in_place(nonce, aad, m.sealed).is_ok()
            }),
            Direction::Hash => run(move |m| {
                let nonce = Nonce::assume_unique_for_key(*m.iv());
                let (data, out) = m.parts();
                let tag = $key.seal_in_place_separate_tag(nonce, Aad::from(&*data), &mut []);
                tag.map(|tag| out.copy_from_slice(tag.as_ref())).is_ok()
            }),
            Direction::Encrypt => None,
        }
    };
}
use ring_api;
