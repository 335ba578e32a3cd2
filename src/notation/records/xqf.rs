//! XQF, the files of 象棋演播室 (XQStudio): a header of 1024 bytes, then a tree of moves. From version 11 on, the
//! squares of the pieces and the tree are obfuscated with keys in the header.

use super::{
    PieceSquares, StoredNode, code_of_result, note_rest, piece_position, piece_squares,
    plain_comment, read_tree, result_of_code,
};
use crate::board::{Color, Square};
use crate::notation::raw::{RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameTree, NodeId, ROOT};
use crate::text::encode_gbk;

/// The length of the header in bytes.
const HEADER: usize = 0x400;
/// The last version without obfuscation, and the version that is written.
const PLAIN: u8 = 10;
/// From this version on the pieces are in another order.
const SHUFFLED: u8 = 12;
/// The text from which the key stream is derived.
const SALT: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// The offsets of the squares of the pieces, of the side to move and of the result.
const SQUARES: usize = 0x10;
const SIDE: usize = 0x32;
const RESULT: usize = 0x33;
/// The tags with the offsets and sizes of their fields. The first byte of a field is the length of the text.
const TAGS: [(&str, usize, usize); 11] = [
    ("Title", 0x50, 64),
    ("Event", 0xd0, 64),
    ("Date", 0x110, 16),
    ("Site", 0x120, 16),
    ("Red", 0x130, 16),
    ("Black", 0x140, 16),
    ("TimeControl", 0x150, 64),
    ("RedTime", 0x190, 16),
    ("BlackTime", 0x1a0, 16),
    ("Annotator", 0x1d0, 16),
    ("Author", 0x1e0, 16),
];

/// The flags of a node: it has a next move, an alternative, a comment.
const HAS_NEXT: u8 = 0x80;
const HAS_ALTERNATIVE: u8 = 0x40;
const HAS_COMMENT: u8 = 0x20;
/// The offsets that are added to the squares of a move.
const FROM_OFFSET: u8 = 0x18;
const TO_OFFSET: u8 = 0x20;

/// Whether a file is in this format. The header contains NUL bytes, unlike text.
pub fn is_xqf(bytes: &[u8]) -> bool {
    let header = bytes.get(..HEADER).unwrap_or_default();
    header.starts_with(b"XQ") && header.contains(&0)
}

/// The keys of an obfuscated file; those of a file without obfuscation are zeros.
#[derive(Default)]
struct XqfKeys {
    piece: u8,
    from: u8,
    to: u8,
    comment: u32,
    stream: [u8; 32],
}

impl XqfKeys {
    fn read(header: &[u8]) -> Self {
        if header[2] <= PLAIN {
            return Self::default();
        }
        let mask = header[0x03];
        let ors = &header[0x08..0x0c];
        let raw = &header[0x0c..0x10];
        let [sum, piece, from, to] = [raw[0], raw[1], raw[2], raw[3]];
        let mix = |key: u8, by: u8| {
            let factor = key.wrapping_mul(key).wrapping_mul(54).wrapping_add(221);
            factor.wrapping_mul(by)
        };
        let piece_key = mix(piece, piece);
        let from_key = mix(from, piece_key);
        let to_key = mix(to, from_key);
        let comment = (u32::from(sum) * 256 + u32::from(piece)) % 32_000 + 767;
        let stream = std::array::from_fn(|n| SALT[n] & ((raw[n % 4] & mask) | ors[n % 4]));
        Self { piece: piece_key, from: from_key, to: to_key, comment, stream }
    }
}

struct XqfTree<'a> {
    bytes: &'a [u8],
    at: usize,
    version: u8,
    keys: &'a XqfKeys,
}

impl XqfTree<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u8>, RecordError> {
        let end = self.at.saturating_add(count);
        let bytes = self.bytes.get(self.at..end);
        let bytes = bytes.ok_or_else(|| RecordError::new("the file is cut short"))?;
        let plain = bytes.iter().zip(self.at..);
        let plain = plain.map(|(byte, at)| byte.wrapping_sub(self.keys.stream[at % 32]));
        self.at = end;
        Ok(plain.collect())
    }

    fn node(&mut self) -> Result<StoredNode, RecordError> {
        let is_root = self.at == HEADER;
        let node = self.take(4)?;
        let mut flags = node[2];
        let mut length = 0;
        if self.version <= PLAIN || flags & HAS_COMMENT != 0 {
            let bytes = self.take(4)?;
            let hidden = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let plain = hidden.checked_sub(self.keys.comment);
            length = plain.ok_or_else(|| RecordError::new("the length of a comment is invalid"))?;
        }
        if self.version <= PLAIN {
            // Any of the upper bits means a next move, any of the lower bits an alternative.
            flags = if flags & 0xf0 != 0 { HAS_NEXT } else { 0 }
                | if flags & 0x0f != 0 { HAS_ALTERNATIVE } else { 0 };
        }
        let text = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        // XQStudio marks a next move in files without moves, too.
        let has_no_moves = is_root && self.at == self.bytes.len();
        let from = square(node[0].wrapping_sub(FROM_OFFSET).wrapping_sub(self.keys.from));
        let to = square(node[1].wrapping_sub(TO_OFFSET).wrapping_sub(self.keys.to));
        Ok(StoredNode {
            node: AnnotatedMove {
                comment: decode(&text),
                ..AnnotatedMove::new(RawMove::Squares(from.zip(to)))
            },
            has_next: flags & HAS_NEXT != 0 && !has_no_moves,
            has_alternative: flags & HAS_ALTERNATIVE != 0,
        })
    }
}

