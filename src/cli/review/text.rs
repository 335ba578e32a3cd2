//! A reviewed game as a table and as PGN.

use super::game::{Review, ReviewedMove};
use crate::board::Color;
use crate::cli::common::{columns, pad, terminal_width};
use crate::notation::MoveStyle;
use crate::notation::pgn::Annotation;

/// Moves of a line that are shown.
const LINE_LENGTH: usize = 8;

/// The table of the moves, the summary of both sides, and what the rules say.
pub(super) fn table(review: &Review, notation: MoveStyle) -> String {
    let head = ["ply", "move", "red", "lost", "", "better"];
    let mut rows = vec![head.map(str::to_owned)];
    for (number, reviewed) in (1..).zip(&review.moves) {
        let write = |played| notation.write(&reviewed.before, played);
        let better = reviewed.better().map_or_else(String::new, write);
        rows.push([
            format!("{number:>3}"),
            write(reviewed.played) + reviewed.grade.mark(),
            format!("{:>7}", reviewed.score.to_string()),
            lost(reviewed),
            reviewed.grade.name().to_owned(),
            better,
        ]);
    }
    let mut text = columns(&rows, terminal_width()) + "\n" + &summary(review);
    for repetition in &review.repetitions {
        text += &format!("\nAfter ply {}: {}.\n", repetition.ply, repetition.text);
    }
    text
}

/// What a move lost, in percent; nothing where it lost next to nothing.
fn lost(reviewed: &ReviewedMove) -> String {
    match reviewed.lost {
        0.5.. => format!("{:>3.0} %", reviewed.lost),
        _ => String::new(),
    }
}

/// The moves of both sides in numbers.
fn summary(review: &Review) -> String {
    let head = [
        "",
        "moves",
        "accuracy",
        "lost a move",
        "inaccuracies",
        "mistakes",
        "blunders",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for color in Color::ALL {
        let side = &review.sides[color];
        let figures = [
            side.moves.to_string(),
            format!("{:.1} %", side.accuracy),
            format!("{:.1} %", side.lost),
            side.inaccuracies.to_string(),
            side.mistakes.to_string(),
            side.blunders.to_string(),
        ];
        let mut row = figures.into_iter().zip(&head[1..]);
        let mut cell = || {
            row.next()
                .map_or_else(String::new, |(f, h)| right(&f, h.len()))
        };
        rows.push([
            color.to_string(),
            cell(),
            cell(),
            cell(),
            cell(),
            cell(),
            cell(),
        ]);
    }
    columns(&rows, terminal_width())
}

/// A text at the right end of a width.
fn right(text: &str, width: usize) -> String {
    pad("", width.saturating_sub(text.len())) + text
}

/// The record with scores, glyphs and better lines.
pub(super) fn pgn(review: &Review, style: MoveStyle) -> String {
    let annotations: Vec<Annotation> = review.moves.iter().map(annotation).collect();
    let mut record = review.record.clone();
    for color in Color::ALL {
        let name = match color {
            Color::Red => "RedAccuracy",
            Color::Black => "BlackAccuracy",
        };
        record.tags.retain(|(tag, _)| tag != name);
        let accuracy = format!("{:.1}", review.sides[color].accuracy);
        record.tags.push((name.to_owned(), accuracy));
    }
    record.tags.retain(|(tag, _)| tag != "Annotator");
    let engine = concat!("Chuhe ", env!("CARGO_PKG_VERSION")).to_owned();
    record.tags.push(("Annotator".to_owned(), engine));
    record.write_annotated(style, &annotations)
}

fn annotation(reviewed: &ReviewedMove) -> Annotation {
    let mut comment = format!("{}/{}", reviewed.score, reviewed.found.depth);
    if reviewed.grade.glyph().is_some() {
        comment += &format!(", {} (-{:.0} %)", reviewed.grade.name(), reviewed.lost);
    }
    Annotation {
        glyph: reviewed.grade.glyph(),
        comment,
        variation: match reviewed.better() {
            Some(_) => reviewed.line().to_vec(),
            None => Vec::new(),
        },
    }
}

impl ReviewedMove {
    /// The move that would have been better, where the one played was a fault.
    pub(super) fn better(&self) -> Option<crate::board::Move> {
        let best = self.found.line.first().copied();
        best.filter(|_| self.grade.glyph().is_some())
    }

    /// The beginning of the best line.
    pub(super) fn line(&self) -> &[crate::board::Move] {
        let line = &self.found.line;
        &line[..line.len().min(LINE_LENGTH)]
    }
}
