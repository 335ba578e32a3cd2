//! .obk and .pfBook: SQLite databases keyed by a Zobrist hash whose numbers are not public.
//!
//! The numbers are not part of this program; users who have them provide a key file of 28,680 bytes: the number for red
//! to move, then those of the 14 pieces (red K A B N R C P, then black) on 256 squares each. A number has eight bytes;
//! all numbers of a file are little-endian or all are big-endian.

use std::cell::OnceCell;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, params};

use super::book_move::{Book, BookError, FoundRecords};
use super::dat::{from_256, to_256};
use super::database::{BookRow, found_records};
use crate::board::{Color, Move, Piece, Position};

/// Length of a key file in bytes.
pub const KEY_FILE_LENGTH: usize = 8 + 8 * 256 * Piece::COUNT;
/// Key of the starting position, by which a key file is recognized.
const START: u64 = 0x628d_04d7_c9c1_44ae;

#[derive(Clone, Debug)]
pub struct ObkKeys {
    red_to_move: u64,
    pieces: Vec<u64>,
}

impl ObkKeys {
    /// Reads a key file; `None` if its length or its numbers are wrong.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != KEY_FILE_LENGTH {
            return None;
        }
        let orders = [u64::from_le_bytes, u64::from_be_bytes];
        orders.into_iter().find_map(|number| {
            let mut numbers = bytes.as_chunks().0.iter().copied().map(number);
            let keys = Self { red_to_move: numbers.next()?, pieces: numbers.collect() };
            (keys.key(&Position::startpos(), false) == START).then_some(keys)
        })
    }

    fn key(&self, position: &Position, mirror: bool) -> u64 {
        let mut key = match position.side_to_move() {
            Color::Red => self.red_to_move,
            Color::Black => 0,
        };
        for (square, piece) in position.setup().pieces() {
            let square = if mirror { square.flip_file() } else { square };
            key ^= self.pieces[256 * piece.index() + to_256(square)];
        }
        key
    }
}

#[derive(Debug)]
pub struct ObkBook {
    connection: Connection,
    keys: ObkKeys,
    table: &'static str,
    /// Key and rowid of each usable row, sorted. They replace a missing index of the table, without which SQLite reads
    /// the whole table for each look-up. If the table has an index, they are read only for a walk, whose many look-ups
    /// mostly find nothing, which is faster in memory.
    index: OnceCell<Vec<(u64, i64)>>,
}

impl ObkBook {
    /// The book in `table` of a database. Reads the keys of all rows if the table has no index, as in most books.
    pub fn new(
        connection: Connection,
        keys: ObkKeys,
        table: &'static str,
    ) -> Result<Self, BookError> {
        let is_indexed = has_index(&connection, table)?;
        let book = Self { connection, keys, table, index: OnceCell::new() };
        if !is_indexed {
            book.prepare_walk()?;
        }
        Ok(book)
    }

    fn rows_where(&self, condition: &str, values: impl Params) -> Result<Vec<BookRow>, BookError> {
        let condition = format!("{condition} AND vvalid = 1");
        BookRow::rows(&self.connection, self.table, "v", &condition, values)
    }

