//! Books that are SQLite databases: opened for reading alone.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use super::book_move::{BookMove, Results};
use super::error::BookError;
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// What a database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// A book in the format .xqb.
    Xqb,
    /// A book in the format .obk, or .pfBook by another name of its table.
    Obk {
        /// The name of the table.
        table: &'static str,
        /// Whether keys from 2^63 on are stored as floating-point numbers with the same bits.
        has_real_keys: bool,
    },
}

/// Opens a database and tells which book it is.
///
/// # Errors
/// It cannot be read, or is no book.
pub(super) fn open(path: &Path) -> Result<(Connection, Schema), BookError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    let schema = schema(&connection)?.ok_or(BookError::Foreign("a database of something else"))?;
    Ok((connection, schema))
}

fn schema(connection: &Connection) -> Result<Option<Schema>, BookError> {
    let has = |table: &str| {
        let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let found = connection.query_row(query, [table], |_| Ok(())).optional();
        found.map(|found| found.is_some())
    };
    if has("book")? && has("information")? {
        let query = "SELECT value FROM information WHERE name = 'type'";
        let kind: Option<String> = connection
            .query_row(query, [], |row| row.get(0))
            .optional()?;
        return Ok((kind.as_deref() == Some("xiangqi")).then_some(Schema::Xqb));
    }
    for (table, has_real_keys) in [("bhobk", true), ("pfBook", false)] {
        if has(table)? {
            return Ok(Some(Schema::Obk {
                table,
                has_real_keys,
            }));
        }
    }
    Ok(None)
}

/// A row of a book: its move as stored, its score and its games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) packed: i64,
    score: i64,
    results: Results,
}

impl Stored {
    /// Reads the columns move, score, win, draw and loss.
    ///
    /// # Errors
    /// They are no numbers.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |n: usize| row.get::<_, i64>(n);
        let count = |n: usize| number(n).map(|n| u32::try_from(n.max(0)).unwrap_or(u32::MAX));
        Ok(Self {
            packed: number(0)?,
            score: number(1)?,
            results: Results {
                wins: count(2)?,
                draws: count(3)?,
                losses: count(4)?,
            },
        })
    }
}

/// The legal moves of rows, each with its move, the heaviest first; of two rows for a move the first counts.
/// Weights are scores where any score is above zero, else the [values](Results::value) of the games, and where
/// there is neither all moves weigh the same.
pub(super) fn weighed(rows: &[(&Stored, Option<Move>)], position: &Position) -> Vec<BookMove> {
    let has_scores = rows.iter().any(|(row, _)| row.score > 0);
    let has_games = rows.iter().any(|(row, _)| row.results.games() > 0);
    let mut moves: Vec<BookMove> = Vec::new();
    for (row, played) in rows {
        let value = match (has_scores, has_games) {
            (true, _) => row.score,
            (false, true) => row.results.value(),
            (false, false) => 1,
        };
        let Some(played) = played.filter(|played| is_legal(position, *played)) else {
            continue;
        };
        if value > 0 && !moves.iter().any(|known| known.played == played) {
            moves.push(BookMove {
                played,
                weight: u32::try_from(value).unwrap_or(u32::MAX),
                results: row.results,
            });
        }
    }
    moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
    moves
}
