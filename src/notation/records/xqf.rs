//! XQF, the files of 象棋演播室 (XQStudio): a header of 1024 bytes, then a tree of moves. From version 11
//! on all is hidden behind keys that the header gives.

use super::{Place, RecordError, line, put_first, tag_value};
use crate::board::Color;
use crate::notation::pgn::{GameResult, PgnGame};

/// Length of the header, in bytes.
const HEADER: usize = 0x400;
/// Versions up to this one hide nothing.
const PLAIN: u8 = 10;
/// From this version on the places of the pieces are out of order.
const SHUFFLED: u8 = 12;
/// What the keys are mixed with.
const SALT: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// The tags of a PGN, with where their texts stand, a byte of length first, and how much room they
/// have.
const TAGS: [(&str, usize, usize); 8] = [
    ("Title", 0x50, 64),
    ("Event", 0xd0, 64),
    ("Date", 0x110, 16),
    ("Site", 0x120, 16),
    ("Red", 0x130, 16),
    ("Black", 0x140, 16),
    ("Annotator", 0x1d0, 16),
    ("Author", 0x1e0, 16),
];

/// Marks of a node of the tree.
const HAS_NEXT: u8 = 0x80;
const HAS_COMMENT: u8 = 0x20;

/// Whether a file is one of XQF.
pub fn is_xqf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"XQ") && bytes.len() >= HEADER
}

/// What hides the content of a file.
struct XqfKeys {
    piece: u8,
    from: u8,
    to: u8,
    comment: u32,
    stream: [u8; 32],
}

impl XqfKeys {
    /// The keys of a file that hides nothing.
    const NONE: Self = Self {
        piece: 0,
        from: 0,
        to: 0,
        comment: 0,
        stream: [0; 32],
    };

    fn read(header: &[u8]) -> Self {
        let mask = header[0x03];
        let ors = &header[0x08..0x0c];
        let raw = &header[0x0c..0x10];
        let [sum, piece, from, to] = [raw[0], raw[1], raw[2], raw[3]];
        let mix = |key: u8, by: u8| {
            let square = key.wrapping_mul(key).wrapping_mul(54).wrapping_add(221);
            square.wrapping_mul(by)
        };
        let piece_key = mix(piece, piece);
        let from_key = mix(from, piece_key);
        let to_key = mix(to, from_key);
        let comment = (u32::from(sum) * 256 + u32::from(piece)) % 32_000 + 767;
        let stream = std::array::from_fn(|n| SALT[n] & ((raw[n % 4] & mask) | ors[n % 4]));
        Self {
            piece: piece_key,
            from: from_key,
            to: to_key,
            comment,
            stream,
        }
    }
}

/// The bytes of the tree, one after another.
struct XqfTree<'a> {
    bytes: &'a [u8],
    at: usize,
    keys: &'a XqfKeys,
}

impl XqfTree<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u8>, RecordError> {
        let end = self.at.checked_add(count).ok_or(RecordError::Broken)?;
        let hidden = self.bytes.get(self.at..end).ok_or(RecordError::Broken)?;
        let plain = hidden.iter().zip(self.at..);
        let plain = plain.map(|(byte, at)| byte.wrapping_sub(self.keys.stream[at % 32]));
        self.at = end;
        Ok(plain.collect())
    }

    /// The next node: its move, hidden as it is, its marks and its comment.
    fn node(&mut self, version: u8) -> Result<([u8; 2], u8, String), RecordError> {
        let node = self.take(4)?;
        let has_length = version <= PLAIN || node[2] & HAS_COMMENT != 0;
        let length = match has_length {
            true => {
                let bytes = self.take(4)?;
                let length = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                length
                    .checked_sub(self.keys.comment)
                    .ok_or(RecordError::Broken)?
            }
            false => 0,
        };
        let text = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        // Older versions say by any of the upper bits that a move follows.
        let marks = match version <= PLAIN && node[2] & 0xf0 != 0 {
            true => HAS_NEXT,
            false => node[2],
        };
        Ok(([node[0], node[1]], marks, decode(&text)))
    }
}

