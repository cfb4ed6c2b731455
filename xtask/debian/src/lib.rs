//! Packages of Debian: installed, or unpacked from other suites of the mirror that this machine uses.

mod folder;

use anyhow::{Context, Result, bail, ensure};
pub use folder::{cache, output, replace, say};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs packages, as root or by sudo.
pub fn install(packages: &[String]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    say(&format!("apt-get install {}", packages.join(" ")));
    let done = codename().and_then(|_| {
        // Of several sources one may be out of reach; what matters is whether the packages come.
        let _ = output(as_root().args(["apt-get", "update", "-qq"]));
        let install = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"];
        output(as_root().arg("env").args(install).args(packages))
    });
    done.map(drop).with_context(|| format!("not there and not to be had: {}", packages.join(" ")))
}

fn as_root() -> Command {
    let root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    Command::new(if root { "env" } else { "sudo" })
}

/// What Debian calls this machine's architecture.
pub fn own_architecture() -> Result<String> {
    Ok(output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned())
}

/// Unpacks the file of a package into a folder.
pub fn unpack(file: &Path, dir: &Path) -> Result<()> {
    output(Command::new("dpkg-deb").arg("--extract").arg(file).arg(dir)).map(drop)
}

/// Unpacks packages of a suite into a folder of `cache`, and says which. What releases name differently is written
/// `NAME|OTHER`. What is there is not fetched again.
pub fn unpacked(cache: &Path, architecture: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let first = packages.first().and_then(|names| names.split('|').next()).context("no packages")?;
    let root = cache.join(format!("{suite}-{architecture}-{first}"));
    if !root.exists() {
        // It has what differs from sid only.
        let names: &[&str] = if suite == "experimental" { &["experimental", "sid"] } else { &[suite] };
        let suites = Suites::open(cache, names, architecture)?;
        replace(&root, |dir| {
            for names in packages {
                let found = names.split('|').find_map(|name| Some((name, suites.version(name, |_| true).ok()?)));
                let (name, version) = found.with_context(|| format!("{suite} has no {names} for {architecture}"))?;
                unpack(&suites.download(name, &version)?, dir)?;
            }
            Ok(())
        })?;
    }
    Ok(root)
}

/// Unpacks the sources of a package of a suite into a folder of `cache`, and says which. What is there is not fetched
/// again.
pub fn unpacked_sources(cache: &Path, suite: &str, package: &str) -> Result<PathBuf> {
    let root = cache.join(format!("{package}-{suite}"));
    if !root.exists() {
        let suites = Suites::sources(cache, suite)?;
        let archive = suites.source(package)?;
        let unpack = ["--extract", "--strip-components=1", "--directory"];
        replace(&root, |dir| output(Command::new("tar").args(unpack).arg(dir).arg("--file").arg(archive)).map(drop))?;
    }
    Ok(root)
}

/// Where libraries are in a folder that was unpacked, as a dynamic loader's `--library-path`; `gnu` is what GCC calls the
/// architecture.
pub fn library_path(root: &Path, gnu: &str) -> String {
    let root = root.display();
    format!("{root}/usr/lib/{gnu}:{root}/lib/{gnu}")
}

/// The dynamic loader in such a folder.
pub fn loader(root: &Path, gnu: &str, name: &str) -> Result<PathBuf> {
    let paths = library_path(root, gnu);
    let mut files = paths.split(':').map(|path| Path::new(path).join(name));
    files.find(|path| path.exists()).with_context(|| format!("no {name} in {}", root.display()))
}

/// The name of this release of Debian.
pub fn codename() -> Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value =
        |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(|v| v.trim_matches('"').to_owned());
    ensure!(value("ID=").as_deref() == Some("debian"), "packages are taken from Debian, which this is not");
    value("VERSION_CODENAME=").context("/etc/os-release names no VERSION_CODENAME")
}

/// Suites of the mirror, for one architecture, known to an apt of their own: to the system's they would offer
/// upgrades.
pub struct Suites {
    dir: PathBuf,
    architecture: String,
}

/// Nothing is left of where the mirror is.
impl Drop for Suites {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

impl Suites {
    /// Fetches the lists of packages.
    pub fn open(cache: &Path, names: &[&str], architecture: &str) -> Result<Self> {
        Self::fetch(cache, "deb", names, architecture)
    }

    /// Fetches the list of the packages' sources.
    pub fn sources(cache: &Path, name: &str) -> Result<Self> {
        Self::fetch(cache, "deb-src", &[name], &own_architecture()?)
    }

