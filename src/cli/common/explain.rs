//! The reasons of a verdict, for a person and for a program.

use serde_json::{Value, json};

use super::columns::columns;
use crate::board::{Color, Piece};
use crate::notation::chinese;
use crate::rules::{Chase, Conduct, Deed, Game, Judgement, Placed};

/// The reasons in words: the cause, what each side did, and a table of the repetition's plies.
pub(in crate::cli) fn text(game: &Game, judgement: &Judgement) -> String {
    let Judgement {
        cause,
        rules,
        occurrences,
        ..
    } = judgement;
    let mut text = format!("{cause}, {rules} rules, occurrence {occurrences} of the position\n");
    if judgement.plies.is_empty() {
        return text;
    }
    for color in Color::ALL {
        let mut did = judgement.levels[color].to_string();
        for (n, chased) in judgement.chased[color].iter().enumerate() {
            did += if n == 0 { " of " } else { ", " };
            did += &name(chased);
        }
        text += &format!("{color}: {did}\n");
    }
    let head = ["ply", "move", "", "piece", "what it does"];
    let mut rows = vec![head.map(str::to_owned)];
    for (conduct, chinese) in judgement.plies.iter().zip(spell(game, judgement)) {
        rows.push([
            conduct.number.to_string(),
            conduct.played.to_string(),
            chinese,
            title(conduct.piece),
            deeds(conduct),
        ]);
    }
    text + &columns(&rows) + "\n"
}

/// The plies of the repetition as JSON.
pub(in crate::cli) fn plies(game: &Game, judgement: &Judgement) -> Value {
    let conduct = judgement.plies.iter().zip(spell(game, judgement));
    let objects = conduct.map(|(conduct, chinese)| {
        let chases = conduct.chases.iter();
        let chases = chases
            .map(|chase| json!({ "chaser": name(&chase.chaser), "chased": name(&chase.chased) }));
        json!({
            "ply": conduct.number,
            "move": conduct.played.to_string(),
            "chinese": chinese,
            "deed": conduct.deed.to_string(),
            "label": conduct.deed.chinese(),
            "check": conduct.deed == Deed::Check,
            "chases": chases.collect::<Value>(),
            "strikers": conduct.strikers.iter().map(name).collect::<Value>(),
        })
    });
    objects.collect()
}

/// The moves of the repetition, its last part, in Chinese.
fn spell(game: &Game, judgement: &Judgement) -> Vec<String> {
    let mut before = game.clone();
    let mut words = Vec::with_capacity(judgement.plies.len());
    for _ in &judgement.plies {
        let Some(played) = before.pop() else { break };
        words.push(chinese::write(before.position(), played));
    }
    words.reverse();
    words
}

/// What a move did, `-` for nothing of note.
fn deeds(conduct: &Conduct) -> String {
    let deed = match conduct.deed {
        Deed::Check => Some("check"),
        Deed::MateThreat => Some("threatens mate"),
        Deed::Exchange => Some("offers an exchange"),
        Deed::Chase | Deed::Idle => None,
    };
    let chases = conduct
        .chases
        .iter()
        .map(|Chase { chaser, chased }| format!("{} chases {}", name(chaser), name(chased)));
    let strikes = conduct
        .strikers
        .iter()
        .map(|striker| format!("{} is to win by a check", name(striker)));
    let deed = deed.map(str::to_owned).into_iter();
    let deeds: Vec<String> = deed.chain(chases).chain(strikes).collect();
    match deeds.is_empty() {
        true => "-".to_owned(),
        false => deeds.join(", "),
    }
}

/// A piece in English and Chinese.
fn title(piece: Piece) -> String {
    format!("{} {} {}", piece.color(), piece.kind(), piece.chinese())
}

/// A piece with its square.
fn name(placed: &Placed) -> String {
    format!("{} {}", title(placed.piece), placed.square)
}
