//! Rows and edges, read and written through a connection.

use std::collections::HashMap;

use super::connection::Connection;
use super::error::StoreError;
use super::statement::{Columns, Value};
use crate::cloud::key::Key;
use crate::cloud::row::Row;

type Result<T> = std::result::Result<T, StoreError>;

/// The query for a row.
pub(super) const GET: &str = "SELECT moves, ply, turned_ply FROM position WHERE key = $1";

const DAMAGED: StoreError = StoreError::Damaged("moves");

/// What is known of a position; `None` where nothing is.
pub(super) fn get(connection: &Connection, key: &Key) -> Result<Option<Row>> {
    connection.query_one(GET, &[key.into()], parse)
}

/// What is known of several positions, in one question to a server; those of which nothing is known are left
/// out.
pub(super) fn get_all(connection: &Connection, keys: &[Key]) -> Result<HashMap<Key, Row>> {
    let query = "SELECT moves, ply, turned_ply, key FROM position WHERE key = ANY($1)";
    let bytes: Vec<&[u8]> = keys.iter().map(Key::as_bytes).collect();
    let read = |columns: &Columns<'_>| Ok((key(columns, 3)?, parse(columns)?));
    let found = connection.query(query, &[Value::AnyOf(&bytes)], read)?;
    Ok(found.into_iter().collect())
}

/// The scores of the moves of a row.
pub(super) fn parse_scores(columns: &Columns<'_>) -> Result<Vec<i32>> {
    Row::scores_from_bytes(columns.bytes(0, "moves")?).ok_or(DAMAGED)
}

/// A row of the columns moves, ply and turned_ply.
pub(super) fn parse(columns: &Columns<'_>) -> Result<Row> {
    let plies = [
        columns.maybe_number(1, "ply")?,
        columns.maybe_number(2, "turned_ply")?,
    ];
    let moves = Row::moves_from_bytes(columns.bytes(0, "moves")?).ok_or(DAMAGED)?;
    Ok(Row { moves, plies })
}

pub(super) fn key(columns: &Columns<'_>, column: usize) -> Result<Key> {
    Key::from_bytes(columns.bytes(column, "key")?).ok_or(StoreError::Damaged("key"))
}

/// Writes what is known of a position; takes the row away where no move is left.
pub(super) fn put(connection: &Connection, key: &Key, row: &Row) -> Result<()> {
    if row.moves.is_empty() {
        let statement = "DELETE FROM position WHERE key = $1";
        return connection.execute(statement, &[key.into()]).map(drop);
    }
    let statement = "INSERT INTO position(key, moves, ply, turned_ply) VALUES ($1, $2, $3, $4)
        ON CONFLICT(key) DO UPDATE SET moves = $2, ply = $3, turned_ply = $4";
    let [ply, turned] = row.plies.map(|ply| Value::Maybe(ply.map(i64::from)));
    let moves = row.to_bytes();
    let values = [key.into(), Value::Bytes(&moves), ply, turned];
    connection.execute(statement, &values).map(drop)
}

/// Notes that a stored move leads from one position to another.
pub(super) fn link(connection: &Connection, parent: &Key, child: &Key) -> Result<()> {
    let statement = "INSERT INTO edge(child, parent) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let values = [child.into(), parent.into()];
    connection.execute(statement, &values).map(drop)
}

/// The positions from which a stored move leads to this one.
pub(super) fn parents(connection: &Connection, child: &Key) -> Result<Vec<Key>> {
    let query = "SELECT parent FROM edge WHERE child = $1";
    connection.query(query, &[child.into()], |columns| key(columns, 0))
}
