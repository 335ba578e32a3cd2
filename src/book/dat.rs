//! BOOK.DAT, the book format of ElephantEye.
//!
//! Records of eight bytes, sorted by lock: lock (a hash of the position, 32 bits, little-endian), move (a byte for its
//! origin and one for its destination), weight (16 bits, little-endian). Of a position and its mirror image usually
//! only one is stored.
//!
//! A position has three hashes: key, first lock and second lock, which is the lock of its records. They are computed
//! with random numbers: the output of RC4 with a key of zeros, taken four bytes at a time, least significant first.
//! There are three numbers for the side to move, then three for each piece on each square of a 16x16 board
//! (ElephantEye, `base/rc4prng.h` and `PreGenInit`).

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::book_move::{Book, BookEntry, BookError, BookMove, FoundRecords, HashedMove};
use crate::board::{Color, Move, Piece, Position, Square};
use crate::movegen::is_legal;

/// Length of a record in bytes.
const RECORD: usize = 8;
const MAX_WEIGHT: u64 = u16::MAX as u64;

/// A BOOK.DAT in memory.
#[derive(Clone, Debug)]
pub struct DatBook {
    records: Cow<'static, [u8]>,
}

impl DatBook {
    /// Checks the records.
    ///
    /// # Errors
    /// They are empty, truncated or not sorted by lock, or most of them contain no move.
    pub fn new(records: Cow<'static, [u8]>) -> Result<Self, BookError> {
        if records.is_empty() {
            return Err(BookError::Empty);
        }
        let book = Self { records };
        if !book.records().is_sorted_by_key(lock_of) {
            return Err(BookError::NotABook("its records are not sorted".to_owned()));
        }
        if !book.records.len().is_multiple_of(RECORD) {
            return Err(BookError::Truncated(book.records.len()));
        }
        let moves = book.records().iter().filter(|record| decode(record).is_some()).count();
        if 2 * moves < book.records().len() {
            return Err(BookError::NotABook(
                "most of its records contain no valid move".to_owned(),
            ));
        }
        Ok(book)
    }

    fn records(&self) -> &[[u8; RECORD]] {
        self.records.as_chunks().0
    }

    fn with_lock(&self, lock: u32) -> &[[u8; RECORD]] {
        let records = self.records();
        let start = records.partition_point(|record| lock_of(record) < lock);
        let end = records.partition_point(|record| lock_of(record) <= lock);
        &records[start..end]
    }

    /// Records of a position and of its mirror image, and whether they belong to the latter. Most books store only one
    /// of the two. ElephantEye looks up the mirror image only if the position itself has no records.
    fn find(&self, position: &Position) -> [(&[[u8; RECORD]], bool); 2] {
        let [own, mirror] = [false, true].map(|mirror| locks(position, mirror)[2]);
        let mirrored = if own == mirror { &[] } else { self.with_lock(mirror) };
        [(self.with_lock(own), false), (mirrored, true)]
    }
}

fn lock_of(record: &[u8; RECORD]) -> u32 {
    let [a, b, c, d, ..] = *record;
    u32::from_le_bytes([a, b, c, d])
}

/// The move of a record; `None` if a square is not on the board, or if the two squares are the same.
fn decode(record: &[u8; RECORD]) -> Option<HashedMove> {
    let [.., from, to, low, high] = *record;
    let (from, to) = (from_256(from)?, from_256(to)?);
    (from != to).then(|| HashedMove {
        lock: lock_of(record),
        played: Move::new(from, to),
        weight: u32::from(u16::from_le_bytes([low, high])),
    })
}

impl Book for DatBook {
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
        let mut found = FoundRecords::default();
        for (records, is_mirrored) in self.find(position) {
            // The usable moves of this image. A move may occur once in each of the two.
            let mut usable: Vec<BookMove> = Vec::new();
            for HashedMove { played, weight, .. } in records.iter().filter_map(decode) {
                let played = if is_mirrored { played.flip_file() } else { played };
                let is_known = usable.iter().any(|known| known.played == played);
                if weight > 0 && !is_known && is_legal(position, played) {
                    usable.push(BookMove::new(played, weight));
                }
            }
            found.records += records.len();
            found.usable += usable.len();
            for m in usable {
                match found.moves.iter_mut().find(|known| known.played == m.played) {
                    Some(known) => known.weight += m.weight,
                    None => found.moves.push(m),
                }
            }
        }
        found.moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
        Ok(found)
    }

    fn count(&self) -> Result<usize, BookError> {
        Ok(self.records().len())
    }

    fn hashed_moves(&self) -> Vec<HashedMove> {
        self.records().iter().filter_map(decode).collect()
    }

    fn format(&self) -> &'static str {
        "BOOK.DAT"
    }
}

