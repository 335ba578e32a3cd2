//! A class with an attacker a side, solved.

use std::sync::Arc;

use super::arena::{Arena, ArenaNode};
use super::holding::{self, held_bit};
use super::lengths;
use super::losing::{self, lost_bit};
use super::marks::Marks;
use super::mates;
use super::outlook::Outlook;
use crate::board::Color;
use crate::rules::RuleSet;
use crate::tablebase::material::Material;
use crate::tablebase::metric::Metric;
use crate::tablebase::parallel::for_each_part;
use crate::tablebase::solved::{DrawsHold, SolvedClass};
use crate::tablebase::value::{ILLEGAL, Value};

/// Bytes of memory for each position, both sides to move counted as one: 12 for what is known of it, the
/// others for the graphs of the largest zones that were seen, those of `KRB-KRB`.
pub(in crate::tablebase) const BYTES: u64 = 16;

/// Why a class could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsolvedClass {
    /// It has mates too long to be stored.
    #[error("{0} has mates of {plies} plies or more", plies = Value::LONGEST)]
    TooLong(Material),
    /// The rules do not judge moves by themselves.
    #[error("classes with an attacker a side are not solved for the rule set {0}")]
    Rules(RuleSet),
}

/// Solves a class with an attacker a side for a rule set, with `threads` threads. `smaller` holds the
/// classes of [`Material::after_captures`], those with an attacker a side solved for the same rules;
/// `progress` is called with the number of positions looked at since the last call, as by
/// [`solve`](crate::tablebase::solve).
///
/// # Errors
/// The rule set is `chinese`, or the class has mates too long to be stored.
///
/// # Panics
/// When a class of `smaller` is missing.
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
    let arena = Arena::new(material, rules, smaller);
    let mates = mates::find(&arena, threads, progress).ok_or(UnsolvedClass::TooLong(material))?;
    let outlook = Outlook::new(&arena, &mates, threads, progress);
    let marks = Marks::new(arena.len());
    let zones = Color::ALL.map(|side| losing::mark(&outlook, side, &marks, threads));
    for (side, zones) in Color::ALL.into_iter().zip(&zones) {
        lengths::find(&outlook, side, &marks, zones, threads);
    }
    for side in Color::ALL {
        holding::mark(&outlook, side, &marks, threads);
    }
    let slice = arena.indexer.slice();
    for_each_part(threads, arena.len() / slice, |part| {
        for index in part * slice..(part + 1) * slice {
            for side in Color::ALL {
                let node = ArenaNode { index, side };
                marks.set(node, value(&outlook, marks.get(node), node).0);
            }
        }
    });
    let [armed, bare] = marks.into_bytes().0;
    Ok(SolvedClass {
        material,
        metric: Metric::Mate,
        armed,
        bare,
        draws: DrawsHold::Under(rules),
    })
}

/// What is known of a node that bears these marks.
fn value(outlook: &Outlook<'_>, marks: u8, node: ArenaNode) -> Value {
    if !outlook.is_legal(node) {
        return Value(ILLEGAL);
    }
    if !outlook.is_open(node) {
        return outlook.mate(node);
    }
    let has = |bit: u8| marks & bit != 0;
    let by_rule = |untold| lengths::plies(outlook, node).map_or(untold, Value::by_rule_in_plies);
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
