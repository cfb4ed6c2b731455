//! IVs that the context makes: the generators of PKCS #11 3.0, as NSS has them.
//!
//! The first `fixed_bits` bits of an IV are the caller's; what is behind them becomes a counter, is XORed with one, or
//! becomes random. Rules of NSS: a context keeps the generator, IV length and fixed bits of its first message; there are
//! 2^n IVs for n bits, and with random ones 2^((n − 64) / 2); the counter begins at 0.
//!
//! Where `fixed_bits` is no multiple of eight, NSS's mask of the byte in between has the wrong number of bits: k for 8 − k.
//! Outputs are the same as NSS's here, too, but IVs count as used up when they would come again.

use crate::error::{Error, Result};
use crate::freebl::{GENERATE, GENERATE_COUNTER, GENERATE_COUNTER_XOR, GENERATE_RANDOM, NO_GENERATE};
use std::ffi::c_ulong;

/// Bits that random IVs have beyond twice the logarithm of their number, so that two are the same with a probability of
/// 2^−65 or less.
const BIRTHDAY_BITS: u64 = 64;

/// What has become of the IVs of a context.
#[derive(Default)]
pub(crate) struct Generator {
    /// Messages so far; not counted where the caller brings the IVs.
    count: u64,
    limit: u64,
    rule: Rule,
}

/// What must stay the same.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Rule {
    generator: c_ulong,
    len: usize,
    fixed_bits: c_ulong,
}

impl Generator {
    /// Makes the IV of the next message of the caller's.
    ///
    /// # Errors
    /// `INVALID_ARGS`: another rule than before, or one that leaves no bits. `EXTRA_INPUT`: all IVs were used.
    pub(crate) fn next(
        &mut self,
        iv: &mut [u8],
        fixed_bits: c_ulong,
        generator: c_ulong,
        random: impl FnOnce(&mut [u8]) -> Result,
    ) -> Result {
        let rule = Rule { generator, len: iv.len(), fixed_bits };
        if self.count == 0 {
            self.limit = rule.limit()?;
            self.rule = rule;
        } else if self.rule != rule {
            return Err(Error::INVALID_ARGS);
        }
        if generator == NO_GENERATE {
            self.count = 1;
            return Ok(());
        }
        if self.count >= self.limit {
            return Err(Error::EXTRA_INPUT);
        }
        let flexible = &mut iv[(fixed_bits / 8) as usize..];
        let Some((first, rest)) = flexible.split_first() else { return Err(Error::INVALID_ARGS) };
        let (first, mask, before) = (*first, mask(fixed_bits), rest.len() + 1);
        let counter = self.count.to_be_bytes();
        // The counter's byte that stands so many bytes before the end.
        let byte = |left: usize| if left > counter.len() { 0 } else { counter[counter.len() - left] };
        match generator {
            GENERATE | GENERATE_COUNTER => {
                for (n, b) in flexible.iter_mut().enumerate() {
                    *b = byte(before - n);
                }
                flexible[0] = first & !mask | flexible[0] & mask;
            }
            GENERATE_COUNTER_XOR => {
                for (n, b) in flexible.iter_mut().enumerate() {
                    *b ^= byte(before - n) & if n == 0 { mask } else { 0xff };
                }
            }
            _ => {
                random(flexible)?;
                flexible[0] = first & !mask | flexible[0] & mask;
            }
        }
        self.count += 1;
        Ok(())
    }
}

/// Which bits of the byte behind the whole fixed bytes NSS changes.
fn mask(fixed_bits: c_ulong) -> u8 {
    match fixed_bits % 8 {
        0 => 0xff,
        k => 0xff >> (8 - k),
    }
}

