//! CBR and CBL, the records and libraries of 象棋桥 (CCBridge). A record is a header with texts in UTF-16 and a board,
//! then a tree of moves. A library is a header, an index, and records that are padded to whole blocks. The format has
//! no published description. The reader was checked with two libraries of 129 games and 10,554 plies, which are all
//! legal. It was also checked with a record of 15,242 plies in version 1, whose moves equal those of the same game in
//! CBF. The files written here were checked with the Python package cchess, which, like this reader, finds the records
//! without the index of a library. Of the index, only the marks of deleted records are read; it is written for programs
//! that find the records by it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::{
    StoredNode, code_of_result, plain_comment, read_tree, result_of_code, square_from_black,
    start_position,
};
use crate::board::{Color, Piece, Setup, Square};
use crate::notation::raw::{RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameTree, NodeId, ROOT, append};

/// The beginning of a record.
const RECORD: &[u8] = b"CCBridge Record\0";
/// The beginning of a library.
const LIBRARY: &[u8] = b"CCBridgeLibrary\0";
/// The beginning of a library of an older version, which is compressed.
const OLD_LIBRARY: &[u8] = b"CCBridge\x15\0\0\0";
/// Records of a library begin at multiples of this many bytes after the first one.
const BLOCK: usize = 4096;
/// The offset of the capacity of the index of a library: a number of entries, which is a power of two.
const CAPACITY: usize = 60;
const MIN_CAPACITY: usize = 128;
/// The size of the header of a library, and that of an entry of its index. The first record follows the index.
const LIBRARY_HEADER: usize = 66_624;
const ENTRY: usize = 276;
/// Other bytes of the header of a library, with their offsets, that are the same in all known libraries.
const CONSTANTS: [(usize, [u8; 4]); 2] = [(16, [3, 0, 0, 0]), (52, [0xff, 0xff, 0xff, 0x7f])];

/// The offset, in the header of a library, of a byte that is not 0 if the library contains deleted records.
const HAS_DELETED: usize = 56;
/// The byte ranges of the name, the source and the remarks of a library in its header, texts in UTF-16.
const LIBRARY_TEXTS: [Range<usize>; 3] = [64..576, 576..1088, 1088..LIBRARY_HEADER];

/// The first byte of an entry of the index for a record that is not deleted, and the bit that a deleted one lacks.
const KEPT: u8 = 7;
const IS_KEPT: u8 = 2;
/// The offset of the block number in an entry of the index. The number of blocks and the length of the record in bytes
/// follow, four bytes each.
const BLOCK_NUMBER: usize = 4;
/// The byte ranges of the identifier of a record: in an entry of the index, as text in UTF-16, and in the record. The
/// header of a library has an identifier of its own at the same offset.
const ID_TEXT: Range<usize> = 20..100;
const ID: Range<usize> = 20..36;
/// The offset of the title in an entry of the index, a text in UTF-16.
const ENTRY_TITLE: usize = 100;

/// The tags with the offsets and sizes of their fields in bytes. Tags without a usual name get that of the same field
/// in DhtmlXQ or CBF.
const TAGS: [(&str, usize, usize); 25] = [
    ("Title", 180, 128),
    ("Dhtml_class", 308, 256),
    ("Source", 564, 64),
    ("ContestType", 628, 64),
    ("Event", 692, 64),
    ("Round", 756, 64),
    ("Group", 820, 32),
    ("Board", 852, 32),
    ("Date", 884, 64),
    ("Site", 948, 64),
    ("TimeControl", 1012, 64),
    ("Red", 1076, 64),
    ("RedTeam", 1140, 64),
    ("RedTime", 1204, 64),
    ("RedElo", 1268, 32),
    ("Black", 1300, 64),
    ("BlackTeam", 1364, 64),
    ("BlackTime", 1428, 64),
    ("BlackElo", 1492, 32),
    ("Dhtml_judge", 1524, 64),
    ("Dhtml_record", 1588, 64),
    ("Annotator", 1652, 64),
    ("Author", 1780, 64),
    ("RecordKind", 2044, 32),
    ("Dhtml_endtype", 2080, 32),
];
/// The offset of the version of the format, 1 or 2; files are written in version 2.
const VERSION: usize = 19;
/// The headers of version 1 lack this many bytes at each of these offsets in the header of version 2: a part of the
/// field before the title, and the fields of the referee and the recorder.
const MISSING: usize = 128;
const MISSING_AT: [usize; 2] = [52, 1524];
/// The offset of the result: 1 red has won, 2 black has won, 3 a draw, 4 several results (多种结果).
const RESULT: usize = 2076;
/// The offset of the side to move: 2 for black.
const SIDE: usize = 2112;
/// The offset of the move number, two bytes.
const MOVE_NUMBER: usize = 2116;
/// The offset of the board, one byte per point, beginning at a9.
const BOARD: usize = 2120;
/// The offset of four bytes FF, which some programs require.
const MARK: usize = 2210;
/// The length of the header in bytes.
const HEADER: usize = 2214;
/// The pieces by their numbers from 1; 0x10 is added for red and 0x20 for black.
const PIECES: &[u8; 7] = b"RNBAKCP";

