//! An SQLite file in WAL mode.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, ToSql, params_from_iter};

use super::batch::WORKER;
use super::database::{Access, Columns, Database, Result, ResultRow, StoreError, Value};
use super::location::Location;
use crate::book::immutable_uri;

/// The `application_id` of library files: `ChYk`.
const APPLICATION: i64 = 0x4368_596b;

pub const VERSION: i64 = 4;

/// The tables:
/// - `position`: known moves (see [`Row`](crate::cloud::Row)), and the plies from the starting position to the
///   canonical position (`ply`) and to that with colors swapped (`turned_ply`).
/// - `edge`: for each position (`child`), the positions with a move to it (`parent`).
/// - `task`: searches to do. `expires` is the time at which a waiting task of the lowest priority is dropped, `lease`
///   is 0 or the number of a lease, `until` the end of the lease, `worker` the worker that has it, and `tries` the
///   number of leases that were not returned.
/// - `audit`: every written value with its depth, every written note, and the number of the undo that undid it.
/// - `undo`: each undo of the writes of a writer.
/// - `private`: positions that only writers see; `marked` is 1 for a private note on a move to the position, 0 if it
///   inherits its privacy from the positions before it, 2 if it is imported.
/// - `job`, `job_item`: uploads, and the searches that they still need; `move` is the move to score, or -1 for a search
///   that finds moves.
/// - `pending`: positions whose parents and children must still be updated.
pub const SCHEMA: &str = "
    CREATE TABLE position(key BLOB PRIMARY KEY, moves BLOB NOT NULL, ply INTEGER, turned_ply INTEGER) WITHOUT ROWID;
    CREATE TABLE edge(child BLOB NOT NULL, parent BLOB NOT NULL, PRIMARY KEY(child, parent)) WITHOUT ROWID;
    CREATE TABLE task(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, priority INTEGER NOT NULL, key BLOB NOT NULL,
        moves BLOB NOT NULL, expires INTEGER NOT NULL, lease INTEGER NOT NULL DEFAULT 0,
        until INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, worker TEXT NOT NULL DEFAULT '');
    CREATE UNIQUE INDEX task_place ON task(kind, key) WHERE lease = 0;
    CREATE INDEX task_order ON task(kind, lease, priority, id);
    CREATE TABLE audit(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, writer TEXT NOT NULL, key BLOB NOT NULL,
        move INTEGER NOT NULL, old INTEGER, new INTEGER NOT NULL, depth INTEGER NOT NULL DEFAULT 0,
        undone INTEGER, note TEXT);
    CREATE INDEX audit_place ON audit(key, move);
    CREATE INDEX audit_note ON audit(key) WHERE note IS NOT NULL;
    CREATE INDEX audit_undone ON audit(undone) WHERE undone IS NOT NULL;
    CREATE TABLE undo(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, administrator TEXT NOT NULL, writer TEXT NOT NULL,
        since INTEGER NOT NULL, redone INTEGER, redone_by TEXT);
    CREATE TABLE private(key BLOB PRIMARY KEY, marked INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE job(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, writer TEXT NOT NULL, name TEXT NOT NULL,
        priority INTEGER NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0,
        failed INTEGER NOT NULL DEFAULT 0, ended INTEGER, canceled_by TEXT);
    CREATE TABLE job_item(job INTEGER NOT NULL, id INTEGER NOT NULL, key BLOB NOT NULL, move INTEGER NOT NULL,
        requested INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(job, id)) WITHOUT ROWID;
    CREATE TABLE pending(key BLOB PRIMARY KEY) WITHOUT ROWID;";

/// How long a statement waits for another process. An undo of 51,000 values is one transaction, which took 8 s of
/// processor time.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Opens a library for writing. Creates a missing one if `creates`.
///
/// # Errors
/// The file cannot be opened, is read-only, contains something else, or has another format version.
pub fn open(path: &Path, creates: bool) -> Result<Connection> {
    if is_special(path) {
        return Err(StoreError::Foreign);
    }
    let file = OpenOptions::new().append(true).create(creates).open(path);
    file.map_err(|error| match error.kind() {
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied if path.exists() => {
            StoreError::ReadOnly
        }
        _ => StoreError::Open(Arc::new(error)),
    })?;
    open_writable(path, creates).map_err(|error| match &error {
        // The directory is read-only, so the log of the file cannot be created.
        StoreError::Database(cause) if is_read_only(cause) => StoreError::ReadOnly,
        _ => error,
    })
}

/// Whether a path is neither a file nor a directory. Opening a FIFO would wait for another program.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn open_writable(path: &Path, creates: bool) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(TIMEOUT)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let tables = "SELECT COUNT(*) FROM sqlite_schema";
    let is_empty = transaction.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0;
    if creates && is_empty && identity(&transaction)? == (0, 0) {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    check_identity(&transaction)?;
    transaction.commit()?;
    expire_leases(&connection)?;
    enter_wal(&connection)?;
    // An acknowledged transaction survives a power failure.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "cache_size", -32 << 10)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Ends the leases of local workers if no other connection to the library is open, so that their tasks are the next to
/// be leased: their processes were killed. The ended leases count as tries.
fn expire_leases(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    // Fails while another connection is open, and if the disk is full.
    let left_wal = connection.pragma_update(None, "journal_mode", "DELETE");
    connection.busy_timeout(TIMEOUT)?;
    if left_wal.is_ok() {
        let statement = "UPDATE task SET until = 0 WHERE lease <> 0 AND worker = $1";
        connection.execute(statement, [WORKER])?;
    }
    Ok(())
}

/// Sets WAL mode. SQLite does not wait here for another program that is opening the library too.
fn enter_wal(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

/// The application id and the version of a file.
fn identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    Ok((number("application_id")?, number("user_version")?))
}

fn check_identity(connection: &Connection) -> Result<()> {
    match identity(connection)? {
        (APPLICATION, VERSION) => Ok(()),
        (APPLICATION, found) => Err(StoreError::Version { found, known: VERSION }),
        _ => Err(StoreError::Foreign),
    }
}

/// Opens an existing library for reading. `may_be_immutable` is `false` if the library is open for writing too, so that
/// its log cannot be left out.
pub fn open_reader(path: &Path, may_be_immutable: bool) -> Result<Connection> {
    let open = |name: &Path, more: OpenFlags| {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags | more)?;
        connection.busy_timeout(TIMEOUT)?;
        connection.pragma_update(None, "cache_size", -8 << 10)?;
        // Opening is lazy. This reads the file and its log, and fails here if they cannot be read.
        identity(&connection)?;
        Ok::<_, rusqlite::Error>(connection)
    };
    std::fs::metadata(path).map_err(|error| StoreError::Open(Arc::new(error)))?;
    if is_special(path) {
        return Err(StoreError::Foreign);
    }
    let connection = match open(path, OpenFlags::empty()) {
        Err(error) if may_be_immutable && (is_read_only(&error) || is_missing_index(&error)) => {
            // SQLite cannot create the log in a read-only directory. A file without a log can be read as immutable.
            for suffix in ["-wal", "-journal"] {
                let mut log = path.as_os_str().to_owned();
                log.push(suffix);
                if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
                    return Err(StoreError::UnmergedWrites(Location::from(path)));
                }
            }
            open(&immutable_uri(path), OpenFlags::SQLITE_OPEN_URI)?
        }
        opened => opened?,
    };
    check_identity(&connection)?;
    Ok(connection)
}

