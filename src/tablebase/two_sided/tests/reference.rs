//! A slow obvious solver.

use crate::board::{ByColor, Color, Move};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;
use crate::tablebase::two_sided::arena::{Arena, ArenaNode};
use crate::tablebase::two_sided::mates::captures;
use crate::tablebase::two_sided::moves::Faults;
use crate::tablebase::two_sided::turns::TURNS;
use crate::tablebase::value::{ILLEGAL, Value};

/// A quiet move.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) played: Move,
    /// The faults that it may have, and those that it has for certain.
    pub(super) possible: Faults,
    faults: Faults,
}

/// A legal position with its moves.
#[derive(Default)]
pub(super) struct Entry {
    is_legal: bool,
    pub(super) quiet: Vec<Edge>,
    captures: Vec<Value>,
}

/// What to play at a node: a move for each of two aims, and the faults that a move must not have to reach
/// them.
#[derive(Clone, Copy)]
pub(super) struct Planned {
    pub(super) moves: [Option<Edge>; 2],
    pub(super) aims: [Faults; 2],
}

impl Planned {
    const NOTHING: Self = Self {
        moves: [None; 2],
        aims: Faults::APART,
    };
}

/// What to play, by the number of a node.
pub(super) type Plan = Vec<Planned>;

/// All positions of a class with all moves, the two sides to move of an index one after the other.
pub(super) struct Reference<'a> {
    pub(super) arena: &'a Arena<'a>,
    pub(super) entries: Vec<Entry>,
    mates: Vec<Value>,
}

pub(super) fn number(node: ArenaNode) -> usize {
    2 * node.index + node.side.index()
}

pub(super) fn side_of(number: usize) -> Color {
    Color::ALL[number % 2]
}

pub(super) fn node_of(number: usize) -> ArenaNode {
    ArenaNode {
        index: number / 2,
        side: side_of(number),
    }
}

impl<'a> Reference<'a> {
    pub(super) fn new(arena: &'a Arena<'a>) -> Self {
        let entries = (0..2 * arena.len()).map(|n| entry(arena, node_of(n)));
        let mut reference = Self {
            arena,
            entries: entries.collect(),
            mates: vec![Value::DRAW; 2 * arena.len()],
        };
        reference.find_mates();
        reference
    }

    /// Goes over all positions again and again, ply by ply.
    fn find_mates(&mut self) {
        let mut idle = 0;
        for plies in 0..=Value::LONGEST {
            let mut found = Vec::new();
            for (n, entry) in self.entries.iter().enumerate() {
                if entry.is_legal && self.mates[n] == Value::DRAW && self.is_mate_in(entry, plies) {
                    found.push(n);
                }
            }
            for n in &found {
                self.mates[*n] = Value::in_plies(plies);
            }
            // Longer ones begin with a capture, if there are any.
            idle = if found.is_empty() { idle + 1 } else { 0 };
            if idle > 40 {
                break;
            }
        }
    }

    fn is_mate_in(&self, entry: &Entry, plies: u8) -> bool {
        let quiet = entry.quiet.iter().map(|edge| self.mates[edge.to]);
        let mut values = quiet.chain(entry.captures.iter().copied());
        let sooner = |value: Value| value.plies().is_some_and(|p| p < plies);
        match plies % 2 {
            1 => values.any(|value| sooner(value) && value.is_lost()),
            _ => values.all(|value| sooner(value) && value.is_won()),
        }
    }

    fn is_open(&self, n: usize) -> bool {
        self.entries[n].is_legal && self.mates[n] == Value::DRAW
    }

    /// Whether a capture leads to something.
    fn takes(&self, n: usize, bit: u8) -> bool {
        let has = |value: &Value| match bit {
            captures::HOLD => value.is_held_by_other(),
            captures::ESCAPE => !value.is_won(),
            captures::WIN_BY_RULE => value.is_lost_by_rule(),
            _ => !value.is_held(),
        };
        self.entries[n].captures.iter().any(has)
    }

