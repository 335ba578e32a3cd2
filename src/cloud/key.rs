//! The key of a position in the library.
//!
//! A position, the one with colours exchanged and the mirror images of both are worth the same and share
//! one key: the smallest of their texts in hexadecimal digits. Moves are stored as they are played in the
//! position with that text, the canonical one.

use std::fmt;

use arrayvec::ArrayVec;

use crate::board::{Color, FILES, Move, Piece, PieceKind, Position, RANKS, Setup, Square};

/// No key has more bytes: 32 pieces and the empty squares between them, two digits a byte.
const LONGEST: usize = 48;

/// The key of a position, the same for its mirror images.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(ArrayVec<u8, LONGEST>);

impl Key {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A key of bytes that were one before; `None` for too many.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ArrayVec::try_from(bytes).ok().map(Self)
    }

    /// The canonical position of this key; `None` where the bytes are no key of a legal position.
    pub fn position(&self) -> Option<Position> {
        let mut text = String::with_capacity(96);
        let mut digits = self
            .0
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .peekable();
        let mut squares = 0;
        while squares < Square::COUNT {
            // A final 0 is left out where the number of digits would be odd.
            let digit = digits.next().unwrap_or(0);
            let length = match digit {
                0 => 1,
                8 => usize::from(digits.next()?) + 1,
                _ => {
                    let kind = KINDS[usize::from(digit & 7).checked_sub(1)?];
                    let letter = kind.letter();
                    text.push(match digit < 8 {
                        true => letter.to_ascii_lowercase(),
                        false => letter,
                    });
                    squares += 1;
                    continue;
                }
            };
            text.push(char::from(b'0' + u8::try_from(length).ok()?.min(9)));
            squares += length;
        }
        text.push_str(match digits.next() {
            Some(1) => " b",
            _ => " w",
        });
        let position = super::fen::parse(&text)?;
        (View::of(&position).key == *self).then_some(position)
    }
}

impl fmt::Display for Key {
    /// In hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The kinds in the order of their digits: 1 to 7 for black, 9 to f for red.
const KINDS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Bishop,
    PieceKind::Cannon,
    PieceKind::Knight,
    PieceKind::Rook,
    PieceKind::King,
];

const fn digit(kind: PieceKind) -> u8 {
    match kind {
        PieceKind::Pawn => 1,
        PieceKind::Advisor => 2,
        PieceKind::Bishop => 3,
        PieceKind::Cannon => 4,
        PieceKind::Knight => 5,
        PieceKind::Rook => 6,
        PieceKind::King => 7,
    }
}

/// How a position lies to the canonical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Orientation {
    /// Colours are exchanged, and with them the ranks.
    colors: bool,
    /// Left and right are exchanged.
    files: bool,
}

/// A position seen with its key: turns moves of the position into those that are stored, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The key.
    pub key: Key,
    orientation: Orientation,
    /// Whether the position is its own mirror image, so that moves come in pairs.
    pub is_symmetric: bool,
}

impl View {
    /// The key of a position and how the position lies to the canonical one.
    pub fn of(position: &Position) -> Self {
        let is_symmetric = is_symmetric(position);
        let mut best: Option<(Digits, Orientation)> = None;
        for files in [false, true] {
            for colors in [false, true] {
                if files && is_symmetric {
                    continue;
                }
                let orientation = Orientation { colors, files };
                let digits = digits(position, orientation);
                if best.as_ref().is_none_or(|(smallest, _)| digits < *smallest) {
                    best = Some((digits, orientation));
                }
            }
        }
        let (digits, orientation) = best.unwrap_or_default();
        let bytes = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
        Self {
            key: Key(bytes.collect()),
            orientation,
            is_symmetric,
        }
    }

    /// Whether colours are exchanged between the position and the canonical one.
    pub fn turns_colors(&self) -> bool {
        self.orientation.colors
    }

    /// The stored form of a move of the position: as it is played in the canonical one, and of two mirror
    /// images in a symmetric position the one with the smaller text.
    pub fn stored(&self, m: Move) -> Move {
        let m = self.turned(m);
        match self.is_symmetric {
            true => smaller(m, m.flip_file()),
            false => m,
        }
    }

