//! Composed problems (排局): proofs of mates, wins and draws.
//!
//! | module | contents |
//! |---|---|
//! | `error` | why a problem is not solved or a solution is wrong |
//! | `solution` | solutions of mate problems: all defenses, other solutions, verification |
//! | `holding` | proofs that a side does not lose |

mod error;
mod holding;
mod solution;

pub use error::{SolveError, VerifyError};
pub use holding::{Candidates, Reply, RulesAndTables, hold, verify_strategy};
pub use solution::{
    KnownMate, MatingMove, OtherMove, OtherMoves, Refutation, Solution, Solver, verify_solution,
};