/// An encoded BOOK.DAT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedDat {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Number of positions that have the same lock as an earlier position of the file, of those that were encoded as
    /// positions and not as hashes. Readers cannot distinguish the two positions.
    pub collisions: usize,
}

/// Encodes moves of positions of which only the hashes are known, together with other positions, as BOOK.DAT. Weights
/// of the same lock and move add up; moves without weight are left out.
pub fn encode_hashed(
    hashed: impl IntoIterator<Item = HashedMove>,
    entries: impl IntoIterator<Item: Borrow<BookEntry>>,
) -> EncodedDat {
    let mut records = stored_records(entries);
    records.sort_unstable();
    let collisions = collisions(&records);
    // The first lock of a hashed move is unknown, so moves with the same second lock belong together.
    for (order, ..) in &mut records {
        order.1 = 0;
    }
    let hashed = hashed.into_iter().filter(|m| m.weight > 0);
    records.extend(hashed.map(|m| ((m.lock, 0), packed(m.played), m.weight)));
    EncodedDat { collisions, ..encode(records) }
}

/// Encodes positions as BOOK.DAT. Only one of a position and its mirror image is stored: the one with the smaller
/// hashes. Weights too large for the format are scaled down; moves without weight are left out.
pub fn encode_dat(entries: impl IntoIterator<Item: Borrow<BookEntry>>) -> EncodedDat {
    encode(stored_records(entries))
}

/// A record before it is encoded: the second and first lock of its position, the packed move and its weight.
type Record = ((u32, u32), u16, u32);

/// The moves of positions as they are stored, without those of weight 0.
fn stored_records(entries: impl IntoIterator<Item: Borrow<BookEntry>>) -> Vec<Record> {
    let mut records = Vec::new();
    for entry in entries {
        let BookEntry { position, moves } = entry.borrow();
        let (order, flips) = stored_order(position);
        for m in moves.iter().filter(|m| m.weight > 0) {
            let played = if flips { m.played.flip_file() } else { m.played };
            records.push((order, packed(played), m.weight));
        }
    }
    records
}

/// Number of positions that have the same second lock as an earlier one. `records` is sorted.
fn collisions(records: &[Record]) -> usize {
    let positions = records.chunk_by(|one, other| one.0 == other.0).count();
    let locks = records.chunk_by(|one, other| one.0.0 == other.0.0).count();
    positions - locks
}

/// Encodes records, sorted by lock, first lock and move, as ElephantEye's tool sorts them. The weights of the same move
/// add up. If a weight is too large for the format, all weights of the position are scaled down.
fn encode(mut records: Vec<Record>) -> EncodedDat {
    records.sort_unstable();
    let mut encoded = EncodedDat { bytes: Vec::new(), collisions: collisions(&records) };
    for position in records.chunk_by(|one, other| one.0 == other.0) {
        let (lock, _) = position[0].0;
        let mut sums: BTreeMap<u16, u64> = BTreeMap::new();
        for (_, played, weight) in position {
            *sums.entry(*played).or_default() += u64::from(*weight);
        }
        let heaviest = sums.values().copied().max().unwrap_or(1);
        for (played, weight) in sums {
            let weight =
                if heaviest > MAX_WEIGHT { weight * MAX_WEIGHT / heaviest } else { weight };
            encoded.bytes.extend(lock.to_le_bytes());
            encoded.bytes.extend(played.to_le_bytes());
            encoded.bytes.extend((weight.max(1) as u16).to_le_bytes());
        }
    }
    encoded
}

/// A move in the format's 16 bits.
fn packed(played: Move) -> u16 {
    (to_256(played.from()) | (to_256(played.to()) << 8)) as u16
}

