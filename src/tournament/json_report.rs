//! The standings for other programs, in JSON.
//!
//! The names of the fields below are the keys of the report. Keys are added without notice; when one
//! goes or changes its meaning, [`VERSION`] rises.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::plan::Tournament;
use super::record::GameSummary;
use super::runner::TournamentEnd;
use super::stats::{EngineFigures, Interval, Rating, Scores, SprtRun, Standings, ratings};
use crate::board::Color;

/// Which form the report has.
const VERSION: u32 = 1;

/// All that is known of a tournament, to be serialized.
#[derive(Debug, Serialize)]
pub struct JsonReport<'a> {
    version: u32,
    event: &'a str,
    /// `finished`, `decided` or `interrupted`; `null` while games are played.
    end: Option<&'static str>,
    rules: &'static str,
    games_played: u64,
    /// All games of the tournament; `null` where a test decides how many.
    games_due: Option<u64>,
    /// How long the other games will take at the pace so far; `null` where that is not known.
    seconds_left: Option<f64>,
    engines: Vec<EngineReport<'a>>,
    pairings: Vec<PairingReport<'a>>,
    sprt: Option<SprtReport>,
    mean_plies: f64,
    /// How often games ended for each reason.
    reasons: BTreeMap<&'static str, u64>,
    /// Games that were declared void and played again.
    void_games: u64,
    games: Vec<GameReport<'a>>,
}

/// Results with what they tell. What is infinite is `null`.
#[derive(Debug, Serialize)]
struct ScoresReport {
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    pentanomial: [u64; 5],
    #[serde(flatten)]
    estimate: Option<EstimateReport>,
}

#[derive(Debug, Serialize)]
struct EstimateReport {
    score: f64,
    elo: IntervalReport,
    normalized_elo: IntervalReport,
    superiority: f64,
    draw_ratio: f64,
}

#[derive(Debug, Serialize)]
struct IntervalReport {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Debug, Serialize)]
struct EngineReport<'a> {
    name: &'a str,
    limit: String,
    /// The most likely one of all results together, 0 on average, where more than two engines play.
    rating: Option<RatingReport>,
    #[serde(flatten)]
    scores: ScoresReport,
    moves: u64,
    seconds: f64,
    mean_depth: Option<f64>,
    nodes_per_second: Option<f64>,
    worst_overrun_ms: Option<f64>,
    illegal_moves: u64,
    time_losses: u64,
    crashes: u64,
}

/// An Elo rating with its 95 % error; an infinite one is `null`.
#[derive(Debug, Serialize)]
struct RatingReport {
    value: f64,
    error: f64,
}

/// The results of a pairing, as its first engine has them.
#[derive(Debug, Serialize)]
struct PairingReport<'a> {
    first: &'a str,
    second: &'a str,
    #[serde(flatten)]
    scores: ScoresReport,
}

#[derive(Debug, Serialize)]
struct SprtReport {
    test: String,
    pairs: [u64; 5],
    llr: f64,
    lower: f64,
    upper: f64,
    decision: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct GameReport<'a> {
    number: u64,
    red: &'a str,
    black: &'a str,
    result: &'static str,
    reason: &'static str,
    detail: &'a str,
    plies: usize,
}

impl<'a> JsonReport<'a> {
    /// The report of a tournament; `end` is `None` while it goes on, and `left` is about how long that will
    /// be.
    pub fn new(
        tournament: &'a Tournament,
        standings: &Standings,
        games: &'a [GameSummary],
        end: Option<TournamentEnd>,
        left: Option<Duration>,
    ) -> Self {
        let name = |engine: usize| tournament.engines[engine].name.as_str();
        let reasons = standings.reasons().into_iter();
        let figures = standings.figures().iter().enumerate();
        let pairings = standings.pairings();
        let rated = match tournament.engines.len() {
            0..=2 => Vec::new(),
            _ => ratings(standings),
        };
        Self {
            version: VERSION,
            event: &tournament.event,
            end: end.map(TournamentEnd::name),
            rules: tournament.rules.rules.name(),
            games_played: standings.games(),
            games_due: tournament.games_due(),
            seconds_left: left.map(|left| left.as_secs_f64()),
            engines: figures
                .map(|(number, figures)| {
                    let rating = rated.get(number);
                    engine_report(tournament, number, standings.of(number), figures, rating)
                })
                .collect(),
            pairings: pairings
                .map(|([first, second], scores)| PairingReport {
                    first: name(first),
                    second: name(second),
                    scores: scores.into(),
                })
                .collect(),
            sprt: standings.sprt.as_ref().map(SprtReport::from),
            mean_plies: standings.mean_plies(),
            reasons: reasons
                .map(|(reason, count)| (reason.name(), count))
                .collect(),
            void_games: standings.void_games,
            games: games
                .iter()
                .map(|game| GameReport {
                    number: game.number + 1,
                    red: name(game.players[Color::Red]),
                    black: name(game.players[Color::Black]),
                    result: game.result.text(),
                    reason: game.reason.name(),
                    detail: &game.detail,
                    plies: game.plies,
                })
                .collect(),
        }
    }
}

fn engine_report<'a>(
    tournament: &'a Tournament,
    number: usize,
    scores: Scores,
    figures: &EngineFigures,
    rating: Option<&Rating>,
) -> EngineReport<'a> {
    let engine = &tournament.engines[number];
    EngineReport {
        name: &engine.name,
        limit: engine.limit.to_string(),
        rating: rating.map(RatingReport::from),
        scores: (&scores).into(),
        moves: figures.moves,
        seconds: figures.time.as_secs_f64(),
        mean_depth: figures.mean_depth(),
        nodes_per_second: figures.speed(),
        worst_overrun_ms: figures.overrun.map(|over| over.as_secs_f64() * 1e3),
        illegal_moves: figures.illegal,
        time_losses: figures.late,
        crashes: figures.crashes,
    }
}

impl From<&Rating> for RatingReport {
    fn from(&Rating { value, error }: &Rating) -> Self {
        Self { value, error }
    }
}

impl From<&Scores> for ScoresReport {
    fn from(scores: &Scores) -> Self {
        let [losses, draws, wins] = scores.games;
        Self {
            wins,
            draws,
            losses,
            points: scores.points(),
            pentanomial: scores.pairs,
            estimate: scores.estimate().map(|estimate| EstimateReport {
                score: estimate.score,
                elo: estimate.elo.into(),
                normalized_elo: estimate.normalized_elo.into(),
                superiority: estimate.superiority,
                draw_ratio: estimate.draw_ratio,
            }),
        }
    }
}

impl From<Interval> for IntervalReport {
    fn from(Interval { value, low, high }: Interval) -> Self {
        Self { value, low, high }
    }
}

impl From<&SprtRun> for SprtReport {
    fn from(run: &SprtRun) -> Self {
        let (lower, upper) = run.sprt().bounds();
        Self {
            test: run.sprt().to_string(),
            pairs: *run.pairs(),
            llr: run.ratio(),
            lower,
            upper,
            decision: run.decision().map(|decision| decision.name()),
        }
    }
}
