//! Batches of messages: short ones next to each other are one call of the backend.

use super::Gcm;
use crate::aead::{open_one, refuse, seal_one};
use crate::key::Secret;
use crate::{AuthError, LimitError, Message, ct, partial};

/// Messages that go in one call.
const TOGETHER: usize = 16;

impl Gcm {
    /// Whether a message is one for `seal_short` and `open_short`.
    #[inline(always)]
    fn is_short(&self, m: &Message<'_>) -> bool {
        m.nonce.len() == 12 && m.data.len() <= self.short && m.aad.len() <= 16 && m.tag.len() == self.tag_len as usize
    }

    /// The next messages that go in one call, those that go one by one, and all after these.
    #[inline(always)]
    fn split<'s, 'm>(&self, messages: &'s mut [Message<'m>]) -> [&'s mut [Message<'m>]; 3] {
        let short = messages.iter().take(TOGETHER).take_while(|m| self.is_short(m)).count();
        let (short, others) = messages.split_at_mut(short);
        let long = others.iter().take_while(|m| !self.is_short(m)).count();
        let (long, rest) = others.split_at_mut(long);
        [short, long, rest]
    }

    pub(super) fn seal_batch(&self, mut messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        let mut tags = Secret([0; TOGETHER]);
        while !messages.is_empty() {
            let [short, long, rest] = self.split(messages);
            self.backend.imp().seal_shorts(&self.key, short, &mut *tags);
            for (m, tag) in short.iter_mut().zip(&*tags) {
                match m.tag.first_chunk_mut() {
                    Some(whole) => *whole = tag.to_ne_bytes(),
                    None => _ = partial::write(tag.to_le(), m.tag),
                }
            }
            for m in long {
                seal_one(self, m)?;
            }
            messages = rest;
        }
        Ok(())
    }

    pub(super) fn open_batch(&self, mut messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        let mut tags = Secret([0; TOGETHER]);
        let mut all = Ok(());
        while !messages.is_empty() {
            let [short, long, rest] = self.split(messages);
            self.backend.imp().open_shorts(&self.key, short, &mut *tags);
            for (m, tag) in short.iter_mut().zip(&*tags) {
                m.authentic = true;
                if !ct::tags_equal(*tag, m.tag) {
                    m.authentic = false;
                    all = refuse(m.data);
                }
            }
            for m in long {
                all = all.and(open_one(self, m));
            }
            messages = rest;
        }
        all
    }
}
