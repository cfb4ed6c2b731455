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

/// What is unpacked from a suite.
#[derive(Debug)]
struct Packages {
    /// None: the system's own.
    suite: Option<&'static str>,
    /// What the linker must find by name. The peers themselves are not there: of a name that the system has too,
    /// the system's is loaded.
    support: &'static [&'static str],
    /// Peers without the number of their interface, which changes.
    peers: &'static [&'static str],
    /// Headers for what is built here. Not every architecture has them.
    headers: &'static [&'static str],
}

const PACKAGES: &[Packages] = &[
    // Botan's, which must do with the system's OpenSSL.
    Packages { suite: None, support: &["libtspi1"], peers: &[], headers: &[] },
    Packages {
        suite: Some("testing"),
        support: &[
            "libc6",
            "libgcc-s1",
            "libstdc++6",
            "zlib1g",
            "libzstd1",
            "libgpg-error0",
            "libbz2-1.0",
            "liblzma5",
            "libsqlite3-0",
        ],
        peers: &["libssl", "libgcrypt", "libnettle", "libipsec-mb", "libmbedcrypto", "libbotan-", "libsodium"],
        headers: &["libipsec-mb-dev"],
    },
    Packages { suite: Some("experimental"), support: &[], peers: &["libssl"], headers: &[] },
];

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

/// Where to build what is built when it is wanted: beside this program, started again or not.
pub(crate) fn build_dir() -> Result<PathBuf> {
    let program = env::var_os(PROGRAM).map_or_else(env::current_exe, |program| Ok(program.into()))?;
    let dir = program.parent().context("the program is in no directory")?.join("peers");
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

impl Later {
    /// The library's file, or files where several suites have one, oldest interface first.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<PathBuf>> {
        files(&libraries(&self.root.join("peers")), &format!("{name}.so."))
    }

    /// Where the sources of a package are; fetches them from this suite where they are not there yet.
    pub(crate) fn sources(&self, package: &str, suite: &str) -> Result<PathBuf> {
        debian::unpacked_sources(&debian::cache("evariste-bench")?, suite, package)
    }

    /// Where headers are.
    pub(crate) fn headers(&self) -> PathBuf {
        self.root.join("peers/usr/include")
    }
}

fn fetch() -> Result<PathBuf> {
    let (cache, architecture) = (debian::cache("evariste-bench")?, debian::own_architecture()?);
    let root = cache.join(format!("later-{architecture}"));
    // What is there may be what an older version of this program wanted.
    let (list, wanted) = ("list", format!("{PACKAGES:?}"));
    if std::fs::read_to_string(root.join(list)).is_ok_and(|there| there == wanted) {
        return Ok(root);
    }
    let own = debian::codename()?;
    debian::replace(&root, |dir| {
        let (support, peers) = (dir.join("support"), dir.join("peers"));
        for packages in PACKAGES {
            let suites = Suites::open(&cache, &[packages.suite.unwrap_or(&own)], &architecture)?;
            let get = |package: &str, to: &Path| {
                debian::unpack(&suites.download(package, &suites.version(package, |_| true)?)?, to)
            };
            packages.support.iter().try_for_each(|package| get(package, &support))?;
            // Not every architecture has all: what is missing will be said when it is loaded.
            let there = packages.peers.iter().filter_map(|prefix| suites.latest(prefix).ok());
            there.into_iter().try_for_each(|package| get(&package, &peers))?;
            for package in packages.headers {
                let _ = get(package, &peers);
            }
        }
        Ok(std::fs::write(dir.join(list), &wanted)?)
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
