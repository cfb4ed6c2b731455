//! One implementation on one CPU: instructions of messages and keys, and its loops.

use super::loops::Loop;
use super::mca::{self, Cycles};
use crate::guest::Guest;
use anyhow::{Context, Result};

/// The length of messages whose loops are looked at: many rounds of even a long loop.
const LONG: usize = 1 << 16;

/// What to measure.
pub(crate) struct Subject<'a> {
    pub(crate) guest: Guest<'a>,
    /// By the name that bench has for it.
    pub(crate) peer: &'a str,
    /// Bytes of additional data in a message.
    pub(crate) aad: usize,
}

/// What a message or a key takes.
pub(crate) struct Count {
    /// The implementation, with its version.
    pub(crate) name: String,
    pub(crate) instructions: f64,
}

/// A loop that long messages are in most of the time, or one of two.
pub(crate) struct Hot {
    pub(crate) name: String,
    /// In a round.
    pub(crate) blocks: f64,
    /// Of all instructions.
    pub(crate) part: f64,
    /// For a block.
    pub(crate) instructions: f64,
    /// For a block, where there is a model.
    pub(crate) cycles: Option<Cycles>,
}

/// Messages that bench went through.
struct Done {
    name: String,
    messages: u64,
}

impl Subject<'_> {
    /// A message of `size` bytes; none if the implementation does not have the algorithm.
    pub(crate) fn message(&self, algorithm: &str, direction: &str, size: usize) -> Result<Option<Count>> {
        self.count(&[], algorithm, direction, size)
    }

    /// A key, made in one of the ways that bench has; it has no direction.
    pub(crate) fn key(&self, algorithm: &str, how: &str) -> Result<Option<Count>> {
        self.count(&[&format!("--keys={how}")], algorithm, directions(algorithm)[0], 16)
    }

    /// The loops of a long message.
    pub(crate) fn loops(&self, algorithm: &str, direction: &str) -> Result<Vec<Hot>> {
        let (printed, pieces) = self.bench("job=blocks", &[], algorithm, direction, LONG, "64")?;
        let Some(Done { name, messages }) = Done::parse(&printed)? else { return Ok(Vec::new()) };
        // As many digits: the same stack.
        let (_, idle) = self.bench("job=blocks", &[], algorithm, direction, LONG, "00")?;
        let hot = |Loop { code, rounds, part }: Loop| {
            let blocks = ((LONG / 16) as f64 / rounds).round().max(1.0);
            let cycles = mca::cycles(&code, self.guest.target, self.guest.cpu)?;
            let cycles = cycles.map(|c| Cycles { cycles: c.cycles / blocks, bound: c.bound / blocks });
            Ok(Hot { name: name.clone(), blocks, part, instructions: code.len() as f64 / blocks, cycles })
        };
        Loop::hottest(&pieces, &idle, messages)?.into_iter().map(hot).collect()
    }

    fn count(&self, options: &[&str], algorithm: &str, direction: &str, size: usize) -> Result<Option<Count>> {
        let run = |calls| -> Result<Option<(Done, u64)>> {
            let (printed, count) = self.bench("job=count", options, algorithm, direction, size, calls)?;
            let count = count.trim().parse()?;
            Ok(Done::parse(&printed)?.map(|done| (done, count)))
        };
        let (Some((few, start)), Some((many, end))) = (run("1")?, run("9")?) else { return Ok(None) };
        let instructions = (end - start) as f64 / (many.messages - few.messages) as f64;
        Ok(Some(Count { name: many.name, instructions }))
    }

    /// What bench and the plugin say.
    fn bench(
        &self,
        job: &str,
        options: &[&str],
        algorithm: &str,
        direction: &str,
        size: usize,
        calls: &str,
    ) -> Result<(String, String)> {
        let (size, aad) = (size.to_string(), self.aad.to_string());
        let mut words = vec!["--calls", calls, "--size", &size, "--aad", &aad];
        words.extend(["--algorithm", algorithm, "--direction", direction, "--peer", self.peer]);
        self.guest.watch(job, &[&words, options].concat())
    }
}

impl Done {
    /// Of `NAME ALGORITHM DIRECTION SIZE: MESSAGES`; none if the implementation does not have the algorithm.
    fn parse(printed: &str) -> Result<Option<Self>> {
        let Some(line) = printed.lines().next() else { return Ok(None) };
        let parts = line.split_once(' ').zip(line.rsplit_once(": "));
        let ((name, _), (_, messages)) = parts.with_context(|| format!("bench says {line}"))?;
        Ok(Some(Self { name: name.to_owned(), messages: messages.parse()? }))
    }
}

/// What bench does with an algorithm.
pub(crate) fn directions(algorithm: &str) -> &'static [&'static str] {
    match algorithm {
        "ghash" | "gmac" => &["hash"],
        _ if algorithm.ends_with("ctr") => &["encrypt"],
        _ => &["seal", "open"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bench_says_is_read() {
        let done = Done::parse("openssl-3.5 aes-128-gcm seal 8192: 448\n").expect("a line").expect("a figure");
        assert_eq!((done.name.as_str(), done.messages), ("openssl-3.5", 448));
        assert!(Done::parse("").expect("no line").is_none());
        assert!(Done::parse("error\n").is_err());
    }
}
