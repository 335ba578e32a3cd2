//! Solver of two-sided classes.

use std::sync::Arc;

use super::buchi::{self, held_bit};
use super::co_buchi::{self, lost_bit};
use super::graph::{GameGraph, Node};
use super::node_bytes::NodeBytes;
use super::positions::OpenPositions;
use super::{depth, mates};
use crate::board::Color;
use crate::rules::RuleSet;
use crate::tablebase::material::Material;
use crate::tablebase::solved::{DrawsHold, SolvedClass};
use crate::tablebase::solver_state::for_each_part;
use crate::tablebase::value::{ILLEGAL, Metric, Value};

/// Memory per index, in bytes: 12 for the state of both sides to move, the rest for the graph of
/// the largest known zone, that of `KRB-KRB`.
pub const BYTES: u64 = 16;

/// Reason why a class could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsolvedClass {
    /// It has mates too long to be stored.
    #[error("{0} has mates of {plies} plies or more", plies = Value::LONGEST)]
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
/// The rule set is `chinese`, or the class has mates too long to be stored.
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
    let threads = threads.max(1);
    let game = GameGraph::new(material, rules, smaller);
    let mates = mates::find(&game, threads, progress).ok_or(UnsolvedClass::TooLong(material))?;
    let positions = OpenPositions::new(&game, &mates, threads, progress);
    let results = NodeBytes::new(game.len());
    let zones = Color::ALL.map(|side| co_buchi::mark(&positions, side, &results, threads));
    for (side, zones) in Color::ALL.into_iter().zip(&zones) {
        depth::find(&positions, side, &results, zones, threads);
    }
    for side in Color::ALL {
        buchi::mark(&positions, side, &results, threads);
    }
    let slice = game.indexer.slice();
    for_each_part(threads, game.len() / slice, |part| {
        for index in part * slice..(part + 1) * slice {
            for side in Color::ALL {
                let node = Node { index, side };
                results.set(node, value(&positions, results.get(node), node).0);
            }
        }
    });
    let [strong, weak] = results.into_bytes().0;
    Ok(SolvedClass {
        material,
        metric: Metric::Dtm,
        strong,
        weak,
        draws: DrawsHold::Under(rules),
    })
}

/// Value of a node from its mate and its bits.
fn value(positions: &OpenPositions<'_>, results: u8, node: Node) -> Value {
    if !positions.is_legal(node) {
        return Value(ILLEGAL);
    }
    if !positions.is_open(node) {
        return positions.mate(node);
    }
    let has = |bit: u8| results & bit != 0;
    let by_rule =
        |uncounted| depth::plies(positions, node).map_or(uncounted, Value::by_rule_in_plies);
    let (side, other) = (node.side, !node.side);
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
