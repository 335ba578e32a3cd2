//! Rows and edges, read and written through a connection.

use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Statement, params};

use crate::cloud::key::Key;
use crate::cloud::row::Row;

/// The query for a row.
pub(super) const GET: &str = "SELECT moves, ply, turned_ply FROM position WHERE key = ?1";

/// What is known of a position; `None` where nothing is.
pub(super) fn get(connection: &Connection, key: &Key) -> Result<Option<Row>> {
    find(&mut *connection.prepare_cached(GET)?, key, parse)
}

/// What `read` makes of the row of a position, found by the query [`GET`].
pub(super) fn find<T>(
    query: &mut Statement<'_>,
    key: &Key,
    read: impl FnOnce(&rusqlite::Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    query.query_row([key.as_bytes()], read).optional()
}

/// The scores of the moves of a row.
pub(super) fn parse_scores(columns: &rusqlite::Row<'_>) -> Result<Vec<i32>> {
    let bytes = columns.get_ref(0)?.as_blob().map_err(|_| damaged())?;
    Row::scores_from_bytes(bytes).ok_or_else(damaged)
}

fn damaged() -> Error {
    Error::InvalidColumnType(0, "moves".to_owned(), Type::Blob)
}

/// A row of the columns moves, ply and turned_ply.
pub(super) fn parse(columns: &rusqlite::Row<'_>) -> Result<Row> {
    let bytes = columns.get_ref(0)?.as_blob().map_err(|_| damaged())?;
    Ok(Row {
        moves: Row::moves_from_bytes(bytes).ok_or_else(damaged)?,
        plies: [columns.get(1)?, columns.get(2)?],
    })
}

pub(super) fn key(columns: &rusqlite::Row<'_>, column: usize) -> Result<Key> {
    let damaged = || Error::InvalidColumnType(column, "key".to_owned(), Type::Blob);
    let bytes = columns.get_ref(column)?.as_blob().map_err(|_| damaged())?;
    Key::from_bytes(bytes).ok_or_else(damaged)
}

/// Writes what is known of a position; takes the row away where no move is left.
pub(super) fn put(connection: &Connection, key: &Key, row: &Row) -> Result<()> {
    if row.moves.is_empty() {
        let mut delete = connection.prepare_cached("DELETE FROM position WHERE key = ?1")?;
        return delete.execute([key.as_bytes()]).map(drop);
    }
    let statement = "INSERT INTO position(key, moves, ply, turned_ply) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT(key) DO UPDATE SET moves = ?2, ply = ?3, turned_ply = ?4";
    let [ply, turned] = row.plies;
    connection
        .prepare_cached(statement)?
        .execute(params![key.as_bytes(), row.to_bytes(), ply, turned])
        .map(drop)
}

/// Notes that a stored move leads from one position to another.
pub(super) fn link(connection: &Connection, parent: &Key, child: &Key) -> Result<()> {
    let statement = "INSERT OR IGNORE INTO edge(child, parent) VALUES (?1, ?2)";
    let mut insert = connection.prepare_cached(statement)?;
    insert
        .execute([child.as_bytes(), parent.as_bytes()])
        .map(drop)
}

/// The positions from which a stored move leads to this one.
pub(super) fn parents(connection: &Connection, child: &Key) -> Result<Vec<Key>> {
    let mut query = connection.prepare_cached("SELECT parent FROM edge WHERE child = ?1")?;
    let keys = query.query_map([child.as_bytes()], |columns| key(columns, 0))?;
    keys.collect()
}