/// Key, first lock and second lock of a position, or of its mirror image if `mirror`.
fn locks(position: &Position, mirror: bool) -> [u32; 3] {
    let mut locks = [0; 3];
    let mut toggle = |numbers: [u32; 3]| {
        for (lock, number) in locks.iter_mut().zip(numbers) {
            *lock ^= number;
        }
    };
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let square = if mirror { square.flip_file() } else { square };
            toggle(TABLE.pieces[piece.index()][to_256(square)]);
        }
    }
    if position.side_to_move() == Color::Black {
        toggle(TABLE.side);
    }
    locks
}

/// The sort key of a position as it is stored, and whether its mirror image is stored instead of the position itself.
/// Of the two, the one with the smaller key is stored.
pub fn stored_order(position: &Position) -> ((u32, u32), bool) {
    let [own, mirror] = [false, true].map(|mirror| {
        let [_, first, second] = locks(position, mirror);
        (second, first)
    });
    (own.min(mirror), mirror < own)
}

/// Square on a 16x16 board with rank 9 on top: `16 * (12 - rank) + file + 3`.
pub fn to_256(square: Square) -> usize {
    16 * (12 - square.rank()) + square.file() + 3
}

/// Inverse of [`to_256`]; `None` outside the 90 squares in the middle of the 16x16 board.
pub fn from_256(index: u8) -> Option<Square> {
    let (row, column) = (usize::from(index >> 4), usize::from(index & 15));
    Square::new(column.checked_sub(3)?, 12_usize.checked_sub(row)?)
}

struct LockTable {
    side: [u32; 3],
    pieces: Vec<[[u32; 3]; 256]>,
}

static TABLE: LazyLock<LockTable> = LazyLock::new(|| {
    let mut stream = Rc4::with_zero_key();
    let side = stream.next_triple();
    let mut piece = || std::array::from_fn(|_| stream.next_triple());
    let pieces = (0..Piece::COUNT).map(|_| piece()).collect();
    LockTable { side, pieces }
});

/// RC4, used as a random number generator.
struct Rc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    fn with_zero_key() -> Self {
        let mut state: [u8; 256] = std::array::from_fn(|n| n as u8);
        let mut j = 0_u8;
        for i in 0..state.len() {
            j = j.wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        Self { state, i: 0, j: 0 }
    }

