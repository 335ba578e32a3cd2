//! Classes with an attacker a side (一子对一子).
//!
//! Both sides can win, and both can check and chase, so that plain retrograde analysis takes for draws
//! what the rules on repetitions decide. A class is solved for one rule set in two steps.
//!
//! 1. `mates`: retrograde analysis for both sides. Mates in so many plies hold under every rule set, for
//!    nothing repeats on the way.
//! 2. What is left is bounded from two sides by what each move is by itself
//!    ([`move_threats`](crate::rules::move_threats)):
//!    - `losing`: a side is proven to lose where the other one can hold it in positions in which all its
//!      moves give check, or all chase the same piece, but for those that lose anyhow, while the other side
//!      can force moves of its own now and then that do neither. Every repetition then is its perpetual
//!      check or chase. One such move in all the line that is judged is enough, even where the Asian rules look at
//!      each part of it, from one occurrence of the position to the next (diagram 107 of the rule book): in the
//!      part that has the move, the other side chases nothing throughout. Positions from which that can be
//!      forced are lost as well, and so on until nothing changes: a nested fixpoint, as for co-Büchi games.
//!    - `holding`: a side is proven not to lose where it can force, again and again, a move of its own that
//!      gives no check and one that chases nothing: a fixpoint as for generalised Büchi games. Whoever
//!      plays for these two aims in turn follows a plan that records which of them is next. Of three
//!      occurrences of a position two have the same aim next, and between them lies a move of either kind.
//!      So no judged repetition is all checks, or all chases. What is left is looked at again with the
//!      faults shared out otherwise between the two aims (`turns`): who chases an advisor with one move and a
//!      bishop with the next chases neither for ever.
//!
//! A position that neither side is proven to lose is a draw if both are proven not to. For what is left
//! between the bounds nothing is claimed: the table says `unknown`, or which side does not lose. Not
//! followed are two advisors or two bishops chased one after the other, for the index does not tell them
//! apart, three kinds of faults of which no two aims avoid all, and sides that both check or chase.
//!
//! What is lost by the rules is lost in so many plies (`lengths`): to where the other side has to repeat what
//! it may not, or give way, and from where it gives way on to the next such place, or a mate. The side
//! that wins plays for fewer of them.
//!
//! Captures lead to finished classes, whose values come in as they stand there.

mod arena;
mod claims;
mod graph;
mod holding;
mod lengths;
mod losing;
mod marks;
mod mates;
mod mover;
mod moves;
mod outlook;
mod rule_losses;
mod solve;
mod spread;
#[cfg(test)]
mod tests;
mod turns;
mod verify;

pub use claims::WrongClaim;
pub(super) use solve::BYTES;
pub use solve::{UnsolvedClass, solve_two_sided};
pub use verify::verify_two_sided;