/// Copies a library to a new or empty file. Other processes may write to the library meanwhile.
pub fn back_up(path: &Path, out: &Path) -> Result<()> {
    let connection = open_reader(path, true)?;
    let out = out.to_str().ok_or_else(|| {
        let error = std::io::Error::other("the name of the copy is not UTF-8");
        StoreError::Open(Arc::new(error))
    })?;
    connection.execute("VACUUM INTO $1", [out])?;
    Ok(())
}

/// Prepares a file, which may be a library, to be replaced: merges and removes its log, which SQLite would otherwise
/// apply to the new file. A file of another kind must not have a log.
///
/// # Errors
/// Another process uses the library, or there is a log that cannot be merged.
pub fn merge_log(path: &Path) -> Result<()> {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};

    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let merge = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::ZERO)?;
        // Fails while another process has the database open.
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        connection.execute_batch("BEGIN EXCLUSIVE; ROLLBACK")
    };
    if let Err(error) = merge()
        && let Some(DatabaseBusy | DatabaseLocked) = error.sqlite_error_code()
    {
        return Err(StoreError::InUse);
    }
    for suffix in ["-wal", "-journal"] {
        let mut log = path.as_os_str().to_owned();
        log.push(suffix);
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(StoreError::OtherLog(Location::from(Path::new(&log))));
        }
    }
    Ok(())
}

