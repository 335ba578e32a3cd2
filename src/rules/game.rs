//! A game: a start position and the moves played from it.

use crate::board::{Color, Move, Position, Undo};
use crate::movegen::is_legal;
use crate::notation::Line;

/// One move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// The information to take the move back, including the key of the position before it.
    pub undo: Undo,
}

/// Whether all moves of a side, or at least one, gave check.
#[derive(Clone, Copy)]
pub struct Checks {
    pub all: bool,
    pub any: bool,
}

impl Checks {
    /// The checks that a side gave in `plies`, which lead to `position`.
    pub fn of(side: Color, position: &Position, plies: &[Ply]) -> Self {
        let mut checks = Self { all: true, any: false };
        let mut mover = !position.side_to_move();
        let mut gave_check = position.in_check();
        for ply in plies.iter().rev() {
            if mover == side {
                checks.all &= gave_check;
                checks.any |= gave_check;
            }
            gave_check = ply.undo.was_in_check();
            mover = !mover;
        }
        checks
    }
}

/// A start position and the moves played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    position: Position,
    plies: Vec<Ply>,
}

/// The error for a move that is illegal in the position in which it is played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {played} (number {number} of the line)")]
pub struct IllegalMove {
    /// The illegal move.
    pub played: Move,
    /// The number of the move in the game, counted in plies from 1.
    pub number: usize,
}

impl Default for Game {
    fn default() -> Self {
        Self::startpos()
    }
}

/// Plays the moves of a line. The error names the first illegal move.
///
/// ```
/// use chuhe::notation::pgn::PgnReader;
/// use chuhe::rules::{Game, RuleSet, judge};
///
/// let mut records = PgnReader::new("1. h2e2 h9g7 2. h0g2 *".as_bytes());
/// let record = records.next().expect("there is a game")?;
/// let game = Game::try_from(record.main_line())?;
/// assert!(judge(&game, RuleSet::Asian).verdict.loser().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<Line> for Game {
    type Error = IllegalMove;

    fn try_from(line: Line) -> Result<Self, IllegalMove> {
        let mut game = Self::new(line.start);
        line.moves.into_iter().try_for_each(|played| game.push(played))?;
        Ok(game)
    }
}

impl Game {
    /// A game without moves from `start`.
    pub fn new(start: Position) -> Self {
        Self { position: start, plies: Vec::new() }
    }

    /// A game without moves from the starting position.
    pub fn startpos() -> Self {
        Self::new(Position::startpos())
    }

    /// The current position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves played, the first one first.
    #[inline]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The position before the first move, and the moves.
    pub fn line(&self) -> Line {
        let mut start = self.position.clone();
        for ply in self.plies.iter().rev() {
            start.unmake(ply.played, ply.undo);
        }
        let moves = self.plies.iter().map(|ply| ply.played).collect();
        Line { start, moves }
    }

    /// Plays a move. An illegal move is an error and leaves the game unchanged.
    pub fn push(&mut self, played: Move) -> Result<(), IllegalMove> {
        if !is_legal(&self.position, played) {
            return Err(IllegalMove { played, number: self.plies.len() + 1 });
        }
        let undo = self.position.make(played);
        self.plies.push(Ply { played, undo });
        Ok(())
    }

    /// Plays legal moves in coordinates, separated by spaces.
    #[cfg(test)]
    pub fn push_line(&mut self, moves: &str) {
        for played in moves.split_whitespace() {
            self.push(played.parse().expect(played)).expect(played);
        }
    }

    /// Takes back the last move, if there is one, and returns it.
    pub fn pop(&mut self) -> Option<Move> {
        let Ply { played, undo } = self.plies.pop()?;
        self.position.unmake(played, undo);
        Some(played)
    }

    /// The number of occurrences of the current position since the last capture, including the current
    /// one.
    pub fn occurrences(&self) -> usize {
        let key = self.position.key();
        let plies = self.plies_since_capture().iter();
        1 + plies.filter(|p| p.undo.key() == key).count()
    }

    /// Whether a move is legal and repeats a position of the game.
    pub fn is_repetition(&self, played: Move) -> bool {
        if !is_legal(&self.position, played) || self.position.taken_by(played).is_some() {
            return false;
        }
        let key = self.position.key_after(played);
        let mut plies = self.plies_since_capture().iter();
        plies.any(|p| p.undo.key() == key)
    }

    /// The moves since the last capture of the game.
    pub fn plies_since_capture(&self) -> &[Ply] {
        let count = usize::from(self.position.clock().plies()).min(self.plies.len());
        &self.plies[self.plies.len() - count..]
    }
}
