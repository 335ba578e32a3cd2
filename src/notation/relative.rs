//! The common part of the Chinese, WXF and Vietnamese notations. A move is a piece, a direction and a number, all from
//! the mover's point of view. The piece is named by its file or by its place among the pieces of its kind on that file.

use super::error::{NotationError, only_move};
use crate::board::{Bitboard, Color, FILES, Move, PieceKind, Position, Square};
use crate::movegen::legal_moves;

/// The direction of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Toward the opponent (进).
    Forward,
    /// Toward the mover's own back rank (退).
    Back,
    /// Along the rank (平).
    Across,
    /// No direction: the piece becomes a pawn on its square (promotion variant).
    Promotion,
}

/// A place among two or more pieces of a kind on one file; for [`Self::Nth`], possibly on several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelativePlace {
    /// The front piece (前).
    Front,
    /// The second piece of four or five, otherwise the front piece (WXF `+`).
    InnerFront,
    /// The third of five or the second of three (中).
    Middle,
    /// The second to last of four or five, otherwise the rear piece (WXF `-`).
    InnerRear,
    /// The rear piece (后).
    Rear,
    /// The piece with this number from the front, from 1, or the middle piece if there are fewer pieces. A WXF move
    /// that begins with the same digit twice (`33=4`) may mean either.
    NthOrMiddle(usize),
    /// The piece with this number from the front, from 1 (一兵 to 五兵). If no file is named, the numbers continue over
    /// all files with two or more such pieces, see [`PiecePlace::ordinal`].
    Nth(usize),
}

impl RelativePlace {
    fn index(self, count: usize) -> Option<usize> {
        match self {
            Self::Front => Some(0),
            Self::InnerFront => Some(usize::from(count > 3)),
            Self::Middle => (count % 2 == 1).then_some(count / 2),
            Self::InnerRear => Some(count - 1 - usize::from(count > 3)),
            Self::Rear => Some(count - 1),
            Self::Nth(n) => n.checked_sub(1),
            Self::NthOrMiddle(n) if n <= count => n.checked_sub(1),
            Self::NthOrMiddle(_) => Self::Middle.index(count),
        }
    }
}

/// The place of a piece among the pieces of its kind and color.
#[derive(Clone, Copy, Debug)]
pub struct PiecePlace {
    /// The number of its file, counted from 1 at its owner's right.
    pub file: usize,
    /// The number of pieces of the kind on the file.
    pub count: usize,
    /// The number of pieces of the kind in front of this one on the file.
    pub index: usize,
    /// The number of files with two or more pieces of the kind.
    pub crowded_files: usize,
    /// The number of pieces of the kind on such files that are counted before this one. Files are counted from right to
    /// left, and the pieces of a file from front to rear.
    pub ordinal: usize,
}

impl PiecePlace {
    /// The place of a piece of the side to move.
    pub fn of(position: &Position, kind: PieceKind, square: Square) -> Self {
        let us = position.side_to_move();
        let pieces = position.pieces(us, kind);
        let on_file = |file: usize| pieces & Bitboard::file(file);
        let rank = square.relative_rank(us);
        let in_front = |s: &Square| s.relative_rank(us) > rank;
        let index = on_file(square.file()).into_iter().filter(in_front).count();
        let file = file_number(square, us);
        let crowded = || (0..FILES).filter(|f| on_file(*f).more_than_one());
        let before: u32 = crowded()
            .filter(|f| if us == Color::Red { *f > square.file() } else { *f < square.file() })
            .map(|f| on_file(f).len())
            .sum();
        Self {
            file,
            count: on_file(square.file()).len() as usize,
            index,
            crowded_files: crowded().count(),
            ordinal: before as usize + index,
        }
    }

    /// Whether the piece is the middle one of three or five on its file, or the only one.
    fn is_middle(self) -> bool {
        self.count % 2 == 1 && self.index == self.count / 2
    }
}

/// A parsed move: piece, direction and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    pub kind: PieceKind,
    /// The number of the file of the piece, if given.
    pub file: Option<usize>,
    /// The place of the piece among those of its kind, if given.
    pub place: Option<RelativePlace>,
    pub direction: Direction,
    /// The number of steps along a file, otherwise the number of the destination file; 0 for a promotion.
    pub number: usize,
}

