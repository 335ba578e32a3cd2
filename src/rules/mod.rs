//! What the history of a game means: repetitions and limits.
//!
//! [`judge`] tells the verdict on a game with its reasons; [`judge_repetition`] is the same
//! judgement of one repetition, for the search, without them. Nothing here searches, but for the few
//! captures and checks that `chinese` looks ahead.
//!
//! A repetition is judged over its *window*: the plies from an earlier occurrence of the position
//! to now. The line is taken back ply by ply; each ply's chases are what its side threatens after it
//! and did not threaten before (`threat` says what a threat is, `chase` what makes it new), and
//! a side chases for ever when one piece is chased by all of its plies. Pieces are followed by name
//! (`names`), so it is the piece that counts and not its square.
//!
//! Where the references split, `asian` follows the diagrams of the Asian rule book:
//!
//! - Another chaser taking over from the one before renews a threat; a second chaser beside the
//!   first does not.
//! - A root cut off by a piece that steps between, or that leaves, makes a threat new; but a piece
//!   that is chased itself is not held to chase by that.
//! - A check does not break its giver's chase if it chases as well. Checks of the other side never
//!   do.
//! - A check on the board binds nobody: it will be answered before anything is taken.

mod chase;
mod chinese;
mod game;
mod judgement;
mod limits;
mod move_class;
mod perpetual;
mod piece_tracker;
#[cfg(test)]
mod reference;
mod repetition;
mod rule_set;
mod threat;
mod ucci_league;
mod verdict;

pub use game::{Game, IllegalMove, Ply};
pub use judgement::{Cause, Chase, ClassifiedMove, Judgement, Placed, judge, judge_at};
pub use limits::{counted_plies, is_material_insufficient};
pub use move_class::MoveClass;
pub use perpetual::Perpetual;
pub use repetition::judge_repetition;
pub use rule_set::{ParseRuleSetError, RuleSet};
pub use verdict::Verdict;
