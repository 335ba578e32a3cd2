//! BOOK.DAT, the book of ElephantEye.
//!
//! Records of eight bytes, least significant first: lock (32 bits), move (from, then to), weight (16
//! bits); sorted by lock. Of a position and its mirror image only one is stored.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::book_move::{Book, BookEntry, BookMove, HashedMove};
use super::error::BookError;
use super::lock::{from_256, locks, to_256};
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// Bytes of a record.
const RECORD: usize = 8;
/// The largest weight of a record.
const MAX_WEIGHT: u32 = u16::MAX as u32;

/// A book in the format of ElephantEye, whole in memory.
#[derive(Clone, Debug)]
pub struct DatBook {
    records: Cow<'static, [u8]>,
}

impl DatBook {
    /// A book of these bytes.
    ///
    /// # Errors
    /// They are empty, cut short or not sorted by lock, or most of them hold no move.
    pub fn new(records: Cow<'static, [u8]>) -> Result<Self, BookError> {
        if records.is_empty() {
            return Err(BookError::Empty);
        }
        if !records.len().is_multiple_of(RECORD) {
            return Err(BookError::Cut(records.len()));
        }
        let book = Self { records };
        let sorted = (1..book.len()).all(|n| book.lock_of(n - 1) <= book.lock_of(n));
        let moves = (0..book.len()).filter(|n| book.record(*n).is_some());
        match sorted {
            false => Err(BookError::Foreign("its records are not in order")),
            true if 2 * moves.count() < book.len() => {
                Err(BookError::Foreign("most of its records hold no move"))
            }
            true => Ok(book),
        }
    }

    fn len(&self) -> usize {
        self.records.len() / RECORD
    }

    fn bytes(&self, number: usize) -> [u8; RECORD] {
        let bytes = &self.records[number * RECORD..][..RECORD];
        std::array::from_fn(|n| bytes[n])
    }

    fn lock_of(&self, number: usize) -> u32 {
        let [a, b, c, d, ..] = self.bytes(number);
        u32::from_le_bytes([a, b, c, d])
    }

    /// A record; `None` where its move is none on this board.
    fn record(&self, number: usize) -> Option<HashedMove> {
        let [a, b, c, d, from, to, low, high] = self.bytes(number);
        let (from, to) = (from_256(from)?, from_256(to)?);
        (from != to).then(|| HashedMove {
            lock: u32::from_le_bytes([a, b, c, d]),
            played: Move::new(from, to),
            weight: u32::from(u16::from_le_bytes([low, high])),
        })
    }

    /// The numbers of all records with this lock.
    fn run(&self, lock: u32) -> std::ops::Range<usize> {
        let first = self.first_from(0, |other| other >= lock);
        first..self.first_from(first, |other| other > lock)
    }

    /// The first record from `start` on whose lock is far enough; `far_enough` is false, then true.
    fn first_from(&self, start: usize, far_enough: impl Fn(u32) -> bool) -> usize {
        let (mut low, mut high) = (start, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match far_enough(self.lock_of(middle)) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low
    }

    /// The records for a position, and whether they are those of its mirror image. The position itself
    /// is looked up first and its mirror image only if it is not there, as ElephantEye does.
    fn find(&self, position: &Position) -> (std::ops::Range<usize>, bool) {
        let own = self.run(locks(position, false).lock());
        match own.is_empty() {
            true => (self.run(locks(position, true).lock()), true),
            false => (own, false),
        }
    }
}

impl Book for DatBook {
    fn moves(&self, position: &Position) -> Result<Vec<BookMove>, BookError> {
        let (run, is_mirrored) = self.find(position);
        let mut moves: Vec<BookMove> = Vec::new();
        for HashedMove { played, weight, .. } in run.filter_map(|n| self.record(n)) {
            let played = if is_mirrored {
                played.flip_file()
            } else {
                played
            };
            let is_known = moves.iter().any(|known| known.played == played);
            if weight > 0 && !is_known && is_legal(position, played) {
                moves.push(BookMove::new(played, weight));
            }
        }
        moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
        Ok(moves)
    }

