//! Implementations, each behind the same call.

mod evariste;
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
use anyhow::Result;
use clap::ValueEnum;

/// Does all messages of a case.
pub(crate) type Run = Box<dyn FnMut(&mut Case)>;

/// Makes a key; false when that failed.
pub(crate) type Make<'a> = Box<dyn FnMut() -> bool + 'a>;

/// How a key comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Making {
    /// A new one, which is dropped again.
    New,
    /// In the place of another.
    InPlace,
}

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

    /// Makes the algorithm's key once, each time it is called; none when it cannot be made so.
    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        let direction = algorithm.directions()[0];
        let can = making == Making::New && self.run(algorithm, direction).is_some();
        can.then(|| Box::new(move || self.run(algorithm, direction).is_some()) as Make<'_>)
    }
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
        all.add(openssl::NAME, openssl::load());
        all.add(libgcrypt::NAME, libgcrypt::load());
        all.add(nettle::NAME, nettle::load());
        if named.is_empty() || named.iter().any(|n| n == soft::NAME) {
            all.add(soft::NAME, soft::load());
        }
        all
    }

    /// Whether there could be a library of this name here.
    pub(crate) fn know(&self, name: &str) -> bool {
        let missing = self.missing.iter().any(|(missing, _)| *missing == name);
        missing || name == soft::NAME || self.loaded.iter().any(|l| names(name, &l.name()))
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

/// Whether the two are the same, but for a version behind the library's.
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
