//! .xqb books: SQLite databases keyed by the whole position.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rusqlite::{Connection, params};

use super::book_move::{Book, BookEntry, BookMove, Results};
use super::database::{Stored, weighed};
use super::error::BookError;
use super::xqb_key::{key, position_of};
use crate::board::Position;
use crate::text::Replacement;

const SCHEMA: &str = "
    CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, key BLOB, move INTEGER,
        score INTEGER, win INTEGER, draw INTEGER, lost INTEGER, valid INTEGER, memo TEXT);
    CREATE TABLE information(name TEXT, value TEXT);
    INSERT INTO information VALUES ('version', '1'), ('type', 'xiangqi');
    CREATE INDEX idxkey ON book(key);";

/// Columns may hold anything in SQLite: what is no number counts as 0.
const QUERY: &str = "
    SELECT CAST(move AS INTEGER), IFNULL(CAST(score AS INTEGER), 0), IFNULL(CAST(win AS INTEGER), 0),
        IFNULL(CAST(draw AS INTEGER), 0), IFNULL(CAST(lost AS INTEGER), 0)
    FROM book WHERE key = ?1 AND valid IS NOT 0 AND move IS NOT NULL ORDER BY id";

/// A book in the format .xqb.
#[derive(Debug)]
pub(super) struct XqbBook {
    connection: Connection,
}

