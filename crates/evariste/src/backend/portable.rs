//! Portable Rust in constant time (a placeholder: slow, byte-wise).

use super::{Cipher, Hash, Imp};
use crate::block::{inc32, inc32_le, xor};
use crate::key::{AesKey, HashKey, POWERS};
use crate::{Block, InOut, KeyError};

/// Runs anywhere.
pub(crate) struct Portable;

fn gmul(mut a: u8, mut b: u8) -> u8 {
    let mut r = 0;
    for _ in 0..8 {
        r ^= a & (b & 1).wrapping_neg();
        a = (a << 1) ^ (0x1b & (a >> 7).wrapping_neg());
        b >>= 1;
    }
    r
}

fn invert(x: u8) -> u8 {
    let mut y = x;
    for _ in 0..6 {
        y = gmul(gmul(y, y), x);
    }
    gmul(y, y)
}

fn sbox(x: u8) -> u8 {
    let inv = invert(x);
    (1..5).fold(inv, |s, i| s ^ inv.rotate_left(i)) ^ 0x63
}

fn inv_sbox(x: u8) -> u8 {
    invert(x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6) ^ 0x05)
}

fn dot(a: u128, b: u128) -> u128 {
    const POLY: u128 = 0xc2000000_00000000_00000000_00000001;
    (0..128).fold(0, |r: u128, i| {
        let r = r ^ (a & ((b >> i) & 1).wrapping_neg());
        let odd = (r & 1).wrapping_neg();
        (r >> 1) ^ ((POLY >> 1 | 1 << 127) & odd)
    })
}

/// POLYVAL key equivalent to the GHASH key `h` (RFC 8452 appendix A).
#[inline(always)]
pub(crate) fn mulx(h: u128) -> u128 {
    (h << 1) ^ ((h >> 127).wrapping_neg() & 0xc2000000_00000000_00000000_00000001)
}

fn mix(c: [u8; 4], by: [u8; 4]) -> [u8; 4] {
    core::array::from_fn(|i| (0..4).fold(0, |s, j| s ^ gmul(c[j], by[(4 + j - i) % 4])))
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
        out.rounds = rounds as u64;
        let w = out.round_keys.as_flattened_mut().as_chunks_mut::<4>().0;
        w[..nk].as_flattened_mut().copy_from_slice(key);
        let mut rcon = 1;
        for i in nk..4 * (rounds + 1) {
            let mut t = w[i - 1];
            if i % nk == 0 {
                t.rotate_left(1);
                t = t.map(sbox);
                t[0] ^= rcon;
                rcon = gmul(rcon, 2);
            } else if nk == 8 && i % 8 == 4 {
                t = t.map(sbox);
            }
            for j in 0..4 {
                w[i][j] = w[i - nk][j] ^ t[j];
            }
        }
        Ok(())
    }
    fn expand_decrypt(&self, key: &AesKey, out: &mut AesKey) {
        out.round_keys = key.round_keys;
        out.rounds = key.rounds;
    }
    fn encrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        let rounds = key.rounds as usize;
        for s in blocks {
            xor(s, &key.round_keys[0]);
            for r in 1..=rounds {
                let t = s.map(sbox);
                *s = core::array::from_fn(|i| t[(5 * i) % 16]);
                if r < rounds {
                    s.as_chunks_mut::<4>().0.iter_mut().for_each(|c| *c = mix(*c, [2, 3, 1, 1]));
                }
                xor(s, &key.round_keys[r]);
            }
        }
    }
    fn decrypt(&self, key: &AesKey, blocks: &mut [Block]) {
        let rounds = key.rounds as usize;
        for s in blocks {
            for r in (1..=rounds).rev() {
                xor(s, &key.round_keys[r]);
                if r < rounds {
                    s.as_chunks_mut::<4>().0.iter_mut().for_each(|c| *c = mix(*c, [14, 11, 13, 9]));
                }
                let t = *s;
                *s = core::array::from_fn(|i| inv_sbox(t[(13 * i) % 16]));
            }
            xor(s, &key.round_keys[0]);
        }
    }
    fn ctr32(&self, key: &AesKey, ctr: &mut Block, mut data: InOut<'_, Block>) {
        for n in 0..data.len() {
            let mut s = [*ctr];
            self.encrypt(key, &mut s);
            xor(&mut s[0], &data.input()[n]);
            data.output()[n] = s[0];
            inc32(ctr, 1);
        }
    }
    fn ctr32_le(&self, key: &AesKey, ctr: &mut Block, mut data: InOut<'_, Block>) {
        for n in 0..data.len() {
            let mut s = [*ctr];
            self.encrypt(key, &mut s);
            xor(&mut s[0], &data.input()[n]);
            data.output()[n] = s[0];
            inc32_le(ctr, 1);
        }
    }
}

impl Hash for Portable {
    fn hash_key(&self, h: u128, _blocks: usize, out: &mut HashKey) {
        out.powers[POWERS - 1] = h.to_le_bytes();
        out.have = 1;
    }
    fn ghash(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        let h = u128::from_le_bytes(key.powers[POWERS - 1]);
        *acc = blocks.iter().fold(*acc, |y, x| dot(y ^ u128::from_be_bytes(*x), h));
    }
    fn polyval(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]) {
        let h = u128::from_le_bytes(key.powers[POWERS - 1]);
        *acc = blocks.iter().fold(*acc, |y, x| dot(y ^ u128::from_le_bytes(*x), h));
    }
}
