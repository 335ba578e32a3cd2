//! Positions that a side is proven not to lose: a generalized Büchi game.
//!
//! A goal is a move without certain offenses. A side, the holder, holds a position if it can reach each of two goals
//! again and again: a move that gives no check, and one that chases nothing. For positions that are not held in this
//! way, other pairs of goals are tried (`GOAL_PAIRS`), because a side that chases one piece with one move and another
//! piece with the next commits no perpetual chase. Each pair divides the four kinds of offenses between two goals;
//! `Offenses::DEFAULT_GOALS` and `GOAL_PAIRS` are all seven such divisions.

use std::collections::HashMap;

use super::fixpoint::{OUTSIDE, Vertex, held, propagate, propagate_from, trapped};
use super::graph::Offenses;
use super::mates::{OpenPositions, capture_bits, held_bit};
use crate::board::Color;
use crate::tablebase::index::Node;

/// Sets [`held_bit`] for all positions that `holder` is proven not to lose. The losses by rule of both sides must be
/// marked already.
pub fn mark(positions: &OpenPositions<'_>, holder: Color) {
    let search = Buchi { positions, holder };
    search.start();
    while Offenses::DEFAULT_GOALS.into_iter().any(|goal| search.remove_traps(goal)) {}
    search.hold_alternating();
}

struct Buchi<'a> {
    positions: &'a OpenPositions<'a>,
    holder: Color,
}

