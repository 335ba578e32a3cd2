//! The review as one self-contained web page.

use serde_json::{Value, json};

use super::game::{Review, ReviewedMove};
use super::{graph, text};
use crate::board::{Color, Position};
use crate::cli::common::{Language, texts};
use crate::notation::{MoveStyle, fen, opening};
use crate::text::escape_html;

/// The page without its contents.
const TEMPLATE: &str = include_str!("page.html");
/// The places of the contents.
const DATA: &str = "{{data}}";
const TITLE: &str = "{{title}}";
const LANGUAGE: &str = "{{lang}}";
const TEXTS: &str = "{{texts}}";

/// The page with board, moves and graph of each game.
pub fn page(reviews: &[Review], notation: MoveStyle) -> String {
    let games = reviews.iter().map(|review| game(review, notation));
    let data = games.collect::<Value>().to_string();
    // No text may end the script that contains it.
    let data = data.replace('<', "\\u003c");
    let title = reviews.first().map_or_else(String::new, text::title);
    let (before, after) = TEMPLATE.split_once(DATA).unwrap_or((TEMPLATE, ""));
    // The data is inserted last, so that placeholders in it are not replaced.
    let before = before
        .replace(LANGUAGE, Language::chosen().code())
        .replace(TEXTS, &page_texts().to_string())
        .replace(TITLE, &escape_html(&title));
    [&before, &data, after].concat()
}

/// The texts of the script.
fn page_texts() -> Value {
    let texts = texts();
    json!({
        "hint": texts.page_hint,
        "expected": texts.page_expected,
        "unjudged": texts.page_not_judged,
        "score": texts.page_score,
        "lost": texts.page_lost,
        "best": texts.page_best,
        "accuracy": texts.accuracy,
        "after": texts.after_ply,
        "first": texts.page_start,
        "back": texts.page_back,
        "next": texts.page_next,
        "last": texts.page_end,
        "flip": texts.page_flip,
    })
}

fn game(review: &Review, notation: MoveStyle) -> Value {
    let mut boards = vec![board(&review.record.start)];
    let mut position = review.record.start.clone();
    for reviewed in &review.moves {
        position.make(reviewed.played);
        boards.push(board(&position));
    }
    let sides = Color::ALL.map(|color| {
        let side = &review.sides[color];
        json!({
            "name": texts().side(color),
            "accuracy": format!("{:.1}", side.accuracy),
            "inaccuracies": side.inaccuracies,
            "mistakes": side.mistakes,
            "blunders": side.blunders,
        })
    });
    let points = review.points.iter();
    let points = points.map(|points| points.map(|points| format!("{points:.1}")));
    let moves = review.moves.iter();
    let repetitions = review.repetitions.iter();
    let opening = opening::of(&review.record.main_line().line);
    let opening = opening.map_or_else(String::new, |opening| format!("  {opening}"));
    json!({
        "number": review.number,
        "title": text::title(review) + &opening,
        "boards": boards,
        "points": points.collect::<Vec<_>>(),
        "moves": moves.map(|reviewed| object(reviewed, notation)).collect::<Value>(),
        "sides": sides,
        "repetitions": repetitions
            .map(|r| json!({ "ply": r.ply, "text": r.text }))
            .collect::<Value>(),
        "graph": graph::draw(review, notation),
    })
}

/// The pieces in FEN.
fn board(position: &Position) -> String {
    let text = fen::write_position(position);
    text.split(' ').next().unwrap_or_default().to_owned()
}

fn object(reviewed: &ReviewedMove, notation: MoveStyle) -> Value {
    let mut object = json!({
        "move": reviewed.played.to_string(),
        "text": notation.write(&reviewed.before, reviewed.played),
        "number": reviewed.before.fullmove_number(),
        "red": reviewed.before.side_to_move() == Color::Red,
        "mark": "",
        "grade": "unjudged",
    });
    if let Some(verdict) = &reviewed.verdict {
        object["mark"] = json!(verdict.grade.mark());
        object["grade"] = json!(verdict.grade.word());
        object["name"] = json!(verdict.grade.name());
        object["score"] = json!(verdict.score.to_string());
        object["lost"] = json!(format!("{:.1}", verdict.lost));
        object["best"] = json!(verdict.found.line.first().map(ToString::to_string));
        object["line"] = json!(notation.write_line(&reviewed.before, verdict.line()));
        object["depth"] = json!(verdict.found.depth);
    }
    object
}
