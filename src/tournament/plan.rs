//! The settings of a tournament.

use std::time::Duration;

use serde::Serialize;

use super::adjudication::Adjudication;
use super::adjudication::TablebaseAdjudication;
use super::limit::Timeouts;
use super::openings::Openings;
use super::record::GameSummary;
use super::schedule::{ColorOrder, Fixture, Schedule, TournamentFormat};
use super::spec::EngineSpec;
use super::stats::{Factors, Sprt, Standings};
use crate::rules::RuleSet;

/// Rounds of a tournament that an SPRT ends.
const MAX_ROUNDS: u64 = 10_000_000;

/// The settings of a tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The PGN tag `Event`.
    pub event: String,
    /// The participants.
    pub engines: Vec<EngineSpec>,
    /// The format of the pairings.
    pub format: TournamentFormat,
    /// Number of seeds of a gauntlet: engines that play all others.
    pub seeds: usize,
    /// The colors of the engines in each pair of games.
    pub colors: ColorOrder,
    /// Number of rounds; in each round every pairing plays one opening with both colors. `None` if only the SPRT
    /// ends the tournament.
    pub rounds: Option<u64>,
    /// Number of games played at the same time.
    pub concurrency: usize,
    /// Pause of each worker between two games.
    pub wait: Duration,
    /// The opening positions.
    pub openings: Openings,
    /// The rules and adjudication of each game.
    pub rules: GameRules,
    /// How long to wait for responses of engines.
    pub timeouts: Timeouts,
    /// Whether PGN comments contain nodes, speed, time left and principal variation.
    pub has_details: bool,
    /// Whether each game is pinned to its own processors.
    pub pin: bool,
    /// The SPRT that ends the tournament.
    pub sprt: Option<Sprt>,
    /// Options of the two engines that vary between pairs of games.
    pub factors: Option<Factors>,
}

/// The rules and adjudication of a game. They are part of the journal.
#[derive(Clone, Debug, Serialize)]
pub struct GameRules {
    /// The rule set for repetition and the no-capture limit.
    #[serde(rename = "set")]
    pub rules: RuleSet,
    /// Ply limit after which a game is drawn.
    pub max_plies: Option<usize>,
    /// Adjudication by score.
    #[serde(flatten)]
    pub adjudication: Adjudication,
    /// Adjudication by tablebases.
    #[serde(rename = "tables", skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablebaseAdjudication>,
    /// Whether moves that lose by repetition are sent to UCCI engines as `banmoves`.
    pub banmoves: bool,
}

impl Tournament {
    /// The schedule of all games.
    pub fn schedule(&self) -> Schedule {
        let rounds = self.rounds.unwrap_or(MAX_ROUNDS);
        Schedule::new(self.format, self.engines.len(), self.seeds, rounds).with_colors(self.colors)
    }

    /// The options of an engine in a game that the factors set.
    pub fn factor_options(&self, engine: usize, fixture: &Fixture) -> Vec<(String, String)> {
        let options = |factors: &Factors| factors.options(fixture.number / 2, engine);
        self.factors.as_ref().map_or_else(Vec::new, options)
    }

    /// The settings of an engine in a game, with the values of the factors.
    pub fn spec_of(&self, engine: usize, fixture: &Fixture) -> EngineSpec {
        let mut spec = self.engines[engine].clone();
        spec.set_options(self.factor_options(engine, fixture));
        spec
    }

    /// Number of games; `None` if only the SPRT ends the tournament.
    pub fn total_games(&self) -> Option<u64> {
        self.rounds.map(|_| self.schedule().total_games())
    }

    /// The winner of a knockout, if it is decided.
    pub fn knockout_winner(&self, games: &[GameSummary]) -> Option<usize> {
        let mut schedule = self.schedule();
        while schedule.advance(games) {}
        let games: Vec<&GameSummary> = games.iter().collect();
        match schedule.survivors(&games)[..] {
            [winner] if self.format == TournamentFormat::Knockout => Some(winner),
            _ => None,
        }
    }

    /// Standings without games.
    pub fn standings(&self) -> Standings {
        Standings::new(
            &self.schedule(),
            self.engines.len(),
            self.sprt,
            self.factors.clone(),
        )
    }
}