    fn next_byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let (i, state) = (usize::from(self.i), &mut self.state);
        self.j = self.j.wrapping_add(state[i]);
        let j = usize::from(self.j);
        state.swap(i, j);
        state[usize::from(state[i].wrapping_add(state[j]))]
    }

    fn next_triple(&mut self) -> [u32; 3] {
        let mut word = || u32::from_le_bytes(std::array::from_fn(|_| self.next_byte()));
        [word(), word(), word()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{after, moves};
    use super::*;

    fn entry(moves: &str, book: &[(&str, u32)]) -> BookEntry {
        let moves_of =
            |(played, weight): &(&str, u32)| BookMove::new(played.parse().unwrap(), *weight);
        let book = book.iter().map(moves_of);
        BookEntry { position: after(moves), moves: book.collect() }
    }

    #[test]
    fn written_books_are_read_in_both_mirror_images() {
        let book = [
            entry("", &[("b2e2", 3), ("h2e2", 9), ("c3c4", 9)]),
            entry("h2e2", &[("h9g7", 5), ("b9c7", 7)]),
            entry("b2e2 b9c7", &[("h0g2", 2), ("a0a1", 0)]),
        ];
        let file = encode_dat(&book);
        assert_eq!((file.bytes.len(), file.collisions), (6 * RECORD, 0));
        let book = DatBook::new(file.bytes.into()).unwrap();
        // Equal weights keep the order of the file.
        assert_eq!(moves(&book, ""), "c3c4 9, h2e2 9, b2e2 3");
        assert_eq!(moves(&book, "h2e2"), "b9c7 7, h9g7 5");
        assert_eq!(moves(&book, "b2e2"), "h9g7 7, b9c7 5");
        assert_eq!(moves(&book, "b2e2 b9c7"), "h0g2 2");
        assert_eq!(moves(&book, "h2e2 h9g7"), "b0c2 2");
        assert_eq!(moves(&book, "g3g4"), "");
        assert_eq!(book.count().unwrap(), 6);
        assert_eq!(book.look_up(&after("b2e2")).unwrap().records, 2);
    }

    #[test]
    fn mirror_images_share_their_records() {
        let both = [entry("h2e2", &[("h9g7", 5)]), entry("b2e2", &[("b9c7", 2), ("h9g7", 70_000)])];
        let file = encode_dat(&both);
        let book = DatBook::new(file.bytes.into()).unwrap();
        assert_eq!(moves(&book, "h2e2"), "b9c7 65535, h9g7 6");
    }

    /// Other programs may store both images of a position.
    #[test]
    fn records_of_both_mirror_images_add_up() {
        let hashed = |moves: &str, played: &str, weight| HashedMove {
            lock: locks(&after(moves), false)[2],
            played: played.parse().unwrap(),
            weight,
        };
        let start = encode_dat(&[entry("", &[("h2e2", 1)])]);
        let start = DatBook::new(start.bytes.into()).unwrap();
        let other =
            [hashed("h2e2", "h9g7", 5), hashed("b2e2", "b9c7", 3), hashed("b2e2", "h9g7", 2)];
        let hashed = start.hashed_moves().into_iter().chain(other);
        let all = encode_hashed(hashed, [entry("", &[("h2e2", 2)])]);
        let book = DatBook::new(all.bytes.into()).unwrap();
        assert_eq!(moves(&book, ""), "h2e2 3");
        assert_eq!(moves(&book, "h2e2"), "h9g7 8, b9c7 2");
        assert_eq!(moves(&book, "b2e2"), "b9c7 8, h9g7 2");
        let walk = super::super::walk::walk(&book).unwrap();
        assert_eq!((walk.usable, walk.unusable, walk.unreached), (4, 0, 0));
    }

    #[test]
    fn the_first_record_has_the_format_of_elephanteye() {
        let file = encode_dat(&[entry("", &[("h2e2", 0x1234)])]);
        // Lock 0x052656d5; h2 is 16 * 10 + 10 = 0xaa, e2 is 16 * 10 + 7 = 0xa7.
        assert_eq!(file.bytes, [0xd5, 0x56, 0x26, 0x05, 0xaa, 0xa7, 0x34, 0x12]);
    }

    #[test]
    fn invalid_files_are_rejected() {
        let refusal = |bytes: &[u8]| DatBook::new(bytes.to_vec().into()).unwrap_err().to_string();
        assert!(refusal(b"").contains("empty"));
        assert!(refusal(b"123456789").contains("truncated"));
        assert!(refusal(b"bbbbbbbbaaaaaaaac").contains("not sorted"));
    }

    #[test]
    fn unusable_records_are_skipped() {
        // A rook that jumps over its pawn, a square off the board, a weight of 0, and a duplicate move.
        let lock = locks(&Position::startpos(), false)[2];
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
        assert_eq!(moves(&book, ""), "b2e2 3");
        assert_eq!(book.look_up(&Position::startpos()).unwrap().records, 5);
    }

    #[test]
    fn hashes_agree_with_elephanteye() {
        assert_eq!(TABLE.side, [0x4189_18de, 0x3a5d_37a3, 0x671e_068a]);
        assert_eq!(TABLE.pieces[0][0][2], 0x97eb_ccf0);
        for (line, wanted) in [
            ("", [0xe6db_463e, 0x8f89_9c24, 0x0526_56d5]),
            ("b2e2", [0x1826_0818, 0x6073_86e9, 0x5396_644f]),
            ("h2e2", [0xe204_9e57, 0xeabc_90f8, 0xeb50_5d7d]),
        ] {
            assert_eq!(locks(&after(line), false), wanted, "{line}");
        }
        assert_eq!(locks(&after("b2e2"), true), locks(&after("h2e2"), false));
        // An example in the documentation of the format: kings on e0 and e9, which is not a legal position.
        let facing_kings = TABLE.pieces[0][to_256("e0".parse().unwrap())][2]
            ^ TABLE.pieces[7][to_256("e9".parse().unwrap())][2];
        for (side, lock) in [(0, 0x2e4d_45a0), (TABLE.side[2], 0x4953_432a)] {
            assert_eq!(facing_kings ^ side, lock);
        }
    }

    #[test]
    fn squares_round_trip() {
        for square in Square::all() {
            assert_eq!(from_256(to_256(square) as u8), Some(square));
        }
        let known = (0..=255).filter(|place| from_256(*place).is_some());
        assert_eq!(known.count(), Square::COUNT);
        assert_eq!(to_256("a9".parse().unwrap()), 0x33);
    }
}
