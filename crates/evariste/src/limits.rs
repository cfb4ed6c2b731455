//! The front door: every length, checked in one place before anything is written.

use crate::{KeyError, LimitError};

/// Longest text of AES-GCM in bytes: 2^36 − 32 (SP 800-38D §5.2.1.1).
pub const GCM_TEXT: u64 = (1 << 36) - 32;

/// Longest additional data of AES-GCM in bytes: 2^61 − 1 (SP 800-38D §5.2.1.1).
pub const GCM_AAD: u64 = (1 << 61) - 1;

/// Longest text, and longest additional data, of AES-GCM-SIV in bytes: 2^36 (RFC 8452 §6).
pub const GCM_SIV: u64 = 1 << 36;

/// Messages that may be sealed under one AES-GCM key with random 96-bit nonces: 2^32 (SP 800-38D §8.3).
pub const GCM_RANDOM_NONCES: u64 = 1 << 32;

/// AES-GCM: a nonce of at least one byte.
#[inline(always)]
pub(crate) fn gcm(nonce: usize, aad: usize, text: usize) -> Result<(), LimitError> {
    if nonce == 0 {
        return Err(LimitError::Nonce);
    }
    total(aad, 0, GCM_AAD).ok_or(LimitError::Aad)?;
    total(text, 0, GCM_TEXT).ok_or(LimitError::Text)?;
    Ok(())
}

/// AES-GCM-SIV: a nonce of 12 bytes.
#[inline(always)]
pub(crate) fn gcm_siv(nonce: usize, aad: usize, text: usize) -> Result<(), LimitError> {
    if nonce != 12 {
        return Err(LimitError::Nonce);
    }
    total(aad, 0, GCM_SIV).ok_or(LimitError::Aad)?;
    total(text, 0, GCM_SIV).ok_or(LimitError::Text)?;
    Ok(())
}

/// AES-CCM: q = 15 − n bytes hold the length of the text (SP 800-38C §A.1).
#[inline(always)]
pub(crate) fn ccm(nonce: usize, text: u64) -> Result<(), LimitError> {
    if !(7..=13).contains(&nonce) {
        return Err(LimitError::Nonce);
    }
    let q = 15 - nonce as u32;
    if q < 8 && text >> (8 * q) != 0 {
        return Err(LimitError::Text);
    }
    Ok(())
}

/// `so_far + more`, if that is at most `limit`.
#[inline(always)]
pub(crate) fn total(more: usize, so_far: u64, limit: u64) -> Option<u64> {
    so_far.checked_add(more as u64).filter(|sum| *sum <= limit)
}

/// AES-GCM tags: 12 to 16 bytes; 8 and 4 where `short` is wanted (SP 800-38D §5.2.1.2).
pub(crate) fn gcm_tag(len: usize, short: bool) -> Result<u8, KeyError> {
    tag(len, if short { &[4, 8] } else { &[12, 13, 14, 15, 16] })
}

/// AES-CCM tags: 8, 10, 12, 14, 16 bytes; 4 and 6 where `short` is wanted (SP 800-38C §A.1).
pub(crate) fn ccm_tag(len: usize, short: bool) -> Result<u8, KeyError> {
    tag(len, if short { &[4, 6] } else { &[8, 10, 12, 14, 16] })
}

fn tag(len: usize, allowed: &[u8]) -> Result<u8, KeyError> {
    allowed.iter().find(|a| **a as usize == len).copied().ok_or(KeyError::Tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(gcm(0, 0, 0), Err(LimitError::Nonce));
        assert_eq!(total(1, GCM_TEXT - 1, GCM_TEXT), Some(GCM_TEXT));
        assert_eq!(total(1, GCM_TEXT, GCM_TEXT), None);
        assert_eq!(total(usize::MAX, u64::MAX, u64::MAX), None);
        assert_eq!(gcm_siv(13, 0, 0), Err(LimitError::Nonce));
        #[cfg(target_pointer_width = "64")]
        {
            assert_eq!(gcm(1, 0, GCM_TEXT as usize), Ok(()));
            assert_eq!(gcm(1, 0, GCM_TEXT as usize + 1), Err(LimitError::Text));
            assert_eq!(gcm(1, GCM_AAD as usize + 1, 0), Err(LimitError::Aad));
            assert_eq!(gcm_siv(12, 1 << 36, 1 << 36), Ok(()));
            assert_eq!(gcm_siv(12, (1 << 36) + 1, 0), Err(LimitError::Aad));
            assert_eq!(gcm_siv(12, 0, (1 << 36) + 1), Err(LimitError::Text));
        }
    }

    #[test]
    fn ccm_lengths() {
        for n in [0, 6, 14, 16] {
            assert_eq!(ccm(n, 0), Err(LimitError::Nonce));
        }
        assert_eq!(ccm(13, 65535), Ok(()));
        assert_eq!(ccm(13, 65536), Err(LimitError::Text));
        assert_eq!(ccm(8, (1 << 56) - 1), Ok(()));
        assert_eq!(ccm(8, 1 << 56), Err(LimitError::Text));
        assert_eq!(ccm(7, u64::MAX), Ok(()));
    }

    #[test]
    fn tags() {
        for len in 0..40 {
            assert_eq!(gcm_tag(len, false).is_ok(), (12..=16).contains(&len));
            assert_eq!(gcm_tag(len, true).is_ok(), len == 4 || len == 8);
            assert_eq!(ccm_tag(len, false).is_ok(), [8, 10, 12, 14, 16].contains(&len));
            assert_eq!(ccm_tag(len, true).is_ok(), len == 4 || len == 6);
        }
    }
}