/// Text of a file, in GB18030.
fn decode(bytes: &[u8]) -> String {
    let (text, ..) = encoding_rs::GB18030.decode(bytes);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A square that is stored as ten times its file and its rank.
fn square(place: u8) -> Option<Place> {
    (place < 90).then_some((usize::from(place / 10), usize::from(place % 10)))
}

/// Reads a file.
///
/// # Errors
/// It is cut short, or its game cannot be played.
pub fn read_xqf(bytes: &[u8]) -> Result<PgnGame, RecordError> {
    if !is_xqf(bytes) {
        return Err(RecordError::Broken);
    }
    let version = bytes[2];
    let keys = match version <= PLAIN {
        true => XqfKeys::NONE,
        false => XqfKeys::read(bytes),
    };
    let mut squares = [None; 32];
    for (index, place) in bytes[0x10..0x30].iter().enumerate() {
        let index = match version >= SHUFFLED {
            true => (index + usize::from(keys.piece) + 1) % 32,
            false => index,
        };
        squares[index] = square(place.wrapping_sub(keys.piece));
    }
    let (moves, comments) = moves(bytes, version, &keys)?;
    let side = match bytes[0x32] {
        1 => Color::Black,
        _ => Color::Red,
    };
    let tags = TAGS.iter().filter_map(|(name, at, room)| {
        let length = usize::from(bytes[*at]).min(room - 1);
        let value = decode(&bytes[at + 1..=at + length]);
        (!value.is_empty()).then(|| ((*name).to_owned(), tag_value(name, &value)))
    });
    Ok(PgnGame {
        tags: tags.collect(),
        line: line(&squares, &moves, side)?,
        comments,
        result: match bytes[0x33] {
            1 => GameResult::RedWins,
            2 => GameResult::BlackWins,
            3 => GameResult::Draw,
            _ => GameResult::Unfinished,
        },
    })
}

/// Moves by their squares, and their comments.
type MainLine = (Vec<(Place, Place)>, Vec<String>);

/// The main line: the first child of each node.
fn moves(bytes: &[u8], version: u8, keys: &XqfKeys) -> Result<MainLine, RecordError> {
    let mut tree = XqfTree {
        bytes,
        at: HEADER,
        keys,
    };
    let (mut moves, mut comments) = (Vec::new(), Vec::new());
    // The root has a comment on the game and no move.
    let (_, mut marks, introduction) = tree.node(version)?;
    while marks & HAS_NEXT != 0 {
        let ([from, to], next, comment) = tree.node(version)?;
        let from = square(from.wrapping_sub(0x18).wrapping_sub(keys.from));
        let to = square(to.wrapping_sub(0x20).wrapping_sub(keys.to));
        let (Some(from), Some(to)) = (from, to) else {
            return Err(RecordError::Broken);
        };
        moves.push((from, to));
        comments.push(comment);
        marks = next;
    }
    put_first(&introduction, &mut comments);
    Ok((moves, comments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    /// A file with a few moves, made by the description above the other way round.
    fn file(version: u8, moves: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[..3].copy_from_slice(&[b'X', b'Q', version]);
        if version > PLAIN {
            bytes[0x03..0x10].copy_from_slice(&[
                0x5a, 1, 0, 0, 0, 0x81, 0x42, 0x24, 0x18, 0x33, 0x77, 0xa9, 0xc5,
            ]);
        }
        let keys = if version > PLAIN {
            XqfKeys::read(&bytes)
        } else {
            XqfKeys::NONE
        };
        let red = [0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83];
        let black = red.map(|place| place / 10 * 10 + 9 - place % 10);
        for (index, place) in red.into_iter().chain(black).enumerate() {
            let at = match version >= SHUFFLED {
                true => (index + 31 * (usize::from(keys.piece) + 1)) % 32,
                false => index,
            };
            bytes[0x10 + at] = u8::try_from(place).unwrap().wrapping_add(keys.piece);
        }
        bytes[0x33] = 3;
        let (name, ..) = encoding_rs::GBK.encode("胡荣华");
        bytes[0x130] = u8::try_from(name.len()).unwrap();
        bytes[0x131..0x131 + name.len()].copy_from_slice(&name);
        let mut plain = Vec::new();
        let mut node = |from: u8, to: u8, is_last: bool, comment: &str| {
            let (comment, ..) = encoding_rs::GBK.encode(comment);
            let mut marks = if is_last { 0 } else { HAS_NEXT };
            let has_length = version <= PLAIN || !comment.is_empty();
            if version > PLAIN && has_length {
                marks |= HAS_COMMENT;
            }
            plain.extend([from, to, marks, 0]);
            if has_length {
                let length = u32::try_from(comment.len()).unwrap() + keys.comment;
                plain.extend(length.to_le_bytes());
            }
            plain.extend(&*comment);
        };
        node(0x18, 0x20, moves.is_empty(), "开局");
        for (number, (text, comment)) in (1..).zip(moves) {
            let place = |t: &[u8]| (t[0] - b'a') * 10 + t[1] - b'0';
            let from = place(&text.as_bytes()[..2])
                .wrapping_add(0x18)
                .wrapping_add(keys.from);
            let to = place(&text.as_bytes()[2..])
                .wrapping_add(0x20)
                .wrapping_add(keys.to);
            node(from, to, number == moves.len(), comment);
        }
        let hidden = plain.iter().zip(HEADER..);
        bytes.extend(hidden.map(|(byte, at)| byte.wrapping_add(keys.stream[at % 32])));
        bytes
    }

    #[test]
    fn files_of_all_versions_are_read() {
        let moves = [("h2e2", "中炮"), ("h9g7", ""), ("h0g2", "x")];
        for version in [10, 11, 12, 18] {
            let game = read_xqf(&file(version, &moves)).unwrap();
            let played: Vec<_> = game.line.moves.iter().map(ToString::to_string).collect();
            assert_eq!(played, ["h2e2", "h9g7", "h0g2"], "{version}");
            assert_eq!(game.comments, ["开局\n中炮", "", "x"], "{version}");
            assert_eq!(fen::write_position(&game.line.start), fen::START);
            assert_eq!(
                (game.tag("Red"), game.result),
                (Some("胡荣华"), GameResult::Draw)
            );
        }
    }

    #[test]
    fn broken_files_are_refused() {
        let whole = file(18, &[("h2e2", "中炮"), ("h9g7", "")]);
        for length in (0..whole.len()).step_by(7) {
            assert!(read_xqf(&whole[..length]).is_err(), "{length}");
        }
        let illegal = read_xqf(&file(18, &[("h2e9", "")])).unwrap_err();
        assert_eq!(illegal.to_string(), "move 1: h2e9 is no legal move here");
        // Whatever stands in it, it is read or refused.
        for seed in 0..2000_usize {
            let mut bytes = whole.clone();
            let at = seed * 7919 % bytes.len();
            bytes[at] = bytes[at].wrapping_add(u8::try_from(seed % 255).unwrap() + 1);
            let _ = read_xqf(&bytes);
        }
    }
}
