//! Which backend: the table, the reasons, and the one decision.

use super::{Imp, portable};
use crate::cpu::{self, Features};
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Code for one set of instructions, which this CPU has.
///
/// A copyable handle; each key keeps the one it was made with.
#[derive(Clone, Copy)]
pub struct Backend(&'static dyn Imp);

impl Backend {
    /// The fastest that this CPU can run, or what `EVARISTE_BACKEND` names: decided at the first call,
    /// for all threads, for good.
    pub fn active() -> Self {
        // One more than the index into `ENTRIES`; 0 before the decision.
        static ACTIVE: AtomicUsize = AtomicUsize::new(0);
        let mut n = ACTIVE.load(Relaxed);
        if n == 0 {
            let ours = 1 + decide();
            n = ACTIVE.compare_exchange(0, ours, Relaxed, Relaxed).map_or_else(|theirs| theirs, |_| ours);
        }
        Self(ENTRIES[n - 1].imp)
    }

    /// Those that this CPU can run, fastest first; `portable` is always among them.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::candidates().filter_map(|c| c.backend.ok())
    }

    /// All that there are for this architecture, fastest first, with the reasons for those that cannot run.
    pub fn candidates() -> impl Iterator<Item = Candidate> {
        order().map(|n| Candidate { name: ENTRIES[n].imp.name(), backend: ENTRIES[n].check() })
    }

    /// The backend of this name, if this CPU can run it.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::available().find(|b| b.name() == name)
    }

    /// `vaes512`, `portable`, …
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    #[inline(always)]
    pub(crate) fn imp(self) -> &'static dyn Imp {
        self.0
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({self})")
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Backend {}

/// A backend that may or may not run here.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: &'static str,
    /// The backend, or why it cannot run.
    pub backend: Result<Backend, Reason>,
}

/// Why a backend cannot run: what the CPU lacks, and what was switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Features that the CPU does not have.
    pub missing: Features,
    /// Features that `EVARISTE_DISABLE` took away.
    pub disabled: Features,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.missing != Features::NONE {
            write!(f, "this CPU lacks {}", self.missing)?;
        }
        if self.disabled != Features::NONE {
            let and = if self.missing == Features::NONE { "" } else { "; " };
            write!(f, "{and}EVARISTE_DISABLE took away {}", self.disabled)?;
        }
        Ok(())
    }
}

/// A line of the table.
pub(crate) struct Entry {
    /// What every instruction in the backend needs.
    pub(crate) needs: Features,
    /// Not to be called where they are missing: only [`check`](Self::check) hands it out.
    pub(crate) imp: &'static dyn Imp,
}

impl Entry {
    /// Runs anywhere: the last of every table.
    pub(super) const PORTABLE: Self = Self { needs: Features::NONE, imp: &portable::Portable };

    fn check(&self) -> Result<Backend, Reason> {
        let missing = self.needs.without(cpu::detected());
        let disabled = self.needs.without(missing).without(cpu::usable());
        if missing == Features::NONE && disabled == Features::NONE {
            Ok(Backend(self.imp))
        } else {
            Err(Reason { missing, disabled })
        }
    }
}

/// Every backend of this architecture, fastest first on most CPUs. A new one is a module and a line there.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::aarch64::ENTRIES;
#[cfg(all(target_arch = "powerpc64", not(target_os = "aix")))]
use super::power::ENTRIES;
#[cfg(target_arch = "x86_64")]
use super::x86_64::ENTRIES;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "powerpc64", not(target_os = "aix"))
)))]
const ENTRIES: &[Entry] = &[Entry::PORTABLE];

/// Indices into [`ENTRIES`], fastest first on this CPU.
fn order() -> impl Iterator<Item = usize> {
    let first_two = if cpu::slow_512() && ENTRIES.len() > 2 { [1, 0] } else { [0, 1] };
    (0..ENTRIES.len()).map(move |n| first_two.get(n).copied().unwrap_or(n))
}

fn decide() -> usize {
    #[cfg(feature = "std")]
    if let Some(name) = cpu::switch("EVARISTE_BACKEND")
        && let Some(n) = order().find(|n| ENTRIES[*n].imp.name() == name && ENTRIES[*n].check().is_ok())
    {
        return n;
    }
    order().find(|n| ENTRIES[*n].check().is_ok()).unwrap_or(ENTRIES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_is_last_and_always_there() {
        assert_eq!(Backend::available().last().map(Backend::name), Some("portable"));
        assert_eq!(Backend::candidates().count(), ENTRIES.len());
        assert!(Backend::available().any(|b| b == Backend::active()));
    }

    #[test]
    fn names_are_unique_and_lead_back() {
        for c in Backend::candidates() {
            assert_eq!(Backend::candidates().filter(|d| d.name == c.name).count(), 1);
            assert_eq!(Backend::by_name(c.name), c.backend.ok());
        }
        assert_eq!(Backend::by_name("no such"), None);
    }

    #[test]
    fn reasons_name_the_features() {
        let r = Reason { missing: Features::AVX512, disabled: Features::AES };
        assert_eq!(std::format!("{r}"), "this CPU lacks avx512; EVARISTE_DISABLE took away aes");
    }
}
