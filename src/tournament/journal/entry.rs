//! The entries of a journal after its header.

use serde::{Deserialize, Serialize};

use super::head::JournalHeader;

use crate::tournament::record::GameRecord;

/// The content of a journal when it is opened.
#[derive(Debug, Default)]
pub struct JournalContent {
    /// The games of the tournament.
    pub games: Vec<GameRecord>,
    /// Number of void games.
    pub voids: u64,
    /// Whether an incomplete last line was dropped.
    pub has_incomplete_line: bool,
    /// Number of damaged lines that were skipped.
    pub damaged_lines: usize,
}

/// A line after the header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// The program opened the journal.
    Run {
        process: u32,
        /// A copy of the header, in case the first line is damaged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        header: Option<Box<JournalHeader>>,
    },
    /// A game ended.
    Game(GameRecord),
    /// A game is void and will be replayed.
    Void { number: u64, detail: String },
}
