//! Rounds over all implementations, and their medians.

use crate::case::{Buffers, Case};
use crate::implementation::Runner;
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};

/// A turn lasts at least so long, and so many passes that one may be interrupted.
const TURN: Duration = Duration::from_micros(500);
const PASSES: usize = 5;

/// What was measured of a case: for each implementation the nanoseconds for a message in each round.
pub(crate) struct Figures {
    pub(crate) case: Case,
    pub(crate) names: Vec<&'static str>,
    rounds: Vec<Vec<f64>>,
}

impl Figures {
    fn rounds_of(&self, name: &str) -> Option<&[f64]> {
        self.names.iter().position(|has| *has == name).map(|n| &self.rounds[n][..])
    }

    /// The median of the rounds.
    pub(crate) fn ns(&self, name: &str) -> Option<f64> {
        self.rounds_of(name).map(|rounds| median(rounds.to_vec()))
    }

    /// How much longer `b` takes than `a`: the median of the rounds.
    pub(crate) fn ratio(&self, a: &str, b: &str) -> Option<f64> {
        let (a, b) = (self.rounds_of(a)?, self.rounds_of(b)?);
        Some(median(a.iter().zip(b).map(|(a, b)| b / a).collect()))
    }

    /// By how many nanoseconds. Of both the lower quartile of the rounds: what else the machine does only takes time, and
    /// here few are asked for.
    pub(crate) fn difference(&self, a: &str, b: &str) -> Option<f64> {
        let quartile = |name| self.rounds_of(name).map(|rounds| quantile(rounds.to_vec(), 0.25));
        Some(quartile(b)? - quartile(a)?)
    }
}

pub(crate) fn measure(case: Case, (mut runners, mut buffers): (Vec<Runner>, Buffers), rounds: u32) -> Result<Figures> {
    let nothing = median((0..1001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect());
    let mut times = vec![Vec::new(); runners.len()];
    for round in 0..rounds as usize {
        for n in 0..runners.len() {
            // Nobody always follows the same neighbour.
            let n = (n + round) % runners.len();
            times[n].push((turn(&mut runners[n], &mut buffers)? - nothing) / case.messages() as f64);
        }
    }
    ensure!(!buffers.failed, "an implementation failed while it was timed");
    Ok(Figures { case, names: runners.iter().map(|runner| runner.name).collect(), rounds: times })
}

/// The median time of a pass, in nanoseconds.
fn turn(runner: &mut Runner, buffers: &mut Buffers) -> Result<f64> {
    let (mut passes, mut total) = (Vec::new(), Duration::ZERO);
    while total < TURN || passes.len() < PASSES {
        buffers.restore();
        (runner.prepare)()?;
        let began = Instant::now();
        (runner.run)(buffers, None);
        let took = began.elapsed();
        passes.push(took.as_nanos() as f64);
        total += took;
    }
    Ok(median(passes))
}

fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value at this part of the way, of at least one.
fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}
