//! `cargo xtask cross` and `cargo xtask cpus`: the core on CPUs that nobody here owns.
//!
//! All tests of the core, its self-test and the test vectors of this repository run under qemu's user-mode
//! emulation, on each CPU of a table that says which backends must be found there. An emulated CPU has the
//! instructions of its model and no others: a backend chosen wrongly ends by SIGILL, one that is passed over
//! differs from the table, a test that did not run from the list that this machine has.

pub(crate) mod build;
mod found;
mod job;
mod matrix;
mod reference;
mod report;
pub(crate) mod setup;

use crate::subject;
use anyhow::{Context, Result, ensure};
use found::Found;
use indicatif::{ProgressBar, ProgressStyle};
use job::{Guest, Work};
use matrix::{Case, X86_64};
pub(crate) use matrix::{OTHERS, Target};
use reference::{Expected, Reference};
use report::Report;
use setup::{Origin, Tools};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[derive(clap::Args)]
pub(crate) struct CrossArgs {
    /// Targets, in full or up to the first dash; all unless named
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// Only these CPUs of the targets, separated by commas
    #[arg(long, value_name = "CPU", value_delimiter = ',')]
    cpu: Vec<String>,

    /// Only the cases that CI runs, which cover every backend, and less of the longest tests
    #[arg(long)]
    quick: bool,

    /// Every Nth case of the longest tests [default: 1, or 29 with --quick]
    #[arg(long, value_name = "N")]
    step: Option<std::num::NonZeroUsize>,

    /// More files of test vectors to run, beside those of this repository
    #[arg(long, value_name = "FILE", num_args = 1..)]
    vectors: Vec<PathBuf>,

    /// Where the targets' standard library comes from
    #[arg(long, value_name = "ORIGIN", value_enum, default_value = "any")]
    std: Origin,
}

#[derive(clap::Args)]
pub(crate) struct CpusArgs {
    /// Models as qemu names them, with flags: `Westmere`, `max,-aes`; all unless named
    #[arg(value_name = "MODEL")]
    models: Vec<String>,

    /// Only the cases that CI runs, which cover every backend, and less of the longest tests
    #[arg(long)]
    quick: bool,

    /// Every Nth case of the longest tests [default: 1, or 29 with --quick]
    #[arg(long, value_name = "N")]
    step: Option<std::num::NonZeroUsize>,

    /// More files of test vectors to run, beside those of this repository
    #[arg(long, value_name = "FILE", num_args = 1..)]
    vectors: Vec<PathBuf>,
}

pub(crate) fn cross(args: &CrossArgs) -> Result<()> {
    let named = |target: &&Target, name: &String| target.triple == name || target.architecture() == name;
    for name in &args.targets {
        let known: Vec<_> = OTHERS.iter().map(|t| t.triple).collect();
        ensure!(OTHERS.iter().any(|t| named(&t, name)), "no target {name}; there are: {}", known.join(" "));
    }
    let wanted = |target: &&Target| args.targets.is_empty() || args.targets.iter().any(|name| named(target, name));
    let selection = select(OTHERS.iter().filter(wanted), &args.cpu, args.quick)?;
    run(&selection, step(args.step, args.quick), &args.vectors, args.std)
}

pub(crate) fn cpus(args: &CpusArgs) -> Result<()> {
    let selection = select([&X86_64], &args.models, args.quick)?;
    run(&selection, step(args.step, args.quick), &args.vectors, Origin::Any)
}

fn step(asked: Option<std::num::NonZeroUsize>, quick: bool) -> usize {
    asked.map_or(if quick { QUICK_STEP } else { 1 }, |step| step.get())
}

/// How much of the longest tests the quick set leaves out: see `crates/evariste/tests/shared/effort.rs`.
pub(crate) const QUICK_STEP: usize = 29;

/// Targets with the cases of them that are to run, on these CPUs only, if any are named.
type Selection = Vec<(&'static Target, Vec<&'static Case>)>;

fn select(targets: impl IntoIterator<Item = &'static Target>, cpus: &[String], quick: bool) -> Result<Selection> {
    let targets: Vec<_> = targets.into_iter().collect();
    for cpu in cpus {
        let mut known: Vec<_> = targets.iter().flat_map(|t| t.cases).map(|c| c.cpu).filter(|c| !c.is_empty()).collect();
        known.dedup();
        ensure!(known.contains(&&**cpu), "no CPU {cpu}; there are: {}", known.join(" "));
    }
    let wanted = |case: &&Case| (case.quick || !quick) && (cpus.is_empty() || cpus.iter().any(|cpu| case.cpu == cpu));
    let selection = targets.into_iter().map(|t| (t, t.cases.iter().filter(wanted).collect::<Vec<_>>()));
    let selection: Selection = selection.filter(|(_, cases)| !cases.is_empty()).collect();
    ensure!(!selection.is_empty(), "the quick set has none of these");
    Ok(selection)
}

