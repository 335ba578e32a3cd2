//! The positions that a side loses because all it can do is to check or to chase for ever.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::graph::{Vertex, held};
use super::marks::Marks;
use super::mates::captures;
use super::moves::{Aims, Faults};
use super::outlook::Outlook;
use crate::board::Color;
use crate::rules::RuleSet;

/// The bit that marks what a side is proven to lose.
pub(super) const fn lost_bit(side: Color) -> u8 {
    1 << side.index()
}

/// Marks the open positions that `loser` loses by the rules.
pub(super) fn mark(outlook: &Outlook<'_>, loser: Color, marks: &Marks) {
    let mut search = Losing {
        outlook,
        loser,
        marks,
        open: Vec::new(),
    };
    search.start();
    search.propagate();
    while Faults::EACH
        .into_iter()
        .any(|fault| search.take_zone(fault))
    {}
}

struct Losing<'a> {
    outlook: &'a Outlook<'a>,
    loser: Color,
    marks: &'a Marks,
    /// Marked nodes whose predecessors have not been looked at.
    open: Vec<ArenaNode>,
}

impl Losing<'_> {
    fn is_lost(&self, node: ArenaNode) -> bool {
        self.marks.get(node) & lost_bit(self.loser) != 0
    }

    /// Whether the loser's move to a node loses.
    fn is_out(&self, node: ArenaNode) -> bool {
        self.is_lost(node) || self.outlook.mate(node).is_won()
    }

    fn add(&mut self, node: ArenaNode) {
        if self.marks.add(node, lost_bit(self.loser)) {
            self.open.push(node);
        }
    }

    /// Begins with what captures decide by the rules.
    fn start(&mut self) {
        let wins: Vec<ArenaNode> = (0..self.outlook.arena.len())
            .map(|index| ArenaNode {
                index,
                side: !self.loser,
            })
            .filter(|node| {
                let outlook = self.outlook;
                outlook.is_open(*node) && outlook.has_capture(*node, captures::WIN_BY_RULE)
            })
            .collect();
        wins.into_iter().for_each(|node| self.add(node));
        let is_lost = |faults: u8| Faults(faults) == Faults::NO_MOVE;
        let lost: Vec<ArenaNode> = self.outlook.faults.find(self.loser, is_lost).collect();
        lost.into_iter().for_each(|node| self.add(node));
    }

    /// Marks all from which what is marked can be forced.
    fn propagate(&mut self) {
        while let Some(node) = self.open.pop() {
            for node in self.outlook.arena.predecessors(node) {
                if !self.outlook.is_open(node) || self.is_lost(node) {
                    continue;
                }
                if node.side != self.loser || self.look_again(node) == Faults::NO_MOVE {
                    self.add(node);
                }
            }
        }
    }

    /// The faults of the loser's moves, now that more of them lose.
    fn look_again(&self, node: ArenaNode) -> Faults {
        let (_, faults) = self.outlook.look(node, |to| self.is_out(to));
        self.outlook.faults.set(node, faults.0);
        faults
    }

    /// Marks the positions in which the other side can keep the loser for ever, all of whose moves are at
    /// fault there, while it does better itself; whether there are any.
    fn take_zone(&mut self, fault: Faults) -> bool {
        let has_fault = |faults: u8| Faults(faults).has(fault);
        let faulty = self.outlook.faults.find(self.loser, has_fault);
        let faulty: Vec<ArenaNode> = faulty.filter(|node| !self.is_lost(*node)).collect();
        let (nodes, graph) = self.graph(&faulty, fault);
        let aims = match fault {
            Faults::CHECK => Aims::NO_CHECK,
            _ => Aims::BOTH,
        };
        let mut found = false;
        for (node, is_held) in nodes.into_iter().zip(held(&graph, aims)) {
            if is_held {
                found = true;
                self.add(node);
            }
        }
        self.propagate();
        found
    }

    /// The loser's nodes and those that its moves lead to.
    fn graph(&self, faulty: &[ArenaNode], fault: Faults) -> (Vec<ArenaNode>, Vec<Vertex>) {
        let mut nodes = faulty.to_vec();
        let mut numbers: HashMap<ArenaNode, usize> = nodes.iter().copied().zip(0..).collect();
        let mut graph = Vec::new();
        for node in faulty {
            let mut vertex = Vertex::default();
            self.outlook.arena.quiet_moves(*node, |m| {
                if !self.is_out(m.to) {
                    let number = *numbers.entry(m.to).or_insert_with(|| {
                        nodes.push(m.to);
                        nodes.len() - 1
                    });
                    vertex.edges.push((number, Aims::NONE));
                }
                true
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
                        vertex.edges.push((*number, Aims::of(threats)));
                    }
                }
                true
            });
            graph.push(vertex);
        }
        (nodes, graph)
    }
}
