//! What the history of a game means: repetitions and limits.

mod chase;
mod game;
mod judgement;
mod league;
mod limits;
mod names;
mod repetition;
mod rule_set;
#[cfg(test)]
mod slow;
mod threat;
mod verdict;

pub use game::{Game, IllegalMove, Ply};
pub use judgement::{Cause, Chase, Conduct, Judgement, Placed, judge};
pub use limits::{counted_plies, is_material_insufficient};
pub use repetition::judge_repetition;
pub use rule_set::{ParseRuleSetError, RuleSet};
pub use verdict::{Level, Verdict};
