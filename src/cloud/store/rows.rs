//! Rows, edges and times in the database.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::database::{Columns, Database, Result, StoreError, Value};
use crate::cloud::key::Key;
use crate::cloud::row::Row;

pub fn get(connection: &dyn Database, key: &Key) -> Result<Option<Row>> {
    let query = "SELECT moves, ply, turned_ply FROM position WHERE key = $1";
    connection.query_one(query, &[key.into()], parse)
}

/// The known moves of several positions, in one query; unknown positions are left out.
pub fn get_all(connection: &dyn Database, keys: &[Key]) -> Result<HashMap<Key, Row>> {
    let query = "SELECT moves, ply, turned_ply, key FROM position WHERE key = ANY($1)";
    let bytes: Vec<&[u8]> = keys.iter().map(Key::as_bytes).collect();
    let read = |columns: &Columns<'_>| Ok((key(columns, 3)?, parse(columns)?));
    let found = connection.query(query, &[Value::AnyOf(&bytes)], read)?;
    Ok(found.into_iter().collect())
}

/// A row from the columns `moves`, `ply` and `turned_ply`, which is the ply of the position with the colors swapped.
pub fn parse(columns: &Columns<'_>) -> Result<Row> {
    let plies = [columns.maybe_number(1, "ply")?, columns.maybe_number(2, "turned_ply")?];
    let moves = Row::moves_from_bytes(columns.bytes(0, "moves")?);
    let moves = moves.ok_or(StoreError::Damaged("moves"))?;
    Ok(Row { moves, plies })
}

pub fn key(columns: &Columns<'_>, column: usize) -> Result<Key> {
    Key::from_bytes(columns.bytes(column, "key")?).ok_or(StoreError::Damaged("key"))
}

/// Writes the row of a position; deletes it if no moves are left.
pub fn put(connection: &dyn Database, key: &Key, row: &Row) -> Result<()> {
    if row.moves.is_empty() {
        let statement = "DELETE FROM position WHERE key = $1";
        return connection.execute(statement, &[key.into()]).map(drop);
    }
    let statement = "INSERT INTO position(key, moves, ply, turned_ply) VALUES ($1, $2, $3, $4)
        ON CONFLICT(key) DO UPDATE SET moves = $2, ply = $3, turned_ply = $4";
    let [ply, swapped] = row.plies.map(|ply| Value::Maybe(ply.map(i64::from)));
    let moves = row.to_bytes();
    let values = [key.into(), Value::Bytes(&moves), ply, swapped];
    connection.execute(statement, &values).map(drop)
}

pub fn link(connection: &dyn Database, parent: &Key, child: &Key) -> Result<()> {
    let statement = "INSERT INTO edge(child, parent) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let values = [child.into(), parent.into()];
    connection.execute(statement, &values).map(drop)
}

/// The positions with a move to this one, including removed moves, and moves without a score that have a private note.
pub fn parents(connection: &dyn Database, child: &Key) -> Result<Vec<Key>> {
    let query = "SELECT parent FROM edge WHERE child = $1";
    connection.query(query, &[child.into()], |columns| key(columns, 0))
}

/// Seconds since 1970.
pub fn now() -> i64 {
    milliseconds() / 1000
}

/// Milliseconds since 1970.
pub fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

/// Minutes since 1970.
pub fn minutes() -> u32 {
    u32::try_from(now() / 60).unwrap_or(u32::MAX)
}
