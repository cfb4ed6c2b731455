//! Tables, summaries and JSON.

use crate::measure::{Column, Figure};
use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// Below this, evariste is behind; from here to 1 is a tie.
pub(crate) const TIE: f64 = 0.98;

/// Prints the figures of one algorithm and direction: a row for each size, a column for each
/// implementation.
pub(crate) fn table(figures: &[Figure]) {
    let Some(first) = figures.first() else { return };
    let mut names: Vec<&str> = Vec::new();
    for figure in figures {
        if !names.contains(&&*figure.implementation) {
            names.push(&figure.implementation);
        }
    }
    let aad = if first.algorithm.has_aad() { format!(", {} bytes of AAD", first.aad) } else { String::new() };
    println!("\n{}{aad}: ns a message, ± half the distance of the quartiles", title(first));
    rows(figures, &names, |f| format!("{:.1} ±{:>2.0}%", f.ns, f.spread * 100.0));
    println!("{}: GB/s", title(first));
    rows(figures, &names, |f| format!("{:.2}", f.gbps()));
    println!("{}", summary(figures));
}

/// `aes-128-gcm seal`, or `aes-128-gcm seal, cold`.
pub(crate) fn title(figure: &Figure) -> String {
    let column = match figure.column {
        Column::Steady => String::new(),
        other => format!(", {}", column(other)),
    };
    format!("{} {}{column}", figure.algorithm, figure.direction)
}

fn column(column: Column) -> String {
    column.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

fn rows(figures: &[Figure], names: &[&str], cell: impl Fn(&Figure) -> String) {
    const WIDTH: usize = 15;
    let width = |name: &str| name.len().max(WIDTH) + 1;
    print!("{:>8}", "bytes");
    names.iter().for_each(|name| print!("{name:>0$}", width(name)));
    println!();
    for row in figures.chunk_by(|a, b| a.size == b.size) {
        print!("{:>8}", row[0].size);
        for name in names {
            let figure = row.iter().find(|f| f.implementation == *name);
            print!("{:>1$}", figure.map_or("-".into(), &cell), width(name));
        }
        println!();
    }
}

/// Whether this is evariste, on whichever backend.
pub(crate) fn own(figure: &Figure) -> bool {
    figure.implementation.split(':').next() == Some(OWN)
}

/// evariste's automatic choice.
pub(crate) const OWN: &str = "evariste";

/// Where evariste stands worst against the best peer.
fn summary(figures: &[Figure]) -> String {
    let title = title(&figures[0]);
    let ours = figures.iter().filter(|f| f.implementation == OWN);
    let pairs = ours.filter_map(|ours| {
        let peers = figures.iter().filter(|f| f.size == ours.size && !own(f));
        let best = peers.min_by(|a, b| a.ns.total_cmp(&b.ns))?;
        Some((ours.ratio(best), ours, best))
    });
    let Some((ratio, ours, best)) = pairs.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return format!("{title}: no peer to compare with");
    };
    let verdict = match ratio {
        r if r > 1.0 => "ahead",
        r if r >= TIE => "tie",
        _ => "behind",
    };
    format!(
        "{title}: {verdict}; the worst ratio to the best peer is {ratio:.2}, at {} bytes ({:.1} ns, {} {:.1} ns)",
        ours.size, ours.ns, best.implementation, best.ns
    )
}

/// All summaries again, where the eye ends up.
pub(crate) fn summaries(tables: &[Vec<Figure>]) {
    println!("\nevariste against the best peer (> 1: evariste is faster)");
    tables.iter().filter(|t| !t.is_empty()).for_each(|t| println!("{}", summary(t)));
}

/// Writes the figures as one array.
pub(crate) fn json(figures: &[Figure], path: &Path) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        algorithm: &'a str,
        direction: String,
        aad: usize,
        size: usize,
        implementation: &'a str,
        ns: f64,
        gbps: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    }
    let rows: Vec<_> = figures
        .iter()
        .map(|f| Row {
            algorithm: f.algorithm.name(),
            direction: f.direction.to_string(),
            aad: f.aad,
            size: f.size,
            implementation: &f.implementation,
            ns: f.ns,
            gbps: f.gbps(),
            column: (f.column != Column::Steady).then(|| column(f.column)),
        })
        .collect();
    let file = File::create(path).with_context(|| path.display().to_string())?;
    Ok(serde_json::to_writer_pretty(file, &rows)?)
}
