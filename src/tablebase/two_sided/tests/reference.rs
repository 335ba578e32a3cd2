//! A slow and simple solver for two-sided classes, with which the tests compare the fast one.

use crate::board::{ByColor, Color, Move};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;
use crate::tablebase::index::Node;
use crate::tablebase::two_sided::buchi::GOAL_PAIRS;
use crate::tablebase::two_sided::graph::{GameGraph, Offenses};
use crate::tablebase::two_sided::mates::capture_bits;
use crate::tablebase::value::{ILLEGAL, Value};

/// A quiet move to another node.
#[derive(Clone, Copy, PartialEq)]
pub struct Edge {
    pub to: usize,
    pub played: Move,
    /// Offenses that the move may commit.
    pub possible: Offenses,
    /// Offenses that the move certainly commits.
    offenses: Offenses,
}

#[derive(Default)]
pub struct Entry {
    is_legal: bool,
    pub quiet: Vec<Edge>,
    /// The values of the positions after the captures.
    captures: Vec<Value>,
}

/// Plan for a node: a move for each of two goals, and the offenses that a move must avoid to reach
/// them.
#[derive(Clone, Copy)]
pub struct Planned {
    pub moves: [Option<Edge>; 2],
    pub goals: [Offenses; 2],
}

impl Planned {
    const NOTHING: Self = Self { moves: [None; 2], goals: Offenses::DEFAULT_GOALS };
}

/// Plan by number of the node.
pub type Plan = Vec<Planned>;

/// All positions of a class with all moves, by number of the node.
pub struct Reference<'a> {
    pub game: &'a GameGraph<'a>,
    pub entries: Vec<Entry>,
    mates: Vec<Value>,
}

impl<'a> Reference<'a> {
    pub fn new(game: &'a GameGraph<'a>) -> Self {
        let entries = (0..2 * game.indexer.len()).map(|n| entry(game, Node(n)));
        let mut reference = Self {
            game,
            entries: entries.collect(),
            mates: vec![Value::DRAW; 2 * game.indexer.len()],
        };
        reference.find_mates();
        reference
    }

    /// Finds all mates: one pass over all positions for each number of plies.
    fn find_mates(&mut self) {
        let mut idle = 0;
        for plies in 0..=Value::LONGEST_MATE {
            let mut found = Vec::new();
            for (n, entry) in self.entries.iter().enumerate() {
                if entry.is_legal && self.mates[n] == Value::DRAW && self.is_mate_in(entry, plies) {
                    found.push(n);
                }
            }
            for n in &found {
                self.mates[*n] = Value::in_plies(plies);
            }
            // After a gap, longer mates can only begin with a capture. Gaps of more than 40 plies are not expected.
            idle = if found.is_empty() { idle + 1 } else { 0 };
            if idle > 40 {
                break;
            }
        }
    }

    fn is_mate_in(&self, entry: &Entry, plies: u8) -> bool {
        let quiet = entry.quiet.iter().map(|edge| self.mates[edge.to]);
        let mut values = quiet.chain(entry.captures.iter().copied());
        let shorter = |value: Value| value.plies().is_some_and(|p| p < plies);
        match plies % 2 {
            1 => values.any(|value| shorter(value) && value.is_lost()),
            _ => values.all(|value| shorter(value) && value.is_won()),
        }
    }

    /// Whether the position of a node is legal and neither side can force mate.
    fn is_open(&self, n: usize) -> bool {
        self.entries[n].is_legal && self.mates[n] == Value::DRAW
    }

    /// Whether some capture from node `n` has the result `bit`, one of [`capture_bits`].
    fn has_capture(&self, n: usize, bit: u8) -> bool {
        let has = |value: &Value| match bit {
            capture_bits::HOLD => value.is_held_by_other(),
            capture_bits::ESCAPE => !value.is_won(),
            capture_bits::WIN_BY_RULE => value.is_lost_by_rule(),
            _ => !value.is_held(),
        };
        self.entries[n].captures.iter().any(has)
    }

