//! The positions that a side is proven not to lose.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::graph::{Vertex, trapped};
use super::losing::lost_bit;
use super::marks::Marks;
use super::mates::captures;
use super::moves::{Aims, Faults};
use super::outlook::Outlook;
use super::spread::{spread, spread_from};
use super::turns;
use crate::board::Color;
use crate::tablebase::parallel::for_each_part;

/// The bit that marks what a side is proven not to lose.
pub(super) const fn held_bit(side: Color) -> u8 {
    4 << side.index()
}

/// Marks the positions that `holder` is proven not to lose. What the other side loses by the rules is
/// marked already.
pub(super) fn mark(outlook: &Outlook<'_>, holder: Color, marks: &Marks, threads: usize) {
    let search = Holding {
        outlook,
        holder,
        marks,
        threads,
    };
    search.start();
    while Aims::EACH.into_iter().any(|aim| search.leave_traps(aim)) {}
    search.hold_by_turns();
}

struct Holding<'a> {
    outlook: &'a Outlook<'a>,
    holder: Color,
    marks: &'a Marks,
    threads: usize,
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

    /// Takes a node out, whether it was not out before.
    fn remove(&self, node: ArenaNode) -> bool {
        self.marks.clear(node, held_bit(self.holder))
    }

    /// Begins with all that is not lost by mate or by the rules, but for positions in which a capture may
    /// lose, and those from which these can be forced. Moves to what is lost by the rules have been counted
    /// out.
    fn start(&self) {
        let slice = self.outlook.arena.indexer.slice();
        let len = self.outlook.arena.len();
        for_each_part(self.threads, len / slice, |part| {
            for index in part * slice..(part + 1) * slice {
                for side in Color::ALL {
                    let node = ArenaNode { index, side };
                    if self.is_hopeful(node) && !self.is_doubtful(node) {
                        self.marks.add(node, held_bit(self.holder));
                    }
                }
            }
        });
        let is_first = |node| self.is_hopeful(node) && self.is_doubtful(node);
        spread_from(self.threads, len, is_first, |node, removed| {
            self.visit(node, removed);
        });
    }

    /// Whether a position is legal and not proven to be lost for the holder.
    fn is_hopeful(&self, node: ArenaNode) -> bool {
        let mate = self.outlook.mate(node);
        let mates = match node.side == self.holder {
            true => mate.is_lost(),
            false => mate.is_won(),
        };
        let is_lost = mates || self.marks.get(node) & lost_bit(self.holder) != 0;
        self.outlook.is_legal(node) && !is_lost
    }

    /// Whether the other side has a capture after which the holder may lose.
    fn is_doubtful(&self, node: ArenaNode) -> bool {
        node.side != self.holder
            && self.outlook.is_open(node)
            && self.outlook.has_capture(node, captures::DOUBTFUL)
    }

    /// Takes out all from which what was last taken out can be forced.
    fn propagate(&self, removed: Vec<ArenaNode>) {
        spread(self.threads, removed, |node, removed| {
            self.visit(node, removed);
        });
    }

    /// Takes out the nodes before one that is out from which it can be forced.
    fn visit(&self, node: ArenaNode, removed: &mut Vec<ArenaNode>) {
        self.outlook.arena.before(node, |before| {
            if !self.is_held(before) || self.is_won(before) {
                return;
            }
            if (before.side != self.holder || self.has_lost_move(before)) && self.remove(before) {
                removed.push(before);
            }
        });
    }

    /// One more of the holder's moves leaves what is held; whether none is left that stays.
    fn has_lost_move(&self, node: ArenaNode) -> bool {
        let has_capture = self.outlook.has_capture(node, captures::HOLD);
        if !has_capture {
            self.outlook.aims.make_stale(node);
        }
        self.outlook.take_last_move(node) && !has_capture
    }

    /// The aims that the holder's quiet moves within what is held reach.
    fn aims_of(&self, node: ArenaNode) -> Aims {
        if self.outlook.has_peaceful_move(node, |to| self.is_held(to)) {
            return Aims::BOTH;
        }
        let mut aims = Aims::NONE;
        self.outlook.arena.quiet_moves(node, |m| {
            if self.is_held(m.to) {
                aims = aims.with(Aims::of(m.threats()));
            }
            aims != Aims::BOTH
        });
        aims
    }

    /// Takes out the positions in which the other side can keep the holder from an aim for ever; whether
    /// there are any.
    fn leave_traps(&self, aim: Aims) -> bool {
        let aims_of = |node| match self.is_held(node) {
            true => self.aims_of(node).0,
            false => Aims::NONE.0,
        };
        (self.outlook.aims).renew(self.threads, self.holder, aims_of);
        let lacks_aim = |aims: u8| !Aims(aims).has(aim);
        let weak = self.outlook.aims.find(self.holder, lacks_aim);
        let weak: Vec<ArenaNode> = weak
            .filter(|node| {
                self.outlook.is_open(*node) && self.is_held(*node) && !self.is_won(*node)
            })
            .collect();
        let (nodes, graph) = self.graph(&weak);
        let traps = nodes.into_iter().zip(trapped(&graph, OUTSIDE));
        let traps = traps.filter(|(node, is_trapped)| *is_trapped && self.remove(*node));
        let traps: Vec<ArenaNode> = traps.map(|(node, _)| node).collect();
        let has_found = !traps.is_empty();
        self.propagate(traps);
        has_found
    }

    /// Marks what is held by other pairs of aims.
    fn hold_by_turns(&self) {
        let mut left = Vec::new();
        for index in 0..self.outlook.arena.len() {
            let nodes = Color::ALL.map(|side| ArenaNode { index, side });
            left.extend(nodes.into_iter().filter(|node| {
                self.outlook.is_open(*node) && self.is_hopeful(*node) && !self.is_held(*node)
            }));
        }
        for node in turns::find(self.outlook, self.holder, &left, |node| self.is_held(node)) {
            self.marks.add(node, held_bit(self.holder));
        }
    }

    /// The holder's nodes and those before them.
    fn graph(&self, weak: &[ArenaNode]) -> (Vec<ArenaNode>, Vec<Vertex>) {
        let mut nodes = weak.to_vec();
        let mut numbers: HashMap<ArenaNode, usize> = nodes.iter().copied().zip(0..).collect();
        for node in weak {
            self.outlook.arena.before(*node, |before| {
                if self.is_held(before) && !self.is_won(before) {
                    numbers.entry(before).or_insert_with(|| {
                        nodes.push(before);
                        nodes.len() - 1
                    });
                }
            });
        }
        let vertex = |node: &ArenaNode| {
            let mut vertex = Vertex {
                chooses: node.side != self.holder,
                edges: Vec::new(),
            };
            self.outlook.arena.quiet_nodes(*node, |to| {
                if self.is_held(to) {
                    let number = numbers.get(&to).copied().unwrap_or(OUTSIDE);
                    vertex.edges.push((number, Faults::NO_MOVE));
                }
            });
            vertex
        };
        let graph = nodes.iter().map(vertex).collect();
        (nodes, graph)
    }
}

