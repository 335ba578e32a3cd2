//! Proofs of what a table says to be lost by the rules.

use std::collections::{BTreeMap, HashMap};

use super::arena::ArenaNode;
use super::claims::Claims;
use super::graph::{Vertex, held};
use super::moves::Faults;
use crate::board::Color;
use crate::rules::RuleSet;

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

impl Target {
    /// Whether the loser is proven to lose there.
    fn is_proven(self, proven: &[bool]) -> bool {
        match self {
            Self::Mate => true,
            Self::Claimed(number) => proven[number],
            Self::Elsewhere => false,
        }
    }
}

/// A position that a side is claimed to lose by the rules.
struct Claim {
    node: ArenaNode,
    /// Half the plies that it takes, and so the same for all that a move of a zone leads to in it; the largest
    /// number where they are not told.
    level: u8,
    is_losers: bool,
    /// A capture decides: the loser has one that is not proven to lose, the other side one that wins.
    capture: bool,
    /// The quiet moves, with the faults that each may have and those that it has for certain.
    quiet: Vec<(Target, Faults, Faults)>,
}

/// Checks that `loser` loses all that it is claimed to lose by the rules. The positions are proven by the plies
/// that they take: forced to what is proven, or held to a fault, all those of a level to the same one. Where the
/// plies are not told, layer by layer as they are found when the class is solved.
pub(super) fn check(claims: &Claims<'_>, loser: Color) {
    let list = claims_of(claims, loser);
    let mut proven = vec![false; list.len()];
    let mut levels: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (number, claim) in list.iter().enumerate() {
        levels.entry(claim.level).or_default().push(number);
    }
    for (level, mut open) in levels {
        force(&list, &mut open, &mut proven);
        let mut has_found = true;
        while has_found && !open.is_empty() {
            has_found = Faults::EACH.into_iter().any(|fault| {
                let zone = zone(claims, &list, &open, &proven, fault);
                let (mut left, mut shown) = (open.clone(), proven.clone());
                zone.iter().for_each(|number| shown[*number] = true);
                left.retain(|number| !shown[*number]);
                force(&list, &mut left, &mut shown);
                let is_enough = match level {
                    UNTOLD => !zone.is_empty(),
                    _ => left.is_empty(),
                };
                if is_enough {
                    (open, proven) = (left, shown);
                }
                is_enough
            });
        }
        if let Some(number) = open.first() {
            claims.refute(list[*number].node, "the loss by the rules is not shown");
        }
    }
}

/// Takes out of the `open` claims, again and again, those of which what is proven can be forced.
fn force(list: &[Claim], open: &mut Vec<usize>, proven: &mut [bool]) {
    let mut before = None;
    while before != Some(open.len()) {
        before = Some(open.len());
        open.retain(|number| {
            proven[*number] |= is_forced(&list[*number], proven);
            !proven[*number]
        });
    }
}

/// The level of what takes more plies than are told.
const UNTOLD: u8 = u8::MAX;

/// The positions that a side is claimed to lose by the rules, with their moves.
fn claims_of(claims: &Claims<'_>, loser: Color) -> Vec<Claim> {
    let mut nodes = Vec::new();
    for side in Color::ALL {
        let is_claimed = |node: &ArenaNode| {
            let value = claims.value(*node);
            let is_told = match side == loser {
                true => value.is_lost_by_rule(),
                false => value.is_won_by_rule(),
            };
            is_told && claims.arena.position(*node).is_some()
        };
        let all = (0..claims.arena.len()).map(|index| ArenaNode { index, side });
        nodes.extend(all.filter(is_claimed));
    }
    let numbers: HashMap<ArenaNode, usize> = (nodes.iter().enumerate())
        .map(|(number, node)| (*node, number))
        .collect();
    let claim = |node: &ArenaNode| {
        let is_losers = node.side == loser;
        let mut claim = Claim {
            node: *node,
            level: (claims.value(*node).plies_by_rule()).map_or(UNTOLD, |plies| plies / 2),
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
    let is_proven = |(target, _, _): &(Target, Faults, Faults)| target.is_proven(proven);
    match claim.is_losers {
        true => !claim.capture && quiet.all(is_proven),
        false => claim.capture || quiet.any(is_proven),
    }
}

/// Those of some claimed positions, not proven yet, in which the loser can be held to a fault.
fn zone(
    claims: &Claims<'_>,
    list: &[Claim],
    open: &[usize],
    proven: &[bool],
    fault: Faults,
) -> Vec<usize> {
    let nowhere = open.len();
    let places: HashMap<usize, usize> = open.iter().copied().zip(0..).collect();
    let place = |target: &Target| match target {
        Target::Claimed(number) => places.get(number).copied().unwrap_or(nowhere),
        Target::Mate | Target::Elsewhere => nowhere,
    };
    let without_checks = claims.arena.rules == RuleSet::Computer && fault != Faults::CHECK;
    let vertex = |number: &usize| {
        let claim = &list[*number];
        let mut vertex = Vertex {
            chooses: !claim.is_losers,
            edges: Vec::new(),
        };
        for (target, possible, faults) in &claim.quiet {
            let to = place(target);
            if target.is_proven(proven) {
                continue;
            }
            if claim.is_losers {
                let to = if faults.has(fault) { to } else { nowhere };
                vertex.edges.push((to, Faults::NO_MOVE));
            } else if to != nowhere && !(without_checks && possible.has(Faults::CHECK)) {
                vertex.edges.push((to, *possible));
            }
        }
        if claim.is_losers && claim.capture {
            vertex.edges.push((nowhere, Faults::NO_MOVE));
        }
        vertex
    };
    // From the last one nothing is ever reached.
    let end = Vertex {
        chooses: false,
        edges: vec![(nowhere, Faults::NO_MOVE)],
    };
    let graph: Vec<Vertex> = open.iter().map(vertex).chain([end]).collect();
    let held = held(&graph, fault.answers());
    let zone = open.iter().zip(held);
    zone.filter_map(|(number, is_held)| is_held.then_some(*number))
        .collect()
}
