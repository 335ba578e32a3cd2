//! Position keys.
//!
//! A position, its mirror image and both with colors swapped have the same value and share one key: the smallest of
//! their four encodings as hexadecimal digits. The position with that encoding is the canonical one; moves are
//! stored as moves of the canonical position.

use std::fmt;

use arrayvec::ArrayVec;

use super::fen;
use crate::board::{Color, FILES, Move, Piece, PieceKind, Position, Setup, Square, Symmetry};
use crate::movegen::legal_moves;

/// Maximum length of a key in bytes, with two digits per byte. A position has at most 92 digits, see [`Digits`].
const MAX_LENGTH: usize = 46;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(ArrayVec<u8, MAX_LENGTH>);

impl Key {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A key from stored bytes; `None` if there are too many.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ArrayVec::try_from(bytes).ok().map(Self)
    }

    /// The canonical position; `None` if the bytes are not the key of a position that a library can store.
    pub fn position(&self) -> Option<Position> {
        let mut digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let mut setup = Setup::empty();
        let mut squares = Square::all().map(Square::flip_rank);
        while let Some(square) = squares.next() {
            // A final 0 that would make the number of digits odd is omitted.
            match digits.next().unwrap_or(0) {
                0 => {}
                8 => {
                    for _ in 0..digits.next()? {
                        squares.next()?;
                    }
                }
                digit => {
                    let color = if digit < 8 { Color::Black } else { Color::Red };
                    let kind = KINDS[usize::from(digit & 7) - 1];
                    setup.squares[square.index()] = Some(Piece::new(kind, color));
                }
            }
        }
        if digits.next() == Some(1) {
            setup.side_to_move = Color::Black;
        }
        let position = Position::try_from(&setup).ok().filter(fen::is_storable)?;
        (View::of(&position).key == *self).then_some(position)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move of the canonical position with this key.
pub type KeyedMove = (Key, Move);

/// Piece kinds in the order of their digits: 1 to 7 for black, 9 to f for red.
const KINDS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Bishop,
    PieceKind::Cannon,
    PieceKind::Knight,
    PieceKind::Rook,
    PieceKind::King,
];

fn digit(piece: Piece) -> u8 {
    let index = KINDS.iter().position(|kind| *kind == piece.kind());
    let of_black = index.map_or(0, |index| index as u8 + 1);
    of_black | u8::from(piece.color() == Color::Red) << 3
}

/// The key of a position, and the symmetry between the position and the canonical one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub key: Key,
    symmetry: Symmetry,
    /// Whether the position is its own mirror image, so that moves come in pairs.
    pub is_symmetric: bool,
}

impl View {
    pub fn of(position: &Position) -> Self {
        let encodings = [(false, false), (true, false), (false, true), (true, true)];
        let encodings = encodings.map(|(ranks, files)| {
            let symmetry = Symmetry { ranks, files };
            (digits(position, symmetry), symmetry)
        });
        let is_symmetric = encodings[0].0 == encodings[2].0;
        let smallest = encodings.into_iter().min_by(|(a, _), (b, _)| a.cmp(b));
        let (digits, symmetry) = smallest.unwrap_or_default();
        let bytes = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
        Self { key: Key(bytes.collect()), symmetry, is_symmetric }
    }

    /// Whether the canonical position has the colors swapped.
    pub fn swaps_colors(&self) -> bool {
        self.symmetry.ranks
    }

    /// Converts a move of the position to the canonical position. In a symmetric position, the result is the first of
    /// the two mirror images by [`text_order`].
    pub fn stored(&self, m: Move) -> Move {
        let m = self.symmetry.image_of_move(m);
        if self.is_symmetric {
            std::cmp::min_by_key(m, m.flip_file(), |m| text_order(*m))
        } else {
            m
        }
    }

    /// Converts a move of the canonical position to this position. In a symmetric position, the result is the first
    /// of the two mirror images by [`text_order`].
    pub fn played(&self, m: Move) -> Move {
        // Each symmetry is its own inverse.
        self.stored(m)
    }
}

/// Sort key that orders moves by their text.
pub fn text_order(m: Move) -> [usize; 4] {
    let (from, to) = (m.from(), m.to());
    [from.file(), from.rank(), to.file(), to.rank()]
}

/// The legal moves of a position. In a symmetric position, only the first move of each mirrored pair by
/// [`text_order`], which is the stored one.
pub fn distinct_moves(position: &Position) -> Vec<Move> {
    let is_symmetric = View::of(position).is_symmetric;
    let is_image = |m: &Move| is_symmetric && text_order(m.flip_file()) < text_order(*m);
    let mut moves = legal_moves(position).to_vec();
    moves.retain(|m| !is_image(m));
    moves
}