impl XqbBook {
    /// A book in a database that has been found to be one.
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    fn rows(&self, key: &[u8]) -> Result<Vec<Stored>, BookError> {
        let mut query = self.connection.prepare_cached(QUERY)?;
        let rows = query.query_map([key], Stored::read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Book for XqbBook {
    fn moves(&self, position: &Position) -> Result<Vec<BookMove>, BookError> {
        let (key, view) = key(position);
        let rows = self.rows(&key)?;
        let rows: Vec<_> = (rows.iter())
            .map(|row| (row, view.unpack(row.packed)))
            .collect();
        Ok(weighed(&rows, position))
    }

    fn twin(&self, position: &Position) -> Option<Position> {
        Some(position.with_colors_exchanged())
    }

    fn positions(&self) -> Result<Option<Vec<Position>>, BookError> {
        let query = "SELECT DISTINCT key FROM book WHERE valid IS NOT 0 AND typeof(key) = 'blob'";
        let mut query = self.connection.prepare(query)?;
        let keys = query.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        let mut positions = Vec::new();
        for key in keys {
            positions.extend(position_of(&key?));
        }
        Ok(Some(positions))
    }

    fn count(&self) -> Result<usize, BookError> {
        let query = "SELECT COUNT(*) FROM book WHERE valid IS NOT 0";
        Ok(self.connection.query_row(query, [], |row| row.get(0))?)
    }

    fn stored(&self, position: &Position) -> Result<usize, BookError> {
        Ok(self.rows(&key(position).0)?.len())
    }

    fn format(&self) -> &'static str {
        "xqb"
    }
}

/// Writes positions as a book in the format .xqb, with the weights as scores. A position and the one
/// with colors exchanged are one there: of a move that both have, the one with more weight is written. Returns
/// how many moves were written.
///
/// # Errors
/// The file exists already or cannot be written; then there is none afterwards.
pub fn write_xqb(path: &Path, entries: &[BookEntry]) -> Result<usize, BookError> {
    if path.exists() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    let new = Replacement::beside(path)?;
    let written = fill(new.path(), entries)?;
    new.commit_new()?;
    Ok(written)
}

fn fill(path: &Path, entries: &[BookEntry]) -> Result<usize, BookError> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    let rows = merged(entries);
    let query = "INSERT INTO book(key, move, score, win, draw, lost, valid, memo)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, '')";
    let mut insert = transaction.prepare(query)?;
    for (key, packed, weight, results) in &rows {
        let Results {
            wins,
            draws,
            losses,
        } = results;
        insert.execute(params![key, packed, weight, wins, draws, losses])?;
    }
    drop(insert);
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(rows.len())
}

/// The rows of a book, each position and move once, in the order of the entries.
fn merged(entries: &[BookEntry]) -> Vec<(Vec<u8>, u16, u32, Results)> {
    let mut places = HashMap::new();
    let mut rows: Vec<(Vec<u8>, u16, u32, Results)> = Vec::new();
    for entry in entries {
        let (key, view) = key(&entry.position);
        for m in entry.moves.iter().filter(|m| m.weight > 0) {
            let packed = view.pack(m.played);
            let place = *places.entry((key.clone(), packed)).or_insert(rows.len());
            match rows.get_mut(place) {
                Some((_, _, weight, results)) if *weight < m.weight => {
                    (*weight, *results) = (m.weight, m.results);
                }
                Some(_) => {}
                None => rows.push((key.clone(), packed, m.weight, m.results)),
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::database::{Schema, open};
    use super::*;

    fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        for m in moves.split_whitespace() {
            position.make(m.parse().unwrap());
        }
        position
    }

    fn scratch(name: &str) -> std::path::PathBuf {
        let name = format!("chuhe-{}-{name}.xqb", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        path
    }

    fn reopened(path: &Path) -> XqbBook {
        let (connection, schema) = open(path).unwrap();
        assert_eq!(schema, Schema::Xqb);
        XqbBook::new(connection)
    }

    #[test]
    fn what_is_written_is_read_in_every_view() {
        let path = scratch("views");
        let results = Results {
            wins: 3,
            draws: 2,
            losses: 1,
        };
        let played = |text: &str, weight| BookMove {
            played: text.parse().unwrap(),
            weight,
            results,
        };
        let entries = [
            BookEntry {
                position: after("h2e2"),
                moves: vec![played("h9g7", 7), played("b9c7", 5)],
            },
            BookEntry {
                position: after("h2e2 h9g7 h0g2"),
                moves: vec![played("i9h9", 4), played("g6g5", 0)],
            },
        ];
        assert_eq!(write_xqb(&path, &entries).unwrap(), 3);
        assert!(write_xqb(&path, &entries).is_err(), "it exists");
        let book = reopened(&path);
        let told = |moves: &str| -> Vec<(String, u32)> {
            let moves = book.moves(&after(moves)).unwrap();
            assert!(moves.iter().all(|m| m.results == results));
            moves
                .iter()
                .map(|m| (m.played.to_string(), m.weight))
                .collect()
        };
        let list = |list: &[(&str, u32)]| -> Vec<_> {
            list.iter().map(|(m, w)| ((*m).to_owned(), *w)).collect()
        };
        assert_eq!(told("h2e2"), list(&[("h9g7", 7), ("b9c7", 5)]));
        assert_eq!(told("b2e2"), list(&[("b9c7", 7), ("h9g7", 5)]));
        assert_eq!(told("b2e2 b9c7 b0c2"), list(&[("a9b9", 4)]));
        assert_eq!(told("c3c4"), []);
        assert_eq!(
            (book.count().unwrap(), book.stored(&after("b2e2")).unwrap()),
            (3, 2)
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn rows_of_others_are_weighed() {
        let path = scratch("foreign");
        assert_eq!(write_xqb(&path, &[]).unwrap(), 0);
        let connection = Connection::open(&path).unwrap();
        let add = |moves: &str, packed: &str, score: &str, games: &str, valid: &str| {
            let (key, _) = key(&after(moves));
            let query = format!(
                "INSERT INTO book(key, move, score, win, draw, lost, valid)
                 VALUES (?1, {packed}, {score}, {games}, {valid})"
            );
            connection.execute(&query, [key]).unwrap();
        };
        // h2e2 by its score, b2e2 not by its games, c3c4 not valid, a move that is none.
        add("", "0x7774", "12", "0, 0, 0", "1");
        add("", "0x7174", "0", "9, 9, 9", "1");
        add("", "0x6252", "99", "0, 0, 0", "0");
        add("", "'cannon'", "99", "0, 0, 0", "1");
        add("", "NULL", "99", "0, 0, 0", "1");
        // By games: 3 wins and a loss; a loss.
        add("c3c4", "0x6656", "NULL", "3, 0, 1", "NULL");
        add("c3c4", "0x9776", "-20", "0, 0, 1", "1");
        let book = reopened(&path);
        let told = |moves: &str| -> Vec<u32> {
            let moves = book.moves(&after(moves)).unwrap();
            moves.iter().map(|m| m.weight).collect()
        };
        assert_eq!(told(""), [12]);
        assert_eq!(told("c3c4"), [8]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn other_databases_are_no_books() {
        let path = scratch("other");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE book(x); CREATE TABLE y(z);")
            .unwrap();
        assert!(matches!(open(&path), Err(BookError::Foreign(_))));
        connection
            .execute_batch("CREATE TABLE information(name, value); INSERT INTO information VALUES ('type', 'chess');")
            .unwrap();
        assert!(matches!(open(&path), Err(BookError::Foreign(_))));
        std::fs::write(&path, [&b"SQLite format 3\0"[..], &[7; 500]].concat()).unwrap();
        assert!(open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