    /// The rows with a key. A key of 2^63 or above is stored as a negative integer or, in most .obk books, as a
    /// floating-point number with the same bits. SQLite cannot store a NaN, so a key with the bits of a NaN is found
    /// only as an integer.
    fn rows(&self, key: u64) -> Result<Vec<BookRow>, BookError> {
        let Some(index) = self.index.get() else {
            let keys = params![key.cast_signed(), f64::from_bits(key)];
            return self.rows_where("vkey IN (?1, ?2)", keys);
        };
        let start = index.partition_point(|(other, _)| *other < key);
        let found = index[start..].iter().take_while(|(other, _)| *other == key);
        let rows = found.map(|(_, rowid)| self.rows_where("rowid = ?1", [rowid]));
        Ok(rows.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

/// Whether a table has an index by keys.
fn has_index(connection: &Connection, table: &str) -> Result<bool, BookError> {
    let query = "SELECT EXISTS(SELECT 1 FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS first
        WHERE list.partial = 0 AND first.seqno = 0 AND first.name = 'vkey' COLLATE NOCASE)";
    Ok(connection.query_row(query, [table], |row| row.get(0))?)
}

/// Key and rowid of each usable row of a table, sorted.
fn read_keys(connection: &Connection, table: &str) -> Result<Vec<(u64, i64)>, BookError> {
    let query = format!("SELECT rowid, vkey FROM {table} WHERE vvalid = 1 AND vmove IS NOT NULL");
    let mut query = connection.prepare(&query)?;
    let mut rows = query.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let rowid = row.get(0)?;
        let real = match row.get_ref(1)? {
            ValueRef::Integer(key) => {
                keys.push((key.cast_unsigned(), rowid));
                // In a column of integers, SQLite stores a floating-point key without a fraction as an integer. All
                // floating-point keys are negative, because only keys with the highest bit set are stored so.
                Some(key as f64).filter(|real| key < 0 && *real as i64 == key)
            }
            ValueRef::Real(key) => Some(key),
            _ => None,
        };
        keys.extend(real.map(|key| (key.to_bits(), rowid)));
    }
    keys.sort_unstable();
    Ok(keys)
}

/// Decodes a move: the high byte is its origin, the low byte its destination, numbered as in BOOK.DAT.
fn unpack(packed: i64) -> Option<Move> {
    let [high, low] = u16::try_from(packed).ok()?.to_be_bytes();
    let (from, to) = (from_256(high)?, from_256(low)?);
    (from != to).then(|| Move::new(from, to))
}

impl Book for ObkBook {
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
        let [own, mirror] = [false, true].map(|mirror| self.keys.key(position, mirror));
        let decoded = |row: BookRow| (row, unpack(row.packed));
        let flipped = |row: BookRow| (row, unpack(row.packed).map(Move::flip_file));
        // A position may be its own mirror image.
        let mirrored = if own == mirror { Vec::new() } else { self.rows(mirror)? };
        let own: Vec<_> = self.rows(own)?.into_iter().map(decoded).collect();
        let mirrored: Vec<_> = mirrored.into_iter().map(flipped).collect();
        Ok(found_records(&own, &mirrored, position))
    }

    fn count(&self) -> Result<usize, BookError> {
        let table = self.table;
        let query = format!("SELECT COUNT(*) FROM {table} WHERE vvalid = 1 AND vmove IS NOT NULL");
        Ok(self.connection.query_row(&query, [], |row| row.get(0))?)
    }

    /// Reads the index.
    fn prepare_walk(&self) -> Result<(), BookError> {
        if self.index.get().is_none() {
            let keys = read_keys(&self.connection, self.table)?;
            self.index.get_or_init(|| keys);
        }
        Ok(())
    }

