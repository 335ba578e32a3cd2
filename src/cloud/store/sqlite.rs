//! An SQLite file in WAL mode.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Statement, params_from_iter};

use super::error::StoreError;
use super::location::Location;
use super::statement::{Access, Columns, Value};

/// The `application_id` of library files: `ChYk`.
const APPLICATION: i64 = 0x4368_596b;

/// Version of the schema.
const VERSION: i64 = 2;

/// `position`: known moves (see [`Row`](crate::cloud::Row)) and distances from the starting position. `edge`: from
/// which positions a position is reached. `task`: searches to do; `lease` is 0 or the number of a lease. `audit`:
/// every written value with its depth. `pending`: positions whose parents and children must still be updated.
const SCHEMA: &str = "
    CREATE TABLE position(key BLOB PRIMARY KEY, moves BLOB NOT NULL, ply INTEGER, turned_ply INTEGER) WITHOUT ROWID;
    CREATE TABLE edge(child BLOB NOT NULL, parent BLOB NOT NULL, PRIMARY KEY(child, parent)) WITHOUT ROWID;
    CREATE TABLE task(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, priority INTEGER NOT NULL, key BLOB NOT NULL,
        moves BLOB NOT NULL, expires INTEGER NOT NULL, lease INTEGER NOT NULL DEFAULT 0,
        until INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0);
    CREATE UNIQUE INDEX task_place ON task(kind, key) WHERE lease = 0;
    CREATE INDEX task_order ON task(kind, lease, priority, id);
    CREATE TABLE audit(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, writer TEXT NOT NULL, key BLOB NOT NULL,
        move INTEGER NOT NULL, old INTEGER, new INTEGER NOT NULL, depth INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX audit_place ON audit(key, move);
    CREATE TABLE pending(key BLOB PRIMARY KEY) WITHOUT ROWID;";

/// How long a statement waits for another process.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Opens a library for writing; creates it if missing.
///
/// # Errors
/// The file cannot be opened, contains something else, or has another format version.
pub fn open(path: &Path) -> Result<Connection, StoreError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(TIMEOUT)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let number =
        |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let tables = "SELECT COUNT(*) FROM sqlite_schema";
    let is_empty = transaction.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0;
    let (application, version) = (number("application_id")?, number("user_version")?);
    match (application, version) {
        (0, 0) if is_empty => {
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        (APPLICATION, VERSION) => {}
        (APPLICATION, found) => {
            return Err(StoreError::Version {
                location: Location::from(path),
                found,
                known: VERSION,
            });
        }
        _ => return Err(StoreError::Foreign(Location::from(path))),
    }
    transaction.commit()?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // An acknowledged transaction survives a power failure.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "cache_size", -32 << 10)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens an existing library for reading.
pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -8 << 10)?;
    Ok(connection)
}

pub const fn begin(access: Access) -> &'static str {
    match access {
        Access::Read => "BEGIN DEFERRED",
        Access::Lease | Access::Write => "BEGIN IMMEDIATE",
    }
}

/// Calls `each` with the rows of a query while it returns `true`.
pub fn for_rows(
    query: &mut Statement<'_>,
    values: &[Value<'_>],
    mut each: impl FnMut(&Columns<'_>) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let mut rows = query.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if !each(&Columns::Sqlite(row))? {
            break;
        }
    }
    Ok(())
}
