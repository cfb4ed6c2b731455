//! Calls without a clock, for an emulator to count their instructions.

use crate::Cli;
use crate::algorithm::{Algorithm, Direction};
use crate::case::Case;
use crate::measure::{checked, prepare};
use crate::peer::{Libraries, Making};
use anyhow::{Result, ensure};

/// The most passes over the messages. So many are always prepared, whether they are run or not: the difference
/// between two runs of this program is that of their calls, and nothing else.
pub(crate) const MOST: u8 = 64;

/// Goes through the messages `passes` times, and says how many messages that were.
pub(crate) fn run(cli: &Cli, passes: u32, libraries: &Libraries) -> Result<()> {
    for (algorithm, direction) in cli.operations() {
        for &size in &cli.size {
            let all = Passes { passes, algorithm, direction, size, aad: cli.aad };
            match cli.keys {
                Some(making) => keys(&all, making, libraries)?,
                None => messages(&all, libraries)?,
            }
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
    let mut case = Case::new(p.size, aad, p.algorithm.batch());
    let start = prepare(&mut case, p.algorithm, p.direction, false)?;
    for mut peer in libraries.peers(p.algorithm, p.direction) {
        case.restore(&start.bytes);
        // Made before anything runs: what copies is not among the loops of the messages then.
        let mut cases: Vec<_> = (0..MOST).map(|_| case.copy()).collect();
        ensure!(checked(&mut peer, &mut case, &start), "{} is wrong: {} {}", peer.name, p.algorithm, p.direction);
        cases.iter_mut().take(p.passes as usize).for_each(|case| (peer.run)(case));
        ensure!(cases.iter().all(|case| !case.failed), "{} fails: {} {}", peer.name, p.algorithm, p.direction);
        p.say(&peer.name, case.messages());
    }
    Ok(())
}

fn keys(p: &Passes, making: Making, libraries: &Libraries) -> Result<()> {
    for library in &libraries.loaded {
        if let Some(mut key) = library.key(p.algorithm, making) {
            let made = (0..p.passes).all(|_| key());
            ensure!(made, "{} makes no key: {}", library.name(), p.algorithm);
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
