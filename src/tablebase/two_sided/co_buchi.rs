//! Positions that a side loses because it can only check or chase forever: a nested fixpoint as for co-Büchi
//! games.
//!
//! A zone is a set of positions in which all moves of the loser commit the same offense, except moves that lose anyway.
//! The other side can stay in the zone and reach its own goals again and again. A goal is a move that commits none of a
//! set of offenses ([`Offenses::winner_goals`]).

use std::collections::HashMap;

use super::fixpoint::{Vertex, held, propagate, propagate_from};
use super::graph::Offenses;
use super::mates::{OpenPositions, capture_bits, lost_bit};
use crate::board::Color;
use crate::rules::RuleSet;
use crate::tablebase::index::Node;

/// Sets [`lost_bit`] for all open positions that `loser` loses by rule. Returns the zones in the
/// order in which they were found; a zone can depend on those before it.
pub fn mark(positions: &OpenPositions<'_>, loser: Color) -> Vec<Vec<Node>> {
    let search = CoBuchi { positions, loser };
    search.start();
    let mut zones = Vec::new();
    let find = || Offenses::EACH.into_iter().find_map(|offense| search.mark_zone(offense));
    while let Some(zone) = find() {
        zones.push(zone);
    }
    zones
}

struct CoBuchi<'a> {
    positions: &'a OpenPositions<'a>,
    loser: Color,
}

impl CoBuchi<'_> {
    fn is_lost(&self, node: Node) -> bool {
        self.positions.is_lost(node, self.loser)
    }

    /// Whether the loser's move to this node is known to lose, by rule or by mate.
    fn is_known_loss(&self, node: Node) -> bool {
        self.is_lost(node) || self.positions.mate(node).is_won()
    }

    /// Marks a node. Returns whether it was not marked before.
    fn add(&self, node: Node) -> bool {
        self.positions.results.set_bits(node, lost_bit(self.loser))
    }

    /// Marks positions that captures decide by rule, and all positions from which these can be forced.
    fn start(&self) {
        let positions = self.positions;
        let mark_initial = |node: Node| {
            let is_lost = positions.is_open(node)
                && if node.side() == self.loser {
                    positions.moves.get(node) == 0
                        && !positions.has_capture(node, capture_bits::ESCAPE)
                } else {
                    positions.has_capture(node, capture_bits::WIN_BY_RULE)
                };
            is_lost && self.add(node)
        };
        let game = positions.game;
        propagate_from(game.threads, game.indexer.len(), mark_initial, |node, marked| {
            self.visit(node, marked);
        });
    }

    /// Marks the predecessors of a marked node from which the other side can force it.
    fn visit(&self, node: Node, marked: &mut Vec<Node>) {
        self.positions.game.indexer.before(node, |before| {
            if !self.positions.is_open(before) || self.is_lost(before) {
                return;
            }
            if (before.side() != self.loser || self.count_lost_move(before)) && self.add(before) {
                marked.push(before);
            }
        });
    }

    /// Counts one more losing move of the loser. Returns whether all moves now lose.
    fn count_lost_move(&self, node: Node) -> bool {
        self.positions.offenses.make_stale(node);
        // With a capture that holds the position, quiet moves need not reach the goals.
        if !self.positions.has_capture(node, capture_bits::HOLD) {
            self.positions.missed_goals.make_stale(node);
        }
        self.positions.moves.decrement(node)
            && !self.positions.has_capture(node, capture_bits::ESCAPE)
    }

    /// Finds and marks the zone of an offense, and marks all nodes from which the zone can be forced. Returns the zone;
    /// `None` if it is empty.
    fn mark_zone(&self, offense: Offenses) -> Option<Vec<Node>> {
        let OpenPositions { game, offenses, .. } = self.positions;
        offenses.renew(game.threads, self.loser, |node| {
            let found = if self.is_lost(node) {
                Offenses::NO_MOVE
            } else {
                self.positions.offenses_of(node, |to| self.is_known_loss(to))
            };
            found.0
        });
        let has_offense = |offenses: u8| Offenses(offenses).contains(offense);
        let offending = offenses.find(self.loser, has_offense);
        let offending: Vec<Node> = offending.filter(|node| !self.is_lost(*node)).collect();
        let (nodes, graph) = self.graph(&offending, offense);
        let zone = nodes.into_iter().zip(held(&graph, offense.winner_goals()));
        let zone = zone.filter(|(node, is_held)| *is_held && self.add(*node));
        let zone: Vec<Node> = zone.map(|(node, _)| node).collect();
        propagate(game.threads, zone.clone(), |node, marked| self.visit(node, marked));
        Some(zone).filter(|zone| !zone.is_empty())
    }

    /// The graph of `offending`, nodes of the loser, and the nodes that their moves lead to, without moves that are
    /// known to lose.
    fn graph(&self, offending: &[Node], offense: Offenses) -> (Vec<Node>, Vec<Vertex>) {
        let mut nodes = offending.to_vec();
        let mut numbers: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        let mut graph = Vec::new();
        for node in offending {
            let mut vertex = Vertex::default();
            self.positions.game.quiet_nodes(*node, |to| {
                if !self.is_known_loss(to) {
                    let number = *numbers.entry(to).or_insert_with(|| {
                        nodes.push(to);
                        nodes.len() - 1
                    });
                    vertex.edges.push((number, Offenses::NO_MOVE));
                }
            });
            graph.push(vertex);
        }
        // Under the computer rules a repetition with a check by either side has no chases, so the winner must not give
        // check.
        let excludes_checks =
            self.positions.game.rules == RuleSet::Computer && offense != Offenses::CHECK;
        for node in &nodes[offending.len()..] {
            let mut vertex = Vertex { chooses: true, edges: Vec::new() };
            self.positions.game.quiet_moves(*node, |m| {
                if let Some(number) = numbers.get(&m.to) {
                    let threats = m.threats();
                    if !(excludes_checks && threats.gives_check) {
                        vertex.edges.push((*number, m.possible_offenses(threats)));
                    }
                }
                true
            });
            graph.push(vertex);
        }
        (nodes, graph)
    }
}