    fn count(&self) -> Result<usize, BookError> {
        Ok(self.len())
    }

    fn stored(&self, position: &Position) -> Result<usize, BookError> {
        Ok(self.find(position).0.len())
    }

    fn hashed_moves(&self) -> Vec<HashedMove> {
        (0..self.len())
            .filter_map(|number| self.record(number))
            .collect()
    }

    fn format(&self) -> &'static str {
        "BOOK.DAT"
    }
}

/// The moves of one or several books as one, the weights of those with the same lock added up: also of positions
/// that no line of a book reaches, which are known by their hashes alone.
pub fn encode_hashed(moves: impl IntoIterator<Item = HashedMove>) -> Vec<u8> {
    let mut sorted: BTreeMap<u32, BTreeMap<u16, u64>> = BTreeMap::new();
    for m in moves.into_iter().filter(|m| m.weight > 0) {
        let moves = sorted.entry(m.lock).or_default();
        *moves.entry(packed(m.played)).or_default() += u64::from(m.weight);
    }
    let mut bytes = Vec::new();
    for (lock, moves) in sorted {
        encode_moves(lock, moves, &mut bytes);
    }
    bytes
}

/// Writes the records of a position; weights that are too large are all brought down in the same ratio.
fn encode_moves(lock: u32, moves: BTreeMap<u16, u64>, bytes: &mut Vec<u8>) {
    let heaviest = moves.values().copied().max().unwrap_or(1);
    for (played, weight) in moves {
        let weight = match heaviest > u64::from(MAX_WEIGHT) {
            true => weight * u64::from(MAX_WEIGHT) / heaviest,
            false => weight,
        };
        bytes.extend(lock.to_le_bytes());
        bytes.extend(played.to_le_bytes());
        bytes.extend((weight.max(1) as u16).to_le_bytes());
    }
}

/// A book as a file, and what could not be told apart in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedDat {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// How many pairs of different positions have the same lock; readers take one for the other.
    pub collisions: usize,
}

/// Writes positions in the format of ElephantEye: of each and its mirror image the one with the smaller
/// locks, each move once, sorted. Weights of a position that are too large for the format are all
/// brought down in the same ratio; moves without weight are left out.
pub fn encode_dat(entries: &[BookEntry]) -> EncodedDat {
    // By second lock, first lock and move, as ElephantEye's own tool sorts them.
    let mut sorted: BTreeMap<(u32, u32), BTreeMap<u16, u64>> = BTreeMap::new();
    for entry in entries {
        let (own, mirror) = (locks(&entry.position, false), locks(&entry.position, true));
        let flips = mirror.order() < own.order();
        let order = if flips { mirror } else { own }.order();
        let moves = sorted.entry(order).or_default();
        for m in entry.moves.iter().filter(|m| m.weight > 0) {
            let played = if flips {
                m.played.flip_file()
            } else {
                m.played
            };
            *moves.entry(packed(played)).or_default() += u64::from(m.weight);
        }
    }
    sorted.retain(|_, moves| !moves.is_empty());
    let mut encoded = EncodedDat {
        bytes: Vec::new(),
        collisions: 0,
    };
    let mut last = None;
    for ((lock, _), moves) in sorted {
        encoded.collisions += usize::from(last == Some(lock));
        last = Some(lock);
        encode_moves(lock, moves, &mut encoded.bytes);
    }
    encoded
}

