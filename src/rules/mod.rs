//! What the history of a game means: repetitions and limits.

mod game;
mod names;
mod repetition;
mod rule_set;
mod threat;
mod verdict;

pub use game::{Game, Ply};
pub use repetition::judge_repetition;
pub use rule_set::{ParseRuleSetError, RuleSet};
pub use threat::{chasers, threats};
pub use verdict::{Level, Verdict};