impl Buchi<'_> {
    fn is_held(&self, node: Node) -> bool {
        self.positions.results.get(node) & held_bit(self.holder) != 0
    }

    fn is_won(&self, node: Node) -> bool {
        self.positions.mate(node).is_won_for(node.side() == self.holder)
            || self.positions.is_lost(node, !self.holder)
    }

    /// Removes a node. Returns whether it was in the set.
    fn remove(&self, node: Node) -> bool {
        self.positions.results.clear_bits(node, held_bit(self.holder))
    }

    /// Marks the initial set: all legal positions that are not proven lost for the holder, except risky ones. In a
    /// risky position the other side has a capture after which the holder may lose, or can force such a position. Moves
    /// to positions that the other side wins by rule have already been counted down ([`OpenPositions::moves`]).
    fn start(&self) {
        let game = self.positions.game;
        let hold = |node| {
            if self.may_be_held(node) && !self.has_losing_reply(node) {
                self.positions.results.set_bits(node, held_bit(self.holder));
            }
        };
        game.for_each_node(hold, |_| ());
        let is_first = |node| self.may_be_held(node) && self.has_losing_reply(node);
        propagate_from(game.threads, game.indexer.len(), is_first, |node, removed| {
            self.visit(node, removed);
        });
    }

    /// Whether a position is legal and not proven lost for the holder.
    fn may_be_held(&self, node: Node) -> bool {
        let is_mated = self.positions.mate(node).is_won_for(node.side() != self.holder);
        let is_lost = is_mated || self.positions.is_lost(node, self.holder);
        self.positions.is_legal(node) && !is_lost
    }

    /// Whether the other side has a capture after which the holder may lose.
    fn has_losing_reply(&self, node: Node) -> bool {
        node.side() != self.holder
            && self.positions.is_open(node)
            && self.positions.has_capture(node, capture_bits::OTHER_AT_RISK)
    }

    /// Removes the predecessors of a removed node from which the other side can force it.
    fn visit(&self, node: Node, removed: &mut Vec<Node>) {
        self.positions.game.indexer.before(node, |before| {
            if !self.is_held(before) || self.is_won(before) {
                return;
            }
            if (before.side() != self.holder || self.count_move_out(before)) && self.remove(before)
            {
                removed.push(before);
            }
        });
    }

    /// Counts one more move of the holder that leaves the set. Returns whether no move stays in it.
    fn count_move_out(&self, node: Node) -> bool {
        let has_capture = self.positions.has_capture(node, capture_bits::HOLD);
        if !has_capture {
            self.positions.missed_goals.make_stale(node);
        }
        self.positions.moves.decrement(node) && !has_capture
    }

    /// Default goals that none of the holder's quiet moves within the set reaches.
    fn missed_goals(&self, node: Node) -> Offenses {
        if self.positions.has_peaceful_move(node, |to| self.is_held(to)) {
            return Offenses::NONE;
        }
        let mut missed = Offenses::NO_MOVE;
        self.positions.game.quiet_moves(node, |m| {
            if self.is_held(m.to) {
                missed = missed.and(Offenses::missed_goals(m.threats()));
            }
            missed != Offenses::NONE
        });
        missed
    }

    /// Removes the positions in which the other side can prevent a goal forever. Returns whether
    /// there were any.
    fn remove_traps(&self, goal: Offenses) -> bool {
        let missed_goals = |node| {
            if self.is_held(node) { self.missed_goals(node).0 } else { Offenses::NONE.0 }
        };
        let game = self.positions.game;
        self.positions.missed_goals.renew(game.threads, self.holder, missed_goals);
        let lacks_goal = |missed: u8| !Offenses(missed).is_free_of(goal);
        let lacking = self.positions.missed_goals.find(self.holder, lacks_goal);
        let lacking: Vec<Node> = lacking
            .filter(|node| {
                self.positions.is_open(*node) && self.is_held(*node) && !self.is_won(*node)
            })
            .collect();
        let (nodes, graph) = self.graph(&lacking);
        let traps = nodes.into_iter().zip(trapped(&graph));
        let traps = traps.filter(|(node, is_trapped)| *is_trapped && self.remove(*node));
        let traps: Vec<Node> = traps.map(|(node, _)| node).collect();
        let has_found = !traps.is_empty();
        propagate(game.threads, traps, |node, removed| self.visit(node, removed));
        has_found
    }

    /// Adds the positions from which the holder reaches the goals of one of [`GOAL_PAIRS`] again and again, or reaches
    /// a position that is already held, with the default goals or with another pair.
    fn hold_alternating(&self) {
        let nodes = (0..2 * self.positions.game.indexer.len()).map(Node);
        let is_left = |node: &Node| {
            self.positions.is_open(*node) && self.may_be_held(*node) && !self.is_held(*node)
        };
        let left: Vec<Node> = nodes.filter(is_left).collect();
        let is_found = held_alternating(self.goal_graph(&left));
        let found = left.into_iter().zip(&is_found[FIRST..]);
        for (node, _) in found.filter(|(_, is_found)| **is_found) {
            self.positions.results.set_bits(node, held_bit(self.holder));
        }
    }

    /// The graph of the nodes and their quiet moves. Its first two vertices are [`HELD`] and [`ELSEWHERE`].
    fn goal_graph(&self, nodes: &[Node]) -> Vec<Vertex> {
        let positions = self.positions;
        let numbers: HashMap<Node, usize> = nodes.iter().copied().zip(FIRST..).collect();
        let number = |to: Node| match numbers.get(&to) {
            Some(number) => *number,
            None if self.is_held(to) => HELD,
            None => ELSEWHERE,
        };
        let vertex = |node: &Node| {
            let chooses = node.side() == self.holder;
            let mut edges = Vec::new();
            if chooses {
                if positions.has_capture(*node, capture_bits::HOLD) {
                    return always(HELD, true);
                }
                positions.game.quiet_moves(*node, |m| {
                    edges.push((number(m.to), m.possible_offenses(m.threats())));
                    true
                });
            } else {
                if positions.has_capture(*node, capture_bits::OTHER_AT_RISK) {
                    return always(ELSEWHERE, false);
                }
                let edge = |to| (number(to), Offenses::NO_MOVE);
                positions.game.quiet_nodes(*node, |to| edges.push(edge(to)));
            }
            Vertex { chooses, edges }
        };
        // `ELSEWHERE` is a vertex of the other side that only leads to itself, so it never reaches a goal.
        let ends = [always(HELD, true), always(ELSEWHERE, false)];
        ends.into_iter().chain(nodes.iter().map(vertex)).collect()
    }

    /// The nodes of `lacking`, whose quiet moves do not reach a goal, with their predecessors, and the graph of all
    /// these nodes.
    fn graph(&self, lacking: &[Node]) -> (Vec<Node>, Vec<Vertex>) {
        let mut nodes = lacking.to_vec();
        let mut numbers: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        for node in lacking {
            self.positions.game.indexer.before(*node, |before| {
                if self.is_held(before) && !self.is_won(before) {
                    numbers.entry(before).or_insert_with(|| {
                        nodes.push(before);
                        nodes.len() - 1
                    });
                }
            });
        }
        let vertex = |node: &Node| {
            let mut vertex = Vertex { chooses: node.side() != self.holder, edges: Vec::new() };
            self.positions.game.quiet_nodes(*node, |to| {
                if self.is_held(to) {
                    let number = numbers.get(&to).copied().unwrap_or(OUTSIDE);
                    vertex.edges.push((number, Offenses::NO_MOVE));
                }
            });
            vertex
        };
        let graph = nodes.iter().map(vertex).collect();
        (nodes, graph)
    }
}

/// Ways to divide the offenses between two goals, other than [`Offenses::DEFAULT_GOALS`].
pub const GOAL_PAIRS: [[Offenses; 2]; 6] = [
    Offenses::divided(4),
    Offenses::divided(8),
    Offenses::divided(2),
    Offenses::divided(1 | 2),
    Offenses::divided(1 | 4),
    Offenses::divided(1 | 8),
];

