//! Nonces: a secret of the connection XOR a number of the message (RFC 8446 §5.3, RFC 9001 §5.3).

use rustls::crypto::cipher::Iv;

/// Bytes of a nonce, in all protocols here.
pub(crate) const NONCE: usize = 12;

/// An IV as two numbers. rustls has the same by bytes, with a call and a load of what two stores wrote: that waits until
/// all of the message before is in memory, 10 to 20 ns (Zen 4, 2026-12-01).
#[derive(Clone, Copy)]
pub(crate) struct Base {
    path: u32,
    number: u64,
}

impl Base {
    /// The nonce of a record, or of a packet on the only path.
    #[inline(always)]
    pub(crate) fn nonce(self, number: u64) -> [u8; NONCE] {
        self.nonce_for_path(0, number)
    }

    /// The nonce of a packet on one of several paths: 32 bits of the path before 64 of the packet
    /// (draft-ietf-quic-multipath-11).
    #[inline(always)]
    pub(crate) fn nonce_for_path(self, path: u32, number: u64) -> [u8; NONCE] {
        let mut nonce = [0; NONCE];
        nonce[..4].copy_from_slice(&(self.path ^ path).to_be_bytes());
        nonce[4..].copy_from_slice(&(self.number ^ number).to_be_bytes());
        nonce
    }
}

impl From<[u8; NONCE]> for Base {
    fn from(iv: [u8; NONCE]) -> Self {
        let [a, b, c, d, number @ ..] = iv;
        Self { path: u32::from_be_bytes([a, b, c, d]), number: u64::from_be_bytes(number) }
    }
}

impl From<&Iv> for Base {
    /// rustls has no IV of another length; of such a one this would take the start.
    fn from(iv: &Iv) -> Self {
        iv.as_ref().first_chunk().copied().unwrap_or_default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::crypto::cipher::Nonce;

    #[test]
    fn as_rustls_does_it() {
        let iv = || Iv::from(*b"twelve bytes");
        let base = Base::from(&iv());
        for number in [0, 1, 0xff, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(base.nonce(number), Nonce::new(&iv(), number).0);
            for path in [0, 1, 0x0102_0304, u32::MAX] {
                assert_eq!(base.nonce_for_path(path, number), Nonce::for_path(path, &iv(), number).0);
            }
        }
    }
}
