//! .obk and .pfBook: SQLite databases keyed by a Zobrist hash whose numbers are not public.
//!
//! The numbers are not part of this program; users who have them provide a key file of 28,680 bytes: the number for red
//! to move, then those of the 14 pieces (red K A B N R C P, then black) on 256 squares each. A number has eight bytes;
//! all numbers of a file are little-endian or all are big-endian.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::book_move::{Book, BookError, FoundRecords};
use super::dat::{from_256, to_256};
use super::database::{BookRow, BookRows, found_records};
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
    rows: BookRows,
    keys: ObkKeys,
    format: &'static str,
}

impl ObkBook {
    /// The book in `table` of a database.
    pub fn new(
        connection: Connection,
        keys: ObkKeys,
        table: &'static str,
    ) -> Result<Self, BookError> {
        let rows = BookRows::new(connection, table, "v", "vvalid = 1", stored_keys)?;
        let format = if table == "bhobk" { "obk" } else { "pfBook" };
        Ok(Self { rows, keys, format })
    }
}

/// The keys that a stored value can represent. A key of 2^63 or above is stored as a negative integer or, in most .obk
/// books, as a floating-point number with the same bits. SQLite cannot store a NaN, so a key with the bits of a NaN is
/// found only as an integer.
fn stored_keys(value: ValueRef<'_>) -> [Option<u64>; 2] {
    let (integer, real) = match value {
        ValueRef::Integer(key) => {
            // In a column of integers, SQLite stores a floating-point key without a fraction as an integer. All
            // floating-point keys are negative, because only keys with the highest bit set are stored so.
            let real = Some(key as f64).filter(|real| key < 0 && *real as i64 == key);
            (Some(key.cast_unsigned()), real)
        }
        ValueRef::Real(key) => (None, Some(key)),
        _ => (None, None),
    };
    [integer, real.map(f64::to_bits)]
}

/// Decodes a move: the high byte is its origin, the low byte its destination, numbered as in BOOK.DAT.
fn unpack(packed: i64) -> Option<Move> {
    let [high, low] = u16::try_from(packed).ok()?.to_be_bytes();
    let (from, to) = (from_256(high)?, from_256(low)?);
    (from != to).then(|| Move::new(from, to))
}

/// The move with its origin and destination exchanged if the side to move has no piece on the origin. Some books have
/// the two bytes in the other order.
fn ordered(m: Move, position: &Position) -> Move {
    let piece = position.piece_on(m.from());
    let is_own = piece.is_some_and(|piece| piece.color() == position.side_to_move());
    if is_own { m } else { Move::new(m.to(), m.from()) }
}

impl Book for ObkBook {
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
        let [own, mirror] = [false, true].map(|mirror| self.keys.key(position, mirror));
        let ordered = |m: Move| ordered(m, position);
        let decoded = |row: BookRow| (row, unpack(row.packed).map(ordered));
        let flipped = |row: BookRow| (row, unpack(row.packed).map(Move::flip_file).map(ordered));
        // A position may be its own mirror image.
        let mirrored = if own == mirror { Vec::new() } else { self.rows.find(mirror)? };
        let own: Vec<_> = self.rows.find(own)?.into_iter().map(decoded).collect();
        let mirrored: Vec<_> = mirrored.into_iter().map(flipped).collect();
        Ok(found_records(&own, &mirrored, position))
    }

    fn count(&self) -> Result<usize, BookError> {
        Ok(self.rows.count())
    }

    fn format(&self) -> &'static str {
        self.format
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngCore, SeedableRng};
    use rusqlite::types::Value;

    use super::super::database::tests::add_empty_index;
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

    /// A book in a database. If `swaps`, moves have the byte of the destination first.
    fn database(keys: &ObkKeys, table: &str, swaps: bool) -> Connection {
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
            let packed: u16 = if swaps { u16::swap_bytes(packed) } else { packed };
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
        for (table, swaps) in [("bhobk", false), ("bhobk", true), ("pfBook", false)] {
            let connection = database(&keys, table, swaps);
            add_empty_index(&connection, table, "vkey");
            let book = ObkBook::new(connection, keys.clone(), table).unwrap();
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
        }
    }

    #[test]
    fn rows_with_a_changed_key_are_skipped() {
        let keys = keys();
        let other = keys.key(&after("h2e2"), false).cast_signed();
        let book = ObkBook::new(database(&keys, "pfBook", false), keys, "pfBook").unwrap();
        assert_eq!(moves(&book, ""), "h2e2 50");
        let change = "UPDATE pfBook SET vkey = ?1 WHERE vscore = 50";
        book.rows.connection.execute(change, [other]).unwrap();
        assert_eq!(moves(&book, ""), "");
    }

    #[test]
    fn a_table_without_a_column_is_reported_without_the_query() {
        let keys = keys();
        let connection = database(&keys, "bhobk", false);
        connection.execute("ALTER TABLE bhobk DROP COLUMN vwin", []).unwrap();
        let error = ObkBook::new(connection, keys, "bhobk").unwrap_err();
        assert_eq!(error.to_string(), "database: no such column: vwin");
    }

    #[test]
    fn a_table_without_the_column_id_is_read() {
        let keys = keys();
        let connection = database(&keys, "bhobk", false);
        connection.execute("ALTER TABLE bhobk RENAME COLUMN id TO number", []).unwrap();
        let book = ObkBook::new(connection, keys, "bhobk").unwrap();
        assert_eq!(moves(&book, ""), "h2e2 50");
    }
}