    fn fetch(cache: &Path, kind: &str, names: &[&str], architecture: &str) -> Result<Self> {
        say(&format!("lists of {} for {architecture}", names.join(", ")));
        let mirror = mirror()?;
        let suites = Self { dir: cache.join("apt"), architecture: architecture.to_owned() };
        if suites.dir.exists() {
            // Of a run that was killed.
            std::fs::remove_dir_all(&suites.dir)?;
        }
        for dir in ["lists", "cache", "parts"] {
            std::fs::create_dir_all(suites.dir.join(dir))?;
        }
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let signed = if Path::new(keys).exists() { format!(" signed-by={keys}") } else { String::new() };
        let options = format!("arch={architecture}{signed}");
        let line = |suite: &&str| format!("{kind} [{options}] {mirror} {suite} main\n");
        std::fs::write(suites.dir.join("sources.list"), names.iter().map(line).collect::<String>())?;
        // A suite may not be there; what counts is whether a package is found in the others.
        let _ = output(suites.apt("apt-get").args(["update", "-qq"]));
        Ok(suites)
    }

    /// The first version of a package that will do, the newest ones first.
    pub fn version(&self, package: &str, will_do: impl Fn(&str) -> bool) -> Result<String> {
        let table = output(self.apt("apt-cache").args(["madison", package]))?;
        let versions: Vec<_> = table.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
        match versions.iter().find(|v| will_do(v)) {
            Some(version) => Ok((*version).to_owned()),
            None => bail!("the mirror has {package} in the versions {versions:?} only"),
        }
    }

    /// The package whose name is `prefix` and the highest numbers: of a library, the latest interface.
    pub fn latest(&self, prefix: &str) -> Result<String> {
        let names = output(self.apt("apt-cache").args(["pkgnames", prefix]))?;
        let latest = names.lines().filter_map(|name| Some((interface(name.strip_prefix(prefix)?)?, name))).max();
        let (_, name) = latest.with_context(|| format!("the mirror has no {prefix} with a number"))?;
        Ok(name.to_owned())
    }

    /// The file of a package.
    pub fn download(&self, package: &str, version: &str) -> Result<PathBuf> {
        say(&format!("{package} {version}"));
        self.get(&["download", "-qq", &format!("{package}={version}")], package)
    }

    /// The archive of a package's sources, as their authors published them.
    pub fn source(&self, package: &str) -> Result<PathBuf> {
        say(&format!("sources of {package}"));
        self.get(&["source", "-qq", "--download-only", "--tar-only", package], package)
    }

    fn get(&self, arguments: &[&str], package: &str) -> Result<PathBuf> {
        let dir = self.dir.join("packages").join(package);
        std::fs::create_dir_all(&dir)?;
        output(self.apt("apt-get").args(arguments).current_dir(&dir))?;
        let file = std::fs::read_dir(&dir)?.next().context("apt-get has downloaded nothing")??;
        Ok(file.path())
    }

    fn apt(&self, program: &str) -> Command {
        let mut apt = Command::new(program);
        for (option, path) in [
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::SourceList", "sources.list"),
            ("Dir::Etc::SourceParts", "parts"),
        ] {
            apt.arg("-o").arg(format!("{option}={}", self.dir.join(path).display()));
        }
        for option in ["APT::Architecture", "APT::Architectures"] {
            apt.arg("-o").arg(format!("{option}={}", self.architecture));
        }
        // What is installed here does not count; root may read folders that apt's own user may not.
        apt.args(["-o", "Dir::State::status=/dev/null"]);
        apt.args(["-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none"]);
        apt
    }
}

/// Where this machine's Debian comes from, as its own apt says.
fn mirror() -> Result<String> {
    let codename = codename()?;
    let ask = || {
        let release = format!("Release: {codename}");
        output(Command::new("apt-get").args([
            "indextargets",
            "--format",
            "$(REPO_URI)",
            "Created-By: Packages",
            &release,
        ]))
    };
    let mut mirrors = ask()?;
    if mirrors.is_empty() {
        // It knows only what it has once seen.
        output(as_root().args(["apt-get", "update", "-qq"]))?;
        mirrors = ask()?;
    }
    let mirror = mirrors.lines().next().with_context(|| format!("no source of apt has {codename}"))?;
    Ok(mirror.to_owned())
}

/// The numbers at the end of a library's package: `3-13`, or `3t64`, which has a later type of time.
fn interface(numbers: &str) -> Option<Vec<u32>> {
    numbers.trim_end_matches("t64").split('-').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::interface;

    #[test]
    fn interfaces_have_numbers() {
        assert_eq!(interface("3t64"), Some(vec![3]));
        assert_eq!(interface("3-13"), Some(vec![3, 13]));
        assert!(interface("3-13") > interface("3-9"));
        for other in ["", "-dev", "3-dev", "crypt20"] {
            assert_eq!(interface(other), None, "{other}");
        }
    }
}