/// Decodes a text in GB18030 and trims its lines.
fn decode(bytes: &[u8]) -> String {
    let (text, ..) = encoding_rs::GB18030.decode(bytes);
    plain_comment(&text)
}

/// A square that is stored as ten times its file plus its rank.
fn square(place: u8) -> Option<Square> {
    Square::new(usize::from(place / 10), usize::from(place % 10))
}

fn place(square: Square) -> u8 {
    // At most 89.
    (10 * square.file() + square.rank()) as u8
}

/// Reads a file.
///
/// # Errors
/// The file is cut short or damaged before the end of its first move, its starting position or first move is invalid,
/// or the game is too long.
pub fn read_xqf(bytes: &[u8]) -> Result<GameTree, RecordError> {
    if !is_xqf(bytes) {
        return Err(RecordError::new("the file is cut short"));
    }
    let version = bytes[2];
    let keys = XqfKeys::read(bytes);
    let mut squares: PieceSquares = [None; 32];
    for (index, place) in bytes[SQUARES..SQUARES + 32].iter().enumerate() {
        let index =
            if version >= SHUFFLED { (index + usize::from(keys.piece) + 1) % 32 } else { index };
        squares[index] = square(place.wrapping_sub(keys.piece));
    }
    let mut tree = XqfTree { bytes, at: HEADER, version, keys: &keys };
    let root = tree.node()?;
    let mut game = read_tree(root, || tree.node().map(Some))?;
    note_rest(&mut game, &bytes[tree.at..]);
    let first_from = game.first_from();
    let side = if bytes[SIDE] == 1 { Color::Black } else { Color::Red };
    game.start = piece_position(&squares, first_from, side)?;
    for (name, at, size) in TAGS {
        let length = usize::from(bytes[at]).min(size - 1);
        let value = decode(&bytes[at + 1..=at + length]);
        // A text that fills its field may end with the first half of a character.
        game.add_tag(name, value.trim_end_matches(char::REPLACEMENT_CHARACTER));
    }
    // Some readers take 4 for a draw as well; in CBR it has another meaning.
    game.result = result_of_code(if bytes[RESULT] == 4 { 3 } else { bytes[RESULT] });
    game.resolve()
}

/// Writes a game. Tags without a field, the rest of tags that are too long for their fields, and the counters of the
/// starting position are lost. Glyphs become text of the comments.
///
/// # Errors
/// The starting position has more pieces of a kind than a set has.
pub fn write_xqf(game: &GameTree) -> Result<Vec<u8>, RecordError> {
    let squares = piece_squares(&game.start);
    let squares = squares.ok_or_else(|| {
        RecordError::new("the format cannot hold more pieces of a kind than a set has")
    })?;
    let mut bytes = vec![0; HEADER];
    bytes[..3].copy_from_slice(&[b'X', b'Q', PLAIN]);
    for (byte, square) in bytes[SQUARES..].iter_mut().zip(squares) {
        *byte = square.map_or(0xff, place);
    }
    bytes[SIDE] = u8::from(game.start.side_to_move() == Color::Black);
    bytes[RESULT] = code_of_result(game.result);
    for (name, at, size) in TAGS {
        let mut value: Vec<u8> = Vec::new();
        for c in game.tag(name).unwrap_or_default().chars() {
            let mut buffer = [0; 4];
            let encoded = encode_gbk(c.encode_utf8(&mut buffer));
            if value.len() + encoded.len() >= size {
                break;
            }
            value.extend_from_slice(&encoded);
        }
        // The field has at most 64 bytes.
        bytes[at] = value.len() as u8;
        bytes[at + 1..=at + value.len()].copy_from_slice(&value);
    }
    for id in std::iter::once(ROOT).chain(game.moves.preorder()) {
        write_node(&mut bytes, game, id);
    }
    Ok(bytes)
}

