//! CCM of several messages side by side: which blocks of which message go to which lane, and when.
//!
//! A message is its first block and its additional data, which only the chain takes; whole blocks of text, which
//! are encrypted beside; and what is left of the text, padded, for the chain again. Where messages are opened, the
//! chain takes what has been decrypted, so that decrypting runs [`AHEAD`] blocks ahead of it: neither waits for the
//! other. What does not go by whole blocks is encrypted when a message starts, in one call of the cipher.

use super::stream::aad_length;
use super::{Ccm, add};
use crate::aead::refuse;
use crate::backend::Imp;
use crate::block::{padded, xor};
use crate::ctr::until_wrap;
use crate::inout::{Feed, Feeds};
use crate::key::Secret;
use crate::lanes::{LANES, Lanes};
use crate::{AuthError, Block, InOut, LimitError, Message, Tag, ct, limits};

/// Blocks that are decrypted before the chain takes the first of them.
const AHEAD: usize = 2;

/// Blocks for the chain alone that are made at a time.
const FRONT: usize = 8;

/// A message to seal or open, and its key.
type Keyed<'m, 'b> = (&'m Ccm, &'m mut Message<'b>);

impl Ccm {
    /// Seals independent messages, each under a key of its own, as by [`seal`](crate::Aead::seal), side by side.
    ///
    /// For whoever has a few records each for many connections at a time: it takes hardly longer than
    /// [`seal_many`](crate::Aead::seal_many) under one key. Messages under keys of one length go side by side.
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
        let mut all = Ok(());
        for rounds in [10, 12, 14] {
            let those = messages.iter_mut().filter(|(ccm, _)| ccm.key.rounds == rounds);
            all = open(&mut those.map(|(ccm, m)| (*ccm, m))).and(all);
        }
        all
    }

    pub(super) fn seal_side_by_side(&self, messages: &mut [Message<'_>]) -> Result<(), LimitError> {
        let (valid, result) = up_to_error(messages.iter().map(|m| self.check(m)));
        seal(&mut messages.iter_mut().take(valid).map(|m| (self, m)));
        result
    }

    pub(super) fn open_side_by_side(&self, messages: &mut [Message<'_>]) -> Result<(), AuthError> {
        open(&mut messages.iter_mut().map(|m| (self, m)))
    }

    /// Whether the lengths of a message are within the limits.
    fn check(&self, m: &Message<'_>) -> Result<(), LimitError> {
        limits::ccm(m.nonce.len(), m.data.len() as u64)?;
        if m.tag.len() == self.tag_len as usize { Ok(()) } else { Err(LimitError::Buffer) }
    }
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
    let (imp, rounds) = (kind.backend.imp(), kind.key.rounds);
    let mut lanes = Lanes::new(rounds);
    let mut places = [const { Place { work: None, nowhere: Secret([0; 16]) } }; LANES];
    let mut all = Ok(());
    loop {
        for (lane, place) in places.iter_mut().enumerate() {
            while !place.work.as_mut().is_some_and(Work::has_more::<SEAL>) {
                if let Some(work) = place.work.take() {
                    all = all.and(work.finish::<SEAL>(lanes.mac(lane)));
                }
                let same = |(ccm, _): &mut Keyed<'_, '_>| ccm.backend == kind.backend && ccm.key.rounds == rounds;
                let Some((ccm, message)) = next.take_if(same) else { break };
                *next = messages.next();
                lanes.start(lane, &ccm.key);
                place.work = Some(Work::start::<SEAL>(imp, ccm, message));
            }
            if let Some(work) = &place.work {
                *lanes.state(lane).1 = work.counter::<SEAL>();
            }
        }
        let Some(mut feeds) = Feeds::new(places.each_mut().map(Place::feed::<SEAL>)) else { return all };
        let steps = feeds.steps();
        imp.ccm_lanes(&mut lanes, &mut feeds);
        places.iter_mut().filter_map(|place| place.work.as_mut()).for_each(|work| work.at += steps);
    }
}

/// A lane's message, and a block for what it encrypts beside nothing.
struct Place<'m, 'b> {
    work: Option<Work<'m, 'b>>,
    nowhere: Secret<Block>,
}

impl Place<'_, '_> {
    fn feed<const SEAL: bool>(&mut self) -> Feed<'_> {
        match &mut self.work {
            Some(work) => work.feed::<SEAL>(&mut self.nowhere),
            None => Feed::idle(&mut self.nowhere),
        }
    }
}

/// What a message is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its first block and additional data.
    Front,
    /// Whole blocks of text.
    Text,
    /// What is left of the text.
    Tail,
}

/// A message, and how far it is.
struct Work<'m, 'b> {
    tag_len: u8,
    message: &'m mut Message<'b>,
    /// Bytes of the additional data that are in `front`, now or before.
    aad: usize,
    stage: Stage,
    /// Blocks of the stage that the chain has taken.
    at: usize,
    /// Blocks that were made for the chain, and how many there are.
    front: Secret<[Block; FRONT]>,
    made: usize,
    /// The first counter block, and what it is encrypted to.
    a0: Block,
    s0: Secret<Block>,
    /// What is left of the text, padded.
    tail: Secret<Block>,
}

