//! The search tree: iterative deepening from the root, principal variation search, quiescence.
//!
//! | file | contents |
//! |---|---|
//! | `iteration` | the results of the iterations |
//! | `stopping` | the end of a search by time, nodes, a mate or an only move |
//! | `root` | the root: iterative deepening, aspiration windows, moves, reports |
//! | `node` | one node: hash entry, static evaluation, cut-offs before its moves |
//! | `moves` | the moves of a node: pruning, extensions, reductions, principal variation search |
//! | `quiescence` | captures and check evasions at the end of each line |
//! | `repetition`, `tablebases` | nodes that a repetition, the no-capture limit or an endgame table decides |
//! | `history_update` | writes to the histories and the transposition table after a node |
//! | `score` | node scores and whether they depend on the path |
//! | `evaluator` | static evaluation, updated move by move |
//! | `search`, `shared` | the state of one thread, and of all threads of a search |

mod evaluator;
mod history_update;
mod iteration;
mod moves;
mod node;
mod quiescence;
mod repetition;
mod root;
mod score;
mod search;
mod shared;
mod stopping;
mod tablebases;

pub use evaluator::static_score;
pub use iteration::{Iteration, RootMove};
pub use root::search;
pub use search::ThreadData;
pub use shared::SharedState;