/// The flags of a move: it is the last of its line, it has an alternative, it has a comment.
const IS_LAST: u8 = 1;
const HAS_ALTERNATIVE: u8 = 2;
const HAS_COMMENT: u8 = 4;

pub fn is_ccbridge(bytes: &[u8]) -> bool {
    let beginnings = [RECORD, LIBRARY, OLD_LIBRARY];
    beginnings.iter().any(|text| bytes.starts_with(text))
}

/// Splits a file into its records. The file may consist of several libraries and records.
///
/// # Errors
/// A library contains no record, or is of an older version.
pub fn split_ccbridge(bytes: &[u8]) -> Result<Vec<Range<usize>>, RecordError> {
    if bytes.starts_with(OLD_LIBRARY) {
        let reason = "a library of an older version of CCBridge, which is not supported";
        return Err(RecordError::new(reason));
    }
    let mut records = Vec::new();
    for part in parts(bytes, LIBRARY) {
        let of_part = if bytes[part.clone()].starts_with(LIBRARY) {
            library_records(&bytes[part.clone()])?
        } else {
            parts(&bytes[part.clone()], RECORD)
        };
        let in_file = |record: Range<usize>| part.start + record.start..part.start + record.end;
        records.extend(of_part.into_iter().map(in_file));
    }
    Ok(records)
}