/// Vertex for all positions that are already proven held.
const HELD: usize = 0;
/// Vertex for all positions that are neither proven held nor vertices of their own.
const ELSEWHERE: usize = 1;
/// Number of the first vertex that is a single position.
const FIRST: usize = 2;

/// Vertices from which the holder reaches [`HELD`] or can alternate between the goals of one of
/// [`GOAL_PAIRS`] forever.
fn held_alternating(mut graph: Vec<Vertex>) -> Vec<bool> {
    let mut is_found = vec![false; graph.len()];
    loop {
        let before = is_found.clone();
        for goals in &GOAL_PAIRS {
            let held = held(&graph, goals);
            for number in (FIRST..graph.len()).filter(|number| held[*number]) {
                is_found[number] = true;
                graph[number] = always(HELD, true);
            }
        }
        if is_found == before {
            return is_found;
        }
    }
}

/// Vertex with a single edge, which reaches every goal if the holder moves.
fn always(to: usize, chooses: bool) -> Vertex {
    Vertex { chooses, edges: vec![(to, Offenses::NONE)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::tests::Solutions;
    use crate::tablebase::two_sided::co_buchi;
    use crate::tablebase::two_sided::graph::GameGraph;
    use crate::tablebase::two_sided::tests::smaller;

    #[test]
    fn moves_to_positions_lost_by_rule_reach_no_goal() {
        let material = "KR-KN".parse().unwrap();
        let smaller = smaller(material, RuleSet::Asian, &mut Solutions::default());
        let game = GameGraph::new(material, RuleSet::Asian, &smaller, 2);
        let positions = &OpenPositions::find(&game, &|_| {}).unwrap();
        for side in Color::ALL {
            co_buchi::mark(positions, side);
        }
        let mut checked = 0;
        for holder in Color::ALL {
            mark(positions, holder);
            let search = Buchi { positions, holder };
            let nodes = (0..game.indexer.len()).map(|index| Node::new(index, holder));
            let is_examined = |node: &Node| {
                positions.is_open(*node)
                    && search.is_held(*node)
                    && !search.is_won(*node)
                    && !positions.has_capture(*node, capture_bits::HOLD)
            };
            for node in nodes.filter(is_examined) {
                let known = positions.missed_goals.get(node);
                assert_eq!(known, search.missed_goals(node).0, "{:?}", game.indexer.position(node));
                checked += 1;
            }
        }
        assert!(checked > 200, "{checked}");
    }

    /// A cycle in which the holder's two moves commit these offenses. The other side can leave it for the vertex `out`.
    fn back_and_forth(offenses: [Offenses; 2], out: Option<usize>) -> Vec<Vertex> {
        let answer = |to: usize| Vertex {
            chooses: false,
            edges: (Some(to).into_iter().chain(out)).map(|to| (to, Offenses::NO_MOVE)).collect(),
        };
        let own_move =
            |to: usize, committed| Vertex { chooses: true, edges: vec![(to, committed)] };
        vec![
            always(HELD, true),
            always(ELSEWHERE, false),
            own_move(3, offenses[0]),
            answer(4),
            own_move(5, offenses[1]),
            answer(2),
        ]
    }

    #[test]
    fn chasing_different_pieces_alternately_holds() {
        let [attacker, advisor, bishop] = Offenses::CHASES;
        let both = Offenses(advisor.0 | bishop.0);
        for (offenses, out, holds) in [
            ([advisor, bishop], None, true),
            ([attacker, bishop], None, true),
            ([Offenses::CHECK, attacker], None, true),
            ([advisor, both], None, false),
            ([bishop, bishop], None, false),
            ([Offenses::CHECK, Offenses::CHECK], None, false),
            // The cycle is still held if the other side can leave it for a held vertex, but not for any other.
            ([advisor, bishop], Some(HELD), true),
            ([advisor, bishop], Some(ELSEWHERE), false),
        ] {
            let found = held_alternating(back_and_forth(offenses, out));
            assert_eq!(found[FIRST..], [holds; 4], "{offenses:?} {out:?}");
        }
    }

    #[test]
    fn vertices_held_by_one_goal_pair_count_for_the_others() {
        let [_, advisor, bishop] = Offenses::CHASES;
        let mut graph = back_and_forth([advisor, bishop], None);
        // A check leads to vertices that are held by chases.
        graph.push(Vertex {
            chooses: true,
            edges: vec![(3, Offenses::CHECK), (ELSEWHERE, Offenses::NONE)],
        });
        assert_eq!(held_alternating(graph)[FIRST..], [true; 5]);
    }
}
