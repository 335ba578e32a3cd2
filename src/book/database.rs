//! Books in SQLite databases, opened read-only.

use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, ffi};

use super::book_move::{BookError, BookMove, FoundRecords, Results, weight};
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// Maximum time to wait for a lock of another program when a book is opened.
const OPENING_TIME: Duration = Duration::from_secs(1);
/// Maximum time to wait for a lock during a look-up. The clock of the game may be running.
const LOOK_UP_TIME: Duration = Duration::from_millis(10);

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
///
/// In WAL mode SQLite creates two files beside the database, even to read it. Where this is impossible, as on read-only
/// media, the database is opened as one that does not change, unless the log has changes.
pub fn open(path: &Path) -> Result<(Connection, Schema), BookError> {
    let error = match open_as(path, OpenFlags::empty()) {
        Err(BookError::Database(error)) => error,
        result => return result,
    };
    let is_unwritable = error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::CannotOpen || error.extended_code == ffi::SQLITE_READONLY_DIRECTORY
    });
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_changes = std::fs::metadata(log).is_ok_and(|log| log.is_file() && log.len() > 0);
    if !is_unwritable || has_changes {
        return Err(error.into());
    }
    open_as(&immutable_uri(path), OpenFlags::SQLITE_OPEN_URI)
}

fn open_as(name: &Path, flags: OpenFlags) -> Result<(Connection, Schema), BookError> {
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(name, read_only | flags)?;
    connection.busy_timeout(OPENING_TIME)?;
    connection.pragma_update(None, "query_only", true)?;
    let schema = schema(&connection)?;
    Ok((connection, schema))
}

/// The URI with which SQLite reads a database that does not change: without a log and without locks.
pub fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = "file:".to_owned();
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_separator = |byte: u8| std::path::is_separator(char::from(byte));
    if bytes.first().is_some_and(|byte| is_separator(*byte)) {
        // An empty authority.
        uri += "//";
    }
    for &byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ if is_separator(byte) => uri.push('/'),
            _ => uri += &format!("%{byte:02x}"),
        }
    }
    (uri + "?immutable=1").into()
}

fn schema(connection: &Connection) -> Result<Schema, BookError> {
    let not_a_book = |reason: &str| BookError::NotABook(reason.to_owned());
    let has = |table: &str| {
        let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let found = connection.query_row(query, [table], |_| Ok(())).optional();
        found.map(|found| found.is_some())
    };
    if has("position")? && has("edge")? {
        return Err(not_a_book("a cloud library; `chuhe serve` shows it in the browser"));
    }
    if has("book")? && has("information")? {
        let query = "SELECT 1 FROM information WHERE name = 'type' AND value = 'xiangqi'";
        let found = connection.query_row(query, [], |_| Ok(())).optional()?;
        return found.map(|()| Schema::Xqb).ok_or_else(|| not_a_book("its type is not `xiangqi`"));
    }
    for table in ["bhobk", "pfBook"] {
        if has(table)? {
            return Ok(Schema::Obk { table });
        }
    }
    Err(not_a_book("a database with other tables"))
}

/// A row of a book: the move as stored, its score and results.
#[derive(Clone, Copy, Debug)]
pub struct BookRow {
    pub packed: i64,
    score: i64,
    results: Results,
}

/// Index of the column `key` in the query for a row, after the columns of [`BookRow::read`].
const KEY_COLUMN: usize = 5;

impl BookRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |n: usize| row.get::<_, i64>(n);
        let count = |n: usize| number(n).map(|n| u32::try_from(n.max(0)).unwrap_or(u32::MAX));
        Ok(Self {
            packed: number(0)?,
            score: number(1)?,
            results: Results { wins: count(2)?, draws: count(3)?, losses: count(4)? },
        })
    }
}

/// The numbers under which [`BookRows::find`] finds a row, from its column `key`: the hash of an .xqb key, or the one
/// or two keys that a value in an .obk book can represent.
type KeyNumbers = [Option<u64>; 2];

/// The rows of a table that are not disabled and have a move.
#[derive(Debug)]
pub struct BookRows {
    pub connection: Connection,
    /// The query for the row with a rowid.
    query: String,
    /// Key and rowid of each row, sorted. An index of the database is not used, because it may be missing, and in some
    /// books it lacks rows.
    index: Vec<(u64, i64)>,
    keys: fn(ValueRef<'_>) -> KeyNumbers,
    count: usize,
}

impl BookRows {
    /// Reads the keys of a table. `prefix` begins the names of its columns, `is_valid` is the condition of rows that
    /// are not disabled, and `keys` computes the numbers for a value of the column `key`.
    ///
    /// # Errors
    /// The table cannot be read or has no moves, or there is too little memory for its keys.
    pub fn new(
        connection: Connection,
        table: &str,
        prefix: &str,
        is_valid: &str,
        keys: fn(ValueRef<'_>) -> KeyNumbers,
    ) -> Result<Self, BookError> {
        // SQLite columns can hold any type; values that are not numbers count as 0.
        let number = |name: &str| format!("IFNULL(CAST({prefix}{name} AS INTEGER), 0)");
        let numbers = ["score", "win", "draw", "lost"].map(number).join(", ");
        let rows =
            format!("FROM {table} NOT INDEXED WHERE {is_valid} AND {prefix}move IS NOT NULL");
        let columns = format!("CAST({prefix}move AS INTEGER), {numbers}, {prefix}key");
        let query = format!("SELECT {columns} {rows} AND rowid = ?1");
        let mut book = Self { connection, query, index: Vec::new(), keys, count: 0 };
        book.connection.prepare_cached(&book.query)?;
        let mut query = book.connection.prepare(&format!("SELECT rowid, {prefix}key {rows}"))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let rowid = row.get(0)?;
            for key in keys(row.get_ref(1)?).into_iter().flatten() {
                if book.index.len() == book.index.capacity() {
                    grow(&mut book.index)?;
                }
                book.index.push((key, rowid));
            }
            book.count += 1;
        }
        drop(rows);
        drop(query);
        if book.count == 0 {
            return Err(BookError::Empty);
        }
        book.index.sort_unstable();
        book.connection.busy_timeout(LOOK_UP_TIME)?;
        Ok(book)
    }

