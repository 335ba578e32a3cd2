//! The tree: iterative deepening from the root, principal variation search, quiescence.
//!
//! `iterative_deepening` (until `stopping`) calls the `root` with aspiration windows, which calls the
//! `node`s, which end in `quiescence`. `pruning` says what is left out, `reductions` how deep a move is
//! searched, `history_update` what a node teaches the histories and the transposition table,
//! `repetition` what the rules make of the way to a node, `tables` what endgame tables say of it and
//! `root_ending` of the root. The state is that of a thread, which lives on (`thread_data`), and that of
//! one `search`; `shared` is what the threads of one search share.

pub(super) mod current_lines;
mod history_update;
pub(super) mod iteration;
mod iterative_deepening;
mod line_evaluator;
mod moves_result;
mod node;
mod node_score;
mod node_type;
mod poll_schedule;
mod polling;
mod pruning;
mod quiescence;
mod reductions;
mod repetition;
mod root;
pub(super) mod root_ending;
mod search;
pub(super) mod shared;
mod stack;
mod stopping;
mod tables;
pub(super) mod team;
pub(super) mod thread_data;

pub(super) use iterative_deepening::search;
pub use line_evaluator::static_score;
