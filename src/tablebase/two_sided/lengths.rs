//! How many plies a loss by the rules takes.
//!
//! Where a side is held to a fault, it can put off its loss only by repeating itself: a zone. The plies that
//! it spends there are not counted. A zone is worth more plies than all to which its loser can leave, by one
//! at least, and more than the zones found before it, so that no two are worth the same. Everywhere else the
//! plies are those to the nearest zone, and what that is worth: one more than after the best move of the side
//! that wins, or after the longest defence. So whoever wins comes nearer with every move, but for those in a
//! zone, which it leaves only for what is worth less.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::arena::ArenaNode;
use super::losing::lost_bit;
use super::marks::Marks;
use super::mates::captures;
use super::outlook::Outlook;
use crate::board::Color;
use crate::tablebase::parallel::for_each_part;
use crate::tablebase::value::Value;

/// Added to the plies of a node in the marks, where 0 stands for none.
const KNOWN: u8 = 1;
/// One more than the largest number of plies that is told.
const COUNTED: usize = Value::MOST_BY_RULE as usize + 1;
/// Stands for a number of plies that is not told.
const UNTOLD: usize = 2 * COUNTED;

/// The plies of a node that is lost or won by the rules, once they have been found; `None` where there are more
/// than can be told.
pub(super) fn plies(outlook: &Outlook<'_>, node: ArenaNode) -> Option<u8> {
    outlook.faults.get(node).checked_sub(KNOWN)
}

/// Finds the plies of all that `loser` loses by the rules, from the zones in the order in which they were found.
pub(super) fn find(
    outlook: &Outlook<'_>,
    loser: Color,
    marks: &Marks,
    zones: &[Vec<ArenaNode>],
    threads: usize,
) {
    let nodes_of_zones = (zones.iter().enumerate())
        .flat_map(|(zone, nodes)| nodes.iter().map(move |node| (*node, zone)));
    let search = Lengths {
        outlook,
        loser,
        marks,
        threads,
        zone_of: nodes_of_zones.collect(),
        exits: zones.iter().map(|_| AtomicUsize::new(0)).collect(),
    };
    search.run(zones);
}

struct Lengths<'a> {
    outlook: &'a Outlook<'a>,
    loser: Color,
    marks: &'a Marks,
    threads: usize,
    /// The zone that a node belongs to.
    zone_of: HashMap<ArenaNode, usize>,
    /// How many quiet moves of its loser lead out of each zone to nodes whose plies are not known.
    exits: Vec<AtomicUsize>,
}

/// Nodes, each with the plies that it is worth.
type Due = Vec<(ArenaNode, usize)>;