fn run(selection: &Selection, step: usize, vectors: &[PathBuf], origin: Origin) -> Result<()> {
    let mut targets: Vec<_> = selection.iter().map(|(target, _)| *target).collect();
    let tools = Tools::prepare(&targets, origin)?;
    if !targets.iter().any(|t| t.triple == X86_64.triple) {
        // It says what there is to pass.
        targets.push(&X86_64);
    }
    println!("building for {}", targets.iter().map(|t| t.triple).collect::<Vec<_>>().join(", "));
    let built = build::build(&targets, &tools.std)?;
    let vectors = vector_files(vectors)?;
    let reference = Reference::of(&built[X86_64.triple], &vectors)?;
    let mut guests = Vec::new();
    for (target, case) in selection.iter().flat_map(|(t, cases)| cases.iter().map(|c| (*t, *c))) {
        let dir = subject::target_dir()?.join("cross").join(target.triple);
        let dir = dir.join(format!("{}-{}", case.cpu, case.disable.replace(' ', "-")));
        std::fs::create_dir_all(&dir)?;
        let guest = Guest {
            target,
            case,
            built: &built[target.triple],
            emulator: tools.emulators.of(target),
            libraries: tools.libraries(target, case)?,
            vectors: &vectors,
            step,
            dir,
        };
        guests.push((guest, reference.expected(target, case)));
    }
    let found = run_all(&guests)?;
    let report = Report::new(guests.iter().zip(&found).map(|((guest, expected), found)| (guest, expected, found)));
    report.print();
    ensure!(report.bad == 0, "{} of {} are not as they must be", report.bad, guests.len());
    Ok(())
}

/// The test vectors that this repository has as files, and these.
fn vector_files(more: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let dir = subject::workspace().join("crates/evariste-cli/tests/data").canonicalize()?;
    let mut files = std::fs::read_dir(dir)?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    for file in more {
        files.push(file.canonicalize().with_context(|| file.display().to_string())?);
    }
    Ok(files)
}

/// Runs everything of all cases, as many programs at once as there are cores.
fn run_all(guests: &[(Guest<'_>, Expected)]) -> Result<Vec<Found>> {
    let jobs: Vec<(usize, Work<'_>)> =
        guests.iter().enumerate().flat_map(|(n, (guest, _))| guest.works().map(move |work| (n, work))).collect();
    let next = AtomicUsize::new(0);
    let found: Vec<_> = guests.iter().map(|_| Mutex::new((0, Found::default()))).collect();
    // On a terminal only.
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos} of {len} programs")?;
    let bar = ProgressBar::new(jobs.len() as u64).with_style(style);
    let worker = || -> Result<()> {
        while let Some((n, work)) = jobs.get(next.fetch_add(1, Relaxed)) {
            let (guest, expected) = &guests[*n];
            let ran = guest.run(work)?;
            let mut entry = found[*n].lock().expect("no worker panics");
            entry.0 += 1;
            entry.1.add(work, ran);
            if entry.0 == guest.works().count() {
                bar.suspend(|| println!("{}", report::line(guest, expected, &entry.1)));
            }
            bar.inc(1);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("no worker panics"))
    })?;
    bar.finish_and_clear();
    Ok(found.into_iter().map(|entry| entry.into_inner().expect("no worker panics").1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(selection: &Selection) -> Vec<String> {
        selection
            .iter()
            .flat_map(|(t, cases)| cases.iter().map(|c| format!("{} {} {}", t.architecture(), c.cpu, c.disable)))
            .collect()
    }

    #[test]
    fn cases_are_selected() {
        let all = select(OTHERS, &[], false).expect("some");
        assert_eq!(names(&all).len(), OTHERS.iter().map(|t| t.cases.len()).sum::<usize>());
        let one = select(OTHERS, &["970".into()], false).expect("some");
        assert_eq!(names(&one), ["powerpc64 970 "]);
        let quick = select([&X86_64], &[], true).expect("some");
        assert_eq!(names(&quick).len(), 5);
        let flags = select([&X86_64], &["max,-aes".into()], false).expect("some");
        assert_eq!(names(&flags), ["x86_64 max,-aes "]);
    }

    #[test]
    fn what_selects_nothing_is_refused() {
        assert!(select(OTHERS, &["no such".into()], false).is_err());
        assert!(select(OTHERS, &["neoverse-v1".into()], true).is_err());
        assert!(select(OTHERS, &["".into()], false).is_err());
    }
}