    /// The rows with a key, in the order of their rowids. Another program may have changed them since the book was
    /// opened: a row that is gone or has another key now is skipped.
    pub fn find(&self, key: u64) -> Result<Vec<BookRow>, BookError> {
        let start = self.index.partition_point(|(other, _)| *other < key);
        let found = self.index[start..].iter().take_while(|(other, _)| *other == key);
        let read = |row: &Row<'_>| {
            let has_key = (self.keys)(row.get_ref(KEY_COLUMN)?).contains(&Some(key));
            has_key.then(|| BookRow::read(row)).transpose()
        };
        let mut rows = Vec::new();
        for (_, rowid) in found {
            let mut query = self.connection.prepare_cached(&self.query)?;
            rows.extend(query.query_row([rowid], read).optional()?.flatten());
        }
        Ok(rows)
    }

    /// Number of rows when the book was opened.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Bytes that must stay free when an index grows. Other allocations, which are smaller, abort the program if they fail.
const SPARE_BYTES: usize = 40 << 20;

/// Doubles the capacity of an index.
///
/// # Errors
/// There is too little memory.
fn grow(index: &mut Vec<(u64, i64)>) -> io::Result<()> {
    let mut spare = Vec::<u8>::new();
    let has_room = index.try_reserve_exact(index.len().max(1024)).is_ok()
        && spare.try_reserve_exact(SPARE_BYTES).is_ok();
    // Keeps the compiler from removing the allocation.
    black_box(&mut spare);
    if has_room { Ok(()) } else { Err(io::ErrorKind::OutOfMemory.into()) }
}

/// The margin for [`weight`] if no score is positive and there are no games, in hundredths of a minor piece: the
/// default of `chuhe book build --margin`.
const MARGIN: i32 = 40;

/// A row with its decoded move; `None` if it has no valid one.
pub type DecodedRow = (BookRow, Option<Move>);

/// The rows of a position and of its mirror image as records. Of several rows with the same move, the first usable one
/// is taken, and those of the same list count once in [`FoundRecords::usable`].
pub fn found_records(
    own: &[DecodedRow],
    mirrored: &[DecodedRow],
    position: &Position,
) -> FoundRecords {
    let rows = usable(&[own, mirrored].concat(), position);
    let (own, mirrored) = rows.split_at(own.len());
    let mut moves = distinct(&rows);
    moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
    FoundRecords {
        moves,
        records: rows.len(),
        usable: distinct(own).len() + distinct(mirrored).len(),
    }
}

/// The moves without repetitions.
fn distinct(moves: &[Option<BookMove>]) -> Vec<BookMove> {
    let mut distinct: Vec<BookMove> = Vec::new();
    for m in moves.iter().flatten() {
        if !distinct.iter().any(|known| known.played == m.played) {
            distinct.push(*m);
        }
    }
    distinct
}

/// The move of each row, `None` if it is illegal or has no positive weight. Weights are the scores if any score of a
/// legal move is positive, otherwise the [values](Results::value) of the games if there are any; otherwise they fall
/// with the distance to the best score.
fn usable(rows: &[DecodedRow], position: &Position) -> Vec<Option<BookMove>> {
    let legal = |(row, played): &DecodedRow| {
        let played = played.filter(|m| is_legal(position, *m))?;
        Some((*row, played))
    };
    let rows: Vec<Option<(BookRow, Move)>> = rows.iter().map(legal).collect();
    let known = || rows.iter().flatten().map(|(row, _)| row);
    let best = known().map(|row| row.score).max().unwrap_or(0);
    let has_scores = best > 0;
    let has_games = known().any(|row| row.results.games() > 0);
    let weigh = |(row, played): (BookRow, Move)| {
        let value = match (has_scores, has_games) {
            (true, _) => row.score,
            (false, true) => row.results.value(),
            (false, false) => {
                let worse = best.saturating_sub(row.score);
                weight(i32::try_from(worse).unwrap_or(i32::MAX), MARGIN).into()
            }
        };
        (value > 0).then(|| BookMove {
            played,
            weight: u32::try_from(value).unwrap_or(u32::MAX),
            results: row.results,
        })
    };
    rows.iter().map(|row| row.and_then(weigh)).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Adds an index of the keys that has no entries, though it should have one for each row.
    pub fn add_empty_index(connection: &Connection, table: &str, key: &str) {
        let index = format!("CREATE INDEX damaged ON {table}({key})");
        let queries = format!(
            "{index} WHERE 0;
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = '{index}' WHERE name = 'damaged';
            PRAGMA writable_schema = RESET;"
        );
        connection.execute_batch(&queries).unwrap();
        let count = format!("SELECT COUNT(*) FROM {table} INDEXED BY damaged");
        assert_eq!(connection.query_row(&count, [], |row| row.get(0)), Ok(0));
    }
}
