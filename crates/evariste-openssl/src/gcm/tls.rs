//! IVs of a fixed part and an invocation counter (SP 800-38D §8.2.1), as TLS 1.2 (RFC 5288) and SSH (RFC 5647) have
//! them, and records of TLS 1.2.

use super::{Gcm, State, random};
use crate::mode::Direction;
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::Input;
use evariste::Aead;

/// Bytes of additional data of a record: sequence number, type, version, length.
pub(crate) const AAD: usize = 13;
/// Bytes of an IV that stand in front of a record.
const EXPLICIT: usize = 8;
const TAG: usize = 16;

/// Where IVs come from, and the next record.
pub(super) struct Generator {
    /// Whether there is a fixed part, in front of the invocation counter.
    is_set: bool,
    /// How many IVs have come of the counter where it is now.
    used: u64,
    announced: Option<[u8; AAD]>,
    pad: u64,
}

impl Generator {
    pub(super) const NONE: Self = Self { is_set: false, used: 0, announced: None, pad: 0 };

    pub(super) fn has_fixed_part(&mut self) {
        (self.is_set, self.used) = (true, 0);
    }

    /// No IV to encrypt under comes of the counter any more, until a fixed part is set again.
    pub(super) fn stop_encrypting(&mut self, direction: Direction) {
        self.is_set &= direction == Direction::Decrypt;
    }

    /// There is another key: the counter may go all the way again.
    pub(super) fn restart(&mut self) {
        self.used = 0;
    }

    /// What a record takes besides its text and the explicit IV.
    pub(super) fn pad(&self) -> u64 {
        self.pad
    }

    #[inline(always)]
    pub(super) fn announced(&self) -> Option<[u8; AAD]> {
        self.announced
    }

    pub(super) fn end(&mut self) {
        self.announced = None;
    }

    /// Takes the additional data of the next record, in which the length is that of all that is to come.
    pub(super) fn announce(&mut self, direction: Direction, aad: &[u8]) -> Result {
        (self.announced, self.pad) = (None, 0);
        let mut aad: [u8; AAD] = aad.try_into().map_err(|_| Reason::TlsAad)?;
        shorten(&mut aad, EXPLICIT + if direction == Direction::Encrypt { 0 } else { TAG })?;
        (self.announced, self.pad) = (Some(aad), TAG as u64);
        Ok(())
    }

    /// Another IV of the counter.
    fn count(&mut self) -> Result {
        self.used = self.used.checked_add(1).ok_or(Reason::RecordsExhausted)?;
        Ok(())
    }
}

/// Takes from the length at the end of a record's additional data what is not text.
pub(crate) fn shorten(aad: &mut [u8; AAD], by: usize) -> Result {
    let [.., high, low] = aad;
    let text = u16::from_be_bytes([*high, *low]).checked_sub(by as u16).ok_or(Reason::TlsAad)?;
    [*high, *low] = text.to_be_bytes();
    Ok(())
}

impl Gcm {
    /// EVP_CTRL_GCM_SET_IV_FIXED: the fixed part, behind which encryption begins to count anywhere; or with a size of -1
    /// all of an IV.
    pub(super) fn set_fixed(&mut self, value: &Value) -> Result {
        if value.size() == usize::MAX {
            let iv = value.octets_of(self.iv_len)?;
            // It has to hold a counter.
            if iv.len() < EXPLICIT {
                return Err(Reason::IvLength);
            }
            self.iv[..iv.len()].copy_from_slice(iv);
        } else {
            let fixed = value.octets()?;
            if fixed.len() < 4 || fixed.len().checked_add(EXPLICIT).is_none_or(|least| least > self.iv_len) {
                return Err(Reason::IvLength);
            }
            self.iv[..fixed.len()].copy_from_slice(fixed);
            if self.direction == Direction::Encrypt {
                random(&mut self.iv, self.iv_len, fixed.len())?;
            }
        }
        self.generator.has_fixed_part();
        self.state = State::Ready;
        Ok(())
    }

