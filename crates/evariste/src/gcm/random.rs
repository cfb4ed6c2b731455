//! Random nonces, counted.

use crate::{Aead, Gcm, LimitError, Tag, limits};

/// AES-GCM under random 96-bit nonces, at most 2^32 of them per key (SP 800-38D §8.3).
///
/// The count lives in this object: it is not shared with another one under the same key and does not
/// survive a restart. Where that cannot be ruled out, use [`Xaes256Gcm`](crate::Xaes256Gcm), whose
/// 24-byte nonces may be drawn at random without counting.
///
/// ```
/// use evariste::{Aead, Gcm, GcmRandom};
///
/// let mut sealer = GcmRandom::new(Gcm::new(&[7; 16])?);
/// let mut data = *b"text";
/// # let fill = |nonce: &mut [u8]| { nonce.fill(9); Ok::<(), std::io::Error>(()) };
/// // `fill` is the system's generator, for example `getrandom::fill`.
/// let (nonce, tag) = sealer.seal(fill, b"", &mut data)??;
/// sealer.gcm().open(&nonce, b"", &mut data, &tag)?;
/// assert_eq!(&data, b"text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GcmRandom {
    gcm: Gcm,
    used: u64,
}

impl GcmRandom {
    /// Starts counting at zero: the key must be new.
    pub fn new(gcm: Gcm) -> Self {
        Self { gcm, used: 0 }
    }

    /// The key, for opening.
    pub fn gcm(&self) -> &Gcm {
        &self.gcm
    }

    /// Nonces drawn so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Draws a nonce from `fill`, encrypts `data` in place and returns the nonce and the tag.
    ///
    /// # Errors
    /// The outer error is `fill`'s; the inner one is [`LimitError::Invocations`] once 2^32 nonces have
    /// been drawn, or as [`Aead::seal_inout`]. Nothing is written in either case.
    pub fn seal<E>(
        &mut self,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Result<([u8; 12], Tag), LimitError>, E> {
        if self.used >= limits::GCM_RANDOM_NONCES {
            return Ok(Err(LimitError::Invocations));
        }
        let mut nonce = [0; 12];
        fill(&mut nonce)?;
        self.used += 1;
        Ok(self.gcm.seal(&nonce, aad, data).map(|tag| (nonce, tag)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_refuses() {
        let mut g = GcmRandom::new(Gcm::new(&[1; 16]).expect("16 bytes"));
        let fill = |n: &mut [u8]| {
            n.fill(3);
            Ok::<(), ()>(())
        };
        let mut data = [5; 20];
        g.seal(fill, &[], &mut data).expect("filled").expect("first");
        assert_eq!(g.used(), 1);
        g.used = (1 << 32) - 1;
        g.seal(fill, &[], &mut data).expect("filled").expect("the last one");
        let before = data;
        assert_eq!(g.seal(fill, &[], &mut data).expect("not called").err(), Some(LimitError::Invocations));
        assert_eq!(data, before);
        assert!(GcmRandom::new(Gcm::new(&[1; 16]).expect("16")).seal(|_| Err(()), &[], &mut data).is_err());
        assert_eq!(data, before);
    }
}
