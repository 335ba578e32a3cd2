//! Endgame tablebases (残局库).
//!
//! A table covers one material class such as `KRA-KAB` (rook and advisor against advisor and bishop). It stores
//! for each position whether it is won, drawn or lost, and the plies to mate (depth to mate, DTM). In a one-sided
//! class the strong side has one or two attackers (pieces that can cross the river) and the weak side only
//! advisors and bishops; in a two-sided class (`KR-KNA`) each side has one attacker. [`solve`] and
//! [`solve_two_sided`] compute a class from the classes that captures lead to, [`SolvedClass::to_file`] packs it,
//! and [`Tables`] probes a set of tables:
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
//! # Tables and the repetition rules
//!
//! Mates hold under every rule set: the distance to mate shrinks with each move of the winner, so no position
//! repeats. Only positions that have occurred in the game before can make a difference ([`RepeatedPositions`]). A draw
//! holds if the weak side is never forced into a perpetual chase; [`prove_draws`] proves that, and
//! a file states whether it is proven.
//!
//! Tables ignore the no-capture limit. The caller checks that the plies to mate stay within it. If they do not, the
//! position may still be won by a line with earlier captures. Therefore a one-sided class with wins or losses in more
//! than [`Metric::NO_CAPTURE_PLIES`] plies has a second table with the depth to conversion ([`Tables::dtc`]). Some
//! embedded classes with shorter wins have one as well ([`EMBEDDED_DTC`]), because the game may have reached the
//! position after many plies without a capture.
//!
//! In two-sided classes the repetition rules decide many positions, so such a class is solved for one rule set; see
//! `two_sided`. The two-sided classes with up to one advisor or bishop a side, together with the one-sided classes that
//! captures lead to, have 388.9 million indices. Solving them took 3 minutes 16 seconds on two cores.
//!
//! # Files
//!
//! | file | content |
//! |---|---|
//! | `material`, `placements`, `index` | material classes, placements of king and defenders, numbering of positions |
//! | `value` | outcomes, their bytes, DTM and DTC |
//! | `cell_board`, `solver_state`, `solver`, `solved` | retrograde analysis of one-sided classes |
//! | `two_sided` | retrograde analysis and fixpoints of two-sided classes |
//! | `file`, `class_table`, `tables` | file format; probing one table and a set of tables; repeated positions |
//! | `verify` | verification of values, and the proof that draws hold |

mod cell_board;
mod class_table;
mod file;
mod index;
mod material;
mod placements;
mod solved;
mod solver;
mod solver_state;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod two_sided;
mod value;
mod verify;

pub use class_table::ClassTable;
pub use file::TableError;
pub use material::{Attackers, Material, ParseMaterialError};
pub use placements::Defenders;
pub use solved::{DrawsHold, SideCounts, SolvedClass, WrongValue};
pub use solver::{TooLong, class_size, solve, solver_memory};
pub use tables::{
    EMBEDDED_DTC, EXTENSION, Probe, ProbedMove, RepeatedPositions, SkippedFile, Tables,
    embedded_classes,
};
pub use two_sided::{UnsolvedClass, solve_two_sided};
pub use value::{Metric, TableOutcome};
pub use verify::{prove_draws, verify};