/// A move in the 16 bits of the format.
fn packed(played: Move) -> u16 {
    (to_256(played.from()) | (to_256(played.to()) << 8)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[&str]) -> Position {
        let mut position = Position::startpos();
        for m in moves {
            position.make(m.parse().unwrap());
        }
        position
    }

    fn entry(moves: &[&str], book: &[(&str, u32)]) -> BookEntry {
        let moves_of =
            |(played, weight): &(&str, u32)| BookMove::new(played.parse().unwrap(), *weight);
        let book = book.iter().map(moves_of);
        BookEntry {
            position: after(moves),
            moves: book.collect(),
        }
    }

    fn told(book: &DatBook, moves: &[&str]) -> Vec<(String, u32)> {
        let moves = book.moves(&after(moves)).unwrap();
        moves
            .iter()
            .map(|m| (m.played.to_string(), m.weight))
            .collect()
    }

    #[test]
    fn what_is_written_is_read_in_both_mirrors() {
        let book = [
            entry(&[], &[("b2e2", 3), ("h2e2", 9), ("c3c4", 9)]),
            entry(&["h2e2"], &[("h9g7", 5), ("b9c7", 7)]),
            entry(&["b2e2", "b9c7"], &[("h0g2", 2), ("a0a1", 0)]),
        ];
        let file = encode_dat(&book);
        assert_eq!((file.bytes.len(), file.collisions), (6 * RECORD, 0));
        let book = DatBook::new(file.bytes.into()).unwrap();
        let own = |list: &[(&str, u32)]| -> Vec<_> {
            list.iter().map(|(m, w)| ((*m).to_owned(), *w)).collect()
        };
        // Equal weights stand in the order of the file.
        assert_eq!(
            told(&book, &[]),
            own(&[("c3c4", 9), ("h2e2", 9), ("b2e2", 3)])
        );
        assert_eq!(told(&book, &["h2e2"]), own(&[("b9c7", 7), ("h9g7", 5)]));
        assert_eq!(told(&book, &["b2e2"]), own(&[("h9g7", 7), ("b9c7", 5)]));
        assert_eq!(told(&book, &["b2e2", "b9c7"]), own(&[("h0g2", 2)]));
        assert_eq!(told(&book, &["h2e2", "h9g7"]), own(&[("b0c2", 2)]));
        assert_eq!(told(&book, &["g3g4"]), []);
        assert_eq!(book.count().unwrap(), 6);
        assert_eq!(book.stored(&after(&["b2e2"])).unwrap(), 2);
    }

    #[test]
    fn mirror_images_are_one_position() {
        let both = [
            entry(&["h2e2"], &[("h9g7", 5)]),
            entry(&["b2e2"], &[("b9c7", 2), ("h9g7", 70_000)]),
        ];
        let file = encode_dat(&both);
        let book = DatBook::new(file.bytes.into()).unwrap();
        assert_eq!(
            told(&book, &["h2e2"]),
            [("b9c7".to_owned(), 65_535), ("h9g7".to_owned(), 6)]
        );
    }

    #[test]
    fn the_first_record_is_that_of_the_format() {
        let file = encode_dat(&[entry(&[], &[("h2e2", 0x1234)])]);
        // Lock 052656d5; h2 is a at 16 * 10 + 10, e2 at 16 * 10 + 7.
        assert_eq!(file.bytes, [0xd5, 0x56, 0x26, 0x05, 0xaa, 0xa7, 0x34, 0x12]);
    }

    #[test]
    fn strange_files_are_refused() {
        let refusal = |bytes: &[u8]| DatBook::new(bytes.to_vec().into()).unwrap_err().to_string();
        assert!(refusal(b"").contains("empty"));
        assert!(refusal(b"123456789").contains("cut"));
        assert!(refusal(b"bbbbbbbbaaaaaaaa").contains("order"));
    }

    #[test]
    fn moves_that_are_none_are_passed_over() {
        // A rook through its pawn, a square off the board, a weight of nothing, a move twice.
        let lock = locks(&Position::startpos(), false).lock();
        let square = |text: &str| to_256(text.parse().unwrap()) as u8;
        let mut bytes = Vec::new();
        for (from, to, weight) in [
            (square("a0"), square("a9"), 9),
            (0, 255, 9),
            (square("h2"), square("e2"), 0),
            (square("b2"), square("e2"), 3),
            (square("b2"), square("e2"), 4),
        ] {
            bytes.extend(lock.to_le_bytes());
            bytes.extend([from, to, weight, 0]);
        }
        let book = DatBook::new(bytes.into()).unwrap();
        assert_eq!(told(&book, &[]), [("b2e2".to_owned(), 3)]);
        assert_eq!(book.stored(&Position::startpos()).unwrap(), 5);
    }
}
