//! Keys that are renewed: by hand, and when they have been used as often as they may.

use anyhow::{Context, Result};
use evariste_rustls::{accelerate, counts};
use evariste_tls_tests::{Certificate, Pair, RECORD, SUITES, Suite, alone, digest, only, ours, text};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{CipherSuiteCommon, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};
use std::sync::Arc;

/// Records that the base of these tests lets pass under a key.
const LIMIT: u64 = 20;

/// ring's suite, but with a low limit.
fn limited(suite: Suite) -> Result<CryptoProvider> {
    let mut provider = only(ring::default_provider(), suite.suite);
    let common = |base: &CipherSuiteCommon| CipherSuiteCommon {
        suite: base.suite,
        hash_provider: base.hash_provider,
        confidentiality_limit: LIMIT,
    };
    provider.cipher_suites[0] = match provider.cipher_suites[0] {
        SupportedCipherSuite::Tls13(base) => SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
            common: common(&base.common),
            hkdf_provider: base.hkdf_provider,
            aead_alg: base.aead_alg,
            quic: base.quic,
        }))),
        SupportedCipherSuite::Tls12(base) => SupportedCipherSuite::Tls12(Box::leak(Box::new(Tls12CipherSuite {
            common: common(&base.common),
            prf_provider: base.prf_provider,
            kx: base.kx,
            sign: base.sign,
            aead_alg: base.aead_alg,
        }))),
    };
    Ok(provider)
}

/// The client is ours, under the low limit of its base; the server is ring, without one.
fn pair(suite: Suite) -> Result<Pair> {
    let certificate = Certificate::new(suite.rsa)?;
    Pair::connect(
        Arc::new(certificate.client(accelerate(limited(suite)?), suite.version)?),
        Arc::new(certificate.server(only(ring::default_provider(), suite.suite), suite.version)?),
    )
}

#[test]
fn tls13_renews_its_keys() -> Result<()> {
    let _alone = alone();
    for suite in &SUITES[..2] {
        let mut pair = pair(*suite)?;
        let before = counts().records_sealed;
        let text = text(100 * RECORD, 6);
        pair.transfer(false, &text)?;
        // A key update is a record, too; there is one for every twenty.
        let more = counts().records_sealed - before - 100;
        assert!((4..=40).contains(&more), "{:?}: {more} more records", suite.suite);
        pair.transfer(true, &text)?;
    }
    Ok(())
}

/// There is no other key in TLS 1.2: the connection ends in order, and all that was sent has come.
#[test]
fn tls12_ends() -> Result<()> {
    let _alone = alone();
    for suite in &SUITES[4..8] {
        let mut pair = pair(*suite)?;
        let text = text(100 * RECORD, 7);
        let received = pair.receive(false, &text)?;
        assert!(received.closed, "{:?}", suite.suite);
        assert!((10 * RECORD..=LIMIT as usize * RECORD).contains(&received.len), "{} bytes came", received.len);
        assert_eq!(received.digest, digest(&text[..received.len]));
    }
    Ok(())
}

#[test]
fn keys_renewed_by_hand() -> Result<()> {
    let _alone = alone();
    let certificate = Certificate::new(false)?;
    for suite in &SUITES[..4] {
        let other = if suite.gcm { ring::default_provider() } else { ours() };
        let mut pair = Pair::connect(
            Arc::new(certificate.client(only(ours(), suite.suite), suite.version)?),
            Arc::new(certificate.server(only(other, suite.suite), suite.version)?),
        )?;
        for round in 0..5 {
            let text = text(5 * RECORD + round, round as u64);
            pair.client.refresh_traffic_keys()?;
            pair.transfer(false, &text).with_context(|| format!("{:?}, {round}", suite.suite))?;
            pair.server.refresh_traffic_keys()?;
            pair.transfer(true, &text).with_context(|| format!("{:?}, {round}", suite.suite))?;
        }
    }
    Ok(())
}