/// Any node that is not in a graph.
const OUTSIDE: usize = usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::tests::Solutions;
    use crate::tablebase::two_sided::arena::Arena;
    use crate::tablebase::two_sided::tests::smaller;
    use crate::tablebase::two_sided::{losing, mates};

    #[test]
    fn moves_to_what_the_rules_lose_reach_no_aim() {
        let material = "KR-KN".parse().unwrap();
        let smaller = smaller(material, RuleSet::Asian, &mut Solutions::default());
        let arena = Arena::new(material, RuleSet::Asian, &smaller);
        let mates = mates::find(&arena, 2, &|_| {}).unwrap();
        let outlook = Outlook::new(&arena, &mates, 2, &|_| {});
        let marks = Marks::new(arena.len());
        for side in Color::ALL {
            losing::mark(&outlook, side, &marks, 2);
        }
        let mut checked = 0;
        for holder in Color::ALL {
            mark(&outlook, holder, &marks, 2);
            let search = Holding {
                outlook: &outlook,
                holder,
                marks: &marks,
                threads: 1,
            };
            let nodes = (0..arena.len()).map(|index| ArenaNode {
                index,
                side: holder,
            });
            let is_asked = |node: &ArenaNode| {
                outlook.is_open(*node)
                    && search.is_held(*node)
                    && !search.is_won(*node)
                    && !outlook.has_capture(*node, captures::HOLD)
            };
            for node in nodes.filter(is_asked) {
                let known = outlook.aims.get(node);
                assert_eq!(known, search.aims_of(node).0, "{:?}", arena.position(node));
                checked += 1;
            }
        }
        assert!(checked > 200, "{checked}");
    }
}
