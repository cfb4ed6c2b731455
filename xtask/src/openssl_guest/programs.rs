//! OpenSSL's program of another architecture, with our provider, and the one of this machine without.

use super::Guest;
use anyhow::{Context, Result, bail, ensure};
use evariste_openssl::counters;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const PACKAGES: &[&str] = &["openssl", "libssl3|libssl3t64", "libc6", "libgcc-s1", "zlib1g", "libzstd1"];
const ARCHITECTURE: &str = "ppc64el";
const LOADER: &str = "ld64.so.2";

/// How much of a text each test takes, under emulation.
const BYTES: usize = 200_001;

pub(super) struct Programs<'g> {
    guest: &'g Guest,
    unpacked: PathBuf,
    /// Where the provider, its configuration, and what is encrypted are.
    directory: PathBuf,
    text: Vec<u8>,
}

/// Ends with whoever holds it.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl<'g> Programs<'g> {
    pub(super) fn prepare(guest: &'g Guest) -> Result<Self> {
        let cache = debian::cache("evariste-openssl")?;
        let unpacked = debian::unpacked(&cache, ARCHITECTURE, &debian::codename()?, PACKAGES)?;
        let directory = crate::subject::target_dir()?.join("openssl-guest");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory)?;
        fs::copy(&guest.module, directory.join("evariste.so"))?;
        let stock = "openssl_conf = main\n[main]\nproviders = providers\n[providers]\ndefault = stock\n\
            [stock]\nactivate = 1\n[req]\ndistinguished_name = name\n[name]\n";
        fs::write(directory.join("stock.cnf"), stock)?;
        let ours = "[main]\nalg_section = algorithms\n[providers]\nevariste = ours\n[ours]\nactivate = 1\n\
            [algorithms]\ndefault_properties = ?provider=evariste\n";
        fs::write(directory.join("ours.cnf"), stock.to_owned() + ours)?;
        let text: Vec<u8> = (0..BYTES as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
        fs::write(directory.join("text"), &text)?;
        let programs = Self { guest, unpacked, directory, text };
        let listed = debian::output(&mut programs.ours("list", &["list", "-providers"])?)?;
        ensure!(listed.contains("\n  evariste\n"), "it is not loaded: {listed}");
        Ok(programs)
    }

    /// The guest's libcrypto.
    pub(super) fn libcrypto(&self) -> PathBuf {
        self.unpacked.join("usr/lib").join(self.guest.target.gnu).join("libcrypto.so.3")
    }

    /// A program of the guest, by the dynamic loader that belongs to its libraries.
    fn command(&self, program: &Path) -> Result<Command> {
        let mut command = self.guest.qemu();
        command.arg(debian::loader(&self.unpacked, self.guest.target.gnu, LOADER)?);
        let libraries = debian::library_path(&self.unpacked, self.guest.target.gnu);
        command.args(["--library-path", &libraries]).arg(program);
        Ok(command)
    }

    /// The guest's `openssl`, which counts to a file.
    fn ours(&self, counts: &str, arguments: &[&str]) -> Result<Command> {
        let mut command = self.command(&self.unpacked.join("usr/bin/openssl"))?;
        command.args(arguments);
        command.env("OPENSSL_CONF", self.directory.join("ours.cnf")).env("OPENSSL_MODULES", &self.directory);
        command.env("EVARISTE_OPENSSL_COUNTERS", self.directory.join(counts)).current_dir(&self.directory);
        Ok(command)
    }

    /// This machine's.
    fn stock(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("openssl");
        command.env("OPENSSL_CONF", self.directory.join("stock.cnf")).env_remove("OPENSSL_MODULES");
        command.current_dir(&self.directory).args(arguments);
        command
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let file = self.directory.join(name);
        fs::read(&file).with_context(|| file.display().to_string())
    }

    /// That the whole text was ours.
    fn counted(&self, counts: &str, cipher: &str, decrypted: bool) -> Result<()> {
        let all = counters::read(self.directory.join(counts))?;
        let of = all.into_iter().find(|counter| counter.algorithm == cipher).context("it is not counted")?;
        let work = if decrypted { of.decrypted } else { of.encrypted };
        ensure!(work.bytes >= BYTES as u64, "{cipher}: {} bytes were ours", work.bytes);
        Ok(())
    }

    /// The same bytes, and back.
    pub(super) fn enc(&self) -> Result<String> {
        let key = "00112233445566778899aabbccddeeff0123456789abcdef0011223344556677";
        for bits in [128, 192, 256] {
            for mode in ["ctr", "ecb"] {
                let (cipher, option) = (format!("aes-{bits}-{mode}"), format!("-aes-{bits}-{mode}"));
                let run = |mut command: Command, input: &str, output: &str, back: bool| {
                    command.args([&option, "-K", &key[..bits / 4], "-in", input, "-out", output]);
                    command.args(if mode == "ctr" { &["-iv", "00112233445566778899aabbfffffff0"][..] } else { &[] });
                    command.args(if back { &["-d"][..] } else { &[] });
                    debian::output(&mut command)
                };
                let name = cipher.to_uppercase();
                run(self.stock(&["enc"]), "text", "stock.out", false)?;
                run(self.ours(&cipher, &["enc"])?, "text", "ours.out", false)?;
                ensure!(self.read("stock.out")? == self.read("ours.out")?, "{cipher}: another text");
                run(self.ours(&cipher, &["enc"])?, "stock.out", "back", true)?;
                ensure!(self.read("back")? == self.text, "{cipher}: another text comes back");
                self.counted(&cipher, &name, false)?;
                self.counted(&cipher, &name, true)?;
            }
        }
        Ok("6 ciphers, both ways, as here".into())
    }

    fn certificate(&self, key: &[&str]) -> Result<()> {
        let mut openssl = self.stock(&["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
        openssl.args(["-config", "stock.cnf", "-keyout", "key.pem", "-out", "cert.pem", "-newkey"]).args(key);
        debian::output(&mut openssl).map(drop)
    }

    /// What one seals the other opens.
    pub(super) fn cms(&self) -> Result<String> {
        self.certificate(&["rsa:2048"])?;
        let opening = ["cms", "-decrypt", "-binary", "-inform", "DER", "-inkey", "key.pem", "-in"];
        for bits in [128, 256] {
            let (option, cipher) = (format!("-aes-{bits}-gcm"), format!("AES-{bits}-GCM"));
            let sealing =
                |to| ["cms", "-encrypt", "-binary", "-outform", "DER", &option, "-in", "text", "-out", to, "cert.pem"];
            debian::output(&mut self.stock(&sealing("stock.der")))?;
            debian::output(&mut self.ours("cms", &sealing("ours.der"))?)?;
            debian::output(self.stock(&opening).args(["ours.der", "-out", "by-stock"]))?;
            debian::output(self.ours("cms", &opening)?.args(["stock.der", "-out", "by-ours"]))?;
            ensure!(
                self.read("by-stock")? == self.text && self.read("by-ours")? == self.text,
                "{cipher}: another text"
            );
            self.counted("cms", &cipher, false)?;
            self.counted("cms", &cipher, true)?;
        }
        Ok("2 ciphers, both ways, against the stock one here".into())
    }

    /// The client here gets the text from the guest.
    pub(super) fn tls(&self) -> Result<String> {
        self.certificate(&["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])?;
        let suites = [
            ("-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
            ("-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
            ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384", "AES-256-GCM"),
            ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-CCM", "AES-128-CCM"),
        ];
        for (version, option, suite, cipher) in suites {
            let arguments = ["s_server", "-accept", "127.0.0.1:0", "-HTTP", "-cert", "cert.pem", "-key", "key.pem"];
            let mut server = self.ours(suite, &[&arguments[..], &[version, option, suite]].concat())?;
            server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut server = Process(server.spawn()?);
            let lines = BufReader::new(server.0.stdout.take().context("no output")?).lines().map_while(Result::ok);
            let address = lines.filter_map(|line| line.strip_prefix("ACCEPT ").map(str::to_owned)).next();
            let address = address.context("s_server does not listen")?;
            let arguments =
                ["s_client", "-quiet", "-CAfile", "cert.pem", "-verify_return_error", version, option, suite];
            let mut client = self.stock(&arguments);
            client.args(["-connect", address.trim()]);
            client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut client = Process(client.spawn()?);
            let mut input = client.0.stdin.take().context("no input")?;
            input.write_all(b"GET /text HTTP/1.0\r\n\r\n")?;
            let mut received = Vec::new();
            client.0.stdout.take().context("no output")?.read_to_end(&mut received)?;
            if received != self.text {
                bail!("{suite}: {} bytes of {BYTES} came, or others", received.len());
            }
            self.counted(suite, cipher, false).with_context(|| suite)?;
        }
        Ok(format!("{} suites, against the stock client here", suites.len()))
    }
}
