//! The chart: GB/s over the logarithm of the message size, a line for each row of the report.

use super::report::{Report, Row};
use crate::output::{Existing, Output, Target};
use crate::pick::UsageError;
use anyhow::{Context, Result};
use chrono::Utc;
use evariste::cpu;
use plotters::coord::combinators::BindKeyPoints;
use plotters::element::{DashedPathElement, DynElement};
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::io::Write;
use std::path::PathBuf;

/// SVG names it and has no font in it; layout and PNG take one that we bring along.
const FONT: &str = "sans-serif";
/// Everything, glyphs too, begins on a whole pixel: small ones keep lines straight and letters apart.
const SCALE: i32 = 3;
/// The width of the plot with its axis, and the distance of the lines in the legend beside it.
const PLOT: i32 = 740;
const LEADING: i32 = 20;
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const FAINT: RGBColor = RGBColor(0x66, 0x66, 0x66);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Told apart by colour-blind eyes too (after Okabe and Ito, without the yellow).
const COLOURS: [u32; 8] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x8c510a, 0x000000];

/// Where a chart goes.
pub(crate) struct File {
    target: Target,
    output: Output,
    encode: fn(&Report, &[Line]) -> Result<Vec<u8>>,
}

impl File {
    /// The format follows from the ending. Whether it can be written shows here, before anything is measured.
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        let ending = path.extension().map(|e| e.to_ascii_lowercase());
        let encode = match ending.as_ref().and_then(|e| e.to_str()) {
            Some("svg") => svg,
            Some("png") => png,
            _ => return Err(UsageError(format!("{} ends in neither .svg nor .png", path.display())).into()),
        };
        let target = Target::File(path);
        let output = Output::create(&target, 0o666, Existing::Replace)?;
        Ok(Self { target, output, encode })
    }

    pub(crate) fn write(mut self, report: &Report) -> Result<()> {
        let drawn = (self.encode)(report, &lines(report));
        let written = drawn.and_then(|bytes| Ok(self.output.write_all(&bytes).and_then(|()| self.output.commit())?));
        written.with_context(|| self.target.to_string())
    }
}

fn svg(report: &Report, lines: &[Line]) -> Result<Vec<u8>> {
    let (width, height) = size(report, lines);
    let mut text = String::new();
    draw(report, lines, SVGBackend::with_string(&mut text, (width, height)), 0)?;
    // Shown smaller than drawn; the view box keeps the coordinates.
    let size = |divisor| format!("width=\"{}\" height=\"{}\"", width / divisor, height / divisor);
    Ok(text.replacen(&size(1), &size(SCALE as u32), 1).into_bytes())
}