    /// EVP_CTRL_GCM_IV_GEN: begins a message under the IV as it is, and tells its last bytes: as many as there is room
    /// for, all for a size of 0.
    pub(super) fn generate(&mut self, value: &mut Value) -> Result {
        let len = if value.size() == 0 { self.iv_len } else { value.size().min(self.iv_len) };
        let told = value.octets_mut(len)?;
        self.next_iv(told)
    }

    fn next_iv(&mut self, told: &mut [u8]) -> Result {
        self.check_generator()?;
        self.generator.count()?;
        self.begin()?;
        let iv = &mut self.iv[..self.iv_len];
        told.copy_from_slice(&iv[iv.len() - told.len()..]);
        if let Some(counter) = iv.last_chunk_mut() {
            *counter = u64::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
        }
        Ok(())
    }

    /// EVP_CTRL_GCM_SET_IV_INV: begins to decrypt a message under an IV that ends so.
    pub(super) fn set_invocation(&mut self, end: &[u8]) -> Result {
        self.check_generator()?;
        if self.direction == Direction::Encrypt {
            return Err(Reason::NoGenerator);
        }
        let at = self.iv_len.checked_sub(end.len()).ok_or(Reason::IvLength)?;
        self.iv[at..self.iv_len].copy_from_slice(end);
        self.begin()
    }

    /// Begins a message under the generator's IV. One that was on its way has no end.
    fn begin(&mut self) -> Result {
        self.state = State::Ready;
        self.running(0)?;
        self.generator.is_set = true;
        Ok(())
    }

    fn check_generator(&self) -> Result {
        if self.key.is_none() {
            return Err(Reason::NoKey);
        }
        if self.generator.is_set { Ok(()) } else { Err(Reason::NoGenerator) }
    }

    /// A record: explicit IV, text, tag, in place. Returns the length of all when it was sealed, of the text when it was
    /// opened. Each has its own IV, so that those behind a forged one can still be opened.
    pub(super) fn record(&mut self, aad: [u8; AAD], input: Input<'_>) -> Result<usize> {
        self.generator.end();
        let Input::Text(text) = input else { return Err(Reason::TlsRecord) };
        let record = text.in_place().ok_or(Reason::TlsRecord)?;
        let len = record.len();
        self.check_generator()?;
        let (explicit, rest) = record.split_at_mut_checked(EXPLICIT).ok_or(Reason::TlsRecord)?;
        let (text, tag) = rest.split_last_chunk_mut::<TAG>().ok_or(Reason::TlsRecord)?;
        let at = self.iv_len.checked_sub(EXPLICIT).ok_or(Reason::IvLength)?;
        let key = self.key.as_mut().ok_or(Reason::NoKey)?;
        super::grow(key, &mut self.is_used, text.len());
        key.set_tag_len(TAG)?;
        self.state = State::Spent;
        if self.direction == Direction::Encrypt {
            self.generator.count()?;
            let iv = &mut self.iv[..self.iv_len];
            explicit.copy_from_slice(&iv[at..]);
            tag.copy_from_slice(&key.seal(iv, &aad, text)?);
            if let Some(counter) = iv.last_chunk_mut() {
                *counter = u64::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
            }
            return Ok(len);
        }
        self.iv[at..self.iv_len].copy_from_slice(explicit);
        // What is not authentic becomes zeros in the core.
        key.open(&self.iv[..self.iv_len], &aad, text, tag)?;
        Ok(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::{Mode, Setting};

    /// RFC 5288 §3: an invocation counter never repeats under a key; another key may use them all again.
    #[test]
    fn counters_are_used_up() {
        let mut gcm = Gcm::new(Setting { key_len: 16, short_tags: false });
        gcm.init(Direction::Encrypt, Some(&[1; 16]), None).expect("a key");
        gcm.generator.has_fixed_part();
        gcm.generator.used = u64::MAX - 1;
        let mut iv = [0; 8];
        assert_eq!(gcm.next_iv(&mut iv), Ok(()));
        assert_eq!(gcm.next_iv(&mut iv), Err(Reason::RecordsExhausted));
        assert_eq!(gcm.next_iv(&mut iv), Err(Reason::RecordsExhausted));
        gcm.init(Direction::Encrypt, Some(&[2; 16]), None).expect("a key");
        assert_eq!(gcm.next_iv(&mut iv), Ok(()));
    }
}
