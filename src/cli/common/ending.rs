//! Results of endgame tables as text.

use serde_json::{Value, json};

use super::{fill, note, texts, translated};
use crate::rules::{
    Cause, Game, RuleSet, Verdict, is_within_no_capture_limit, judge, judge_outcome,
};
use crate::tablebase::{Material, TableOutcome, Tables};

/// Reports tables that turned out to be damaged on standard error.
pub fn report_damaged_tables(tables: &Tables) {
    tables
        .unreported_damage()
        .iter()
        .for_each(|error| note(error));
}

/// How a game has ended by its position or by the rules; `None` if it is not over.
pub fn describe_end(game: &Game, rules: RuleSet) -> Option<String> {
    let judgement = judge(game, rules);
    let side = game.position().side_to_move();
    let sides = [side.local_name(), (!side).local_name()];
    match judgement.cause {
        Cause::Checkmate => Some(fill(texts().checkmated, &sides)),
        Cause::Stalemate => Some(fill(texts().stalemated, &sides)),
        _ => judgement.ruling(),
    }
}

/// How the no-capture limit affects a win in `plies` plies at the end of a game; `None` if the mate comes first.
pub fn describe_no_capture_limit(
    game: &Game,
    tables: &Tables,
    rules: RuleSet,
    plies: u16,
) -> Option<String> {
    let position = game.position();
    let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
    if is_in_time(plies) {
        return None;
    }
    let capture = tables.dtc(position).filter(|plies| is_in_time(*plies));
    Some(match capture {
        Some(plies) => {
            format!("a capture within {plies} plies is needed to avoid the no-capture limit")
        }
        None => "but the no-capture limit comes first".to_owned(),
    })
}

/// The value of a position or move in an endgame table as JSON.
pub fn outcome_json(outcome: Option<TableOutcome>) -> Value {
    match outcome {
        Some(TableOutcome::Win(plies)) => json!({"result": "win", "plies": plies}),
        Some(TableOutcome::WinByRule(plies)) => {
            json!({"result": "win", "by": "rules", "plies_without_repetitions": plies})
        }
        Some(TableOutcome::Draw) => json!({"result": "draw"}),
        Some(TableOutcome::LossByRule(plies)) => {
            json!({"result": "loss", "by": "rules", "plies_without_repetitions": plies})
        }
        Some(TableOutcome::Loss(plies)) => json!({"result": "loss", "plies": plies}),
        None => json!({"result": "unknown"}),
    }
}

/// The name and result of the ending on the board, if the game is not over and a table has the position.
pub fn describe_ending(game: &Game, tables: &Tables, rules: RuleSet) -> Option<String> {
    if judge_outcome(game, rules).verdict != Verdict::Undecided {
        return None;
    }
    let position = game.position();
    let (material, _) = Material::of(position)?;
    let outcome = tables.probe(position, rules)?.outcome;
    let side = position.side_to_move();
    let limit = |plies| {
        let limit = describe_no_capture_limit(game, tables, rules, plies);
        limit.map_or_else(String::new, |limit| format!("; {limit}"))
    };
    let result = match outcome {
        TableOutcome::Win(plies) => format!("{side} wins, mate in {plies} plies{}", limit(plies)),
        TableOutcome::WinByRule(_) => format!("{side} wins by the {rules} repetition rules"),
        TableOutcome::Draw => "draw".to_owned(),
        TableOutcome::LossByRule(_) => format!("{side} loses by the {rules} repetition rules"),
        TableOutcome::Loss(plies) => {
            format!("{side} loses, mated in {plies} plies{}", limit(plies))
        }
    };
    let result = translated(&result);
    Some(format!("{material} {}: {result}", material.chinese()))
}
