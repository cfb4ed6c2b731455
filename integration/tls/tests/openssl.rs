//! Every suite against OpenSSL's programs, at either end.

use anyhow::{Context, Result, bail, ensure};
use evariste_rustls::counts;
use evariste_tls_tests::{Certificate, MUCH, RECORD, SOME, SUITES, Suite, alone, digest, only, ours, text};
use rustls::{ClientConnection, ProtocolVersion, ServerConnection, StreamOwned};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A directory with certificates of both kinds.
struct Files {
    directory: tempfile::TempDir,
    certificates: [Certificate; 2],
}

impl Files {
    fn new() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let certificates = [Certificate::new(false)?, Certificate::new(true)?];
        for (certificate, name) in certificates.iter().zip(["ecdsa", "rsa"]) {
            fs::write(directory.path().join(name), certificate.pem.clone() + &certificate.key_pem)?;
        }
        Ok(Self { directory, certificates })
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn certificate(&self, suite: Suite) -> (&Certificate, &'static str) {
        (&self.certificates[suite.rsa as usize], if suite.rsa { "rsa" } else { "ecdsa" })
    }
}

/// `openssl COMMAND` with this suite and no other, in the directory.
fn openssl(files: &Files, command: &str, suite: Suite) -> Command {
    let mut openssl = Command::new("openssl");
    openssl.current_dir(files.path()).arg(command);
    // Tags of eight bytes are below the usual level of security.
    match suite.version {
        ProtocolVersion::TLSv1_3 => {
            openssl.args(["-tls1_3", "-ciphersuites", suite.openssl, "-cipher", "DEFAULT:@SECLEVEL=0"])
        }
        _ => openssl.args(["-tls1_2", "-cipher", &format!("{}:@SECLEVEL=0", suite.openssl)]),
    };
    openssl
}

/// Ends with whoever holds it.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn patient(stream: TcpStream) -> Result<TcpStream> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// How much goes: all of it once for each version.
fn amount(suite: Suite) -> usize {
    if suite.openssl.contains("AES128-GCM") || suite.openssl.contains("AES_128_GCM") { MUCH } else { SOME }
}

/// Our client gets a file from `s_server`.
fn download(files: &Files, suite: Suite) -> Result<()> {
    let (certificate, name) = files.certificate(suite);
    let text = text(amount(suite), 11);
    fs::write(files.path().join("file"), &text)?;
    let mut server = openssl(files, "s_server", suite);
    server.args(["-accept", "127.0.0.1:0", "-naccept", "1", "-HTTP", "-cert", name]);
    let mut server = Process(
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("openssl s_server")?,
    );
    let output = server.0.stdout.take().context("no output")?;
    let address = BufReader::new(output)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("ACCEPT ").map(str::to_owned))
        .context("s_server does not listen")?;
    let before = counts();
    let config = certificate.client(only(ours(), suite.suite), suite.version)?;
    let connection = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let mut stream = StreamOwned::new(connection, patient(TcpStream::connect(address.trim())?)?);
    // It sends the file as it is: an answer without a head of its own.
    stream.write_all(b"GET /file HTTP/1.0\r\n\r\n")?;
    let mut received = Vec::with_capacity(text.len());
    stream.read_to_end(&mut received)?;
    ensure!(received.len() == text.len(), "{} bytes of {} came", received.len(), text.len());
    ensure!(digest(&received) == digest(&text), "another text came");
    let now = counts();
    let records = text.len().div_ceil(RECORD) as u64;
    ensure!(now.records_opened - before.records_opened >= records, "not by us");
    ensure!(now.records_sealed > before.records_sealed, "not by us");
    Ok(())
}

/// `s_client` sends a text to our server, and gets another one.
fn exchange(files: &Files, suite: Suite) -> Result<()> {
    let (certificate, name) = files.certificate(suite);
    let (upload, download) = (text(amount(suite), 12), text(amount(suite), 13));
    let config = certificate.server(only(ours(), suite.suite), suite.version)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let before = counts();
    let mut client = openssl(files, "s_client", suite);
    client.args(["-quiet", "-verify_return_error", "-verify_hostname", "localhost", "-CAfile", name]);
    client.args(["-connect", &address.to_string()]);
    client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut client = Process(client.spawn().context("openssl s_client")?);
    let mut input = client.0.stdin.take().context("no input")?;
    let mut output = client.0.stdout.take().context("no output")?;
    thread::scope(|scope| -> Result<()> {
        let text = &upload;
        // The pipe stays open: s_client goes at the end of it.
        let writer = scope.spawn(move || input.write_all(text).map(|()| input));
        let reader = scope.spawn(move || {
            let mut received = Vec::new();
            output.read_to_end(&mut received).map(|_| received)
        });
        let connection = ServerConnection::new(Arc::new(config))?;
        let mut stream = StreamOwned::new(connection, patient(accept(&listener, &mut client)?)?);
        let mut received = vec![0; upload.len()];
        stream.read_exact(&mut received)?;
        ensure!(digest(&received) == digest(&upload), "another text came");
        stream.write_all(&download)?;
        stream.conn.send_close_notify();
        stream.flush()?;
        stream.sock.shutdown(std::net::Shutdown::Write)?;
        let Ok(Ok(received)) = reader.join() else { bail!("s_client's output ended") };
        ensure!(received.len() == download.len(), "{} bytes of {} came", received.len(), download.len());
        ensure!(digest(&received) == digest(&download), "another text came");
        ensure!(writer.join().is_ok_and(|written| written.is_ok()), "s_client's input ended");
        Ok(())
    })?;
    let (now, records) = (counts(), upload.len().div_ceil(RECORD) as u64);
    ensure!(now.records_opened - before.records_opened >= records, "not by us");
    ensure!(now.records_sealed - before.records_sealed >= records, "not by us");
    Ok(())
}

/// The connection, unless the client has ended.
fn accept(listener: &TcpListener, client: &mut Process) -> Result<TcpStream> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if let Some(status) = client.0.try_wait()? {
                    bail!("s_client ended, {status}");
                }
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

#[test]
fn our_client_and_s_server() -> Result<()> {
    let _alone = alone();
    let files = Files::new()?;
    SUITES.into_iter().try_for_each(|suite| download(&files, suite).with_context(|| suite.openssl))
}

#[test]
fn our_server_and_s_client() -> Result<()> {
    let _alone = alone();
    let files = Files::new()?;
    SUITES.into_iter().try_for_each(|suite| exchange(&files, suite).with_context(|| suite.openssl))
}
