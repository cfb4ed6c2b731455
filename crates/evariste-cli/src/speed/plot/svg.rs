//! SVG, with the reader's own fonts.

use super::{Anchor, Colour, Drawing, Shape};
use anyhow::Result;
use std::fmt::Write;

pub(super) fn encode(drawing: &Drawing) -> Result<Vec<u8>> {
    let Drawing { width, height, shapes } = drawing;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Ubuntu, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for shape in shapes {
        match shape {
            Shape::Line { points, width, colour, dash } => {
                let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let dash: Vec<_> = dash.iter().map(f32::to_string).collect();
                write!(
                    out,
                    "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
                    hex(colour)
                )?;
                if !dash.is_empty() {
                    write!(out, " stroke-dasharray=\"{}\"", dash.join(" "))?;
                }
                writeln!(out, " points=\"{}\"/>", points.join(" "))?;
            }
            Shape::Dot { at: (x, y), radius, colour } => {
                writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>", hex(colour))?;
            }
            Shape::Text { at: (x, y), text, size, anchor, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let text = text.replace('&', "&amp;").replace('<', "&lt;");
                writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{}\">{text}</text>",
                    hex(colour)
                )?;
            }
        }
    }
    out += "</svg>\n";
    Ok(out.into_bytes())
}

fn hex([r, g, b]: &Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
