//! .xqb: SQLite databases keyed by the whole position.
//!
//! The board is stored from the view of the side to move: for black it is rotated and the colors are swapped. Of that
//! board and its mirror image, the one whose list of cells is lexicographically larger is stored.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use super::book_move::{Book, BookEntry, BookError, FoundRecords, Memo, Results};
use super::database::{BookRows, found_records};
use crate::board::{Color, Move, Piece, PieceKind, Position, Setup, Square, Symmetry};
use crate::text::Replacement;

const SCHEMA: &str = "
    CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, key BLOB, move INTEGER,
        score INTEGER, win INTEGER, draw INTEGER, lost INTEGER, valid INTEGER, memo TEXT);
    CREATE TABLE information(name TEXT, value TEXT);
    INSERT INTO information VALUES ('version', '1'), ('type', 'xiangqi');
    CREATE INDEX idxkey ON book(key);";

#[derive(Debug)]
pub struct XqbBook {
    rows: BookRows,
}

impl XqbBook {
    /// The book in a database.
    pub fn new(connection: Connection) -> Result<Self, BookError> {
        let keys = |value: ValueRef<'_>| match value {
            ValueRef::Blob(key) => [Some(hash(key)), None],
            _ => [None; 2],
        };
        let rows = BookRows::new(connection, "book", "", "valid IS NOT 0", keys)?;
        Ok(Self { rows })
    }
}

/// A 64-bit hash of a key. Collisions are as improbable as in book formats whose keys are 64-bit hashes.
fn hash(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher.finish()
}

impl Book for XqbBook {
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
        let (key, view) = key(position);
        let rows = self.rows.find(hash(&key))?;
        let rows = rows.iter().map(|row| (*row, view.unpack(row.packed)));
        Ok(found_records(&rows.collect::<Vec<_>>(), &[], position))
    }

    fn with_colors_swapped(&self, position: &Position) -> Option<Position> {
        Some(position.with_colors_swapped())
    }

    fn positions(&self) -> Result<Option<Vec<Position>>, BookError> {
        let query = "SELECT DISTINCT key FROM book NOT INDEXED
            WHERE valid IS NOT 0 AND typeof(key) = 'blob'";
        let mut query = self.rows.connection.prepare(query)?;
        let keys = query.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        let mut positions = Vec::new();
        for key in keys {
            positions.extend(position_of(&key?));
        }
        Ok(Some(positions))
    }

    fn count(&self) -> Result<usize, BookError> {
        Ok(self.rows.count())
    }

    fn memos(&self) -> Result<Vec<Memo>, BookError> {
        let query = "SELECT CAST(key AS BLOB), CAST(move AS INTEGER), CAST(memo AS BLOB)
            FROM book NOT INDEXED WHERE valid IS NOT 0 AND move IS NOT NULL AND key IS NOT NULL
            AND IFNULL(memo, '') <> ''";
        let mut query = self.rows.connection.prepare(query)?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut memos = Vec::new();
        for row in rows {
            let (key, packed, text): (Vec<u8>, i64, Vec<u8>) = row?;
            let position = position_of(&key);
            memos.extend(position.and_then(|position| {
                let played = self::key(&position).1.unpack(packed)?;
                let text = String::from_utf8_lossy(&text).into_owned();
                Some((position, played, text))
            }));
        }
        Ok(memos)
    }

    fn format(&self) -> &'static str {
        "xqb"
    }
}

/// Writes positions as .xqb, with the weights as scores. A position, its mirror image and both with swapped colors
/// have the same key; for a move that several of them have, the largest weight is written, with its results. Moves of
/// weight 0 are left out, and so are the `memos` on moves that are not written. Of several memos on a move the last is
/// written. Returns the numbers of moves and positions in the file. An old file is kept until the new one is complete.
///
/// # Errors
/// The file cannot be written, or exists and `overwrite` is not set.
pub fn write_xqb(
    path: &Path,
    entries: impl IntoIterator<Item: Borrow<BookEntry>>,
    memos: &[Memo],
    overwrite: bool,
) -> Result<(usize, usize), BookError> {
    if !overwrite && path.exists() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    let new = Replacement::beside(path)?;
    let written = fill(new.file.path(), entries, memos)?;
    new.commit(overwrite)?;
    Ok(written)
}