    /// The move of the position that is stored so; in a symmetric position the one of two mirror images
    /// with the smaller text.
    pub fn played(&self, m: Move) -> Move {
        let m = self.turned(m);
        match self.is_symmetric {
            true => smaller(m, m.flip_file()),
            false => m,
        }
    }

    fn turned(&self, m: Move) -> Move {
        let turn = |square: Square| match self.orientation.colors {
            true => square.flip_rank(),
            false => square,
        };
        let m = Move::new(turn(m.from()), turn(m.to()));
        match self.orientation.files {
            true => m.flip_file(),
            false => m,
        }
    }
}

/// A position with colours exchanged, and with them the ranks.
pub fn with_colors_exchanged(position: &Position) -> Option<Position> {
    let mut setup = Setup::empty();
    for (square, piece) in position.setup().pieces() {
        let other = Piece::new(piece.kind(), !piece.color());
        setup.squares[square.flip_rank().index()] = Some(other);
    }
    setup.side_to_move = !position.side_to_move();
    Position::try_from(&setup).ok()
}

/// Of two moves the one with the smaller text.
fn smaller(a: Move, b: Move) -> Move {
    if text_order(a) <= text_order(b) { a } else { b }
}

/// Orders moves as their texts.
pub fn text_order(m: Move) -> [usize; 4] {
    let (from, to) = (m.from(), m.to());
    [from.file(), from.rank(), to.file(), to.rank()]
}

fn is_symmetric(position: &Position) -> bool {
    let is_mirrored =
        |square: Square| position.piece_on(square.flip_file()) == position.piece_on(square);
    position.occupied().into_iter().all(is_mirrored)
}

/// The digits of a position: at most one a square, the one of the side, one to make their number even.
type Digits = ArrayVec<u8, { LONGEST * 2 }>;

fn digits(position: &Position, orientation: Orientation) -> Digits {
    let mut digits = Digits::new();
    for rank in 0..RANKS {
        let mut empty = 0;
        for file in 0..FILES {
            let rank = if orientation.colors {
                rank
            } else {
                RANKS - 1 - rank
            };
            let file = if orientation.files {
                FILES - 1 - file
            } else {
                file
            };
            let piece = Square::new(file, rank).and_then(|square| position.piece_on(square));
            let Some(piece) = piece else {
                empty += 1;
                continue;
            };
            push_empty(&mut digits, &mut empty);
            let is_red = (piece.color() == Color::Red) != orientation.colors;
            digits.push(digit(piece.kind()) | u8::from(is_red) << 3);
        }
        push_empty(&mut digits, &mut empty);
    }
    if (position.side_to_move() == Color::Black) != orientation.colors {
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
    use crate::movegen::legal_moves;
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
        let right = after("h2e2").orientation;
        let left = after("b2e2").orientation;
        assert_eq!((right.colors, right.files), (true, false));
        assert_eq!((left.colors, left.files), (true, true));
        // Here a final 0 is left out.
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
            let mirrored = mirror(position);
            let mirrored_view = View::of(&mirrored);
            let canonical = view.key.position().expect("a key tells its position");
            assert_eq!(View::of(&canonical).orientation, Orientation::default());
            assert_eq!(view.key, mirrored_view.key);
            for m in legal_moves(position) {
                assert_eq!(view.stored(m), mirrored_view.stored(m.flip_file()));
                assert!(crate::movegen::is_legal(&canonical, view.stored(m)));
                let played = view.played(view.stored(m));
                assert!(played == m || view.is_symmetric && played == m.flip_file());
            }
        }
    }

    fn mirror(position: &Position) -> Position {
        let mut setup = position.setup();
        for (square, piece) in position.setup().pieces() {
            setup.squares[square.flip_file().index()] = Some(piece);
            if position.piece_on(square.flip_file()).is_none() {
                setup.squares[square.index()] = None;
            }
        }
        Position::try_from(&setup).unwrap()
    }

    #[test]
    fn other_bytes_are_no_key() {
        for bytes in [&[][..], &[0xff; 20], &[0x88; 10], &[0x65, 0x32]] {
            let key = Key::from_bytes(bytes).unwrap();
            assert_eq!(key.position(), None, "{key}");
        }
        assert_eq!(Key::from_bytes(&[1; 49]), None);
    }
}
