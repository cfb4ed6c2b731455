//! Rounds over all implementations, and their medians.

mod cold;

use crate::algorithm::{Algorithm, Direction};
use crate::case::Case;
use crate::peer::{Libraries, Peer, reference};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::time::{Duration, Instant};

/// How to measure.
pub(crate) struct Method {
    /// Times that all implementations have their turn.
    pub(crate) rounds: usize,
    /// Bytes of additional data.
    pub(crate) aad: usize,
}

/// In which state messages find the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Column {
    /// One message after the other, code in the caches: how many get done
    Steady,
    /// Each nonce is what the message before has written last: how long one takes
    Chained,
    /// Code out of the first-level instruction cache and the branch predictors, before each message
    Cold,
}

impl Column {
    /// Whether messages of this kind say something here: what holds up a short one is lost in a long one.
    fn takes(self, algorithm: Algorithm, size: usize) -> bool {
        const LONGEST: usize = 2048;
        match self {
            Self::Steady => true,
            _ if algorithm.batch() > 1 => false,
            // A running hash has no nonce, and a text must hold one.
            Self::Chained => algorithm != Algorithm::Ghash && (16..=LONGEST).contains(&size),
            Self::Cold => cold::POSSIBLE && size <= LONGEST,
        }
    }
}

/// A turn lasts at least so long, and so many passes that one may be interrupted.
const TURN: Duration = Duration::from_micros(500);
const PASSES: usize = 3;

/// What was measured of one implementation at one size.
#[derive(Clone)]
pub(crate) struct Figure {
    pub(crate) column: Column,
    pub(crate) algorithm: Algorithm,
    pub(crate) direction: Direction,
    pub(crate) implementation: String,
    pub(crate) aad: usize,
    /// Bytes of text, or of data to hash.
    pub(crate) size: usize,
    /// Time for a message: the median of the rounds, and then of the runs.
    pub(crate) ns: f64,
    /// Half the distance between the quartiles, relative to the median: of the rounds, or of several runs.
    pub(crate) spread: f64,
    /// The medians of all runs.
    pub(crate) runs: Vec<f64>,
}

impl Figure {
    pub(crate) fn gbps(&self) -> f64 {
        self.size as f64 / self.ns
    }

    /// Adds a run of the same.
    pub(crate) fn add(&mut self, run: &Self) {
        self.runs.extend(&run.runs);
        (self.ns, self.spread) = middle(&mut self.runs.clone());
    }

    /// How much longer the other takes: the median of the runs.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        let mut ratios: Vec<_> = self.runs.iter().zip(&other.runs).map(|(own, other)| other / own).collect();
        quantile(&mut ratios, 0.5)
    }
}

impl Method {
    /// All implementations at all sizes.
    pub(crate) fn measure(
        &self,
        libraries: &Libraries,
        column: Column,
        (algorithm, direction): (Algorithm, Direction),
        sizes: &[usize],
    ) -> Result<Vec<Figure>> {
        let mut peers = libraries.peers(algorithm, direction);
        let mut figures = Vec::new();
        for &size in sizes.iter().filter(|size| column.takes(algorithm, **size)) {
            let mut able: Vec<_> = peers.iter_mut().filter(|peer| size <= peer.longest).collect();
            figures.extend(self.measure_size(&mut able, column, (algorithm, direction), size)?);
        }
        Ok(figures)
    }

    fn measure_size(
        &self,
        peers: &mut [&mut Peer],
        column: Column,
        (algorithm, direction): (Algorithm, Direction),
        size: usize,
    ) -> Result<Vec<Figure>> {
        let aad = if algorithm.has_aad() { self.aad } else { 0 };
        let mut case = Case::new(size, aad, algorithm.batch());
        let start = prepare(&mut case, algorithm, direction, column == Column::Chained)?;
        for peer in &mut *peers {
            let same = checked(peer, &mut case, &start);
            ensure!(same, "{} is wrong: {algorithm} {direction}, {size} bytes", peer.name);
        }
        let (turn, nothing): (Turn, f64) = match column {
            Column::Cold => (cold::turn, cold::clock()),
            _ => (turn, clock()),
        };
        let mut turns = vec![Vec::with_capacity(self.rounds); peers.len()];
        for round in 0..self.rounds {
            for n in 0..peers.len() {
                // Nobody always follows the same neighbour.
                let n = (n + round) % peers.len();
                let ns = turn(peers[n], &mut case, &start.bytes);
                turns[n].push((ns - nothing) / case.messages() as f64);
            }
        }
        ensure!(!case.failed, "an implementation failed while it was timed: {algorithm} {direction}, {size} bytes");
        let figure = |(peer, mut turns): (&&mut Peer, Vec<f64>)| {
            let (ns, spread) = middle(&mut turns);
            let (implementation, runs) = (peer.name.clone(), vec![ns]);
            Figure { column, algorithm, direction, implementation, aad, size, ns, spread, runs }
        };
        Ok(peers.iter().zip(turns).map(figure).collect())
    }
}

/// The bytes a pass starts from, and those it has to end with.
pub(crate) struct Start {
    pub(crate) bytes: Vec<u8>,
    end: Vec<u8>,
}

/// Has the reference seal what is to be opened, and do once what is to be measured.
pub(crate) fn prepare(case: &mut Case, algorithm: Algorithm, direction: Direction, chained: bool) -> Result<Start> {
    if direction == Direction::Open {
        if chained {
            case.chain_texts();
        }
        by_reference(case, algorithm, Direction::Seal)?;
    }
    if chained {
        case.chain(direction);
    }
    let bytes = case.bytes().to_vec();
    by_reference(case, algorithm, direction)?;
    Ok(Start { bytes, end: case.bytes().to_vec() })
}

fn by_reference(case: &mut Case, algorithm: Algorithm, direction: Direction) -> Result<()> {
    case.finish = true;
    reference(algorithm, direction).context("there is no reference")?(case);
    ensure!(!case.failed, "the reference failed: {algorithm} {direction}");
    Ok(())
}

/// Whether the implementation does what the reference did, to every byte of the case.
pub(crate) fn checked(peer: &mut Peer, case: &mut Case, start: &Start) -> bool {
    case.restore(&start.bytes);
    (case.finish, case.failed, case.some) = (true, false, 0..case.all());
    (peer.run)(case);
    case.finish = false;
    !case.failed && case.bytes() == start.end
}

type Turn = fn(&mut Peer, &mut Case, &[u8]) -> f64;

/// The median time of a pass, in nanoseconds: passes that the system interrupted do not count.
fn turn(peer: &mut Peer, case: &mut Case, start: &[u8]) -> f64 {
    let (mut passes, mut total) = (Vec::new(), Duration::ZERO);
    while total < TURN || passes.len() < PASSES {
        case.restore(start);
        let began = Instant::now();
        (peer.run)(case);
        let took = began.elapsed();
        passes.push(took.as_nanos() as f64);
        total += took;
    }
    quantile(&mut passes, 0.5)
}

/// What a turn would measure of nothing.
fn clock() -> f64 {
    let mut passes: Vec<_> = (0..1001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
    quantile(&mut passes, 0.5)
}

/// The median, and half the distance between the quartiles relative to it.
fn middle(values: &mut [f64]) -> (f64, f64) {
    let median = quantile(values, 0.5);
    (median, (quantile(values, 0.75) - quantile(values, 0.25)) / 2.0 / median)
}

/// Sorts, and picks the value at this part of the way.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}
