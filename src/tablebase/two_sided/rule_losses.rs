//! Proofs of what a table says to be lost by the rules.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::claims::Claims;
use super::graph::{Vertex, held};
use super::moves::Faults;
use crate::board::Color;
use crate::rules::RuleSet;
use crate::tablebase::value::Value;

/// Where a quiet move leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// To a position that the loser loses by mate.
    Mate,
    /// To a claimed one, by its place.
    Claimed(usize),
    /// To any other.
    Elsewhere,
}

/// A position that a side is claimed to lose by the rules.
struct Claim {
    node: ArenaNode,
    is_losers: bool,
    /// A capture decides: the loser has one that is not proven to lose, the other side one that wins.
    capture: bool,
    /// The quiet moves, with the faults that each may have and those that it has for certain.
    quiet: Vec<(Target, Faults, Faults)>,
}

/// Checks that `loser` loses all that it is claimed to lose by the rules. The positions are proven layer by
/// layer, as they are found when the class is solved: held to a fault, or forced to what is proven.
pub(super) fn check(claims: &Claims<'_>, loser: Color) {
    let list = claims_of(claims, loser);
    let mut proven = vec![false; list.len()];
    let mut changes = true;
    while changes {
        changes = false;
        let mut found = false;
        for number in 0..list.len() {
            if !proven[number] && is_forced(&list[number], &proven) {
                proven[number] = true;
                changes = true;
            }
        }
        for fault in Faults::EACH.into_iter().filter(|_| !changes) {
            for number in zone(claims, &list, &proven, fault) {
                proven[number] = true;
                found = true;
            }
        }
        changes |= found;
    }
    if let Some(number) = proven.iter().position(|proven| !proven) {
        claims.refute(list[number].node, "the loss by the rules is not shown");
    }
}

/// The positions that a side is claimed to lose by the rules, with their moves.
fn claims_of(claims: &Claims<'_>, loser: Color) -> Vec<Claim> {
    let mut nodes = Vec::new();
    for (side, told) in [(loser, Value::LOSS_BY_RULE), (!loser, Value::WIN_BY_RULE)] {
        let all = (0..claims.arena.len()).map(|index| ArenaNode { index, side });
        nodes.extend(
            all.filter(|node| {
                claims.value(*node) == told && claims.arena.position(*node).is_some()
            }),
        );
    }
    let numbers: HashMap<ArenaNode, usize> = (nodes.iter().enumerate())
        .map(|(number, node)| (*node, number))
        .collect();
    let claim = |node: &ArenaNode| {
        let is_losers = node.side == loser;
        let mut claim = Claim {
            node: *node,
            is_losers,
            capture: has_deciding_capture(claims, *node, is_losers),
            quiet: Vec::new(),
        };
        claims.arena.quiet_moves(*node, |m| {
            let value = claims.value(m.to);
            let mate = value.plies().is_some();
            let is_lost = if is_losers {
                value.is_won()
            } else {
                value.is_lost()
            };
            let target = match numbers.get(&m.to) {
                Some(number) => Target::Claimed(*number),
                None if mate && is_lost => Target::Mate,
                None => Target::Elsewhere,
            };
            let threats = m.threats();
            let faults = (m.possible_faults(threats), m.faults(threats));
            claim.quiet.push((target, faults.0, faults.1));
            true
        });
        claim
    };
    nodes.iter().map(claim).collect()
}

fn has_deciding_capture(claims: &Claims<'_>, node: ArenaNode, is_losers: bool) -> bool {
    let mut decides = false;
    claims.arena.captures(node, |value| {
        decides |= match is_losers {
            true => !value.is_won(),
            false => value.is_lost(),
        };
    });
    decides
}

/// Whether what is proven can be forced.
fn is_forced(claim: &Claim, proven: &[bool]) -> bool {
    let mut quiet = claim.quiet.iter();
    let is_proven = |(target, _, _): &(Target, Faults, Faults)| match target {
        Target::Mate => true,
        Target::Claimed(number) => proven[*number],
        Target::Elsewhere => false,
    };
    match claim.is_losers {
        true => !claim.capture && quiet.all(is_proven),
        false => claim.capture || quiet.any(is_proven),
    }
}

/// The claimed positions, not proven yet, in which the loser can be held to a fault.
fn zone(claims: &Claims<'_>, list: &[Claim], proven: &[bool], fault: Faults) -> Vec<usize> {
    let nowhere = list.len();
    let without_checks = claims.arena.rules == RuleSet::Computer && fault != Faults::CHECK;
    let vertex = |number: usize| {
        let claim = &list[number];
        let mut vertex = Vertex {
            chooses: !claim.is_losers,
            edges: Vec::new(),
        };
        for (target, possible, faults) in &claim.quiet {
            let to = match target {
                Target::Mate => continue,
                Target::Claimed(to) if proven[*to] => continue,
                Target::Claimed(to) => *to,
                Target::Elsewhere => nowhere,
            };
            if claim.is_losers {
                let to = if faults.has(fault) { to } else { nowhere };
                vertex.edges.push((to, Faults::NO_MOVE));
            } else if to != nowhere && !(without_checks && possible.has(Faults::CHECK)) {
                vertex.edges.push((to, *possible));
            }
        }
        if claim.is_losers && claim.capture || proven[number] {
            vertex.chooses = false;
            vertex.edges = vec![(nowhere, Faults::NO_MOVE)];
        }
        vertex
    };
    let mut graph: Vec<Vertex> = (0..list.len()).map(vertex).collect();
    // From here nothing is ever reached.
    graph.push(Vertex {
        chooses: false,
        edges: vec![(nowhere, Faults::NO_MOVE)],
    });
    let held = held(&graph, fault.answers());
    (0..list.len()).filter(|number| held[*number]).collect()
}
