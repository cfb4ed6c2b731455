//! Calls without a clock, for an emulator to count their instructions.

use crate::Cli;
use crate::algorithm::{Algorithm, Direction};
use crate::case::Case;
use crate::measure::{checked, prepare};
use crate::peer::Libraries;
use anyhow::{Result, ensure};

/// The most passes over the messages. So many are always prepared, whether they are run or not: the difference
/// between two runs of this program is that of their calls, and nothing else.
pub(crate) const MOST: u8 = 64;

/// Goes through the messages `passes` times, and says how many messages that were.
pub(crate) fn run(cli: &Cli, passes: u32, libraries: &Libraries) -> Result<()> {
    for (algorithm, direction) in cli.operations() {
        for &size in &cli.size {
            let calls = if cli.keys { keys } else { messages };
            calls(&Passes { passes, algorithm, direction, size, aad: cli.aad }, libraries)?;
        }
    }
    Ok(())
}

struct Passes {
    passes: u32,
    algorithm: Algorithm,
    direction: Direction,
    size: usize,
    aad: usize,
}

fn messages(p: &Passes, libraries: &Libraries) -> Result<()> {
    let aad = if p.algorithm.has_aad() { p.aad } else { 0 };
    let mut case = Case::new(p.size, aad);
    let start = prepare(&mut case, p.algorithm, p.direction, false)?;
    for mut peer in libraries.peers(p.algorithm, p.direction) {
        ensure!(checked(&mut peer, &mut case, &start), "{} is wrong: {} {}", peer.name, p.algorithm, p.direction);
        for pass in 0..MOST.into() {
            case.restore(&start.bytes);
            if pass < p.passes {
                (peer.run)(&mut case);
            }
        }
        p.say(&peer.name, case.messages());
    }
    Ok(())
}

fn keys(p: &Passes, libraries: &Libraries) -> Result<()> {
    for library in &libraries.loaded {
        if library.run(p.algorithm, p.direction).is_some() {
            (0..p.passes).for_each(|_| library.key(p.algorithm));
            p.say(&library.name(), 1);
        }
    }
    Ok(())
}

impl Passes {
    fn say(&self, peer: &str, messages: usize) {
        let Self { passes, algorithm, direction, size, .. } = self;
        println!("{peer} {algorithm} {direction} {size}: {}", *passes as usize * messages);
    }
}
