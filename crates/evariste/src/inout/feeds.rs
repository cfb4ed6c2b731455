//! Blocks for several chains side by side, each with what is encrypted beside it.

use super::InOut;
use crate::Block;
use crate::lanes::LANES;
use core::marker::PhantomData;

/// Blocks that are decrypted before the chain takes the first of them: neither waits for the other.
pub(crate) const AHEAD: usize = 2;

/// How what is encrypted and what the chain takes belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Nothing is encrypted.
    Chains,
    /// The chains take what is encrypted, before it is; where nothing is, what the chain takes may stand for it.
    Seal,
    /// The chains take what was decrypted [`AHEAD`] steps before.
    Open,
    /// Some of this and some of that.
    Mixed,
}

/// What one lane takes in the next steps: a block for its chain, and a block to encrypt. The latter may be the
/// same, or one that the chain takes later.
#[derive(Debug)]
pub(crate) struct Feed<'a> {
    mac: *const Block,
    src: *const Block,
    dst: *mut Block,
    /// All bits where there is a block for the chain at each step; none where one stands for all.
    mac_moves: usize,
    /// The same of what is encrypted.
    text_moves: usize,
    /// Steps; 0 of a lane that is idle.
    len: usize,
    link: Link,
    life: PhantomData<&'a mut [Block]>,
}

impl<'a> Feed<'a> {
    /// Nothing; what the lane does all the same is lost in `nowhere`.
    #[inline]
    pub(crate) fn idle(nowhere: &'a mut Block) -> Self {
        let dst: *mut Block = nowhere;
        Self { mac: dst, src: dst, dst, mac_moves: 0, text_moves: 0, len: 0, link: Link::Chains, life: PhantomData }
    }

    /// The chain alone.
    #[inline]
    pub(crate) fn mac(blocks: &'a [Block], nowhere: &'a mut Block) -> Self {
        let moves = if blocks.is_empty() { 0 } else { usize::MAX };
        let idle = Self::idle(nowhere);
        let mac = if blocks.is_empty() { idle.mac } else { blocks.as_ptr() };
        Self { mac, mac_moves: moves, len: blocks.len(), ..idle }
    }

    /// The chain takes what is encrypted, before it is.
    #[inline]
    pub(crate) fn seal(text: InOut<'a, Block>, nowhere: &'a mut Block) -> Self {
        let InOut { src, dst, len, .. } = text;
        if len == 0 {
            return Self::idle(nowhere);
        }
        Self {
            mac: src,
            src,
            dst,
            mac_moves: usize::MAX,
            text_moves: usize::MAX,
            len,
            link: Link::Seal,
            life: PhantomData,
        }
    }

    /// The chain takes the output from its start on, of which [`AHEAD`] blocks have been decrypted.
    #[inline]
    pub(crate) fn open(text: InOut<'a, Block>, nowhere: &'a mut Block) -> Self {
        let mac = text.dst.cast_const();
        let (_, text) = text.split_at(AHEAD);
        if text.is_empty() { Self::idle(nowhere) } else { Self { mac, link: Link::Open, ..Self::seal(text, nowhere) } }
    }
}

/// The feeds of all lanes, for as many steps as all that are not idle have.
#[derive(Debug)]
pub(crate) struct Feeds<'a> {
    lanes: [Feed<'a>; LANES],
    steps: usize,
}

impl<'a> Feeds<'a> {
    /// None where all are idle.
    pub(crate) fn new(lanes: [Feed<'a>; LANES]) -> Option<Self> {
        let steps = lanes.iter().filter(|lane| lane.len > 0).map(|lane| lane.len).min()?;
        (steps > 0).then_some(Self { lanes, steps })
    }

    /// At least one.
    #[inline(always)]
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// What is common to all lanes.
    #[inline(always)]
    pub(crate) fn link(&self) -> Link {
        let mut busy = self.lanes.iter().filter(|lane| lane.len > 0).map(|lane| lane.link);
        let first = busy.next().unwrap_or(Link::Chains);
        busy.fold(first, |all, link| match (all, link) {
            _ if all == link => all,
            (Link::Chains, Link::Seal) | (Link::Seal, Link::Chains) => Link::Seal,
            _ => Link::Mixed,
        })
    }

    /// Whether any of these lanes is not idle.
    #[inline(always)]
    pub(crate) fn is_busy(&self, first: usize, lanes: usize) -> bool {
        self.lanes.iter().skip(first).take(lanes).any(|lane| lane.len > 0)
    }

    /// The lanes from `first` on, as a value of the function that calls this: see [`InOut::local`].
    #[inline(always)]
    pub(crate) fn group(&mut self, first: usize) -> Group<'_> {
        let lanes = core::array::from_fn(|n| {
            let Feed { mac, src, dst, mac_moves, text_moves, len, link, life } = self.lanes[(first + n) % LANES];
            Feed { mac, src, dst, mac_moves, text_moves, len, link, life }
        });
        Group { lanes, last: self.steps - 1 }
    }
}

/// Some lanes of [`Feeds`], and the blocks that they have at each step; beyond the last step, those of the last.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    lanes: [Feed<'a>; LANES],
    last: usize,
}

impl Group<'_> {
    /// The block for a chain.
    #[inline(always)]
    pub(crate) fn mac(&self, lane: usize, step: usize) -> &Block {
        let lane = &self.lanes[lane];
        // SAFETY: `mac` is valid for as many blocks as there are steps if it moves, for one if it does not. The
        // result borrows `self`, so no `output` is alive beside it.
        unsafe { &*lane.mac.byte_add((16 * step.min(self.last)) & lane.mac_moves) }
    }

    /// The block to encrypt.
    #[inline(always)]
    pub(crate) fn input(&self, lane: usize, step: usize) -> &Block {
        let lane = &self.lanes[lane];
        // SAFETY: as in `mac`.
        unsafe { &*lane.src.byte_add((16 * step.min(self.last)) & lane.text_moves) }
    }

    /// Where it goes.
    #[inline(always)]
    pub(crate) fn output(&mut self, lane: usize, step: usize) -> &mut Block {
        let lane = &self.lanes[lane];
        // SAFETY: as in `mac`; the result borrows `self` mutably.
        unsafe { &mut *lane.dst.byte_add((16 * step.min(self.last)) & lane.text_moves) }
    }
}
