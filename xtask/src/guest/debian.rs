//! Programs and libraries of other architectures and releases, unpacked and not installed.

use super::cache;
use crate::cross::setup::replace;
use crate::debian::{Suites, unpack};
use anyhow::{Result, ensure};
use std::path::PathBuf;

/// Unpacks those of `packages` that `suite` has, as releases name libraries differently, and says where. What
/// is there is not fetched again.
pub(crate) fn unpacked(architecture: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let cache = cache()?;
    let root = cache.join(format!("{suite}-{architecture}-{}", packages[0]));
    if !root.exists() {
        let suites = Suites::open(&cache, &[suite], architecture)?;
        replace(&root, |dir| {
            let mut some = false;
            for package in packages {
                if let Ok(version) = suites.version(package, |_| true) {
                    unpack(&suites.download(package, &version)?, dir)?;
                    some = true;
                }
            }
            ensure!(some, "{suite} has none of {packages:?} for {architecture}");
            Ok(())
        })?;
    }
    Ok(root)
}
