//! What a journal holds behind its first line.

use serde::{Deserialize, Serialize};

use super::head::JournalHeader;

use crate::tournament::record::GameRecord;

/// What a journal holds when it is opened.
#[derive(Debug, Default)]
pub struct JournalContent {
    /// The games that belong to the tournament.
    pub games: Vec<GameRecord>,
    /// How many games were declared void and played again.
    pub voids: u64,
    /// Whether a last line without its end was dropped.
    pub has_torn_line: bool,
    /// How many lines could not be read and were left out.
    pub damaged_lines: usize,
}

/// A line behind the first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// The program has opened the journal.
    Run {
        process: u32,
        /// The first line once more, for when that one is damaged. Journals of earlier versions lack it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<Box<JournalHeader>>,
    },
    /// A game has ended.
    Game(GameRecord),
    /// A game has been declared void and will be played again.
    Void { number: u64, detail: String },
}
