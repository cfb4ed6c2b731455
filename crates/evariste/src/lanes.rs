//! What a backend keeps of messages that it encrypts side by side.

use crate::Block;
use crate::backend::Cipher;
use crate::block::{inc32, xor};
use crate::inout::{Feeds, Link};
use crate::key::{AesKey, Secret};
use core::fmt;
use zeroize::optimization_barrier;

/// Messages side by side: as many chains as keep the AES units of wide vectors busy.
pub(crate) const LANES: usize = 8;

/// The lanes of the widest vector.
pub(crate) const QUAD: usize = 4;

/// A chain and a counter in each lane, with a key of its own.
#[derive(Debug)]
pub(crate) struct Lanes<'k> {
    pub(crate) quads: [Quad; LANES / QUAD],
    /// The keys that the round keys were taken from.
    keys: [Option<&'k AesKey>; LANES],
    /// Of all keys.
    pub(crate) rounds: u64,
}

/// As many lanes as a vector has at most.
#[repr(C, align(64))]
pub(crate) struct Quad {
    /// Round by round, lane by lane, so that a vector takes those of its lanes at once.
    pub(crate) round_keys: [[Block; QUAD]; 15],
    pub(crate) macs: [Block; QUAD],
    /// The next counter blocks. Their last 32 bits do not wrap in the steps that they are used for.
    pub(crate) ctrs: [Block; QUAD],
}

impl<'k> Lanes<'k> {
    /// For keys of so many rounds.
    pub(crate) fn new(rounds: u64) -> Self {
        Self { quads: [Quad::ZERO; LANES / QUAD], keys: [None; LANES], rounds }
    }

    /// Starts a message under `key` in a lane.
    pub(crate) fn start(&mut self, lane: usize, key: &'k AesKey) {
        let quad = &mut self.quads[lane / QUAD];
        if !self.keys[lane].is_some_and(|k| core::ptr::eq(k, key)) {
            for (keys, k) in quad.round_keys.iter_mut().zip(&key.round_keys).take(self.rounds as usize + 1) {
                keys[lane % QUAD] = *k;
            }
            self.keys[lane] = Some(key);
        }
        quad.macs[lane % QUAD] = [0; 16];
    }

    /// A lane's key, once it had a message.
    pub(crate) fn key(&self, lane: usize) -> Option<&'k AesKey> {
        self.keys[lane]
    }

    /// A lane's chain.
    pub(crate) fn mac(&self, lane: usize) -> &Block {
        &self.quads[lane / QUAD].macs[lane % QUAD]
    }

    /// A lane's chain and its counter.
    pub(crate) fn state(&mut self, lane: usize) -> (&mut Block, &mut Block) {
        let quad = &mut self.quads[lane / QUAD];
        (&mut quad.macs[lane % QUAD], &mut quad.ctrs[lane % QUAD])
    }
}

/// [`Cipher::ccm_lanes`] by blocks: those of chains and counters go through the cipher together.
pub(crate) fn by_blocks(cipher: &(impl Cipher + ?Sized), lanes: &mut Lanes<'_>, feeds: &mut Feeds<'_>) {
    let steps = feeds.steps();
    // Lanes that are not idle, and whether there is one key for all of them.
    let busy = |lane: &usize| feeds.is_busy(*lane, 1);
    let keys = lanes.keys;
    let mut busy_lanes = (0..LANES).filter(busy);
    let Some(key) = busy_lanes.next().and_then(|first| keys[first]) else { return };
    let one_key = busy_lanes.all(|lane| keys[lane].is_some_and(|k| core::ptr::eq(k, key)));
    let (mut which, mut count) = ([0; LANES], 0);
    for lane in (0..LANES).filter(busy) {
        which[count] = lane;
        count += 1;
    }
    let which = &which[..count];
    // A block of the chain, and one of the counter if that is for anything.
    let each = if feeds.link() == Link::Chains { 1 } else { 2 };
    let mut group = feeds.group(0);
    let mut blocks = Secret([[0; 16]; 2 * LANES]);
    let blocks = &mut blocks[..each * count];
    for step in 0..steps {
        for (blocks, &lane) in blocks.chunks_exact_mut(each).zip(which) {
            let (mac, ctr) = lanes.state(lane);
            blocks[0] = *mac;
            xor(&mut blocks[0], group.mac(lane, step));
            if let Some(block) = blocks.get_mut(1) {
                *block = *ctr;
                inc32(ctr, 1);
            }
        }
        if one_key {
            cipher.encrypt(key, blocks);
        }
        for (blocks, &lane) in blocks.chunks_exact_mut(each).zip(which) {
            if let (false, Some(key)) = (one_key, keys[lane]) {
                cipher.encrypt(key, blocks);
            }
            *lanes.state(lane).0 = blocks[0];
            if let Some(block) = blocks.get_mut(1) {
                xor(block, group.input(lane, step));
                *group.output(lane, step) = *block;
            }
        }
    }
}

impl Quad {
    const ZERO: Self = Self { round_keys: [[[0; 16]; QUAD]; 15], macs: [[0; 16]; QUAD], ctrs: [[0; 16]; QUAD] };
}

impl Drop for Quad {
    fn drop(&mut self) {
        self.round_keys = [[[0; 16]; QUAD]; 15];
        self.macs = [[0; 16]; QUAD];
        optimization_barrier(self);
    }
}

impl fmt::Debug for Quad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Quad(..)")
    }
}
