//! The goals: what evariste must reach beside its peers, by its public interface.

use crate::algorithm::{Algorithm, Direction};
use crate::measure::{Column, Figure, Method};
use crate::peer::Libraries;
use anyhow::Result;
use evariste::{Backend, cpu::Features};

/// The peers of the goals, of those that are not always there.
pub(crate) const PEERS: [&str; 2] = ["rustcrypto-soft", "openssl"];

const LONG: usize = 16 << 10;
const SHORT: usize = 16;

/// Measures and prints each goal; whether all were reached.
pub(crate) fn run(method: &Method, libraries: &Libraries) -> Result<bool> {
    let mut goals = Goals { figures: Vec::new(), all_met: true };
    for (algorithm, enough) in [(Algorithm::Aes128Gcm, 30.0), (Algorithm::Aes256Gcm, 26.0)] {
        for direction in [Direction::Seal, Direction::Open] {
            goals.figures = method.measure(libraries, Column::Steady, (algorithm, direction), &[SHORT, LONG])?;
            goals.gcm(enough);
        }
    }
    goals.figures = method.measure(libraries, Column::Steady, (Algorithm::Aes128Ctr, Direction::Encrypt), &[LONG])?;
    goals.goal("evariste:portable", LONG, Some(LONG as f64 / 0.25), "0.25 GB/s on any CPU");
    goals.portable();
    goals.figures = method.measure(libraries, Column::Steady, (Algorithm::Aes256Ctr, Direction::Encrypt), &[LONG])?;
    goals.portable();
    Ok(goals.all_met)
}

/// The figures of one algorithm and direction, and what came of the goals so far.
struct Goals {
    figures: Vec<Figure>,
    all_met: bool,
}

impl Goals {
    fn gcm(&mut self, enough: f64) {
        let wide = Features::AVX512.and(Features::VAES).and(Features::VPCLMUL);
        if evariste::cpu::usable().contains(wide) {
            let aws = self.ns("aws-lc-rs", LONG).map(|ns| (ns / 1.25).max(LONG as f64 / enough));
            self.goal("evariste", LONG, aws, &format!("the lesser of {enough} GB/s and 1.25 x aws-lc-rs"));
        } else {
            self.inapplicable("evariste", "this CPU lacks AVX-512 or VAES");
        }
        for (backend, peer, factor) in [("vaes256", "ring", 1.2), ("aesni-avx", OPENSSL, 1.3), ("aesni", OPENSSL, 1.1)]
        {
            let name = format!("evariste:{backend}");
            match Backend::candidates().find(|c| c.name == backend).map(|c| c.backend) {
                Some(Err(reason)) => self.inapplicable(&name, &reason.to_string()),
                _ => {
                    let most = self.ns(peer, LONG).map(|ns| ns / factor);
                    self.goal(&name, LONG, most, &format!("{factor} x {peer}"));
                }
            }
        }
        let most = self.ns("aws-lc-rs", SHORT).map(|ns| ns / 4.0);
        self.goal("evariste", SHORT, most, "a quarter of aws-lc-rs's time");
    }

    fn portable(&mut self) {
        let most = self.ns("rustcrypto-soft", LONG).map(|ns| ns * 1.3);
        self.goal("evariste:portable", LONG, most, "1.3 x rustcrypto-soft's time");
    }

    /// A line: a message may take at most so many nanoseconds, which is `rule`.
    fn goal(&mut self, name: &str, size: usize, most: Option<f64>, rule: &str) {
        let ns = self.ns(name, size);
        let met = ns.zip(most).is_some_and(|(ns, most)| ns <= most);
        let both = |ns: Option<f64>| {
            ns.map_or("not measured".into(), |ns| format!("{ns:.1} ns, {:.2} GB/s", size as f64 / ns))
        };
        let text = format!("{}; goal {} ({rule})", both(ns), both(most));
        self.line(if met { "PASS" } else { "MISS" }, name, size, &text);
        self.all_met &= met;
    }

    fn inapplicable(&self, name: &str, reason: &str) {
        self.line("n/a ", name, LONG, reason);
    }

    fn line(&self, verdict: &str, name: &str, size: usize, text: &str) {
        let what = self.figures.first().map_or(String::new(), |f| format!("{} {}", f.algorithm, f.direction));
        println!("{verdict}  {what:<19} {size:>6} B  {name:<18}  {text}");
    }

    fn ns(&self, name: &str, size: usize) -> Option<f64> {
        self.figures.iter().find(|f| f.implementation == name && f.size == size).map(|f| f.ns)
    }
}

/// The peer of the older instruction sets.
const OPENSSL: &str = "openssl-3.0";
