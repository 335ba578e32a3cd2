//! Search parameters ([`values`]) and the [`formulas`] that use them.

pub mod formulas;
pub mod values;

use crate::search::request::Degree;

/// Groups of unsound pruning techniques, enabled by the option `pruning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Changes of depth: late move reductions with the changes of depth that follow them (re-search, hindsight),
    /// internal iterative reduction, singular and negative extensions with multi-cut, reduced depth after a fail high
    /// at the root. Check extensions do not belong to this group.
    pub reductions: bool,
    /// Null-move pruning.
    pub null_move: bool,
    /// Cutoffs by the static evaluation, a shallow search or a hash score: reverse futility, razoring, probcut.
    pub by_evaluation: bool,
    /// Pruning of single moves: quiet moves by number, history, evaluation or exchange, captures by exchange, and in the
    /// quiescence search quiet evasions of a check.
    pub of_moves: bool,
    /// Correction history: scores then depend on the order of the search.
    pub corrections: bool,
}

impl Pruning {
    /// The techniques of a level. `none` is plain alpha-beta with quiescence, check extensions and transposition table.
    pub fn new(level: Degree) -> Self {
        Self {
            reductions: level >= Degree::Small,
            null_move: level >= Degree::Small,
            by_evaluation: level >= Degree::Medium,
            of_moves: level >= Degree::Large,
            corrections: level >= Degree::Small,
        }
    }
}
