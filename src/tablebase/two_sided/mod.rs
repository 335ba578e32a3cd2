//! Two-sided classes: one attacker on each side (一子对一子).
//!
//! Both sides can win, check and chase, so plain retrograde analysis would count positions that the repetition rules
//! decide as draws. A class is solved for one rule set in two steps.
//!
//! 1. `mates`: retrograde analysis for both sides. Mates hold under every rule set because no position repeats.
//! 2. The remaining positions are bounded from both sides by the checks and chases of each single move
//!    ([`move_threats`](crate::rules::move_threats)):
//!    - `co_buchi`: a side is proven to lose if the other side can keep it in positions where all its moves give
//!      check, or all chase the same piece, except moves that lose anyway, while the other side can repeatedly make
//!      moves that neither check nor chase. Each repetition is then a perpetual check or chase by the loser. One such
//!      move in the judged line is enough, even under the Asian rules, which judge each part of the line from one
//!      occurrence of the position to the next (diagram 107 of the rule book): in the part with that move the other
//!      side does not chase throughout. Positions from which such positions can be forced are lost too, and so on
//!      until nothing changes: a nested fixpoint as for co-Büchi games.
//!    - `buchi`: a side is proven not to lose if it can make, again and again, a move that gives no check and one
//!      that chases nothing: a fixpoint as for generalised Büchi games. The plan alternates between the two goals.
//!      Of three occurrences of a position two have the same next goal, and a move of each kind lies between them,
//!      so no judged repetition consists of checks only or chases only. For the remaining positions the offences
//!      are divided differently between the two goals: a side that chases an advisor with one move and a bishop
//!      with the next does not chase either of them forever.
//!
//! A position that both sides are proven not to lose is a draw. A position that is not decided is stored as unknown,
//! or as not lost or not won if one bound is proven. Three cases are not modelled: chases that alternate between two
//! advisors or two bishops, because the index does not distinguish them; three kinds of offences that no pair of
//! goals avoids; and positions in which both sides check or chase.
//!
//! `depth` counts the plies of losses by rule: to the next zone in which the loser must repeat an offence or leave,
//! and so on to a mate. The winner minimises them.
//!
//! Captures lead to solved classes, whose values are used as they are.

mod buchi;
mod co_buchi;
mod depth;
mod fixpoint;
mod graph;
mod mates;
mod node_bytes;
mod positions;
mod solve;
#[cfg(test)]
mod tests;
mod verify;

pub use solve::{BYTES, UnsolvedClass, solve_two_sided};
pub use verify::{WrongValue, verify_two_sided};
