//! Every suite, with ours at one end or at both, against the stock providers.

use anyhow::{Context, Result, ensure};
use evariste_rustls::{Counts, counts};
use evariste_tls_tests::{Certificate, MUCH, Named, Pair, RECORD, SOME, STOCK, SUITES, Suite, alone, only, text};
use std::sync::Arc;

const OURS: [Named; 2] =
    [("evariste", evariste_tls_tests::ours), ("evariste on aws-lc-rs", evariste_tls_tests::ours_on_aws_lc)];

/// A handshake, much text to the client and some to the server; what was counted.
fn run(suite: Suite, client: Named, server: Named, much: &[u8], some: &[u8]) -> Result<Counts> {
    let certificate = Certificate::new(suite.rsa)?;
    let before = counts();
    let mut pair = Pair::connect(
        Arc::new(certificate.client(only(client.1(), suite.suite), suite.version)?),
        Arc::new(certificate.server(only(server.1(), suite.suite), suite.version)?),
    )?;
    pair.transfer(true, much)?;
    pair.transfer(false, some)?;
    ensure!(pair.client.negotiated_cipher_suite().map(|has| has.suite()) == Some(suite.suite));
    ensure!(pair.client.protocol_version() == Some(suite.version));
    let mut now = counts();
    now.records_sealed -= before.records_sealed;
    now.records_opened -= before.records_opened;
    Ok(now)
}

/// Runs a suite, and compares what was counted with what was sent.
fn check(suite: Suite, client: Named, server: Named, much: &[u8], some: &[u8]) -> Result<()> {
    let what = || format!("{:?}, client {}, server {}", suite.suite, client.0, server.0);
    let ran = run(suite, client, server, much, some).with_context(what)?;
    let is_ours = |named: Named| OURS.iter().any(|ours| ours.0 == named.0);
    let records = |of: &[u8]| of.len().div_ceil(RECORD) as u64;
    let (to_client, to_server) = (records(much), records(some));
    let sealed = is_ours(server) as u64 * to_client + is_ours(client) as u64 * to_server;
    let opened = is_ours(client) as u64 * to_client + is_ours(server) as u64 * to_server;
    ensure!(ran.records_sealed >= sealed, "{}: only {} records sealed", what(), ran.records_sealed);
    ensure!(ran.records_opened >= opened, "{}: only {} records opened", what(), ran.records_opened);
    Ok(())
}

#[test]
fn gcm_with_every_provider() -> Result<()> {
    let _alone = alone();
    let (much, some) = (text(MUCH, 1), text(SOME, 2));
    for suite in SUITES.into_iter().filter(|suite| suite.gcm) {
        for stock in STOCK {
            check(suite, OURS[0], stock, &much, &some)?;
            check(suite, stock, OURS[0], &much, &some)?;
        }
        check(suite, OURS[0], OURS[1], &much, &some)?;
    }
    Ok(())
}

/// The stock providers have none; OpenSSL, in another file, has.
#[test]
fn ccm_with_itself() -> Result<()> {
    let _alone = alone();
    let (much, some) = (text(SOME, 3), text(SOME, 4));
    for suite in SUITES.into_iter().filter(|suite| !suite.gcm) {
        check(suite, OURS[0], OURS[1], &much, &some)?;
        check(suite, OURS[1], OURS[0], &much, &some)?;
    }
    Ok(())
}

/// That the counters say something.
#[test]
fn stock_alone_counts_nothing() -> Result<()> {
    let _alone = alone();
    let some = text(SOME, 5);
    let ran = run(SUITES[0], STOCK[0], STOCK[1], &some, &some)?;
    assert_eq!((ran.records_sealed, ran.records_opened), (0, 0));
    assert!(run(SUITES[0], OURS[0], STOCK[1], &some, &some)?.records_opened > 0);
    Ok(())
}
