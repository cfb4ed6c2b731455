//! Where the peers' libraries come from.

use crate::guest::{Target, debian};
use std::path::PathBuf;

/// Releases of Debian, the newest last, which have other OpenSSLs: 3.0, 3.5, 3.6.
const SUITES: &[&str] = &["bookworm", "trixie", "sid"];

/// Peers that are libraries of Debian, and their packages.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("openssl", &["libssl3|libssl3t64", "libc6", "libgcc-s1", "zlib1g", "libzstd1"]),
    ("libgcrypt", &["libgcrypt20", "libgpg-error0", "libc6", "libgcc-s1"]),
    ("nettle", &["libnettle8|libnettle8t64", "libc6", "libgcc-s1"]),
];

/// An implementation in one version.
pub(crate) struct Installed<'a> {
    /// What bench calls it.
    pub(crate) peer: &'a str,
    /// Where its libraries are, if not in the program.
    pub(crate) root: Option<PathBuf>,
}

/// Of `PEER` or `PEER:SUITE`: for libraries of Debian, those of all suites, or of the one.
pub(crate) fn installations<'a>(target: &Target, peer: &'a str) -> Vec<Installed<'a>> {
    let (peer, suite) = peer.split_once(':').map_or((peer, None), |(peer, suite)| (peer, Some(suite)));
    let suites = SUITES.iter().filter(|one| suite.is_none_or(|suite| suite == **one));
    match packages(peer) {
        Some(packages) => suites.filter_map(|suite| installation(target, peer, suite, packages)).collect(),
        None => vec![Installed { peer, root: None }],
    }
}

/// A library of Debian in the newest suite that has it.
pub(crate) fn newest<'a>(target: &Target, peer: &'a str) -> Option<Installed<'a>> {
    let packages = packages(peer)?;
    SUITES.iter().rev().find_map(|suite| installation(target, peer, suite, packages))
}

fn packages(peer: &str) -> Option<&'static [&'static str]> {
    LIBRARIES.iter().find(|(name, _)| *name == peer).map(|(_, packages)| *packages)
}

fn installation<'a>(target: &Target, peer: &'a str, suite: &str, packages: &[&str]) -> Option<Installed<'a>> {
    let architecture = target.debian?;
    match debian::unpacked(architecture, suite, packages) {
        Ok(root) => Some(Installed { peer, root: Some(root) }),
        Err(error) => {
            // Mirrors do not have all architectures of all releases all the time.
            eprintln!("{architecture}: no {peer} of {suite}: {error:#}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_of_debian_is_in_the_program() {
        let (target, _) = Target::parse("powerpc64").expect("a target");
        let [ref one] = installations(target, "ring")[..] else { panic!("one") };
        assert!(one.peer == "ring" && one.root.is_none());
        // It has no such architecture.
        assert!(installations(target, "openssl").is_empty());
        assert!(newest(target, "nettle").is_none());
        assert!(newest(target, "ring").is_none());
    }
}
