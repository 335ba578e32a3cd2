//! The board as an SVG picture.

use std::fmt::Write;

use crate::board::{Color, Move, Position, Square};

/// The distance between two lines of the board, in units of the picture.
const STEP: usize = 50;
const RADIUS: usize = 22;

/// The squares and moves that are highlighted in a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlights {
    /// The last move, whose squares are colored.
    pub last: Option<Move>,
    /// Moves drawn as arrows.
    pub arrows: Vec<Move>,
    /// Squares with a ring.
    pub marks: Vec<Square>,
}

/// Draws a position with Chinese characters as a complete SVG file; black is at the bottom if `is_flipped` is set.
///
/// ```
/// use chuhe::board::Position;
/// use chuhe::notation::svg::{Highlights, draw};
///
/// let picture = draw(&Position::startpos(), false, &Highlights::default());
/// assert!(picture.starts_with("<svg ") && picture.contains("帅"));
/// ```
pub fn draw(position: &Position, is_flipped: bool, highlights: &Highlights) -> String {
    let center = |square: Square| {
        let (column, row) = if is_flipped {
            (8 - square.file(), square.rank())
        } else {
            (square.file(), 9 - square.rank())
        };
        (STEP * (column + 1), STEP * (row + 1))
    };
    let mut svg = String::from(HEAD);
    // Writing to a string cannot fail.
    let mut push = |element: std::fmt::Arguments<'_>| {
        let _ = writeln!(svg, "{element}");
    };
    push(format_args!("<path class=\"grid\" d=\"{}\"/>", grid()));
    let mut river = ["楚 河", "汉 界"];
    if is_flipped {
        river.reverse();
    }
    for (x, text) in [150, 350].into_iter().zip(river) {
        push(format_args!("<text class=\"river\" x=\"{x}\" y=\"275\">{text}</text>"));
    }
    for square in highlights.last.iter().flat_map(|m| [m.from(), m.to()]) {
        let (x, y) = center(square);
        push(format_args!("<circle class=\"last\" cx=\"{x}\" cy=\"{y}\" r=\"25\"/>"));
    }
    for (square, piece) in position.setup().pieces() {
        let (x, y) = center(square);
        let side = match piece.color() {
            Color::Red => "red",
            Color::Black => "black",
        };
        let name = piece.chinese();
        push(format_args!(
            "<g class=\"{side}\"><circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>\
             <text x=\"{x}\" y=\"{y}\">{name}</text></g>"
        ));
    }
    for square in &highlights.marks {
        let (x, y) = center(*square);
        push(format_args!("<circle class=\"mark\" cx=\"{x}\" cy=\"{y}\" r=\"25\"/>"));
    }
    for arrow in &highlights.arrows {
        let [(x1, y1), (x2, y2)] = [arrow.from(), arrow.to()].map(center);
        push(format_args!(
            "<line class=\"arrow\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" marker-end=\"url(#chuhe-head)\"/>"
        ));
    }
    svg + "</svg>\n"
}

/// The beginning of the file: size, colors and the head of arrows. The rules apply only to this picture, which may be
/// a part of a web page.
const HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chuhe\" viewBox=\"0 0 500 550\" \
width=\"500\" height=\"550\">
<style>
.chuhe text { font-family: 'Noto Serif CJK SC', 'Songti SC', SimSun, serif; text-anchor: middle; dominant-baseline: central; }
.chuhe .grid { stroke: #8a6a30; fill: none; }
.chuhe .river { font-size: 24px; fill: #8a6a30; }
.chuhe .last { fill: #36c; fill-opacity: .25; }
.chuhe .red circle, .chuhe .black circle { fill: #fff6e0; stroke: #333; }
.chuhe .red circle { stroke: #c00; }
.chuhe .red text, .chuhe .black text { font-size: 30px; fill: #222; }
.chuhe .red text { fill: #c00; }
.chuhe .mark { stroke: #36c; stroke-width: 4; fill: none; }
.chuhe .arrow { stroke: #2a2; stroke-width: 6; stroke-opacity: .7; }
</style>
<defs><marker id=\"chuhe-head\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"4\" markerHeight=\"4\" orient=\"auto\">\
<path d=\"M0 0L10 5L0 10z\" fill=\"#2a2\"/></marker></defs>
<rect width=\"500\" height=\"550\" fill=\"#f6e3b4\"/>
";

/// The lines of the board as the data of a path: the ranks; the files, which are interrupted by the river except at the
/// edges; and the diagonals of both palaces.
fn grid() -> String {
    let mut path = String::new();
    let mut line = |x1: usize, y1: usize, x2: usize, y2: usize| {
        let _ = write!(path, "M{x1} {y1}L{x2} {y2}");
    };
    for row in 1..=10 {
        line(STEP, STEP * row, 9 * STEP, STEP * row);
    }
    for column in 1..=9 {
        let x = STEP * column;
        if column == 1 || column == 9 {
            line(x, STEP, x, 10 * STEP);
        } else {
            line(x, STEP, x, 5 * STEP);
            line(x, 6 * STEP, x, 10 * STEP);
        }
    }
    for top in [STEP, 8 * STEP] {
        line(4 * STEP, top, 6 * STEP, top + 2 * STEP);
        line(6 * STEP, top, 4 * STEP, top + 2 * STEP);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_and_highlights_are_drawn() {
        let position = Position::startpos();
        let highlights = Highlights {
            last: "h2e2".parse().ok(),
            arrows: vec!["b2e2".parse().unwrap(), "h0g2".parse().unwrap()],
            marks: vec!["e0".parse().unwrap()],
        };
        let picture = draw(&position, false, &highlights);
        assert_eq!(picture.matches("<g class=\"red\">").count(), 16);
        assert_eq!(picture.matches("<g class=\"black\">").count(), 16);
        assert_eq!(picture.matches("class=\"last\"").count(), 2);
        assert_eq!(picture.matches("class=\"arrow\"").count(), 2);
        // The red king on e0, at the bottom.
        let king = "<circle cx=\"250\" cy=\"500\" r=\"22\"/><text x=\"250\" y=\"500\">帅";
        assert!(picture.contains(king), "{picture}");
        assert!(picture.contains("<circle class=\"mark\" cx=\"250\" cy=\"500\""));
        assert!(picture.contains("x1=\"100\" y1=\"400\" x2=\"250\" y2=\"400\""));
        let flipped = draw(&position, true, &Highlights::default());
        assert!(flipped.contains(&king.replace("500", "50")));
    }
}
