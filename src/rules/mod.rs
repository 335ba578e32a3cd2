//! Repetitions, limits and the end of a game.
//!
//! A repetition need not be a draw. Under most rule sets, a side loses if each of its moves in the repetition gives
//! check, or if each of them chases the same piece (threatens to win it). It does not lose if the other side does the
//! same or worse.
//!
//! [`judge`] returns the verdict on a game with its reasons. [`judge_repetition`] judges one repetition
//! without reasons, for the search. The guide [`rules`](crate::guide::rules) explains the rule sets, with
//! the diagrams of the rule books that each clause follows.
//!
//! A repetition consists of the plies from an earlier occurrence of the position to the current one. For the Asian,
//! computer and ElephantEye rules, its moves are taken back one by one (`chase`). A move chases the pieces that its
//! side threatens (`threat`) after the move and not before it. Under the ElephantEye rules it chases at most one piece:
//! one that the moved piece attacks, even if the piece was attacked before. A side chases perpetually if all its moves
//! chase the same piece. Pieces are tracked by identity, not by square. For the Chinese rules (`chinese`), a small
//! search classifies each move.

mod chase;
mod chinese;
mod game;
mod judgment;
mod repetition;
mod rule_set;
mod threat;
mod verdict;

pub use chase::{MoveThreats, move_threats};
pub use chinese::is_attack as is_chinese_attack;
pub use game::{Game, IllegalMove, Ply};
pub use judgment::{
    Cause, Chase, ClassifiedMove, Clause, Judgment, Placed, judge, judge_at, judge_outcome,
};
pub use repetition::judge_repetition;
pub use rule_set::{
    ParseRuleSetError, RuleSet, counted_plies, is_material_insufficient, is_within_no_capture_limit,
};
pub use verdict::{Exemption, MoveClass, Perpetual, Verdict};
