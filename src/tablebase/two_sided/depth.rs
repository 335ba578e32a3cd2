//! The depth, in plies, of positions that are lost by rule.
//!
//! The loser can delay the loss only by repeating positions of a zone (see `co_buchi`); these repetitions are not
//! counted. A zone is deeper than every position to which the loser can leave it, and than every earlier zone whose
//! depth is stored, so that no two zones have the same stored depth. Outside zones the depth is one more than after the
//! winner's best move or the loser's longest defense. The depth therefore falls with every move of the winner, except
//! within a zone, and play leaves a zone only for a smaller depth.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::mates::{OpenPositions, capture_bits};
use crate::board::Color;
use crate::tablebase::index::Node;
use crate::tablebase::solver_state::{BLOCK, for_each_part};
use crate::tablebase::value::Value;

/// Added to the plies in the byte of a node. The bytes are those of [`OpenPositions::offenses`], which are reused for
/// the depth; 0 if the depth is unknown.
const KNOWN: u8 = 1;
/// Number of depths that can be stored.
const STORED_DEPTHS: usize = Value::LONGEST_BY_RULE as usize + 1;
/// A depth too large to be stored.
const TOO_DEEP: usize = 2 * STORED_DEPTHS;

/// Depth of a node lost or won by rule, after [`find`]; `None` if too large.
pub fn plies(positions: &OpenPositions<'_>, node: Node) -> Option<u8> {
    positions.offenses.get(node).checked_sub(KNOWN)
}

/// Computes the depth of all positions that `loser` loses by rule. `zones` are in the order in
/// which they were found.
pub fn find(positions: &OpenPositions<'_>, loser: Color, zones: &[Vec<Node>]) {
    let nodes_of_zones = (zones.iter().enumerate())
        .flat_map(|(zone, nodes)| nodes.iter().map(move |node| (*node, zone)));
    let search = DepthSearch {
        positions,
        loser,
        zone_of: nodes_of_zones.collect(),
        exits: zones.iter().map(|_| AtomicUsize::new(0)).collect(),
    };
    search.run(zones);
}

struct DepthSearch<'a> {
    positions: &'a OpenPositions<'a>,
    loser: Color,
    zone_of: HashMap<Node, usize>,
    /// For each zone, the number of the loser's quiet moves that leave it to nodes of unknown
    /// depth.
    exits: Vec<AtomicUsize>,
}

/// Nodes with a proposed depth.
type Proposals = Vec<(Node, usize)>;

