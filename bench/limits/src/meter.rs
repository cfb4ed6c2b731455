//! Cycles of the core's own clock.
//!
//! The clock that programs can read runs at a rate of its own, and the core's changes with its load. So pieces of what
//! is measured take turns with pieces of a chain of additions, which take a cycle each on every CPU. Whatever else the
//! machine does only takes time, on a core that shares its units with another as well, so of both the lower quartile
//! counts.

use crate::architecture::{ADDITIONS, additions};
use std::time::{Duration, Instant};

/// Short against the turns in which a system runs its programs: most pieces are not interrupted. Long against what
/// reading the clock takes, and what a loop takes to start.
const PIECE: Duration = Duration::from_micros(20);

/// Of each in a round: a millisecond, in which the clock hardly changes.
const PIECES: usize = 25;

pub(crate) struct Meter {
    /// Additions that last a piece.
    chain: u64,
    /// What reading the clock takes, in nanoseconds.
    clock: f64,
    /// Nanoseconds for a cycle, of all rounds so far.
    cycles: Vec<f64>,
}

/// A job with the number of times that last a piece.
pub(crate) struct Job<'a> {
    run: Box<dyn FnMut(u64) + 'a>,
    times: u64,
    rounds: Vec<f64>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(mut run: impl FnMut(u64) + 'a) -> Self {
        let times = lasting(&mut run);
        Self { run: Box::new(run), times, rounds: Vec::new() }
    }

    /// Cycles for one time: again the lower quartile, of the rounds.
    pub(crate) fn cycles(&self) -> f64 {
        quantile(&mut self.rounds.clone(), 0.25)
    }
}

impl Meter {
    pub(crate) fn new() -> Self {
        let mut clock: Vec<_> = (0..1001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
        Self { chain: lasting(&mut additions), clock: quantile(&mut clock, 0.5), cycles: Vec::new() }
    }

    /// All jobs in turn, so many rounds.
    pub(crate) fn measure(&mut self, jobs: &mut [Job<'_>], rounds: u32) {
        for _ in 0..rounds {
            for job in &mut *jobs {
                let cycles = self.round(job);
                job.rounds.push(cycles);
            }
        }
    }

    /// The core's clock while it was measured.
    pub(crate) fn ghz(&self) -> f64 {
        1.0 / quantile(&mut self.cycles.clone(), 0.5)
    }

    /// Cycles for one time.
    fn round(&mut self, job: &mut Job<'_>) -> f64 {
        let (mut chains, mut pieces) = ([0.0; PIECES], [0.0; PIECES]);
        for (chain, piece) in chains.iter_mut().zip(&mut pieces) {
            *chain = self.time(|| additions(self.chain));
            *piece = self.time(|| (job.run)(job.times));
        }
        let cycle = quantile(&mut chains, 0.25) / (self.chain * ADDITIONS) as f64;
        self.cycles.push(cycle);
        quantile(&mut pieces, 0.25) / cycle / job.times as f64
    }

    fn time(&self, run: impl FnOnce()) -> f64 {
        let began = Instant::now();
        run();
        (began.elapsed().as_nanos() as f64 - self.clock).max(1.0)
    }
}

/// How often something is to be done for a piece.
fn lasting(run: &mut impl FnMut(u64)) -> u64 {
    let mut times = 1;
    loop {
        // The first time finds nothing in the caches, and any may be interrupted.
        let took = [(); 4].map(|()| {
            let began = Instant::now();
            run(times);
            began.elapsed()
        });
        let took = took.into_iter().min().unwrap_or(PIECE);
        if took >= PIECE {
            return ((times as f64 * PIECE.as_secs_f64() / took.as_secs_f64()) as u64).max(times / 2).max(1);
        }
        times *= 2;
    }
}

/// Sorts, and picks the value at this part of the way.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_chains_take_twice_as_long() {
        let mut meter = Meter::new();
        let chains = [1, 2].map(|n| Job::new(move |times| additions(n * times)));
        let mut jobs = chains;
        meter.measure(&mut jobs, 5);
        let [one, two] = jobs.map(|job| job.cycles() / ADDITIONS as f64);
        assert!((0.8..1.3).contains(&one), "{one} cycles for an addition");
        assert!((1.6..2.6).contains(&two), "{two} cycles for two");
        assert!((0.1..20.0).contains(&meter.ghz()), "{} GHz", meter.ghz());
    }
}
