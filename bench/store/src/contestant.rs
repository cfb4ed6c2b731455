//! Who takes part, and how each is called.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Way {
    Encrypt,
    Decrypt,
}

pub(crate) enum Contestant {
    /// Copies, whichever way.
    Cp,
    Program(PathBuf, usize),
    Library(usize),
    /// Of the same command line: age, rage.
    Age(&'static str),
    OpenSsl,
}

/// What a command works on.
pub(crate) struct Call<'a> {
    pub(crate) input: &'a Path,
    pub(crate) output: &'a Path,
    /// 32 bytes.
    pub(crate) key: &'a Path,
    /// A key file of age.
    pub(crate) identity: &'a Path,
}

impl Contestant {
    pub(crate) fn all(threads: usize, program: Option<&Path>, require: bool) -> Result<Vec<Self>> {
        let ours = match program.map(Path::to_owned).or_else(built) {
            Some(path) if knows_threads(&path)? => Self::Program(path, threads),
            Some(path) if program.is_some() => bail!("{} has no --threads", path.display()),
            _ => Self::Library(threads),
        };
        println!("evariste is {}", ours.what());
        let mut all = vec![Self::Cp, ours];
        for (peer, version) in
            [(Self::Age("age"), "--version"), (Self::Age("rage"), "--version"), (Self::OpenSsl, "version")]
        {
            match Command::new(peer.name()).arg(version).output() {
                Ok(output) => {
                    let version = String::from_utf8_lossy(&output.stdout);
                    println!("{} is {}", peer.name(), version.trim());
                    all.push(peer);
                }
                Err(error) if require => bail!("{}: {error}", peer.name()),
                Err(error) => eprintln!("left out: {}: {error}", peer.name()),
            }
        }
        Ok(all)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Cp => "cp",
            Self::Program(..) | Self::Library(_) => "evariste",
            Self::Age(name) => name,
            Self::OpenSsl => "openssl",
        }
    }

    /// The command as the table has it.
    pub(crate) fn what(&self) -> String {
        match self {
            Self::Cp => "`cp --reflink=never`".into(),
            Self::Program(_, threads) => format!("`evariste encrypt --raw --threads {threads}`, `decrypt`"),
            Self::Library(threads) => format!("evariste-store, {threads} threads"),
            Self::Age(name) => format!("`{name}`"),
            Self::OpenSsl => "`openssl enc -aes-256-ctr`, unauthenticated".into(),
        }
    }

    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Self::Program(..) | Self::Library(_))
    }

    pub(crate) fn command(&self, way: Way, call: &Call<'_>) -> Result<Command> {
        let encrypts = way == Way::Encrypt;
        let mut command = Command::new(self.name());
        match self {
            Self::Cp => command.arg("--reflink=never").arg(call.input).arg(call.output),
            Self::Program(path, threads) => {
                command = Command::new(path);
                command.args([if encrypts { "encrypt" } else { "decrypt" }, "--raw", "--quiet", "--threads"]);
                command.arg(threads.to_string()).arg("--key").arg(call.key);
                command.arg("--output").arg(call.output).arg(call.input)
            }
            Self::Library(threads) => {
                command = Command::new(std::env::current_exe()?);
                command.args(["library", if encrypts { "encrypt" } else { "decrypt" }]).arg(call.input);
                command.arg(call.output).arg(call.key).arg(threads.to_string())
            }
            Self::Age(_) => {
                if encrypts {
                    command.arg("--recipient").arg(recipient(call.identity)?);
                } else {
                    command.arg("--decrypt").arg("--identity").arg(call.identity);
                }
                command.arg("--output").arg(call.output).arg(call.input)
            }
            Self::OpenSsl => {
                let key: String = std::fs::read(call.key)?.iter().map(|byte| format!("{byte:02x}")).collect();
                command.args(["enc", if encrypts { "-e" } else { "-d" }, "-aes-256-ctr", "-K", &key, "-iv", "00"]);
                command.arg("-in").arg(call.input).arg("-out").arg(call.output)
            }
        };
        Ok(command)
    }
}

/// The release build of the program.
fn built() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| document::path("target"), PathBuf::from);
    Some(target.join("release/evariste")).filter(|path| path.is_file())
}

fn knows_threads(program: &Path) -> Result<bool> {
    let help = Command::new(program).args(["encrypt", "--help"]).output();
    let help = help.with_context(|| program.display().to_string())?;
    Ok(String::from_utf8_lossy(&help.stdout).contains("--threads"))
}

/// A new key file of age, by whichever of the two there is.
pub(crate) fn new_identity(path: &Path) -> Result<bool> {
    for program in ["age-keygen", "rage-keygen"] {
        if let Ok(output) = Command::new(program).arg("-o").arg(path).output() {
            ensure!(output.status.success(), "{program}: {}", output.status);
            return Ok(true);
        }
    }
    Ok(false)
}

fn recipient(identity: &Path) -> Result<String> {
    let text = std::fs::read_to_string(identity)?;
    let key = text.lines().find_map(|line| line.strip_prefix("# public key: "));
    Ok(key.context("a key file without its public key")?.to_owned())
}
