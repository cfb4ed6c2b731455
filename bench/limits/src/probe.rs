//! A loop of instructions, and whether this CPU has them.

/// What instructions wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Nothing: the units bound them.
    Many,
    /// Each for the one before.
    Chain,
}

/// A feature of the CPU, and whether it is there.
pub(crate) struct Need(pub(crate) &'static str, pub(crate) fn() -> bool);

/// A loop of instructions.
pub(crate) struct Probe {
    /// The instruction, or what takes turns.
    pub(crate) name: &'static str,
    /// The width of the vectors.
    pub(crate) bits: u32,
    pub(crate) how: How,
    /// Exactly what the loop's instructions need.
    pub(crate) needs: &'static [Need],
    /// How often a turn does what the name says.
    pub(crate) times: u32,
    /// Takes so many turns, at least one, on [`ROOM`] bytes.
    pub(crate) run: unsafe fn(u64, *mut u8),
}

/// Bytes that a loop may read and write.
pub(crate) const ROOM: usize = 4096;

/// As much memory, on a page of its own.
#[repr(C, align(4096))]
struct Room([u8; ROOM]);

/// A loop whose instructions this CPU has.
pub(crate) struct Ready<'a> {
    probe: &'a Probe,
    room: Box<Room>,
}

impl Probe {
    /// Or the feature that is missing.
    pub(crate) fn ready(&self) -> Result<Ready<'_>, &'static str> {
        match self.needs.iter().find(|Need(_, there)| !there()) {
            Some(Need(name, _)) => Err(name),
            None => Ok(Ready { probe: self, room: Box::new(Room([0; ROOM])) }),
        }
    }
}

impl Ready<'_> {
    /// Takes so many turns, at least one.
    pub(crate) fn run(&mut self, turns: u64) {
        // SAFETY: `Probe::ready` found all that the loop needs; the room has the bytes that it may use, and a loop
        // changes nothing but these and the registers that it names.
        unsafe { (self.probe.run)(turns.max(1), self.room.0.as_mut_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::probes;

    #[test]
    fn what_the_cpu_lacks_is_named_and_not_run() {
        unsafe fn never(_: u64, _: *mut u8) {
            panic!("it was run");
        }
        const NEEDS: &[Need] = &[Need("there", || true), Need("missing", || false)];
        let probe = Probe { name: "", bits: 128, how: How::Many, needs: NEEDS, times: 1, run: never };
        assert_eq!(probe.ready().err(), Some("missing"));
    }

    #[test]
    fn loops_come_back() {
        let mut ran = 0;
        for probe in probes() {
            if let Ok(mut ready) = probe.ready() {
                ready.run(0);
                ready.run(3);
                ran += 1;
            }
        }
        assert!(ran > 0);
    }

    #[test]
    fn every_loop_has_its_name() {
        let probes = probes();
        for (n, probe) in probes.iter().enumerate() {
            let same = |other: &Probe| (other.name, other.bits, other.how) == (probe.name, probe.bits, probe.how);
            assert!(probe.times > 0 && !probes[n + 1..].iter().any(same), "{} {}", probe.name, probe.bits);
        }
    }
}