/// The piece of a parsed move, its file and its place.
pub type Subject = (PieceKind, Option<usize>, Option<RelativePlace>);

/// The only legal move that a text describes. `description` is `None` if the text is not in the notation.
pub fn resolve(
    description: Option<Description>,
    position: &Position,
    text: &str,
) -> Result<Move, NotationError> {
    let description = description.ok_or_else(|| NotationError::Unreadable(text.to_owned()))?;
    let mut moves: Vec<Move> =
        legal_moves(position).into_iter().filter(|m| description.fits(position, *m)).collect();
    if moves.len() > 1 && description.place.is_none() {
        // WXF names the middle one of three or five pieces by its file alone.
        let is_middle =
            |m: &&Move| PiecePlace::of(position, description.kind, m.from()).is_middle();
        if let Some(&middle) = moves.iter().find(is_middle) {
            moves = vec![middle];
        }
    }
    only_move(moves, text)
}

/// The text of a move; but its coordinates if the side has more pieces of the kind than a set has and `parse` does not
/// read the text as this move. Such pieces may have no unique names.
pub fn unique_text(
    text: String,
    position: &Position,
    m: Move,
    parse: fn(&Position, &str) -> Result<Move, NotationError>,
) -> String {
    let is_regular = position.piece_on(m.from()).is_some_and(|piece| {
        position.pieces(piece.color(), piece.kind()).len() <= piece.kind().max_per_side()
    });
    if is_regular || parse(position, &text).is_ok_and(|read| read == m) {
        text
    } else {
        m.to_string()
    }
}

/// Reads a digit from 1 to 9.
pub fn read_digit(character: char) -> Option<usize> {
    let digit = character.to_digit(10)? as usize;
    (digit > 0).then_some(digit)
}

/// The number of a file from the point of view of `color`, 1 at its right.
fn file_number(square: Square, color: Color) -> usize {
    match color {
        Color::Red => FILES - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// The direction of a move of `color`, and its number.
pub fn direction_and_number(m: Move, color: Color) -> (Direction, usize) {
    let (from, to) = (m.from().relative_rank(color), m.to().relative_rank(color));
    if m.is_promotion() {
        return (Direction::Promotion, 0);
    }
    if from == to {
        return (Direction::Across, file_number(m.to(), color));
    }
    let direction = if to > from { Direction::Forward } else { Direction::Back };
    let number = if m.from().file() == m.to().file() {
        to.abs_diff(from)
    } else {
        file_number(m.to(), color)
    };
    (direction, number)
}

impl Description {
    /// All moves of the side to move that match, legal or not. For kings, rooks, cannons and pawns, only moves along a
    /// file or rank match; otherwise a number of steps could also be read as the number of a destination file.
    pub fn attempts(&self, position: &Position) -> Vec<Move> {
        let own = position.pieces(position.side_to_move(), self.kind);
        let moves = own
            .into_iter()
            .flat_map(|from| Bitboard::ALL.into_iter().map(move |to| Move::new(from, to)));
        let is_diagonal =
            matches!(self.kind, PieceKind::Advisor | PieceKind::Bishop | PieceKind::Knight);
        let is_straight =
            |m: &Move| m.from().file() == m.to().file() || m.from().rank() == m.to().rank();
        let moves = moves.filter(|m| is_diagonal || is_straight(m));
        moves.filter(|m| self.fits(position, *m)).collect()
    }

    fn fits(&self, position: &Position, m: Move) -> bool {
        position.piece_on(m.from()).map(|p| p.kind()) == Some(self.kind)
            && direction_and_number(m, position.side_to_move()) == (self.direction, self.number)
            && self.matches_place(PiecePlace::of(position, self.kind, m.from()))
    }

    fn matches_place(&self, piece: PiecePlace) -> bool {
        let file_fits = self.file.is_none_or(|file| file == piece.file);
        let place_fits = match self.place {
            None => true,
            Some(_) if piece.count < 2 => false,
            Some(RelativePlace::Nth(n)) if self.file.is_none() => n == piece.ordinal + 1,
            Some(place) => place.index(piece.count) == Some(piece.index),
        };
        file_fits && place_fits
    }
}
