//! qemu's user-mode emulators.

use super::{on_path, output, replace, say};
use crate::cross::matrix::Target;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest version that knows all CPUs of the matrix, and which the matrix was tried with.
const OLDEST: u32 = 10;

/// Emulators that are new enough.
pub(crate) struct Emulators {
    /// Where they are, or nothing if they are on the path.
    dir: Option<PathBuf>,
}

impl Emulators {
    pub(super) fn prepare(targets: &[&Target], cache: &Path) -> Result<Self> {
        if targets.iter().all(|t| on_path(t.qemu).is_some_and(|p| will_do(&p))) {
            return Ok(Self { dir: None });
        }
        let root = cache.join("qemu");
        let dir = root.join("usr/bin");
        if !targets.iter().all(|t| will_do(&dir.join(t.qemu))) {
            unpack(&root, cache).with_context(|| {
                format!("no qemu-user of version {OLDEST} or later on the path, and none from Debian's backports")
            })?;
        }
        for target in targets {
            ensure!(will_do(&dir.join(target.qemu)), "{} from Debian's backports does not run", target.qemu);
        }
        Ok(Self { dir: Some(dir) })
    }

    /// The program that runs programs of this target.
    pub(crate) fn of(&self, target: &Target) -> PathBuf {
        self.dir.as_ref().map_or_else(|| target.qemu.into(), |dir| dir.join(target.qemu))
    }
}

fn unpack(root: &Path, cache: &Path) -> Result<()> {
    let suite = debian::codename()?;
    let suites = debian::Suites::open(cache, &[&suite, &format!("{suite}-backports")], &debian::own_architecture()?)?;
    let version = suites.version("qemu-user", |v| major(v.rsplit(':').next().unwrap_or(v)) >= Some(OLDEST))?;
    let file = suites.download("qemu-user", &version)?;
    say(&format!("unpacking qemu to {}", root.display()));
    replace(root, |dir| debian::unpack(&file, dir))
}

/// Whether an emulator runs, and is new enough.
fn will_do(program: &Path) -> bool {
    let text = output(Command::new(program).arg("--version")).unwrap_or_default();
    text.split(' ').skip_while(|word| *word != "version").nth(1).and_then(major) >= Some(OLDEST)
}

/// 10 of 10.0.2.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(major("10.0.2+ds-2+deb13u1~bpo12+1"), Some(10));
        assert_eq!(major("7.2"), Some(7));
        assert!(major("none") < Some(OLDEST));
        assert!(!will_do(Path::new("/no/such/program")));
    }
}
