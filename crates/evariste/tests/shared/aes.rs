//! AES as FIPS 197 defines it, a byte at a time, by tables.

/// Key schedule and S-boxes.
pub(crate) struct TextbookAes {
    round_keys: Vec<[u8; 16]>,
    sbox: [u8; 256],
    inv_sbox: [u8; 256],
}

impl TextbookAes {
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut sbox = [0; 256];
        let mut inv_sbox = [0; 256];
        for x in 0..=255 {
            // §5.1.1: the inverse, 0 for 0, and an affine transformation.
            let inverse = (0..=255).find(|y| mul(x, *y) == 1).unwrap_or(0);
            let y = [1, 2, 3, 4].into_iter().fold(inverse, |sum, n| sum ^ inverse.rotate_left(n)) ^ 0x63;
            sbox[x as usize] = y;
            inv_sbox[y as usize] = x;
        }
        let mut aes = Self { round_keys: Vec::new(), sbox, inv_sbox };
        aes.expand(key);
        aes
    }

    /// KeyExpansion (§5.2).
    pub(crate) fn expand(&mut self, key: &[u8]) {
        let nk = key.len() / 4;
        let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
        let mut rcon = 1;
        for i in nk..4 * (nk + 7) {
            let mut word = words[i - 1];
            if i % nk == 0 {
                word.rotate_left(1);
                word = word.map(|b| self.sbox[b as usize]);
                word[0] ^= rcon;
                rcon = mul(rcon, 2);
            } else if nk > 6 && i % nk == 4 {
                word = word.map(|b| self.sbox[b as usize]);
            }
            words.push(core::array::from_fn(|j| words[i - nk][j] ^ word[j]));
        }
        self.round_keys = words.as_flattened().as_chunks().0.to_vec();
    }

    /// CIPHER (§5.1). Byte `r` of column `c` is `state[4 * c + r]`.
    pub(crate) fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let (first, rest) = self.round_keys.split_first().expect("11 to 15 round keys");
        let mut state = xor(block, first);
        for (n, key) in rest.iter().enumerate() {
            let sub = state.map(|b| self.sbox[b as usize]);
            state = core::array::from_fn(|i| sub[(i + 4 * (i % 4)) % 16]);
            if n + 1 < rest.len() {
                state = mix(state, [2, 3, 1, 1]);
            }
            state = xor(state, key);
        }
        state
    }

    /// INVCIPHER (§5.3).
    pub(crate) fn decrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let (last, rest) = self.round_keys.split_last().expect("11 to 15 round keys");
        let mut state = xor(block, last);
        for (n, key) in rest.iter().enumerate().rev() {
            let shifted: [u8; 16] = core::array::from_fn(|i| state[(i + 16 - 4 * (i % 4)) % 16]);
            state = xor(shifted.map(|b| self.inv_sbox[b as usize]), key);
            if n > 0 {
                state = mix(state, [14, 11, 13, 9]);
            }
        }
        state
    }
}

/// Columns times the matrix whose first row is `by` (§5.1.3).
fn mix(state: [u8; 16], by: [u8; 4]) -> [u8; 16] {
    core::array::from_fn(|i| (0..4).fold(0, |sum, j| sum ^ mul(by[(j + 4 - i % 4) % 4], state[i / 4 * 4 + j])))
}

fn xor(a: [u8; 16], b: &[u8; 16]) -> [u8; 16] {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// Multiplication in GF(2^8) (§4.2).
fn mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        b >>= 1;
    }
    product
}
