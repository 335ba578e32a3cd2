//! The plan of a tournament.

use std::time::Duration;

use super::adjudication::Adjudication;
use super::limit::Timeouts;
use super::openings::Openings;
use super::schedule::{ColorOrder, Schedule, TournamentFormat};
use super::spec::EngineSpec;
use super::stats::{Sprt, Standings};
use super::table_adjudication::TableAdjudication;
use crate::rules::RuleSet;

/// Rounds of a tournament that a sequential test is to end.
const ENDLESS: u64 = 10_000_000;

/// The plan of a tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its name.
    pub event: String,
    /// The participants.
    pub engines: Vec<EngineSpec>,
    /// Which engines meet.
    pub format: TournamentFormat,
    /// How many engines of a gauntlet play all others.
    pub seeds: usize,
    /// Which engine has which color.
    pub colors: ColorOrder,
    /// Rounds, in each of which every pairing plays one opening with both colors; `None` for as
    /// many as a sequential test asks for.
    pub rounds: Option<u64>,
    /// Games at a time.
    pub concurrency: usize,
    /// How long each worker waits between two games.
    pub wait: Duration,
    /// Where games begin.
    pub openings: Openings,
    /// What holds in each game.
    pub rules: GameRules,
    /// How long engines may be silent.
    pub timeouts: Timeouts,
    /// Whether records tell nodes, speed, time left and variations.
    pub has_details: bool,
    /// Whether each game has processors of its own.
    pub pin: bool,
    /// The test that ends the tournament.
    pub sprt: Option<Sprt>,
}

/// What holds for every game of a tournament.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// Rules of repetition and limits.
    pub rules: RuleSet,
    /// Plies after which a game is drawn.
    pub longest: Option<usize>,
    /// Decisions by score.
    pub adjudication: Adjudication,
    /// Decisions by endgame tables.
    pub tables: Option<TableAdjudication>,
    /// Whether UCCI engines are told which moves would lose by repetition.
    pub banmoves: bool,
}

impl Tournament {
    /// The games.
    pub fn schedule(&self) -> Schedule {
        let rounds = self.rounds.unwrap_or(ENDLESS);
        Schedule::new(self.format, self.engines.len(), self.seeds, rounds).with_colors(self.colors)
    }

    /// How many games there are; `None` where a test decides that.
    pub fn games_due(&self) -> Option<u64> {
        self.rounds.map(|_| self.schedule().games())
    }

    /// Before the first game.
    pub fn standings(&self) -> Standings {
        Standings::new(&self.schedule(), self.engines.len(), self.sprt)
    }
}
