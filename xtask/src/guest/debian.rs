//! Programs and libraries of other architectures and releases, unpacked and not installed.

use super::cache;
use ::debian::{Suites, replace, unpack};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// Unpacks `packages` of a suite and says where. What releases name differently is written `NAME|OTHER`. What is
/// there is not fetched again.
pub(crate) fn unpacked(architecture: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let cache = cache()?;
    let first = packages[0].split('|').next().unwrap_or_default();
    let root = cache.join(format!("{suite}-{architecture}-{first}"));
    if !root.exists() {
        let suites = Suites::open(&cache, &[suite], architecture)?;
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
