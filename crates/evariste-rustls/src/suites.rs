//! Suites that are others with another cipher, each made once.

use crate::cipher::{AES_128_CCM, AES_128_CCM_8, AES_128_GCM, AES_256_GCM, Cipher};
#[cfg(feature = "tls12")]
use crate::cipher::{AES_256_CCM, AES_256_CCM_8};
use crate::quic::{QUIC_AES_128_CCM, QUIC_AES_128_GCM, QUIC_AES_256_GCM};
use evariste::Aead;
#[cfg(feature = "tls12")]
use rustls::Tls12CipherSuite;
#[cfg(feature = "tls12")]
use rustls::crypto::KeyExchangeAlgorithm;
#[cfg(feature = "tls12")]
use rustls::crypto::cipher::Tls12AeadAlgorithm;
use rustls::crypto::cipher::Tls13AeadAlgorithm;
use rustls::crypto::hash::HashAlgorithm;
use rustls::{CipherSuite, CipherSuiteCommon, SupportedCipherSuite, Tls13CipherSuite, quic};
use std::sync::{Mutex, PoisonError};

/// The AES-CCM suites with whole tags.
pub(crate) const CCM: &[Ccm] = &[
    Ccm::Tls13(CipherSuite::TLS13_AES_128_CCM_SHA256),
    #[cfg(feature = "tls12")]
    Ccm::Tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_CCM),
    #[cfg(feature = "tls12")]
    Ccm::Tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CCM),
];

/// The AES-CCM suites with tags of eight bytes.
pub(crate) const CCM_8: &[Ccm] = &[
    Ccm::Tls13(CipherSuite::TLS13_AES_128_CCM_8_SHA256),
    #[cfg(feature = "tls12")]
    Ccm::Tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8),
    #[cfg(feature = "tls12")]
    Ccm::Tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8),
];

/// A suite that providers lack. All have SHA-256.
pub(crate) enum Ccm {
    Tls13(CipherSuite),
    /// With ECDHE and ECDSA.
    #[cfg(feature = "tls12")]
    Tls12(CipherSuite),
}

impl Ccm {
    pub(crate) fn suite(&self) -> CipherSuite {
        match self {
            Self::Tls13(suite) => *suite,
            #[cfg(feature = "tls12")]
            Self::Tls12(suite) => *suite,
        }
    }

    /// This suite, with all but the cipher from the first of these that has what it needs.
    pub(crate) fn made_from(&self, suites: &[SupportedCipherSuite]) -> Option<SupportedCipherSuite> {
        let is_sha256 = |common: &CipherSuiteCommon| common.hash_provider.algorithm() == HashAlgorithm::SHA256;
        suites.iter().find_map(|base| match (self, base) {
            (Self::Tls13(suite), SupportedCipherSuite::Tls13(base)) if is_sha256(&base.common) => {
                Some(tls13(base, *suite, tls13_parts(*suite)?))
            }
            #[cfg(feature = "tls12")]
            (Self::Tls12(suite), SupportedCipherSuite::Tls12(base)) => {
                let is_fit = base.kx == KeyExchangeAlgorithm::ECDHE && base.sign.iter().any(is_ecdsa);
                let parts = tls12_parts(*suite)?;
                (is_fit && is_sha256(&base.common)).then(|| tls12(base, *suite, parts))
            }
            _ => None,
        })
    }
}

/// The suite with our cipher, if it is one that we have.
pub(crate) fn accelerated(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    let ours = match suite {
        SupportedCipherSuite::Tls13(base) => tls13_parts(base.common.suite).map(|p| tls13(base, base.common.suite, p)),
        #[cfg(feature = "tls12")]
        SupportedCipherSuite::Tls12(base) => tls12_parts(base.common.suite).map(|p| tls12(base, base.common.suite, p)),
        // Another crate may have turned the feature on in rustls.
        #[allow(unreachable_patterns)]
        _ => None,
    };
    ours.unwrap_or(suite)
}

#[cfg(feature = "tls12")]
fn is_ecdsa(scheme: &rustls::SignatureScheme) -> bool {
    use rustls::SignatureScheme as S;
    matches!(scheme, S::ECDSA_NISTP256_SHA256 | S::ECDSA_NISTP384_SHA384 | S::ECDSA_NISTP521_SHA512)
}

/// What is put into a suite of TLS 1.3.
struct Parts13 {
    aead: &'static dyn Tls13AeadAlgorithm,
    quic: Option<&'static dyn quic::Algorithm>,
    records: u64,
}

