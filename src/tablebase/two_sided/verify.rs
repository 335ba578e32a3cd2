//! Proofs that a solved class with an attacker a side is right.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::arena::{Arena, ArenaNode};
use super::claims::{Claims, WrongClaim};
use super::marks::Marks;
use super::moves::Aims;
use super::rule_losses;
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
        for aim in Aims::EACH {
            claims.check_held(side, aim);
        }
        rule_losses::check(&claims, side);
    }
    claims.wrong().map_or(Ok(checked), Err)
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
            Value::WIN_BY_RULE => any(Value::is_lost),
            Value::LOSS_BY_RULE => all(Value::is_won),
            Value::DRAW => any(Value::is_held_by_other) && all(Value::is_held),
            Value::NOT_LOST => any(Value::is_held_by_other),
            Value::NOT_WON => all(Value::is_held),
            Value::UNKNOWN => true,
            _ => expected.is_some(),
        };
        is_right.then_some(()).ok_or("its moves say otherwise")
    }

    /// Checks that a side can force another move that reaches an aim from all positions that it is told not
    /// to lose, without leaving these.
    fn check_held(&self, holder: Color, aim: Aims) {
        let reached = Marks::new(self.arena.len());
        loop {
            let changes = AtomicBool::new(false);
            let visit = |node: ArenaNode| {
                let is_new = reached.get(node) == 0
                    && self.is_claimed(node, holder)
                    && self.reaches(node, holder, aim, &reached);
                if is_new {
                    reached.set(node, 1);
                    changes.store(true, Ordering::Relaxed);
                }
            };
            self.for_each_node(visit, |_| ());
            if !changes.into_inner() {
                break;
            }
        }
        let visit = |node: ArenaNode| {
            if reached.get(node) == 0 && self.is_claimed(node, holder) {
                self.refute(node, "it is not shown to be held");
            }
        };
        self.for_each_node(visit, |_| ());
    }

    /// Whether a side is told not to lose. Positions that are not legal may have any value.
    fn is_claimed(&self, node: ArenaNode, holder: Color) -> bool {
        let value = self.value(node);
        match node.side == holder {
            true => value.is_held(),
            false => value.is_held_by_other(),
        }
    }

    fn reaches(&self, node: ArenaNode, holder: Color, aim: Aims, reached: &Marks) -> bool {
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
            let is_reached = reached.get(m.to) != 0;
            if is_holders {
                let reaches_aim = || Aims::of(m.threats()).has(aim);
                result = self.is_claimed(m.to, holder) && (is_reached || reaches_aim());
                !result
            } else {
                result &= is_reached;
                result
            }
        });
        result
    }
}
