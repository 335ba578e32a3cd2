//! Why a journal cannot be used.

use std::io;

use super::head::VERSION;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is a directory, a device, a pipe.
    #[error("a journal is a regular file, and this is none")]
    Irregular,
    /// Another process plays this tournament.
    #[error("{} plays this tournament at the moment", owner(*.0))]
    Locked(Option<u32>),
    /// It begins otherwise.
    #[error("it is no journal of a tournament")]
    Foreign,
    /// It has no whole line.
    #[error(
        "its first line has no end: it was cut short before its first game, and you may remove it"
    )]
    Headless,
    /// Another version of the program has written it.
    #[error(
        "it has form {0}, and this version of the program reads form {VERSION}: finish that \
         tournament with the version that began it, or name another file"
    )]
    Version(u32),
    /// The first line cannot be read, and nothing else says which tournament it is.
    #[error("line 1: {reason}{}", unknown_games(*.safe))]
    Head {
        /// Why.
        reason: String,
        /// How many games the other lines hold.
        safe: u64,
    },
    /// It belongs to another tournament.
    #[error("it belongs to another tournament: the {0} are not the same")]
    Other(&'static str),
    /// A line is no entry, or that of a game that is there twice or does not belong there.
    #[error(
        "line {line}: {reason}; {safe} games can be read, and --repair goes on from them (the \
         damaged file is kept beside it)"
    )]
    Damaged {
        /// Which one, from 1.
        line: usize,
        /// Why.
        reason: String,
        /// How many games the other lines hold.
        safe: usize,
    },
}

fn owner(process: Option<u32>) -> String {
    process.map_or("another process".to_owned(), |process| {
        format!("process {process}")
    })
}

/// What there is to say of games behind a first line that cannot be read.
fn unknown_games(safe: u64) -> String {
    match safe {
        0 => String::new(),
        _ => format!("; {safe} games behind it can be read, but nothing says of which tournament"),
    }
}