fn tls13_parts(suite: CipherSuite) -> Option<Parts13> {
    fn parts<A: Aead + Send + Sync>(
        cipher: &'static Cipher<A>,
        quic: Option<&'static dyn quic::Algorithm>,
    ) -> Option<Parts13> {
        Some(Parts13 { aead: cipher, quic, records: cipher.records })
    }
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => parts(&AES_128_GCM, Some(&QUIC_AES_128_GCM)),
        CipherSuite::TLS13_AES_256_GCM_SHA384 => parts(&AES_256_GCM, Some(&QUIC_AES_256_GCM)),
        CipherSuite::TLS13_AES_128_CCM_SHA256 => parts(&AES_128_CCM, Some(&QUIC_AES_128_CCM)),
        CipherSuite::TLS13_AES_128_CCM_8_SHA256 => parts(&AES_128_CCM_8, None),
        _ => None,
    }
}

fn tls13(base: &'static Tls13CipherSuite, suite: CipherSuite, parts: Parts13) -> SupportedCipherSuite {
    static MADE: Made<Tls13CipherSuite> = Made(Mutex::new(Vec::new()));
    SupportedCipherSuite::Tls13(MADE.get(base, suite, || Tls13CipherSuite {
        common: common(&base.common, suite, parts.records),
        hkdf_provider: base.hkdf_provider,
        aead_alg: parts.aead,
        quic: parts.quic,
    }))
}

/// What is put into a suite of TLS 1.2.
#[cfg(feature = "tls12")]
struct Parts12 {
    aead: &'static dyn Tls12AeadAlgorithm,
    records: u64,
}

#[cfg(feature = "tls12")]
fn tls12_parts(suite: CipherSuite) -> Option<Parts12> {
    use CipherSuite as C;
    fn parts<A: Aead + Send + Sync>(cipher: &'static Cipher<A>) -> Option<Parts12> {
        Some(Parts12 { aead: cipher, records: cipher.records })
    }
    match suite {
        C::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
        | C::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
        | C::TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 => parts(&AES_128_GCM),
        C::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
        | C::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
        | C::TLS_DHE_RSA_WITH_AES_256_GCM_SHA384 => parts(&AES_256_GCM),
        C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM | C::TLS_DHE_RSA_WITH_AES_128_CCM => parts(&AES_128_CCM),
        C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM | C::TLS_DHE_RSA_WITH_AES_256_CCM => parts(&AES_256_CCM),
        C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8 | C::TLS_DHE_RSA_WITH_AES_128_CCM_8 => parts(&AES_128_CCM_8),
        C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8 | C::TLS_DHE_RSA_WITH_AES_256_CCM_8 => parts(&AES_256_CCM_8),
        _ => None,
    }
}

#[cfg(feature = "tls12")]
fn tls12(base: &'static Tls12CipherSuite, suite: CipherSuite, parts: Parts12) -> SupportedCipherSuite {
    static MADE: Made<Tls12CipherSuite> = Made(Mutex::new(Vec::new()));
    SupportedCipherSuite::Tls12(MADE.get(base, suite, || Tls12CipherSuite {
        common: common(&base.common, suite, parts.records),
        prf_provider: base.prf_provider,
        kx: base.kx,
        sign: base.sign,
        aead_alg: parts.aead,
    }))
}

fn common(base: &CipherSuiteCommon, suite: CipherSuite, records: u64) -> CipherSuiteCommon {
    // A base that renews its keys earlier has its reasons.
    let confidentiality_limit = base.confidentiality_limit.min(records);
    CipherSuiteCommon { suite, hash_provider: base.hash_provider, confidentiality_limit }
}

/// What was made of what. Suites live as long as the program, so each is leaked, but once.
struct Made<S: 'static>(Mutex<Vec<(&'static S, CipherSuite, &'static S)>>);

impl<S> Made<S> {
    fn get(&self, base: &'static S, suite: CipherSuite, make: impl FnOnce() -> S) -> &'static S {
        // Entries are pushed whole: a list that another thread panicked beside is as good.
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(from, of, ours): &&(&'static S, CipherSuite, &'static S)| {
            *of == suite && (std::ptr::eq(*from, base) || std::ptr::eq(*ours, base))
        };
        if let Some((_, _, ours)) = made.iter().find(same) {
            return ours;
        }
        let ours = Box::leak(Box::new(make()));
        made.push((base, suite, ours));
        ours
    }
}
