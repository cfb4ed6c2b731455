//! The chart: laid out once as a list of shapes, written as SVG or painted as PNG.

mod chart;
mod png;
mod svg;

use super::report::Report;
use crate::pick::UsageError;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a chart goes.
pub(crate) struct File {
    path: PathBuf,
    encode: fn(&Drawing) -> Result<Vec<u8>>,
}

impl File {
    /// The format follows from the ending.
    pub(crate) fn new(path: PathBuf) -> Result<Self> {
        let ending = path.extension().map(|e| e.to_ascii_lowercase());
        let encode = match ending.as_ref().and_then(|e| e.to_str()) {
            Some("svg") => svg::encode,
            Some("png") => png::encode,
            _ => return Err(UsageError(format!("{} ends in neither .svg nor .png", path.display())).into()),
        };
        Ok(Self { path, encode })
    }

    pub(crate) fn write(&self, report: &Report) -> Result<()> {
        let drawing = chart::draw(report, &today());
        let written = (self.encode)(&drawing).and_then(|bytes| Ok(std::fs::write(&self.path, bytes)?));
        written.with_context(|| self.path.display().to_string())
    }
}

/// Shapes on white, later ones on top. Lengths are in pixels of an SVG, from the upper left corner.
struct Drawing {
    width: f32,
    height: f32,
    shapes: Vec<Shape>,
}

enum Shape {
    /// Through all the points; `dash` has lengths of strokes and gaps in turn, none for a solid line.
    Line {
        points: Vec<(f32, f32)>,
        width: f32,
        colour: Colour,
        dash: &'static [f32],
    },
    Dot {
        at: (f32, f32),
        radius: f32,
        colour: Colour,
    },
    /// `at` is on the base line, at the side that `anchor` says.
    Text {
        at: (f32, f32),
        text: String,
        size: f32,
        anchor: Anchor,
        colour: Colour,
    },
}

/// Red, green and blue.
type Colour = [u8; 3];

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// The date in UTC, as in ISO 8601.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86400)
}

/// Days since 1970-01-01 in the Gregorian calendar, by years that begin in March: the leap day is the last.
fn date(days: u64) -> String {
    // 719468 days lie between 0000-03-01 and 1970-01-01; 146097 make 400 years.
    let days = days + 719468;
    let (era, day) = (days / 146097, days % 146097);
    let year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months of 31, 30, 31, 30, 31 days, over and over.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (days, text) in [(0, "1970-01-01"), (11016, "2000-02-29"), (11017, "2000-03-01"), (20513, "2026-03-01")] {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn endings() {
        assert!(File::new("a.svg".into()).is_ok() && File::new("b/c.d.PNG".into()).is_ok());
        for bad in ["svg", "a.gif", "a.svg.gz", ".png"] {
            assert!(File::new(bad.into()).is_err(), "{bad}");
        }
    }
}