/// Whether an error means that a file or its log cannot be written.
fn is_read_only(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, ReadOnly};

    error.sqlite_error_code().is_some_and(|code| matches!(code, CannotOpen | ReadOnly))
}

/// Whether an error means that the index of a log (`-shm`) is missing and cannot be created.
fn is_missing_index(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::FileLockingProtocolFailed)
}

impl Database for Connection {
    fn begin(&self, access: Access) -> Result<()> {
        Ok(self.execute_batch(match access {
            Access::Read => "BEGIN DEFERRED",
            Access::Lease | Access::Write => "BEGIN IMMEDIATE",
        })?)
    }

    fn commit(&self) -> Result<()> {
        Ok(self.execute_batch("COMMIT")?)
    }

    fn roll_back(&self) {
        // Some errors have already ended the transaction.
        if !self.is_autocommit()
            && let Err(error) = self.execute_batch("ROLLBACK")
        {
            log::error!("cannot roll back a transaction of the cloud library: {error}");
        }
    }

    fn execute(&self, statement: &'static str, values: &[Value<'_>]) -> Result<usize> {
        let mut statement = self.prepare_cached(&without_locks(statement))?;
        Ok(statement.execute(params_from_iter(values))?)
    }

    fn for_rows(
        &self,
        query: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&Columns<'_>) -> Result<bool>,
    ) -> Result<()> {
        let mut query = self.prepare_cached(&without_locks(query))?;
        let mut rows = query.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            if !each(&Columns(row))? {
                break;
            }
        }
        Ok(())
    }

    fn check_file(&self) -> Result<()> {
        let query = "PRAGMA integrity_check(1)";
        let found: String = self.query_row(query, [], |row| row.get(0))?;
        if found == "ok" {
            return Ok(());
        }
        let reason = "database disk image is malformed".to_owned();
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        Err(rusqlite::Error::SqliteFailure(code, Some(reason)).into())
    }

    fn is_remote(&self) -> bool {
        false
    }
}

/// Removes row locks from a statement.
fn without_locks(statement: &str) -> Cow<'_, str> {
    if statement.contains("FOR UPDATE") {
        let statement = statement.replace("FOR UPDATE SKIP LOCKED", "");
        Cow::Owned(statement.replace("FOR UPDATE", ""))
    } else {
        Cow::Borrowed(statement)
    }
}

impl ResultRow for Row<'_> {
    fn number(&self, column: usize) -> Option<Option<i64>> {
        self.get_ref(column).ok()?.as_i64_or_null().ok()
    }

    fn bytes(&self, column: usize) -> Option<Option<&[u8]>> {
        self.get_ref(column).ok()?.as_bytes_or_null().ok()
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Number(number) | Self::Maybe(Some(number)) => ValueRef::Integer(*number),
            Self::Maybe(None) => ValueRef::Null,
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::AnyOf(all) => {
                let error = format!("{} values where one is expected", all.len());
                return Err(rusqlite::Error::ToSqlConversionFailure(error.into()));
            }
        }))
    }
}
