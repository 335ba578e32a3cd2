//! A library, and what is asked of it.

use std::sync::Arc;

use super::board::{QueriedPosition, Rounding};
use super::engine::LibraryEngine;
use super::learning::Unknown;
use super::pace::{Attendance, Done, Pace};
use super::tables::{TableMove, table_moves};
use crate::board::Move;
use crate::cloud::parameters::QueryParameters;
use crate::cloud::store::Store;
use crate::tablebase::{ClassTable, Metric, Tables};

/// How a library answers.
#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// How many moves below a position must be known before `query` and its like answer with one.
    pub least_visits: usize,
    /// How long a task is waited for before it is given to another worker, in seconds.
    pub lease: i64,
    /// How values between two whole numbers are rounded for those who ask.
    pub rounding: Rounding,
}

impl Default for LibraryOptions {
    fn default() -> Self {
        Self {
            least_visits: 10,
            lease: 3_600,
            rounding: Rounding::default(),
        }
    }
}

/// A library that answers the actions of the cloud API.
#[derive(Debug)]
pub struct Library {
    /// What is known.
    pub store: Store,
    pub(super) tables: Arc<Tables>,
    pub(super) options: LibraryOptions,
    pub(super) unknown: Unknown,
    pub(super) engine: LibraryEngine,
    pace: Pace,
    workers: Attendance,
}

/// What is asked about a board.
pub(super) struct Question<'a> {
    pub(super) parameters: &'a QueryParameters,
    /// The board as it was written.
    pub(super) text: &'a str,
    pub(super) board: QueriedPosition,
    pub(super) banned: Vec<&'a str>,
    /// Whether everything that is known is to be told.
    pub(super) learn: bool,
    pub(super) shows_all: bool,
    /// Whether the asker may have positions searched.
    pub(super) may_write_tasks: bool,
    /// Whether the asker may write scores.
    pub(super) may_write_scores: bool,
    pub(super) writer: &'a str,
}

impl Question<'_> {
    pub(super) fn is_banned(&self, m: Move) -> bool {
        let text = m.to_string();
        self.banned.iter().any(|banned| *banned == text)
    }

    /// Whether the question may teach the library anything.
    pub(super) fn may_learn(&self) -> bool {
        self.learn && self.may_write_tasks
    }

    /// Whether the asker has done some work: the MD5 of board, `more` and the parameter `token` begins with
    /// eight zero bits.
    pub(super) fn has_proof_of_work(&self, more: &str) -> bool {
        let token = self.parameters.get("token").unwrap_or("");
        let digest = md5::compute([self.text, more, token].concat());
        !token.is_empty() && digest.0[0] == 0
    }
}

impl Library {
    /// A library on a store, which looks endings up in tables.
    pub fn new(store: Store, tables: Arc<Tables>, options: LibraryOptions) -> Self {
        let unknown = Unknown::default();
        Self {
            store,
            tables,
            options,
            unknown,
            engine: LibraryEngine::default(),
            pace: Pace::default(),
            workers: Attendance::default(),
        }
    }

    /// How long a task is waited for before it is given to another worker, in seconds.
    pub fn lease_time(&self) -> i64 {
        self.options.lease
    }

    /// Notes what workers have done.
    pub fn note_work(&self, done: Done) {
        self.pace.note(done);
    }

    /// Notes that a worker asks for work; the name tells it from the others.
    pub fn note_worker(&self, name: String) {
        self.workers.note(name);
    }

    /// How many workers have asked for work in the last five minutes: threads of this program, and programs on
    /// other machines.
    pub fn count_workers(&self) -> usize {
        self.workers.count()
    }

    /// What workers have done in the last full minute.
    pub fn last_minute(&self) -> Done {
        self.pace.last_minute()
    }

    /// The number of endgame tables that answers are made from, those of mates, and their size in bytes.
    pub fn count_tables(&self) -> (u64, u64) {
        let mates = (self.tables.iter()).filter(|table| table.metric() == Metric::Dtm);
        let sizes = mates.map(ClassTable::size);
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    /// The moves that the tables have, but for banned ones, if they hold the position.
    pub(super) fn table_moves(&self, question: &Question<'_>) -> Option<Vec<TableMove>> {
        let mut moves = table_moves(&self.tables, &question.board.position)?;
        moves.retain(|m| !question.is_banned(m.played));
        Some(moves)
    }
}
