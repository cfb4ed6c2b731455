//! NSS's programs on our library: TLS with stock NSS and with OpenSSL at the other end, and what else NSS is used for.

use anyhow::{Context, Result, bail, ensure};
use evariste_nss_tests::{Nss, Random, digest};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of a transfer.
const MUCH: usize = 20_000_000;

/// A suite: NSS's version and number of it, OpenSSL's options, our counter.
#[derive(Clone, Copy)]
struct Suite {
    version: &'static str,
    number: &'static str,
    openssl: [&'static str; 3],
    counter: &'static str,
}

const SUITES: [Suite; 4] = [
    Suite {
        version: "tls1.2:tls1.2",
        number: ":C02F",
        openssl: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
        counter: "AES-128-GCM",
    },
    Suite {
        version: "tls1.2:tls1.2",
        number: ":C030",
        openssl: ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
        counter: "AES-256-GCM",
    },
    Suite {
        version: "tls1.3:tls1.3",
        number: ":1301",
        openssl: ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
        counter: "AES-128-GCM",
    },
    Suite {
        version: "tls1.3:tls1.3",
        number: ":1302",
        openssl: ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
        counter: "AES-256-GCM",
    },
];

/// Ends with whoever holds it.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Result<Self> {
        Ok(Self(command.spawn().with_context(|| format!("{command:?}"))?))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago.
fn port() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string())
}

fn wait_for(port: &str, server: &mut Process) -> Result<()> {
    let start = Instant::now();
    while TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        if let Some(status) = server.0.try_wait()? {
            bail!("the server ended: {status}");
        }
        ensure!(start.elapsed() < PATIENCE, "the server does not listen");
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// `selfserv`, which sends files that are asked for by their path.
fn selfserv(nss: &Nss, suite: Suite) -> Result<(Process, String)> {
    let port = port()?;
    let mut command = nss.command("selfserv");
    command.args(["-d", "sql:db", "-n", "server", "-p", &port, "-V", suite.version, "-c", suite.number]);
    let mut server = Process::start(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))?;
    wait_for(&port, &mut server)?;
    Ok((server, port))
}

fn tstclnt(nss: &Nss, port: &str, suite: Suite) -> Command {
    let mut command = nss.command("tstclnt");
    command.args(["-h", "127.0.0.1", "-p", port, "-d", "sql:client", "-o", "-V", suite.version, "-c", suite.number]);
    command
}

/// What a program printed, if it ended well.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    Ok(output.stdout)
}

/// Writes a text to be asked for, and the request of it. The answer is a few lines and the text.
fn file(nss: &Nss, seed: u64) -> Result<Vec<u8>> {
    let text = Random::new(seed).bytes(MUCH);
    fs::write(nss.own().join("file"), &text)?;
    Ok(text)
}

fn request(of: &Nss, nss: &Nss) -> Result<()> {
    let path = of.own().join("file");
    Ok(fs::write(nss.own().join("request"), format!("GET {} HTTP/1.0\r\n\r\n", path.display()))?)
}

fn ends_with(answer: &[u8], text: &[u8]) -> Result<()> {
    ensure!(answer.len() >= text.len(), "{} bytes of {} came", answer.len(), text.len());
    let (head, body) = answer.split_at(answer.len() - text.len());
    ensure!(head.len() < 1000 && digest(body) == digest(text), "another text came");
    Ok(())
}

/// That at least so much went through our code, in the direction that `decrypted` says.
fn ran(nss: &Nss, suite: Suite, decrypted: bool, before: [u64; 4]) -> Result<()> {
    let now = nss.counted(suite.counter)?;
    let at = if decrypted { 2 } else { 0 };
    let (calls, bytes) = (now[at] - before[at], now[at + 1] - before[at + 1]);
    ensure!(bytes >= MUCH as u64 && calls >= MUCH as u64 >> 14, "{calls} calls, {bytes} bytes by us");
    Ok(())
}

fn counted(nss: &Nss, suite: Suite) -> [u64; 4] {
    nss.counted(suite.counter).unwrap_or_default()
}

/// Every suite, with ours at either end and at both.
#[test]
fn nss_and_nss() -> Result<()> {
    let (ours, stock) = (Nss::ours()?, Nss::stock()?);
    ours.database()?;
    stock.database()?;
    for suite in SUITES {
        for (server, client) in [(&ours, &stock), (&stock, &ours), (&ours, &ours)] {
            let before = counted(&ours, suite);
            let text = file(server, 3)?;
            request(server, client)?;
            let (process, port) = selfserv(server, suite)?;
            let answer = output(tstclnt(client, &port, suite).args(["-A", "request"]).stdin(Stdio::null()))?;
            drop(process);
            ends_with(&answer, &text).with_context(|| suite.number)?;
            for (end, decrypted) in [(server, false), (client, true)] {
                if std::ptr::eq(end, &ours) {
                    ran(end, suite, decrypted, before).with_context(|| suite.number)?;
                }
            }
        }
    }
    ensure!(!stock.counters().exists(), "stock NSS counts");
    Ok(())
}

