//! CCM of several messages side by side: which blocks of which message go to which lane, and when.
//!
//! A message is its first block and its additional data, which only the chain takes; whole blocks of text, which
//! are encrypted beside; and what is left of the text, padded, for the chain again. Where messages are opened, the
//! chain takes what has been decrypted, so that decrypting runs [`AHEAD`] blocks ahead of it: neither waits for the
//! other. What does not go by whole blocks is encrypted when a message starts, in one call of the cipher.

use super::Ccm;
use super::place::Place;
use crate::aead::{all, open_one, refuse, seal_one};
use crate::backend::Imp;
use crate::inout::{AHEAD, Feeds};
use crate::key::Secret;
use crate::lanes::{LANES, Lanes};
use crate::{AuthError, LimitError, Message, limits};

/// A message to seal or open, and its key.
type Keyed<'m, 'b> = (&'m Ccm, &'m mut Message<'b>);

impl Ccm {
    /// Seals independent messages, each under a key of its own, as by [`seal`](crate::Aead::seal), side by side.
    ///
    /// For whoever has a few records each for many connections at a time: on AES instructions it takes
    /// hardly longer than [`seal_many`](crate::Aead::seal_many) under one key. Messages under keys of one length go side
    /// by side.
    ///
    /// ```
    /// use evariste::{Ccm, Message};
    ///
    /// let (one, other) = (Ccm::new(&[1; 16])?, Ccm::new(&[2; 16])?);
    /// let (mut data, mut tags) = ([[0; 100]; 2], [[0; 16]; 2]);
    /// let [first, second] = &mut data;
    /// let [first_tag, second_tag] = &mut tags;
    /// Ccm::seal_each(&mut [
    ///     (&one, Message { nonce: &[0; 13], aad: b"", data: first, tag: first_tag, authentic: false }),
    ///     (&other, Message { nonce: &[0; 13], aad: b"", data: second, tag: second_tag, authentic: false }),
    /// ])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`seal_many`](crate::Aead::seal_many).
    pub fn seal_each(messages: &mut [(&Self, Message<'_>)]) -> Result<(), LimitError> {
        if !each_pays(messages) {
            return messages.iter_mut().try_for_each(|(ccm, m)| seal_one(*ccm, m));
        }
        let checks = messages.iter().map(|(ccm, m)| ccm.check(m));
        let (valid, result) = up_to_error(checks);
        for rounds in [10, 12, 14] {
            let those = messages.iter_mut().take(valid).filter(|(ccm, _)| ccm.key.rounds == rounds);
            seal(&mut those.map(|(ccm, m)| (*ccm, m)));
        }
        result
    }

    /// Opens independent messages, each under a key of its own, as by [`open`](crate::Aead::open), side by side, and
    /// notes which are authentic.
    ///
    /// # Errors
    /// As [`open_many`](crate::Aead::open_many).
    pub fn open_each(messages: &mut [(&Self, Message<'_>)]) -> Result<(), AuthError> {
        if !each_pays(messages) {
            return all(messages.iter_mut().map(|(ccm, m)| open_one(*ccm, m)));
        }
        let mut all = Ok(());
        for rounds in [10, 12, 14] {
            let those = messages.iter_mut().filter(|(ccm, _)| ccm.key.rounds == rounds);
            all = open(&mut those.map(|(ccm, m)| (*ccm, m))).and(all);
        }
        all
    }

    pub(super) fn seal_side_by_side(&self, messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        if !pays(messages.iter()) {
            return messages.iter_mut().try_for_each(|m| seal_one(self, m));
        }
        let (valid, result) = up_to_error(messages.iter().map(|m| self.check(m)));
        seal(&mut messages.iter_mut().take(valid).map(|m| (self, m)));
        result
    }

    pub(super) fn open_side_by_side(&self, messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        if !pays(messages.iter()) {
            return all(messages.iter_mut().map(|m| open_one(self, m)));
        }
        open(&mut messages.iter_mut().map(|m| (self, m)))
    }

    /// Whether messages under the two keys can go side by side.
    fn is_like(&self, other: &Self) -> bool {
        core::ptr::eq(self, other) || self.backend == other.backend && self.key.rounds == other.key.rounds
    }

    /// Whether the lengths of a message are within the limits.
    fn check(&self, m: &Message<'_>) -> Result<(), LimitError> {
        limits::ccm(m.nonce.len(), m.data.len() as u64)?;
        if m.tag.len() == self.tag_len as usize { Ok(()) } else { Err(LimitError::Buffer) }
    }
}

/// Bytes of text that take as long as what a message takes besides.
const A_MESSAGE: usize = 64;

/// Bytes of text that take as long as to set up lanes, and to wipe them.
const LANES_SET_UP: usize = 640;

/// Whether the messages are worth lanes: all but the longest are saved, at best. The two constants are from messages
/// of 16 to 1350 bytes, one to 64 of them, AES-128 on `vaes512` and `aesni-avx` (Zen 4, 2026-11-30).
fn pays<'a, 'b: 'a>(messages: impl Iterator<Item = &'a Message<'b>>) -> bool {
    let (mut sum, mut longest) = (0usize, 0);
    for m in messages {
        let len = m.data.len().saturating_add(A_MESSAGE);
        sum = sum.saturating_add(len);
        longest = longest.max(len);
    }
    sum - longest >= LANES_SET_UP
}

/// The same of messages with keys of their own, which lanes of some backends have not.
fn each_pays(messages: &[(&Ccm, Message<'_>)]) -> bool {
    let Some((first, _)) = messages.first() else { return false };
    let same = |ccm: &Ccm| core::ptr::eq(ccm, *first) || ccm.backend.imp().lanes_have_keys();
    messages.iter().all(|(ccm, _)| same(ccm)) && pays(messages.iter().map(|(_, m)| m))
}

/// How many are well before the first error, and that error.
fn up_to_error(checks: impl Iterator<Item = Result<(), LimitError>>) -> (usize, Result<(), LimitError>) {
    let mut valid = 0;
    for check in checks {
        if check.is_err() {
            return (valid, check);
        }
        valid += 1;
    }
    (valid, Ok(()))
}

/// Seals messages whose lengths are within the limits.
fn seal<'m, 'b: 'm>(messages: &mut dyn Iterator<Item = Keyed<'m, 'b>>) {
    // Nothing else can be wrong.
    let sealed = run::<true>(messages);
    debug_assert_eq!(sealed, Ok(()));
}

/// Opens messages, those that can be opened.
fn open<'m, 'b: 'm>(messages: &mut dyn Iterator<Item = Keyed<'m, 'b>>) -> Result<(), AuthError> {
    let mut all = Ok(());
    let mut valid = messages.filter_map(|(ccm, m)| {
        m.authentic = false;
        if ccm.check(m).is_err() {
            all = refuse(m.data);
            return None;
        }
        Some((ccm, m))
    });
    let authentic = run::<false>(&mut valid);
    all.and(authentic)
}

/// Runs messages whose lengths are within the limits; the result says whether all that were opened are authentic.
fn run<'m, 'b: 'm, const SEAL: bool>(messages: &mut dyn Iterator<Item = Keyed<'m, 'b>>) -> Result<(), AuthError> {
    let mut next = messages.next();
    let mut all = Ok(());
    // As long as the kind of key is the same.
    while let Some((ccm, _)) = &next {
        let ccm = *ccm;
        all = all.and(same_kind::<SEAL>(ccm, &mut next, messages));
    }
    all
}

/// Runs messages up to the first one under another kind of key, which is then `next`.
fn same_kind<'m, 'b: 'm, const SEAL: bool>(
    kind: &Ccm,
    next: &mut Option<Keyed<'m, 'b>>,
    messages: &mut dyn Iterator<Item = Keyed<'m, 'b>>,
) -> Result<(), AuthError> {
    let imp = kind.backend.imp();
    let mut lanes = Lanes::new(kind.key.rounds);
    let mut places = [const { Place::FREE }; LANES];
    let mut all = Ok(());
    loop {
        // Lanes with a new message.
        let (mut new, mut count) = ([0; LANES], 0);
        for (lane, place) in places.iter_mut().enumerate() {
            if place.has_more() {
                continue;
            }
            all = all.and(place.finish::<SEAL>(lanes.mac(lane)));
            let Some((ccm, message)) = next.take_if(|(ccm, _)| ccm.is_like(kind)) else { continue };
            *next = messages.next();
            lanes.start(lane, &ccm.key);
            place.start(ccm, message);
            new[count] = lane;
            count += 1;
        }
        if count > 0 {
            start::<SEAL>(imp, &lanes, &mut places, &new[..count]);
        }
        for (lane, place) in places.iter_mut().enumerate() {
            *lanes.state(lane).1 = place.counter::<SEAL>().to_be_bytes();
        }
        let Some(mut feeds) = Feeds::new(places.each_mut().map(Place::feed::<SEAL>)) else { return all };
        let steps = feeds.steps();
        imp.ccm_lanes(&mut lanes, &mut feeds);
        places.iter_mut().for_each(|place| place.at = (place.at + steps).min(place.end));
    }
}

/// Does what comes before the first step of these lanes' messages: all that does not go by whole blocks.
fn start<const SEAL: bool>(imp: &dyn Imp, lanes: &Lanes<'_>, places: &mut [Place<'_, '_>; LANES], new: &[usize]) {
    // The keystream of the tag, of the last block, and of those to be decrypted ahead.
    let each = if SEAL { 2 } else { 2 + AHEAD };
    let mut keystream = Secret([[0; 16]; (2 + AHEAD) * LANES]);
    let keystream = &mut keystream[..each * new.len()];
    for (blocks, &lane) in keystream.chunks_exact_mut(each).zip(new) {
        for (block, n) in blocks.iter_mut().zip([0, places[lane].blocks() as u128 + 1, 1, 2]) {
            *block = (places[lane].a0 + n).to_be_bytes();
        }
    }
    // Calls on many blocks take less than many calls.
    let key = |n: usize| lanes.key(new[n]);
    if let Some(one) = key(0).filter(|one| (1..new.len()).all(|n| key(n).is_some_and(|key| core::ptr::eq(key, *one)))) {
        imp.encrypt(one, keystream);
    } else {
        for (n, blocks) in keystream.chunks_exact_mut(each).enumerate() {
            key(n).into_iter().for_each(|key| imp.encrypt(key, blocks));
        }
    }
    for (blocks, &lane) in keystream.chunks_exact(each).zip(new) {
        places[lane].apply::<SEAL>(blocks);
    }
}
