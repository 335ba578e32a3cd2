//! The positions that a side is proven not to lose.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::graph::{Vertex, trapped};
use super::losing::lost_bit;
use super::marks::Marks;
use super::mates::captures;
use super::moves::Aims;
use super::outlook::Outlook;
use crate::board::Color;

/// The bit that marks what a side is proven not to lose.
pub(super) const fn held_bit(side: Color) -> u8 {
    4 << side.index()
}

/// Marks the positions that `holder` is proven not to lose. What the other side loses by the rules is
/// marked already.
pub(super) fn mark(outlook: &Outlook<'_>, holder: Color, marks: &Marks) {
    let mut search = Holding {
        outlook,
        holder,
        marks,
        removed: Vec::new(),
    };
    search.start();
    search.propagate();
    while Aims::EACH.into_iter().any(|aim| search.leave_traps(aim)) {}
}

struct Holding<'a> {
    outlook: &'a Outlook<'a>,
    holder: Color,
    marks: &'a Marks,
    /// Nodes no longer marked whose predecessors have not been looked at.
    removed: Vec<ArenaNode>,
}

impl Holding<'_> {
    fn is_held(&self, node: ArenaNode) -> bool {
        self.marks.get(node) & held_bit(self.holder) != 0
    }

    /// Whether the other side is proven to lose.
    fn is_won(&self, node: ArenaNode) -> bool {
        let mate = self.outlook.mate(node);
        let mates = match node.side == self.holder {
            true => mate.is_won(),
            false => mate.is_lost(),
        };
        mates || self.marks.get(node) & lost_bit(!self.holder) != 0
    }

    fn remove(&mut self, node: ArenaNode) {
        if self.marks.clear(node, held_bit(self.holder)) {
            self.removed.push(node);
        }
    }

    /// Begins with all that no mate loses, but for positions in which a capture may.
    fn start(&mut self) {
        for side in Color::ALL {
            for index in 0..self.outlook.arena.len() {
                let node = ArenaNode { index, side };
                if !self.outlook.is_legal(node) {
                    continue;
                }
                let mate = self.outlook.mate(node);
                let is_lost = match side == self.holder {
                    true => mate.is_lost(),
                    false => mate.is_won(),
                };
                if !is_lost {
                    self.marks.add(node, held_bit(self.holder));
                    let is_doubtful = side != self.holder
                        && self.outlook.is_open(node)
                        && self.outlook.has_capture(node, captures::DOUBTFUL);
                    if is_doubtful {
                        self.remove(node);
                    }
                }
            }
        }
    }

    /// Takes out all from which what has been taken out can be forced.
    fn propagate(&mut self) {
        while let Some(node) = self.removed.pop() {
            for node in self.outlook.arena.predecessors(node) {
                if !self.is_held(node) || self.is_won(node) {
                    continue;
                }
                if node.side != self.holder || !self.has_move_left(node) {
                    self.remove(node);
                }
            }
        }
    }

    /// Whether the holder has a move within what is held, now that there is less of it.
    fn has_move_left(&self, node: ArenaNode) -> bool {
        let mut has_move = self.outlook.has_capture(node, captures::HOLD);
        let mut aims = if has_move { Aims::BOTH } else { Aims::NONE };
        self.outlook.arena.quiet_moves(node, |m| {
            if self.is_held(m.to) {
                has_move = true;
                aims = aims.with(Aims::of(m.threats()));
            }
            aims != Aims::BOTH
        });
        self.outlook.aims.set(node, aims.0);
        has_move
    }

    /// Takes out the positions in which the other side can keep the holder from an aim for ever; whether
    /// there are any.
    fn leave_traps(&mut self, aim: Aims) -> bool {
        let lacks_aim = |aims: u8| !Aims(aims).has(aim);
        let weak = self.outlook.aims.find(self.holder, lacks_aim);
        let weak: Vec<ArenaNode> = weak
            .filter(|node| {
                self.outlook.is_open(*node) && self.is_held(*node) && !self.is_won(*node)
            })
            .collect();
        let (nodes, graph) = self.graph(&weak);
        let mut found = false;
        for (node, is_trapped) in nodes.into_iter().zip(trapped(&graph, OUTSIDE)) {
            if is_trapped {
                found = true;
                self.remove(node);
            }
        }
        self.propagate();
        found
    }

    /// The holder's nodes and those before them.
    fn graph(&self, weak: &[ArenaNode]) -> (Vec<ArenaNode>, Vec<Vertex>) {
        let mut nodes = weak.to_vec();
        let mut numbers: HashMap<ArenaNode, usize> = nodes.iter().copied().zip(0..).collect();
        for node in weak {
            for before in self.outlook.arena.predecessors(*node) {
                if self.is_held(before) && !self.is_won(before) {
                    numbers.entry(before).or_insert_with(|| {
                        nodes.push(before);
                        nodes.len() - 1
                    });
                }
            }
        }
        let vertex = |node: &ArenaNode| {
            let mut vertex = Vertex {
                chooses: node.side != self.holder,
                edges: Vec::new(),
            };
            self.outlook.arena.quiet_moves(*node, |m| {
                if self.is_held(m.to) {
                    let number = numbers.get(&m.to).copied().unwrap_or(OUTSIDE);
                    vertex.edges.push((number, Aims::NONE));
                }
                true
            });
            vertex
        };
        let graph = nodes.iter().map(vertex).collect();
        (nodes, graph)
    }
}

/// Any node that is not in a graph.
const OUTSIDE: usize = usize::MAX;
