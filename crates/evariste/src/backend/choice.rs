//! Which backend: the table, the reasons, and the one decision.

use super::{Imp, portable};
use crate::cpu::{self, Features};
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// 0 where nothing was said; one more than an index into [`ENTRIES`] where that was set; from [`DECIDED`] on the
/// decision. All that there is to know is this number, so no order with other memory is needed.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// The decision for the first of [`ENTRIES`].
const DECIDED: usize = 1 << 8;

/// Code for one set of instructions, which this CPU has.
///
/// A copyable handle; each key keeps the one it was made with.
#[derive(Clone, Copy)]
pub struct Backend(&'static dyn Imp);

impl Backend {
    /// The fastest that this CPU can run, what `EVARISTE_BACKEND` names, or what [`set_active`](Self::set_active) was
    /// given: decided at the first call, for all threads, for good. A key for which no backend is named asks for it.
    pub fn active() -> Self {
        let n = match ACTIVE.load(Relaxed) {
            n if n >= DECIDED => n,
            _ => Self::decide(),
        };
        Self(ENTRIES[n - DECIDED].imp)
    }

    /// Makes this one what [`active`](Self::active) answers, instead of the fastest or what `EVARISTE_BACKEND` names. It
    /// can be changed until somebody has asked, which making the first key does.
    ///
    /// # Errors
    /// The backend that was decided on, whichever that is: it stays.
    pub fn set_active(self) -> Result<(), Self> {
        let wish = 1 + ENTRIES.iter().position(|e| e.imp.name() == self.name()).unwrap_or(ENTRIES.len() - 1);
        let change = ACTIVE.fetch_update(Relaxed, Relaxed, |n| (n < DECIDED).then_some(wish));
        change.map(drop).map_err(|n| Self(ENTRIES[n - DECIDED].imp))
    }

    /// Takes what was set, or else chooses, unless another thread is first.
    #[cold]
    fn decide() -> usize {
        let choice = choose();
        let decided = |n| if n == 0 { DECIDED + choice } else { DECIDED + n - 1 };
        let change = ACTIVE.fetch_update(Relaxed, Relaxed, |n| (n < DECIDED).then(|| decided(n)));
        change.map_or_else(|theirs| theirs, decided)
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

fn choose() -> usize {
    #[cfg(feature = "std")]
    if let Some(name) = cpu::switch("EVARISTE_BACKEND")
        && let Some(n) = order().find(|n| name == *ENTRIES[*n].imp.name() && ENTRIES[*n].check().is_ok())
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
    fn decisions_and_wishes_are_told_apart() {
        assert!(ENTRIES.len() < DECIDED);
        let active = Backend::active();
        for b in Backend::available() {
            assert_eq!(b.set_active(), Err(active));
        }
        assert_eq!(Backend::active(), active);
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