fn png(report: &Report, lines: &[Line]) -> Result<Vec<u8>> {
    let (width, height) = size(report, lines);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    // This backend paints text a little too high.
    draw(report, lines, BitMapBackend::with_buffer(&mut pixels, (width, height)), px(2))?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

fn size(report: &Report, lines: &[Line]) -> (u32, u32) {
    // Room for the letters of any font that a reader of SVG may have.
    let letters = |text: &str| 8 * text.len() as i32;
    let legend = lines.iter().map(|line| letters(&line.label)).max().unwrap_or(0);
    let width = (PLOT + 80 + legend).max(letters(&subtitle(report)));
    let height = (LEADING * lines.len() as i32 + 110).max(560);
    (px(width) as u32, px(height) as u32)
}

fn subtitle(report: &Report) -> String {
    format!("evariste {}, {}; {}", env!("CARGO_PKG_VERSION"), Utc::now().date_naive(), report.conditions)
}

/// `drop` is by how much to lower text that is to stand beside something.
fn draw<B: DrawingBackend<ErrorType: 'static>>(report: &Report, lines: &[Line], backend: B, drop: i32) -> Result<()> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).ok().context("not a font")?;
    let what = report.only_algorithm().map_or("AES", |algorithm| algorithm.name);
    let title = format!("{what} on {}", cpu::name());
    let root = backend.into_drawing_area();
    root.fill(&WHITE)?;
    let body = root.margin(px(12), px(12), px(12), px(12));
    let body = body.titled(&title, font(22, INK))?.titled(&subtitle(report), font(14, FAINT))?;
    let speeds = lines.iter().flat_map(|line| &line.points).map(|(_, gbps)| *gbps);
    let most = 1.05 * speeds.fold(f64::MIN_POSITIVE, f64::max);
    let sizes = || report.sizes.iter().map(|size| *size as f64);
    // The points keep off the plot's sides, and a single size has a range too.
    let range = sizes().fold(f64::MAX, f64::min) / 1.2..sizes().fold(0.0, f64::max) * 1.2;
    // Labels of near sizes would overlap.
    let apart = (range.end / range.start).powf(1.0 / 15.0);
    let mut labelled: Vec<_> = sizes().collect();
    labelled.dedup_by(|size, last| *size < *last * apart);
    let (plot, legend) = body.margin(px(12), 0, 0, 0).split_horizontally(px(PLOT));
    let mut chart = ChartBuilder::on(&plot)
        .x_label_area_size(px(50))
        .y_label_area_size(px(60))
        .build_cartesian_2d(range.log_scale().with_key_points(labelled), 0.0..most)?;
    (chart.configure_mesh())
        .max_light_lines(0)
        .bold_line_style(GRID.stroke_width(px(1) as u32))
        .axis_style(FAINT.stroke_width(px(1) as u32))
        .label_style(font(14, FAINT))
        .axis_desc_style(font(15, INK))
        .set_all_tick_mark_size(px(4))
        .y_label_offset(drop)
        .x_desc("message size in bytes")
        .y_desc("GB/s")
        .x_label_formatter(&|size| short(*size as usize))
        .y_label_formatter(&|gbps| (*gbps as f32).to_string())
        .draw()?;
    for (n, line) in lines.iter().enumerate() {
        chart.draw_series([line.stroke(line.points.clone())])?;
        chart.draw_series(line.points.iter().map(|&at| EmptyElement::at(at) + line.mark((0, 0))))?;
        let y = px(20 + LEADING * n as i32);
        legend.draw(&line.stroke(vec![(px(8), y), (px(44), y)]))?;
        legend.draw(&line.mark((px(26), y)))?;
        let left = font(14, INK).pos(Pos::new(HPos::Left, VPos::Center));
        legend.draw_text(&line.label, &left, (px(52), y + drop))?;
    }
    Ok(root.present()?)
}

/// A row of the report and how it is drawn.
struct Line {
    label: String,
    points: Vec<(f64, f64)>,
    style: ShapeStyle,
    mark: usize,
}

/// The rows, fastest first, as they stand in the legend.
fn lines(report: &Report) -> Vec<Line> {
    let one = report.only_algorithm().is_some();
    let line = |(n, row): (usize, &Row)| {
        // A colour for each algorithm and a mark for each backend, unless there is only one algorithm.
        let (algorithm, backend) = (n / report.backends, n % report.backends);
        let (colour, mark) = if one { (backend, backend) } else { (algorithm, algorithm / COLOURS.len() + backend) };
        let [_, r, g, b] = COLOURS[colour % COLOURS.len()].to_be_bytes();
        Line {
            label: if one { row.backend.to_string() } else { report.label(row) },
            points: report.sizes.iter().map(|size| *size as f64).zip(row.gbps(&report.sizes)).collect(),
            style: RGBColor(r, g, b).stroke_width(px(2) as u32),
            mark,
        }
    };
    let mut lines: Vec<_> = report.rows.iter().enumerate().map(line).collect();
    let last = |line: &Line| line.points.last().map_or(0.0, |(_, gbps)| *gbps);
    lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
    lines
}

impl Line {
    /// The line itself; marks beyond the fourth come again with dashes.
    fn stroke<B: DrawingBackend, C: Clone + 'static>(&self, points: Vec<C>) -> DynElement<'static, B, C> {
        match self.mark / 4 % 2 {
            0 => PathElement::new(points, self.style).into_dyn(),
            _ => DashedPathElement::new(points, px(8), px(4), self.style).into_dyn(),
        }
    }

    fn mark<B: DrawingBackend>(&self, (x, y): (i32, i32)) -> DynElement<'static, B, (i32, i32)> {
        let (r, style) = (px(4), self.style.filled());
        match self.mark % 4 {
            0 => Circle::new((x, y), r, style).into_dyn(),
            1 => TriangleMarker::new((x, y), px(6), style).into_dyn(),
            2 => Rectangle::new([(x - r, y - r), (x + r, y + r)], style).into_dyn(),
            _ => Cross::new((x, y), r, style).into_dyn(),
        }
    }
}

fn px(length: i32) -> i32 {
    length * SCALE
}

fn font(size: i32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, px(size)).into_font().color(&colour)
}

/// 100, 16 KiB, 1 MiB.
fn short(size: usize) -> String {
    match size {
        _ if size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        _ => size.to_string(),
    }
}
