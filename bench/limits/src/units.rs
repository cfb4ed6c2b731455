//! What was measured of the CPU's units.

use crate::architecture::probes;
use crate::meter::{Job, Meter};
use crate::probe::How;

/// Cycles for one instruction, or for what takes turns.
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    pub(crate) bits: u32,
    pub(crate) how: How,
    /// Or the feature that the CPU lacks.
    pub(crate) cycles: Result<f64, &'static str>,
}

pub(crate) struct Units(pub(crate) Vec<Unit>);

impl Units {
    /// Measures all that the CPU can run.
    pub(crate) fn measure(meter: &mut Meter, rounds: u32) -> Self {
        let probes = probes();
        let mut jobs = Vec::new();
        let mut missing = Vec::new();
        for probe in &probes {
            match probe.ready() {
                Ok(mut ready) => {
                    jobs.push(Job::new(move |turns| ready.run(turns)));
                    missing.push(None);
                }
                Err(feature) => missing.push(Some(feature)),
            }
        }
        meter.measure(&mut jobs, rounds);
        let mut jobs = jobs.iter();
        let unit = |(probe, missing): (&crate::probe::Probe, &Option<&'static str>)| {
            let cycles = match missing {
                Some(feature) => Err(*feature),
                None => Ok(jobs.next().map_or(f64::NAN, Job::cycles) / f64::from(probe.times)),
            };
            Unit { name: probe.name, bits: probe.bits, how: probe.how, cycles }
        };
        Self(probes.iter().zip(&missing).map(unit).collect())
    }

    /// Cycles for one, if it was measured.
    pub(crate) fn cycles(&self, name: &str, bits: u32, how: How) -> Option<f64> {
        self.find(name, bits, how)?.cycles.ok()
    }

    pub(crate) fn find(&self, name: &str, bits: u32, how: How) -> Option<&Unit> {
        self.0.iter().find(|unit| (unit.name, unit.bits, unit.how) == (name, bits, how))
    }

    /// All names, in their order.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for unit in &self.0 {
            if !names.contains(&unit.name) {
                names.push(unit.name);
            }
        }
        names
    }
}
