//! The search tree: iterative deepening from the root, principal variation search, quiescence.
//!
//! | file | contents |
//! |---|---|
//! | `iteration` | the results of the iterations |
//! | `root` | the root: iterative deepening and its end, aspiration windows, moves, reports |
//! | `node` | principal variation search of a node and its moves; quiescence search at the end of each line |
//! | `pruning` | cutoffs before the moves of a node, moves that are skipped, extensions and reductions |
//! | `repetition`, `tablebases` | nodes that a repetition, the no-capture limit or an endgame tablebase decides |
//! | `history_update` | what a node writes to the histories and, at its end, to the transposition table |
//! | `score` | node scores and whether they depend on the path |
//! | `evaluator` | static evaluation, updated move by move |
//! | `state` | the state of one thread, and its regular checks of the clock and the limits |
//! | `shared` | the state that the threads of a search share |
//!
//! # Tried and not adopted
//!
//! Several techniques were tested at once, each switched on in half of the games, at 3,000 nodes a move. Some were also
//! tested in this way at 40,000 nodes, earlier and with other parameters.
//!
//! | technique | Elo at 3,000 nodes (+- 6) | Elo at 40,000 nodes (+- 10) |
//! |---|---|---|
//! | delta pruning in quiescence search | +8 | -19 |
//! | double extension of singular moves | +2 | -3 |
//! | update of the histories after a re-search | +2 | |
//! | hash score as static evaluation | +1 | -13 |
//! | reductions by `improving` | +1 | -16 |
//! | more reduction below nodes with many cutoffs | -10 | |
//! | more reduction after a capture as hash move | -12 | |
//! | history malus for the previous move if it is refuted | -16 | |
//! | less depth after alpha was raised | -17 | |
//! | material correction history | -21 | |
//! | pawn history | -30 | |
//!
//! Later techniques were tested in this way at 5,000 nodes a move, while 48 parameters were varied at random as well:
//!
//! | technique | Elo at 5,000 nodes (+- 8) |
//! |---|---|
//! | futility pruning of captures | +5 |
//! | quiet moves with a bad history after the losing captures | +4 |
//! | the best score rises to the futility value of a pruned quiet move | +3 |
//! | reverse futility pruning in singular searches | +2 |
//! | check extensions only in PV nodes and for the first move | 0 |
//! | no re-search at the depth of the reduced search | 0 |
//! | multi-cut by the score of the singular search instead of its bound | -1 |
//! | no null move if the hash score is an upper bound below beta | -2 |
//! | smaller reduction on former PVs only if the hash entry is deep or above alpha | -3 |
//! | larger history bonus if the evaluation was not above alpha | -3 |
//! | in quiescence search, only recaptures and checks after two moves | -4 |
//! | history bonus for a previous move without a good reply also in the main history | -5 |
//!
//! And in two shorter matches at 5,000 nodes a move, of 1,210 and 600 games (blank: not tested in this match):
//!
//! | technique | Elo, first match (+- 16) | Elo, second match (+- 23) |
//! |---|---|---|
//! | reduction by whether a quiet move enters or leaves a square attacked by a lesser piece | +11 | +16 |
//! | more reduction of quiet moves that lose material | +5 | +18 |
//! | less reduction if the correction of the evaluation is large | +12 | -1 |
//! | smaller reverse futility margin if the evaluation of the previous position was lower | +4 | +14 |
//! | more reduction after a late move of the opponent (first match: less reduction, -15) | | +11 |
//! | null move only in expected cut nodes | +2 | +10 |
//! | larger reverse futility margin if a piece is attacked by a lesser one | +11 | -13 |
//! | more reduction in cut nodes without a hash move | +1 | +5 |
//! | less reduction in PV nodes | | +5 |
//! | futility margin by the correction of the evaluation | | -3 |
//! | reverse futility margin by the correction of the evaluation | -3 | |
//! | smaller reverse futility margin if the evaluation has been improving | -4 | |
//! | no reverse futility pruning if the position has been on a PV | -4 | |
//! | capture history by whether the piece is protected | -5 | |
//! | no killers | +1 | -24 |
//! | capture history bonus for a previous capture without a good reply | -9 | |
//! | continuation history of the move six plies ago | -15 | |
//! | quiet checks at the first ply of quiescence search | -20 | |
//! | no reverse futility pruning with a quiet hash move | | -27 |
//! | null move only with a larger margin if a piece is attacked by a lesser one | | -27 |
//!
//! Five of them together were no gain, -22 [-52, +8] Elo in 307 games: reductions by attacked squares, of moves that
//! lose material and after late moves, the margin by the evaluation of the previous position, and the null move only in
//! cut nodes.

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
