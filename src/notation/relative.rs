//! What Chinese and WXF moves have in common: they name a piece by its file or by its place among
//! its like on that file, then a direction, then a number, all as the mover sees the board.

use super::NotationError;
use crate::board::{Bitboard, Color, FILES, Move, PieceKind, Position, Square};
use crate::movegen::legal_moves;

/// Which way a move goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Towards the enemy (进).
    Forward,
    /// Towards home (退).
    Back,
    /// Along the rank (平).
    Across,
    /// Nowhere: the piece becomes a pawn (the promotion variant).
    Promotion,
}

/// A place among two or more like pieces on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelativePlace {
    /// The foremost (前).
    Front,
    /// The foremost but one of four or five, else the foremost (WXF `+`).
    InnerFront,
    /// The third of five or the second of three (中).
    Middle,
    /// The rearmost but one of four or five, else the rearmost (WXF `-`).
    InnerRear,
    /// The rearmost (后).
    Rear,
    /// Counted from the front, from 1; over two files when no file is named (一兵 to 五兵).
    Nth(usize),
}

impl RelativePlace {
    /// The index from the front among `count` pieces.
    fn index(self, count: usize) -> Option<usize> {
        match self {
            Self::Front => Some(0),
            Self::InnerFront => Some(usize::from(count > 3)),
            Self::Middle => (count % 2 == 1).then_some(count / 2),
            Self::InnerRear => Some(count - 1 - usize::from(count > 3)),
            Self::Rear => Some(count - 1),
            Self::Nth(n) => n.checked_sub(1),
        }
    }
}

/// Where a piece stands among its like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// File as its owner counts, 1 at the right hand.
    pub(super) file: usize,
    /// Like pieces on the file.
    pub(super) count: usize,
    /// Those of them in front of this one.
    pub(super) index: usize,
    /// Files with two or more like pieces.
    pub(super) crowded_files: usize,
    /// Like pieces on crowded files that are counted before this one: right to left, then front
    /// to rear.
    pub(super) ordinal: usize,
}

impl Standing {
    /// How the piece of the side to move on `square` stands among those of its kind.
    pub(super) fn of(position: &Position, kind: PieceKind, square: Square) -> Self {
        let us = position.side_to_move();
        let like = position.pieces(us, kind);
        let column = |file: usize| like & Bitboard::file(file);
        let rank = square.relative_rank(us);
        let in_front = |s: &Square| s.relative_rank(us) > rank;
        let index = column(square.file()).into_iter().filter(in_front).count();
        let file = file_number(square, us);
        let crowded = || (0..FILES).filter(|f| column(*f).more_than_one());
        let before: u32 = crowded()
            .filter(|f| (*f > square.file()) == (us == Color::Red) && *f != square.file())
            .map(|f| column(f).len())
            .sum();
        Self {
            file,
            count: column(square.file()).len() as usize,
            index,
            crowded_files: crowded().count(),
            ordinal: before as usize + index,
        }
    }

    /// Whether an odd number of like pieces has this one in its middle.
    pub(super) fn is_middle(self) -> bool {
        self.count % 2 == 1 && self.index == self.count / 2
    }
}

/// A move as it is described: piece, direction and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Description {
    /// What moves.
    pub(super) kind: PieceKind,
    /// Its file, from 1, if it is named.
    pub(super) file: Option<usize>,
    /// Its place on the file, if it is named.
    pub(super) place: Option<RelativePlace>,
    /// Where to.
    pub(super) direction: Direction,
    /// Steps along a file, else the file arrived at; 0 for a promotion.
    pub(super) number: usize,
}

/// The number of a file as `color` counts: 1 at its right hand.
pub(super) fn file_number(square: Square, color: Color) -> usize {
    match color {
        Color::Red => FILES - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// Which way a move of `color` goes, and its number.
pub(super) fn direction_and_number(m: Move, color: Color) -> (Direction, usize) {
    let (from, to) = (m.from().relative_rank(color), m.to().relative_rank(color));
    if m.is_promotion() {
        return (Direction::Promotion, 0);
    }
    if from == to {
        return (Direction::Across, file_number(m.to(), color));
    }
    let direction = if to > from {
        Direction::Forward
    } else {
        Direction::Back
    };
    let number = if m.from().file() == m.to().file() {
        to.abs_diff(from)
    } else {
        file_number(m.to(), color)
    };
    (direction, number)
}

impl Description {
    /// The one legal move that fits; `text` is what to blame when there is none or another.
    pub(super) fn resolve(&self, position: &Position, text: &str) -> Result<Move, NotationError> {
        let mut moves: Vec<Move> = legal_moves(position)
            .into_iter()
            .filter(|m| self.fits(position, *m))
            .collect();
        if moves.len() > 1 && self.place.is_none() {
            // WXF names the middle one of three or five by its file alone.
            let middle = |m: &&Move| Standing::of(position, self.kind, m.from()).is_middle();
            moves = moves
                .iter()
                .find(middle)
                .map_or(moves.clone(), |m| vec![*m]);
        }
        match moves[..] {
            [m] => Ok(m),
            [] => Err(NotationError::Illegal(text.to_owned())),
            _ => Err(NotationError::Ambiguous {
                text: text.to_owned(),
                moves,
            }),
        }
    }

    /// Every move, legal or not, of a piece of the side to move that fits: what the text may have meant.
    pub(super) fn attempts(&self, position: &Position) -> Vec<Move> {
        let own = position.pieces(position.side_to_move(), self.kind);
        let moves = own
            .into_iter()
            .flat_map(|from| Bitboard::ALL.into_iter().map(move |to| Move::new(from, to)));
        moves.filter(|m| self.fits(position, *m)).collect()
    }

    fn fits(&self, position: &Position, m: Move) -> bool {
        position.piece_on(m.from()).map(|p| p.kind()) == Some(self.kind)
            && direction_and_number(m, position.side_to_move()) == (self.direction, self.number)
            && self.names(Standing::of(position, self.kind, m.from()))
    }

    /// Whether file and place are those of a piece.
    fn names(&self, standing: Standing) -> bool {
        let file_fits = self.file.is_none_or(|file| file == standing.file);
        let place_fits = match self.place {
            None => true,
            Some(_) if standing.count < 2 => false,
            Some(RelativePlace::Nth(n)) if self.file.is_none() => n == standing.ordinal + 1,
            Some(place) => place.index(standing.count) == Some(standing.index),
        };
        file_fits && place_fits
    }
}
