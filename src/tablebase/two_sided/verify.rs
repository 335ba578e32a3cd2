//! Proofs that a solved class with an attacker a side is right.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::arena::{Arena, ArenaNode};
use super::claims::{Claims, WrongClaim};
use super::marks::Marks;
use super::moves::Faults;
use super::rule_losses;
use super::turns::TURNS;
use crate::board::{Color, Position};
use crate::movegen::legal_moves;
use crate::tablebase::solved::{DrawsHold, SolvedClass};
use crate::tablebase::value::Value;

/// Checks every value of a class with an attacker a side: against those of the moves that the engine itself
/// generates; that a side with a draw or better can avoid for ever what the rules forbid; that a side with a
/// loss by the rules cannot. `smaller` holds the classes of
/// [`Material::after_captures`](crate::tablebase::Material::after_captures); `progress` is called as by
/// [`solve`](crate::tablebase::solve). Returns how many legal positions, of both sides to move, were
/// checked.
///
/// # Errors
/// A position that is wrong.
///
/// # Panics
/// When a class of `smaller` is missing, or the class is one of one armed side.
pub fn verify_two_sided(
    class: &SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, WrongClaim> {
    let DrawsHold::Under(rules) = class.draws else {
        panic!("{} has no attacker on one side", class.material);
    };
    let claims = Claims::new(Arena::new(class.material, rules, smaller), class, threads);
    let checked = claims.check_moves(progress);
    for side in Color::ALL {
        claims.check_held(side);
        rule_losses::check(&claims, side);
    }
    claims.wrong().map_or(Ok(checked), Err)
}

/// Whether the plies of a win or loss by the rules fit the `values` of the moves: one more than after the best
/// move; for the side that loses one more than after the longest defence, or, where it can put off the loss by
/// repeating itself, one less. What takes more plies than are told counts as one more than the most; a loss of
/// which no plies are told may be one that comes sooner.
fn is_counted_right(found: Value, values: &[Value]) -> bool {
    let untold = i32::from(Value::MOST_BY_RULE) + 1;
    let plies = |value: &Value| value.plies_by_rule().map_or(untold, i32::from);
    let own = plies(&found);
    if found.is_won_by_rule() {
        let after = values.iter().filter(|value| value.is_lost_by_rule());
        after
            .map(plies)
            .min()
            .is_some_and(|after| own == untold.min(after + 1))
    } else if found.is_lost_by_rule() {
        let after = values.iter().filter(|value| value.is_won_by_rule());
        after
            .map(plies)
            .max()
            .is_some_and(|after| own == untold || own == after + 1 || own == after - 1)
    } else {
        true
    }
}

impl Claims<'_> {
    /// Compares each value with those of the moves; how many positions there are.
    fn check_moves(&self, progress: &(dyn Fn(u64) + Sync)) -> u64 {
        let checked = AtomicU64::new(0);
        let visit = |node: ArenaNode| {
            if let Some(position) = self.arena.position(node) {
                checked.fetch_add(1, Ordering::Relaxed);
                if let Err(why) = self.check_node(node, position) {
                    self.refute(node, why);
                }
            }
        };
        self.for_each_node(visit, progress);
        checked.into_inner()
    }

    fn check_node(&self, node: ArenaNode, mut position: Position) -> Result<(), &'static str> {
        let mut values = Vec::new();
        for played in legal_moves(&position) {
            let takes = position.taken_by(played).is_some();
            let undo = position.make(played);
            values.push(match takes {
                true => self.arena.after_capture(&position),
                false => self.value(self.arena.node(&position)),
            });
            position.unmake(played, undo);
        }
        let mates = values.iter().filter_map(|value| value.plies());
        let win = mates.clone().filter(|plies| plies % 2 == 0).min();
        let loses = mates.clone().filter(|plies| plies % 2 == 1).count() == values.len();
        let expected = match (win, loses) {
            (Some(plies), _) => Some(plies + 1),
            (None, true) => Some(mates.max().map_or(0, |plies| plies + 1)),
            (None, false) => None,
        };
        let found = self.value(node);
        if found.plies() != expected {
            return Err("its moves give another mate");
        }
        let any = |is: fn(Value) -> bool| values.iter().any(|value| is(*value));
        let all = |is: fn(Value) -> bool| values.iter().all(|value| is(*value));
        let is_right = match found {
            _ if found.is_won_by_rule() => any(Value::is_lost),
            _ if found.is_lost_by_rule() => all(Value::is_won),
            Value::DRAW => any(Value::is_held_by_other) && all(Value::is_held),
            Value::NOT_LOST => any(Value::is_held_by_other),
            Value::NOT_WON => all(Value::is_held),
            Value::UNKNOWN => true,
            _ => expected.is_some(),
        };
        if !is_right {
            return Err("its moves say otherwise");
        }
        match is_counted_right(found, &values) {
            true => Ok(()),
            false => Err("its moves give other plies to what the rules decide"),
        }
    }

    /// Checks that a side can avoid for ever, without leaving the positions that it is told not to lose, what
    /// the rules forbid: by two aims in turn, or by others until it comes to where it can by those.
    fn check_held(&self, holder: Color) {
        let shown = Marks::new(self.arena.len());
        loop {
            let mut has_found = false;
            for aims in [Faults::APART].iter().chain(&TURNS) {
                has_found |= self.show_held(holder, aims, &shown);
                if self.is_all_shown(holder, &shown) {
                    return;
                }
            }
            if !has_found {
                break;
            }
        }
        let visit = |node: ArenaNode| {
            if shown.get(node) == 0 && self.is_claimed(node, holder) {
                self.refute(node, "it is not shown to be held");
            }
        };
        self.for_each_node(visit, |_| ());
    }

    fn is_all_shown(&self, holder: Color, shown: &Marks) -> bool {
        let is_all = AtomicBool::new(true);
        let visit = |node: ArenaNode| {
            if shown.get(node) == 0 && self.is_claimed(node, holder) {
                is_all.store(false, Ordering::Relaxed);
            }
        };
        self.for_each_node(visit, |_| ());
        is_all.into_inner()
    }

    /// Marks in `shown` the claimed positions from which a side can force a move for each of two aims, again and
    /// again, or what is shown already; whether there are any.
    fn show_held(&self, holder: Color, aims: &[Faults; 2], shown: &Marks) -> bool {
        let alive = Marks::new(self.arena.len());
        let begin = |node: ArenaNode| {
            let is_open = shown.get(node) == 0 && self.is_claimed(node, holder);
            alive.set(node, is_open.into());
        };
        self.for_each_node(begin, |_| ());
        loop {
            let changes = AtomicBool::new(false);
            for aim in aims {
                let reached = self.reaching(holder, *aim, &alive, shown);
                let leave = |node: ArenaNode| {
                    if alive.get(node) != 0 && reached.get(node) == 0 {
                        alive.set(node, 0);
                        changes.store(true, Ordering::Relaxed);
                    }
                };
                self.for_each_node(leave, |_| ());
            }
            if !changes.into_inner() {
                break;
            }
        }
        let has_found = AtomicBool::new(false);
        let show = |node: ArenaNode| {
            if alive.get(node) != 0 {
                shown.set(node, 1);
                has_found.store(true, Ordering::Relaxed);
            }
        };
        self.for_each_node(show, |_| ());
        has_found.into_inner()
    }

    /// The positions alive from which a side can force a move without certain faults to what is alive, or what
    /// is shown.
    fn reaching(&self, holder: Color, aim: Faults, alive: &Marks, shown: &Marks) -> Marks {
        let reached = Marks::new(self.arena.len());
        loop {
            let changes = AtomicBool::new(false);
            let visit = |node: ArenaNode| {
                let is_new = alive.get(node) != 0
                    && reached.get(node) == 0
                    && self.reaches(node, holder, |to, faults| {
                        let is_reached = || reached.get(to) != 0;
                        let reaches_aim = || faults.is_some_and(|faults| faults().is_free_of(aim));
                        shown.get(to) != 0 || alive.get(to) != 0 && (is_reached() || reaches_aim())
                    });
                if is_new {
                    reached.set(node, 1);
                    changes.store(true, Ordering::Relaxed);
                }
            };
            self.for_each_node(visit, |_| ());
            if !changes.into_inner() {
                return reached;
            }
        }
    }

    /// Whether a side is told not to lose. Positions that are not legal may have any value.
    fn is_claimed(&self, node: ArenaNode, holder: Color) -> bool {
        let value = self.value(node);
        match node.side == holder {
            true => value.is_held(),
            false => value.is_held_by_other(),
        }
    }

    /// Whether a side can force from a node a position that wins, a capture that holds, or a quiet move that
    /// `is_good`: where it leads, and for a move of its own the faults that it may have.
    fn reaches(
        &self,
        node: ArenaNode,
        holder: Color,
        is_good: impl Fn(ArenaNode, Option<&dyn Fn() -> Faults>) -> bool,
    ) -> bool {
        let value = self.value(node);
        let is_holders = node.side == holder;
        if is_holders && value.is_won() || !is_holders && value.is_lost() {
            return true;
        }
        let Some(mut position) = self.arena.position(node) else {
            return true;
        };
        if is_holders {
            for played in legal_moves(&position) {
                if position.taken_by(played).is_some() {
                    let undo = position.make(played);
                    let is_held = self.arena.after_capture(&position).is_held_by_other();
                    position.unmake(played, undo);
                    if is_held {
                        return true;
                    }
                }
            }
        }
        let mut result = !is_holders;
        self.arena.quiet_moves(node, |m| {
            if is_holders {
                let faults = || m.possible_faults(m.threats());
                result = is_good(m.to, Some(&faults));
                !result
            } else {
                result &= is_good(m.to, None);
                result
            }
        });
        result
    }
}