/// Key and certificate of the database for OpenSSL.
fn pem(nss: &Nss) -> Result<()> {
    nss.run("pk12util", &["-o", "server.p12", "-n", "server", "-d", "sql:db", "-W", "secret", "-K", ""])?;
    nss.run("openssl", &["pkcs12", "-in", "server.p12", "-passin", "pass:secret", "-nodes", "-legacy", "-out", "pem"])
        .or_else(|_| {
            nss.run("openssl", &["pkcs12", "-in", "server.p12", "-passin", "pass:secret", "-nodes", "-out", "pem"])
        })
        .map(drop)
}

/// OpenSSL knows nothing of our directory of libraries.
fn openssl(nss: &Nss, command: &str, suite: Suite) -> Command {
    let mut openssl = Command::new("openssl");
    openssl.current_dir(nss.own()).arg(command).args(suite.openssl);
    openssl
}

/// Our server sends to `s_client`; `s_server` sends to our client, and gets a text from it.
#[test]
fn nss_and_openssl() -> Result<()> {
    let ours = Nss::ours()?;
    ours.database()?;
    pem(&ours)?;
    for suite in SUITES {
        let text = file(&ours, 4)?;
        request(&ours, &ours)?;
        let before = counted(&ours, suite);
        let (process, port) = selfserv(&ours, suite)?;
        let mut client = openssl(&ours, "s_client", suite);
        client.args(["-quiet", "-connect", &format!("127.0.0.1:{port}")]);
        let answer = output(client.stdin(fs::File::open(ours.own().join("request"))?))?;
        drop(process);
        ends_with(&answer, &text).with_context(|| format!("s_client, {}", suite.number))?;
        ran(&ours, suite, false, before)?;

        let before = counted(&ours, suite);
        let mut server = openssl(&ours, "s_server", suite);
        server.args(["-accept", "127.0.0.1:0", "-naccept", "1", "-HTTP", "-cert", "pem", "-key", "pem"]);
        let (server, port) = s_server(&mut server)?;
        fs::write(ours.own().join("request"), "GET /file HTTP/1.0\r\n\r\n")?;
        let answer = output(tstclnt(&ours, &port, suite).args(["-A", "request"]).stdin(Stdio::null()))?;
        drop(server);
        ends_with(&answer, &text).with_context(|| format!("s_server, {}", suite.number))?;
        ran(&ours, suite, true, before)?;

        upload(&ours, suite).with_context(|| format!("to s_server, {}", suite.number))?;
    }
    Ok(())
}