impl<'m, 'b> Work<'m, 'b> {
    /// Begins a message whose lengths are within the limits.
    fn start<const SEAL: bool>(imp: &dyn Imp, ccm: &Ccm, message: &'m mut Message<'b>) -> Self {
        let (a0, b0) = ccm.blocks(message.nonce, message.aad.len() as u64, message.data.len() as u64);
        let (mut whole, mut rest) = InOut::from(&mut *message.data).into_blocks();
        // The keystream of the tag, of the last block, and of those to be decrypted ahead.
        let mut s = Secret([a0, add(&a0, 1 + whole.len() as u128), add(&a0, 1), add(&a0, 2)]);
        let count = if SEAL { 1 + !rest.is_empty() as usize } else { 4 };
        imp.encrypt(&ccm.key, &mut s[..count]);
        let mut tail = Secret(padded(rest.input()));
        rest.reborrow().xor(&s[1]);
        if !SEAL {
            *tail = padded(rest.written());
            for (block, s) in whole.output().iter_mut().zip(&s[2..]) {
                xor(block, s);
            }
        }
        let mut work = Self {
            tag_len: ccm.tag_len,
            message,
            aad: 0,
            stage: Stage::Front,
            at: 0,
            front: Secret([[0; 16]; FRONT]),
            made: 0,
            a0,
            s0: Secret(s[0]),
            tail,
        };
        work.front[0] = b0;
        let (prefix, len) = aad_length(work.message.aad.len() as u64);
        work.front.as_flattened_mut()[16..][..prefix.len()].copy_from_slice(&prefix);
        work.take_aad(16 + len);
        work
    }

    /// Takes more of the additional data, behind so many bytes in front of it.
    fn take_aad(&mut self, behind: usize) {
        let bytes = &mut self.front.as_flattened_mut()[behind..];
        let more = &self.message.aad[self.aad..];
        let n = more.len().min(bytes.len());
        bytes[..n].copy_from_slice(&more[..n]);
        bytes[n..].fill(0);
        self.aad += n;
        (self.at, self.made) = (0, (behind + n).div_ceil(16));
    }

    /// Goes on to the stage that has more; false when there is none.
    fn has_more<const SEAL: bool>(&mut self) -> bool {
        if self.stage == Stage::Front && self.at == self.made {
            self.take_aad(0);
            if self.made == 0 {
                (self.stage, self.at) = (Stage::Text, 0);
            }
        }
        if self.stage == Stage::Text && self.at == self.message.data.len() / 16 {
            (self.stage, self.at) = (Stage::Tail, 0);
        }
        self.stage != Stage::Tail || self.at == 0 && !self.message.data.len().is_multiple_of(16)
    }

    /// The counter block of the next block of text to go beside the chain.
    fn counter<const SEAL: bool>(&self) -> Block {
        let at = if self.stage == Stage::Text { self.at } else { 0 };
        add(&self.a0, 1 + at as u128 + if SEAL { 0 } else { AHEAD as u128 })
    }

    /// What comes next, as far as it is of one kind.
    fn feed<'f, const SEAL: bool>(&'f mut self, nowhere: &'f mut Block) -> Feed<'f> {
        let ctr = self.counter::<SEAL>();
        match self.stage {
            Stage::Front => Feed::mac(&self.front[self.at..self.made], nowhere),
            Stage::Text => {
                let until_wrap = usize::try_from(until_wrap(&ctr)).unwrap_or(usize::MAX);
                let (_, text) = InOut::from(&mut *self.message.data).into_blocks().0.split_at(self.at);
                if SEAL {
                    Feed::seal(text.split_at(until_wrap).0, nowhere)
                } else if text.len() > AHEAD {
                    Feed::open(text.split_at(until_wrap.saturating_add(AHEAD)).0, AHEAD, nowhere)
                } else {
                    Feed::mac(text.into_output(), nowhere)
                }
            }
            Stage::Tail if self.at == 0 && !self.message.data.len().is_multiple_of(16) => {
                Feed::mac(core::slice::from_ref(&self.tail), nowhere)
            }
            Stage::Tail => Feed::idle(nowhere),
        }
    }

    /// Writes or checks the tag.
    fn finish<const SEAL: bool>(self, mac: &Block) -> Result<(), AuthError> {
        let tag = u128::from_ne_bytes(*mac) ^ u128::from_ne_bytes(*self.s0);
        let Message { data, tag: bytes, authentic, .. } = self.message;
        if SEAL {
            bytes.copy_from_slice(&Tag::new(tag, self.tag_len));
            return Ok(());
        }
        *authentic = ct::tags_equal(tag, bytes);
        if *authentic { Ok(()) } else { refuse(data) }
    }
}