impl DepthSearch<'_> {
    /// Processes the depths in ascending order. If several depths are proposed for a node, it gets the
    /// smallest.
    fn run(&self, zones: &[Vec<Node>]) {
        // The nodes by proposed depth.
        let mut due = vec![Vec::new(); STORED_DEPTHS];
        let put = |due: &mut [Vec<Node>], proposals: Proposals| {
            for (node, plies) in proposals {
                if let Some(nodes) = due.get_mut(plies) {
                    nodes.push(node);
                }
            }
        };
        put(&mut due, self.start());
        let mut zones = zones.iter().enumerate().peekable();
        // The smallest depth that the next zone may have.
        let mut least = 0;
        for plies in 0..STORED_DEPTHS {
            while let Some((_, nodes)) = zones.next_if(|(zone, _)| !self.has_exit(*zone)) {
                let losers = nodes.iter().filter(|node| node.side() == self.loser);
                let captures = losers.clone().map(|node| self.after_captures(*node));
                let depth = captures.fold(plies.max(least), usize::max);
                // A loss takes an even number of plies.
                let depth = depth.next_multiple_of(2);
                if depth < STORED_DEPTHS {
                    least = depth + 1;
                    put(&mut due, losers.map(|node| (*node, depth)).collect());
                }
            }
            let mut now = std::mem::take(&mut due[plies]);
            now.retain(|node| self.settle(*node, plies));
            put(&mut due, self.visit_all(&now, plies));
        }
    }

    fn is_lost(&self, node: Node) -> bool {
        self.positions.is_lost(node, self.loser)
    }

    fn has_exit(&self, zone: usize) -> bool {
        self.exits[zone].load(Ordering::Relaxed) != 0
    }

    /// Sets the depth of a node that has none. Returns `false` if it has one already.
    fn settle(&self, node: Node, plies: usize) -> bool {
        let plies = plies as u8 + KNOWN;
        self.positions.offenses.get(node) == 0 && self.positions.offenses.set_bits(node, plies)
    }

    /// Counts the loser's quiet moves. Returns the nodes whose depth follows from captures.
    fn start(&self) -> Proposals {
        let proposals = Mutex::new(Vec::new());
        let start = |node| {
            if !self.is_lost(node) {
                return;
            }
            self.positions.offenses.set(node, 0);
            // The depth follows from captures if the winner can win by rule with one, or the loser has no quiet move
            // to a node lost by rule.
            let is_known = if node.side() == self.loser {
                self.count_quiet_moves(node) == 0
            } else {
                self.positions.has_capture(node, capture_bits::WIN_BY_RULE)
            };
            if is_known {
                proposals.lock().push((node, self.after_captures(node)));
            }
        };
        self.positions.game.for_each_node(start, |_| ());
        proposals.into_inner()
    }

    /// Stores and returns the number of the loser's quiet moves to nodes lost by rule, and adds those that leave the
    /// zone of the node to its exits.
    fn count_quiet_moves(&self, node: Node) -> u8 {
        let zone = self.zone_of.get(&node);
        let mut quiet = 0;
        self.positions.game.quiet_nodes(node, |to| {
            if self.is_lost(to) {
                quiet += 1;
                if let Some(zone) = zone.filter(|zone| self.zone_of.get(&to) != Some(zone)) {
                    self.exits[*zone].fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        self.positions.moves.set(node, quiet);
        quiet
    }

    /// One more than the depth after the captures that decide by rule: the smallest for the winner,
    /// the largest for the loser; 0 without such captures.
    fn after_captures(&self, node: Node) -> usize {
        let mut depth = None;
        self.positions.game.captures(node, |value| {
            let after = value.plies_by_rule().map_or(TOO_DEEP, |plies| usize::from(plies) + 1);
            let best = depth.unwrap_or(after);
            if node.side() == self.loser && value.is_won_by_rule() {
                depth = Some(best.max(after));
            } else if node.side() != self.loser && value.is_lost_by_rule() {
                depth = Some(best.min(after));
            }
        });
        depth.unwrap_or(0)
    }

    /// Visits the predecessors of nodes of this depth. Returns those whose depth follows.
    fn visit_all(&self, nodes: &[Node], plies: usize) -> Proposals {
        let proposals = Mutex::new(Vec::new());
        let parts: Vec<&[Node]> = nodes.chunks(BLOCK).collect();
        let threads = self.positions.game.threads.min(parts.len());
        for_each_part(threads, parts.len(), |part| {
            let mut found = Vec::new();
            for node in parts[part] {
                self.visit(*node, plies, &mut found);
            }
            proposals.lock().append(&mut found);
        });
        proposals.into_inner()
    }

    fn visit(&self, node: Node, plies: usize, proposals: &mut Proposals) {
        let zone = self.zone_of.get(&node);
        self.positions.game.indexer.before(node, |before| {
            if !self.is_lost(before) {
                return;
            }
            if before.side() != self.loser {
                if self.positions.offenses.get(before) == 0 {
                    proposals.push((before, plies + 1));
                }
                return;
            }
            let left = self.zone_of.get(&before);
            if let Some(left) = left.filter(|left| zone != Some(left)) {
                self.exits[*left].fetch_sub(1, Ordering::Relaxed);
            }
            if self.positions.moves.decrement(before) {
                proposals.push((before, self.after_captures(before).max(plies + 1)));
            }
        });
    }
}
