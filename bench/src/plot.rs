//! The chart: a panel for each algorithm, direction and column, with the times of all peers relative to evariste's.

use crate::measure::Figure;
use crate::report::{OWN, own, title};
use anyhow::{Context, Result};
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use std::path::Path;

const PANEL: (u32, u32) = (520, 360);
const COLUMNS: usize = 2;
const HEAD: u32 = 44;
const LEGEND: u32 = 24;

/// The lowest and the highest ratio in a panel: who takes longer is at its edge.
const RANGE: (f64, f64) = (0.25, 16.0);

/// Draws what has been measured of several peers.
pub(crate) fn write(tables: &[Vec<Figure>], path: &Path) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    for figure in tables.iter().flatten().filter(|figure| !own(figure)) {
        if !names.contains(&&*figure.implementation) {
            names.push(&figure.implementation);
        }
    }
    let tables: Vec<_> = tables.iter().filter(|table| !table.is_empty()).collect();
    let rows = tables.len().div_ceil(COLUMNS) as u32;
    let legend = LEGEND * names.len().div_ceil(LEGEND_COLUMNS) as u32 + LEGEND;
    let size = (PANEL.0 * COLUMNS as u32, HEAD + rows * PANEL.1 + legend);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let cpu = evariste::cpu::name();
        let root =
            root.titled(&format!("Time relative to evariste's, {cpu}: above 1, evariste is faster"), font(18))?;
        let (panels, legend) = root.split_vertically(rows * PANEL.1);
        for (area, table) in panels.split_evenly((rows as usize, COLUMNS)).iter().zip(tables) {
            panel(area, table, &names)?;
        }
        draw_legend(&legend, &names)?;
        root.present()?;
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area<'_>, table: &[Figure], names: &[&str]) -> Result<()> {
    let sizes = || table.iter().map(|figure| figure.size as f64);
    let (least, most) = (sizes().fold(f64::MAX, f64::min), sizes().fold(0.0, f64::max));
    let range = (least / 1.2..most * 1.2).log_scale().with_key_points(labels(table));
    let ratios = (RANGE.0..RANGE.1).log_scale().with_key_points(vec![0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(title(&table[0]), font(15))
        .x_label_area_size(28)
        .y_label_area_size(36)
        .build_cartesian_2d(range, ratios)?;
    (chart.configure_mesh())
        .max_light_lines(0)
        .label_style(font(12))
        .x_label_formatter(&|size| short(*size as usize))
        .y_label_formatter(&|ratio| ratio.to_string())
        .draw()?;
    chart.draw_series([PathElement::new(vec![(least, 1.0), (most, 1.0)], BLACK.stroke_width(2))])?;
    for (n, name) in names.iter().enumerate() {
        let of = |figure: &&Figure| figure.implementation == *name;
        let ours = |size| table.iter().find(|figure| figure.implementation == OWN && figure.size == size);
        let point = |figure: &Figure| {
            let ratio = ours(figure.size)?.ratio(figure);
            Some((figure.size as f64, ratio.clamp(RANGE.0, RANGE.1)))
        };
        let points: Vec<_> = table.iter().filter(of).filter_map(point).collect();
        chart.draw_series(points.iter().map(|at| Circle::new(*at, 2, colour(n).filled())))?;
        chart.draw_series([PathElement::new(points, colour(n).stroke_width(1))])?;
    }
    Ok(())
}

const LEGEND_COLUMNS: usize = 5;

fn draw_legend(area: &Area<'_>, names: &[&str]) -> Result<()> {
    let width = PANEL.0 as i32 * COLUMNS as i32 / LEGEND_COLUMNS as i32;
    for (n, name) in names.iter().enumerate() {
        let (x, y) = ((n % LEGEND_COLUMNS) as i32 * width + 16, (n / LEGEND_COLUMNS) as i32 * LEGEND as i32 + 8);
        area.draw(&PathElement::new(vec![(x, y + 6), (x + 24, y + 6)], colour(n).stroke_width(3)))?;
        area.draw_text(name, &font(13), (x + 30, y))?;
    }
    Ok(())
}

/// Sizes that are far enough from each other to be labelled.
fn labels(table: &[Figure]) -> Vec<f64> {
    let mut sizes: Vec<_> = table.iter().map(|figure| figure.size as f64).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup_by(|size, last| *size < *last * 1.8);
    sizes
}

fn colour(n: usize) -> HSLColor {
    // The golden angle keeps neighbours apart however many there are.
    HSLColor((n as f64 * 0.618_034) % 1.0, 0.75, if n.is_multiple_of(2) { 0.4 } else { 0.6 })
}

fn font(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

/// 100, 16 KiB, 1 MiB.
fn short(size: usize) -> String {
    match size {
        _ if size.is_multiple_of(1 << 20) => format!("{}M", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{}K", size >> 10),
        _ => size.to_string(),
    }
}
