//! Books in SQLite databases, opened read-only.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, ToSql};

use super::book_move::{BookError, BookMove, Results, weight};
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// Format of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    Xqb,
    /// .obk, or .pfBook, which has another table name.
    Obk {
        table: &'static str,
    },
}

/// Opens a database and detects its format.
pub fn open(path: &Path) -> Result<(Connection, Schema), BookError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    let schema = schema(&connection)?.ok_or(BookError::Foreign("a database with other tables"))?;
    Ok((connection, schema))
}

fn schema(connection: &Connection) -> Result<Option<Schema>, BookError> {
    let has = |table: &str| {
        let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let found = connection.query_row(query, [table], |_| Ok(())).optional();
        found.map(|found| found.is_some())
    };
    if has("position")? && has("edge")? {
        let reason = "a cloud library; `chuhe serve` shows it in the browser";
        return Err(BookError::Foreign(reason));
    }
    if has("book")? && has("information")? {
        let query = "SELECT value FROM information WHERE name = 'type'";
        let kind: Option<String> = connection
            .query_row(query, [], |row| row.get(0))
            .optional()?;
        return Ok((kind.as_deref() == Some("xiangqi")).then_some(Schema::Xqb));
    }
    for table in ["bhobk", "pfBook"] {
        if has(table)? {
            return Ok(Some(Schema::Obk { table }));
        }
    }
    Ok(None)
}

/// A row of a book: the move as stored, its score and results.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    pub packed: i64,
    score: i64,
    results: Results,
}

impl Stored {
    /// The rows with a key. `query` selects the columns move, score, win, draw and loss.
    pub fn rows(
        connection: &Connection,
        query: &str,
        key: impl ToSql,
    ) -> Result<Vec<Self>, BookError> {
        let mut query = connection.prepare_cached(query)?;
        let rows = query.query_map([key], Self::read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

/// The margin for weights if no score is positive and there are no games, in hundredths of a minor piece: the default
/// of `chuhe book build --by-score`.
const MARGIN: i32 = 40;

/// The legal moves of rows, the heaviest first; if a move has several rows, the first one is used. Weights are the
/// scores if any score is positive, else the [values](Results::value) of the games if there are any, else they follow
/// from the distances to the best score. Rows of illegal moves and rows without a positive weight are left out.
pub fn weighed(rows: &[(&Stored, Option<Move>)], position: &Position) -> Vec<BookMove> {
    let rows: Vec<(&Stored, Move)> = (rows.iter())
        .filter_map(|(row, played)| Some((*row, played.filter(|m| is_legal(position, *m))?)))
        .collect();
    let best = rows.iter().map(|(row, _)| row.score).max().unwrap_or(0);
    let has_scores = best > 0;
    let has_games = rows.iter().any(|(row, _)| row.results.games() > 0);
    let mut moves: Vec<BookMove> = Vec::new();
    for (row, played) in rows {
        let value = match (has_scores, has_games) {
            (true, _) => row.score,
            (false, true) => row.results.value(),
            (false, false) => {
                let worse = best.saturating_sub(row.score);
                weight(i32::try_from(worse).unwrap_or(i32::MAX), MARGIN).into()
            }
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
