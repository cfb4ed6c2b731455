//! nginx, curl, and Python's ssl: 100 MB over TLS.

use anyhow::{Context, Result, ensure};
use evariste_openssl_tests::{Installed, Key, Process, With, digest, digest_of, free_port, output, text};
use std::fs;
use std::process::{Command, Stdio};

const MUCH: usize = 100_000_000;
const CIPHER: &str = "AES-256-GCM";

/// A version of TLS, as Python names it and as curl is told.
type Version = (&'static str, &'static [&'static str]);

const VERSIONS: [Version; 2] = [("TLSv1.2", &["--tlsv1.2", "--tls-max", "1.2"]), ("TLSv1.3", &["--tlsv1.3"])];

const PYTHON: &str = r#"
import hashlib, socket, ssl, sys
port, version = int(sys.argv[1]), ssl.TLSVersion[sys.argv[2].replace(".", "_")]
context = ssl.create_default_context(cafile="cert.pem")
context.minimum_version = context.maximum_version = version
digest, length, head = hashlib.sha256(), 0, b""
with socket.create_connection(("127.0.0.1", port)) as plain:
    with context.wrap_socket(plain, server_hostname="localhost") as connection:
        connection.sendall(b"GET /file HTTP/1.0\r\nHost: localhost\r\n\r\n")
        while b"\r\n\r\n" not in head:
            head += connection.recv(1)
        while piece := connection.recv(65536):
            digest.update(piece)
            length += len(piece)
print(length, digest.hexdigest())
"#;

/// nginx, with a worker, and with our provider or without.
fn nginx(installed: &Installed, with: With) -> Result<(Process, u16)> {
    let port = free_port()?;
    let directory = installed.path().display();
    // Who is not root is warned that `user` does nothing.
    let config = format!(
        "daemon off;\nworker_processes 1;\nuser root;\npid {directory}/nginx-{port}.pid;\nerror_log stderr;\n\
         events {{ worker_connections 16; }}\n\
         http {{\n access_log off;\n client_body_temp_path {directory}/body;\n proxy_temp_path {directory}/proxy;\n\
         fastcgi_temp_path {directory}/fastcgi;\n uwsgi_temp_path {directory}/uwsgi;\n scgi_temp_path {directory}/scgi;\n\
         server {{\n listen 127.0.0.1:{port} ssl;\n root {directory};\n ssl_certificate {directory}/cert.pem;\n\
         ssl_certificate_key {directory}/key.pem;\n ssl_protocols TLSv1.2 TLSv1.3;\n ssl_ciphers ECDHE+AES256;\n }}\n}}\n"
    );
    let name = installed.file(&format!("nginx-{port}.conf"));
    fs::write(&name, config)?;
    let mut command = Command::new("nginx");
    command.env("PATH", concat!("/usr/sbin:/usr/bin:", "/sbin:/bin"));
    installed.start(&mut command, with, &format!("nginx-{with:?}"));
    command.args(["-p", "."]).arg("-c").arg(name).stdin(Stdio::null()).stderr(Stdio::null());
    let mut server = Process::spawn(&mut command)?;
    server.listens("tcp", port)?;
    Ok((server, port))
}

/// How many bytes curl got, and their digest.
fn curl(installed: &Installed, with: With, counts: &str, port: u16, version: Version) -> Result<(usize, [u8; 32])> {
    let mut curl = Command::new("curl");
    installed.start(&mut curl, with, counts);
    curl.args(["--silent", "--fail", "--noproxy", "*", "--cacert", "cert.pem"]).args(version.1);
    curl.args(["--resolve", &format!("localhost:{port}:127.0.0.1"), &format!("https://localhost:{port}/file")]);
    let mut process = Process::spawn(curl.stdout(Stdio::piped()))?;
    let got = digest_of(process.stdout()?)?;
    ensure!(process.wait()?.success(), "curl fails");
    Ok(got)
}

/// The same of Python, the system's, which has the system's OpenSSL.
fn python(installed: &Installed, with: With, counts: &str, port: u16, version: Version) -> Result<(usize, [u8; 32])> {
    let mut python = Command::new("/usr/bin/python3");
    installed.start(&mut python, with, counts);
    let done = output(python.args(["-c", PYTHON, &port.to_string(), version.0]))?;
    let text = String::from_utf8(done.stdout)?;
    let (len, hex) = text.trim().split_once(' ').with_context(|| text.clone())?;
    let mut digest = [0; 32];
    for (n, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * n..2 * n + 2).context("a digest")?, 16)?;
    }
    Ok((len.parse()?, digest))
}

type Client = fn(&Installed, With, &str, u16, Version) -> Result<(usize, [u8; 32])>;

#[test]
fn downloads() -> Result<()> {
    let installed = Installed::new()?;
    installed.certificate(Key::Ecdsa)?;
    let text = text(MUCH, 8);
    fs::write(installed.file("file"), &text)?;
    let digest = digest(&text);
    let clients: [(&str, Client); 2] = [("curl", curl), ("python", python)];
    for (server_with, client_with) in [(With::Ours, With::Stock), (With::Stock, With::Ours), (With::Ours, With::Ours)] {
        let (_server, port) = nginx(&installed, server_with)?;
        let of_server = format!("nginx-{server_with:?}");
        for (name, client) in clients {
            for version in VERSIONS {
                let what = format!("{} of {server_with:?} by {name} with {client_with:?}", version.0);
                let (before, counts) = (installed.counts(&of_server)?, format!("{name}-{}-{client_with:?}", version.0));
                let client_before = installed.counts(&counts)?;
                let got = client(&installed, client_with, &counts, port, version).with_context(|| what.clone())?;
                ensure!(got == (MUCH, digest), "{what}: other bytes came, {} of them", got.0);
                let (now, client_now) = (installed.counts(&of_server)?, installed.counts(&counts)?);
                match server_with {
                    With::Ours => now.since(&before).encrypted(CIPHER, MUCH).with_context(|| what.clone())?,
                    With::Stock => now.nothing()?,
                }
                match client_with {
                    With::Ours => client_now.since(&client_before).decrypted(CIPHER, MUCH).context(what)?,
                    With::Stock => client_now.nothing()?,
                }
            }
        }
    }
    Ok(())
}
