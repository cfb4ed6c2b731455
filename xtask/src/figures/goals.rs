//! What is promised, and whether it holds.

use super::measure::{BIG, CPUS, EVARISTE, FOUNDING, Figures, KEYED, LITTLE, OPERATIONS, PLAIN, Quantity, What};
use crate::model::KEYS;
use Quantity::{Block, Cycles, Key, Message};
use anyhow::{Context, Result, ensure};

/// Algorithm, directions, and at most how much on `power8`, `power9` and `power10`; 0 where nothing is promised.
type Goal = (&'static str, &'static [&'static str], Quantity, [f64; 3]);

const BOTH: &[&str] = &["seal", "open"];

const GOALS: &[Goal] = &[
    ("aes-128-gcm", BOTH, Block, [24.5, 23.5, 21.5]),
    ("aes-128-gcm", BOTH, Cycles, [12.5, 12.2, 6.7]),
    ("aes-256-gcm", BOTH, Block, [28.5; 3]),
    ("aes-256-gcm", BOTH, Cycles, [0.0, 16.2, 0.0]),
    ("aes-128-ctr", &["encrypt"], Block, [15.5; 3]),
    ("ghash", &["hash"], Block, [7.5; 3]),
    ("ghash", &["hash"], Cycles, [0.0, 2.6, 0.0]),
    ("aes-128-gcm", BOTH, Message(64), [600.0; 3]),
    ("aes-128-gcm", BOTH, Message(16), [500.0; 3]),
    // A key in place of another is what a caller with nothing but short messages would make for each of them.
    ("aes-128-gcm", &[""], Key("new"), [1500.0; 3]),
    ("aes-192-gcm", &[""], Key("new"), [1500.0; 3]),
    ("aes-256-gcm", &[""], Key("new"), [1500.0; 3]),
    ("aes-128-gcm", &[""], Key("in-place"), [900.0; 3]),
    ("aes-192-gcm", &[""], Key("in-place"), [900.0; 3]),
    ("aes-256-gcm", &[""], Key("in-place"), [900.0; 3]),
];

/// Big endian over little endian, in all that is counted.
const BYTE_ORDER: f64 = 1.05;

/// How many times as many instructions OpenSSL takes without its code for POWER, for each of `FOUNDING`. These
/// were once measured in time on a POWER8, AES instructions against tables.
const RATIOS: [f64; 2] = [18.0, 31.4];

/// The bound of a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// A goal on one CPU, and what was measured.
pub(crate) struct Verdict {
    pub(crate) section: Section,
    pub(crate) goal: String,
    pub(crate) cpu: &'static str,
    pub(crate) value: f64,
    pub(crate) limit: Limit,
}

/// A table of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Figures,
    ByteOrder,
    Founding,
}

/// All goals on all CPUs; a figure that is not there is an error.
pub(crate) fn verdicts(figures: &Figures) -> Result<Vec<Verdict>> {
    let mut all = Vec::new();
    for &(algorithm, directions, quantity, limits) in GOALS {
        for &direction in directions {
            let what = What { algorithm, direction, quantity };
            for (cpu, limit) in CPUS.into_iter().zip(limits).filter(|(_, limit)| *limit > 0.0) {
                let (goal, value) = (what.to_string(), own(figures, LITTLE, cpu, what)?);
                all.push(Verdict { section: Section::Figures, goal, cpu, value, limit: Limit::AtMost(limit) });
            }
        }
    }
    for what in everything() {
        for cpu in CPUS {
            let value = ratio(own(figures, BIG, cpu, what)?, own(figures, LITTLE, cpu, what)?);
            let (goal, limit) = (what.to_string(), Limit::AtMost(BYTE_ORDER));
            all.push(Verdict { section: Section::ByteOrder, goal, cpu, value, limit });
        }
    }
    all.extend(founding(figures)?);
    Ok(all)
}

/// All instructions that evariste is counted by, and its cycles.
fn everything() -> impl Iterator<Item = What> {
    let messages = OPERATIONS.iter().flat_map(|&(algorithm, direction, short)| {
        let short = short.iter().map(|&size| Message(size));
        let all = [Block].into_iter().chain(short).chain([Cycles]);
        all.map(move |quantity| What { algorithm, direction, quantity })
    });
    let keys = KEYED
        .iter()
        .flat_map(|&algorithm| KEYS.iter().map(move |&how| What { algorithm, direction: "", quantity: Key(how) }));
    messages.chain(keys)
}

fn founding(figures: &Figures) -> Result<Vec<Verdict>> {
    let mut all = Vec::new();
    let without = figures.implementations().into_iter().filter_map(|name| Some((name, name.strip_suffix(PLAIN)?)));
    for (name, version) in without {
        for (&(algorithm, direction), limit) in FOUNDING.iter().zip(RATIOS) {
            let what = What { algorithm, direction, quantity: Block };
            for cpu in CPUS {
                let theirs = figures.get(LITTLE, cpu, name, what);
                let theirs = theirs.with_context(|| format!("no figure of {name} on {cpu}: {what}"))?;
                let value = ratio(theirs, own(figures, LITTLE, cpu, what)?);
                let goal = format!("{}, {}", algorithm.to_uppercase(), version.trim_end_matches(", "));
                all.push(Verdict { section: Section::Founding, goal, cpu, value, limit: Limit::AtLeast(limit) });
            }
        }
    }
    ensure!(!all.is_empty(), "no OpenSSL to compare with");
    Ok(all)
}

fn own(figures: &Figures, target: &str, cpu: &str, what: What) -> Result<f64> {
    let value = figures.get(target, cpu, EVARISTE, what);
    value.with_context(|| format!("no figure of {target}:{cpu}: {what}"))
}

fn ratio(theirs: f64, ours: f64) -> f64 {
    theirs / ours
}

impl Limit {
    pub(crate) fn number(self) -> f64 {
        match self {
            Self::AtMost(limit) | Self::AtLeast(limit) => limit,
        }
    }

    pub(crate) fn is_least(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }

    /// The figure itself counts, not what is printed of it.
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }
}

