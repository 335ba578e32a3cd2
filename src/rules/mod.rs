//! What the history of a game means: repetitions and limits.

mod chase;
mod game;
mod judgement;
mod names;
mod repetition;
mod rule_set;
#[cfg(test)]
mod slow;
mod threat;
mod verdict;

pub use game::{Game, IllegalMove, Ply};
pub use judgement::{Cause, Chase, Conduct, Judgement, Placed, is_material_insufficient, judge};
pub use repetition::judge_repetition;
pub use rule_set::{ParseRuleSetError, RuleSet};
pub use verdict::{Level, Verdict};