fn fill(
    path: &Path,
    entries: impl IntoIterator<Item: Borrow<BookEntry>>,
    memos: &[Memo],
) -> Result<(usize, usize), BookError> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    let rows = merged(entries);
    let with_key = |(position, played, text): &Memo| {
        let (key, view) = key(position);
        ((key, view.pack(*played)), text.clone())
    };
    let memos: HashMap<(Vec<u8>, u16), String> = memos.iter().map(with_key).collect();
    let query = "INSERT INTO book(key, move, score, win, draw, lost, valid, memo)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)";
    let mut insert = transaction.prepare(query)?;
    for (key, packed, weight, results) in &rows {
        let Results { wins, draws, losses } = results;
        let memo = memos.get(&(key.clone(), *packed)).map_or("", String::as_str);
        insert.execute(params![key, packed, weight, wins, draws, losses, memo])?;
    }
    drop(insert);
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    let positions: HashSet<&Vec<u8>> = rows.iter().map(|(key, ..)| key).collect();
    Ok((rows.len(), positions.len()))
}

/// Rows of the book: key, packed move, weight and results; each key and move once, in the order of the entries.
fn merged(
    entries: impl IntoIterator<Item: Borrow<BookEntry>>,
) -> Vec<(Vec<u8>, u16, u32, Results)> {
    let mut indices = HashMap::new();
    let mut rows: Vec<(Vec<u8>, u16, u32, Results)> = Vec::new();
    for entry in entries {
        let entry = entry.borrow();
        let (key, view) = key(&entry.position);
        for m in entry.moves.iter().filter(|m| m.weight > 0) {
            let packed = view.pack(m.played);
            let index = *indices.entry((key.clone(), packed)).or_insert(rows.len());
            match rows.get_mut(index) {
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

const CELLS: usize = Square::COUNT;
/// Value of an empty cell, less than any piece.
const EMPTY: i8 = -1;
/// Added to the numbers of the pieces of the side that is not to move.
const OPPONENT: i8 = 8;

/// The symmetry between the board and its stored view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct XqbView(Symmetry);

impl XqbView {
    /// The view of the side to move: rotated if black is to move, then optionally mirrored.
    const fn new(rotated: bool, mirrored: bool) -> Self {
        Self(Symmetry { ranks: rotated, files: rotated != mirrored })
    }

    /// Number of the cell of a square in the view: row by row from the far side, each row from left to right.
    fn cell(self, square: Square) -> usize {
        let square = self.0.square(square);
        9 * (9 - square.rank()) + square.file()
    }

    /// The square of a cell of the view; `None` outside the board.
    fn square(self, row: usize, column: usize) -> Option<Square> {
        let square = Square::new(column, 9_usize.checked_sub(row)?)?;
        Some(self.0.square(square))
    }

    /// Encodes a move: row and column of origin and destination, four bits each.
    fn pack(self, played: Move) -> u16 {
        let byte = |square| {
            let cell = self.cell(square);
            (((cell / 9) << 4) | (cell % 9)) as u16
        };
        (byte(played.from()) << 8) | byte(played.to())
    }

    /// Decodes a move; `None` if it exceeds 16 bits, a square is not on the board, or the two squares are the same.
    fn unpack(self, packed: i64) -> Option<Move> {
        let packed = usize::try_from(packed).ok().filter(|p| *p <= 0xffff)?;
        let square = |byte: usize| self.square(byte >> 4, byte & 15);
        let (from, to) = (square(packed >> 8)?, square(packed & 0xff)?);
        (from != to).then(|| Move::new(from, to))
    }
}

/// Key of a position, and the view from which its board is stored.
fn key(position: &Position) -> (Vec<u8>, XqbView) {
    let rotated = position.side_to_move() == Color::Black;
    let [plain, mirror] = [false, true].map(|mirrored| {
        let view = XqbView::new(rotated, mirrored);
        (cells(position, view), view)
    });
    let (cells, view) = if mirror.0 > plain.0 { mirror } else { plain };
    (pack_cells(&cells), view)
}

fn cells(position: &Position, view: XqbView) -> [i8; CELLS] {
    let mut cells = [EMPTY; CELLS];
    for (square, piece) in position.setup().pieces() {
        let is_mover = piece.color() == position.side_to_move();
        let owner = if is_mover { 0 } else { OPPONENT };
        cells[view.cell(square)] = number(piece.kind()) + owner;
    }
    cells
}

const fn number(kind: PieceKind) -> i8 {
    match kind {
        PieceKind::Rook => 1,
        PieceKind::Knight => 2,
        PieceKind::Bishop => 3,
        PieceKind::Advisor => 4,
        PieceKind::King => 5,
        PieceKind::Cannon => 6,
        PieceKind::Pawn => 7,
    }
}

/// Inverse of [`number`].
fn kind(number: i8) -> Option<PieceKind> {
    PieceKind::ALL.into_iter().find(|kind| self::number(*kind) == number)
}

/// A 0 bit for an empty cell, a 1 bit and the four bits of its number for a piece, and 0 bits up to a whole byte.
fn pack_cells(cells: &[i8; CELLS]) -> Vec<u8> {
    let mut bits = Vec::new();
    for &cell in cells {
        bits.push(cell != EMPTY);
        if cell != EMPTY {
            bits.extend([8, 4, 2, 1].map(|bit| cell & bit != 0));
        }
    }
    let byte = |bits: &[bool]| {
        let set = |n: usize| bits.get(n).is_some_and(|bit| *bit);
        (0..8).fold(0, |byte, n| (byte << 1) | u8::from(set(n)))
    };
    bits.chunks(8).map(byte).collect()
}

/// Position of a key, with red to move; `None` if invalid.
fn position_of(key: &[u8]) -> Option<Position> {
    let mut bits = key.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut setup = Setup::empty();
    let view = XqbView::new(false, false);
    for cell in 0..CELLS {
        if bits.next()? == 0 {
            continue;
        }
        let mut number = 0_u8;
        for _ in 0..4 {
            number = number << 1 | bits.next()?;
        }
        let color = if number >= 8 { Color::Black } else { Color::Red };
        let kind = kind((number & 7).cast_signed())?;
        let square = view.square(cell / 9, cell % 9)?;
        setup.squares[square.index()] = Some(Piece::new(kind, color));
    }
    Position::try_from(&setup).ok()
}

#[cfg(test)]
mod tests {
    use super::super::book_move::BookMove;
    use super::super::database::{Schema, open, tests::add_empty_index};
    use super::super::library::BookLibrary;
    use super::super::table::tests::{after, moves};
    use super::*;

    fn reopened(path: &Path) -> XqbBook {
        let (connection, schema) = open(path).unwrap();
        assert_eq!(schema, Schema::Xqb);
        XqbBook::new(connection).unwrap()
    }

    #[test]
    fn a_locked_book_stays_open() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        let BookEntry { position: start, moves: played } = one_move();
        write_xqb(&path, &[one_move()], &[], false).unwrap();
        let (mut library, problems) = BookLibrary::open(path.to_str().unwrap());
        assert_eq!(problems, [""; 0]);
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let (moves, problems) = library.moves(&start);
        assert!(moves.is_empty() && problems[0].ends_with("database is locked"), "{problems:?}");
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(library.moves(&start), (played, Vec::new()));
    }

    fn one_move() -> BookEntry {
        let moves = vec![BookMove::new("h2e2".parse().unwrap(), 7)];
        BookEntry { position: Position::startpos(), moves }
    }

    #[test]
    fn rows_that_an_index_lacks_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        write_xqb(&path, &[one_move()], &[], false).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("DROP INDEX idxkey").unwrap();
        add_empty_index(&connection, "book", "key");
        drop(connection);
        let book = reopened(&path);
        assert_eq!(moves(&book, ""), "h2e2 7");
        assert_eq!(book.positions().unwrap().unwrap(), [Position::startpos()]);
    }

    #[test]
    fn rows_whose_key_another_program_has_changed_are_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        let moves_of_start = ["h2e2", "c3c4"].map(|m| BookMove::new(m.parse().unwrap(), 7));
        let start = BookEntry { position: Position::startpos(), moves: moves_of_start.to_vec() };
        write_xqb(&path, &[start], &[], false).unwrap();
        let book = reopened(&path);
        assert_eq!(moves(&book, ""), "h2e2 7, c3c4 7");
        let other = Connection::open(&path).unwrap();
        // The first row gets the key of another position, in which its move is legal too.
        let (key, _) = key(&after("g3g4 g6g5"));
        other.execute("UPDATE book SET key = ?1 WHERE id = 1", [key]).unwrap();
        assert_eq!(moves(&book, ""), "c3c4 7");
        other.execute("DELETE FROM book WHERE id = 2", []).unwrap();
        assert_eq!(moves(&book, ""), "");
        // The new key is found after the book has been opened again.
        assert_eq!(book.look_up(&after("g3g4 g6g5")).unwrap().records, 0);
        assert_eq!(reopened(&path).look_up(&after("g3g4 g6g5")).unwrap().records, 1);
    }

    #[test]
    fn a_book_in_wal_mode_is_read_where_sqlite_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a #1 100%41 开局.xqb");
        write_xqb(&path, &[one_move()], &[], false).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        connection.close().unwrap();
        // A directory with the name of the log prevents SQLite from creating the log.
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        std::fs::create_dir(&log).unwrap();
        assert_eq!(moves(&reopened(&path), ""), "h2e2 7");
    }

    #[test]
    fn written_books_are_read_in_every_view() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        let results = Results { wins: 3, draws: 2, losses: 1 };
        let played =
            |text: &str, weight| BookMove { played: text.parse().unwrap(), weight, results };
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
        let memos = [(after("h2e2"), "h9g7".parse().unwrap(), "中炮 main".to_owned())];
        assert_eq!(write_xqb(&path, &entries, &memos, false).unwrap(), (3, 2));
        assert!(write_xqb(&path, &entries, &[], false).is_err(), "it exists");
        let connection = Connection::open(&path).unwrap();
        let written = "SELECT score FROM book WHERE memo = '中炮 main'";
        let score: i64 = connection.query_row(written, [], |row| row.get(0)).unwrap();
        assert_eq!(score, 7);
        let book = reopened(&path);
        // The position of the memo is stored with the colors swapped.
        let [(position, played, text)] = &book.memos().unwrap()[..] else {
            panic!("one memo");
        };
        assert!(crate::movegen::is_legal(position, *played));
        let copy = directory.path().join("copy.xqb");
        let memo = (position.clone(), *played, text.clone());
        write_xqb(&copy, &entries, &[memo], false).unwrap();
        let connection = Connection::open(&copy).unwrap();
        let copied: i64 = connection.query_row(written, [], |row| row.get(0)).unwrap();
        assert_eq!(copied, 7);
        let found = book.moves(&after("h2e2")).unwrap();
        assert!(found.iter().all(|m| m.results == results));
        assert_eq!(moves(&book, "h2e2"), "h9g7 7, b9c7 5");
        assert_eq!(moves(&book, "b2e2"), "b9c7 7, h9g7 5");
        assert_eq!(moves(&book, "b2e2 b9c7 b0c2"), "a9b9 4");
        assert_eq!(moves(&book, "c3c4"), "");
        assert_eq!((book.count().unwrap(), book.look_up(&after("b2e2")).unwrap().records), (3, 2));
    }

    #[test]
    fn rows_of_other_programs_get_weights() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        assert_eq!(write_xqb(&path, &[], &[], true).unwrap(), (0, 0));
        let connection = Connection::open(&path).unwrap();
        let add = |moves: &str, packed: &str, score: &str, games: &str, valid: &str| {
            let (key, _) = key(&after(moves));
            let query = format!(
                "INSERT INTO book(key, move, score, win, draw, lost, valid)
                 VALUES (?1, {packed}, {score}, {games}, {valid})"
            );
            connection.execute(&query, [key]).unwrap();
        };
        // h2e2 has a score, so the results of b2e2, which has no score, do not count. c3c4 is disabled, and two moves
        // are invalid.
        add("", "0x7774", "12", "0, 0, 0", "1");
        add("", "0x7174", "0", "9, 9, 9", "1");
        add("", "0x6252", "99", "0, 0, 0", "0");
        add("", "'cannon'", "99", "0, 0, 0", "1");
        add("", "NULL", "99", "0, 0, 0", "1");
        // No move has a positive score, so the results count: three wins and a loss, and one loss.
        add("c3c4", "0x6656", "NULL", "3, 0, 1", "NULL");
        add("c3c4", "0x9776", "-20", "0, 0, 1", "1");
        // All scores are negative and there are no results.
        add("h2e2", "0x9776", "-5", "0, 0, 0", "1");
        add("h2e2", "0x9172", "-25", "0, 0, 0", "1");
        // The score and results of an illegal move do not count: a rook takes its own knight.
        add("h2e2", "0x9091", "12", "9, 0, 0", "1");
        let book = reopened(&path);
        let weights = |moves: &str| -> Vec<u32> {
            let moves = book.moves(&after(moves)).unwrap();
            moves.iter().map(|m| m.weight).collect()
        };
        assert_eq!(weights(""), [12]);
        assert_eq!(weights("c3c4"), [8]);
        assert_eq!(weights("h2e2"), [1000, 472]);
        // Neither the disabled row nor the one without a move counts.
        assert_eq!(book.count().unwrap(), 8);
    }

    #[test]
    fn other_databases_are_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("book.xqb");
        let connection = Connection::open(&path).unwrap();
        let other_tables = "CREATE TABLE book(x); CREATE TABLE y(z);";
        let other_type = "CREATE TABLE information(name, value); INSERT INTO information VALUES ('type', 'chess');";
        for (queries, reason) in [
            (other_tables, "a database with other tables"),
            (other_type, "its type is not `xiangqi`"),
            ("UPDATE information SET value = NULL", "its type is not `xiangqi`"),
        ] {
            connection.execute_batch(queries).unwrap();
            let error = open(&path).err();
            let is_expected = matches!(error, Some(BookError::NotABook(found)) if found == reason);
            assert!(is_expected, "{queries}");
        }
        std::fs::write(&path, [&b"SQLite format 3\0"[..], &[7; 500]].concat()).unwrap();
        assert!(open(&path).is_err());
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn keys_agree_with_the_format() {
        let mut position = Position::startpos();
        let (start, view) = key(&position);
        assert_eq!(hex(&start), "ceb7cef37ac801e079f7df7df00002ebaebaeb02c004653a56939440");
        assert_eq!(view.unpack(0x7774), "h2e2".parse().ok());
        let after = "ceb7cef37ac801e3c1f7df7df00002ebaebaeb02c004653a56939440";
        for played in ["h2e2", "b2e2"] {
            let played: Move = played.parse().unwrap();
            let undo = position.make(played);
            let (found, view) = key(&position);
            assert_eq!(hex(&found), after, "{played}");
            let answer = view.unpack(0x9776).unwrap();
            assert!(crate::movegen::is_legal(&position, answer), "{answer}");
            position.unmake(played, undo);
        }
    }

    #[test]
    fn moves_round_trip_in_every_view() {
        for rotated in [false, true] {
            for mirrored in [false, true] {
                let view = XqbView::new(rotated, mirrored);
                for text in ["h2e2", "a0a9", "i9i0", "e1d2"] {
                    let played: Move = text.parse().unwrap();
                    assert_eq!(view.unpack(view.pack(played).into()), Some(played));
                }
                for bad in [-1, 0, 0x1_0000, 0xa0a1, 0x0909, 0x7777] {
                    assert_eq!(view.unpack(bad), None, "{bad:x}");
                }
            }
        }
    }
}