impl Verdict {
    pub(crate) fn met(&self) -> bool {
        self.limit.holds(self.value)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::measure::Figure;
    use super::*;

    /// Figures that meet all goals: 1 for everything, twice as much as the first ratio and more for OpenSSL.
    pub(crate) fn figures() -> Figures {
        let mut figures = Figures::default();
        let mut put = |target, cpu, implementation: &str, what, value| {
            figures.push(Figure { target, cpu, implementation: implementation.to_owned(), what, value });
        };
        for cpu in CPUS {
            for what in everything() {
                put(LITTLE, cpu, EVARISTE, what, 1.0);
                put(BIG, cpu, EVARISTE, what, 1.0);
            }
            for &(algorithm, direction) in FOUNDING {
                put(LITTLE, cpu, "openssl-3.0, OPENSSL_ppccap=0", What { algorithm, direction, quantity: Block }, 36.0);
            }
        }
        figures
    }

    #[test]
    fn a_goal_is_met_up_to_its_limit() {
        assert!(Limit::AtMost(23.5).holds(23.5) && !Limit::AtMost(23.5).holds(23.5001));
        assert!(Limit::AtLeast(18.0).holds(18.0) && !Limit::AtLeast(18.0).holds(17.9999));
        // What is no number meets nothing.
        assert!(!Limit::AtMost(1.0).holds(f64::NAN) && !Limit::AtLeast(1.0).holds(f64::NAN));
    }

    #[test]
    fn good_figures_meet_all_goals() {
        let all = verdicts(&figures()).expect("figures");
        assert!(all.iter().all(Verdict::met));
        let of = |section| all.iter().filter(|v| v.section == section).count();
        // Two directions of seven goals on three CPUs or one, six keys, CTR and GHASH.
        assert_eq!(of(Section::Figures), 2 * (5 * 3 + 1) + 6 * 3 + 3 + 3 + 1);
        assert_eq!(of(Section::ByteOrder), everything().count() * 3);
        assert_eq!(of(Section::Founding), 6);
    }

    #[test]
    fn the_last_figure_decides_nothing_but_its_own_goal() {
        let mut figures = figures();
        let what = What { algorithm: "aes-128-gcm", direction: "seal", quantity: Block };
        for f in figures.iter_mut().filter(|f| f.implementation == EVARISTE && f.what == what && f.cpu == "power9") {
            f.value = if f.target == BIG { 2.2 } else { 2.1 };
        }
        let missed: Vec<_> = verdicts(&figures).expect("figures").into_iter().filter(|v| !v.met()).collect();
        // 36 / 2.1 < 18, and 2.2 / 2.1 < 1.05.
        let [only] = &missed[..] else { panic!("{} are missed", missed.len()) };
        assert_eq!(
            (only.section, only.goal.as_str(), only.cpu),
            (Section::Founding, "AES-128-GCM, openssl-3.0", "power9")
        );
    }

    #[test]
    fn what_is_not_measured_is_an_error() {
        assert!(verdicts(&Figures::default()).is_err());
    }
}
