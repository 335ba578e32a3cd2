//! Composed problems (排局): proofs of mates, wins and draws.
//!
//! | module | contents |
//! |---|---|
//! | `solution` | solutions of mate problems: all defenses, other solutions, verification |
//! | `holding` | proofs that a side does not lose |

mod holding;
mod solution;

pub use holding::{Candidates, Reply, RulesAndTables, hold, verify_strategy};
pub use solution::{
    KnownMate, MatingMove, OtherMove, OtherMoves, Refutation, Solution, Solver, verify_solution,
};

use crate::board::Move;
use crate::rules::Cause;

/// The reason why a problem is not solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// There is no mate in this number of moves.
    #[error("there is no mate in {0}")]
    NoMate(u32),
    /// There is no win in this number of moves.
    #[error("there is no win in {0} moves")]
    NoWin(u32),
    /// The position is a draw by an endgame tablebase.
    #[error("the endgame tablebases show a draw")]
    Drawn,
    /// The position is lost by an endgame tablebase.
    #[error("the endgame tablebases show that the other side wins")]
    Lost,
    /// The node limit was reached before a mate in this number of moves was found.
    #[error("no mate in {0} found within the node limit")]
    NotFound(u32),
    /// The node limit was reached before a win was found.
    #[error("no win found within the node limit")]
    NoWinFound,
    /// A reply was not refuted within the node limit.
    #[error("no refutation found after {0} within the node limit")]
    NotRefuted(String),
    /// The tree is larger than this maximum.
    #[error("the solution has more than {0} moves of the attacker")]
    TooLarge(usize),
    /// The start or a position after the opponent's first move is lost, or every move in it was refuted.
    #[error("no defense found; positions examined: {0}")]
    NoDefense(usize),
    /// The limit of positions was reached.
    #[error("not proven within {0} positions")]
    TooMany(usize),
    /// The search was stopped.
    #[error("interrupted")]
    Stopped,
    /// The search failed, or a stored move is illegal.
    #[error("{0}")]
    Failed(String),
}

impl SolveError {
    /// Whether it is proven that no solution exists; `None` if a search failed.
    pub fn is_proven(&self) -> Option<bool> {
        match self {
            Self::NoMate(_) | Self::NoWin(_) | Self::Drawn | Self::Lost => Some(true),
            Self::NotFound(_)
            | Self::NoWinFound
            | Self::NotRefuted(_)
            | Self::TooLarge(_)
            | Self::NoDefense(_)
            | Self::TooMany(_)
            | Self::Stopped => Some(false),
            Self::Failed(_) => None,
        }
    }
}

/// The reason why a solution or a strategy is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A move of the solution cannot be played.
    #[error("the move {0} cannot be played after {1}")]
    Illegal(Move, String),
    /// The first move of the solution cannot be played.
    #[error("the first move {0} cannot be played")]
    IllegalFirst(Move),
    /// A legal reply is missing.
    #[error("the reply {0} is missing after {1}")]
    Missing(Move, String),
    /// The rules end the game before the mate.
    #[error("the game ends by {0} after {1}")]
    Decided(Cause, String),
    /// The endgame tablebases do not show the mate that the solution takes from them.
    #[error("the endgame tablebases show no such mate after {0}")]
    NotInTables(String),
    /// The stated length of a mate differs from the length with the longest defense.
    #[error("the mate that begins with the last move of {1} does not take the stated {0} plies")]
    Length(u32, String),
    /// The start or a position after the opponent's first move is lost.
    #[error("the position is lost at the start or after the opponent's first move")]
    Lost,
    /// The strategy has no move for a position.
    #[error("no move for the position {0}")]
    NoMove(String),
    /// The move of the strategy is illegal or loses.
    #[error("the move {1} is illegal or loses in the position {0}")]
    Wrong(String, Move),
    /// The strategy allows a repetition that may lose.
    #[error(
        "the strategy allows a repetition of the position {0} in which only its own side checks or chases"
    )]
    Repeats(String),
}
