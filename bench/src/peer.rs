//! Implementations, each behind the same call.

mod evariste;
mod foreign;
mod ipsec_mb;
mod later;
mod libgcrypt;
mod nettle;
mod openssl;
#[cfg(not(all(target_arch = "powerpc64", target_endian = "big")))]
mod ring_api;
mod rustcrypto;
mod soft;

use crate::algorithm::{Algorithm, Direction};
use crate::case::{Case, Message};
use ::evariste::Backend;
use anyhow::{Context, Result, anyhow};
use later::Later;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Does all messages of a case.
pub(crate) type Run = Box<dyn FnMut(&mut Case)>;

/// An implementation with its key made, ready to be timed.
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) algorithm: Algorithm,
    pub(crate) direction: Direction,
    pub(crate) run: Run,
}

/// An implementation of some of the algorithms.
pub(crate) trait Library {
    /// As in the tables.
    fn name(&self) -> String;

    /// With the algorithm's key made; none when it does not have the algorithm.
    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run>;

    /// Makes a key and drops it.
    fn key(&self, algorithm: Algorithm) {
        drop(self.run(algorithm, algorithm.directions()[0]));
    }
}

/// Those that come from later suites of Debian.
type LoadLater = fn(&Later) -> Result<Vec<Box<dyn Library>>>;
const LATER: &[(&str, LoadLater)] = &[
    (openssl::NAME, |l| each(l, "libcrypto", openssl::load)),
    (libgcrypt::NAME, |l| each(l, "libgcrypt", libgcrypt::load)),
    (nettle::NAME, |l| each(l, "libnettle", nettle::load)),
    (ipsec_mb::NAME, |l| Ok(vec![ipsec_mb::load(l)?])),
];

fn each(later: &Later, name: &str, load: impl Fn(&OsStr) -> Result<Box<dyn Library>>) -> Result<Vec<Box<dyn Library>>> {
    later.files(name)?.iter().map(|file| load(file.as_ref())).collect()
}

/// Where to build what is built when it is wanted.
fn build_dir() -> Result<PathBuf> {
    let program = later::program()?;
    let dir = program.parent().context("the program is in no directory")?.join("peers");
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// All that this process could get hold of.
pub(crate) struct Libraries {
    pub(crate) loaded: Vec<Box<dyn Library>>,
    /// The others, with the reason.
    pub(crate) missing: Vec<(&'static str, anyhow::Error)>,
}

impl Libraries {
    /// Loads everything; what takes a build only when it is named or nothing is.
    pub(crate) fn load(named: &[String]) -> Self {
        let wanted = LATER.iter().any(|(name, ..)| named.is_empty() || named.iter().any(|n| names(name, n)));
        // Before anything else is loaded: it starts the program again.
        let later = wanted.then(later::enter);
        let mut all = Self { loaded: Vec::new(), missing: Vec::new() };
        all.loaded.push(Box::new(evariste::Evariste { name: "evariste".into(), backend: Backend::active() }));
        for backend in Backend::available() {
            all.loaded.push(Box::new(evariste::Evariste { name: format!("evariste:{backend}"), backend }));
        }
        #[cfg(not(all(target_arch = "powerpc64", target_endian = "big")))]
        all.loaded.extend(ring_api::load());
        #[cfg(all(target_arch = "powerpc64", target_endian = "big"))]
        for name in ["ring", "aws-lc-rs"] {
            all.add(name, Err(anyhow::anyhow!("it has no big-endian POWER")));
        }
        all.loaded.push(Box::new(rustcrypto::RustCrypto));
        // By name, and first: what is loaded later from a file is never taken for what has the same name.
        all.add(openssl::NAME, openssl::load(openssl::SYSTEM.as_ref()));
        all.add(libgcrypt::NAME, libgcrypt::load(libgcrypt::SYSTEM.as_ref()));
        all.add(nettle::NAME, nettle::load(nettle::SYSTEM.as_ref()));
        if named.is_empty() || named.iter().any(|n| n == soft::NAME) {
            all.add(soft::NAME, soft::load());
        }
        if let Some(later) = later {
            all.load_later(later);
        }
        all
    }

    fn load_later(&mut self, later: Result<Later>) {
        for (name, load) in LATER {
            match later.as_ref().map(load) {
                Ok(Ok(libraries)) if !libraries.is_empty() => self.loaded.extend(libraries),
                Ok(Ok(_)) => self.missing.push((name, anyhow!("the later suites have none"))),
                Ok(Err(error)) => self.missing.push((name, error)),
                Err(error) => self.missing.push((name, anyhow!("{error:#}"))),
            }
        }
    }

    /// Whether there could be a library of this name here.
    pub(crate) fn know(&self, name: &str) -> bool {
        let missing = self.missing.iter().any(|(missing, _)| *missing == name);
        missing
            || name == soft::NAME
            || LATER.iter().any(|(later, ..)| names(later, name))
            || self.loaded.iter().any(|l| names(name, &l.name()))
    }

    /// The names of all that are loaded.
    pub(crate) fn names(&self) -> Vec<String> {
        self.loaded.iter().map(|l| l.name()).collect()
    }

    /// Drops those that are not named.
    pub(crate) fn keep(&mut self, named: &[String]) {
        self.loaded.retain(|l| named.iter().any(|n| names(n, &l.name())));
    }

    /// Those that have the algorithm, with their keys made.
    pub(crate) fn peers(&self, algorithm: Algorithm, direction: Direction) -> Vec<Peer> {
        let peer = |l: &dyn Library| {
            let run = l.run(algorithm, direction)?;
            Some(Peer { name: l.name(), algorithm, direction, run })
        };
        self.loaded.iter().filter_map(|l| peer(&**l)).collect()
    }

    fn add(&mut self, name: &'static str, library: Result<Box<dyn Library>>) {
        match library {
            Ok(library) => self.loaded.push(library),
            Err(reason) => self.missing.push((name, reason)),
        }
    }
}

/// What every output is compared with.
pub(crate) fn reference(algorithm: Algorithm, direction: Direction) -> Option<Run> {
    let backend = Backend::by_name("portable")?;
    evariste::Evariste { name: String::new(), backend }.run(algorithm, direction)
}

/// Whether the second is the first, with or without a version behind it.
fn names(name: &str, library: &str) -> bool {
    library.strip_prefix(name).is_some_and(|rest| {
        let version = rest.strip_prefix('-').unwrap_or_default();
        rest.is_empty() || version.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The loop over the messages, compiled for each implementation: the call that is measured may be
/// inlined, as in a caller's program.
fn run(mut message: impl FnMut(Message<'_>) -> bool + 'static) -> Option<Run> {
    Some(Box::new(move |case| case.each(&mut message)))
}
