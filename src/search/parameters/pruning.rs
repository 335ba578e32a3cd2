//! Which techniques that may be wrong are on.

use crate::search::request::Degree;

/// Groups of pruning that may be wrong, switched by the option `pruning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Depths bent by what is expected: late move reductions, internal iterative reduction, singular
    /// and negative extensions with multi-cut, less depth for a root that fails high.
    pub reductions: bool,
    /// The null move: a position so good that passing suffices is cut off.
    pub null_move: bool,
    /// Cut-offs by the static evaluation: reverse futility, razoring, probcut.
    pub by_evaluation: bool,
    /// Single moves left out: quiet ones by their number, history, evaluation or exchange, captures by
    /// exchange.
    pub of_moves: bool,
    /// The static evaluation is corrected by what earlier searches found it to be off by, so that a score
    /// hangs on the order of the search.
    pub corrections: bool,
}

impl Pruning {
    /// What a level allows: `none` is plain alpha-beta with quiescence and transposition table.
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
