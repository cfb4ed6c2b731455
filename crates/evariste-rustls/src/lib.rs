//! AES-GCM and AES-CCM of [`evariste`] for [`rustls`] 0.23, under any crypto provider.
//!
//! A provider of rustls is hashes, signatures, key exchange, random numbers, and ciphers. [`accelerate`] takes one,
//! ring's or AWS-LC's or another, and gives it back with the ciphers of its AES-GCM suites replaced: in TLS 1.3, TLS 1.2
//! and QUIC. All else, the order of the suites too, stays as it is.
//!
//! ```
//! use rustls::crypto::CryptoProvider;
//! use rustls::{ClientConfig, Error, RootCertStore};
//! use std::sync::Arc;
//!
//! /// With `base` from `rustls::crypto::ring::default_provider()`, for example.
//! fn client(base: CryptoProvider, roots: RootCertStore) -> Result<ClientConfig, Error> {
//!     let provider = evariste_rustls::accelerate(base);
//!     Ok(ClientConfig::builder_with_provider(Arc::new(provider))
//!         .with_safe_default_protocol_versions()?
//!         .with_root_certificates(roots)
//!         .with_no_client_auth())
//! }
//! ```
//!
//! Nothing here makes itself the default of the process: `accelerate(base).install_default()` does, if the program
//! wants it. The [`Backend`](evariste::Backend) is chosen when the program runs, as everywhere in evariste.
//!
//! # What is replaced
//!
//! | suite | TLS records | QUIC | limits |
//! |---|---|---|---|
//! | `TLS13_AES_{128_GCM_SHA256,256_GCM_SHA384}` | yes | packets and headers | 2^24 records; 2^23 packets, 2^52 forgeries |
//! | `TLS_{ECDHE_ECDSA,ECDHE_RSA,DHE_RSA}_WITH_AES_{128,256}_GCM_*` | yes | | 2^24 records |
//! | `TLS13_AES_128_CCM_SHA256`, by [`with_ccm`] | yes | packets and headers | 2^23 records; 2^21.5 packets and forgeries |
//! | `TLS_ECDHE_ECDSA_WITH_AES_{128,256}_CCM`, by [`with_ccm`] | yes | | 2^23 records |
//! | the same with `CCM_8`, by [`with_ccm_8`] | yes | never (RFC 9001 §5.3) | 2^23 records |
//!
//! Limits are those of RFC 8446 §5.5, RFC 9147 §4.5.3 and RFC 9001 §6.6, or the base's own where that is lower. rustls
//! renews TLS 1.3 keys in time and closes connections of TLS 1.2; in QUIC the implementation does so.
//!
//! A suite of a provider without QUIC has it afterwards: nothing else is needed for it.
//!
//! # What else changes
//!
//! - `fips()` is false of the suites, and so of the provider. evariste is not a validated module.
//! - [`dangerous_extract_secrets`] gives keys of AES-GCM as before, for the kernel's TLS. There is no such form for
//!   CCM in rustls: [`UnsupportedOperationError`](rustls::crypto::cipher::UnsupportedOperationError).
//! - A record or packet that is not authentic is zeroed.
//! - A key takes about 2.5 KB: powers of the hash key, which is where the speed of short records comes from.
//!
//! # Memory
//! rustls wants suites for the life of the program. Each that is made here stays in a list, beside the one it was made
//! from, and is handed out again: to accelerate a provider a thousand times takes no more memory than once.
//!
//! # Features
//! `tls12` (default): suites of TLS 1.2. `count`: `counts`, for tests that want to know whether this code ran.
//!
//! [`dangerous_extract_secrets`]: rustls::ConnectionCommon::dangerous_extract_secrets
#![forbid(unsafe_code)]

mod cipher;
mod count;
mod nonce;
mod quic;
mod refuse;
mod suites;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

#[cfg(feature = "count")]
pub use count::{Counts, counts};

use rustls::SupportedCipherSuite;
use rustls::crypto::CryptoProvider;
use suites::{CCM, CCM_8, Ccm};

/// The same provider with evariste's AES-GCM in its suites, and AES-CCM where it has such suites.
///
/// The order of the suites stays. Accelerating again changes nothing.
#[must_use]
pub fn accelerate(provider: CryptoProvider) -> CryptoProvider {
    let cipher_suites = provider.cipher_suites.into_iter().map(suites::accelerated).collect();
    CryptoProvider { cipher_suites, ..provider }
}

/// Adds the AES-CCM suites with tags of 16 bytes, behind all others: a client offers them last, and a server takes them
/// from a client that prefers them. AES-GCM stays as it is; [`accelerate`] is for that.
///
/// Not part of [`accelerate`], because CCM makes a tenth of GCM's speed and few peers ask for it: devices of the
/// Internet of things do (RFC 7925). There are `TLS13_AES_128_CCM_SHA256`, and for TLS 1.2
/// `TLS_ECDHE_ECDSA_WITH_AES_128_CCM` and `…_256_CCM` (RFC 7251); TLS 1.2 has none for RSA certificates with ECDHE.
///
/// Hash, HKDF or PRF, key exchange and signature schemes are those of the provider's first suite for the same version,
/// with SHA-256 and, in TLS 1.2, with ECDSA. Without one nothing is added, nor is what is there already.
///
/// ```
/// # use rustls::crypto::CryptoProvider;
/// use evariste_rustls::{accelerate, with_ccm};
///
/// fn provider(base: CryptoProvider) -> CryptoProvider {
///     with_ccm(accelerate(base))
/// }
/// ```
#[must_use]
pub fn with_ccm(provider: CryptoProvider) -> CryptoProvider {
    with(provider, CCM)
}

/// Adds the AES-CCM suites with tags of eight bytes, as [`with_ccm`] does those of 16.
///
/// **Not recommended**: a forged record passes with a probability of 2^-64 instead of 2^-128, and
/// IANA's registry does not recommend these suites: they are for devices that have no choice (RFC 7925). QUIC forbids
/// them (RFC 9001 §5.3).
#[must_use]
pub fn with_ccm_8(provider: CryptoProvider) -> CryptoProvider {
    with(provider, CCM_8)
}

fn with(mut provider: CryptoProvider, wanted: &[Ccm]) -> CryptoProvider {
    let base = provider.cipher_suites.clone();
    let is_new = |wanted: &&Ccm| base.iter().all(|suite| suite.suite() != wanted.suite());
    let made = wanted.iter().filter(is_new).filter_map(|wanted| wanted.made_from(&base));
    provider.cipher_suites.extend(made.collect::<Vec<SupportedCipherSuite>>());
    provider
}
