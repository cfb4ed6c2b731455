//! The core, called as a program in Rust does.

use crate::Args;
use crate::messages::{Call, KEY, Messages, Page, Runner};
use anyhow::{Context, Result};
use evariste::{Aead, Gcm};

struct Direct {
    gcm: Box<Page<Gcm>>,
    call: Call,
}

pub(crate) fn runner(call: Call, _: &Args) -> Result<Option<Box<dyn Runner>>> {
    Ok(Some(Box::new(Direct::new(call)?)))
}

impl Direct {
    fn new(call: Call) -> Result<Self> {
        Ok(Self { gcm: Box::new(Page(Gcm::new(&KEY)?)), call })
    }
}

impl Runner for Direct {
    fn run(&mut self, messages: &mut Messages) -> bool {
        let gcm = &self.gcm.0;
        match self.call {
            Call::Seal => messages.each(|nonce, aad, buffer| gcm.seal_in_place(nonce, aad, buffer).is_ok()),
            Call::Open => messages.each(|nonce, aad, buffer| gcm.open_in_place(nonce, aad, buffer).is_ok()),
            Call::SealDetached => messages.each(|nonce, aad, buffer| {
                let Some((text, tag)) = buffer.split_last_chunk_mut::<16>() else { return false };
                let Ok(made) = gcm.seal(nonce, aad, text) else { return false };
                made.as_array().map(|made| *tag = *made).is_some()
            }),
            Call::OpenDetached => messages.each(|nonce, aad, buffer| {
                let Some((text, tag)) = buffer.split_last_chunk_mut::<16>() else { return false };
                gcm.open(nonce, aad, text, tag).is_ok()
            }),
        }
    }
}

/// What sealing makes of messages, to be opened.
pub(crate) fn seal(messages: &mut Messages) -> Result<()> {
    let sealed = Direct::new(Call::Seal)?.run(messages);
    sealed.then_some(()).context("the core does not seal")
}
