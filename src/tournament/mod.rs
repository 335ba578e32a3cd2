//! Tournaments between engines that speak UCCI or UCI.
//!
//! A [`Tournament`] is a plan; [`run`] plays it. Each of its workers takes game after game from the
//! [`Schedule`], keeps the two `engine`s of its game at work, and lets `play` have them move under
//! the rules of the `referee`. What is left of a game is a [`GameRecord`]; the `stats` count nothing
//! else, the [`Journal`] keeps them so that a killed run can go on, and [`verify()`] replays what a PGN
//! has of them.
//!
//! Engines are not trusted: they may hang, crash, write without end and give false numbers. What one does
//! can lose it the game, and costs the others no more than its own time.

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
mod table_adjudication;
mod verify;
mod worker;

pub use adjudication::{Adjudication, ScoreDraw, ScoreWin};
pub use conformance::{CheckOutcome, CheckPatience, CheckReport, check_protocol};
pub use end_reason::{EndReason, Ending};
pub use engine::{EngineFailure, EngineScore, Greeting};
pub use journal::{Damage, Journal, JournalContent, JournalError, is_journal};
pub use json_report::JsonReport;
pub use key_values::KeyValuesError;
pub use limit::{Clock, Limit, ParseTimeControlError, TimeControl, Timeouts};
pub use openings::{
    FoundOpening, LINES_IN_VAIN, OpeningError, OpeningSearch, Openings, find_openings,
};
pub use pgn_record::{MATCH_ID, pgn_game, record_of_pgn};
pub use plan::{GameRules, Tournament};
pub use protocol::EngineProtocol;
pub use record::{GameRecord, GameSummary, MoveRecord};
pub use runner::{TournamentEnd, TournamentEvent, TournamentStartError, check_engines, run};
pub use schedule::{ColorOrder, Fixture, Schedule, TournamentFormat};
pub use spec::{EngineFault, EngineSpec, EngineWords, SpecError, WordError, read_toml};
pub use table_adjudication::TableAdjudication;
pub use verify::{Replay, verify};