/// Starts it, and says where it listens.
fn s_server(server: &mut Command) -> Result<(Process, String)> {
    // It goes at the end of its input.
    let mut process = Process::start(server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let mut output = BufReader::new(process.0.stdout.take().context("no output")?);
    let mut line = String::new();
    while !line.starts_with("ACCEPT ") {
        line.clear();
        ensure!(output.read_line(&mut line)? > 0, "s_server does not listen");
    }
    process.0.stdout = Some(output.into_inner());
    Ok((process, line.trim().rsplit(':').next().context("no port")?.to_owned()))
}

/// Our client sends; what arrives is in `s_server`'s output.
fn upload(ours: &Nss, suite: Suite) -> Result<()> {
    let (text, before) = (Random::new(5).bytes(MUCH), counted(ours, suite));
    let mut server = openssl(ours, "s_server", suite);
    server.args(["-accept", "127.0.0.1:0", "-naccept", "1", "-cert", "pem", "-key", "pem"]);
    let (mut server, port) = s_server(&mut server)?;
    let mut received = server.0.stdout.take().context("no output")?;
    let mut client = tstclnt(ours, &port, suite);
    let client = client.args(["-f"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut client = Process::start(client)?;
    let mut input = client.0.stdin.take().context("no input")?;
    let (start, sum) = (&text[..32], digest(&text));
    let mut answer = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let (done, end) = mpsc::channel::<()>();
        let text = &text;
        let writer = scope.spawn(move || input.write_all(text).map(|()| input));
        // Neither ends the connection: the client goes when all has come, or when that takes too long, and the server then.
        scope.spawn(move || {
            let _ = end.recv_timeout(PATIENCE);
            drop(client);
        });
        let mut piece = vec![0; 1 << 16];
        let mut begins = None;
        while begins.is_none_or(|begins| answer.len() < begins + text.len()) {
            let len = received.read(&mut piece)?;
            ensure!(len > 0, "not all came");
            answer.extend_from_slice(&piece[..len]);
            begins = begins.or_else(|| answer.windows(32).position(|window| window == start));
        }
        drop(done);
        ensure!(writer.join().is_ok_and(|written| written.is_ok()), "the client's input ended");
        Ok(())
    })?;
    // It says something about the connection before.
    let at = answer.windows(32).position(|window| window == start).context("nothing came")?;
    let came = answer.get(at..at + text.len()).context("not all came")?;
    ensure!(digest(came) == sum, "another text came");
    ran(ours, suite, false, before)
}

/// Many connections, several at once.
#[test]
fn many_connections() -> Result<()> {
    let ours = Nss::ours()?;
    ours.database()?;
    for suite in [SUITES[0], SUITES[3]] {
        let before = counted(&ours, suite);
        let (process, port) = selfserv(&ours, suite)?;
        let strsclnt = ["-p", &port, "-d", "sql:client", "-c", "100", "-t", "8", "-N", "-q", "-o", "-V", suite.version];
        let mut command = ours.command("strsclnt");
        let output = command.args(strsclnt).args(["-C", suite.number, "localhost"]).stdin(Stdio::null()).output()?;
        // Its status is that of what it expects of the cache of sessions, which TLS 1.3 disappoints, also on stock NSS.
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(said.contains("NoReuse - 100 server certificates tested."), "{}: {said}", suite.number);
        drop(process);
        let now = ours.counted(suite.counter)?;
        // At least a request and its answer, at both ends.
        ensure!(now[0] - before[0] >= 200 && now[2] - before[2] >= 200, "{now:?}");
    }
    Ok(())
}

/// Databases, keys and modules; both NSS read what the other has written.
#[test]
fn other_tools() -> Result<()> {
    let (ours, stock) = (Nss::ours()?, Nss::stock()?);
    for (from, to) in [(&ours, &stock), (&stock, &ours)] {
        from.database()?;
        let export = "-o all.p12 -n server -d sql:db -W secret -C AES-256-CBC -c AES-128-CBC";
        from.run("pk12util", &export.split(' ').collect::<Vec<_>>())?;
        fs::copy(from.own().join("all.p12"), to.own().join("other.p12"))?;
        fs::create_dir_all(to.own().join("other"))?;
        to.run("certutil", &["-N", "-d", "sql:other", "--empty-password"])?;
        to.run("pk12util", &["-i", "other.p12", "-d", "sql:other", "-W", "secret"])?;
        ensure!(to.run("certutil", &["-K", "-d", "sql:other"])?.contains("server"), "no key");
        ensure!(to.run("certutil", &["-L", "-d", "sql:other"])?.contains("server"), "no certificate");
        ensure!(to.run("modutil", &["-list", "-dbdir", "sql:other"])?.contains("NSS Internal PKCS #11 Module"));
        ensure!(!to.run("modutil", &["-chkfips", "false", "-dbdir", "sql:other"])?.contains("evariste"));
    }
    ensure!(!stock.counters().exists() && ours.counters().exists(), "counters are the other way round");
    Ok(())
}

/// A database's FIPS mode: NSS's token refuses to start on our code, and starts where all goes to NSS's own.
#[test]
fn no_fips_token_on_our_code() -> Result<()> {
    let ours = Nss::ours()?;
    ours.database()?;
    let fips = ["-fips", "true", "-force", "-dbdir", "sql:db"];
    let refused = ours.command("modutil").args(fips).output()?;
    let said = String::from_utf8_lossy(&refused.stderr);
    ensure!(!refused.status.success() && said.contains("CKR_DEVICE_ERROR"), "{said}");
    let allowed = ours.command("modutil").args(fips).env("NSS_FIPS", "1").output()?;
    ensure!(allowed.status.success(), "{}", String::from_utf8_lossy(&allowed.stderr));
    Ok(())
}

/// Transfers under valgrind. In TLS 1.2 NSS itself sends what it has not initialized: no more than that.
#[test]
fn clean_under_valgrind() -> Result<()> {
    let (ours, stock) = (Nss::ours()?, Nss::stock()?);
    let text = Random::new(6).bytes(300_000);
    for nss in [&ours, &stock] {
        nss.database()?;
        fs::write(nss.own().join("file"), &text)?;
        request(nss, nss)?;
    }
    for suite in [SUITES[1], SUITES[2]] {
        let ours_has = under_valgrind(&ours, suite, &text)?;
        ensure!(ours.counted(suite.counter)?[3] >= text.len() as u64, "not by us");
        let expected = if suite.number == ":C030" { under_valgrind(&stock, suite, &text)? } else { 0 };
        ensure!(ours_has == expected, "{ours_has} errors, not {expected}: {}", said(&ours));
    }
    Ok(())
}

/// The number of errors.
fn under_valgrind(nss: &Nss, suite: Suite, text: &[u8]) -> Result<u32> {
    let (_process, port) = selfserv(nss, suite)?;
    let mut command = nss.command("valgrind");
    command.args([
        "--log-file=valgrind",
        "--num-callers=20",
        "tstclnt",
        "-h",
        "127.0.0.1",
        "-p",
        &port,
        "-d",
        "sql:db",
    ]);
    command.args(["-o", "-V", suite.version, "-c", suite.number, "-A", "request"]);
    ends_with(&output(command.stdin(Stdio::null()))?, text)?;
    let log = said(nss);
    let number = log.split("ERROR SUMMARY: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    ensure!(log.contains("definitely lost: 0 bytes") || log.contains("no leaks are possible"), "{log}");
    number.context(log)
}

fn said(nss: &Nss) -> String {
    fs::read_to_string(nss.own().join("valgrind")).unwrap_or_default()
}
