//! Two-sided classes: one attacker on each side (一子对一子).
//!
//! Both sides can win, check and chase, so plain retrograde analysis would give draws where the repetition rules decide
//! the game. A class is solved for one rule set in two steps.
//!
//! 1. `mates`: retrograde analysis for both sides. Mates hold under every rule set because no position repeats.
//! 2. The values of the remaining positions are bounded from both sides by the checks and chases of each single move
//!    ([`move_threats`](crate::rules::move_threats)):
//!    - `co_buchi`: a side is proven to lose if the other side can keep it in positions (a zone) where all its moves
//!      give check, or all chase the same piece, except moves that lose anyway. Again and again, the other side must be
//!      able to make a move that gives no check and, in a zone of chases, also one that chases nothing. Each repetition
//!      is then a perpetual check or chase by the loser. One such move of the other side in the judged line is enough.
//!      This is so under the Asian rules too, which judge each part of the line, from one occurrence of the position to
//!      the next, separately (diagram 107 of the rule book): in the part with that move, the other side does not chase
//!      with every move. Positions from which such positions can be forced are lost too, and so on until nothing
//!      changes: a nested fixpoint as for co-Büchi games.
//!    - `buchi`: a side is proven not to lose if it can make, again and again, a move that gives no check and one
//!      that chases nothing: a fixpoint as for generalized Büchi games. The side pursues these two goals in turn.
//!      Of three occurrences of a position, two have the same next goal, and between these two the side has made a
//!      move of each kind, so no judged repetition consists of checks only or chases only. For the remaining
//!      positions the offenses are divided differently between the two goals: a side that chases an advisor with one
//!      move and a bishop with the next does not chase either of them forever.
//!
//! A position that both sides are proven not to lose is a draw. A position that is not decided is stored as unknown,
//! or as not lost or not won if one bound is proven. Three cases are not covered: chases that alternate between two
//! advisors or two bishops, because the index does not distinguish them; a side that commits two of three kinds of
//! offenses with each move, so that three goals would be needed; and positions in which both sides check or chase.
//!
//! `depth` counts the plies of losses by rule. The game reaches a zone, in which the loser must repeat an offense or
//! leave; then it reaches the next zone, and so on, until the loser can leave a zone only to be mated. The plies that
//! the loser gains by repetitions are not counted. The winner minimizes the plies.
//!
//! Captures lead to solved classes, whose values are used as they are.
//!
//! `graph` contains the positions and moves of a class, `mates` its mates and the positions that no mate decides.
//! `fixpoint` computes the fixpoints. `verify` proves the values of a solved class again.

mod buchi;
mod co_buchi;
mod depth;
mod fixpoint;
mod graph;
mod mates;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::Color;
use crate::rules::RuleSet;
use crate::tablebase::index::Node;
use crate::tablebase::material::Material;
use crate::tablebase::solved::{DrawsHold, SolvedClass};
use crate::tablebase::value::{ILLEGAL, Metric, Value};
use graph::GameGraph;
use mates::{OpenPositions, held_bit, lost_bit};

pub use verify::verify_two_sided;

/// Memory for solving a class, per index: 12 bytes for the state of both sides to move, the rest for the graph of the
/// largest known zone, that of `KRB-KRB`.
pub const BYTES_PER_INDEX: u64 = 16;

/// Reason why a class could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsolvedClass {
    /// It has mates too long to be stored.
    #[error("{0} has mates of {plies} plies or more", plies = Value::LONGEST_MATE)]
    TooLong(Material),
    /// The rule set does not judge single moves.
    #[error("two-sided classes cannot be solved for the rule set {0}")]
    Rules(RuleSet),
}

/// Solves a two-sided class for a rule set with `threads` threads. `smaller` holds the classes of
/// [`Material::after_captures`], two-sided ones solved for the same rule set; `progress` is as for
/// [`solve`](crate::tablebase::solve).
///
/// # Errors
/// The rule set is `chinese`, or the class or one of `smaller` has mates too long to be stored.
///
/// # Panics
/// A class of `smaller` is missing.
pub fn solve_two_sided(
    material: Material,
    rules: RuleSet,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<SolvedClass, UnsolvedClass> {
    if rules == RuleSet::Chinese {
        return Err(UnsolvedClass::Rules(rules));
    }
    let has_long_mates = |class: &&Arc<SolvedClass>| {
        let longest = class.counts().map(|side| side.longest_win.max(side.longest_loss));
        longest.iter().any(|plies| *plies >= Value::LONGEST_MATE.into())
    };
    // Two-sided classes with such mates are not solved.
    let mut one_sided = smaller.iter().filter(|class| !class.material.is_two_sided());
    if let Some(class) = one_sided.find(has_long_mates) {
        return Err(UnsolvedClass::TooLong(class.material));
    }
    let game = GameGraph::new(material, rules, smaller, threads);
    let reported = AtomicU64::new(0);
    let report = |indices: u64| {
        reported.fetch_add(indices, Ordering::Relaxed);
        progress(indices);
    };
    let found = OpenPositions::find(&game, &report);
    let positions = found.ok_or(UnsolvedClass::TooLong(material))?;
    let zones = Color::ALL.map(|side| co_buchi::mark(&positions, side));
    for (side, zones) in Color::ALL.into_iter().zip(&zones) {
        depth::find(&positions, side, zones);
    }
    for side in Color::ALL {
        buchi::mark(&positions, side);
    }
    let finish = |node| positions.results.set(node, value(&positions, node).0);
    game.for_each_node(finish, |_| ());
    progress(game.indexer.len() as u64 - reported.load(Ordering::Relaxed));
    Ok(SolvedClass {
        material,
        metric: Metric::Dtm,
        values: positions.results.into_bytes(|byte| byte),
        draws: DrawsHold::Under(rules),
    })
}

/// Value of a node: its mate, or else the outcome that its results prove.
fn value(positions: &OpenPositions<'_>, node: Node) -> Value {
    if !positions.is_legal(node) {
        return Value(ILLEGAL);
    }
    if !positions.is_open(node) {
        return positions.mate(node);
    }
    let results = positions.results.get(node);
    let has = |bit: u8| results & bit != 0;
    let by_rule =
        |uncounted| depth::plies(positions, node).map_or(uncounted, Value::by_rule_in_plies);
    let (side, other) = (node.side(), !node.side());
    match (has(lost_bit(side)), has(lost_bit(other))) {
        (true, _) => by_rule(Value::LOSS_BY_RULE),
        (_, true) => by_rule(Value::WIN_BY_RULE),
        _ => match (has(held_bit(side)), has(held_bit(other))) {
            (true, true) => Value::DRAW,
            (true, false) => Value::NOT_LOST,
            (false, true) => Value::NOT_WON,
            (false, false) => Value::UNKNOWN,
        },
    }
}