    /// The nodes from which the side `by` can force, within `among`, one more move that reaches an aim, or
    /// that leads to `won`; the moves for it in `plan`.
    fn reach(
        &self,
        by: Color,
        among: &[bool],
        won: &[bool],
        aims: ([Faults; 2], usize),
        fault: Option<Faults>,
        plan: &mut Plan,
    ) -> Vec<bool> {
        let (aims, place) = aims;
        plan.iter_mut().for_each(|planned| planned.aims = aims);
        let mut reached = vec![false; among.len()];
        loop {
            let before = reached.clone();
            for n in (0..among.len()).filter(|n| among[*n] && !before[*n]) {
                let entry = &self.entries[n];
                if side_of(n) == by {
                    let is_good = |edge: &&Edge| {
                        let reaches_aim = edge.possible.is_free_of(aims[place]);
                        let goes_on = among[edge.to] && (reaches_aim || before[edge.to]);
                        won[edge.to] || goes_on && self.may_hold_by(edge, fault)
                    };
                    let found = entry.quiet.iter().find(is_good).copied();
                    plan[n].moves[place] = found;
                    reached[n] =
                        found.is_some() || fault.is_none() && self.takes(n, captures::HOLD);
                } else {
                    let is_good = |edge: &Edge| {
                        let is_bound = fault.is_none_or(|fault| edge.faults.has(fault));
                        won[edge.to] || before[edge.to] && is_bound
                    };
                    let escapes = match fault {
                        Some(_) => captures::ESCAPE,
                        None => captures::DOUBTFUL,
                    };
                    reached[n] = !self.takes(n, escapes) && entry.quiet.iter().all(is_good);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }

    /// Whether a side that holds the other one to its fault may play a move.
    fn may_hold_by(&self, edge: &Edge, fault: Option<Faults>) -> bool {
        let is_chase = fault.is_some_and(|fault| fault != Faults::CHECK);
        let without_checks = self.arena.rules == RuleSet::Computer && is_chase;
        !without_checks || edge.possible.is_free_of(Faults::CHECK)
    }

    /// The nodes that a side loses, mates included, and the plan against it.
    fn lost(&self, loser: Color) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let mut plan: Plan = vec![Planned::NOTHING; count];
        let mut lost: Vec<bool> = (0..count)
            .map(|n| match side_of(n) == loser {
                true => self.mates[n].is_lost(),
                false => self.mates[n].is_won(),
            })
            .collect();
        loop {
            let before = lost.clone();
            for n in (0..count).filter(|n| self.is_open(*n) && !before[*n]) {
                let mut quiet = self.entries[n].quiet.iter();
                lost[n] = if side_of(n) == loser {
                    !self.takes(n, captures::ESCAPE) && quiet.all(|edge| before[edge.to])
                } else {
                    let winning = quiet.find(|edge| before[edge.to]).copied();
                    plan[n].moves = [winning; 2];
                    winning.is_some() || self.takes(n, captures::WIN_BY_RULE)
                };
            }
            if lost != before {
                continue;
            }
            for fault in Faults::EACH {
                let (zone, its_plan) = self.zone(loser, fault, &lost);
                for n in (0..count).filter(|n| zone[*n]) {
                    lost[n] = true;
                    plan[n] = its_plan[n];
                }
            }
            if lost == before {
                return (lost, plan);
            }
        }
    }

    /// The open nodes in which a side is held to a fault.
    fn zone(&self, loser: Color, fault: Faults, lost: &[bool]) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let aims = match fault {
            Faults::CHECK => 1,
            _ => 2,
        };
        let mut zone: Vec<bool> = (0..count).map(|n| self.is_open(n) && !lost[n]).collect();
        loop {
            let mut plan: Plan = vec![Planned::NOTHING; count];
            let mut left = zone.clone();
            for place in 0..aims {
                let reached = self.reach(
                    !loser,
                    &zone,
                    lost,
                    (Faults::APART, place),
                    Some(fault),
                    &mut plan,
                );
                (0..count).for_each(|n| left[n] &= reached[n]);
            }
            if aims == 1 {
                plan.iter_mut()
                    .for_each(|planned| planned.moves[1] = planned.moves[0]);
            }
            if left == zone {
                return (zone, plan);
            }
            zone = left;
        }
    }

    /// The nodes that a side holds, and the plan for it; what it wins comes in.
    fn held(&self, holder: Color, won: &[bool]) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let mut plan: Plan = vec![Planned::NOTHING; count];
        let mut shown = won.to_vec();
        loop {
            let before = shown.clone();
            for aims in [Faults::APART].iter().chain(&TURNS) {
                let (held, its_plan) = self.held_by(holder, &shown, *aims);
                // What is won can be held as well.
                let is_new = |n: usize| !shown[n] || plan[n].moves == [None; 2];
                let found: Vec<usize> = (0..count).filter(|n| held[*n] && is_new(*n)).collect();
                for n in found {
                    plan[n] = its_plan[n];
                    shown[n] = true;
                }
            }
            if shown == before {
                return (shown, plan);
            }
        }
    }

