//! The layout: GB/s over the logarithm of the message size, a line for each row of the report.

use super::{Anchor, Colour, Drawing, Shape};
use crate::speed::report::Report;
use evariste::cpu;

const INK: Colour = [0x22, 0x22, 0x22];
const FAINT: Colour = [0x66, 0x66, 0x66];
const LEADER: Colour = [0xbb, 0xbb, 0xbb];
const GRID: Colour = [0xe4, 0xe4, 0xe4];

/// Told apart by colour-blind eyes too (after Okabe and Ito, without the yellow).
const COLOURS: [Colour; 8] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x8c, 0x51, 0x0a],
    [0x00, 0x00, 0x00],
];
const DASHES: [&[f32]; 6] = [&[], &[7.0, 3.0], &[2.0, 3.0], &[8.0, 3.0, 2.0, 3.0], &[14.0, 4.0], &[1.0, 5.0]];

/// The plot's left and upper edge and its width.
const LEFT: f32 = 64.0;
const TOP: f32 = 108.0;
const ACROSS: f32 = 680.0;
/// Between the plot's sides and the points nearest to them.
const PADDING: f32 = 16.0;
/// Between the lines of the legend.
const LEADING: f32 = 20.0;

pub(super) fn draw(report: &Report, date: &str) -> Drawing {
    let lines = lines(report);
    let scales = Scales::new(report, &lines);
    let right = LEFT + ACROSS;
    let what = report.only_algorithm().map_or("AES", |algorithm| algorithm.name);
    let title = format!("{what} on {}", cpu::name());
    let subtitle = format!("evariste {}, {date}; {}", env!("CARGO_PKG_VERSION"), report.conditions);
    let legend = lines.iter().map(|line| line.label.len()).max().unwrap_or(0);
    // Letters are on average little more than half as wide as the font is high.
    let width = (right + 80.0 + 8.4 * legend as f32).max(LEFT + 20.0 + 7.1 * subtitle.len() as f32);
    let mut shapes = vec![
        text((LEFT, 38.0), title, 21.0, Anchor::Start, INK),
        text((LEFT, 60.0), subtitle, 13.0, Anchor::Start, FAINT),
        text((LEFT - 10.0, TOP - 14.0), "GB/s".into(), 14.0, Anchor::End, INK),
        text((LEFT + ACROSS / 2.0, scales.bottom() + 46.0), "message size in bytes".into(), 14.0, Anchor::Middle, INK),
    ];
    scales.grid(&report.sizes, &mut shapes);

    let mut places: Vec<_> = lines.iter().map(|line| scales.y(line.last())).collect();
    spread(&mut places, TOP + LEADING / 2.0, scales.bottom());
    for (line, place) in lines.iter().zip(places) {
        let end = (right - PADDING, scales.y(line.last()));
        let leader = vec![(end.0 + 6.0, end.1), (right, end.1), (right + 20.0, place), (right + 26.0, place)];
        shapes.push(Shape::Line { points: leader, width: 1.0, colour: LEADER, dash: &[] });
        line.stroke(vec![(right + 28.0, place), (right + 58.0, place)], &mut shapes);
        shapes.push(text((right + 66.0, place + 5.0), line.label.clone(), 14.0, Anchor::Start, INK));
    }
    for line in &lines {
        let points: Vec<_> = report.sizes.iter().zip(&line.gbps).map(|(s, g)| (scales.x(*s), scales.y(*g))).collect();
        shapes.extend(points.iter().map(|&at| Shape::Dot { at, radius: 3.0, colour: line.colour }));
        line.stroke(points, &mut shapes);
    }
    Drawing { width: width.ceil(), height: scales.bottom() + 64.0, shapes }
}

/// A row of the report and how it is drawn.
struct Line {
    label: String,
    gbps: Vec<f64>,
    colour: Colour,
    dash: &'static [f32],
}

impl Line {
    /// The speed of the longest messages.
    fn last(&self) -> f64 {
        self.gbps.last().copied().unwrap_or(0.0)
    }

    fn stroke(&self, points: Vec<(f32, f32)>, shapes: &mut Vec<Shape>) {
        shapes.push(Shape::Line { points, width: 2.0, colour: self.colour, dash: self.dash });
    }
}

