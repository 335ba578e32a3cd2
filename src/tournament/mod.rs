//! Tournaments between engines that speak UCCI or UCI.
//!
//! [`run`] plays a [`Tournament`]. Each worker thread takes games from the [`Schedule`], runs the two
//! engine processes, and plays the game under the rules of the `referee`. A finished game is a
//! [`GameRecord`]: `stats` computes all results from records, the [`Journal`] stores them so that a
//! killed run can be resumed, and [`verify()`] replays the games of a PGN file.
//!
//! Engines are not trusted: they may hang, crash, write endless output or report false numbers. A
//! misbehaving engine loses its own game and does not affect the others.

mod adjudication;
mod conformance;
mod end_reason;
mod engine;
mod journal;
mod json_report;
mod key_values;
mod limit;
mod openings;
mod pgn_record;
mod plan;
mod play;
mod protocol;
mod record;
mod referee;
mod runner;
mod schedule;
mod spec;
mod stall;
pub mod stats;
mod worker;

pub use adjudication::{Adjudication, ScoreDraw, ScoreWin, TablebaseAdjudication};
pub use conformance::{CheckOutcome, CheckReport, CheckTimeouts, check_protocol};
pub use end_reason::{EndReason, Ending};
pub use engine::{EngineFailure, EngineScore, Greeting};
pub use journal::{Damage, Journal, JournalContent, JournalError, is_journal};
pub use json_report::JsonReport;
pub use key_values::KeyValuesError;
pub use limit::{Clock, Limit, ParseTimeControlError, TimeControl, Timeouts};
pub use openings::{
    FoundOpening, MAX_FAILED_LINES, OpeningError, OpeningSearch, Openings, find_openings,
};
pub use pgn_record::{MATCH_ID, pgn_game, record_of_pgn};
pub use plan::{GameRules, Tournament};
pub use protocol::EngineProtocol;
pub use record::{GameRecord, GameSummary, MoveRecord};
pub use referee::{Replay, verify};
pub use runner::{TournamentEnd, TournamentEvent, TournamentStartError, check_engines, run};
pub use schedule::{ColorOrder, Fixture, Schedule, TournamentFormat};
pub use spec::{
    EngineSpec, EngineSpecError, PartialEngineSpec, SettingError, SpecError, read_toml,
};
