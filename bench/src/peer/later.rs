//! Libraries newer than the system's, from later suites of Debian, and the C library that they need.
//!
//! Nothing is installed: packages are unpacked into a cache, `$XDG_CACHE_HOME/evariste-bench`. What a later suite
//! has needs its C library, and a process has only one. So this program starts itself again under the dynamic
//! linker that came with the packages. All peers then share that C library.

use anyhow::{Context, Result, bail};
use debian::Suites;
use std::env;
use std::fs::read_dir;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the linker must find by name, in the first suite. The peers themselves are not there: of a name that the
/// system has too, the system's is loaded.
const SUPPORT: &[&str] = &[
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "zlib1g",
    "libzstd1",
    "libgpg-error0",
    "libbz2-1.0",
    "liblzma5",
    "libsqlite3-0",
    "libtspi1",
];

/// Packages without the number of their interface, by suite.
const PEERS: &[(&str, &[&str])] = &[
    ("testing", &["libssl", "libgcrypt", "libnettle", "libipsec-mb", "libmbedcrypto", "libbotan-", "libsodium"]),
    ("experimental", &["libssl"]),
];

/// Headers for what is built here, of the first suite.
const HEADERS: &[&str] = &["libipsec-mb-dev"];

/// How the second start knows of the first one.
const ROOT: &str = "EVARISTE_BENCH_LATER";
const PROGRAM: &str = "EVARISTE_BENCH_PROGRAM";

/// Where the packages are.
pub(crate) struct Later {
    root: PathBuf,
}

/// Fetches what is not there yet, and starts the program again. The second time, it just says where all is.
pub(crate) fn enter() -> Result<Later> {
    if let Some(root) = env::var_os(ROOT) {
        return Ok(Later { root: root.into() });
    }
    let later = Later { root: fetch()? };
    let support = libraries(&later.root.join("support"));
    let linker = files(&support, "ld")?.pop().context("no dynamic linker came with the packages")?;
    let program = env::current_exe()?;
    let mut arguments = env::args_os();
    let error = Command::new(linker)
        .arg("--library-path")
        .arg(support)
        .arg("--argv0")
        .arg(arguments.next().unwrap_or_default())
        .arg(&program)
        .args(arguments)
        .env(ROOT, &later.root)
        .env(PROGRAM, &program)
        .exec();
    bail!("the program cannot be started under the linker of the packages: {error}")
}

/// This program, started again or not.
pub(crate) fn program() -> Result<PathBuf> {
    Ok(env::var_os(PROGRAM).map_or_else(env::current_exe, |program| Ok(program.into()))?)
}

impl Later {
    /// The library's file, or files where several suites have one, oldest interface first.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<PathBuf>> {
        files(&libraries(&self.root.join("peers")), &format!("{name}.so."))
    }

    /// Where headers are.
    pub(crate) fn headers(&self) -> PathBuf {
        self.root.join("peers/usr/include")
    }
}

fn fetch() -> Result<PathBuf> {
    let (cache, architecture) = (debian::cache("evariste-bench")?, debian::own_architecture()?);
    let root = cache.join(format!("later-{architecture}"));
    if root.exists() {
        return Ok(root);
    }
    debian::replace(&root, |dir| {
        let (support, peers) = (dir.join("support"), dir.join("peers"));
        for (n, (suite, prefixes)) in PEERS.iter().enumerate() {
            let suites = Suites::open(&cache, &[suite], &architecture)?;
            let get = |package: &str, to: &Path| {
                debian::unpack(&suites.download(package, &suites.version(package, |_| true)?)?, to)
            };
            if n == 0 {
                SUPPORT.iter().try_for_each(|package| get(package, &support))?;
            }
            // Not every architecture has all: what is missing will be said when it is loaded.
            for package in prefixes.iter().filter_map(|prefix| suites.latest(prefix).ok()) {
                get(&package, &peers)?;
            }
            for package in HEADERS.iter().filter(|_| n == 0) {
                let _ = get(package, &peers);
            }
        }
        Ok(())
    })?;
    Ok(root)
}

/// Where Debian keeps libraries of this architecture.
fn libraries(root: &Path) -> PathBuf {
    let architecture = match env::consts::ARCH {
        "powerpc64" => "powerpc64le",
        other => other,
    };
    root.join(format!("usr/lib/{architecture}-linux-gnu"))
}

/// The files, without links to them, whose names begin so.
fn files(dir: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let entries = read_dir(dir).with_context(|| dir.display().to_string())?;
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect();
    files.retain(|path| path.is_file() && !path.is_symlink());
    files.sort();
    Ok(files)
}
