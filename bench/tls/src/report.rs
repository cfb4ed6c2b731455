//! Lines, goals and JSON.

use crate::implementation::{CORE, OWN, STOCK};
use crate::turns::Figures;
use anyhow::{Context, Result};
use serde_json::json;
use std::path::Path;

/// Below this, evariste is behind; from here to 1 is a tie.
const TIE: f64 = 0.98;
/// What the adaptation to rustls may take, in nanoseconds.
const OVER_CORE: f64 = 5.0;

/// The figures of a case.
pub(crate) fn line(figures: &Figures) {
    let times = figures.names.iter().filter_map(|name| Some(format!("{name} {:.1}", figures.ns(name)?)));
    let ratios = STOCK.iter().filter_map(|(name, _)| Some(format!("{:.2} x {name}", ratio(figures, name)?)));
    let (times, ratios) = (times.collect::<Vec<_>>().join("  "), ratios.collect::<Vec<_>>().join(", "));
    println!("{:<38} ns: {times}; {ratios}", figures.case.to_string());
}

/// How much longer the other takes.
fn ratio(figures: &Figures, name: &str) -> Option<f64> {
    figures.ratio(OWN, name)
}

/// What rustls's traits and types take.
fn over_core(figures: &Figures) -> Option<f64> {
    figures.difference(CORE, OWN)
}

/// Says what came of the goals; whether all were reached. The adaptation takes the same of a long message as of a short
/// one, but there five nanoseconds are less than what is uncertain.
pub(crate) fn goals(figures: &[Figures]) -> bool {
    let mut met = true;
    let with_goal = || figures.iter().filter(|figures| figures.case.has_goal());
    println!();
    for (name, _) in STOCK {
        let ratios = with_goal().filter_map(|figures| Some((ratio(figures, name)?, figures.case)));
        let Some((ratio, case)) = ratios.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let verdict = match ratio {
            1.0.. => "PASS",
            TIE.. => "TIE ",
            _ => "MISS",
        };
        println!("{verdict} {name}: at least {ratio:.2} x, in {case}");
        met &= ratio >= TIE;
    }
    let short = with_goal().filter(|figures| figures.case.is_short());
    let costs = short.filter_map(|figures| Some((over_core(figures)?, figures.case)));
    if let Some((ns, case)) = costs.max_by(|a, b| a.0.total_cmp(&b.0)) {
        println!(
            "{} core: at most {ns:.1} ns less in what is short, {case}",
            if ns <= OVER_CORE { "PASS" } else { "MISS" }
        );
        met &= ns <= OVER_CORE;
    }
    met
}

/// All figures: one object for a case and implementation.
pub(crate) fn json(all: &[Figures], path: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for figures in all {
        for name in &figures.names {
            let (case, ns) = (figures.case.to_string(), figures.ns(name));
            rows.push(json!({ "case": case, "size": figures.case.size, "implementation": name, "ns": ns }));
        }
    }
    std::fs::write(path, serde_json::to_string_pretty(&rows)? + "\n").with_context(|| path.display().to_string())
}
