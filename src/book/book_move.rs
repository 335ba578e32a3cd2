//! What every book offers.

use std::fmt;

use super::error::BookError;
use crate::board::{Move, Position};

/// How games went in which a move was played, seen from the side that played it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Results {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Results {
    /// How many games there were.
    pub const fn games(self) -> u32 {
        self.wins
            .saturating_add(self.draws)
            .saturating_add(self.losses)
    }

    /// Three for a win, one for a draw, minus one for a loss, as ElephantEye's tool for books counts
    /// (its default).
    pub fn value(self) -> i64 {
        3 * i64::from(self.wins) + i64::from(self.draws) - i64::from(self.losses)
    }

    /// The sum, count by count; saturates.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
        }
    }
}

/// A move of a book for the position with a hash, of which nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashedMove {
    /// The lock of BOOK.DAT: the second hash of ElephantEye of the position or its mirror image.
    pub lock: u32,
    /// The move, in the one that is meant.
    pub played: Move,
    /// As [`BookMove::weight`].
    pub weight: u32,
}

/// A move that a book holds for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// What the book recommends.
    pub played: Move,
    /// How good or how usual it is beside the other moves of its position. Moves without weight are
    /// not played.
    pub weight: u32,
    /// The games behind it, where the book tells.
    pub results: Results,
}

impl BookMove {
    /// A move without games.
    pub fn new(played: Move, weight: u32) -> Self {
        Self {
            played,
            weight,
            results: Results::default(),
        }
    }
}

/// A position of a book with its moves.
#[derive(Clone, Debug)]
pub struct BookEntry {
    /// The position that the record is of.
    pub position: Position,
    /// What the book recommends in it.
    pub moves: Vec<BookMove>,
}

/// An opening book.
pub trait Book: fmt::Debug + Send {
    /// The legal moves that the book has in a position or its mirror image, the heaviest first; none
    /// where it does not hold the position.
    ///
    /// # Errors
    /// The file of the book cannot be read any more.
    fn moves(&self, position: &Position) -> Result<Vec<BookMove>, BookError>;

    /// How many moves the book holds, useless ones included, those left out that it has turned off itself.
    ///
    /// # Errors
    /// As [`Self::moves`].
    fn count(&self) -> Result<usize, BookError>;

    /// How many records the book holds for a position or its mirror image, whether they are of use or
    /// not.
    ///
    /// # Errors
    /// As [`Self::moves`].
    fn stored(&self, position: &Position) -> Result<usize, BookError>;

    /// The position that has the same records as another one, in formats that see the board with the eyes of the
    /// side to move.
    fn twin(&self, _position: &Position) -> Option<Position> {
        None
    }

    /// One position for each key of a book whose keys hold the whole position, those left out that are none;
    /// `None` where the keys are hashes.
    ///
    /// # Errors
    /// As [`Self::moves`].
    fn positions(&self) -> Result<Option<Vec<Position>>, BookError> {
        Ok(None)
    }

    /// All moves of a BOOK.DAT; none of other books.
    fn hashed_moves(&self) -> Vec<HashedMove> {
        Vec::new()
    }

    /// The name of the format.
    fn format(&self) -> &'static str;
}
