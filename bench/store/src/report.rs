//! Medians, tables and goals.

use crate::contestant::{Contestant, Way};
use crate::turn::Turn;
use std::time::Duration;

/// What was measured in one place.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) mib: u64,
    pub(crate) figures: Figures,
}

#[derive(Default)]
pub(crate) struct Figures {
    rows: Vec<Row>,
    pub(crate) range: Duration,
}

struct Row {
    name: &'static str,
    what: String,
    ours: bool,
    encrypt: Vec<Turn>,
    decrypt: Vec<Turn>,
}

impl Figures {
    pub(crate) fn add(&mut self, contestant: &Contestant, way: Way, turn: Turn) {
        let name = contestant.name();
        let at = self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            let (what, ours) = (contestant.what(), contestant.is_ours());
            self.rows.push(Row { name, what, ours, encrypt: Vec::new(), decrypt: Vec::new() });
            self.rows.len() - 1
        });
        self.rows[at].turns_mut(way).push(turn);
    }

    fn cp(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == "cp")
    }
}

impl Row {
    fn turns_mut(&mut self, way: Way) -> &mut Vec<Turn> {
        if way == Way::Encrypt { &mut self.encrypt } else { &mut self.decrypt }
    }

    /// The median; of cp all turns, whichever way.
    fn seconds(&self, way: Way) -> f64 {
        let turns = if way == Way::Encrypt { &self.encrypt } else { &self.decrypt };
        let turns = if self.name == "cp" { [&self.encrypt[..], &self.decrypt].concat() } else { turns.clone() };
        let mut times: Vec<f64> = turns.iter().map(|turn| turn.time.as_secs_f64()).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// In MiB.
    fn memory(&self) -> f64 {
        let most = self.encrypt.iter().chain(&self.decrypt).map(|turn| turn.memory).max();
        most.unwrap_or(0) as f64 / 1024.0
    }
}

/// GB/s.
fn rate(mib: u64, seconds: f64) -> f64 {
    (mib << 20) as f64 / seconds / 1e9
}

pub(crate) fn print(place: &Place) {
    println!("\n{} MiB, {}", place.mib, place.name);
    print!("{}", table(place));
}

fn table(place: &Place) -> String {
    let mut table =
        String::from("| | encrypt GB/s | of cp | decrypt GB/s | of cp | memory MiB |\n|---|---|---|---|---|---|\n");
    for row in &place.figures.rows {
        let cells = [Way::Encrypt, Way::Decrypt].map(|way| {
            let seconds = row.seconds(way);
            let share = place.figures.cp().map_or(f64::NAN, |cp| cp.seconds(way) / seconds);
            format!("{:.2} | {:.0} %", rate(place.mib, seconds), 100.0 * share)
        });
        table += &format!("| {} | {} | {:.1} |\n", row.what, cells.join(" | "), row.memory());
    }
    table
}

/// For the document.
pub(crate) fn tables(places: &[Place], rounds: u32, threads: usize) -> String {
    let date = chrono::Utc::now().format("%Y-%m-%d");
    let cpu = evariste::cpu::name();
    let mut text = format!("{cpu}, {date}; {threads} threads, medians of {rounds} rounds.\n");
    for place in places {
        let size = if place.mib.is_multiple_of(1024) {
            format!("{} GiB", place.mib / 1024)
        } else {
            format!("{} MiB", place.mib)
        };
        let micros = place.figures.range.as_secs_f64() * 1e6;
        text += &format!("\nA file of {size}, {}; 4 KiB of it, with opening it: {micros:.0} µs.\n\n", place.name);
        text += &table(place);
    }
    text
}

/// Says of each goal whether it is met; whether all are.
pub(crate) fn goals(places: &[Place]) -> bool {
    let mut all = true;
    let mut goal = |met: bool, what: String| {
        println!("{} {what}", if met { "PASS" } else { "MISS" });
        all &= met;
    };
    for Place { name, figures, .. } in places {
        let Some(ours) = figures.rows.iter().find(|row| row.ours) else { continue };
        for way in [Way::Encrypt, Way::Decrypt] {
            for other in figures.rows.iter().filter(|row| !row.ours) {
                let (ratio, least) =
                    (other.seconds(way) / ours.seconds(way), if other.name == "cp" { 0.7 } else { 2.0 });
                let what = format!("{name}, {way:?}: {ratio:.2} times as fast as {}, at least {least}", other.name);
                goal(ratio >= least, what);
            }
        }
        goal(ours.memory() <= 64.0, format!("{name}: {:.1} MiB of memory, at most 64", ours.memory()));
        let millis = figures.range.as_secs_f64() * 1e3;
        goal(millis <= 10.0, format!("{name}: 4 KiB in {millis:.3} ms, at most 10"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(cp: u64, ours: u64, memory: u64) -> Place {
        let mut figures = Figures { range: Duration::from_millis(1), ..Figures::default() };
        for (contestant, millis) in [(Contestant::Cp, cp), (Contestant::Library(2), ours), (Contestant::OpenSsl, 4000)]
        {
            for way in [Way::Encrypt, Way::Decrypt] {
                for extra in [5000, 0, 0] {
                    figures.add(&contestant, way, Turn { time: Duration::from_millis(millis + extra), memory });
                }
            }
        }
        Place { name: "disk", mib: 1024, figures }
    }

    #[test]
    fn medians_and_shares() {
        let text = tables(&[place(1000, 2000, 2048)], 3, 2);
        assert!(text.contains("| `cp --reflink=never` | 1.07 | 100 % | 1.07 | 100 % | 2.0 |"), "{text}");
        assert!(text.contains("| evariste-store, 2 threads | 0.54 | 50 % | 0.54 | 50 % | 2.0 |"), "{text}");
        assert!(text.contains("A file of 1 GiB, disk; 4 KiB of it, with opening it: 1000 µs."), "{text}");
    }

    #[test]
    fn goals_can_be_missed() {
        assert!(goals(&[place(1000, 1400, 65_536)]));
        assert!(!goals(&[place(1000, 1500, 65_536)]));
        assert!(!goals(&[place(1000, 1400, 65_537)]));
        assert!(!goals(&[place(2000, 2100, 2048)]));
    }
}
