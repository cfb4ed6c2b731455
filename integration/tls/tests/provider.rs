//! What becomes of a provider.

use anyhow::{Context, Result, bail};
use evariste_rustls::{accelerate, with_ccm, with_ccm_8};
use evariste_tls_tests::{Certificate, Pair, STOCK, SUITES, Suite, only, ours};
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, ConnectionTrafficSecrets, ExtractedSecrets, SupportedCipherSuite};
use std::sync::Arc;

fn names(provider: &CryptoProvider) -> Vec<CipherSuite> {
    provider.cipher_suites.iter().map(|suite| suite.suite()).collect()
}

fn address(suite: &SupportedCipherSuite) -> usize {
    match suite {
        SupportedCipherSuite::Tls13(suite) => std::ptr::from_ref(*suite).addr(),
        SupportedCipherSuite::Tls12(suite) => std::ptr::from_ref(*suite).addr(),
    }
}

fn addresses(provider: &CryptoProvider) -> Vec<usize> {
    provider.cipher_suites.iter().map(address).collect()
}

#[test]
fn gcm_is_replaced_and_nothing_else() {
    for (name, stock) in STOCK {
        let (base, ours) = (stock(), accelerate(stock()));
        assert_eq!(names(&base), names(&ours), "{name}");
        for (base, ours) in base.cipher_suites.iter().zip(&ours.cipher_suites) {
            let is_gcm = format!("{base:?}").contains("GCM");
            assert_eq!(address(base) != address(ours), is_gcm, "{name} {base:?}");
            assert!(!is_gcm || !ours.fips());
        }
        assert_eq!(base.kx_groups.len(), ours.kx_groups.len());
        assert!(!ours.fips());
    }
}

#[test]
fn suites_are_made_once() {
    for (_, stock) in STOCK {
        let make = || with_ccm_8(with_ccm(accelerate(stock())));
        let first = addresses(&make());
        for _ in 0..1000 {
            assert_eq!(addresses(&make()), first);
        }
        assert_eq!(addresses(&with_ccm_8(with_ccm(accelerate(make())))), first);
        // In another order, the same suites.
        assert_eq!(addresses(&with_ccm_8(accelerate(with_ccm(accelerate(stock()))))), first);
    }
    let [ring, aws_lc] = STOCK.map(|(_, stock)| addresses(&accelerate(stock())));
    assert!(ring.iter().all(|suite| !aws_lc.contains(suite)));
}

#[test]
fn threads_get_the_same() {
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| addresses(&ours()))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(all.iter().all(|one| *one == all[0]));
}

#[test]
fn ccm_is_added_behind() {
    use CipherSuite as C;
    for (name, stock) in STOCK {
        let base = names(&stock());
        let ccm = names(&with_ccm(stock()));
        assert_eq!(ccm[..base.len()], base, "{name}");
        let new =
            [C::TLS13_AES_128_CCM_SHA256, C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM, C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM];
        assert_eq!(ccm[base.len()..], new, "{name}");
        let new = [
            C::TLS13_AES_128_CCM_8_SHA256,
            C::TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8,
            C::TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8,
        ];
        assert_eq!(names(&with_ccm_8(stock()))[base.len()..], new, "{name}");
        assert_eq!(names(&with_ccm(with_ccm(stock()))), ccm, "{name}");
    }
    // There is nothing to make them of: no suite has SHA-256.
    let without = || only(STOCK[0].1(), C::TLS13_AES_256_GCM_SHA384);
    assert_eq!(names(&with_ccm_8(with_ccm(without()))), [C::TLS13_AES_256_GCM_SHA384]);
}

#[test]
fn limits_and_quic() {
    for Suite { suite, gcm, .. } in SUITES {
        let provider = only(ours(), suite);
        let limit = if gcm { 1 << 24 } else { 1 << 23 };
        match provider.cipher_suites[0] {
            SupportedCipherSuite::Tls13(ours) => {
                assert_eq!(ours.common.confidentiality_limit, limit, "{suite:?}");
                // QUIC forbids tags of eight bytes.
                assert_eq!(ours.quic.is_some(), suite != CipherSuite::TLS13_AES_128_CCM_8_SHA256, "{suite:?}");
            }
            SupportedCipherSuite::Tls12(ours) => assert_eq!(ours.common.confidentiality_limit, limit, "{suite:?}"),
        }
    }
}

/// What the kernel's TLS would be given: ours at one end gives what the stock provider gives at the other.
#[test]
fn secrets_are_those_of_the_stock_provider() -> Result<()> {
    for suite in SUITES.into_iter().filter(|suite| suite.gcm) {
        for (_, stock) in STOCK {
            let certificate = Certificate::new(suite.rsa)?;
            let mut client = certificate.client(only(ours(), suite.suite), suite.version)?;
            let mut server = certificate.server(only(stock(), suite.suite), suite.version)?;
            (client.enable_secret_extraction, server.enable_secret_extraction) = (true, true);
            let mut pair = Pair::connect(Arc::new(client), Arc::new(server))?;
            pair.transfer(false, b"text")?;
            let (client, server) = (pair.client.dangerous_extract_secrets()?, pair.server.dangerous_extract_secrets()?);
            let [to_server, from_client] = [directions(client)?, directions(server)?];
            assert_eq!(to_server.0, from_client.1, "{:?}", suite.suite);
            assert_eq!(to_server.1, from_client.0, "{:?}", suite.suite);
            assert!(to_server.0.0 > 0);
        }
    }
    Ok(())
}

/// Sequence number, name, key and IV.
type Direction = (u64, &'static str, Vec<u8>, Vec<u8>);

/// What is sent under, and what is received under.
fn directions(secrets: ExtractedSecrets) -> Result<(Direction, Direction)> {
    let direction = |(seq, secrets)| {
        let (name, key, iv) = match secrets {
            ConnectionTrafficSecrets::Aes128Gcm { key, iv } => ("AES-128-GCM", key, iv),
            ConnectionTrafficSecrets::Aes256Gcm { key, iv } => ("AES-256-GCM", key, iv),
            _ => bail!("another cipher"),
        };
        Ok((seq, name, key.as_ref().to_vec(), iv.as_ref().to_vec()))
    };
    Ok((direction(secrets.tx)?, direction(secrets.rx)?))
}

#[test]
fn ccm_has_no_secrets_to_give() -> Result<()> {
    let certificate = Certificate::new(false)?;
    for suite in SUITES.into_iter().filter(|suite| !suite.gcm) {
        let mut client = certificate.client(only(ours(), suite.suite), suite.version)?;
        client.enable_secret_extraction = true;
        let server = certificate.server(only(ours(), suite.suite), suite.version)?;
        let pair = Pair::connect(Arc::new(client), Arc::new(server))?;
        let error = pair.client.dangerous_extract_secrets().err().context("secrets of CCM")?;
        assert_eq!(error.to_string(), "unexpected error: operation not supported");
    }
    Ok(())
}

/// Whoever wants it says so.
#[test]
fn nothing_is_installed() {
    let _ = ours();
    assert!(CryptoProvider::get_default().is_none());
}
