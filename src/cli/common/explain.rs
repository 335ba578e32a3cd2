//! The reasons of a verdict as text and as JSON.

use serde_json::{Value, json};

use super::{columns, sentence, terminal_width};
use crate::board::{Color, Piece};
use crate::notation::chinese;
use crate::rules::{Chase, ClassifiedMove, Game, Judgement, MoveClass};

/// The reasons as text: the cause, what each side did, and a table of the moves of the repetition.
pub fn explain(game: &Game, judgement: &Judgement) -> String {
    let width = terminal_width();
    let mut text = sentence(&judgement.reason(), width);
    if judgement.plies.is_empty() {
        return text;
    }
    for color in Color::ALL {
        let mut did = judgement.perpetuals[color].to_string();
        for (n, chased) in judgement.chased[color].iter().enumerate() {
            did += if n == 0 { " of " } else { ", " };
            did += &chased.to_string();
        }
        text += &sentence(&format!("{color}: {did}"), width);
    }
    for clause in &judgement.clauses {
        text += &sentence(&clause.to_string(), width);
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

/// The clauses that decided, as JSON.
pub fn explain_clauses(judgement: &Judgement) -> Value {
    judgement.clauses.iter().map(ToString::to_string).collect()
}

/// The moves of the repetition as JSON.
pub fn explain_plies(game: &Game, judgement: &Judgement) -> Value {
    let classified = judgement.plies.iter().zip(chinese_moves(game, judgement));
    let objects = classified.map(|(classified, chinese)| {
        let chases = |chases: &[Chase]| -> Value {
            let chases = chases.iter().map(|Chase { chaser, chased }| {
                json!({ "chaser": chaser.to_string(), "chased": chased.to_string() })
            });
            chases.collect()
        };
        json!({
            "ply": classified.number,
            "move": classified.played.to_string(),
            "chinese": chinese,
            "class": classified.class.to_string(),
            "label": classified.class.chinese(),
            "check": classified.class == MoveClass::Check,
            "chases": chases(&classified.chases),
            "excused": chases(&classified.excused),
            "check_threats": classified.check_threats.iter().map(ToString::to_string).collect::<Value>(),
            "joint": classified.is_joint,
            "exemption": classified.exemption.map(|exemption| exemption.to_string()),
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
        .map(|Chase { chaser, chased }| format!("{chaser} chases {chased}"));
    let excused = classified.excused.iter().map(|Chase { chaser, chased }| {
        format!("{chaser} attacks {chased} but is excused (a protector was cut off)")
    });
    let check_threats = classified
        .check_threats
        .iter()
        .map(|piece| format!("{piece} threatens to win by a check"));
    let joint = classified
        .is_joint
        .then(|| "jointly, or of a partly protected piece".to_owned());
    let exemption = classified.exemption.map(|exemption| exemption.to_string());
    let class = class.map(str::to_owned).into_iter();
    let parts: Vec<String> = class
        .chain(chases)
        .chain(excused)
        .chain(check_threats)
        .chain(joint)
        .chain(exemption)
        .collect();
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