    fn format(&self) -> &'static str {
        if self.table == "bhobk" { "obk" } else { "pfBook" }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngCore, SeedableRng};
    use rusqlite::types::Value;

    use super::super::table::tests::{after, moves};
    use super::super::walk::walk;
    use super::*;

    /// Random numbers, adjusted so that three positions have the keys in the description of the format.
    fn keys() -> ObkKeys {
        let mut random = StdRng::seed_from_u64(4);
        let mut keys = ObkKeys {
            red_to_move: 0xa0ce_2af9_0c45_2f58,
            pieces: (0..256 * Piece::COUNT).map(|_| random.next_u64()).collect(),
        };
        let index =
            |piece: Piece, square: &str| 256 * piece.index() + to_256(square.parse().unwrap());
        let wrong = keys.key(&Position::startpos(), false) ^ START;
        keys.pieces[index(Piece::RedKing, "e0")] ^= wrong;
        // After h2e2, and after b2e2.
        for (from, key) in [("h2", 0xa1ea_d1f6_470e_07ee), ("b2", 0x29d4_30b1_d3af_9b9e)] {
            let mut position = Position::startpos();
            position.make(Move::new(from.parse().unwrap(), "e2".parse().unwrap()));
            let wrong = keys.key(&position, false) ^ key;
            // Changing both numbers keeps the key of the starting position. After the move the cannon has left its
            // square, so only the change of the king's number counts.
            keys.pieces[index(Piece::RedCannon, from)] ^= wrong;
            keys.pieces[index(Piece::RedKing, "e0")] ^= wrong;
        }
        keys
    }

    fn bytes(keys: &ObkKeys, number: impl Fn(u64) -> [u8; 8]) -> Vec<u8> {
        let numbers = std::iter::once(keys.red_to_move).chain(keys.pieces.iter().copied());
        numbers.flat_map(number).collect()
    }

    #[test]
    fn key_files_are_recognized_by_their_numbers() {
        let keys = keys();
        let little = bytes(&keys, u64::to_le_bytes);
        for file in [little.clone(), bytes(&keys, u64::to_be_bytes)] {
            let read = ObkKeys::read(&file).unwrap();
            assert_eq!((read.red_to_move, read.pieces), (keys.red_to_move, keys.pieces.clone()));
        }
        let mut wrong = little.clone();
        wrong[0] ^= 1;
        assert!(ObkKeys::read(&wrong).is_none());
        assert!(ObkKeys::read(&little[1..]).is_none());
    }

    fn database(keys: &ObkKeys, table: &str) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let columns = "(id INTEGER PRIMARY KEY, vkey INTEGER, vmove INTEGER, vscore INTEGER,
            vwin INTEGER, vdraw INTEGER, vlost INTEGER, vvalid INTEGER, vmemo BLOB, vindex INTEGER)";
        connection.execute_batch(&format!("CREATE TABLE {table}{columns}")).unwrap();
        for (moves, packed, score, valid) in [
            ("h2e2", 0x3a_59, 30, 1),
            ("h2e2", 0x34_55, 40, 1),
            ("h2e2", 0x3a_58, 99, 0),
            ("b2e2", 0x3a_59, 35, 1),
            ("", 0xaa_a7, 50, 1),
        ] {
            let key = keys.key(&after(moves), false);
            // Some programs store signed keys in .obk too.
            let key = if table == "bhobk" && key >= 1 << 63 && score != 40 {
                Value::Real(f64::from_bits(key))
            } else {
                Value::Integer(key.cast_signed())
            };
            let query = format!(
                "INSERT INTO {table}(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid)
                 VALUES (?1, {packed}, {score}, 1, 2, 3, {valid})"
            );
            connection.execute(&query, [key]).unwrap();
        }
        let without_move = format!("INSERT INTO {table}(vkey, vvalid) VALUES (1, 1)");
        connection.execute(&without_move, []).unwrap();
        connection
    }

    #[test]
    fn rows_of_both_mirror_images_are_found() {
        let keys = keys();
        for (table, has_index) in [("bhobk", false), ("bhobk", true), ("pfBook", false)] {
            let connection = database(&keys, table);
            if has_index {
                connection.execute("CREATE INDEX keys ON bhobk(VKey)", []).unwrap();
            }
            let book = ObkBook::new(connection, keys.clone(), table).unwrap();
            assert_eq!(book.index.get().is_none(), has_index);
            assert_eq!(moves(&book, ""), "h2e2 50");
            // The key of this position is above 2^63: -2.68e-145 as a floating-point number.
            assert_eq!(moves(&book, "h2e2"), "b9c7 40, h9g7 30");
            assert_eq!(moves(&book, "b2e2"), "h9g7 35, b9c7 30");
            // A disabled row and one without a move do not count.
            assert_eq!(book.count().unwrap(), 4);
            assert_eq!(book.look_up(&after("h2e2")).unwrap().records, 3);
            // The row after b2e2 has, mirrored, a move of the rows after h2e2.
            let walk = walk(&book).unwrap();
            assert_eq!((walk.usable, walk.unusable, walk.unreached), (4, 0, 0));
            assert_eq!(book.index.get().unwrap().len(), 4);
            assert_eq!(moves(&book, "b2e2"), "h9g7 35, b9c7 30");
        }
    }
}