impl Lengths<'_> {
    /// Goes from one number of plies to the next. What is worth so many may be found before its time.
    fn run(&self, zones: &[Vec<ArenaNode>]) {
        let mut due = vec![Vec::new(); COUNTED];
        let put = |due: &mut [Vec<ArenaNode>], found: Due| {
            for (node, plies) in found {
                if let Some(nodes) = due.get_mut(plies) {
                    nodes.push(node);
                }
            }
        };
        put(&mut due, self.start());
        let mut zones = zones.iter().enumerate().peekable();
        let mut least = 0;
        for plies in 0..COUNTED {
            while let Some((_, nodes)) = zones.next_if(|(zone, _)| !self.has_exit(*zone)) {
                let losers = nodes.iter().filter(|node| node.side == self.loser);
                let captures = losers.clone().map(|node| self.after_captures(*node));
                let worth = captures.fold(plies.max(least), usize::max);
                let worth = worth.next_multiple_of(2);
                if worth < COUNTED {
                    least = worth + 1;
                    put(&mut due, losers.map(|node| (*node, worth)).collect());
                }
            }
            let mut now = std::mem::take(&mut due[plies]);
            now.retain(|node| self.settle(*node, plies));
            put(&mut due, self.visit_all(&now, plies));
        }
    }

    /// Whether a node is lost for the loser by the rules.
    fn is_lost(&self, node: ArenaNode) -> bool {
        self.marks.get(node) & lost_bit(self.loser) != 0
    }

    fn has_exit(&self, zone: usize) -> bool {
        self.exits[zone].load(Ordering::Relaxed) != 0
    }

    /// A node is worth so many plies, if it was not known to be worth fewer; whether that is new.
    fn settle(&self, node: ArenaNode, plies: usize) -> bool {
        let plies = plies as u8 + KNOWN;
        self.outlook.faults.get(node) == 0 && self.outlook.faults.add(node, plies)
    }

    /// Counts the moves of all nodes; those of which captures alone decide.
    fn start(&self) -> Due {
        let (len, slice) = (self.outlook.arena.len(), self.outlook.arena.indexer.slice());
        let due = Mutex::new(Vec::new());
        for_each_part(self.threads, len / slice, |part| {
            let mut found = Vec::new();
            for index in part * slice..(part + 1) * slice {
                let nodes = Color::ALL.map(|side| ArenaNode { index, side });
                for node in nodes.into_iter().filter(|node| self.is_lost(*node)) {
                    self.outlook.faults.set(node, 0);
                    self.start_node(node, &mut found);
                }
            }
            append(&due, found);
        });
        due.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_node(&self, node: ArenaNode, due: &mut Due) {
        if node.side != self.loser {
            if self.outlook.has_capture(node, captures::WIN_BY_RULE) {
                due.push((node, self.after_captures(node)));
            }
            return;
        }
        let zone = self.zone_of.get(&node);
        let mut quiet = 0;
        self.outlook.arena.quiet_nodes(node, |to| {
            if self.is_lost(to) {
                quiet += 1;
                if let Some(zone) = zone.filter(|zone| self.zone_of.get(&to) != Some(zone)) {
                    self.exits[*zone].fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        self.outlook.set_moves(node, quiet);
        if quiet == 0 {
            due.push((node, self.after_captures(node)));
        }
    }

    /// One more than the plies after the captures of a node that the rules decide: the fewest where the other
    /// side is to move, the most where the loser is, 0 without such captures.
    fn after_captures(&self, node: ArenaNode) -> usize {
        let mut worth = None;
        self.outlook.arena.captures(node, |value| {
            let after = value
                .plies_by_rule()
                .map_or(UNTOLD, |plies| usize::from(plies) + 1);
            let best = worth.unwrap_or(after);
            if node.side == self.loser && value.is_won_by_rule() {
                worth = Some(best.max(after));
            } else if node.side != self.loser && value.is_lost_by_rule() {
                worth = Some(best.min(after));
            }
        });
        worth.unwrap_or(0)
    }

    /// Visits nodes that are worth so many plies, and tells what others are worth.
    fn visit_all(&self, nodes: &[ArenaNode], plies: usize) -> Due {
        /// How many nodes a thread takes at once.
        const PART: usize = 1 << 12;
        let due = Mutex::new(Vec::new());
        let parts: Vec<&[ArenaNode]> = nodes.chunks(PART).collect();
        for_each_part(self.threads.min(parts.len()), parts.len(), |part| {
            let mut found = Vec::new();
            for node in parts[part] {
                self.visit(*node, plies, &mut found);
            }
            append(&due, found);
        });
        due.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn visit(&self, node: ArenaNode, plies: usize, due: &mut Due) {
        let zone = self.zone_of.get(&node);
        self.outlook.arena.before(node, |before| {
            if !self.is_lost(before) {
                return;
            }
            if before.side != self.loser {
                if self.outlook.faults.get(before) == 0 {
                    due.push((before, plies + 1));
                }
                return;
            }
            let left = self.zone_of.get(&before);
            if let Some(left) = left.filter(|left| zone != Some(left)) {
                self.exits[*left].fetch_sub(1, Ordering::Relaxed);
            }
            if self.outlook.take_last_move(before) {
                due.push((before, self.after_captures(before).max(plies + 1)));
            }
        });
    }
}

fn append(due: &Mutex<Due>, mut found: Due) {
    let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
    due.append(&mut found);
}
