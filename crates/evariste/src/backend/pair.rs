//! For CPUs with only one of AES and carry-less multiply: each half from another backend.

use super::{Cipher, Hash, Imp};
use crate::block::Counter;
use crate::inout::Feeds;
use crate::key::{AesKey, HashKey};
use crate::lanes::Lanes;
use crate::{Block, InOut, KeyError};

/// A cipher and a hash that know nothing of each other; [`Imp`]'s defaults do the rest.
pub(crate) struct Pair {
    /// Both halves' names: `aesni+ssse3`.
    pub(crate) name: &'static str,
    pub(crate) cipher: &'static dyn Cipher,
    pub(crate) hash: &'static dyn Hash,
}

impl Imp for Pair {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Cipher for Pair {
    fn expand(&self, key: &[u8], out: &mut AesKey) -> Result<(), KeyError> {
        self.cipher.expand(key, out)
    }
    fn expand_decrypt(&self, key: &AesKey, out: &mut AesKey) {
        self.cipher.expand_decrypt(key, out);
    }
    fn encrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        self.cipher.encrypt(key, blocks);
    }
    fn decrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        self.cipher.decrypt(key, blocks);
    }
    fn ctr32(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) {
        self.cipher.ctr32(key, ctr, data);
    }
    fn ctr(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_>, rest: &mut Block) {
        self.cipher.ctr(key, ctr, data, rest);
    }
    fn ctr32_le(&self, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
        self.cipher.ctr32_le(key, ctr, data);
    }
    fn cbc_mac(&self, key: &AesKey, mac: &mut Block, blocks: &[Block]) {
        self.cipher.cbc_mac(key, mac, blocks);
    }
    fn ccm_seal(&self, key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
        self.cipher.ccm_seal(key, mac, ctr, data);
    }
    fn ccm_open(&self, key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
        self.cipher.ccm_open(key, mac, ctr, data);
    }
    fn lanes_have_keys(&self) -> bool {
        self.cipher.lanes_have_keys()
    }
    fn ccm_lanes(&self, lanes: &mut Lanes<'_>, feeds: &mut Feeds<'_>) {
        self.cipher.ccm_lanes(lanes, feeds);
    }
}

impl Hash for Pair {
    fn hash_key(&self, h: u128, blocks: usize, out: &mut HashKey) {
        self.hash.hash_key(h, blocks, out);
    }
    fn ghash(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        self.hash.ghash(key, acc, blocks);
    }
    fn polyval(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        self.hash.polyval(key, acc, blocks);
    }
}
