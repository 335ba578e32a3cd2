//! A game so far: where it began, what was played, where it stands.

use crate::board::{Move, Position, Undo};
use crate::movegen::is_legal;

/// One move of a game.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// How to take it back; also holds the key of the position it was played in.
    pub undo: Undo,
}

/// A game: a position and the moves played from it.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    plies: Vec<Ply>,
}

/// A move that the position before it does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {played} (number {number} of the line)")]
pub struct IllegalMove {
    /// The move that cannot be played.
    pub played: Move,
    /// Where it stands in the game, from 1.
    pub number: usize,
}

impl Default for Game {
    /// A game from the starting position.
    fn default() -> Self {
        Self::startpos()
    }
}

impl Game {
    /// A game that begins in `start`.
    pub fn new(start: Position) -> Self {
        Self {
            position: start,
            plies: Vec::new(),
        }
    }

    /// A game from the starting position.
    pub fn startpos() -> Self {
        Self::new(Position::startpos())
    }

    /// Where the game stands.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves played, the first one first.
    #[inline]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Plays a move.
    ///
    /// # Errors
    /// An illegal move is refused and the game left as it was.
    pub fn push(&mut self, played: Move) -> Result<(), IllegalMove> {
        if !is_legal(&self.position, played) {
            return Err(IllegalMove {
                played,
                number: self.plies.len() + 1,
            });
        }
        let undo = self.position.make(played);
        self.plies.push(Ply { played, undo });
        Ok(())
    }

    /// Takes back the last move, if there is one, and returns it.
    pub fn pop(&mut self) -> Option<Move> {
        let Ply { played, undo } = self.plies.pop()?;
        self.position.unmake(played, undo);
        Some(played)
    }

    /// How often the position on the board has occurred since the last capture, now included.
    pub fn occurrences(&self) -> usize {
        let key = self.position.key();
        let reach = usize::from(self.position.clock().plies()).min(self.plies.len());
        1 + self.plies[self.plies.len() - reach..]
            .iter()
            .filter(|p| p.undo.key() == key)
            .count()
    }

    /// Whether a move is legal and brings back a position of the game. The game is the same afterwards.
    pub fn is_repetition(&mut self, played: Move) -> bool {
        if self.push(played).is_err() {
            return false;
        }
        let repeats = self.occurrences() > 1;
        self.pop();
        repeats
    }
}
