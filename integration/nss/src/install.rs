//! NSS's libraries in a directory of their own, with our library among them.

use anyhow::{Context, Result, bail, ensure};
use evariste_counters::Work;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// An NSS: the system's, or one with our library.
pub struct Nss {
    /// Where its libraries are, if they are not the system's.
    libraries: Option<TempDir>,
    /// What it counted, and what else is its own.
    own: TempDir,
}

impl Nss {
    /// The system's.
    pub fn stock() -> Result<Self> {
        Ok(Self { libraries: None, own: tempfile::tempdir()? })
    }

    /// A copy of the system's with our library, as `evariste doctor nss --into` makes it.
    pub fn ours() -> Result<Self> {
        let to = tempfile::tempdir()?;
        let output = doctor(&["--into", to.path().to_str().context("a name in UTF-8")?])?;
        ensure!(output.status.success(), "doctor nss: {}", told(&output));
        Ok(Self { libraries: Some(to), own: tempfile::tempdir()? })
    }

    /// Its libraries' directory.
    pub fn libraries(&self) -> Result<PathBuf> {
        self.libraries.as_ref().map_or_else(system, |libraries| Ok(libraries.path().to_owned()))
    }

    /// A directory for whatever belongs to it.
    pub fn own(&self) -> &Path {
        self.own.path()
    }

    /// The file that it is told to count in.
    pub fn counters(&self) -> PathBuf {
        self.own.path().join("counters")
    }

    /// A program that will use it, if it uses NSS.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries.path());
        }
        command.env("EVARISTE_NSS_COUNTERS", self.counters()).current_dir(self.own());
        command
    }

    /// Runs a program that must succeed.
    pub fn run(&self, program: &str, args: &[&str]) -> Result<String> {
        let output = self.command(program).args(args).output().with_context(|| program.to_owned())?;
        ensure!(output.status.success(), "{program} {args:?}: {}\n{}", output.status, told(&output));
        Ok(told(&output))
    }

    /// A database with a certificate for localhost, which has signed itself, in `db`, and one for clients, which know no
    /// certificates, in `client`.
    pub fn database(&self) -> Result<()> {
        for database in ["db", "client"] {
            fs::create_dir_all(self.own().join(database))?;
            self.run("certutil", &["-N", "-d", &format!("sql:{database}"), "--empty-password"])?;
        }
        fs::write(self.own().join("noise"), crate::Random::new(std::process::id() as u64).bytes(64))?;
        let new = "-S -d sql:db -n server -s CN=localhost -x -t CTu,Cu,Cu -k rsa -g 2048 -z noise -m 1 -v 12";
        self.run("certutil", &new.split(' ').collect::<Vec<_>>())?;
        Ok(())
    }

    /// Encrypted and decrypted: calls and bytes of text of this algorithm so far.
    pub fn counted(&self, algorithm: &str) -> Result<[u64; 4]> {
        let counters = counters(&self.counters())?;
        counters.get(algorithm).copied().with_context(|| format!("no counter of {algorithm}"))
    }
}

/// All that a program said.
fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A file of counters.
pub fn counters(path: &Path) -> Result<HashMap<String, [u64; 4]>> {
    let all = evariste_counters::read(path).with_context(|| path.display().to_string())?;
    let numbers = |w: [Work; 2]| [w[0].operations, w[0].bytes, w[1].operations, w[1].bytes];
    Ok(all.into_iter().map(|c| (c.algorithm, numbers([c.encrypted, c.decrypted]))).collect())
}

/// Where the system has NSS's libraries.
fn system() -> Result<PathBuf> {
    let triple = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH.replace("powerpc64", "powerpc64le"));
    let places = [&triple, "/usr/lib64", "/usr/lib", "/lib64", "/lib"];
    let found = places.iter().map(Path::new).find(|place| place.join("libfreeblpriv3.so").exists());
    found.map(Path::to_owned).context("no libfreeblpriv3.so: on Debian, install libnss3 and libnss3-tools")
}

/// `evariste doctor nss`, with our library.
pub fn doctor(args: &[&str]) -> Result<Output> {
    let [program, library] = built()?;
    let mut command = Command::new(program);
    command.args(["doctor", "nss"]).args(args);
    // The switches of a test are for what it does with the libraries.
    for (name, _) in std::env::vars_os() {
        if ["NSS_", "EVARISTE_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    if args.contains(&"--into") {
        command.arg("--shim").arg(library);
    }
    Ok(command.output()?)
}

/// Builds the program and our library, once, and says where they are.
fn built() -> Result<[PathBuf; 2]> {
    static BUILT: OnceLock<std::result::Result<[PathBuf; 2], String>> = OnceLock::new();
    BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}"))).clone().map_err(anyhow::Error::msg)
}

fn build() -> Result<[PathBuf; 2]> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "-p", "evariste-nss", "-p", "evariste-cli", "--message-format", "json"]);
    let output = cargo.arg("--manifest-path").arg(manifest).output()?;
    if !output.status.success() {
        bail!("cargo: {}", told(&output));
    }
    let text = String::from_utf8(output.stdout)?;
    let file = |end: &str| text.split('"').find(|word| word.ends_with(end)).map(PathBuf::from);
    let program = file("/release/evariste").context("no program was built")?;
    Ok([program, file("/libevariste_nss.so").context("no library was built")?])
}
