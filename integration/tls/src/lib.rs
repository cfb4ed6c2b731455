//! What the tests share: providers, certificates, and both ends of a connection in one process.

mod certificate;
mod memory;

pub use certificate::Certificate;
pub use evariste_test_text::{digest, text};
pub use memory::Pair;

use evariste_rustls::{accelerate, with_ccm, with_ccm_8};
use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::{CipherSuite, ProtocolVersion};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much is transferred where the whole amount is wanted.
pub const MUCH: usize = 100_000_000;
/// How much where it is not.
pub const SOME: usize = 3_000_000;
/// Longest text of a record.
pub const RECORD: usize = 1 << 14;

/// A provider by name.
pub type Named = (&'static str, fn() -> CryptoProvider);

/// The providers that rustls has itself.
pub const STOCK: [Named; 2] = [("ring", ring::default_provider), ("aws-lc-rs", aws_lc_rs::default_provider)];

/// Ours, on ring's, with all that there is.
pub fn ours() -> CryptoProvider {
    with_ccm_8(with_ccm(accelerate(ring::default_provider())))
}

/// Ours, on AWS-LC's.
pub fn ours_on_aws_lc() -> CryptoProvider {
    with_ccm_8(with_ccm(accelerate(aws_lc_rs::default_provider())))
}

/// The provider with this suite alone.
pub fn only(mut provider: CryptoProvider, suite: CipherSuite) -> CryptoProvider {
    provider.cipher_suites.retain(|has| has.suite() == suite);
    assert_eq!(provider.cipher_suites.len(), 1, "{suite:?}");
    provider
}

/// A suite, OpenSSL's name for it, and what goes with it.
#[derive(Clone, Copy)]
pub struct Suite {
    /// Its code point.
    pub suite: CipherSuite,
    /// Its name on OpenSSL's command line.
    pub openssl: &'static str,
    /// The version it is for.
    pub version: ProtocolVersion,
    /// Whether the certificate has an RSA key.
    pub rsa: bool,
    /// Whether it is GCM, which everybody has.
    pub gcm: bool,
}

/// All that are replaced or added.
pub const SUITES: [Suite; 12] = {
    use CipherSuite as C;
    const fn tls13(suite: C, openssl: &'static str, gcm: bool) -> Suite {
        Suite { suite, openssl, version: ProtocolVersion::TLSv1_3, rsa: false, gcm }
    }
    const fn tls12(suite: C, openssl: &'static str, rsa: bool, gcm: bool) -> Suite {
        Suite { suite, openssl, version: ProtocolVersion::TLSv1_2, rsa, gcm }
    }
    [
        tls13(C::TLS13_AES_128_GCM_SHA256, "TLS_AES_128_GCM_SHA256", true),
        tls13(C::TLS13_AES_256_GCM_SHA384, "TLS_AES_256_GCM_SHA384", true),
        tls13(C::TLS13_AES_128_CCM_SHA256, "TLS_AES_128_CCM_SHA256", false),
        tls13(C::TLS13_AES_128_CCM_8_SHA256, "TLS_AES_128_CCM_8_SHA256", false),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "ECDHE-ECDSA-AES128-GCM-SHA256", false, true),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "ECDHE-ECDSA-AES256-GCM-SHA384", false, true),
        tls12(C::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "ECDHE-RSA-AES128-GCM-SHA256", true, true),
        tls12(C::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "ECDHE-RSA-AES256-GCM-SHA384", true, true),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM, "ECDHE-ECDSA-AES128-CCM", false, false),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM, "ECDHE-ECDSA-AES256-CCM", false, false),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, "ECDHE-ECDSA-AES128-CCM8", false, false),
        tls12(C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8, "ECDHE-ECDSA-AES256-CCM8", false, false),
    ]
};

/// Counts are those of the whole process: tests that look at them go one by one.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
