//! The reasons of a verdict as text and as JSON.

use serde_json::{Value, json};

use super::{columns, fill, sentence, terminal_width, texts};
use crate::board::{Color, Piece};
use crate::notation::chinese;
use crate::rules::{Chase, ClassifiedMove, Game, Judgement, MoveClass, Placed, Verdict};
use crate::text::Language;

/// The reasons as text: the cause, what each side did, and a table of the moves of the repetition.
pub fn explain(game: &Game, judgement: &Judgement) -> String {
    let width = terminal_width();
    let texts = texts();
    let mut text = sentence(&judgement.local_reason(), width);
    if judgement.plies.is_empty() {
        return text;
    }
    for color in Color::ALL {
        let mut did = judgement.perpetuals[color].local_name().to_owned();
        let chased: Vec<String> = judgement.chased[color].iter().map(place).collect();
        if !chased.is_empty() {
            did = fill(texts.of_pieces, &[&did, &chased.join(texts.comma)]);
        }
        let side = color.local_name();
        text += &sentence(&fill(texts.side_did, &[side, &did]), width);
    }
    for clause in &judgement.clauses {
        text += &sentence(&local(clause.to_string(), || clause.chinese()), width);
    }
    let head = [texts.ply, texts.played, "", texts.piece, texts.what_it_does];
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

/// A text in the chosen language.
fn local(english: String, chinese: impl FnOnce() -> String) -> String {
    match Language::chosen() {
        Language::En => english,
        Language::Zh => chinese(),
    }
}

/// A piece and its square in the chosen language.
fn place(placed: &Placed) -> String {
    local(placed.to_string(), || placed.chinese())
}

/// The effect of a move, `-` if it is idle.
fn description(classified: &ClassifiedMove) -> String {
    let texts = texts();
    let class = match classified.class {
        MoveClass::Check => Some(texts.gives_check),
        MoveClass::MateThreat => Some(texts.threatens_mate),
        MoveClass::Exchange => Some(texts.offers_exchange),
        MoveClass::Chase | MoveClass::Idle => None,
    };
    let attack = |text: &str, Chase { chaser, chased }: &Chase| {
        fill(text, &[&place(chaser), &place(chased)])
    };
    let mut parts: Vec<String> = class.map(str::to_owned).into_iter().collect();
    let chases = classified.chases.iter();
    parts.extend(chases.map(|chase| attack(texts.chases, chase)));
    let excused = classified.excused.iter();
    parts.extend(excused.map(|chase| attack(texts.excused_attack, chase)));
    let threats = classified.check_threats.iter();
    parts.extend(threats.map(|piece| fill(texts.wins_by_check, &[&place(piece)])));
    if classified.is_joint {
        parts.push(texts.joint_chase.to_owned());
    }
    if let Some(exemption) = classified.exemption {
        parts.push(local(exemption.to_string(), || {
            exemption.chinese().to_owned()
        }));
    }
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(texts.comma)
    }
}

/// A piece: `red rook 车`, in Chinese `红方车`.
fn title(piece: Piece) -> String {
    let color = piece.color();
    local(
        format!("{color} {} {}", piece.kind(), piece.chinese()),
        || format!("{}{}", color.local_name(), piece.chinese()),
    )
}

/// The name of a verdict in the chosen language.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    let texts = texts();
    match verdict {
        Verdict::Undecided => texts.verdict_none,
        Verdict::Draw => texts.verdict_draw,
        Verdict::RedLoses => texts.verdict_red_loses,
        Verdict::BlackLoses => texts.verdict_black_loses,
    }
}