impl Rule {
    /// How many IVs there are.
    fn limit(self) -> Result<u64> {
        if self.generator > GENERATE_COUNTER_XOR {
            return Err(Error::INVALID_ARGS);
        }
        let said = (self.len as u64 * 8).checked_sub(self.fixed_bits).filter(|n| *n > 0).ok_or(Error::INVALID_ARGS)?;
        let changed = (said.div_ceil(8) - 1) * 8 + mask(self.fixed_bits).count_ones() as u64;
        let bits = match self.generator {
            GENERATE_RANDOM => said.min(changed).saturating_sub(BIRTHDAY_BITS) / 2,
            _ => said.min(changed),
        };
        match bits {
            0 => Err(Error::INVALID_ARGS),
            64.. => Ok(u64::MAX),
            _ => Ok(1 << bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_random(_: &mut [u8]) -> Result {
        panic!("not for this generator")
    }

    /// The IVs of some messages, or the error that came instead.
    fn ivs(generator: c_ulong, iv: &[u8], fixed_bits: c_ulong, messages: usize) -> Vec<Result<Vec<u8>>> {
        let mut state = Generator::default();
        let one = |_| {
            let mut iv = iv.to_vec();
            state.next(&mut iv, fixed_bits, generator, no_random).map(|()| iv)
        };
        (0..messages).map(one).collect()
    }

    #[test]
    fn counters() {
        let counted = ivs(GENERATE_COUNTER, &[0xaa; 12], 32, 258);
        assert_eq!(counted[0].as_deref(), Ok(&[0xaa, 0xaa, 0xaa, 0xaa, 0, 0, 0, 0, 0, 0, 0, 0][..]));
        assert_eq!(counted[257].as_deref(), Ok(&[0xaa, 0xaa, 0xaa, 0xaa, 0, 0, 0, 0, 0, 0, 1, 1][..]));
        assert_eq!(ivs(GENERATE, &[0xaa; 12], 32, 258), counted);
        let xored = ivs(GENERATE_COUNTER_XOR, &[0xaa; 12], 32, 258);
        assert_eq!(xored[0].as_deref(), Ok(&[0xaa; 12][..]));
        assert_eq!(
            xored[257].as_deref(),
            Ok(&[0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xab, 0xab][..])
        );
        assert!(ivs(NO_GENERATE, &[0xaa; 12], 0, 9).iter().all(|iv| iv.as_deref() == Ok(&[0xaa; 12])));
        // A counter of twelve bytes has four that stay zero.
        assert_eq!(
            ivs(GENERATE_COUNTER, &[0xaa; 12], 0, 2)[1].as_deref(),
            Ok(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1][..])
        );
    }

    /// Whatever the fixed bits are, no IV comes twice, and what ends the series is that there are no more.
    #[test]
    fn no_iv_comes_twice() {
        for generator in [GENERATE, GENERATE_COUNTER, GENERATE_COUNTER_XOR] {
            for len in 1..3 {
                for fixed_bits in 0..8 * len as c_ulong {
                    let made = ivs(generator, &vec![0x5c; len], fixed_bits, (1 << 16) + 1);
                    let end = made.iter().position(|iv| iv.is_err()).expect("at most 16 bits");
                    assert_eq!(made[end], Err(Error::EXTRA_INPUT));
                    let distinct: std::collections::HashSet<_> = made[..end].iter().flatten().collect();
                    assert_eq!(distinct.len(), end, "{generator} {len} {fixed_bits}");
                    let (said, k) = (8 * len as u32 - fixed_bits as u32, fixed_bits as u32 % 8);
                    let whole = if k == 0 || k >= 4 { said } else { said + 2 * k - 8 };
                    assert_eq!(end, 1 << whole, "{generator} {len} {fixed_bits}");
                }
            }
        }
    }

    #[test]
    fn rules_stay() {
        let mut state = Generator::default();
        let mut next =
            |len: usize, fixed_bits, generator| state.next(&mut vec![0; len], fixed_bits, generator, no_random).err();
        assert_eq!(next(12, 96, GENERATE_COUNTER), Some(Error::INVALID_ARGS));
        assert_eq!(next(12, 97, NO_GENERATE), Some(Error::INVALID_ARGS));
        assert_eq!(next(0, 0, NO_GENERATE), Some(Error::INVALID_ARGS));
        assert_eq!(next(12, 32, 5), Some(Error::INVALID_ARGS));
        assert_eq!(next(12, 32, GENERATE_COUNTER), None);
        for (len, fixed_bits, generator) in [(13, 32, 2), (12, 40, 2), (12, 32, 1), (12, 32, 0), (12, 32, 4)] {
            assert_eq!(next(len, fixed_bits, generator), Some(Error::INVALID_ARGS));
        }
        assert_eq!(next(12, 32, GENERATE_COUNTER), None);
    }

    #[test]
    fn random_ones_are_few() {
        let mut state = Generator::default();
        let mut fill = 0;
        for n in 0..5 {
            let mut iv = [0xee; 12];
            let random = |bytes: &mut [u8]| {
                fill += 1;
                bytes.fill(fill);
                Ok(())
            };
            // 68 bits: 2^((68 - 64) / 2).
            let made = state.next(&mut iv, 28, GENERATE_RANDOM, random);
            let expected = [0xee, 0xee, 0xee, 0xe0 | fill, fill, fill, fill, fill, fill, fill, fill, fill];
            assert_eq!(made, if n < 4 { Ok(()) } else { Err(Error::EXTRA_INPUT) });
            assert_eq!(iv, if n < 4 { expected } else { [0xee; 12] });
        }
        for fixed_bits in [31, 32, 64] {
            let refused = Generator::default().next(&mut [0; 12], fixed_bits, GENERATE_RANDOM, no_random);
            assert_eq!(refused, Err(Error::INVALID_ARGS));
        }
        // Nothing is counted that was not made.
        let mut state = Generator::default();
        let broken = state.next(&mut [0; 12], 0, GENERATE_RANDOM, |_| Err(Error::LIBRARY_FAILURE));
        assert_eq!((broken, state.count), (Err(Error::LIBRARY_FAILURE), 0));
    }
}
