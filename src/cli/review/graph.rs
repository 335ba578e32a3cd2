//! The game as a curve: what red may expect after each ply.

use super::game::{Review, ReviewedMove};
use super::verdict::Grade;
use crate::notation::MoveStyle;

/// Size of the picture, in pixels.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 240.0;
/// Room for the labels on the left, and below.
const LEFT: f64 = 40.0;
const BELOW: f64 = 24.0;
/// Room above and on the right.
const EDGE: f64 = 10.0;
/// Plies between two labels, at least; a label needs so many pixels.
const LABEL_WIDTH: f64 = 40.0;

/// Draws a review as SVG. Above the middle is red's half. Each ply has a place of its own, of the class
/// `ply` and with its number as `data-ply`, which tells its move as a tool tip.
pub(super) fn draw(review: &Review, notation: MoveStyle) -> String {
    let plot = Plot {
        plies: review.moves.len(),
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    svg += &plot.frame();
    svg += &plot.curve(&review.moves);
    for (ply, reviewed) in (1..).zip(&review.moves) {
        svg += &plot.place(ply, reviewed, notation);
    }
    svg += "</svg>\n";
    svg
}

struct Plot {
    plies: usize,
}

impl Plot {
    /// Where a ply is, 0 for the start.
    fn x(&self, ply: usize) -> f64 {
        LEFT + (WIDTH - LEFT - EDGE) * ply as f64 / self.plies.max(1) as f64
    }

    /// Where so many percent of a point for red are.
    fn y(points: f64) -> f64 {
        EDGE + (HEIGHT - EDGE - BELOW) * (100.0 - points) / 100.0
    }

    /// The lines of 0, 50 and 100 %, with labels, and the numbers of plies.
    fn frame(&self) -> String {
        let (left, right) = (LEFT, WIDTH - EDGE);
        let mut svg = String::new();
        for (points, label) in [(100.0, "red"), (50.0, "50 %"), (0.0, "black")] {
            let y = Self::y(points);
            svg += &format!(
                "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#bbb\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{label}</text>\n",
                left - 4.0,
                y + 4.0
            );
        }
        let apart = (LABEL_WIDTH * self.plies as f64 / (right - left)).ceil() as usize;
        let step = apart.next_multiple_of(10).max(10);
        for ply in (step..=self.plies).step_by(step) {
            svg += &format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{ply}</text>\n",
                self.x(ply),
                HEIGHT - 8.0
            );
        }
        svg
    }

    /// The curve and the area between it and the middle.
    fn curve(&self, moves: &[ReviewedMove]) -> String {
        let Some(first) = moves.first() else {
            return String::new();
        };
        let start = super::verdict::expected_points(first.found.score, &first.before);
        let start = match first.before.side_to_move() {
            crate::board::Color::Red => start,
            crate::board::Color::Black => 100.0 - start,
        };
        let points = std::iter::once(start).chain(moves.iter().map(|m| m.points));
        let points: Vec<String> = points
            .enumerate()
            .map(|(ply, points)| format!("{:.1},{:.1}", self.x(ply), Self::y(points)))
            .collect();
        let line = points.join(" ");
        let (first, last, middle) = (self.x(0), self.x(self.plies), Self::y(50.0));
        format!(
            "<polygon points=\"{first:.1},{middle:.1} {line} {last:.1},{middle:.1}\" fill=\"#c33\" \
             fill-opacity=\"0.15\"/>\n\
             <polyline points=\"{line}\" fill=\"none\" stroke=\"#a22\" stroke-width=\"1.5\"/>\n"
        )
    }

    /// The mark of a fault, and the place of the ply.
    fn place(&self, ply: usize, reviewed: &ReviewedMove, notation: MoveStyle) -> String {
        let (x, y) = (self.x(ply), Self::y(reviewed.points));
        let color = match reviewed.grade {
            Grade::Best | Grade::Good => None,
            Grade::Inaccuracy => Some("#d8a600"),
            Grade::Mistake => Some("#e07000"),
            Grade::Blunder => Some("#d00000"),
        };
        let mut svg = String::new();
        if let Some(color) = color {
            svg += &format!(
                "<circle class=\"fault\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>\n"
            );
        }
        let width = (WIDTH - LEFT - EDGE) / self.plies.max(1) as f64;
        let text = notation.write(&reviewed.before, reviewed.played);
        let (mark, score) = (reviewed.grade.mark(), reviewed.score);
        svg += &format!(
            "<rect class=\"ply\" data-ply=\"{ply}\" x=\"{:.1}\" y=\"0\" width=\"{width:.1}\" \
             height=\"{HEIGHT}\" fill-opacity=\"0\"><title>{ply}. {text}{mark} {score}</title></rect>\n",
            x - width / 2.0
        );
        svg
    }
}
