//! The hottest loop, put together from the pieces that the plugin saw.

use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, HashMap};

/// A loop runs at least so often in a message, or it is more than a loop.
const ROUNDS: u64 = 16;

/// The instructions between two runs of the same piece of code.
pub(crate) struct Loop {
    /// In the order they run, in hexadecimal.
    pub(crate) code: Vec<String>,
    /// How often it runs in a message.
    pub(crate) rounds: f64,
    /// Which part of all instructions it is.
    pub(crate) part: f64,
}

struct Piece<'a> {
    runs: u64,
    code: Vec<&'a str>,
}

impl Loop {
    /// Finds the loop that most instructions were in, in the output of the plugin's `job=blocks` for a program
    /// that went through `messages` messages.
    pub(crate) fn hottest(output: &str, messages: u64) -> Result<Option<Self>> {
        let (pieces, last) = parse(output)?;
        let length = |ids: &[usize]| ids.iter().map(|id| pieces[id].code.len()).sum::<usize>();
        let all = length(&last);
        let mut places = BTreeMap::<usize, Vec<usize>>::new();
        last.iter().enumerate().for_each(|(at, &id)| places.entry(id).or_default().push(at));
        let mut found = Vec::new();
        for (id, at) in places {
            let Piece { runs, code } = &pieces[&id];
            // A hot loop has a hot piece.
            if *runs < ROUNDS * messages || at.len() * code.len() * 20 < all {
                continue;
            }
            // Of all ways from a piece back to it, the one taken most.
            let mut ways = HashMap::<&[usize], usize>::new();
            at.windows(2).for_each(|w| *ways.entry(&last[w[0]..w[1]]).or_default() += 1);
            if let Some((way, times)) = ways.into_iter().max_by_key(|&(way, times)| (times, way)) {
                found.push((times * length(way), way, *runs));
            }
        }
        // A loop within a round of another belongs to that; what a round of many rounds adds does not matter.
        let most = found.iter().map(|(instructions, ..)| *instructions).max().unwrap_or_default();
        let hot = found.into_iter().filter(|(instructions, ..)| instructions * 10 >= most * 9);
        let hottest = hot.min_by_key(|&(instructions, way, _)| (length(way), usize::MAX - instructions));
        Ok(hottest.map(|(instructions, way, runs)| Self {
            code: way.iter().flat_map(|id| &pieces[id].code).map(|&word| word.to_owned()).collect(),
            rounds: runs as f64 / messages as f64,
            part: instructions as f64 / all as f64,
        }))
    }
}

/// The pieces by their numbers, and the last ones that ran.
fn parse(output: &str) -> Result<(BTreeMap<usize, Piece<'_>>, Vec<usize>)> {
    let (mut pieces, mut last) = (BTreeMap::new(), Vec::new());
    for line in output.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("block") => {
                let mut number = || words.next().context("half a line").map(str::to_owned);
                let (id, _address, runs) = (number()?.parse()?, number()?, number()?.parse()?);
                pieces.insert(id, Piece { runs, code: words.collect() });
            }
            Some("last") => last = words.map(str::parse).collect::<Result<_, _>>()?,
            _ => bail!("the plugin says {line}"),
        }
    }
    ensure!(last.iter().all(|id| pieces.contains_key(id)), "a piece that is not described");
    Ok((pieces, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_put_together() {
        // Two messages: start 0; twenty rounds of 1, thrice 2, 3; end 4.
        let message = format!(" 0{} 4", " 1 2 2 2 3".repeat(20));
        let pieces =
            "block 0 10 2 aa aa aa\nblock 1 20 40 b0 b1\nblock 2 28 120 c0\nblock 3 2c 40 d0\nblock 4 30 2 ee\n";
        let found = Loop::hottest(&format!("{pieces}last{message}{message}\n"), 2).expect("output").expect("a loop");
        assert_eq!(found.code, ["b0", "b1", "c0", "c0", "c0", "d0"]);
        assert_eq!(found.rounds, 20.0);
        assert!(found.part > 0.75 && found.part < 1.0);
    }

    #[test]
    fn what_runs_once_in_a_message_is_no_loop() {
        let output = format!("block 0 10 8 aa\nlast{}\n", " 0".repeat(8));
        assert!(Loop::hottest(&output, 8).expect("output").is_none());
        assert!(Loop::hottest("block 0 10 8 aa\nlast 1\n", 1).is_err());
        assert!(Loop::hottest("blok\n", 1).is_err());
    }
}
