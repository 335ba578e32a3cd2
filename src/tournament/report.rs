//! Games and standings for other programs: PGN and JSON.

use serde_json::{Map, Value, json};

use super::record::{GameRecord, GameSummary};
use super::runner::{End, Tournament};
use super::stats::{EngineFigures, Interval, Scores, SprtRun, Standings};
use crate::notation::fen::FenError;
use crate::notation::pgn::PgnGame;

/// A game for a PGN. `date` is `2026.01.31`.
///
/// # Errors
/// The record has been tampered with.
pub fn pgn_game(
    tournament: &Tournament,
    record: &GameRecord,
    date: &str,
) -> Result<PgnGame, FenError> {
    let [red, black] = record.players.map(|number| &tournament.engines[number]);
    let round = record.number / 2 / tournament.schedule().pairings().len() as u64 + 1;
    let mut tags = vec![
        ("Event", tournament.event.clone()),
        ("Site", "?".to_owned()),
        ("Date", date.to_owned()),
        ("Round", format!("{round}.{}", record.number + 1)),
        ("Red", red.name.clone()),
        ("Black", black.name.clone()),
        ("Rules", tournament.rules.rules.to_string()),
        ("RedTimeControl", red.limit.to_string()),
        ("BlackTimeControl", black.limit.to_string()),
        ("PlyCount", record.moves.len().to_string()),
        ("Termination", record.reason.termination().to_owned()),
        ("Reason", record.reason.to_string()),
    ];
    if !record.detail.is_empty() {
        tags.push(("Detail", record.detail.clone()));
    }
    let tags = tags
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    record.pgn(tags.collect())
}

/// All that is known of a tournament.
pub fn json_report(
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
    end: End,
) -> Value {
    let reasons = standings.reasons().into_iter();
    let reasons = reasons.map(|(reason, count)| (reason.name().to_owned(), json!(count)));
    json!({
        "event": tournament.event,
        "end": match end {
            End::Finished => "finished",
            End::Decided => "decided",
            End::Interrupted => "interrupted",
        },
        "rules": tournament.rules.rules.name(),
        "engines": engines(tournament, standings),
        "pairings": pairings(tournament, standings),
        "sprt": standings.sprt.as_ref().map(test),
        "mean_plies": standings.mean_plies(),
        "reasons": reasons.collect::<Map<_, _>>(),
        "games": games.iter().map(|g| game(tournament, g)).collect::<Vec<_>>(),
    })
}

fn name(tournament: &Tournament, engine: usize) -> &str {
    &tournament.engines[engine].name
}

/// The results and figures of each engine.
fn engines(tournament: &Tournament, standings: &Standings) -> Vec<Value> {
    let engine = |(number, figures): (usize, &EngineFigures)| {
        let mut engine = scores(&standings.of(number));
        engine["name"] = json!(name(tournament, number));
        engine["limit"] = json!(tournament.engines[number].limit.to_string());
        engine["moves"] = json!(figures.moves);
        engine["seconds"] = json!(figures.time.as_secs_f64());
        engine["mean_depth"] = json!(figures.mean_depth());
        engine["nodes_per_second"] = json!(figures.speed());
        engine["worst_overrun_ms"] = json!(figures.overrun.map(|o| o.as_secs_f64() * 1e3));
        engine["illegal_moves"] = json!(figures.illegal);
        engine["time_losses"] = json!(figures.late);
        engine["crashes"] = json!(figures.crashes);
        engine
    };
    standings.figures().iter().enumerate().map(engine).collect()
}

/// The results of each pairing, as its first engine has them.
fn pairings(tournament: &Tournament, standings: &Standings) -> Vec<Value> {
    let pairing = |([first, second], results): ([usize; 2], &Scores)| {
        let mut pairing = scores(results);
        pairing["first"] = json!(name(tournament, first));
        pairing["second"] = json!(name(tournament, second));
        pairing
    };
    standings.pairings().map(pairing).collect()
}

/// How a sequential test stands.
fn test(run: &SprtRun) -> Value {
    let (lower, upper) = run.sprt().bounds();
    json!({
        "test": run.sprt().to_string(),
        "pairs": run.pairs(),
        "llr": run.ratio(),
        "lower": lower,
        "upper": upper,
        "decision": run.decision().map(|decision| format!("{decision:?}")),
    })
}

fn game(tournament: &Tournament, game: &GameSummary) -> Value {
    let [red, black] = game.players.map(|number| name(tournament, number));
    json!({
        "number": game.number + 1,
        "red": red,
        "black": black,
        "result": game.result.text(),
        "reason": game.reason.name(),
        "detail": game.detail,
        "plies": game.plies,
    })
}

/// Results with what they tell. What is infinite is null.
fn scores(scores: &Scores) -> Value {
    let [losses, draws, wins] = scores.games;
    let mut object = json!({
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "points": scores.points(),
        "pentanomial": scores.pairs,
    });
    if let Some(estimate) = scores.estimate() {
        let interval = |i: Interval| json!({"value": i.value, "low": i.low, "high": i.high});
        object["score"] = json!(estimate.score);
        object["elo"] = interval(estimate.elo);
        object["normalized_elo"] = interval(estimate.normalized_elo);
        object["superiority"] = json!(estimate.superiority);
        object["draw_ratio"] = json!(estimate.draw_ratio);
    }
    object
}
