//! Book moves and entries, the trait of all formats, the weighted choice, and errors.

use std::{fmt, io};

use rand::Rng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use crate::board::{Move, Position};

/// Results of the games with a move, for the side that played it.
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
    /// Total number of games.
    pub const fn games(self) -> u32 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// The value of a move with these results: 3 for each win, 1 for each draw, -1 for each loss, the default of
    /// ElephantEye's book tool.
    pub fn value(self) -> i64 {
        3 * i64::from(self.wins) + i64::from(self.draws) - i64::from(self.losses)
    }

    /// Sum of the counts; saturates.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
        }
    }
}

/// A book move for a position of which only the hash is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashedMove {
    /// ElephantEye's second lock (a hash) of the position or of its mirror image.
    pub lock: u32,
    /// Move in the position or mirror image that the lock belongs to.
    pub played: Move,
    /// As [`BookMove::weight`].
    pub weight: u32,
}

/// A book move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, which may be illegal. [`Book::moves`] returns only legal moves.
    pub played: Move,
    /// Weight relative to the other moves of the position. [`Book::moves`] leaves out moves with weight 0.
    pub weight: u32,
    /// Results of games with the move, if the book stores them.
    pub results: Results,
}

impl BookMove {
    /// A move without results.
    pub fn new(played: Move, weight: u32) -> Self {
        Self { played, weight, results: Results::default() }
    }
}

#[cfg(any(feature = "sqlite", feature = "training"))]
const BEST_WEIGHT: f64 = 1000.0;
/// Moves that are worse than the best one by at most this, in hundredths of a minor piece, have the same weight as the
/// best one: such differences are noise.
#[cfg(any(feature = "sqlite", feature = "training"))]
const EQUAL_MARGIN: i32 = 5;

/// The weight, from 1 to 1000, of a move whose score is lower than the best one by `worse`. `worse` and `margin` are in
/// hundredths of a minor piece. Beyond `EQUAL_MARGIN`, the weight is divided by e for each `margin / 2` (at least 1)
/// by which the score is lower.
#[cfg(any(feature = "sqlite", feature = "training"))]
pub fn weight(worse: i32, margin: i32) -> u32 {
    let beyond = f64::from((worse - EQUAL_MARGIN).max(0));
    let scale = f64::from(margin.max(2)) / 2.0;
    (BEST_WEIGHT * (-beyond / scale).exp()).round().max(1.0) as u32
}

/// A position with its book moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// The position in which the moves are played.
    pub position: Position,
    /// The moves, in any order.
    pub moves: Vec<BookMove>,
}

/// A comment on a move of a position.
pub type Memo = (Position, Move, String);

/// The records of a position and of its mirror image.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FoundRecords {
    /// Legal moves with a weight above 0, the heaviest first.
    pub moves: Vec<BookMove>,
    /// Number of records, counted as by [`Book::count`].
    pub records: usize,
    /// Number of usable records. It exceeds the number of moves if both images have a usable record of the same move.
    pub usable: usize,
}

/// An opening book. Its methods fail if the file can no longer be read.
pub trait Book: fmt::Debug + Send {
    /// The records of a position and of its mirror image.
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError>;

    /// The usable moves of a position, the heaviest first.
    fn moves(&self, position: &Position) -> Result<Vec<BookMove>, BookError> {
        Ok(self.look_up(position)?.moves)
    }

    /// Number of moves in the book, including unusable ones but not database rows that are disabled or have
    /// no move.
    fn count(&self) -> Result<usize, BookError>;

    /// The comments on moves; empty for formats without comments.
    fn memos(&self) -> Result<Vec<Memo>, BookError> {
        Ok(Vec::new())
    }

    /// The position with swapped colors, in formats that store both under one key; `None` in other formats.
    fn with_colors_swapped(&self, _position: &Position) -> Option<Position> {
        None
    }

    /// One position for each key, if keys hold the whole position; `None` if they are hashes.
    /// Invalid keys are skipped.
    fn positions(&self) -> Result<Option<Vec<Position>>, BookError> {
        Ok(None)
    }

    /// All moves of a BOOK.DAT; empty for other formats.
    fn hashed_moves(&self) -> Vec<HashedMove> {
        Vec::new()
    }