    /// Nodes from which the side `by` can force, within `among`, one more move that reaches a goal
    /// or leads to `won`. Writes the moves to `plan`. `goals` holds both goals and the index of the one to reach;
    /// `offense` is that of the zone, `None` for positions that `by` only holds.
    fn reach(
        &self,
        by: Color,
        among: &[bool],
        won: &[bool],
        goals: ([Offenses; 2], usize),
        offense: Option<Offenses>,
        plan: &mut Plan,
    ) -> Vec<bool> {
        let (goals, place) = goals;
        plan.iter_mut().for_each(|planned| planned.goals = goals);
        let mut reached = vec![false; among.len()];
        loop {
            let before = reached.clone();
            for n in (0..among.len()).filter(|n| among[*n] && !before[*n]) {
                let entry = &self.entries[n];
                if Node(n).side() == by {
                    let is_good = |edge: &&Edge| {
                        let reaches_goal = edge.possible.is_free_of(goals[place]);
                        let continues = among[edge.to] && (reaches_goal || before[edge.to]);
                        won[edge.to] || continues && self.is_allowed(edge, offense)
                    };
                    let found = entry.quiet.iter().find(is_good).copied();
                    plan[n].moves[place] = found;
                    reached[n] = found.is_some()
                        || offense.is_none() && self.has_capture(n, capture_bits::HOLD);
                } else {
                    let is_good = |edge: &Edge| {
                        let commits_offense =
                            offense.is_none_or(|offense| edge.offenses.contains(offense));
                        won[edge.to] || before[edge.to] && commits_offense
                    };
                    let escapes = match offense {
                        Some(_) => capture_bits::ESCAPE,
                        None => capture_bits::OTHER_AT_RISK,
                    };
                    reached[n] = !self.has_capture(n, escapes) && entry.quiet.iter().all(is_good);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }

    /// Whether the winner may play this move in a zone of an offense.
    fn is_allowed(&self, edge: &Edge, offense: Option<Offenses>) -> bool {
        let is_chase = offense.is_some_and(|offense| offense != Offenses::CHECK);
        let without_checks = self.game.rules == RuleSet::Computer && is_chase;
        !without_checks || edge.possible.is_free_of(Offenses::CHECK)
    }

    /// Nodes that a side loses, mates included, and the plan of the other side.
    fn lost(&self, loser: Color) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let mut plan: Plan = vec![Planned::NOTHING; count];
        let mut lost: Vec<bool> =
            (0..count).map(|n| self.mates[n].is_won_for(Node(n).side() != loser)).collect();
        loop {
            let before = lost.clone();
            for n in (0..count).filter(|n| self.is_open(*n) && !before[*n]) {
                let mut quiet = self.entries[n].quiet.iter();
                lost[n] = if Node(n).side() == loser {
                    !self.has_capture(n, capture_bits::ESCAPE) && quiet.all(|edge| before[edge.to])
                } else {
                    let winning = quiet.find(|edge| before[edge.to]).copied();
                    plan[n].moves = [winning; 2];
                    winning.is_some() || self.has_capture(n, capture_bits::WIN_BY_RULE)
                };
            }
            if lost != before {
                continue;
            }
            for offense in Offenses::EACH {
                let (zone, zone_plan) = self.zone(loser, offense, &lost);
                for n in (0..count).filter(|n| zone[*n]) {
                    lost[n] = true;
                    plan[n] = zone_plan[n];
                }
            }
            if lost == before {
                return (lost, plan);
            }
        }
    }

    /// Open nodes in a zone of an offense, where all moves of `loser` commit it or lose anyway, and the plan of the
    /// other side.
    fn zone(&self, loser: Color, offense: Offenses, lost: &[bool]) -> (Vec<bool>, Plan) {
        let open = (0..self.entries.len()).map(|n| self.is_open(n) && !lost[n]);
        let goals = Offenses::DEFAULT_GOALS;
        self.reach_forever(!loser, open.collect(), lost, goals, Some(offense))
    }

    /// Nodes of `among` from which the side `by` can reach each goal again and again, or a node of `won`, and its plan.
    /// `offense` is as for [`Self::reach`].
    fn reach_forever(
        &self,
        by: Color,
        mut among: Vec<bool>,
        won: &[bool],
        goals: [Offenses; 2],
        offense: Option<Offenses>,
    ) -> (Vec<bool>, Plan) {
        let count = among.len();
        // In a zone of checks the winner has only the first goal.
        let goal_count = if offense == Some(Offenses::CHECK) { 1 } else { 2 };
        loop {
            let mut plan: Plan = vec![Planned::NOTHING; count];
            let mut left = among.clone();
            for place in 0..goal_count {
                let reached = self.reach(by, &among, won, (goals, place), offense, &mut plan);
                (0..count).for_each(|n| left[n] &= reached[n] || won[n]);
            }
            if goal_count == 1 {
                plan.iter_mut().for_each(|planned| planned.moves[1] = planned.moves[0]);
            }
            if left == among {
                return (among, plan);
            }
            among = left;
        }
    }

    /// Nodes that a side holds, wins included, and the plan for it.
    fn held(&self, holder: Color, won: &[bool]) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let mut plan: Plan = vec![Planned::NOTHING; count];
        let mut held = won.to_vec();
        loop {
            let before = held.clone();
            for goals in [Offenses::DEFAULT_GOALS].iter().chain(&GOAL_PAIRS) {
                let (found, new_plan) = self.held_by(holder, &held, *goals);
                // Won nodes need a plan to hold them as well.
                let is_new = |n: usize| !held[n] || plan[n].moves == [None; 2];
                let new: Vec<usize> = (0..count).filter(|n| found[*n] && is_new(*n)).collect();
                for n in new {
                    plan[n] = new_plan[n];
                    held[n] = true;
                }
            }
            if held == before {
                return (held, plan);
            }
        }
    }

    /// Nodes that a side holds with two goals, or from which it reaches `held_before`.
    fn held_by(
        &self,
        holder: Color,
        held_before: &[bool],
        goals: [Offenses; 2],
    ) -> (Vec<bool>, Plan) {
        let is_lost = |n: usize| self.mates[n].is_won_for(Node(n).side() != holder);
        let nodes = 0..self.entries.len();
        let may_hold = nodes.map(|n| self.entries[n].is_legal && !is_lost(n));
        self.reach_forever(holder, may_hold.collect(), held_before, goals, None)
    }
}

pub fn entry(game: &GameGraph<'_>, node: Node) -> Entry {
    let Some(mut position) = game.indexer.position(node) else {
        return Entry::default();
    };
    let mut entry = Entry { is_legal: true, ..Entry::default() };
    // Without `GameGraph::captures`, which the fast solver uses.
    for played in legal_moves(&position) {
        if position.taken_by(played).is_some() {
            let undo = position.make(played);
            entry.captures.push(game.after_capture(&position));
            position.unmake(played, undo);
        }
    }
    game.quiet_moves(node, |m| {
        let threats = m.threats();
        entry.quiet.push(Edge {
            to: m.to.0,
            played: m.ply.played,
            possible: m.possible_offenses(threats),
            offenses: m.offenses(threats),
        });
        true
    });
    entry
}

/// Plans of each side to hold and to win by rule.
pub struct Plans {
    pub to_hold: ByColor<Plan>,
    pub to_win: ByColor<Plan>,
}

/// Values and plans according to the reference.
pub fn reference_values(reference: &Reference<'_>) -> (Vec<Value>, Plans) {
    let lost = ByColor::from_fn(|side| reference.lost(side));
    let held = ByColor::from_fn(|side| reference.held(side, &lost[!side].0));
    let value = |n: usize| {
        let (side, other) = (Node(n).side(), !Node(n).side());
        if !reference.entries[n].is_legal {
            return Value(ILLEGAL);
        }
        if !reference.is_open(n) {
            return reference.mates[n];
        }
        let lost = [side, other].map(|side| lost[side].0[n]);
        match (lost, [side, other].map(|side| held[side].0[n])) {
            ([true, false], [false, true]) => Value::LOSS_BY_RULE,
            ([false, true], [true, false]) => Value::WIN_BY_RULE,
            ([false, false], [true, true]) => Value::DRAW,
            ([false, false], [true, false]) => Value::NOT_LOST,
            ([false, false], [false, true]) => Value::NOT_WON,
            ([false, false], [false, false]) => Value::UNKNOWN,
            bounds => panic!("contradictory bounds {bounds:?} at {:?}", Node(n)),
        }
    };
    let values = (0..reference.entries.len()).map(value).collect();
    // The winner's plan comes with the other side's losses.
    let [against_red, against_black] = lost.0.map(|(_, plan)| plan);
    let plans = Plans {
        to_hold: held.map(|(_, plan)| plan),
        to_win: ByColor::new(against_black, against_red),
    };
    (values, plans)
}
