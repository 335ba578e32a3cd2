//! Why a journal cannot be used.

use std::io;

use super::head::VERSION;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is a directory, a device or a pipe.
    #[error("the journal must be a regular file")]
    Irregular,
    /// Another process has locked the journal.
    #[error("{} is playing this tournament", owner(*.0))]
    Locked(Option<u32>),
    /// The file does not start like a journal.
    #[error("the file is not a match journal")]
    NotAJournal,
    /// The file has no complete line.
    #[error(
        "the first line is incomplete: the match was killed before its first game; remove the file"
    )]
    IncompleteHeader,
    /// The journal has another version.
    #[error(
        "the journal has version {0}, but this program reads version {VERSION}: finish that tournament with \
         the program that started it, or use another file"
    )]
    Version(u32),
    /// The first line is damaged and no other line repeats it.
    #[error(
        "line 1: {reason}; no other line has a copy of the header, so the {safe} games cannot be used"
    )]
    Header {
        /// What is wrong with it.
        reason: String,
        /// Number of readable games.
        safe: u64,
    },
    /// It belongs to another tournament.
    #[error("the journal belongs to another tournament: the {0} differ")]
    Other(&'static str),
    /// A line is not a valid entry, or its game is a duplicate or not in the schedule.
    #[error(
        "line {line}: {reason}; {safe} games are readable: --repair continues from them and keeps a copy of \
         the damaged file"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
        /// Number of readable games.
        safe: usize,
    },
}

fn owner(process: Option<u32>) -> String {
    process.map_or("another process".to_owned(), |process| {
        format!("process {process}")
    })
}
