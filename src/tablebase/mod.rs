//! Endgame tables (残局库): what every position with few pieces is worth.
//!
//! A table holds, for one class of endings such as `KRA-KAB` (rook and advisor against advisor and
//! bishop), whether each position is won, drawn or lost and how many plies it is to mate (depth to
//! mate). One side, called armed, has one or two pieces that can cross the river; the other has advisors
//! and bishops alone, or one such piece as well (`KR-KNA`). [`solve`] and [`solve_two_sided`] compute a
//! class from the classes that captures lead to, [`SolvedClass::to_file`] packs it, [`Tables`] answers
//! for all tables at hand:
//!
//! ```
//! use chuhe::rules::RuleSet;
//! use chuhe::tablebase::{TableOutcome, Tables};
//!
//! let rook_wins = "2baka3/9/9/9/9/9/9/9/9/R2K5 w".parse()?;
//! let probe = Tables::embedded().probe(&rook_wins, RuleSet::Asian);
//! assert_eq!(probe.map(|probe| probe.outcome), Some(TableOutcome::Win(19)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the rules on repetitions do to tables
//!
//! Wins hold under every rule set: the plies to mate fall with every move of the winner, so nothing
//! repeats. A draw holds if the side without attackers can avoid to chase for ever; [`prove_draws`]
//! counts where that is not proven, and a file says whether there are such. The no-capture limit is the
//! caller's to mind, as in the search: a win in `d` plies is one if `d` more plies stay within it. Where
//! they do not, one that heads for captures first may: a class of one armed side whose longest win takes
//! more than [`Metric::WITHIN`] plies has a second table, of conversions ([`Tables::conversion`]).
//!
//! With an attacker a side the rules decide far more, so that such a class is solved for one rule set; what
//! is not proven is left open. `two_sided` tells how. All classes with up to one advisor or bishop a side,
//! 388.9 million positions, took 3 minutes 16 seconds on two cores.
//!
//! # The files of the room
//!
//! | file | what is in it |
//! |---|---|
//! | `attackers`, `group`, `material`, `material_name` | the pieces of a class, classes and their names |
//! | `index`, `value`, `metric` | the numbers of positions, what they are worth, what plies lead to |
//! | `board`, `levels`, `move_counts`, `parallel`, `solver`, `solved` | retrograde analysis, what comes of it |
//! | `two_sided` | classes with an attacker a side |
//! | `file`, `header`, `error`, `table`, `cache`, `tables` | the file format; probing one table, all tables |
//! | `verify`, `safety` | proofs that a table is right |

mod attackers;
mod board;
mod cache;
#[cfg(test)]
mod embedded_tests;
mod error;
mod file;
mod group;
mod header;
mod index;
mod levels;
mod material;
mod material_name;
mod metric;
mod move_counts;
mod parallel;
mod safety;
mod solved;
mod solver;
mod table;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod two_sided;
mod value;
mod verify;

pub use attackers::Attackers;
pub use error::TableError;
pub use group::Defenders;
pub use material::Material;
pub use material_name::ParseMaterialError;
pub use metric::Metric;
pub use safety::prove_draws;
pub use solved::{ClassCounts, DrawsHold, SideCounts, SolvedClass};
pub use solver::{TooLong, class_size, solve, solver_memory};
pub use table::ClassTable;
pub use tables::{EXTENSION, Probe, ProbedMove, SkippedFile, Tables, embedded_classes};
pub use two_sided::{UnsolvedClass, WrongClaim, solve_two_sided, verify_two_sided};
pub use value::TableOutcome;
pub use verify::{Inconsistent, verify};
