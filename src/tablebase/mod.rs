//! Endgame tables (残局库): what every position with few pieces is worth.
//!
//! A table holds, for one class of endings such as `KRA-KAB` (rook and advisor against advisor and
//! bishop), whether each position is won, drawn or lost and how many plies it is to mate (depth to
//! mate). One side, called armed, has one or two pieces that can cross the river; the other has
//! advisors and bishops alone. [`solve`] computes a class from the classes that captures lead to,
//! [`SolvedClass::to_file`] packs it, [`Tables`] answers for all tables at hand:
//!
//! ```
//! use chuhe::tablebase::{TableOutcome, Tables};
//!
//! let rook_wins = "2baka3/9/9/9/9/9/9/9/9/R2K5 w".parse()?;
//! let probe = Tables::embedded().probe(&rook_wins).expect("the class is embedded");
//! assert_eq!(probe.outcome, TableOutcome::Win(19));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the rules on repetitions do to tables
//!
//! Wins hold under every rule set: the plies to mate fall with every move of the winner, so nothing
//! repeats. A draw holds if the side without attackers can avoid to chase for ever; [`unsafe_draws`]
//! counts where that is not proven, and a file says whether there are such. The no-capture limit is the
//! caller's to mind, as in the search: a win in `d` plies is one if `d` more plies stay within it.
//!
//! # The files of the room
//!
//! | file | what it knows |
//! |---|---|
//! | `group`, `material`, `index` | the placements of king, advisors and bishops; classes; the numbers of positions |
//! | `board`, `levels`, `solver`, `solved` | retrograde analysis and what comes of it |
//! | `file`, `table`, `cache`, `tables` | the file format; probing one table, all tables |
//! | `verify` | proofs that a table is right |

mod board;
mod cache;
mod file;
mod group;
mod index;
mod levels;
mod material;
mod solved;
mod solver;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod verify;

pub use file::TableError;
pub use group::Defenders;
pub use material::{Attackers, Material, ParseMaterialError};
pub use solved::{ClassCounts, SolvedClass, TableOutcome};
pub use solver::{TooLong, class_size, solve, solver_memory};
pub use table::ClassTable;
pub use tables::{EXTENSION, Probe, ProbedMove, SkippedFile, Tables, embedded_classes};
pub use verify::{Inconsistent, unsafe_draws, verify};
