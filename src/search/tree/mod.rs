//! The search tree: iterative deepening from the root, principal variation search, quiescence.
//!
//! | file | contents |
//! |---|---|
//! | `iteration` | the results of the iterations |
//! | `root` | the root: iterative deepening and its end, aspiration windows, moves, reports |
//! | `node` | principal variation search of a node and its moves; quiescence search at the end of each line |
//! | `pruning` | cutoffs before the moves of a node, moves that are skipped, extensions and reductions |
//! | `repetition`, `tablebases` | nodes that a repetition, the no-capture limit or an endgame tablebase decides |
//! | `history_update` | updates of the histories and, at the end of a node, of the transposition table |
//! | `score` | node scores and whether they depend on the path |
//! | `evaluator` | static evaluation of the positions of the current line |
//! | `state` | the state of one thread, and its regular checks of the clock and the limits |
//! | `shared` | the state that the threads of a search share |
//!
//! The guide [`contributing`](crate::guide::contributing) lists techniques that were tested and not adopted.

mod evaluator;
mod history_update;
mod iteration;
mod node;
mod pruning;
mod repetition;
mod root;
mod score;
mod shared;
mod state;
mod tablebases;

pub use evaluator::static_score;
pub use iteration::{Iteration, RootMove};
pub use root::search;
pub use shared::SharedState;
pub use state::ThreadData;