    /// Name of the format, such as `xqb`.
    fn format(&self) -> &'static str;
}

/// Chooses a move by weight. Without `sharpness` the heaviest move is chosen, at random among equals. Otherwise the
/// probability of a move is proportional to its weight to the power of `sharpness`: larger numbers prefer heavy moves.
///
/// Returns the index of the move, or `None` if there are no moves.
pub fn choose(moves: &[BookMove], sharpness: Option<f64>, random: &mut impl Rng) -> Option<usize> {
    let heaviest = f64::from(moves.iter().map(|m| m.weight).max()?.max(1));
    let share = |m: &BookMove| {
        let relative = f64::from(m.weight) / heaviest;
        match sharpness {
            Some(power) => relative.powf(power),
            None if relative >= 1.0 => 1.0,
            None => 0.0,
        }
    };
    let shares = WeightedIndex::new(moves.iter().map(share));
    // If all weights are 0, take the first move.
    Some(shares.map_or(0, |shares| shares.sample(random)))
}

/// Error of a book file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Read or write error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is empty, or a text or a database without moves.
    #[error("the book is empty")]
    Empty,
    /// The length is not a multiple of the record size.
    #[error("the book is truncated: {0} bytes are not a whole number of records")]
    Truncated(usize),
    /// The file is not a book, for this reason.
    #[error("not an opening book: {0}")]
    NotABook(String),
    /// Error of the database.
    #[cfg(feature = "sqlite")]
    #[error("database: {}", without_query(.0))]
    Database(rusqlite::Error),
    /// The key file for the hashed positions is missing.
    #[error("books of this format need their key file in the same list, separated by ;")]
    NeedsKeys,
    /// The file has the size of a key file, but not the numbers that the format requires.
    #[cfg(feature = "sqlite")]
    #[error("the file has the size of a key file for .obk books, but its numbers are wrong")]
    WrongKeys,
    /// Built without SQLite.
    #[error("this build cannot read or write books in SQLite databases (feature sqlite)")]
    NoDatabases,
    /// Too large for a book.
    #[error("the file is too large for a book: {0} bytes")]
    TooLarge(u64),
}

/// The message of an error without the SQL query. rusqlite's own message of an invalid query, for example if a column
/// is missing, contains the whole query.
#[cfg(feature = "sqlite")]
fn without_query(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        _ => error.to_string(),
    }
}

#[cfg(feature = "sqlite")]
impl From<rusqlite::Error> for BookError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl BookError {
    /// Whether the error is temporary: another program has locked the database, so the book can be read later.
    pub fn is_temporary(&self) -> bool {
        #[cfg(feature = "sqlite")]
        if let Self::Database(error) = self {
            use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
            return matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    fn counts(weights: &[u32], sharpness: Option<f64>) -> Vec<usize> {
        let moves: Vec<BookMove> = (weights.iter())
            .map(|&weight| BookMove::new("h2e2".parse().unwrap(), weight))
            .collect();
        let mut random = StdRng::seed_from_u64(1);
        let mut counts = vec![0; weights.len()];
        for _ in 0..10_000 {
            counts[choose(&moves, sharpness, &mut random).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn weights_are_probabilities() {
        let drawn = counts(&[700, 200, 100], Some(1.0));
        for (count, wanted) in drawn.iter().zip([7000, 2000, 1000]) {
            assert!(count.abs_diff(wanted) < 200, "{drawn:?}");
        }
        let sharp = counts(&[200, 100], Some(3.0));
        assert!(sharp[1].abs_diff(1111) < 150, "{sharp:?}");
    }

    #[test]
    fn without_sharpness_only_the_heaviest_moves_are_chosen() {
        let drawn = counts(&[5, 9, 9, 8], None);
        assert_eq!((drawn[0], drawn[3]), (0, 0));
        assert!(drawn[1].abs_diff(5000) < 300, "{drawn:?}");
    }

    #[test]
    fn extreme_weights_are_handled() {
        assert_eq!(counts(&[0], Some(1.0)), [10_000]);
        assert_eq!(counts(&[u32::MAX, 0], Some(2.0)), [10_000, 0]);
        let mut random = StdRng::seed_from_u64(1);
        assert_eq!(choose(&[], None, &mut random), None);
    }
}
