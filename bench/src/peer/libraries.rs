//! Which implementations there are, and where each comes from.

use super::later::{self, Later};
use super::{
    Library, Peer, botan, built, evariste, in_c, libgcrypt, mbedtls, names, nettle, openssl, rustcrypto, sodium,
};
use crate::algorithm::{Algorithm, Direction};
use ::evariste::Backend;
use anyhow::{Error, Result, anyhow};
use std::ffi::OsStr;

/// All that this process could get hold of.
pub(crate) struct Libraries {
    pub(crate) loaded: Vec<Box<dyn Library>>,
    /// The others, with the reason.
    pub(crate) missing: Vec<(&'static str, Error)>,
}

/// The system's, by name.
type Load = fn(&OsStr) -> Result<Box<dyn Library>>;
const SYSTEM: &[(&str, &str, Load)] = &[
    (openssl::NAME, openssl::SYSTEM, openssl::load),
    (libgcrypt::NAME, libgcrypt::SYSTEM, libgcrypt::load),
    (nettle::NAME, nettle::SYSTEM, nettle::load),
];

/// What takes a build; the argument says whether to install what that needs.
type Build = fn(bool) -> Result<Box<dyn Library>>;
const BUILT: &[(&str, Build)] = &[(built::SOFT, |_| built::soft()), (built::BORING, built::boring)];

/// Those from later suites of Debian: one, or one from each suite.
type LoadLater = fn(&Later) -> Result<Vec<Box<dyn Library>>>;
const LATER: &[(&str, LoadLater)] = &[
    (openssl::NAME, |later| each(later, "libcrypto", openssl::load)),
    (libgcrypt::NAME, |later| each(later, "libgcrypt", libgcrypt::load)),
    (nettle::NAME, |later| each(later, "libnettle", nettle::load)),
    (in_c::IPSEC_MB, |later| Ok(vec![in_c::ipsec_mb(later)?])),
    (in_c::WOLFSSL, |later| Ok(vec![in_c::wolfssl(later)?])),
    (mbedtls::NAME, |later| each(later, "libmbedcrypto", mbedtls::load)),
    (botan::NAME, |later| each(later, "libbotan-3", botan::load)),
    (sodium::NAME, |later| each(later, "libsodium", sodium::load)),
];

fn each(later: &Later, name: &str, load: Load) -> Result<Vec<Box<dyn Library>>> {
    later.files(name)?.iter().map(|file| load(file.as_ref())).collect()
}

impl Libraries {
    /// Loads everything, but what takes a build or a download only when it is named or nothing is. Installs what
    /// builds need if so told. What is `fixed` takes nothing from later suites.
    pub(crate) fn load(named: &[String], install: bool, fixed: bool) -> Self {
        let wanted = |name: &str| named.is_empty() || named.iter().any(|n| names(name, n));
        // Before anything else is loaded: it starts the program again.
        let later = (!fixed && LATER.iter().any(|(name, _)| wanted(name))).then(later::enter);
        let mut all = Self { loaded: Vec::new(), missing: Vec::new() };
        all.loaded.push(Box::new(evariste::Evariste { name: "evariste".into(), backend: Backend::active() }));
        for backend in Backend::available() {
            all.loaded.push(Box::new(evariste::Evariste { name: format!("evariste:{backend}"), backend }));
        }
        all.load_linked();
        // By name, and before those of later suites: what has been loaded under a name is taken for the system's.
        for (name, file, load) in SYSTEM {
            all.add(name, load(file.as_ref()));
        }
        for (name, build) in BUILT.iter().filter(|(name, _)| wanted(name)) {
            all.add(name, build(install));
        }
        if let Some(later) = later {
            for (name, load) in LATER.iter().filter(|(name, _)| wanted(name)) {
                all.add_later(name, &later, *load);
            }
        }
        all
    }

    /// Those in this program.
    fn load_linked(&mut self) {
        #[cfg(not(all(target_arch = "powerpc64", target_endian = "big")))]
        self.loaded.extend(super::ring_api::load());
        #[cfg(all(target_arch = "powerpc64", target_endian = "big"))]
        for name in ["ring", "aws-lc-rs"] {
            self.add(name, Err(anyhow!("it has no big-endian POWER")));
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        self.loaded.push(Box::new(super::graviola::Graviola));
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        self.add("graviola", Err(anyhow!("it has no such CPU")));
        self.loaded.push(Box::new(rustcrypto::RustCrypto));
    }

    fn add(&mut self, name: &'static str, library: Result<Box<dyn Library>>) {
        match library {
            Ok(library) => self.loaded.push(library),
            Err(reason) => self.missing.push((name, reason)),
        }
    }

    fn add_later(&mut self, name: &'static str, later: &Result<Later>, load: LoadLater) {
        match later.as_ref().map(load) {
            Ok(Ok(libraries)) if !libraries.is_empty() => self.loaded.extend(libraries),
            Ok(Ok(_)) => self.missing.push((name, anyhow!("later suites of Debian have none"))),
            Ok(Err(error)) => self.missing.push((name, error.context("of later suites of Debian"))),
            Err(error) => self.missing.push((name, anyhow!("of later suites of Debian: {error:#}"))),
        }
    }

    /// Whether there could be a library of this name here.
    pub(crate) fn know(&self, name: &str) -> bool {
        self.names().any(|known| names(&known, name) || names(name, &known))
    }

    /// Whether a library of this name is loaded.
    pub(crate) fn have(&self, name: &str) -> bool {
        self.loaded.iter().any(|library| names(name, &library.name()))
    }

    /// The names of all that are loaded, and of all that could be.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let later = LATER.iter().map(|(name, _)| *name);
        let others = BUILT.iter().map(|(name, _)| *name).chain(later).chain(self.missing.iter().map(|(name, _)| *name));
        let loaded: Vec<_> = self.loaded.iter().map(|library| library.name()).collect();
        let others: Vec<_> = others.filter(|name| !loaded.iter().any(|l| names(name, l))).map(str::to_owned).collect();
        loaded.into_iter().chain(others)
    }

    /// Drops those that are not named.
    pub(crate) fn keep(&mut self, named: &[String]) {
        self.loaded.retain(|l| named.iter().any(|n| names(n, &l.name())));
    }

    /// Those that have the algorithm, with their keys made.
    pub(crate) fn peers(&self, algorithm: Algorithm, direction: Direction) -> Vec<Peer> {
        let peer = |l: &dyn Library| {
            let run = l.run(algorithm, direction)?;
            Some(Peer { name: l.name(), longest: l.longest(algorithm), run })
        };
        self.loaded.iter().filter_map(|l| peer(&**l)).collect()
    }
}
