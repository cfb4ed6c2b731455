//! Rounds over all implementations, and their medians.

use crate::algorithm::{Algorithm, Direction};
use crate::case::Case;
use crate::peer::{Libraries, Peer, reference};
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};

/// How to measure.
pub(crate) struct Method {
    /// Times that all implementations have their turn.
    pub(crate) rounds: usize,
    /// Bytes of additional data.
    pub(crate) aad: usize,
}

/// A turn lasts at least so long, and so many passes that one may be interrupted.
const TURN: Duration = Duration::from_micros(500);
const PASSES: usize = 3;

/// What was measured of one implementation at one size.
pub(crate) struct Figure {
    pub(crate) algorithm: Algorithm,
    pub(crate) direction: Direction,
    pub(crate) implementation: String,
    pub(crate) aad: usize,
    /// Bytes of text, or of data to hash.
    pub(crate) size: usize,
    /// Time for a message: the median of the rounds.
    pub(crate) ns: f64,
    /// Half the distance between the quartiles, relative to the median.
    pub(crate) spread: f64,
}

impl Figure {
    pub(crate) fn gbps(&self) -> f64 {
        self.size as f64 / self.ns
    }
}

impl Method {
    /// All implementations at all sizes.
    pub(crate) fn measure(
        &self,
        libraries: &Libraries,
        algorithm: Algorithm,
        direction: Direction,
        sizes: &[usize],
    ) -> Result<Vec<Figure>> {
        let mut peers = libraries.peers(algorithm, direction);
        let mut figures = Vec::new();
        for &size in sizes {
            figures.extend(self.measure_size(&mut peers, algorithm, direction, size)?);
        }
        Ok(figures)
    }

    fn measure_size(
        &self,
        peers: &mut [Peer],
        algorithm: Algorithm,
        direction: Direction,
        size: usize,
    ) -> Result<Vec<Figure>> {
        let aad = if algorithm.has_aad() { self.aad } else { 0 };
        let mut case = Case::new(size, aad);
        let start = prepare(&mut case, algorithm, direction)?;
        for peer in &mut *peers {
            let same = checked(peer, &mut case, &start);
            ensure!(same, "{} is wrong: {algorithm} {direction}, {size} bytes", peer.name);
        }
        let clock = clock();
        let mut turns = vec![Vec::with_capacity(self.rounds); peers.len()];
        for round in 0..self.rounds {
            for n in 0..peers.len() {
                // Nobody always follows the same neighbour.
                let n = (n + round) % peers.len();
                let ns = turn(&mut peers[n], &mut case, &start.bytes);
                turns[n].push((ns - clock) / case.messages() as f64);
            }
        }
        ensure!(!case.failed, "an implementation failed while it was timed: {algorithm} {direction}, {size} bytes");
        Ok(peers.iter().zip(turns).map(|(peer, turns)| figure(peer, aad, size, turns)).collect())
    }
}

/// The bytes a pass starts from, and those it has to end with.
pub(crate) struct Start {
    pub(crate) bytes: Vec<u8>,
    end: Vec<u8>,
}

/// Has the reference seal what is to be opened, and do once what is to be measured.
pub(crate) fn prepare(case: &mut Case, algorithm: Algorithm, direction: Direction) -> Result<Start> {
    if direction == Direction::Open {
        by_reference(case, algorithm, Direction::Seal)?;
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
    (case.finish, case.failed) = (true, false);
    (peer.run)(case);
    case.finish = false;
    !case.failed && case.bytes() == start.end
}

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

fn figure(peer: &Peer, aad: usize, size: usize, mut turns: Vec<f64>) -> Figure {
    let ns = quantile(&mut turns, 0.5);
    let spread = (quantile(&mut turns, 0.75) - quantile(&mut turns, 0.25)) / 2.0 / ns;
    let (algorithm, direction, implementation) = (peer.algorithm, peer.direction, peer.name.clone());
    Figure { algorithm, direction, implementation, aad, size, ns, spread }
}

/// Sorts, and picks the value at this part of the way.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}
