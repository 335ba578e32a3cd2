//! The review as one page for a browser, which needs nothing else.

use serde_json::{Value, json};

use super::game::{Review, ReviewedMove};
use super::graph;
use crate::board::Color;
use crate::notation::MoveStyle;
use crate::notation::fen;
use crate::text::escape_html;

/// The page without its contents.
const TEMPLATE: &str = include_str!("page.html");
/// Where the contents go.
const DATA: &str = "{{data}}";
const GRAPH: &str = "{{graph}}";
const TITLE: &str = "{{title}}";

/// The page, with board, moves and graph.
pub(super) fn page(review: &Review, notation: MoveStyle) -> String {
    let data = data(review, notation).to_string();
    // No text may end the script that holds it.
    let data = data.replace('<', "\\u003c");
    // The graph and the data are put in last: what they hold is not replaced again.
    let (before, after) = TEMPLATE.split_once(DATA).unwrap_or((TEMPLATE, ""));
    let before = before.replace(TITLE, &escape_html(&title(review)));
    let (head, body) = before.split_once(GRAPH).unwrap_or((&before, ""));
    [head, &graph::draw(review, notation), body, &data, after].concat()
}

/// The players, the event and the result.
fn title(review: &Review) -> String {
    let record = &review.record;
    let tag = |name| record.tag(name).filter(|text| !text.is_empty());
    let (red, black) = (tag("Red").unwrap_or("?"), tag("Black").unwrap_or("?"));
    format!("{red} – {black}  {}", record.result)
}

fn data(review: &Review, notation: MoveStyle) -> Value {
    let moves = review.moves.iter();
    let mut boards = vec![board(&review.record.line.start)];
    let mut position = review.record.line.start.clone();
    for reviewed in &review.moves {
        position.make(reviewed.played);
        boards.push(board(&position));
    }
    let sides = Color::ALL.map(|color| {
        let side = &review.sides[color];
        json!({
            "name": color.to_string(),
            "accuracy": format!("{:.1}", side.accuracy),
            "inaccuracies": side.inaccuracies,
            "mistakes": side.mistakes,
            "blunders": side.blunders,
        })
    });
    let repetitions = review.repetitions.iter();
    json!({
        "boards": boards,
        "moves": moves.map(|reviewed| object(reviewed, notation)).collect::<Value>(),
        "sides": sides,
        "repetitions": repetitions
            .map(|r| json!({ "ply": r.ply, "text": r.text }))
            .collect::<Value>(),
    })
}

/// The pieces of a position as FEN has them.
fn board(position: &crate::board::Position) -> String {
    let text = fen::write_position(position);
    text.split(' ').next().unwrap_or_default().to_owned()
}

fn object(reviewed: &ReviewedMove, notation: MoveStyle) -> Value {
    let line = notation.write_line(&reviewed.before, reviewed.line());
    json!({
        "move": reviewed.played.to_string(),
        "text": notation.write(&reviewed.before, reviewed.played),
        "mark": reviewed.grade.mark(),
        "grade": reviewed.grade.name(),
        "number": reviewed.before.fullmove_number(),
        "red": reviewed.before.side_to_move() == Color::Red,
        "score": reviewed.score.to_string(),
        "points": format!("{:.1}", reviewed.points),
        "lost": format!("{:.1}", reviewed.lost),
        "best": reviewed.found.line.first().map(ToString::to_string),
        "line": line,
        "depth": reviewed.found.depth,
    })
}
