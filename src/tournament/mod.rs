//! Tournaments between engines that speak UCCI, UCI or XBoard.
//!
//! [`run`] plays a [`Tournament`]. Each worker thread takes games from the [`Schedule`], runs the two engine processes,
//! and plays the game under the rules of the `referee`. A finished game is a [`GameRecord`]: `stats` computes all
//! results from records, the [`Journal`] stores them so that a killed run can be resumed, and [`verify()`] checks
//! whether a game record from any source agrees with the rules.
//!
//! Engines are not trusted: they may hang, crash, write endless output or report false numbers. A misbehaving engine
//! loses its own game and does not affect the others.

mod adjudication;
mod conformance;
mod end_reason;
mod engine;
mod journal;
mod json_report;
mod limit;
mod openings;
mod play;
mod record;
mod referee;
mod runner;
mod schedule;
mod settings;
mod spec;
mod stall;
pub mod stats;
mod worker;

pub use adjudication::{Adjudication, ScoreDraw, ScoreWin, TablebaseAdjudication};
pub use conformance::{CheckOutcome, CheckReport, CheckTimeouts, check_protocol};
pub use end_reason::{EndReason, Ending};
pub use engine::{EngineFailure, EngineScore, Handshake};
pub use journal::{Journal, JournalContent, JournalError, OnDamage, is_journal};
pub use json_report::JsonReport;
pub use limit::{Clock, Limit, ParseTimeControlError, TimeControl, Timeouts};
pub use openings::{
    BALANCED, FoundOpening, MAX_FAILED_LINES, OpeningError, OpeningSearch, Openings, find_openings,
};
pub use record::{GameRecord, GameSummary, MoveRecord};
pub use referee::verify;
pub use runner::{
    TournamentEnd, TournamentEvent, TournamentStartError, check_engines, check_processors, run,
};
pub use schedule::{ColorOrder, Schedule, ScheduledGame, TournamentFormat};
pub use settings::SettingError;
pub use spec::{EngineProtocol, EngineSpec, PartialEngineSpec, read_toml};

use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;

use crate::board::{ByColor, Color};
use crate::notation::MoveStyle;
use crate::notation::fen::FenError;
use crate::notation::tree::GameTree;
use crate::rules::RuleSet;
use stats::{EngineStats, Factors, Sprt, Spsa, SpsaRun, Standings};

/// Number of rounds of the schedule if only the SPRT ends the tournament.
const MAX_ROUNDS: u64 = 10_000_000;

/// The PGN tag with the id of the match's journal.
pub const MATCH_ID: &str = "MatchId";

#[derive(Clone, Debug)]
pub struct Tournament {
    /// The PGN tag `Event`.
    pub event: String,
    pub engines: Vec<EngineSpec>,
    pub format: TournamentFormat,
    /// Number of seeds of a gauntlet: engines that play all others, but not each other.
    pub seeds: usize,
    pub colors: ColorOrder,
    /// Whether each pairing plays one game in a round, not two.
    pub has_single_games: bool,
    /// Number of rounds; in each round every pairing plays two games from one opening. In a knockout, the number of
    /// openings per match. `None` if only the SPRT ends the tournament.
    pub rounds: Option<u64>,
    /// Number of games played at the same time.
    pub concurrency: usize,
    /// Pause of each worker between two games.
    pub wait: Duration,
    pub openings: Openings,
    pub rules: GameRules,
    pub timeouts: Timeouts,
    /// Whether everything that the engines report is recorded and written to PGN comments, with speed and time left.
    pub has_details: bool,
    /// Whether each game is pinned to its own processors, one for each search thread that runs at the same time.
    pub pin: bool,
    /// The SPRT that ends the tournament.
    pub sprt: Option<Sprt>,
    /// Options of the two engines that vary between pairs of games.
    pub factors: Option<Factors>,
    /// Options of the two engines that are tuned.
    pub spsa: Option<Spsa>,
}

/// The rules and adjudication of a game. They are part of the journal.
#[derive(Clone, Debug, Serialize)]
pub struct GameRules {
    /// The rule set for repetition and the no-capture limit.
    #[serde(rename = "set")]
    pub rules: RuleSet,
    /// Ply limit after which a game is drawn.
    pub max_plies: Option<usize>,
    #[serde(flatten)]
    pub adjudication: Adjudication,
    #[serde(rename = "tables", skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablebaseAdjudication>,
    /// Whether moves that lose by repetition are sent to UCCI engines as `banmoves`.
    pub banmoves: bool,
}

impl Tournament {
    pub fn schedule(&self) -> Schedule {
        let rounds = self.rounds.unwrap_or(MAX_ROUNDS);
        let mut schedule = Schedule::new(self.format, self.engines.len(), self.seeds, rounds);
        schedule.colors = self.colors;
        schedule.games_per_pairing = if self.has_single_games { 1 } else { 2 };
        schedule
    }