    /// The nodes that a side holds by two aims, or from which it comes to what is `shown`.
    fn held_by(&self, holder: Color, shown: &[bool], aims: [Faults; 2]) -> (Vec<bool>, Plan) {
        let count = self.entries.len();
        let is_lost = |n: usize| match side_of(n) == holder {
            true => self.mates[n].is_lost(),
            false => self.mates[n].is_won(),
        };
        let mut held: Vec<bool> = (0..count)
            .map(|n| self.entries[n].is_legal && !is_lost(n))
            .collect();
        loop {
            let mut plan: Plan = vec![Planned::NOTHING; count];
            let mut left = held.clone();
            for place in 0..2 {
                let reached = self.reach(holder, &held, shown, (aims, place), None, &mut plan);
                (0..count).for_each(|n| left[n] &= reached[n] || shown[n]);
            }
            if left == held {
                return (held, plan);
            }
            held = left;
        }
    }
}

pub(super) fn entry(arena: &Arena<'_>, node: ArenaNode) -> Entry {
    let Some(mut position) = arena.position(node) else {
        return Entry::default();
    };
    let mut entry = Entry {
        is_legal: true,
        ..Entry::default()
    };
    for played in legal_moves(&position) {
        if position.taken_by(played).is_some() {
            let undo = position.make(played);
            entry.captures.push(arena.after_capture(&position));
            position.unmake(played, undo);
        }
    }
    arena.quiet_moves(node, |m| {
        let threats = m.threats();
        entry.quiet.push(Edge {
            to: number(m.to),
            played: m.played(),
            possible: m.possible_faults(threats),
            faults: m.faults(threats),
        });
        true
    });
    entry
}

/// The plans of each side, not to lose and to win by the rules.
pub(super) struct Plans {
    pub(super) to_hold: ByColor<Plan>,
    pub(super) to_win: ByColor<Plan>,
}

/// The values and the plans that the reference comes to.
pub(super) fn reference_values(reference: &Reference<'_>) -> (Vec<Value>, Plans) {
    let lost = ByColor::from_fn(|side| reference.lost(side));
    let held = ByColor::from_fn(|side| reference.held(side, &lost[!side].0));
    let value = |n: usize| {
        let (side, other) = (side_of(n), !side_of(n));
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
            bounds => panic!("{bounds:?} cross at {:?}", node_of(n)),
        }
    };
    let values = (0..reference.entries.len()).map(value).collect();
    // The plan to win is that against the other side.
    let [against_red, against_black] = lost.0.map(|(_, plan)| plan);
    let plans = Plans {
        to_hold: held.map(|(_, plan)| plan),
        to_win: ByColor::new(against_black, against_red),
    };
    (values, plans)
}
