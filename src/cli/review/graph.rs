//! The expected points of red by ply, as SVG.
//!
//! Written by hand: `plotters`, which draws the other pictures, cannot give elements the classes and
//! tool tips that the web page needs.

use std::fmt::Write as _;

use super::game::{Review, ReviewedMove};
use super::verdict::Grade;
use crate::cli::common::texts;
use crate::notation::MoveStyle;

/// Size of the picture, in pixels.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 240.0;
/// Margins on the left and at the bottom, for labels, and at the other edges.
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 24.0;
const EDGE: f64 = 10.0;
/// Least distance between two labels, in pixels.
const LABEL_WIDTH: f64 = 40.0;

/// Draws a review. Each ply has a rectangle of the class `ply` with its number as `data-ply` and its move as
/// tool tip.
pub fn draw(review: &Review, notation: MoveStyle) -> String {
    let plies = review.moves.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    svg += &frame(plies);
    svg += &curve(&review.points);
    for (ply, (reviewed, points)) in (1..).zip(review.moves.iter().zip(&review.points[1..])) {
        svg += &mark(reviewed, *points, x(ply, plies));
        svg += &rectangle(ply, plies, reviewed, notation);
    }
    svg += "</svg>\n";
    svg
}

/// The x coordinate of a ply; 0 is the start.
fn x(ply: usize, plies: usize) -> f64 {
    LEFT + (WIDTH - LEFT - EDGE) * ply as f64 / plies.max(1) as f64
}

/// The y coordinate of `points` percent for red.
fn y(points: f64) -> f64 {
    EDGE + (HEIGHT - EDGE - BOTTOM) * (100.0 - points) / 100.0
}

/// The lines of 0, 50 and 100 %, with labels, and the numbers of plies.
fn frame(plies: usize) -> String {
    let texts = texts();
    let (left, right) = (LEFT, WIDTH - EDGE);
    let mut svg = String::new();
    for (points, label) in [(100.0, texts.red), (50.0, "50 %"), (0.0, texts.black)] {
        let (y, label_x) = (y(points), left - 4.0);
        let label_y = y + 4.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#bbb\"/>\n\
             <text x=\"{label_x:.1}\" y=\"{label_y:.1}\" text-anchor=\"end\" fill=\"#555\">{label}</text>"
        );
    }
    let distance = (LABEL_WIDTH * plies as f64 / (right - left)).ceil() as usize;
    let step = distance.next_multiple_of(10).max(10);
    for ply in (step..=plies).step_by(step) {
        let (x, y) = (x(ply, plies), HEIGHT - 8.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#555\">{ply}</text>"
        );
    }
    svg
}

/// The curve and the area between it and the middle, interrupted where positions were not searched.
fn curve(points: &[Option<f64>]) -> String {
    let plies = points.len() - 1;
    let known: Vec<(usize, f64)> = (0..)
        .zip(points)
        .filter_map(|(ply, points)| Some((ply, (*points)?)))
        .collect();
    let middle = y(50.0);
    let mut svg = String::new();
    for part in known.chunk_by(|(ply, _), (next, _)| ply + 1 == *next) {
        let place =
            |(ply, points): &(usize, f64)| format!("{:.1},{:.1}", x(*ply, plies), y(*points));
        let line = part.iter().map(place).collect::<Vec<_>>().join(" ");
        let (first, last) = (x(part[0].0, plies), x(part[part.len() - 1].0, plies));
        let _ = writeln!(
            svg,
            "<polygon points=\"{first:.1},{middle:.1} {line} {last:.1},{middle:.1}\" fill=\"#c33\" \
             fill-opacity=\"0.15\"/>\n\
             <polyline points=\"{line}\" fill=\"none\" stroke=\"#a22\" stroke-width=\"1.5\"/>"
        );
    }
    svg
}

/// The mark of an inaccuracy, mistake or blunder.
fn mark(reviewed: &ReviewedMove, points: Option<f64>, x: f64) -> String {
    let color = match reviewed.verdict.as_ref().map(|verdict| verdict.grade) {
        None | Some(Grade::Best | Grade::Good) => return String::new(),
        Some(Grade::Inaccuracy) => "#d8a600",
        Some(Grade::Mistake) => "#e07000",
        Some(Grade::Blunder) => "#d00000",
    };
    let y = y(points.unwrap_or(50.0));
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>\n")
}

/// The invisible rectangle of a ply, with its tool tip.
fn rectangle(ply: usize, plies: usize, reviewed: &ReviewedMove, notation: MoveStyle) -> String {
    let width = (WIDTH - LEFT - EDGE) / plies.max(1) as f64;
    let left = x(ply, plies) - width / 2.0;
    let mut text = notation.write(&reviewed.before, reviewed.played);
    if let Some(verdict) = &reviewed.verdict {
        text += &format!("{} {}", verdict.grade.mark(), verdict.score);
    }
    format!(
        "<rect class=\"ply\" data-ply=\"{ply}\" x=\"{left:.1}\" y=\"0\" width=\"{width:.1}\" \
         height=\"{HEIGHT}\" fill-opacity=\"0\"><title>{ply}. {text}</title></rect>\n"
    )
}
