//! Counter mode with a counter of 1 to 128 bits (`CK_AES_CTR_PARAMS`).
//!
//! The counter is the end of the block; it wraps without touching what is before it. NSS counts in whole bytes, whatever
//! bits it was told, and so does this, so that each decrypts what the other has encrypted. Further rules of NSS, where it
//! was told n bits: for n < 64, no counter block twice; for n < 32, 2^n − 2 blocks at most a call.

use crate::error::{Error, Result};
use crate::freebl::CtrParams;
use evariste::{Backend, Ctr, InOut};

/// A keystream and where it stands.
pub(crate) struct Stream {
    ctr: Ctr,
    /// The counter block behind the last one that was used.
    next: u128,
    /// Bits of the counter, in whole bytes.
    width: u32,
    /// Longest input for one call.
    longest: u64,
    /// Bytes left of the last one.
    left: usize,
    /// Whether the counter has wrapped with the last one, which `ctr` does not know.
    wrapped: bool,
    /// Blocks that may still be used.
    budget: u64,
}

/// Longest input that NSS takes of counters of 28 to 31 bits: its limit goes through 32 bits.
const LONGEST: u64 = u32::MAX as u64 - 31;

impl Stream {
    /// # Errors
    /// `INVALID_ARGS`: a counter without bits, or with more than 128, or a key of another length than 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8], params: &CtrParams) -> Result<Self> {
        let bits = match params.counter_bits {
            bits @ 1..=128 => bits as u32,
            _ => return Err(Error::INVALID_ARGS),
        };
        let width = bits.next_multiple_of(8);
        Ok(Self {
            ctr: Ctr::with_backend(key, &params.block, Backend::active())?,
            next: u128::from_be_bytes(params.block),
            width,
            longest: if bits < 32 { (((1 << bits) - 2) * 16).min(LONGEST) } else { u64::MAX },
            left: 0,
            wrapped: false,
            budget: if bits < 64 { u64::MAX >> (64 - width) } else { u64::MAX },
        })
    }

    /// XORs the next bytes of the keystream into `data`.
    ///
    /// # Errors
    /// `INPUT_LEN`: too long for one call. `INVALID_ARGS`: the counter would come round. Nothing is written then.
    pub(crate) fn apply(&mut self, mut data: InOut<'_>) -> Result {
        if data.len() as u64 > self.longest {
            return Err(Error::INPUT_LEN);
        }
        let blocks = data.len().saturating_sub(self.left).div_ceil(16) as u64;
        self.budget = self.budget.checked_sub(blocks).ok_or(Error::INVALID_ARGS)?;
        while !data.is_empty() {
            let (now, later) = data.split_at(self.until_wrap());
            self.piece(now)?;
            data = later;
        }
        Ok(())
    }

    /// The counter's bits.
    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// Bytes until the counter wraps, or more than there are.
    fn until_wrap(&self) -> usize {
        let blocks =
            if self.wrapped && self.left > 0 { 0 } else { (self.mask() - (self.next & self.mask())).saturating_add(1) };
        blocks.saturating_mul(16).saturating_add(self.left as u128).try_into().unwrap_or(usize::MAX)
    }

    /// At most so many.
    fn piece(&mut self, data: InOut<'_>) -> Result {
        if self.wrapped && self.left == 0 {
            self.ctr.restart(&self.next.to_be_bytes());
            self.wrapped = false;
        }
        let len = data.len();
        self.ctr.apply(data)?;
        let blocks = len.saturating_sub(self.left).div_ceil(16);
        self.left = self.left + 16 * blocks - len;
        if blocks > 0 {
            let counter = (self.next & self.mask()).wrapping_add(blocks as u128) & self.mask();
            self.next = self.next & !self.mask() | counter;
            self.wrapped = counter == 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evariste::Aes;

    const KEY: [u8; 16] = [9; 16];

    fn stream(bits: u64, block: u128) -> Stream {
        Stream::new(&KEY, &CtrParams { counter_bits: bits, block: block.to_be_bytes() }).expect("bits and a key")
    }

    /// Block by block, as SP 800-38A appendix B.1 has it, but in whole bytes.
    fn keystream(bits: u32, block: u128, blocks: usize) -> Vec<u8> {
        let (aes, mask) = (Aes::new(&KEY).expect("16 bytes"), u128::MAX >> (128 - bits.next_multiple_of(8)));
        let one = |n| {
            let counter = (block & mask).wrapping_add(n as u128) & mask;
            let mut one = [(block & !mask | counter).to_be_bytes()];
            aes.encrypt(&mut one);
            one[0]
        };
        (0..blocks).flat_map(one).collect()
    }

    /// Any number of bits, any pieces, begun shortly before the counter wraps.
    #[test]
    fn wraps_within_its_bits() {
        for bits in 1..=128u32 {
            for before in [0, 1, 2, 5] {
                let all = u128::MAX >> (128 - bits.next_multiple_of(8));
                let block = 0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a & !all | all.wrapping_sub(before) & all;
                let expected = keystream(bits, block, 12);
                for step in [1, 7, 16, 21, 64, 192] {
                    let (mut stream, mut data) = (stream(bits as u64, block), vec![0; expected.len()]);
                    for piece in data.chunks_mut(step) {
                        // A call may have less than all that there may be.
                        let (one, two) = piece.split_at_mut(piece.len() / 2);
                        let most = if bits < 32 { ((1usize << bits) - 2) * 16 } else { usize::MAX };
                        for part in [one, two].into_iter().filter(|part| !part.is_empty()) {
                            let expected = if part.len() <= most { Ok(()) } else { Err(Error::INPUT_LEN) };
                            assert_eq!(stream.apply(part.into()), expected);
                        }
                    }
                    if bits > 4 {
                        assert_eq!(data, expected, "{bits} bits, {before} before the end, by {step}");
                    }
                }
            }
        }
    }

    #[test]
    fn ends_before_it_comes_round() {
        for bits in [6, 8] {
            let (mut stream, all) = (stream(bits, 77), keystream(8, 77, 255));
            for piece in all.chunks(62 * 16) {
                let mut data = vec![0; piece.len()];
                let last = data.len().saturating_sub(9);
                if piece.len() < 62 * 16 {
                    assert_eq!(stream.apply((&mut data[..last]).into()), Ok(()));
                    assert_eq!(stream.apply((&mut [0; 10]).into()), Err(Error::INVALID_ARGS));
                    assert_eq!(stream.apply((&mut data[last..]).into()), Ok(()));
                } else {
                    assert_eq!(stream.apply((&mut data[..]).into()), Ok(()));
                }
                assert!(data == piece, "{bits}");
            }
            for _ in 0..2 {
                let mut one = [0];
                assert_eq!((stream.apply((&mut one).into()), one), (Err(Error::INVALID_ARGS), [0]));
            }
            assert_eq!(stream.apply((&mut []).into()), Ok(()));
        }
        for bits in [0, 129] {
            let made = Stream::new(&KEY, &CtrParams { counter_bits: bits, block: [0; 16] });
            assert_eq!(made.err(), Some(Error::INVALID_ARGS));
        }
        // What 32 bits do to 16 · (2^31 − 2), and to 16 · 2^28.
        assert_eq!([28, 29, 31].map(|bits| stream(bits, 0).longest), [LONGEST; 3]);
        assert_eq!(stream(5, 0).apply((&mut [0; 30 * 16 + 1]).into()), Err(Error::INPUT_LEN));
    }
}
