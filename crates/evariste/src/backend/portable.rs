//! Plain Rust for any CPU, in constant time: AES by bits ([`bitslice`]), the field by integers with
//! holes ([`clmul`]).

mod bitslice;
mod clmul;
mod sbox;

use self::bitslice::{RoundKeys, State, WIDTH, block, columns, round_key, sub_word};
use super::{Cipher, Hash, Imp};
use crate::block::{inc32, inc32_le, xor};
use crate::key::{AesKey, HashKey};
use crate::{Block, InOut, KeyError};
use zeroize::Zeroize;

/// Runs anywhere.
pub(crate) struct Portable;

/// POLYVAL key equivalent to the GHASH key `h` (RFC 8452 appendix A).
#[inline(always)]
pub(crate) fn mulx(h: u128) -> u128 {
    (h << 1) ^ ((h >> 127).wrapping_neg() & 0xc2000000_00000000_00000000_00000001)
}

impl Imp for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }
}

impl Cipher for Portable {
    fn expand(&self, key: &[u8], out: &mut AesKey) -> Result<(), KeyError> {
        let nk = match key.len() {
            16 | 24 | 32 => key.len() / 4,
            _ => return Err(KeyError::Length),
        };
        let rounds = nk + 6;
        let mut w = [0; 60];
        for (word, bytes) in w.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let mut rcon = 1;
        for i in nk..4 * (rounds + 1) {
            let mut t = w[i - 1];
            if i % nk == 0 {
                t = sub_word(t.rotate_right(8)) ^ rcon;
                rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
            } else if nk == 8 && i % 8 == 4 {
                t = sub_word(t);
            }
            w[i] = w[i - nk] ^ t;
        }
        for (round, (words, key)) in w.as_chunks().0.iter().zip(&mut out.round_keys).enumerate() {
            *key = round_key(words, round);
        }
        out.rounds = rounds as u64;
        w.zeroize();
        Ok(())
    }

    fn expand_decrypt(&self, key: &AesKey, out: &mut AesKey) {
        out.round_keys = key.round_keys;
        out.rounds = key.rounds;
    }

    fn encrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        let keys = RoundKeys::new(key);
        on_states(blocks, |s| keys.encrypt(s));
    }

    fn decrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        let keys = RoundKeys::new(key);
        on_states(blocks, |s| keys.decrypt(s));
    }

    fn ctr32(&self, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
        counter_mode(key, ctr, data, inc32);
    }

    fn ctr32_le(&self, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) {
        counter_mode(key, ctr, data, inc32_le);
    }

    fn cbc_mac(&self, key: &AesKey, mac: &mut Block, blocks: &[Block]) {
        let keys = RoundKeys::new(key);
        for block in blocks {
            xor(mac, block);
            on_states(core::slice::from_mut(mac), |s| keys.encrypt(s));
        }
    }
}

impl Hash for Portable {
    fn hash_key(&self, h: u128, blocks: usize, out: &mut HashKey) {
        clmul::hash_key(h, blocks, out);
    }

    fn ghash(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        clmul::absorb(key, acc, blocks, u128::from_be_bytes);
    }

    fn polyval(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        clmul::absorb(key, acc, blocks, u128::from_le_bytes);
    }
}

/// Treats `blocks` in place.
#[inline(always)]
fn on_states(blocks: &mut [Block], treat: impl Fn(&mut State)) {
    for blocks in blocks.chunks_mut(WIDTH) {
        let mut s = [[0; 4]; WIDTH];
        for (columns_, block) in s.iter_mut().zip(&*blocks) {
            *columns_ = columns(block);
        }
        treat(&mut s);
        for (columns, out) in s.iter().zip(blocks) {
            *out = block(columns);
        }
    }
}

/// Counter mode with `inc` as the counter.
#[inline(always)]
fn counter_mode(key: &AesKey, ctr: &mut Block, mut data: InOut<'_, Block>, inc: impl Fn(&mut Block, u32)) {
    let keys = RoundKeys::new(key);
    while !data.is_empty() {
        let (mut now, later) = data.split_at(WIDTH);
        let mut s = [[0; 4]; WIDTH];
        for (n, columns_) in s.iter_mut().enumerate() {
            let mut block = *ctr;
            inc(&mut block, n as u32);
            *columns_ = columns(&block);
        }
        keys.encrypt(&mut s);
        for (n, columns) in s.iter().enumerate().take(now.len()) {
            let mut text = now.input()[n];
            xor(&mut text, &block(columns));
            now.output()[n] = text;
        }
        inc(ctr, now.len() as u32);
        data = later;
    }
}