/// The digits of a position: at most one per square, one for the side to move and one for padding, which makes 92.
type Digits = ArrayVec<u8, { MAX_LENGTH * 2 }>;

/// The digits of the transformed position, in the order of a FEN: a digit of [`KINDS`] for each piece, 0 for one empty
/// square, 8 and N for N + 1 empty squares, and a final 1 if black is to move. An odd number of digits is made even: a
/// final 0 is removed, or else a 0 is appended.
fn digits(position: &Position, symmetry: Symmetry) -> Digits {
    let mut digits = Digits::new();
    let mut empty = 0;
    for square in Square::all().map(Square::flip_rank) {
        match position.piece_on(symmetry.square(square)) {
            None => empty += 1,
            Some(piece) => {
                push_empty(&mut digits, &mut empty);
                digits.push(digit(symmetry.piece(piece)));
            }
        }
        if square.file() == FILES - 1 {
            push_empty(&mut digits, &mut empty);
        }
    }
    if (position.side_to_move() == Color::Black) != symmetry.ranks {
        digits.push(1);
    }
    if digits.len() % 2 == 1 {
        match digits.last() {
            Some(0) => drop(digits.pop()),
            _ => digits.push(0),
        }
    }
    digits
}

fn push_empty(digits: &mut Digits, empty: &mut u8) {
    match *empty {
        0 => {}
        1 => digits.push(0),
        run => digits.extend([8, run - 1]),
    }
    *empty = 0;
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::random;

    fn after(played: &str) -> View {
        let mut position = Position::startpos();
        if let Ok(m) = played.parse() {
            position.make(m);
        }
        View::of(&position)
    }

    #[test]
    fn keys_are_those_of_the_public_library() {
        let start = after("");
        assert_eq!(
            start.key.to_string(),
            "6532723568804844010101010188889090909090c84c088edbafabde"
        );
        assert!(start.is_symmetric);
        let center = "65327235688048148310101010188889090909090c84c088edbafabde0";
        assert_eq!(after("h2e2").key.to_string(), center);
        assert_eq!(after("b2e2").key.to_string(), center);
        let right = after("h2e2").symmetry;
        let left = after("b2e2").symmetry;
        assert_eq!((right.ranks, right.files), (true, false));
        assert_eq!((left.ranks, left.files), (true, true));
        // The final 0 is omitted here.
        assert_eq!(
            after("h2d2").key.to_string(),
            "6532723568804048410101010188889090909090c84c088edbafabde"
        );
    }

    #[test]
    fn symmetric_positions_store_the_smaller_move() {
        let start = after("");
        let parse = |text: &str| text.parse::<Move>().unwrap();
        assert_eq!(start.stored(parse("h2e2")), parse("b2e2"));
        assert_eq!(start.stored(parse("g3g4")), parse("c3c4"));
        assert_eq!(start.played(parse("b2e2")), parse("b2e2"));
        let mut symmetric = Position::startpos();
        symmetric.make(parse("e3e4"));
        let view = View::of(&symmetric);
        assert!(view.is_symmetric);
        let stored = view.stored(parse("h7e7"));
        assert_eq!(view.played(stored), parse("b7e7"));
    }

    #[test]
    fn mirror_images_share_key_and_moves() {
        let mut random = StdRng::seed_from_u64(16);
        for _ in 0..200 {
            let game = random::game(&mut random, Position::startpos(), 60);
            let position = game.position();
            let view = View::of(position);
            let mirrored = position.mirrored();
            let mirrored_view = View::of(&mirrored);
            let canonical = view.key.position().expect("a key encodes a position");
            assert_eq!(View::of(&canonical).symmetry, Symmetry::default());
            assert_eq!(view.key, mirrored_view.key);
            for m in legal_moves(position) {
                assert_eq!(view.stored(m), mirrored_view.stored(m.flip_file()));
                assert!(crate::movegen::is_legal(&canonical, view.stored(m)));
                let played = view.played(view.stored(m));
                assert!(played == m || view.is_symmetric && played == m.flip_file());
            }
        }
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        for bytes in [&[][..], &[0xff; 20], &[0x88; 10], &[0x65, 0x32]] {
            let key = Key::from_bytes(bytes).unwrap();
            assert_eq!(key.position(), None, "{key}");
        }
        assert_eq!(Key::from_bytes(&[1; 47]), None);
    }
}
