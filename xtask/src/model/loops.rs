//! The hottest loops, put together from the pieces that the plugin saw.

use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A loop runs at least so often in a message, or it is more than a loop.
const ROUNDS: u64 = 16;

/// What is less of all instructions is not looked at.
const LEAST: f64 = 0.1;

/// The instructions between two runs of the same piece of code.
pub(crate) struct Loop {
    /// In the order they run, in hexadecimal.
    pub(crate) code: Vec<String>,
    /// How often it runs in a message.
    pub(crate) rounds: f64,
    /// Which part of all instructions it is.
    pub(crate) part: f64,
}

impl Loop {
    /// Finds the loops that most instructions were in, in the output of the plugin's `job=blocks` for a program
    /// that went through `messages` messages, and for the same one that did everything but that. A mode in two
    /// passes has two.
    pub(crate) fn hottest(output: &str, idle: &str, messages: u64) -> Result<Vec<Self>> {
        let ((mut pieces, last), (idle, _)) = (parse(output)?, parse(idle)?);
        // The reference that outputs are compared with is hotter than what is measured.
        let idle: HashMap<_, _> = idle.values().map(|piece| ((piece.address, &piece.code), piece.runs)).collect();
        for piece in pieces.values_mut() {
            let before = idle.get(&(piece.address, &piece.code)).copied().unwrap_or_default();
            piece.runs = piece.runs.saturating_sub(before);
        }
        let pieces = Pieces { pieces, messages };
        // What comes before the messages and after them counts for nothing.
        let Some(hottest) = pieces.loops(&last).into_iter().max_by_key(|l| l.instructions) else {
            return Ok(Vec::new());
        };
        let last = &last[hottest.span];
        let all = pieces.length(last) as f64;
        let mut found = pieces.loops(last);
        let mut loops = Vec::new();
        while let Some(most) = found.iter().map(|l| l.instructions).max() {
            // A loop within a round of another belongs to that; what a round of many rounds adds does not matter.
            let hot = found.iter().filter(|l| l.instructions * 10 >= most * 9);
            let hottest = hot.min_by_key(|l| (pieces.length(l.way), usize::MAX - l.instructions));
            let Some(&Candidate { way, runs, instructions, .. }) = hottest else { break };
            let part = instructions as f64 / all;
            if part >= LEAST {
                let code = pieces.in_order(way).flat_map(|id| &pieces.pieces[&id].code);
                let code = code.map(|&word| word.to_owned()).collect();
                loops.push(Self { code, rounds: runs as f64 / messages as f64, part });
            }
            found.retain(|other| !other.way.iter().any(|id| way.contains(id)));
        }
        Ok(loops)
    }
}

struct Pieces<'a> {
    pieces: BTreeMap<usize, Piece<'a>>,
    messages: u64,
}

struct Piece<'a> {
    address: &'a str,
    runs: u64,
    code: Vec<&'a str>,
}

/// What may be a loop.
struct Candidate<'a> {
    /// From a piece back to it.
    way: &'a [usize],
    /// How often it ran, and how many instructions that were while it was looked at.
    runs: u64,
    instructions: usize,
    /// From its first run to its last.
    span: Range<usize>,
}

impl Pieces<'_> {
    fn length(&self, ids: &[usize]) -> usize {
        ids.iter().map(|id| self.pieces[id].code.len()).sum()
    }

    /// A loop from its lowest address on: the emulator also cuts where a page ends, wherever that is in a loop, and
    /// models give other cycles to a loop that starts elsewhere.
    fn in_order(&self, way: &[usize]) -> impl Iterator<Item = usize> {
        let first = (0..way.len()).min_by_key(|n| self.pieces[&way[*n]].address).unwrap_or(0);
        way[first..].iter().chain(&way[..first]).copied()
    }

    /// For all hot pieces the way that is taken most from it back to it.
    fn loops<'a>(&self, last: &'a [usize]) -> Vec<Candidate<'a>> {
        let least = self.length(last) as f64 * LEAST / 4.0;
        let mut places = BTreeMap::<usize, Vec<usize>>::new();
        last.iter().enumerate().for_each(|(at, &id)| places.entry(id).or_default().push(at));
        let mut found = Vec::new();
        for (id, at) in places {
            let Piece { runs, ref code, .. } = self.pieces[&id];
            if runs < ROUNDS * self.messages || ((at.len() * code.len()) as f64) < least {
                continue;
            }
            let mut ways = HashMap::<&[usize], usize>::new();
            at.windows(2).for_each(|w| *ways.entry(&last[w[0]..w[1]]).or_default() += 1);
            if let Some((way, times)) = ways.into_iter().max_by_key(|&(way, times)| (times, way)) {
                let (instructions, span) = (times * self.length(way), at[0]..at[at.len() - 1]);
                found.push(Candidate { way, runs, instructions, span });
            }
        }
        found
    }
}

/// The pieces by their numbers, and the last ones that ran.
fn parse(output: &str) -> Result<(BTreeMap<usize, Piece<'_>>, Vec<usize>)> {
    let (mut pieces, mut last) = (BTreeMap::new(), Vec::new());
    for line in output.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("block") => {
                let mut word = || words.next().context("half a line");
                let (id, address, runs) = (word()?.parse()?, word()?, word()?.parse()?);
                pieces.insert(id, Piece { address, runs, code: words.collect() });
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
    fn loops_are_put_together() {
        // Four messages: start 0; twenty rounds of 1, thrice 2, 3; twenty of 4; end 5.
        let message = format!(" 0{}{} 5", " 1 2 2 2 3".repeat(20), " 4".repeat(20)).repeat(4);
        let pieces = "block 0 10 4 aa aa aa\nblock 1 20 80 b0 b1\nblock 2 28 240 c0\nblock 3 2c 80 d0\n\
                      block 4 30 80 e0 e1\nblock 5 38 4 ee\n";
        let output = format!("{pieces}last{message}\n");
        let found = Loop::hottest(&output, "last\n", 4).expect("output");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].code, ["b0", "b1", "c0", "c0", "c0", "d0"]);
        assert_eq!(found[1].code, ["e0", "e1"]);
        assert!(found.iter().all(|l| l.rounds == 20.0));
        assert!(found[0].part > 0.65 && found[0].part < 0.75);

        // The first of them runs as often without a message.
        let idle = "block 7 20 80 b0 b1\nblock 8 28 240 c0\nblock 9 2c 80 d0\nlast 7\n";
        let found = Loop::hottest(&output, idle, 4).expect("output");
        assert_eq!(found.iter().map(|l| l.code.join(" ")).collect::<Vec<_>>(), ["e0 e1"]);
    }

    #[test]
    fn loops_start_at_their_lowest_address() {
        // A loop from 10 on, of which the emulator saw the second half as a piece of its own, and more often.
        let output = format!("block 0 18 41 b0\nblock 1 10 40 a0\nlast 0{}\n", " 1 0".repeat(40));
        let found = Loop::hottest(&output, "last\n", 2).expect("output");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code, ["a0", "b0"]);
    }

    #[test]
    fn what_runs_once_in_a_message_is_no_loop() {
        let output = format!("block 0 10 8 aa\nlast{}\n", " 0".repeat(8));
        assert!(Loop::hottest(&output, "last\n", 8).expect("output").is_empty());
        assert!(Loop::hottest("block 0 10 8 aa\nlast 1\n", "last\n", 1).is_err());
        assert!(Loop::hottest("blok\n", "last\n", 1).is_err());
    }
}
