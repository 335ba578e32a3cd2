//! The positions that a side loses because all it can do is to check or to chase for ever.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::graph::{Vertex, held};
use super::marks::Marks;
use super::mates::captures;
use super::moves::Faults;
use super::outlook::Outlook;
use super::spread::{spread, spread_from};
use crate::board::Color;
use crate::rules::RuleSet;

/// The bit that marks what a side is proven to lose.
pub(super) const fn lost_bit(side: Color) -> u8 {
    1 << side.index()
}

/// Marks the open positions that `loser` loses by the rules. Returns those in which it is held to a fault, with
/// each side to move: one zone after the other, as what is lost from one of them lets others be found.
pub(super) fn mark(
    outlook: &Outlook<'_>,
    loser: Color,
    marks: &Marks,
    threads: usize,
) -> Vec<Vec<ArenaNode>> {
    let search = Losing {
        outlook,
        loser,
        marks,
        threads,
    };
    search.start();
    let mut zones = Vec::new();
    let find = || Faults::EACH.into_iter().find_map(|f| search.take_zone(f));
    while let Some(zone) = find() {
        zones.push(zone);
    }
    zones
}

struct Losing<'a> {
    outlook: &'a Outlook<'a>,
    loser: Color,
    marks: &'a Marks,
    threads: usize,
}

impl Losing<'_> {
    fn is_lost(&self, node: ArenaNode) -> bool {
        self.marks.get(node) & lost_bit(self.loser) != 0
    }

    /// Whether the loser's move to a node loses.
    fn is_out(&self, node: ArenaNode) -> bool {
        self.is_lost(node) || self.outlook.mate(node).is_won()
    }

    /// Marks a node, whether it was not marked before.
    fn add(&self, node: ArenaNode) -> bool {
        self.marks.add(node, lost_bit(self.loser))
    }

    /// Marks what captures decide by the rules, and all from which that can be forced.
    fn start(&self) {
        let outlook = self.outlook;
        let is_first = |node: ArenaNode| {
            let is_lost = outlook.is_open(node)
                && match node.side == self.loser {
                    true => !outlook.has_move(node) && !outlook.has_capture(node, captures::ESCAPE),
                    false => outlook.has_capture(node, captures::WIN_BY_RULE),
                };
            is_lost && self.add(node)
        };
        let len = outlook.arena.len();
        spread_from(self.threads, len, is_first, |node, marked| {
            self.visit(node, marked);
        });
    }

    /// Marks all from which newly marked nodes can be forced.
    fn propagate(&self, marked: Vec<ArenaNode>) {
        spread(self.threads, marked, |node, marked| {
            self.visit(node, marked);
        });
    }

    /// Marks the nodes before one that is marked from which it can be forced.
    fn visit(&self, node: ArenaNode, marked: &mut Vec<ArenaNode>) {
        self.outlook.arena.before(node, |before| {
            if !self.outlook.is_open(before) || self.is_lost(before) {
                return;
            }
            if (before.side != self.loser || self.has_lost_move(before)) && self.add(before) {
                marked.push(before);
            }
        });
    }

    /// One more of the loser's moves loses; whether none is left that does not.
    fn has_lost_move(&self, node: ArenaNode) -> bool {
        self.outlook.faults.make_stale(node);
        if !self.outlook.has_capture(node, captures::HOLD) {
            self.outlook.aims.make_stale(node);
        }
        self.outlook.take_last_move(node) && !self.outlook.has_capture(node, captures::ESCAPE)
    }

    /// Marks the positions in which the other side can keep the loser for ever, all of whose moves are at
    /// fault there, while it does better itself, if there are any.
    fn take_zone(&self, fault: Faults) -> Option<Vec<ArenaNode>> {
        self.outlook.faults.renew(self.threads, self.loser, |node| {
            let faults = match self.is_lost(node) {
                true => Faults::NO_MOVE,
                false => self.outlook.faults_of(node, |to| self.is_out(to)),
            };
            faults.0
        });
        let has_fault = |faults: u8| Faults(faults).has(fault);
        let faulty = self.outlook.faults.find(self.loser, has_fault);
        let faulty: Vec<ArenaNode> = faulty.filter(|node| !self.is_lost(*node)).collect();
        let (nodes, graph) = self.graph(&faulty, fault);
        let zone = nodes.into_iter().zip(held(&graph, fault.answers()));
        let zone = zone.filter(|(node, is_held)| *is_held && self.add(*node));
        let zone: Vec<ArenaNode> = zone.map(|(node, _)| node).collect();
        self.propagate(zone.clone());
        Some(zone).filter(|zone| !zone.is_empty())
    }

    /// The loser's nodes and those that its moves lead to.
    fn graph(&self, faulty: &[ArenaNode], fault: Faults) -> (Vec<ArenaNode>, Vec<Vertex>) {
        let mut nodes = faulty.to_vec();
        let mut numbers: HashMap<ArenaNode, usize> = nodes.iter().copied().zip(0..).collect();
        let mut graph = Vec::new();
        for node in faulty {
            let mut vertex = Vertex::default();
            self.outlook.arena.quiet_nodes(*node, |to| {
                if !self.is_out(to) {
                    let number = *numbers.entry(to).or_insert_with(|| {
                        nodes.push(to);
                        nodes.len() - 1
                    });
                    vertex.edges.push((number, Faults::NO_MOVE));
                }
            });
            graph.push(vertex);
        }
        // By these rules a check on either side undoes all chases.
        let is_without_checks =
            self.outlook.arena.rules == RuleSet::Computer && fault != Faults::CHECK;
        for node in &nodes[faulty.len()..] {
            let mut vertex = Vertex {
                chooses: true,
                edges: Vec::new(),
            };
            self.outlook.arena.quiet_moves(*node, |m| {
                if let Some(number) = numbers.get(&m.to) {
                    let threats = m.threats();
                    if !(is_without_checks && threats.gives_check) {
                        vertex.edges.push((*number, m.possible_faults(threats)));
                    }
                }
                true
            });
            graph.push(vertex);
        }
        (nodes, graph)
    }
}
