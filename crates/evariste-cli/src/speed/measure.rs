//! The clock.

use super::job::Job;
use anyhow::{Context, Result};
use std::thread;
use std::time::{Duration, Instant};

/// The time of each job is cut into so many slices, and a figure is the median of them.
const ROUNDS: usize = 9;

/// Shorter than the turns in which a busy system runs its programs, so that most pieces of a slice are
/// free of waiting, as in user time; and far longer than looking at the clock takes.
const PIECE: Duration = Duration::from_millis(1);

/// Nanoseconds per message for each contestant, which is as many equal jobs as there are threads.
///
/// The slices of the contestants take turns, so that whatever else the machine does, or however its
/// clock drifts, meets all alike. They are long enough for the clock rate to settle, which on some CPUs
/// depends on the width of the vectors.
pub(crate) fn measure(contestants: &mut [Vec<Box<dyn Job>>], time: Duration) -> Result<Vec<f64>> {
    let slice = time / ROUNDS as u32;
    let mut rates = vec![Vec::with_capacity(ROUNDS); contestants.len()];
    for _ in 0..ROUNDS {
        for (jobs, rates) in contestants.iter_mut().zip(&mut rates) {
            rates.push(together(jobs, slice)?);
        }
    }
    Ok(rates.iter_mut().map(|rates| 1.0 / median(rates)).collect())
}

/// Messages per nanosecond: of one thread, the median of its pieces; of several, which may have to wait
/// for each other, the sum over all of the time from a common start.
fn together(jobs: &mut [Box<dyn Job>], slice: Duration) -> Result<f64> {
    if let [job] = jobs {
        let start = Instant::now();
        let mut rates = vec![alone(job.as_mut(), PIECE.min(slice))];
        while start.elapsed() < slice {
            rates.push(alone(job.as_mut(), PIECE.min(slice)));
        }
        return Ok(median(&mut rates));
    }
    // Time enough to start them all; a barrier would wait for ever for a thread that cannot be made.
    let start = Instant::now() + Duration::from_micros(100) * jobs.len() as u32;
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(jobs.len());
        for job in jobs {
            threads.push(thread::Builder::new().spawn_scoped(scope, move || {
                while Instant::now() < start {
                    std::hint::spin_loop();
                }
                alone(job.as_mut(), slice)
            })?);
        }
        threads.into_iter().map(|t| t.join().ok().context("a thread panicked")).sum()
    })
}

/// Messages per nanosecond.
fn alone(job: &mut dyn Job, slice: Duration) -> f64 {
    let (mut done, mut more) = (0, 1);
    let start = Instant::now();
    loop {
        job.run(more);
        done += more;
        let elapsed = start.elapsed();
        let Some(left) = slice.checked_sub(elapsed).filter(|left| !left.is_zero()) else {
            return done as f64 / elapsed.as_nanos() as f64;
        };
        // As many again, or as the rest of the time will hold: few looks at the clock, little overrun.
        more = done.min(1 + (done as f64 * left.as_secs_f64() / elapsed.as_secs_f64()) as u64);
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a millisecond for each message.
    struct Sleeper;

    impl Job for Sleeper {
        fn once(&mut self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }

        fn run(&mut self, times: u64) {
            thread::sleep(Duration::from_millis(times));
        }
    }

    #[test]
    fn time_per_message_and_sum_over_threads() {
        let sleepers = |n| (0..n).map(|_| Box::new(Sleeper) as Box<dyn Job>).collect();
        let ns = measure(&mut [sleepers(1), sleepers(4)], Duration::from_millis(90));
        let [one, four] = ns.unwrap_or_default()[..] else { panic!("two figures") };
        assert!(one >= 1e6, "{one}");
        assert!(four >= 0.25e6 && four < one / 2.0, "{four} of {one}");
    }
}