/// The rows, fastest first, as they stand in the legend.
fn lines(report: &Report) -> Vec<Line> {
    let one = report.only_algorithm().is_some();
    let mut lines: Vec<_> = (report.rows.iter().enumerate())
        .map(|(n, row)| {
            // A colour for each algorithm and a dash for each backend, unless there is only one algorithm.
            let (algorithm, backend) = (n / report.backends, n % report.backends);
            let (colour, dash) = if one { (backend, 0) } else { (algorithm, algorithm / COLOURS.len() + backend) };
            Line {
                label: if one { row.backend.to_string() } else { report.label(row) },
                gbps: row.gbps(&report.sizes),
                colour: COLOURS[colour % COLOURS.len()],
                dash: DASHES[dash % DASHES.len()],
            }
        })
        .collect();
    lines.sort_by(|a, b| b.last().total_cmp(&a.last()));
    lines
}

/// Moves ascending places apart, and back above `bottom` where that took them too far.
fn spread(places: &mut [f32], top: f32, bottom: f32) {
    let mut free = top;
    for place in &mut *places {
        *place = place.max(free);
        free = *place + LEADING;
    }
    let mut free = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(free);
        free = *place - LEADING;
    }
}

/// From sizes and speeds to places.
struct Scales {
    /// The plot's height.
    down: f32,
    /// Logarithms of the smallest and the largest size.
    sizes: (f64, f64),
    /// GB/s at the top, and between two labels of the vertical axis.
    most: f64,
    step: f64,
}

impl Scales {
    fn new(report: &Report, lines: &[Line]) -> Self {
        let log = |size: Option<&usize>| size.map_or(0.0, |size| (*size as f64).log2());
        let fastest = lines.iter().flat_map(|line| &line.gbps).copied().fold(f64::MIN_POSITIVE, f64::max);
        let most = 1.05 * fastest;
        let power = 10f64.powf((most / 10.0).log10().floor());
        let step = [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|step| most <= 10.0 * step);
        Self {
            down: (LEADING * (lines.len() as f32 + 1.0)).max(400.0),
            sizes: (log(report.sizes.first()), log(report.sizes.last())),
            most,
            step: step.unwrap_or(10.0 * power),
        }
    }

    fn bottom(&self) -> f32 {
        TOP + self.down
    }

    fn x(&self, size: usize) -> f32 {
        let (first, last) = self.sizes;
        // A single size stands at the right, where the legend's lines begin.
        let part = if first < last { ((size as f64).log2() - first) / (last - first) } else { 1.0 };
        LEFT + PADDING + (ACROSS - 2.0 * PADDING) * part as f32
    }

    fn y(&self, gbps: f64) -> f32 {
        self.bottom() - self.down * (gbps / self.most) as f32
    }

    fn grid(&self, sizes: &[usize], shapes: &mut Vec<Shape>) {
        let right = LEFT + ACROSS;
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        for n in 0..=(self.most / self.step) as usize {
            let value = n as f64 * self.step;
            let y = self.y(value);
            let colour = if n == 0 { FAINT } else { GRID };
            shapes.push(Shape::Line { points: vec![(LEFT, y), (right, y)], width: 1.0, colour, dash: &[] });
            shapes.push(text((LEFT - 10.0, y + 4.5), format!("{value:.decimals$}"), 13.0, Anchor::End, FAINT));
        }
        let mut free = LEFT;
        for &size in sizes {
            let x = self.x(size);
            if x >= free {
                let points = vec![(x, TOP), (x, self.bottom())];
                shapes.push(Shape::Line { points, width: 1.0, colour: GRID, dash: &[] });
                shapes.push(text((x, self.bottom() + 20.0), short(size), 13.0, Anchor::Middle, FAINT));
                free = x + 40.0;
            }
        }
    }
}

fn text(at: (f32, f32), text: String, size: f32, anchor: Anchor, colour: Colour) -> Shape {
    Shape::Text { at, text, size, anchor, colour }
}

/// 100, 16k, 1M.
fn short(size: usize) -> String {
    match size {
        _ if size.is_multiple_of(1 << 20) => format!("{}M", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{}k", size >> 10),
        _ => size.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_do_not_overlap() {
        let mut places = [0.0, 1.0, 50.0, 99.0, 100.0];
        spread(&mut places, 10.0, 100.0);
        assert_eq!(places, [10.0, 30.0, 50.0, 80.0, 100.0]);
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!([16, 1000, 1024, 1536, 16384, 1 << 20].map(short), ["16", "1000", "1k", "1536", "16k", "1M"]);
    }
}
