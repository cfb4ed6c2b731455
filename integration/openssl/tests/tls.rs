//! `openssl s_server` and `s_client`: every suite, ours against the stock one on either side and against ourselves.

use anyhow::{Context, Result, bail, ensure};
use evariste_openssl_tests::{Installed, Key, OpenSsl, PATIENCE, Process, With, digest, free_port, text};
use std::io::{Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// How much goes in each direction.
const MUCH: usize = 3_000_000;

/// How much may be under way: less than a pipe takes, so that no writing blocks, and than a socket for UDP keeps, so
/// that nothing is lost.
const WINDOW: usize = 1 << 15;

/// The option for the version, the suite, and the cipher.
type Suite = (&'static str, &'static str, &'static str);

const TLS13: [Suite; 4] = [
    ("-tls1_3", "TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
    ("-tls1_3", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
    ("-tls1_3", "TLS_AES_128_CCM_SHA256", "AES-128-CCM"),
    ("-tls1_3", "TLS_AES_128_CCM_8_SHA256", "AES-128-CCM"),
];

/// Those of TLS 1.2 and of DTLS 1.2.
const BEFORE: [(&str, &str); 6] = [
    ("ECDHE-ECDSA-AES128-GCM-SHA256", "AES-128-GCM"),
    ("ECDHE-ECDSA-AES256-GCM-SHA384", "AES-256-GCM"),
    ("ECDHE-ECDSA-AES128-CCM", "AES-128-CCM"),
    ("ECDHE-ECDSA-AES256-CCM", "AES-256-CCM"),
    ("ECDHE-ECDSA-AES128-CCM8", "AES-128-CCM"),
    ("ECDHE-ECDSA-AES256-CCM8", "AES-256-CCM"),
];

fn suites() -> impl Iterator<Item = Suite> {
    let before = ["-tls1_2", "-dtls1_2"].into_iter();
    TLS13.into_iter().chain(before.flat_map(|version| BEFORE.into_iter().map(move |(s, c)| (version, s, c))))
}

/// A side of a connection, which prints what it gets.
struct Side {
    process: Process,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
}

impl Side {
    fn start(mut command: Command, (version, suite, _): Suite) -> Result<Self> {
        // Tags of eight bytes are below the usual level of security.
        match version {
            "-tls1_3" => command.args(["-ciphersuites", suite, "-cipher", "DEFAULT:@SECLEVEL=0"]),
            _ => command.args(["-cipher", &format!("{suite}:@SECLEVEL=0")]),
        };
        command.args([version, "-quiet"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Process::spawn(&mut command)?;
        let (input, mut stdout) = (process.stdin()?, process.stdout()?);
        let (sender, output) = channel();
        // It ends with the process.
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(got @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..got].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, input, output })
    }

    fn send(&mut self, to: &Self, text: &[u8]) -> Result<()> {
        let mut received = Vec::with_capacity(text.len());
        let mut sent = 0;
        // Of many lengths, so that records are, too.
        for piece in text.chunks(10_007) {
            self.input.write_all(piece).context("writing")?;
            sent += piece.len();
            let last = sent == text.len();
            while received.len() + if last { 0 } else { WINDOW } < sent {
                match to.output.recv_timeout(PATIENCE) {
                    Ok(got) => received.extend(got),
                    Err(_) => bail!("{} bytes of {sent} came", received.len()),
                }
            }
        }
        ensure!(digest(&received) == digest(text), "another text came");
        Ok(())
    }
}

/// What runs on a side.
type Program = (OpenSsl, With);

fn connect(installed: &Installed, server: Program, client: Program, suite: Suite) -> Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let counts = [format!("server-{number}"), format!("client-{number}")];
    let (version, _, cipher) = suite;
    let port = free_port()?;
    let address = format!("127.0.0.1:{port}");

    let arguments = ["s_server", "-accept", &address, "-cert", "cert.pem", "-key", "key.pem"];
    let mut server_side = Side::start(server.0.command(installed, server.1, &counts[0], &arguments)?, suite)?;
    server_side.process.listens(if version == "-dtls1_2" { "udp" } else { "tcp" }, port)?;
    let arguments = ["s_client", "-connect", &address, "-CAfile", "cert.pem", "-verify_return_error"];
    let mut client_side = Side::start(client.0.command(installed, client.1, &counts[1], &arguments)?, suite)?;

    let seed = 100 + number as u64;
    client_side.send(&server_side, &text(MUCH, seed)).context("to the server")?;
    server_side.send(&client_side, &text(MUCH, !seed)).context("to the client")?;
    drop((client_side, server_side));
    for ((_, with), counts) in [server, client].into_iter().zip(&counts) {
        let counts = installed.counts(counts)?;
        match with {
            With::Ours => counts.encrypted(cipher, MUCH).and_then(|()| counts.decrypted(cipher, MUCH))?,
            With::Stock => counts.nothing()?,
        }
    }
    Ok(())
}

/// All suites, between these two versions of OpenSSL.
fn all(one: OpenSsl, other: OpenSsl) -> Result<()> {
    let installed = Installed::new()?;
    installed.certificate(Key::Ecdsa)?;
    for suite in suites() {
        for (server, client) in [(With::Ours, With::Stock), (With::Stock, With::Ours), (With::Ours, With::Ours)] {
            // Whoever has our provider is the one, but where both have.
            let (of_server, of_client) = if server == With::Ours { (one, other) } else { (other, one) };
            connect(&installed, (of_server, server), (of_client, client), suite)
                .with_context(|| format!("{} {}: server {server:?}, client {client:?}", suite.0, suite.1))?;
        }
    }
    Ok(())
}

#[test]
fn system() -> Result<()> {
    all(OpenSsl::System, OpenSsl::System)
}

#[test]
fn later() -> Result<()> {
    all(OpenSsl::later()?, OpenSsl::System)
}
