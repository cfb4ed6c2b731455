//! Debian's packages, of other architectures and releases too, unpacked and not installed.

use super::cache;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Unpacks those of `packages` that `suite` has, as releases name libraries differently, and says where. What
/// is there is not fetched again.
pub(crate) fn unpacked(architecture: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let root = cache()?.join(format!("{suite}-{architecture}-{}", packages[0]));
    let done = root.join(".unpacked");
    if !done.exists() {
        let apt = PrivateApt::new(architecture, suite)?;
        for package in apt.fetch(packages)? {
            run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&root))?;
        }
        fs::write(done, "")?;
    }
    Ok(root)
}

/// What Debian calls this machine's architecture.
pub(crate) fn own_architecture() -> Result<String> {
    let output = Command::new("dpkg").arg("--print-architecture").output().context("dpkg")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// An apt of its own, that knows one architecture of one release. It fetches from where the machine's does.
struct PrivateApt {
    directory: PathBuf,
}

impl PrivateApt {
    fn new(architecture: &str, suite: &str) -> Result<Self> {
        let directory = cache()?.join(format!("apt-{suite}-{architecture}"));
        for folder in ["lists/partial", "cache/archives/partial", "parts", "packages"] {
            fs::create_dir_all(directory.join(folder))?;
        }
        let (mirror, keyring) = (mirror()?, "/usr/share/keyrings/debian-archive-keyring.gpg");
        let source = format!("deb [arch={architecture} signed-by={keyring}] {mirror} {suite} main\n");
        fs::write(directory.join("sources.list"), source)?;
        let path = directory.to_str().context("a path that apt cannot be told")?;
        let settings = format!(
            r#"Dir::State::lists "{path}/lists"; Dir::State::status "/dev/null"; Dir::Cache "{path}/cache";
Dir::Etc::SourceList "{path}/sources.list"; Dir::Etc::SourceParts "{path}/parts";
Dir::Etc::PreferencesParts "{path}/parts"; APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }}; Acquire::Languages "none"; APT::Sandbox::User "root";
"#
        );
        fs::write(directory.join("apt.conf"), settings)?;
        let this = Self { directory };
        run(this.command("apt-get").args(["-qq", "update"]))?;
        Ok(this)
    }

    fn fetch(&self, packages: &[&str]) -> Result<Vec<PathBuf>> {
        let mut there: Vec<&str> = Vec::new();
        for &package in packages {
            let known = self.command("apt-cache").args(["madison", package]).output()?;
            there.extend((!known.stdout.is_empty()).then_some(package));
        }
        ensure!(!there.is_empty(), "none of {packages:?} is there");
        let folder = self.directory.join("packages");
        run(self.command("apt-get").current_dir(&folder).args(["-qq", "download"]).args(there))?;
        Ok(fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.directory.join("apt.conf"));
        command
    }
}

impl Drop for PrivateApt {
    fn drop(&mut self) {
        // What is left is small and does no harm.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Where this machine's apt fetches Debian from.
fn mirror() -> Result<String> {
    let files = |folder: &Path| fs::read_dir(folder).map(|all| all.flatten().map(|e| e.path()).collect::<Vec<_>>());
    let mut all = files(Path::new("/etc/apt/sources.list.d")).unwrap_or_default();
    all.sort();
    all.push("/etc/apt/sources.list".into());
    let texts = all.iter().filter_map(|path| fs::read_to_string(path).ok());
    match texts.filter_map(|text| debian_in(&text)).next() {
        Some(mirror) => Ok(mirror),
        None => bail!("no source of Debian in /etc/apt: this needs Debian"),
    }
}

/// The first address of Debian itself, not of its security updates, in a list of sources of either form.
fn debian_in(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| line.starts_with("URIs:") || line.starts_with("deb "));
    let address = |word: &&str| word.contains("://") && word.trim_end_matches('/').ends_with("/debian");
    lines.flat_map(str::split_whitespace).find(address).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_both_forms_are_read() {
        let of = |text: &str| debian_in(text);
        let found = Some("http://mirror.example/debian".to_owned());
        assert_eq!(of("Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n"), found);
        assert_eq!(of("# deb http://old.example/debian x main\ndeb http://mirror.example/debian x main\n"), found);
        assert_eq!(of("URIs: http://mirror.example/debian-security\n"), None);
    }
}
