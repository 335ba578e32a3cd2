//! The key of a position in the library.
//!
//! A position, the one with colors exchanged and the mirror images of both are worth the same and share
//! one key: the smallest of their texts in hexadecimal digits. Moves are stored as they are played in the
//! position with that text, the canonical one.

use std::fmt;

use arrayvec::ArrayVec;

use crate::board::{Color, FILES, Move, PieceKind, Position, RANKS, Square};

/// No key has more bytes: 32 pieces and the empty squares between them, two digits a byte.
const LONGEST: usize = 48;

/// The key of a position, the same for its mirror images.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(ArrayVec<u8, LONGEST>);

impl Key {
    /// The key as the store writes it.
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
    /// Colors are exchanged, and with them the ranks.
    colors: bool,
    /// Left and right are exchanged.
    files: bool,
}

/// A position seen with its key: turns moves of the position into those that are stored, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What the position and its mirror image are stored under.
    pub key: Key,
    orientation: Orientation,
    /// Whether the position is its own mirror image, so that moves come in pairs.
    pub is_symmetric: bool,
}

impl View {
    /// The key of a position and how the position lies to the canonical one.
    pub fn of(position: &Position) -> Self {
        let cells = Cells::of(position);
        let is_symmetric = cells.is_symmetric();
        let mut candidates: ArrayVec<(Orientation, Digits), 4> = ArrayVec::new();
        for files in [false, true] {
            for colors in [false, true] {
                if !files || !is_symmetric {
                    candidates.push((Orientation { colors, files }, Digits::new()));
                }
            }
        }
        for row in 0..RANKS {
            for (orientation, digits) in &mut candidates {
                cells.push_rank(row, *orientation, digits);
            }
            // The digits of a rank begin those of no other, so that the ranks may be compared one by one.
            if candidates.len() > 1 {
                let smallest = candidates.iter().map(|(_, digits)| digits).min().cloned();
                candidates.retain(|(_, digits)| Some(&*digits) == smallest.as_ref());
            }
        }
        for (orientation, digits) in &mut candidates {
            end(
                digits,
                (position.side_to_move() == Color::Black) != orientation.colors,
            );
        }
        let smallest = candidates.into_iter().min_by(|(_, a), (_, b)| a.cmp(b));
        let (orientation, digits) = smallest.unwrap_or_default();
        let bytes = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
        Self {
            key: Key(bytes.collect()),
            orientation,
            is_symmetric,
        }
    }

    /// Whether colors are exchanged between the position and the canonical one.
    pub fn turns_colors(&self) -> bool {
        self.orientation.colors
    }

    /// The stored form of a move of the position: as it is played in the canonical one, and of two mirror
    /// images in a symmetric position the one with the smaller text.
    pub fn stored(&self, m: Move) -> Move {
        self.smaller_image(m)
    }

    /// The move of the position that is stored so; in a symmetric position the one of two mirror images
    /// with the smaller text.
    pub fn played(&self, m: Move) -> Move {
        self.smaller_image(m)
    }

    /// A move of the position or of the canonical one as it is played in the other.
    fn smaller_image(&self, m: Move) -> Move {
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

/// Of two moves the one with the smaller text.
fn smaller(a: Move, b: Move) -> Move {
    if text_order(a) <= text_order(b) { a } else { b }
}

/// Orders moves as their texts.
pub fn text_order(m: Move) -> [usize; 4] {
    let (from, to) = (m.from(), m.to());
    [from.file(), from.rank(), to.file(), to.rank()]
}

/// The digits of a position: at most one a square, the one of the side, one to make their number even.
type Digits = ArrayVec<u8, { LONGEST * 2 }>;

/// The digit of the piece on each square, 0 where there is none.
struct Cells([[u8; FILES]; RANKS]);

impl Cells {
    fn of(position: &Position) -> Self {
        let mut cells = [[0; FILES]; RANKS];
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                let is_red = u8::from(piece.color() == Color::Red);
                cells[square.rank()][square.file()] = digit(piece.kind()) | is_red << 3;
            }
        }
        Self(cells)
    }

    fn is_symmetric(&self) -> bool {
        self.0.iter().all(|rank| rank.iter().eq(rank.iter().rev()))
    }

    /// Adds the digits of a rank as an orientation shows it, counted from the top.
    fn push_rank(&self, row: usize, orientation: Orientation, digits: &mut Digits) {
        let rank = match orientation.colors {
            true => row,
            false => RANKS - 1 - row,
        };
        let mut empty = 0;
        for file in 0..FILES {
            let file = match orientation.files {
                true => FILES - 1 - file,
                false => file,
            };
            match self.0[rank][file] {
                0 => empty += 1,
                cell => {
                    push_empty(digits, &mut empty);
                    digits.push(cell ^ u8::from(orientation.colors) << 3);
                }
            }
        }
        push_empty(digits, &mut empty);
    }
}

/// Adds the digit of the side to move, and makes the number of digits even.
fn end(digits: &mut Digits, is_black_to_move: bool) {
    if is_black_to_move {
        digits.push(1);
    }
    if digits.len() % 2 == 1 {
        match digits.last() {
            Some(0) => drop(digits.pop()),
            _ => digits.push(0),
        }
    }
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
mod tests;
