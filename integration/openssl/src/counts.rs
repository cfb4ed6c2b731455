//! What the provider has counted.

use anyhow::{Context, Result, ensure};
use evariste_openssl::counters::{self, Work};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// How much was encrypted and decrypted with each algorithm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, [Work; 2]>);

impl Counts {
    /// Reads a file. None means that no program has loaded the provider.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let all = match counters::read(path) {
            Ok(all) => all,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        Ok(Self(all.into_iter().map(|c| (c.algorithm, [c.encrypted, c.decrypted])).collect()))
    }

    /// What was added to what was there before.
    pub fn since(&self, before: &Self) -> Self {
        let none = Default::default();
        let less = |now: Work, then: Work| Work {
            operations: now.operations - then.operations,
            bytes: now.bytes - then.bytes,
        };
        Self(
            self.0
                .iter()
                .map(|(algorithm, now)| {
                    let then = before.0.get(algorithm).unwrap_or(&none);
                    (algorithm.clone(), [less(now[0], then[0]), less(now[1], then[1])])
                })
                .collect(),
        )
    }

    /// That all these bytes were encrypted by us.
    pub fn encrypted(&self, algorithm: &str, bytes: usize) -> Result<()> {
        self.covers(algorithm, 0, bytes).context("encryption")
    }

    /// That all these bytes were decrypted by us.
    pub fn decrypted(&self, algorithm: &str, bytes: usize) -> Result<()> {
        self.covers(algorithm, 1, bytes).context("decryption")
    }

    fn covers(&self, algorithm: &str, direction: usize, bytes: usize) -> Result<()> {
        let of = self.0.get(algorithm).with_context(|| format!("the provider with {algorithm} was not loaded"))?;
        let by_us = of[direction];
        ensure!(
            by_us.bytes >= bytes as u64 && (bytes == 0 || by_us.operations > 0),
            "{algorithm}: {} bytes of {bytes} were ours, in {} operations",
            by_us.bytes,
            by_us.operations
        );
        Ok(())
    }

    /// That the provider was not loaded at all.
    pub fn nothing(&self) -> Result<()> {
        ensure!(self.0.is_empty(), "the provider was loaded: {:?}", self.0);
        Ok(())
    }
}
