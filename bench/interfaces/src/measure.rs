//! Rounds in which all take turns.

use crate::messages::{Call, Messages, Runner};
use crate::{Interface, direct};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};

/// What was measured of an interface.
pub(crate) struct Figure {
    interface: &'static str,
    call: Call,
    size: usize,
    /// Nanoseconds for a message: the core's,
    core: f64,
    /// through the interface,
    through: f64,
    /// and what it costs more.
    over: f64,
    goal: f64,
}

/// A turn lasts at least so long: many passes, of which one may be interrupted.
const TURN: Duration = Duration::from_micros(300);
const PASSES: usize = 3;

/// All at one size; the first is the core.
pub(crate) fn measure(
    runners: &mut [(&Interface, Box<dyn Runner>)],
    call: Call,
    size: usize,
    rounds: usize,
) -> Result<Vec<Figure>> {
    let mut messages = Messages::new(size);
    if call.opens() {
        direct::seal(&mut messages)?;
    }
    let start = messages.bytes.clone();
    let mut end = Vec::new();
    for (interface, runner) in &mut *runners {
        messages.bytes.copy_from_slice(&start);
        ensure!(runner.run(&mut messages), "{} failed: {call}, {size} bytes", interface.name);
        if end.is_empty() {
            end.clone_from(&messages.bytes);
        }
        ensure!(messages.bytes == end, "{} is wrong: {call}, {size} bytes", interface.name);
    }
    let nothing = clock();
    let mut turns = vec![Vec::with_capacity(rounds); runners.len()];
    for round in 0..rounds {
        for n in 0..runners.len() {
            // Nobody always follows the same neighbour.
            let n = (n + round) % runners.len();
            turns[n].push((turn(&mut *runners[n].1, &mut messages, &start)? - nothing) / messages.count as f64);
        }
    }
    let (core, others) = turns.split_first().map_or((&[][..], &[][..]), |(core, others)| (core, others));
    let figure = |((interface, _), turns): (&(&Interface, Box<dyn Runner>), &Vec<f64>)| Figure {
        interface: interface.name,
        call,
        size,
        core: median(core.to_vec()),
        through: median(turns.clone()),
        over: median(turns.iter().zip(core).map(|(through, core)| through - core).collect()),
        goal: interface.goal,
    };
    Ok(runners[1..].iter().zip(others).map(figure).collect())
}

/// The median time of a pass, in nanoseconds: those that the system interrupted do not count.
fn turn(runner: &mut dyn Runner, messages: &mut Messages, start: &[u8]) -> Result<f64> {
    let (mut passes, mut total) = (Vec::new(), Duration::ZERO);
    while total < TURN || passes.len() < PASSES {
        messages.bytes.copy_from_slice(start);
        let began = Instant::now();
        let done = runner.run(messages);
        let took = began.elapsed();
        ensure!(done, "failed while it was timed");
        passes.push(took.as_nanos() as f64);
        total += took;
    }
    Ok(median(passes))
}

/// What a pass of nothing takes.
fn clock() -> f64 {
    median((0..1001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Figure {
    /// Of a long message the place of key and text in memory decides more than the call: the core itself takes from 1076
    /// to 1099 ns for 16 KiB, in two runs of one program (Zen 4, 2026-12-01). So 3 % are allowed.
    pub(crate) fn is_met(&self) -> bool {
        self.over <= self.goal.max(0.03 * self.core)
    }

    pub(crate) fn verdict(&self) -> &'static str {
        if self.is_met() { "  PASS" } else { "  MISS" }
    }

    pub(crate) fn json(&self) -> Value {
        let Self { interface, call, size, core, through, over, goal } = self;
        let call = call.to_string();
        json!({ "interface": interface, "call": call, "bytes": size, "core": core, "through": through, "over": over,
            "goal": goal })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { interface, call, size, core, through, over, goal } = self;
        write!(f, "{interface:10} {call:14} {size:6} {core:9.1} {through:9.1} {over:9.1} {goal:6.0}")
    }
}
