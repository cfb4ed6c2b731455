//! A web server of one page and a client for it, on loopback, with evariste's AES-GCM under ring's provider.
//!
//! `cargo run --manifest-path integration/Cargo.toml --example https`

use anyhow::{Context, Result};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

fn main() -> Result<()> {
    // This line is all that a program has to change.
    let provider = Arc::new(evariste_rustls::accelerate(rustls::crypto::ring::default_provider()));

    let rcgen::CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], PrivatePkcs8KeyDer::from(signing_key.serialize_der()).into())?;
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone())?;
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let serving = thread::spawn(move || serve(&listener, server));

    let connection = ClientConnection::new(Arc::new(client), "localhost".try_into()?)?;
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    stream.write_all(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    let suite = stream.conn.negotiated_cipher_suite().context("no suite")?;
    println!("{:?}\n\n{page}", suite.suite());
    serving.join().ok().context("the server has panicked")?
}

/// Answers one request.
fn serve(listener: &TcpListener, config: ServerConfig) -> Result<()> {
    let (socket, _) = listener.accept()?;
    let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config))?, socket);
    let (mut request, mut buffer) = (Vec::new(), [0; 1024]);
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            got => request.extend_from_slice(&buffer[..got]),
        }
    }
    stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nattack at dawn\n")?;
    stream.conn.send_close_notify();
    stream.flush()?;
    Ok(())
}
