//! Tournaments between engines that speak UCCI or UCI.
//!
//! A [`Tournament`] is a plan; [`run`] plays it. Each of its workers takes game after game from the
//! [`Schedule`], keeps the two `engine`s of its game at work, and lets `play` have them move under
//! the eyes of the `referee`. What is left of a game is a [`GameRecord`]; the `stats` count nothing
//! else, the [`Journal`] keeps them so that a killed run can go on, and [`verify()`] replays what a PGN
//! has of them.
//!
//! Engines are not trusted: they may hang, crash, talk without end and lie. What one does can lose
//! it the game, and costs nobody else more than its own time.

mod adjudication;
mod engine;
mod journal;
mod limit;
mod openings;
mod play;
mod record;
mod referee;
mod report;
mod runner;
mod schedule;
mod spec;
pub mod stats;
mod verify;
mod worker;

pub use adjudication::{Adjudication, ScoreDraw, ScoreWin};
pub use engine::{EngineScore, Fault, Greeting, Patience, Protocol};
pub use journal::{Journal, JournalError};
pub use limit::{Clock, Limit, ParseTimeControlError, TimeControl};
pub use openings::{Found, LINES_IN_VAIN, OpeningError, OpeningSearch, Openings, find_openings};
pub use play::GameRules;
pub use record::{Ending, GameRecord, GameSummary, MoveRecord, Reason};
pub use report::{json_report, pgn_game};
pub use runner::{End, StartError, Tournament, check_engines, run};
pub use schedule::{Fixture, Format, Schedule};
pub use spec::{EngineSpec, EngineWords, SpecError, read_toml};
pub use verify::{Replay, verify};
