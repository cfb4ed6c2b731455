//! Programs and libraries of other architectures and releases, unpacked and not installed.

use super::cache;
use anyhow::Result;
use std::path::PathBuf;

/// Unpacks `packages` of a suite into our cache and says where.
pub(crate) fn unpacked(architecture: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    ::debian::unpacked(&cache()?, architecture, suite, packages)
}
