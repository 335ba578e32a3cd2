//! The match report in JSON.
//!
//! The field names below are the JSON keys. New keys may be added at any time; if a key is removed or its meaning
//! changes, [`VERSION`] is incremented.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::Tournament;
use super::record::GameSummary;
use super::runner::TournamentEnd;
use super::stats::{
    Effect, EngineStats, Estimate, FactorRun, Rating, Scores, SprtRun, SpsaRun, Standings,
    TunedValue, ratings,
};
use crate::board::Color;

const VERSION: u32 = 1;

#[derive(Debug, Serialize)]
pub struct JsonReport<'a> {
    version: u32,
    event: &'a str,
    /// `finished`, `decided`, `interrupted` or `failed`; `null` while games are played.
    end: Option<&'static str>,
    /// The winner of a knockout; `null` while it is undecided, and in other formats.
    winner: Option<&'a str>,
    rules: &'static str,
    games_played: u64,
    /// Number of games of the tournament; `null` if only an SPRT ends it.
    total_games: Option<u64>,
    /// Estimated time for the remaining games; `null` if unknown.
    seconds_left: Option<f64>,
    engines: Vec<EngineReport<'a>>,
    pairings: Vec<PairingReport<'a>>,
    sprt: Option<SprtReport>,
    /// The effects of factors, the largest first; left out without factors.
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<Vec<Effect>>,
    /// The tuned parameters; left out without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    spsa: Option<Vec<TunedValue>>,
    mean_plies: f64,
    reasons: BTreeMap<&'static str, u64>,
    /// Games that were void and replayed because the machine stalled.
    void_games: u64,
    /// All games in the report of `--json`; only the last ones in a status file.
    games: Vec<GameReport<'a>>,
}

/// Results with their statistics. The estimate is left out without games, and infinite values are `null`.
#[derive(Debug, Serialize)]
struct ScoresReport {
    #[serde(flatten)]
    games: ResultsReport,
    points: f64,
    pentanomial: [u64; 5],
    #[serde(flatten)]
    estimate: Option<Estimate>,
}

#[derive(Debug, Serialize)]
struct EngineReport<'a> {
    name: &'a str,
    /// The name in the handshake, the protocol and the options.
    engine: String,
    limit: String,
    /// Bradley-Terry rating, only with more than two engines.
    rating: Option<Rating>,
    /// Sonneborn-Berger score, only with more than two engines.
    sonneborn_berger: Option<f64>,
    #[serde(flatten)]
    scores: ScoresReport,
    moves: u64,
    /// Thinking time of all moves.
    seconds: f64,
    mean_depth: Option<f64>,
    nodes_per_second: Option<f64>,
    worst_overrun_ms: Option<f64>,
    illegal_moves: u64,
    time_losses: u64,
    crashes: u64,
    as_red: ResultsReport,
    as_black: ResultsReport,
}

/// Results of all games, or of those with one color.
#[derive(Debug, Serialize)]
struct ResultsReport {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl From<[u64; 3]> for ResultsReport {
    fn from([losses, draws, wins]: [u64; 3]) -> Self {
        Self { wins, draws, losses }
    }
}

/// The results of a pairing from the point of view of its first engine.
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
    /// The bounds of the LLR at which H0 and H1 are accepted.
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
    /// `games` are the games to list; `end` is `None` while games are played; `left` is the estimated remaining time.
    pub fn new(
        tournament: &'a Tournament,
        standings: &Standings,
        games: &'a [GameSummary],
        end: Option<TournamentEnd>,
        left: Option<Duration>,
    ) -> Self {
        let name = |engine: usize| tournament.engines[engine].name.as_str();
        let reasons = standings.reasons().into_iter();
        let stats = standings.engine_stats().iter().enumerate();
        let pairings = standings.pairings();
        let rated = match tournament.engines.len() {
            0..=2 => Vec::new(),
            _ => ratings(standings),
        };
        let tie_breaks = standings.sonneborn_berger();
        Self {
            version: VERSION,
            event: &tournament.event,
            end: end.map(TournamentEnd::name),
            winner: standings.winner.map(name),
            rules: tournament.rules.rules.name(),
            games_played: standings.games(),
            total_games: tournament.total_games(),
            seconds_left: left.map(|left| left.as_secs_f64()),
            engines: stats
                .map(|(number, stats)| {
                    let rating = rated.get(number).map(|rating| (*rating, tie_breaks[number]));
                    engine_report(tournament, number, standings.of(number), stats, rating)
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
            factors: standings.factors.as_ref().map(FactorRun::effects),
            spsa: standings.spsa.as_ref().map(SpsaRun::values),
            mean_plies: standings.mean_plies(),
            reasons: reasons.map(|(reason, count)| (reason.name(), count)).collect(),
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
    stats: &EngineStats,
    rating: Option<(Rating, f64)>,
) -> EngineReport<'a> {
    let engine = &tournament.engines[number];
    EngineReport {
        name: &engine.name,
        engine: engine.identification(),
        limit: engine.limit.to_string(),
        rating: rating.map(|(rating, _)| rating),
        sonneborn_berger: rating.map(|(_, sonneborn_berger)| sonneborn_berger),
        scores: (&scores).into(),
        moves: stats.moves,
        seconds: stats.time.as_secs_f64(),
        mean_depth: stats.mean_depth(),
        nodes_per_second: stats.speed(),
        worst_overrun_ms: stats.overrun.map(|over| over.as_secs_f64() * 1e3),
        illegal_moves: stats.illegal_moves,
        time_losses: stats.time_losses,
        crashes: stats.crashes,
        as_red: stats.by_color[Color::Red].into(),
        as_black: stats.by_color[Color::Black].into(),
    }
}

impl From<&Scores> for ScoresReport {
    fn from(scores: &Scores) -> Self {
        Self {
            games: scores.games.into(),
            points: scores.points(),
            pentanomial: scores.pairs,
            estimate: scores.estimate(),
        }
    }
}

impl From<&SprtRun> for SprtReport {
    fn from(run: &SprtRun) -> Self {
        let (lower, upper) = run.sprt.bounds();
        Self {
            test: run.sprt.to_string(),
            pairs: run.pairs,
            llr: run.llr(),
            lower,
            upper,
            decision: run.decision.map(|decision| decision.name()),
        }
    }
}
