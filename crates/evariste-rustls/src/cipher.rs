//! The ciphers: how keys of each are made, how long they are, how often they may be used.

use evariste::{Aead, Backend, Ccm, Gcm, KeyError};
use rustls::ConnectionTrafficSecrets;
use rustls::crypto::cipher::{AeadKey, Iv, UnsupportedOperationError};

/// An AEAD as TLS uses it.
pub(crate) struct Cipher<A: 'static> {
    /// Bytes of a key.
    pub(crate) key_len: usize,
    /// Records that may be sealed under one key.
    pub(crate) records: u64,
    make: fn(&[u8]) -> Result<A, KeyError>,
    /// The form in which rustls gives away keys of this kind, if it has one.
    secrets: Option<fn(AeadKey, Iv) -> ConnectionTrafficSecrets>,
}

pub(crate) static AES_128_GCM: Cipher<Gcm> = Cipher {
    key_len: 16,
    records: GCM_RECORDS,
    make: Gcm::new,
    secrets: Some(|key, iv| ConnectionTrafficSecrets::Aes128Gcm { key, iv }),
};

pub(crate) static AES_256_GCM: Cipher<Gcm> = Cipher {
    key_len: 32,
    records: GCM_RECORDS,
    make: Gcm::new,
    secrets: Some(|key, iv| ConnectionTrafficSecrets::Aes256Gcm { key, iv }),
};

pub(crate) static AES_128_CCM: Cipher<Ccm> = ccm(16, Ccm::new);
pub(crate) static AES_128_CCM_8: Cipher<Ccm> = ccm(16, short_tags);
#[cfg(feature = "tls12")]
pub(crate) static AES_256_CCM: Cipher<Ccm> = ccm(32, Ccm::new);
#[cfg(feature = "tls12")]
pub(crate) static AES_256_CCM_8: Cipher<Ccm> = ccm(32, short_tags);

/// RFC 8446 §5.5 gives 2^24.5 for full records; rustls and others take the whole power below.
const GCM_RECORDS: u64 = 1 << 24;

/// RFC 9147 §4.5.3 and appendix B: RFC 8446 says nothing of CCM, and the records are as long.
const CCM_RECORDS: u64 = 1 << 23;

const fn ccm(key_len: usize, make: fn(&[u8]) -> Result<Ccm, KeyError>) -> Cipher<Ccm> {
    Cipher { key_len, records: CCM_RECORDS, make, secrets: None }
}

fn short_tags(key: &[u8]) -> Result<Ccm, KeyError> {
    Ccm::with_tag_len(key, Backend::active(), 8)
}

impl<A: Aead> Cipher<A> {
    /// The key, if it has the length that was asked for.
    pub(crate) fn key(&self, key: &[u8]) -> Option<A> {
        (key.len() == self.key_len).then(|| (self.make)(key).ok()).flatten()
    }

    /// What [`Tls13AeadAlgorithm::extract_keys`](rustls::crypto::cipher::Tls13AeadAlgorithm::extract_keys) returns.
    pub(crate) fn secrets(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        match self.secrets {
            Some(secrets) if key.as_ref().len() == self.key_len => Ok(secrets(key, iv)),
            _ => Err(UnsupportedOperationError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_one_length() {
        for len in 0..40 {
            assert_eq!(AES_128_GCM.key(&[1; 40][..len]).is_some(), len == 16);
            assert_eq!(AES_256_GCM.key(&[1; 40][..len]).is_some(), len == 32);
            assert_eq!(AES_128_CCM.key(&[1; 40][..len]).map(|key| key.tag_len()), (len == 16).then_some(16));
            assert_eq!(AES_128_CCM_8.key(&[1; 40][..len]).map(|key| key.tag_len()), (len == 16).then_some(8));
        }
    }

    #[test]
    fn secrets_of_gcm_only() {
        match AES_256_GCM.secrets([3; 32].into(), [4; 12].into()) {
            Ok(ConnectionTrafficSecrets::Aes256Gcm { key, iv }) => {
                assert_eq!((key.as_ref(), iv.as_ref()), (&[3; 32][..], &[4; 12][..]));
            }
            _ => panic!("no secrets of AES-256-GCM"),
        }
        assert!(AES_128_GCM.secrets([3; 32].into(), [4; 12].into()).is_err());
        assert!(AES_128_CCM.secrets([3; 32].into(), [4; 12].into()).is_err());
    }
}
