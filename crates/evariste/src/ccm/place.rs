//! A lane's message: what of it comes next.

use super::Ccm;
use super::stream::aad_length;
use crate::aead::refuse;
use crate::block::xor;
use crate::inout::{AHEAD, Feed};
use crate::key::Secret;
use crate::{AuthError, Block, InOut, Message, ct, partial};

/// Blocks for the chain alone that are made at a time, and one more.
const FRONT: usize = TAIL + 1;

/// Which of them holds what is left of the text, padded, for the chain.
const TAIL: usize = 7;

/// What a message is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its first block and additional data.
    Front,
    /// Whole blocks of text.
    Text,
    /// What is left of the text.
    Tail,
    /// There is no message.
    Free,
}

/// A lane's message, and how far it is.
pub(super) struct Place<'m, 'b> {
    message: Option<&'m mut Message<'b>>,
    stage: Stage,
    /// Blocks of the stage that the chain has taken, and how many there are.
    pub(super) at: usize,
    pub(super) end: usize,
    /// Bytes of the additional data that are in `front`, now or before.
    aad: usize,
    /// Blocks that were made for the chain.
    front: Secret<[Block; FRONT]>,
    /// The first counter block, as a number, and what it is encrypted to.
    pub(super) a0: u128,
    s0: Secret<u128>,
    /// Where goes what is encrypted beside nothing.
    nowhere: Secret<Block>,
}

impl<'m, 'b> Place<'m, 'b> {
    pub(super) const FREE: Self = Self {
        message: None,
        stage: Stage::Free,
        at: 0,
        end: 0,
        aad: 0,
        front: Secret([[0; 16]; FRONT]),
        a0: 0,
        s0: Secret(0),
        nowhere: Secret([0; 16]),
    };

    /// Begins a message whose lengths are within the limits.
    pub(super) fn start(&mut self, ccm: &Ccm, message: &'m mut Message<'b>) {
        let len;
        let (a0, b0) = ccm.blocks(message.nonce, message.aad.len() as u64, message.data.len() as u64);
        self.a0 = u128::from_be_bytes(a0);
        self.front[0] = b0;
        (self.front[1], len) = aad_length(message.aad.len() as u64);
        (self.stage, self.aad) = (Stage::Front, 0);
        self.message = Some(message);
        self.take_aad(16 + len);
    }

    /// Uses the keystream that goes beside nothing: of the tag, of what is left of the text, and of the blocks to be
    /// decrypted ahead.
    pub(super) fn apply<const SEAL: bool>(&mut self, keystream: &[Block]) {
        let [s0, s, ahead @ ..] = keystream else { return };
        *self.s0 = u128::from_ne_bytes(*s0);
        let Some(message) = &mut self.message else { return };
        let (whole, rest) = message.data.as_chunks_mut();
        let tail = partial::read(rest);
        let text = partial::write(tail ^ u128::from_le_bytes(*s), rest);
        self.front[TAIL] = (if SEAL { tail } else { text }).to_le_bytes();
        whole.iter_mut().zip(ahead).for_each(|(block, s)| xor(block, s));
    }

    /// Whole blocks of text.
    pub(super) fn blocks(&self) -> usize {
        self.message.as_ref().map_or(0, |m| m.data.len() / 16)
    }

    /// Takes more of the additional data, behind so many bytes in front of it.
    fn take_aad(&mut self, behind: usize) {
        let more = self.message.as_ref().map_or(&[][..], |m| &m.aad[self.aad..]);
        let bytes = &mut self.front[..TAIL].as_flattened_mut()[behind..];
        let n = more.len().min(bytes.len());
        bytes[..n].copy_from_slice(&more[..n]);
        let end = (behind + n).next_multiple_of(16);
        bytes[n..end - behind].fill(0);
        self.aad += n;
        (self.at, self.end) = (0, end / 16);
    }

    /// Goes on to the stage that has more; false when there is none.
    pub(super) fn has_more(&mut self) -> bool {
        while self.at == self.end {
            let Some(message) = &self.message else { return false };
            match self.stage {
                Stage::Front if self.aad < message.aad.len() => self.take_aad(0),
                Stage::Front => (self.stage, self.at, self.end) = (Stage::Text, 0, message.data.len() / 16),
                Stage::Text => {
                    (self.stage, self.at, self.end) = (Stage::Tail, 0, !message.data.len().is_multiple_of(16) as usize)
                }
                Stage::Tail | Stage::Free => return false,
            }
        }
        true
    }

    /// The counter block of the next block of text to go beside the chain, as a number.
    pub(super) fn counter<const SEAL: bool>(&self) -> u128 {
        let ahead = if SEAL { 0 } else { AHEAD as u128 };
        self.a0.wrapping_add(1 + ahead + self.at as u128)
    }

    /// What comes next, as far as it is of one kind.
    pub(super) fn feed<const SEAL: bool>(&mut self) -> Feed<'_> {
        // Up to where the counter's last 32 bits wrap.
        let most = (1 << 32) - self.counter::<SEAL>() as u32 as u64;
        let Self { stage, at, end, front, nowhere, message, .. } = self;
        match (stage, message) {
            (Stage::Text, Some(message)) => {
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                let text = InOut::from(&mut message.data.as_chunks_mut().0[*at..]);
                if SEAL {
                    Feed::seal(text.split_at(most).0, nowhere)
                } else if text.len() > AHEAD {
                    Feed::open(text.split_at(most.saturating_add(AHEAD)).0, nowhere)
                } else {
                    Feed::mac(text.into_output(), nowhere)
                }
            }
            (Stage::Tail, _) => Feed::mac(&front[TAIL + *at..][..*end - *at], nowhere),
            _ => Feed::mac(&front[*at..*end], nowhere),
        }
    }

    /// Writes or checks the tag, if there is a message.
    pub(super) fn finish<const SEAL: bool>(&mut self, mac: &Block) -> Result<(), AuthError> {
        let Some(Message { data, tag: bytes, authentic, .. }) = self.message.take() else { return Ok(()) };
        (self.stage, self.at, self.end) = (Stage::Free, 0, 0);
        let tag = u128::from_ne_bytes(*mac) ^ *self.s0;
        if SEAL {
            match bytes.first_chunk_mut() {
                Some(whole) => *whole = tag.to_ne_bytes(),
                None => _ = partial::write(tag.to_le(), bytes),
            }
            return Ok(());
        }
        if ct::tags_equal(tag, bytes) {
            *authentic = true;
            return Ok(());
        }
        refuse(data)
    }
}
