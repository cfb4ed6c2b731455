//! The provider, built and installed for some programs only.

use crate::Counts;
use anyhow::{Context, Result, anyhow, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The provider as it is released, built when that is not done.
pub fn library() -> Result<&'static Path> {
    Ok(&built()?[0])
}

/// The program `evariste`, too.
pub fn program() -> Result<&'static Path> {
    Ok(&built()?[1])
}

/// Both in one go: built apart, their dependencies have other features, and each call would build anew what the last one
/// has replaced.
fn built() -> Result<&'static [PathBuf; 2]> {
    static BUILT: OnceLock<Result<[PathBuf; 2], String>> = OnceLock::new();
    BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}"))).as_ref().map_err(|error| anyhow!("{error}"))
}

fn build() -> Result<[PathBuf; 2]> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What cargo says of these tests is not about what is built here.
    let own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(own)) {
        cargo.env_remove(name);
    }
    cargo.current_dir(root).args(["build", "--quiet", "--release", "--locked"]);
    cargo.args(["--package", "evariste-openssl", "--package", "evariste-cli"]);
    ensure!(cargo.status().context("cargo")?.success(), "the provider and the program cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let release = target.join("release").canonicalize()?;
    Ok([release.join("libevariste_openssl.so"), release.join("evariste")])
}

/// A directory with the provider, and with configurations of OpenSSL. What it counts goes to files there.
pub struct Installed {
    directory: TempDir,
}

/// How a program is to be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// Our provider is preferred for all that it has.
    Ours,
    /// OpenSSL's default provider is the only one.
    Stock,
}

impl Installed {
    /// A directory of its own, in which `openssl.cnf` names our provider and `stock.cnf` does not.
    pub fn new() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let path = directory.path();
        fs::copy(library()?, path.join("evariste.so"))?;
        fs::write(path.join("stock.cnf"), config("", ""))?;
        fs::write(path.join("openssl.cnf"), config("evariste = evariste\n", "activate = 1\n"))?;
        Ok(Self { directory })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Has a program, which is in the directory then, load our provider, or not. In both cases it is told to which file
    /// the provider would count: what is in there shows that it was not loaded, too.
    pub fn start(&self, command: &mut Command, with: With, counts: &str) {
        let config = match with {
            With::Ours => "openssl.cnf",
            With::Stock => "stock.cnf",
        };
        command.current_dir(self.path()).env("OPENSSL_CONF", self.file(config));
        match with {
            With::Ours => command.env("OPENSSL_MODULES", self.path()),
            With::Stock => command.env_remove("OPENSSL_MODULES"),
        };
        command.env("EVARISTE_OPENSSL_COUNTERS", self.file(counts));
        command.env_remove("EVARISTE_BACKEND").env_remove("EVARISTE_DISABLE");
    }

    /// What was counted into a file.
    pub fn counts(&self, file: &str) -> Result<Counts> {
        Counts::read(&self.file(file))
    }

    /// A certificate for localhost that has signed itself, in `cert.pem`, and its key, in `key.pem`, made without our
    /// provider.
    pub fn certificate(&self, key: Key) -> Result<()> {
        let mut openssl = Command::new("openssl");
        self.start(&mut openssl, With::Stock, "certificate");
        openssl.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-config", "stock.cnf"]);
        openssl.args(["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]);
        openssl.args(match key {
            Key::Rsa => &["-newkey", "rsa:2048"][..],
            Key::Ecdsa => &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        });
        crate::output(&mut openssl).map(drop)
    }
}

/// What a certificate is for.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// Encryption, and older suites of TLS.
    Rsa,
    /// All suites of TLS with CCM.
    Ecdsa,
}

/// What is beside the default provider, and what its section says.
fn config(provider: &str, section: &str) -> String {
    let algorithms = if provider.is_empty() { "" } else { "default_properties = ?provider=evariste\n" };
    format!(
        "openssl_conf = openssl_init\n\n\
         [openssl_init]\nproviders = provider_sect\nalg_section = algorithm_sect\n\n\
         [provider_sect]\ndefault = default_sect\n{provider}\n\
         [default_sect]\nactivate = 1\n\n\
         [evariste]\n{section}\n\
         [algorithm_sect]\n{algorithms}\n\
         [req]\ndistinguished_name = name\n\n[name]\n"
    )
}
