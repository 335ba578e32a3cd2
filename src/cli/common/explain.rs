//! The reasons of a verdict as text and as JSON.

use serde_json::{Value, json};

use super::{columns, sentence, terminal_width};
use crate::board::{Color, Piece};
use crate::notation::chinese;
use crate::rules::{Cause, Chase, ClassifiedMove, Game, Judgement, MoveClass, Placed};

/// The reasons as text: the cause, what each side did, and a table of the moves of the repetition.
pub fn explain(game: &Game, judgement: &Judgement) -> String {
    let Judgement {
        cause,
        rules,
        occurrences,
        ..
    } = judgement;
    let width = terminal_width();
    let mut because = format!("{cause}, {rules} rules");
    if *cause == Cause::Repetition {
        because += &format!(", occurrence {occurrences} of the position");
    }
    let mut text = sentence(&because, width);
    if judgement.plies.is_empty() {
        return text;
    }
    for color in Color::ALL {
        let mut did = judgement.perpetuals[color].to_string();
        for (n, chased) in judgement.chased[color].iter().enumerate() {
            did += if n == 0 { " of " } else { ", " };
            did += &name(chased);
        }
        text += &sentence(&format!("{color}: {did}"), width);
    }
    let head = ["ply", "move", "", "piece", "what it does"];
    let mut rows = vec![head.map(str::to_owned)];
    for (classified, chinese) in judgement.plies.iter().zip(chinese_moves(game, judgement)) {
        rows.push([
            classified.number.to_string(),
            classified.played.to_string(),
            chinese,
            title(classified.piece),
            description(classified),
        ]);
    }
    text + &columns(&rows, width) + "\n"
}

/// The moves of the repetition as JSON.
pub fn explain_plies(game: &Game, judgement: &Judgement) -> Value {
    let classified = judgement.plies.iter().zip(chinese_moves(game, judgement));
    let objects = classified.map(|(classified, chinese)| {
        let chases = classified.chases.iter();
        let chases = chases
            .map(|chase| json!({ "chaser": name(&chase.chaser), "chased": name(&chase.chased) }));
        json!({
            "ply": classified.number,
            "move": classified.played.to_string(),
            "chinese": chinese,
            "deed": classified.class.to_string(),
            "label": classified.class.chinese(),
            "check": classified.class == MoveClass::Check,
            "chases": chases.collect::<Value>(),
            "strikers": classified.check_threats.iter().map(name).collect::<Value>(),
        })
    });
    objects.collect()
}

/// The moves of the repetition in Chinese notation.
fn chinese_moves(game: &Game, judgement: &Judgement) -> Vec<String> {
    let mut before = game.clone();
    let mut words = Vec::with_capacity(judgement.plies.len());
    for _ in &judgement.plies {
        let Some(played) = before.pop() else { break };
        words.push(chinese::write(before.position(), played));
    }
    words.reverse();
    words
}

/// The effect of a move, `-` if it is idle.
fn description(classified: &ClassifiedMove) -> String {
    let class = match classified.class {
        MoveClass::Check => Some("check"),
        MoveClass::MateThreat => Some("threatens mate"),
        MoveClass::Exchange => Some("offers an exchange"),
        MoveClass::Chase | MoveClass::Idle => None,
    };
    let chases = classified
        .chases
        .iter()
        .map(|Chase { chaser, chased }| format!("{} chases {}", name(chaser), name(chased)));
    let strikes = classified
        .check_threats
        .iter()
        .map(|striker| format!("{} threatens to win by a check", name(striker)));
    let class = class.map(str::to_owned).into_iter();
    let parts: Vec<String> = class.chain(chases).chain(strikes).collect();
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(", ")
    }
}

/// A piece in English and Chinese: `red rook 车`.
fn title(piece: Piece) -> String {
    format!("{} {} {}", piece.color(), piece.kind(), piece.chinese())
}

/// A piece and its square: `red rook 车 e4`.
fn name(placed: &Placed) -> String {
    format!("{} {}", title(placed.piece), placed.square)
}
