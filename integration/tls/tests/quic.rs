//! QUIC by quinn, on loopback, at either end.

use anyhow::{Context, Result, ensure};
use evariste_rustls::counts;
use evariste_tls_tests::{Certificate, MUCH, Named, SOME, STOCK, alone, digest, only, ours, text};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Connection, Endpoint, RecvStream, SendStream, ServerConfig};
use rustls::crypto::CryptoProvider;
use rustls::quic::Suite;
use rustls::{CipherSuite, ProtocolVersion};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

const OURS: Named = ("evariste", ours);
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// More than a packet carries on loopback, so that this many bytes are at least so many packets.
const PACKET: usize = 1 << 16;

/// What QUIC encrypts the first packets with, whatever is agreed upon later.
fn initial(provider: &CryptoProvider) -> Result<Suite> {
    let suites = &mut provider.cipher_suites.iter().filter_map(|suite| suite.tls13());
    let suite = suites.find(|suite| suite.common.suite == CipherSuite::TLS13_AES_128_GCM_SHA256);
    suite.and_then(|suite| suite.quic_suite()).context("no initial suite")
}

fn endpoints(suite: CipherSuite, client: Named, server: Named) -> Result<(Endpoint, Endpoint)> {
    let certificate = Certificate::new(false)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = certificate.server(only(server.1(), suite), ProtocolVersion::TLSv1_3)?;
    let config = QuicServerConfig::with_initial(Arc::new(config), initial(&server.1())?)?;
    let config = ServerConfig::with_crypto(Arc::new(config));
    let server = Endpoint::server(config, address)?;
    let config = certificate.client(only(client.1(), suite), ProtocolVersion::TLSv1_3)?;
    let config = QuicClientConfig::with_initial(Arc::new(config), initial(&client.1())?)?;
    let mut client = Endpoint::client(address)?;
    client.set_default_client_config(ClientConfig::new(Arc::new(config)));
    Ok((client, server))
}

/// Sends the first half, renews the keys, and sends the second.
async fn send(connection: &Connection, stream: &mut SendStream, text: &[u8]) -> Result<()> {
    let (first, second) = text.split_at(text.len() / 2);
    stream.write_all(first).await?;
    connection.force_key_update();
    stream.write_all(second).await?;
    stream.finish()?;
    Ok(())
}

async fn receive(stream: &mut RecvStream, text: &[u8]) -> Result<()> {
    let received = stream.read_to_end(text.len()).await?;
    ensure!(received.len() == text.len(), "{} bytes of {} came", received.len(), text.len());
    ensure!(digest(&received) == digest(text), "another text came");
    Ok(())
}

/// A handshake, an upload, a download.
async fn exchange(endpoints: &(Endpoint, Endpoint), upload: &[u8], download: &[u8]) -> Result<()> {
    let (client, server) = endpoints;
    let address = server.local_addr()?;
    let serve = async {
        let connection = server.accept().await.context("closed")?.await?;
        let (mut out, mut stream) = connection.accept_bi().await?;
        receive(&mut stream, upload).await?;
        send(&connection, &mut out, download).await?;
        // The client has all of it, and says so.
        connection.closed().await;
        anyhow::Ok(())
    };
    let request = async {
        let connection = client.connect(address, "localhost")?.await?;
        let (mut stream, mut answer) = connection.open_bi().await?;
        send(&connection, &mut stream, upload).await?;
        receive(&mut answer, download).await?;
        connection.close(0u32.into(), b"done");
        anyhow::Ok(())
    };
    let (served, requested) = tokio::time::timeout(PATIENCE, async { tokio::join!(serve, request) }).await?;
    served.context("server").and(requested.context("client"))
}

/// Runs all that, and compares what was counted with what was sent.
fn check(suite: CipherSuite, client: Named, server: Named, upload: &[u8], download: &[u8]) -> Result<()> {
    let what = format!("{suite:?}, client {}, server {}", client.0, server.0);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let before = counts();
    let _inside = runtime.enter();
    let endpoints = endpoints(suite, client, server)?;
    runtime.block_on(exchange(&endpoints, upload, download)).context(what.clone())?;
    let now = counts();
    let packets = |text: &[u8]| (text.len() / PACKET) as u64;
    let (up, down) = (packets(upload), packets(download));
    let is_ours = |named: Named| u64::from(named.0 == OURS.0);
    let sealed = is_ours(client) * up + is_ours(server) * down;
    let opened = is_ours(server) * up + is_ours(client) * down;
    ensure!(now.packets_sealed - before.packets_sealed >= sealed, "{what}: not sealed by us");
    ensure!(now.packets_opened - before.packets_opened >= opened, "{what}: not opened by us");
    ensure!(now.headers_masked - before.headers_masked >= sealed + opened, "{what}: headers not by us");
    // Packets do not go through the code for records.
    ensure!(now.records_sealed == before.records_sealed, "{what}: records");
    Ok(())
}

#[test]
fn gcm_at_either_end() -> Result<()> {
    let _alone = alone();
    let (much, some) = (text(MUCH, 21), text(SOME, 22));
    let (aes128, aes256) = (CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_AES_256_GCM_SHA384);
    for (n, stock) in STOCK.into_iter().enumerate() {
        let (up, down) = if n == 0 { (&some, &much) } else { (&some, &some) };
        check(aes128, OURS, stock, up, down)?;
        check(aes128, stock, OURS, down, up)?;
        check(aes256, OURS, stock, &some, &some)?;
        check(aes256, stock, OURS, &some, &some)?;
    }
    check(aes256, OURS, OURS, &some, &some)
}

#[test]
fn ccm_at_both_ends() -> Result<()> {
    let _alone = alone();
    let some = text(SOME, 23);
    check(CipherSuite::TLS13_AES_128_CCM_SHA256, OURS, OURS, &some, &some)
}

/// That the counters say something.
#[test]
fn stock_alone_counts_nothing() -> Result<()> {
    let _alone = alone();
    let (some, before) = (text(SOME, 24), counts());
    check(CipherSuite::TLS13_AES_128_GCM_SHA256, STOCK[0], STOCK[1], &some, &some)?;
    ensure!(counts() == before);
    Ok(())
}
