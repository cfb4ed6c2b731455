//! RustCrypto's traits of both generations, on the same type. Text and tag are apart in them; what puts the tag behind the
//! text is theirs.

use crate::Runners;
use crate::messages::{Call, KEY, Messages, Page, Runner};
use anyhow::Result;
use evariste_rustcrypto::aead::{AeadInOut, KeyInit};
use evariste_rustcrypto::aes_gcm::Aes128Gcm;
use evariste_rustcrypto::previous::aead::AeadInPlace;

pub(crate) const AEAD_06: Runners = |call, _| runner::<Current>(call);
pub(crate) const AEAD_05: Runners = |call, _| runner::<Previous>(call);

/// A generation's two calls.
trait Generation {
    /// Seals `text` in place and writes the tag.
    fn seal(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) -> bool;
    /// Opens it.
    fn open(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool;
}

/// aead 0.6.
struct Current;

impl Generation for Current {
    #[inline(always)]
    fn seal(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) -> bool {
        let made = key.encrypt_inout_detached(nonce.into(), aad, text.into());
        made.map(|made| *tag = made.into()).is_ok()
    }

    #[inline(always)]
    fn open(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool {
        key.decrypt_inout_detached(nonce.into(), aad, text.into(), tag.into()).is_ok()
    }
}

/// aead 0.5.
struct Previous;

impl Generation for Previous {
    #[inline(always)]
    fn seal(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) -> bool {
        let made = key.encrypt_in_place_detached(nonce.into(), aad, text);
        made.map(|made| *tag = made.into()).is_ok()
    }

    #[inline(always)]
    fn open(key: &Aes128Gcm, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool {
        key.decrypt_in_place_detached(nonce.into(), aad, text, tag.into()).is_ok()
    }
}

struct Traits<G> {
    key: Box<Page<Aes128Gcm>>,
    call: Call,
    generation: std::marker::PhantomData<G>,
}

fn runner<G: Generation + 'static>(call: Call) -> Result<Option<Box<dyn Runner>>> {
    let apart = matches!(call, Call::SealDetached | Call::OpenDetached);
    let key = Box::new(Page(Aes128Gcm::new(&KEY.into())));
    let traits = Traits::<G> { key, call, generation: std::marker::PhantomData };
    Ok(apart.then(|| Box::new(traits) as Box<dyn Runner>))
}

impl<G: Generation> Runner for Traits<G> {
    fn run(&mut self, messages: &mut Messages) -> bool {
        let (key, opens) = (&self.key.0, self.call.opens());
        if opens {
            messages.each(|nonce, aad, buffer| {
                let Some((text, tag)) = buffer.split_last_chunk_mut::<16>() else { return false };
                G::open(key, nonce, aad, text, tag)
            })
        } else {
            messages.each(|nonce, aad, buffer| {
                let Some((text, tag)) = buffer.split_last_chunk_mut::<16>() else { return false };
                G::seal(key, nonce, aad, text, tag)
            })
        }
    }
}
