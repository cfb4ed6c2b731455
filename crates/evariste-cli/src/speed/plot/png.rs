//! PNG, with a font of our own: the machine may have none.

use super::{Anchor, Drawing, Shape};
use anyhow::{Context, Result};
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// Pixels for each of the drawing, so that the picture is sharp on any screen.
const SCALE: f32 = 2.0;

pub(super) fn encode(drawing: &Drawing) -> Result<Vec<u8>> {
    let face = Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0)?;
    let (width, height) = ((drawing.width * SCALE) as u32, (drawing.height * SCALE) as u32);
    let mut pixmap = Pixmap::new(width, height).context("the chart is too large")?;
    pixmap.fill(Color::WHITE);
    let scale = Transform::from_scale(SCALE, SCALE);
    for shape in &drawing.shapes {
        let (Shape::Line { colour, .. } | Shape::Dot { colour, .. } | Shape::Text { colour, .. }) = shape;
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(colour[0], colour[1], colour[2], 255);
        match shape {
            Shape::Line { points, width, dash, .. } => {
                if let Some(path) = polyline(points) {
                    let stroke = Stroke {
                        width: *width,
                        line_cap: LineCap::Butt,
                        line_join: LineJoin::Round,
                        dash: StrokeDash::new(dash.to_vec(), 0.0),
                        ..Stroke::default()
                    };
                    pixmap.stroke_path(&path, &paint, &stroke, scale, None);
                }
            }
            Shape::Dot { at: (x, y), radius, .. } => {
                if let Some(path) = PathBuilder::from_circle(*x, *y, *radius) {
                    pixmap.fill_path(&path, &paint, FillRule::Winding, scale, None);
                }
            }
            Shape::Text { at, text, size, anchor, .. } => {
                if let Some(path) = text_outline(&face, *at, text, *size, *anchor) {
                    pixmap.fill_path(&path, &paint, FillRule::Winding, scale, None);
                }
            }
        }
    }
    Ok(pixmap.encode_png()?)
}

fn polyline(points: &[(f32, f32)]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (n, &(x, y)) in points.iter().enumerate() {
        if n == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.finish()
}

/// The outlines of all glyphs; nothing for a text of blanks.
fn text_outline(face: &Face<'_>, at: (f32, f32), text: &str, size: f32, anchor: Anchor) -> Option<Path> {
    let scale = size / f32::from(face.units_per_em());
    let glyphs: Vec<_> = text.chars().filter_map(|c| face.glyph_index(c)).collect();
    let advance = |glyph| f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
    let width: f32 = glyphs.iter().copied().map(advance).sum();
    let x = match anchor {
        Anchor::Start => at.0,
        Anchor::Middle => at.0 - width / 2.0,
        Anchor::End => at.0 - width,
    };
    let mut pen = Pen { path: PathBuilder::new(), x, y: at.1, scale };
    for glyph in glyphs {
        face.outline_glyph(glyph, &mut pen);
        pen.x += advance(glyph);
    }
    pen.path.finish()
}

/// Draws glyphs, whose y axis points up, where the text stands.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