fn write_node(bytes: &mut Vec<u8>, game: &GameTree, id: NodeId) {
    let played = game.moves[id].played;
    let (from, to) = played.map_or((0, 0), |m| (place(m.from()), place(m.to())));
    let mut flags = 0;
    if game.moves.first_child(id).is_some() {
        flags |= 0xf0;
    }
    if game.moves.next_sibling(id).is_some() {
        flags |= 0x0f;
    }
    let comment = game.moves[id].comment_with_glyphs();
    let comment = encode_gbk(&comment);
    bytes.extend([from + FROM_OFFSET, to + TO_OFFSET, flags, 0]);
    let length = u32::try_from(comment.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend(&comment[..]);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::notation::records::RecordReader;
    use crate::notation::tree::GameResult;

    /// A file in any version, made with the formulas above in reverse.
    pub fn file(version: u8, moves: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[..3].copy_from_slice(&[b'X', b'Q', version]);
        if version > PLAIN {
            // With the slashes, the first line of the file resembles a FEN.
            bytes[0x03..0x10].copy_from_slice(if version > SHUFFLED {
                b"/////////////"
            } else {
                &[0x5a, 1, 0, 0, 0, 0x81, 0x42, 0x24, 0x18, 0x33, 0x77, 0xa9, 0xc5]
            });
            bytes[HEADER - 1] = b'\n';
        }
        let keys = XqfKeys::read(&bytes);
        let red = [0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83];
        let black = red.map(|place| place / 10 * 10 + 9 - place % 10);
        for (index, place) in red.into_iter().chain(black).enumerate() {
            let at = if version >= SHUFFLED {
                (index + 31 * (usize::from(keys.piece) + 1)) % 32
            } else {
                index
            };
            bytes[0x10 + at] = u8::try_from(place).unwrap().wrapping_add(keys.piece);
        }
        bytes[0x33] = 3;
        let (name, ..) = encoding_rs::GBK.encode("胡荣华");
        bytes[0x120..0x130].copy_from_slice(b"\x0fabcdefghijklmn\xba");
        bytes[0x130] = u8::try_from(name.len()).unwrap();
        bytes[0x131..0x131 + name.len()].copy_from_slice(&name);
        let mut plain = Vec::new();
        let mut node = |from: u8, to: u8, is_last: bool, comment: &str| {
            let (comment, ..) = encoding_rs::GBK.encode(comment);
            let mut flags = if is_last { 0 } else { HAS_NEXT };
            let has_length = version <= PLAIN || !comment.is_empty();
            if version > PLAIN && has_length {
                flags |= HAS_COMMENT;
            }
            plain.extend([from, to, flags, 0]);
            if has_length {
                let length = u32::try_from(comment.len()).unwrap() + keys.comment;
                plain.extend(length.to_le_bytes());
            }
            plain.extend(&*comment);
        };
        node(0x18, 0x20, moves.is_empty(), "开局");
        for (number, (text, comment)) in (1..).zip(moves) {
            let place = |t: &[u8]| (t[0] - b'a') * 10 + t[1] - b'0';
            let from = place(&text.as_bytes()[..2]).wrapping_add(0x18).wrapping_add(keys.from);
            let to = place(&text.as_bytes()[2..]).wrapping_add(0x20).wrapping_add(keys.to);
            node(from, to, number == moves.len(), comment);
        }
        let hidden = plain.iter().zip(HEADER..);
        bytes.extend(hidden.map(|(byte, at)| byte.wrapping_add(keys.stream[at % 32])));
        bytes
    }

    #[test]
    fn all_versions_are_read() {
        let moves = [("h2e2", "中炮"), ("h9g7", ""), ("h0g2", "x")];
        for version in [10, 11, 12, 18] {
            let file = file(version, &moves);
            let game = RecordReader::new(&file[..]).unwrap().next().unwrap();
            let game = game.unwrap();
            assert_eq!(game.moves[ROOT].comment, "开局", "{version}");
            let line = game.main_line();
            assert_eq!(line.coordinates(), "h2e2 h9g7 h0g2", "{version}");
            assert_eq!(game.comments(), ["中炮", "", "x"], "{version}");
            assert_eq!(fen::write_position(&game.start), fen::START);
            assert_eq!((game.tag("Red"), game.result), (Some("胡荣华"), GameResult::Draw));
            assert_eq!(game.tag("Site"), Some("abcdefghijklmn"));
        }
    }

    #[test]
    fn incomplete_files_are_read_up_to_their_end() {
        let whole = file(18, &[("h2e2", "中炮"), ("h9g7", "")]);
        // The root takes 12 bytes and the first move 12.
        for length in (0..HEADER + 24).step_by(9) {
            assert!(read_xqf(&whole[..length]).is_err(), "{length}");
        }
        let position = read_xqf(&whole[..HEADER + 12]).unwrap();
        assert_eq!(position.moves[ROOT].comment, "开局");
        assert!(position.moves.is_empty() && position.problems.is_empty());
        let cut = read_xqf(&whole[..whole.len() - 1]).unwrap();
        assert_eq!(cut.plies(), 1);
        assert_eq!(cut.main_line_problem(), Some("the file is cut short"));
        for (rest, problem) in [
            (vec![0; 9], None),
            (
                whole.clone(),
                Some(format!("{} bytes after the end of the record were not read", whole.len())),
            ),
        ] {
            let game = read_xqf(&[&whole[..], &rest].concat()).unwrap();
            let found = game.problems.first().map(|problem| problem.reason.as_str());
            assert_eq!((game.plies(), found), (2, problem.as_deref()));
            assert_eq!(game.main_line_problem(), None);
        }
        let illegal = read_xqf(&file(18, &[("h2e9", "")])).unwrap_err();
        assert_eq!(illegal.to_string(), "move 1: h2e9 is not a legal move here");
        assert!(!is_xqf(&[b"XQ\n1. h2e2 ", &[b' '; HEADER][..]].concat()));
    }
}