/// Splits a file before each `mark`.
fn parts(bytes: &[u8], mark: &[u8]) -> Vec<Range<usize>> {
    let windows = (0..).zip(bytes.windows(mark.len()));
    let marks = windows.filter(|(_, text)| *text == mark).map(|(at, _)| at);
    let starts: Vec<usize> = std::iter::once(0).chain(marks.filter(|at| *at > 0)).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The records of a library, and those after it. The range of a game begins with the first heading before it that has
/// text, if any. For the first game, the header of the library counts as a heading.
fn library_records(bytes: &[u8]) -> Result<Vec<Range<usize>>, RecordError> {
    // The first part is the header and the index.
    let parts = parts(bytes, RECORD);
    let first = parts.get(1).map(|record| record.start);
    let first = first.ok_or_else(|| RecordError::new("the library contains no record"))?;
    let index = bytes.get(LIBRARY_HEADER..first).unwrap_or_default();
    let (kept, deleted): (Vec<_>, Vec<_>) = entries(index).partition(|entry| entry.is_kept);
    // The block numbers of deleted records can be wrong, so these are found by their identifiers.
    let kept: HashSet<_> = kept.into_iter().map(|kept| (kept.id, kept.block)).collect();
    let deleted: HashSet<_> = deleted.into_iter().map(|deleted| deleted.id).collect();
    let has_deleted = bytes.get(HAS_DELETED).is_some_and(|byte| *byte != 0);
    let is_deleted = |range: &Range<usize>| {
        let id = id(&bytes[range.clone()]);
        let block = (range.start - first) / BLOCK;
        has_deleted && deleted.contains(&id) && !kept.contains(&(id, block))
    };
    let mut records = Vec::new();
    let mut texts_start = None;
    for part in parts {
        if part.start >= first && is_deleted(&part) {
            continue;
        }
        if part.start < first || is_heading(&bytes[part.clone()]) {
            if !heading_text(&bytes[part.clone()]).is_empty() {
                texts_start.get_or_insert(part.start);
            }
        } else {
            records.push(texts_start.take().unwrap_or(part.start)..part.end);
        }
    }
    Ok(records)
}

/// Whether a record is a heading of a library: its board is empty.
fn is_heading(record: &[u8]) -> bool {
    let (record, _) = in_version_2(record).unwrap_or((Cow::Borrowed(record), square));
    record.get(BOARD..BOARD + 90) == Some(&[0; 90][..])
}

/// The texts in the header of a library, or the title and the comment of a heading; empty for a game.
fn heading_text(part: &[u8]) -> String {
    let mut all = String::new();
    if part.starts_with(LIBRARY) {
        for range in LIBRARY_TEXTS {
            append(&mut all, &text(part.get(range).unwrap_or_default()));
        }
    } else if is_heading(part) {
        let (_, title, size) = TAGS[0];
        let (part, square) = in_version_2(part).unwrap_or((Cow::Borrowed(part), square));
        let mut cursor = Cursor { rest: part.get(HEADER..).unwrap_or_default(), square };
        append(&mut all, &text(&part[title..title + size]));
        append(&mut all, &cursor.node().map_or(String::new(), |root| root.node.comment));
    }
    all
}

struct IndexEntry {
    is_kept: bool,
    /// The number of the first block of the record, from 0.
    block: usize,
    /// See [`id`].
    id: String,
}

/// The entries of an index, without empty ones.
fn entries(index: &[u8]) -> impl Iterator<Item = IndexEntry> {
    let entries = index.chunks_exact(ENTRY).map(|entry| IndexEntry {
        is_kept: entry[0] & IS_KEPT != 0,
        block: u32::from_le_bytes(std::array::from_fn(|at| entry[BLOCK_NUMBER + at])) as usize,
        id: text(&entry[ID_TEXT]).replace(|c: char| !c.is_ascii_hexdigit(), ""),
    });
    entries.filter(|entry| !entry.id.is_empty())
}

/// The identifier of a record, a GUID, as hexadecimal digits; empty if the record is cut short. The bytes of its first
/// three numbers are stored in reverse order.
fn id(record: &[u8]) -> String {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let bytes = record.get(ID).unwrap_or_default();
    let ordered = order.iter().filter_map(|at| bytes.get(*at));
    ordered.map(|byte| format!("{byte:02X}")).collect()
}

/// Reads a record. The texts of the headings before it are added to its first comment.
///
/// # Errors
/// The record is of an unknown version or is cut short before the end of its first move, or its starting position or
/// first move is invalid.
pub fn read_ccbridge(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let mut headings = parts(bytes, RECORD);
    let record = headings.pop().unwrap_or_default();
    let mut game = read_record(&bytes[record])?;
    let comment = std::mem::take(&mut game.moves[ROOT].comment);
    let headings = headings.into_iter().map(|part| heading_text(&bytes[part]));
    for text in headings.chain([comment]) {
        append(&mut game.moves[ROOT].comment, &text);
    }
    Ok(game)
}

fn read_record(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let (bytes, square_of_move) = in_version_2(bytes)?;
    let parts = bytes.split_at_checked(HEADER);
    let (header, rest) = parts.ok_or_else(|| RecordError::new("the record is cut short"))?;
    let mut cursor = Cursor { rest, square: square_of_move };
    let root = cursor.node()?;
    let mut game = read_tree(root, || cursor.node().map(Some))?;
    let mut setup = Setup::empty();
    if header[SIDE] == 2 {
        setup.side_to_move = Color::Black;
    }
    for (point, code) in (0..).zip(&header[BOARD..BOARD + 90]) {
        if let Some(square) = square(point) {
            setup.squares[square.index()] = piece(*code);
        }
    }
    let number = u16::from_le_bytes([header[MOVE_NUMBER], header[MOVE_NUMBER + 1]]);
    setup.fullmove_number = number.max(1);
    let first_from = game.first_from();
    game.start = start_position(setup, first_from)?;
    for (name, at, size) in TAGS {
        game.add_tag(name, &text(&header[at..at + size]));
    }
    game.result = result_of_code(header[RESULT]);
    game.resolve()
}

/// A record with the header of version 2, and the function that reads a square of its moves.
fn in_version_2(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, ReadSquare), RecordError> {
    match bytes.get(VERSION) {
        Some(1) => {
            let mut bytes = bytes.to_vec();
            for at in MISSING_AT {
                let at = at.min(bytes.len());
                bytes.splice(at..at, [0; MISSING]);
            }
            Ok((Cow::Owned(bytes), square_of_nibbles))
        }
        Some(2) | None => Ok((Cow::Borrowed(bytes), square)),
        Some(version) => {
            let reason = format!("version {version} of CBR is not supported");
            Err(RecordError::new(reason))
        }
    }
}

/// A text in UTF-16 that ends at a NUL or at the end of its field.
fn text(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    plain_comment(&String::from_utf16_lossy(&units))
}

fn piece(code: u8) -> Option<Piece> {
    let letter = *PIECES.get(usize::from(code & 0xf).checked_sub(1)?)?;
    match code >> 4 {
        1 => Piece::from_letter(letter.into()),
        2 => Piece::from_letter(letter.to_ascii_lowercase().into()),
        _ => None,
    }
}

/// The square of a point; points are numbered from 0 (a9) to 89 (i0).
fn square(point: u8) -> Option<Square> {
    let point = usize::from(point);
    square_from_black(point % 9, point / 9)
}

/// A square of a move in version 1: the file, and the rank from black's side, in four bits each.
fn square_of_nibbles(place: u8) -> Option<Square> {
    square_from_black(usize::from(place >> 4), usize::from(place & 0xf))
}

fn point(square: Square) -> u8 {
    // At most 89.
    (9 * (9 - square.rank()) + square.file()) as u8
}

type ReadSquare = fn(u8) -> Option<Square>;

/// Reads the tree of moves of a record.
struct Cursor<'a> {
    /// The part that has not been read yet.
    rest: &'a [u8],
    square: ReadSquare,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], RecordError> {
        let taken = self.rest.split_off(..length);
        taken.ok_or_else(|| RecordError::new("the record is cut short"))
    }

    fn word(&mut self) -> Result<[u8; 4], RecordError> {
        let bytes = self.take(4)?;
        Ok([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn node(&mut self) -> Result<StoredNode, RecordError> {
        let [flags, _, from, to] = self.word()?;
        let squares = (self.square)(from).zip((self.square)(to));
        let mut node = AnnotatedMove::new(RawMove::Squares(squares));
        if flags & HAS_COMMENT != 0 {
            let length = u32::from_le_bytes(self.word()?);
            node.comment = text(self.take(usize::try_from(length).unwrap_or(usize::MAX))?);
        }
        Ok(StoredNode {
            node,
            has_next: flags & IS_LAST == 0,
            has_alternative: flags & HAS_ALTERNATIVE != 0,
        })
    }
}

/// Writes a text in UTF-16 into a field whose last unit stays 0. The rest of a longer text is left out.
fn write_text(field: &mut [u8], text: &str) {
    let mut units: Vec<u16> = text.encode_utf16().take(field.len() / 2 - 1).collect();
    // A character of two units is kept or left out as a whole.
    units.pop_if(|unit| matches!(*unit, 0xd800..0xdc00));
    for (bytes, unit) in field.chunks_exact_mut(2).zip(units) {
        bytes.copy_from_slice(&unit.to_le_bytes());
    }
}

/// A GUID from the FNV-1a hash (128 bits) of some bytes and a number, so that the same games give the same file.
fn new_id(bytes: &[u8], number: usize) -> [u8; 16] {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    let bytes = bytes.iter().copied().chain((number as u64).to_le_bytes());
    let hash = bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let mut id = hash.to_le_bytes();
    // Version 8 and variant 1 of RFC 9562, section 5.8.
    id[7] = id[7] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

/// Writes a record (CBR). Tags without a field, the rest of tags that are too long for their fields, and the no-capture
/// count of the starting position are lost. Glyphs become text of the comments.
pub fn write_cbr(game: &GameTree) -> Vec<u8> {
    write_record(game, 0)
}

/// Writes the record of a library with this number, from 0. The identifier depends on the number.
fn write_record(game: &GameTree, number: usize) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes[..RECORD.len()].copy_from_slice(RECORD);
    bytes[VERSION] = 2;
    for (name, at, size) in TAGS {
        write_text(&mut bytes[at..at + size], game.tag(name).unwrap_or_default());
    }
    bytes[MARK..HEADER].fill(0xff);
    bytes[RESULT] = code_of_result(game.result);
    bytes[SIDE] = match game.start.side_to_move() {
        Color::Red => 1,
        Color::Black => 2,
    };
    let move_number = game.start.fullmove_number().to_le_bytes();
    bytes[MOVE_NUMBER..MOVE_NUMBER + 2].copy_from_slice(&move_number);
    for (square, piece) in game.start.setup().pieces() {
        let letter = piece.kind().letter() as u8;
        let kind = PIECES.iter().position(|p| *p == letter).unwrap_or(0) as u8;
        let color = match piece.color() {
            Color::Red => 0x10,
            Color::Black => 0x20,
        };
        bytes[BOARD + usize::from(point(square))] = color + kind + 1;
    }
    for id in std::iter::once(ROOT).chain(game.moves.preorder()) {
        write_node(&mut bytes, game, id);
    }
    let id = new_id(&bytes, number);
    bytes[ID].copy_from_slice(&id);
    bytes
}

fn write_node(bytes: &mut Vec<u8>, game: &GameTree, id: NodeId) {
    let comment = game.moves[id].comment_with_glyphs();
    let played = game.moves[id].played;
    let (from, to) = played.map_or((0, 0), |m| (point(m.from()), point(m.to())));
    let mut flags = 0;
    if game.moves.first_child(id).is_none() {
        flags |= IS_LAST;
    }
    if game.moves.next_sibling(id).is_some() {
        flags |= HAS_ALTERNATIVE;
    }
    if !comment.is_empty() {
        flags |= HAS_COMMENT;
    }
    bytes.extend([flags, 0, from, to]);
    if !comment.is_empty() {
        let units = comment.encode_utf16().chain([0]);
        let units: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        let length = u32::try_from(units.len()).unwrap_or(u32::MAX);
        bytes.extend(length.to_le_bytes());
        bytes.extend(units);
    }
}

/// Writes a library (CBL). See [`write_cbr`].
pub fn write_cbl(games: &[GameTree]) -> Vec<u8> {
    let mut library = CblWriter::default();
    for game in games {
        library.add(game);
    }
    library.finish().concat()
}

/// Writes a library (CBL) game by game.
#[derive(Debug, Default)]
pub struct CblWriter {
    index: Vec<u8>,
    /// The records, padded to whole blocks.
    records: Vec<u8>,
}

impl CblWriter {
    /// Adds a game. See [`write_cbr`].
    pub fn add(&mut self, game: &GameTree) {
        let record = write_record(game, self.index.len() / ENTRY);
        let numbers = [self.records.len() / BLOCK, record.len().div_ceil(BLOCK), record.len()];
        let mut entry = [0; ENTRY];
        entry[0] = KEPT;
        for (bytes, number) in entry[BLOCK_NUMBER..].chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        let id = id(&record);
        let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &id[group]);
        write_text(&mut entry[ID_TEXT], &format!("{{{}}}", groups.join("-")));
        let title = game.known_tag("Title").map(str::to_owned).or_else(|| game.players());
        write_text(&mut entry[ENTRY_TITLE..], &title.unwrap_or_default());
        self.index.extend(entry);
        self.records.extend(record);
        self.records.resize(self.records.len().next_multiple_of(BLOCK), 0);
    }

    /// The header with the index, and the records, which follow it.
    pub fn finish(mut self) -> [Vec<u8>; 2] {
        let capacity = (self.index.len() / ENTRY).next_power_of_two().max(MIN_CAPACITY);
        let mut header = vec![0; LIBRARY_HEADER];
        header[..LIBRARY.len()].copy_from_slice(LIBRARY);
        header[ID].copy_from_slice(&new_id(&self.index, 0));
        self.index.resize(capacity * ENTRY, 0);
        let capacity = u32::try_from(capacity).unwrap_or(u32::MAX);
        for (at, value) in CONSTANTS.into_iter().chain([(CAPACITY, capacity.to_le_bytes())]) {
            header[at..at + 4].copy_from_slice(&value);
        }
        header.extend(self.index);
        [header, self.records]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::fen;
    use crate::notation::tree::GameResult;

    fn game(moves: &[(&str, &str)]) -> GameTree {
        let mut game = GameTree::new(Position::startpos());
        game.tags.push(("Red".to_owned(), "胡荣华".to_owned()));
        game.result = GameResult::RedWins;
        game.moves[ROOT].comment = "开局".to_owned();
        let mut node = ROOT;
        for (text, comment) in moves {
            let annotated = AnnotatedMove {
                comment: (*comment).to_owned(),
                ..AnnotatedMove::new(text.parse().unwrap())
            };
            node = game.moves.add(node, annotated);
        }
        game
    }

    const MOVES: [(&str, &str); 3] = [("h2e2", "中炮"), ("h9g7", ""), ("h0g2", "x")];

    #[test]
    fn records_are_read() {
        let mut written = game(&MOVES);
        let long = "a".repeat(30) + "𠀀";
        written.set_tag("Site", &long);
        let bytes = write_cbr(&written);
        assert!(is_ccbridge(&bytes));
        // The bytes of the result, of the side to move and of a9.
        assert_eq!((bytes[2076], bytes[2112], bytes[2120]), (1, 1, 0x21));
        assert_eq!(bytes[2210..2214], [0xff; 4]);
        for (code, result) in [(0, "*"), (2, "0-1"), (3, "1/2-1/2"), (4, "*")] {
            let mut other = bytes.clone();
            other[2076] = code;
            assert_eq!(read_ccbridge(&other).unwrap().result.text(), result);
        }
        let read = read_ccbridge(&bytes).unwrap();
        assert_eq!(read.main_line().coordinates(), "h2e2 h9g7 h0g2");
        assert_eq!(read.moves[ROOT].comment, "开局");
        assert_eq!(read.comments(), ["中炮", "", "x"]);
        assert_eq!(fen::write_position(&read.start), fen::START);
        assert_eq!((read.tag("Red"), read.tag("Title")), (Some("胡荣华"), None));
        // The field has room for 31 units, and the last character takes two.
        assert_eq!(read.tag("Site"), Some(&long[..30]));
        assert_eq!(read.result, GameResult::RedWins);
    }

    #[test]
    fn positions_without_moves_are_read() {
        // CCBridge does not clear the bytes after a record.
        let bytes = [write_cbr(&game(&[])), vec![0x4f; 99]].concat();
        assert_eq!(bytes[HEADER..HEADER + 4], [IS_LAST | HAS_COMMENT, 0, 0, 0]);
        let position = read_ccbridge(&bytes).unwrap();
        assert_eq!(position.moves[ROOT].comment, "开局");
        assert!(position.moves.is_empty() && position.problems.is_empty());
    }

    #[test]
    fn version_1_is_read() {
        let mut bytes = write_cbr(&game(&[("h2e2", ""), ("h9g7", "")]));
        bytes[VERSION] = 3;
        let error = read_ccbridge(&bytes).unwrap_err().to_string();
        assert_eq!(error, "version 3 of CBR is not supported");
        bytes[VERSION] = 1;
        let nibbles = [0x77, 0x47, 0x70, 0x62];
        let end = bytes.len();
        for (at, squares) in [(end - 6, &nibbles[..2]), (end - 2, &nibbles[2..])] {
            bytes[at..at + 2].copy_from_slice(squares);
        }
        for at in MISSING_AT.into_iter().rev() {
            bytes.drain(at..at + MISSING);
        }
        // The offsets of red's name, the annotator and the board.
        assert_eq!(bytes[948..950], "胡".encode_utf16().next().unwrap().to_le_bytes());
        bytes[1396] = b'x';
        assert_eq!(bytes[1864], 0x21);
        // In a library, zeros follow the record.
        let mut library = write_cbl(&[game(&MOVES)]);
        let start = LIBRARY_HEADER + MIN_CAPACITY * ENTRY;
        library[start..].fill(0);
        library[start..start + bytes.len()].copy_from_slice(&bytes);
        let records = split_ccbridge(&library).unwrap();
        assert_eq!(read_ccbridge(&library[records[0].clone()]).unwrap().plies(), 2);
        let read = read_ccbridge(&bytes).unwrap();
        assert_eq!(fen::write_position(&read.start), fen::START);
        let tags = ["Red", "Annotator"].map(|name| read.tag(name).unwrap());
        assert_eq!(tags, ["胡荣华", "x"]);
        assert_eq!(read.main_line().coordinates(), "h2e2 h9g7");
        assert!(read_ccbridge(&bytes[..1900]).is_err());
    }

    #[test]
    fn libraries_are_read() {
        // The first game takes two blocks, and the second one is illegal.
        let long = "长".repeat(BLOCK / 2);
        let games = [&[("h2e2", long.as_str())][..], &[("h2h8", "")], &MOVES].map(game);
        let mut bytes = write_cbl(&games);
        let records = split_ccbridge(&bytes).unwrap();
        let plies: Vec<_> = records
            .iter()
            .map(|record| Some(read_ccbridge(&bytes[record.clone()]).ok()?.moves.len()))
            .collect();
        assert_eq!(plies, [Some(1), None, Some(3)]);
        // The entries of the index need not be in the order of the records.
        for (number, (record, flags)) in (0..).zip([(2, 5), (1, 7)]) {
            let id = [number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
            bytes[records[record].start..][ID].copy_from_slice(&id);
            let entry = &mut bytes[LIBRARY_HEADER + usize::from(number) * ENTRY..];
            entry[0] = flags;
            let text = format!("{{0302010{number}-0504-0706-0809-0A0B0C0D0E0F}}");
            for (at, byte) in ID_TEXT.step_by(2).zip(text.bytes()) {
                entry[at] = byte;
            }
        }
        assert_eq!(split_ccbridge(&bytes).unwrap().len(), 3);
        bytes[HAS_DELETED] = 1;
        assert_eq!(split_ccbridge(&bytes).unwrap(), records[..2]);
        // A copy with the same identifier is kept if the index has an entry for its block.
        let (deleted, kept) = (LIBRARY_HEADER, LIBRARY_HEADER + 2 * ENTRY);
        bytes.copy_within(
            records[2].start + ID.start..records[2].start + ID.end,
            records[0].start + ID.start,
        );
        assert_eq!(split_ccbridge(&bytes).unwrap(), records[1..2]);
        bytes.copy_within(deleted..deleted + ENTRY, kept);
        bytes[kept] = 7;
        assert_eq!(split_ccbridge(&bytes).unwrap(), records[..2]);
        bytes[kept + BLOCK_NUMBER] = 3;
        assert_eq!(split_ccbridge(&bytes).unwrap(), records[1..]);
        assert!(split_ccbridge(LIBRARY).is_err());
        let old = [OLD_LIBRARY, &[1, 0, 0, 0, 9, 0, 0, 0, 0x78, 1][..]].concat();
        assert!(is_ccbridge(&old));
        let error = split_ccbridge(&old).unwrap_err().to_string();
        assert!(error.contains("older version"), "{error}");
    }

    #[test]
    fn texts_of_headings_are_added_to_the_next_game() {
        let mut heading = game(&[]);
        heading.set_tag("Title", "男子组");
        let mut bytes = write_cbl(&[heading.clone(), game(&MOVES), heading, game(&MOVES)]);
        for (number, block) in [0, 2].into_iter().enumerate() {
            let start = LIBRARY_HEADER + MIN_CAPACITY * ENTRY + block * BLOCK;
            bytes[start + BOARD..start + BOARD + 90].fill(0);
            write_text(&mut bytes[LIBRARY_TEXTS[number].clone()], "五羊杯");
        }
        // The second game is deleted.
        bytes[HAS_DELETED] = 1;
        bytes[LIBRARY_HEADER + ENTRY] &= !IS_KEPT;
        let records = split_ccbridge(&bytes).unwrap();
        let games = records.into_iter().map(|record| read_ccbridge(&bytes[record]).unwrap());
        let games: Vec<_> = games.collect();
        let comment = "五羊杯\n五羊杯\n男子组\n开局\n男子组\n开局\n开局";
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].moves[ROOT].comment, comment);
        assert_eq!(games[0].comments(), ["中炮", "", "x"]);
    }

    #[test]
    fn the_index_of_a_library_has_its_records() {
        let long = "长".repeat(BLOCK / 2);
        let mut titled = game(&MOVES);
        titled.set_tag("Title", "决赛");
        let bytes = write_cbl(&[game(&[("h2e2", long.as_str())]), titled.clone(), titled]);
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|n| bytes[at + n]));
        let first = LIBRARY_HEADER + MIN_CAPACITY * ENTRY;
        let mut ids = HashSet::new();
        for (entry, (block, blocks, title)) in
            [(0, 2, "胡荣华 - ?"), (2, 1, "决赛"), (3, 1, "决赛")].into_iter().enumerate()
        {
            let at = LIBRARY_HEADER + entry * ENTRY;
            let numbers = [0, 4, 8, 16].map(|offset| number(at + offset));
            assert_eq!(numbers, [7, block, blocks, 0]);
            let start = first + block as usize * BLOCK;
            let record = &bytes[start..start + number(at + 12) as usize];
            assert_eq!(*record, write_record(&read_ccbridge(record).unwrap(), entry));
            let id_text = text(&bytes[at + ID_TEXT.start..at + ID_TEXT.end]);
            let lengths: Vec<_> = id_text.split('-').map(str::len).collect();
            assert_eq!(lengths, [9, 4, 4, 4, 13]);
            assert_eq!(id_text.replace(['{', '}', '-'], ""), id(record));
            assert!(ids.insert(id_text));
            assert_eq!(text(&bytes[at + ENTRY_TITLE..at + ENTRY]), title);
        }
        assert_eq!(number(LIBRARY_HEADER + 3 * ENTRY), 0);
    }

    #[test]
    fn concatenated_files_are_read() {
        let record = write_cbr(&game(&MOVES));
        let library = write_cbl(&[game(&MOVES[..1]), game(&MOVES[..2])]);
        for (files, plies) in [
            (vec![&record, &record], vec![3, 3]),
            (vec![&library, &library], vec![1, 2, 1, 2]),
            (vec![&record, &library, &record], vec![3, 1, 2, 3]),
        ] {
            let bytes = files.into_iter().flatten().copied().collect::<Vec<u8>>();
            let records = split_ccbridge(&bytes).unwrap().into_iter();
            let games = records.map(|record| read_ccbridge(&bytes[record]).unwrap().plies());
            assert_eq!(games.collect::<Vec<_>>(), plies);
        }
    }

    #[test]
    fn the_first_record_of_a_library_follows_its_index() {
        for (games, capacity, first) in
            [(1, 128, 101_952), (129, 256, 137_280), (513, 1024, 349_248)]
        {
            let bytes = write_cbl(&vec![game(&[]); games]);
            assert_eq!(bytes[60..64], u32::to_le_bytes(capacity));
            assert_eq!((bytes[16], bytes[55]), (3, 0x7f));
            assert_eq!(split_ccbridge(&bytes).unwrap()[0].start, first);
        }
    }

    #[test]
    fn incomplete_records_are_read_up_to_their_end() {
        let whole = write_cbr(&game(&MOVES));
        let first = HEADER + 4 + 4 + 6 + 4 + 4 + 6;
        for length in (RECORD.len()..HEADER + 12).step_by(7) {
            assert!(read_ccbridge(&whole[..length]).is_err(), "{length}");
        }
        let cut = read_ccbridge(&whole[..first + 3]).unwrap();
        assert_eq!(cut.moves.len(), 1);
        assert_eq!(cut.main_line_problem(), Some("the record is cut short"));
    }
}