    /// The options that factors and tuning set for the two engines of a game. `spsa` has the tuned values so far.
    pub fn varied_options(
        &self,
        scheduled: &ScheduledGame,
        spsa: Option<&SpsaRun>,
    ) -> ByColor<Vec<(String, String)>> {
        let pair = scheduled.number / 2;
        let tuned = spsa.map(|spsa| spsa.options(pair));
        scheduled.players.map(|engine| {
            let factors = self.factors.iter().flat_map(|f| f.options(pair, engine));
            let tuned = tuned.iter().flat_map(|options| options[engine].clone());
            factors.chain(tuned).collect()
        })
    }

    /// The settings of an engine with `options` from [`Self::varied_options`].
    pub fn spec_with(&self, engine: usize, options: &[(String, String)]) -> EngineSpec {
        let mut spec = self.engines[engine].clone();
        spec.set_options(options.to_vec());
        spec
    }

    /// The first round, from 0, in which engines may play from the same position with the same colors as before: the
    /// first round with the final position of an earlier opening, or round 0 if both games of a pair have the same
    /// colors. With single games, the colors are swapped from round to round unless they are fixed. In a Swiss
    /// tournament `None`, unless both games of a pair have the same colors, because the pairings change.
    pub fn first_repeated_round(&self) -> Option<u64> {
        if self.colors.is_fixed() && !self.has_single_games {
            return Some(0);
        }
        let swaps = self.has_single_games && !self.colors.is_fixed();
        let mut seen = HashSet::new();
        let mut rounds = 0..=2 * self.openings.lines().len() as u64;
        let round = rounds.find(|round| {
            let key = self.openings.of_round(*round).end().key();
            !seen.insert((key, swaps && !round.is_multiple_of(2)))
        });
        round.filter(|_| self.format != TournamentFormat::Swiss)
    }

    /// The largest number of search threads that run at the same time in a game, according to the options.
    pub fn threads_per_game(&self) -> usize {
        let mut threads: Vec<usize> = self.engines.iter().map(EngineSpec::threads).collect();
        threads.sort_by_key(|threads| Reverse(*threads));
        // Only one engine of a game thinks at a time, unless one ponders.
        let thinking = 1 + usize::from(self.engines.iter().any(|engine| engine.ponder));
        threads.iter().take(thinking).sum()
    }

    /// Number of games; `None` if only the SPRT ends the tournament.
    pub fn total_games(&self) -> Option<u64> {
        self.rounds.map(|_| self.schedule().total_games())
    }

    /// Standings before the first game.
    pub fn standings(&self) -> Standings {
        Standings::new(
            &self.schedule(),
            self.engines.len(),
            self.sprt,
            self.factors.clone(),
            self.spsa.clone(),
        )
    }
}

/// Converts a record to a game with the tags of the PGN file. `id` is the id of the journal, `notation` that of the
/// principal variations in comments.
pub fn tree_of_record(
    tournament: &Tournament,
    record: &GameRecord,
    id: Option<&str>,
    notation: MoveStyle,
) -> Result<GameTree, FenError> {
    let ByColor([red, black]) = record.players.map(|number| &tournament.engines[number]);
    let round = tournament.schedule().round(record.number) + 1;
    let started = record.started.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let date = started.map_or("????.??.??".to_owned(), |started| {
        let local = started.to_zoned(jiff::tz::TimeZone::system());
        local.strftime("%Y.%m.%d").to_string()
    });
    let mut tags = vec![
        ("Event", tournament.event.clone()),
        ("Site", "?".to_owned()),
        ("Date", date),
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
    if let Some(id) = id {
        tags.insert(1, (MATCH_ID, id.to_owned()));
    }
    let time_control = red.limit.pgn_tag();
    if time_control == black.limit.pgn_tag() {
        tags.push(("TimeControl", time_control));
    }
    if let Some(started) = started {
        tags.push(("GameStartTime", started.to_string()));
    }
    if let Some(milliseconds) = record.duration_ms {
        let seconds = milliseconds.div_ceil(1000);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        tags.push(("GameDuration", format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)));
    }
    for (name, color) in [("RedStatistics", Color::Red), ("BlackStatistics", Color::Black)] {
        let mut stats = EngineStats::default();
        stats.add(record, color);
        tags.push((name, stats.summary()));
    }
    let ByColor([red_engine, black_engine]) = record.engines.each_ref();
    for (name, engine) in [("RedEngine", red_engine), ("BlackEngine", black_engine)] {
        tags.extend(engine.clone().map(|engine| (name, engine)));
    }
    if !record.detail.is_empty() {
        tags.push(("Detail", record.detail.clone()));
    }
    let tags = tags.into_iter().map(|(name, value)| (name.to_owned(), value));
    let details = tournament.has_details.then_some(notation);
    record.to_tree(tags.collect(), details)
}
