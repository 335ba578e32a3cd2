//! Verification of a solved two-sided class.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::buchi::GOAL_PAIRS;
use super::fixpoint::{Vertex, held};
use super::graph::{GameGraph, Offenses, QuietMove};
use crate::board::{Color, Position};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;
use crate::tablebase::index::Node;
use crate::tablebase::solved::{SolvedClass, WrongValue};
use crate::tablebase::solver_state::NodeBytes;
use crate::tablebase::value::Value;

/// [`verify`](fn@crate::tablebase::verify) for a two-sided class that was solved for `rules`.
pub fn verify_two_sided(
    class: &SolvedClass,
    rules: RuleSet,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, WrongValue> {
    let checker = Checker {
        game: GameGraph::new(class.material, rules, smaller, threads),
        class,
        wrong: Mutex::new(None),
    };
    let checked = checker.check_moves(progress);
    for side in Color::ALL {
        checker.check_held(side);
        check_lost(&checker, side);
    }
    checker.wrong.into_inner().map_or(Ok(checked), Err)
}

struct Checker<'a> {
    game: GameGraph<'a>,
    class: &'a SolvedClass,
    /// The first wrong value found.
    wrong: Mutex<Option<WrongValue>>,
}

impl Checker<'_> {
    fn value(&self, node: Node) -> Value {
        Value(self.class.value(node))
    }

    /// Records a wrong value unless there is one already.
    fn report(&self, node: Node, why: &'static str) {
        let Some(position) = self.game.indexer.position(node) else {
            return;
        };
        self.wrong.lock().get_or_insert(WrongValue {
            position: Box::new(position),
            found: self.value(node).0,
            why: why.to_owned(),
        });
    }

    /// Calls `visit` with all nodes, also after it has returned `true`. Returns whether it returned `true` for any.
    fn visit_all(&self, visit: impl Fn(Node) -> bool + Sync) -> bool {
        let found = AtomicBool::new(false);
        let visit = |node| {
            if visit(node) {
                found.store(true, Ordering::Relaxed);
            }
        };
        self.game.for_each_node(visit, |_| ());
        found.into_inner()
    }

    /// Compares the value of each position with those of its moves. Returns the number of legal positions.
    fn check_moves(&self, progress: &(dyn Fn(u64) + Sync)) -> u64 {
        let checked = AtomicU64::new(0);
        let visit = |node: Node| {
            if let Some(position) = self.game.indexer.position(node) {
                checked.fetch_add(1, Ordering::Relaxed);
                if let Err(why) = self.check_node(node, position) {
                    self.report(node, why);
                }
            }
        };
        self.game.for_each_node(visit, progress);
        checked.into_inner()
    }

    fn check_node(&self, node: Node, mut position: Position) -> Result<(), &'static str> {
        let mut values = Vec::new();
        for played in legal_moves(&position) {
            let takes = position.taken_by(played).is_some();
            let undo = position.make(played);
            values.push(if takes {
                self.game.after_capture(&position)
            } else {
                self.value(self.game.indexer.of_position(&position, Color::Red))
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
            return Err("its moves give a different distance to mate");
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
            return Err("its moves give a different outcome");
        }
        if plies_are_right(found, &values) {
            Ok(())
        } else {
            Err("its moves give a different number of plies to the win or loss by rule")
        }
    }

    /// Checks that `holder` can avoid a loss by rule from all positions that are stored as held, without leaving them:
    /// it reaches both goals of a pair (see `buchi`) again and again, or a position that is already proven with another
    /// pair.
    fn check_held(&self, holder: Color) {
        let proven = NodeBytes::new(self.game.indexer.len());
        let is_open = |node| proven.get(node) == 0 && self.is_stored_held(node, holder);
        let mut has_found = true;
        while has_found {
            has_found = false;
            for goals in [Offenses::DEFAULT_GOALS].iter().chain(&GOAL_PAIRS) {
                has_found |= self.prove_held(holder, goals, &proven);
                if !self.visit_all(is_open) {
                    return;
                }
            }
        }
        self.visit_all(|node| {
            if is_open(node) {
                self.report(node, "a draw or better is not proven");
            }
            false
        });
    }

    /// Adds to `proven` the positions from which a side can reach each of two goals again and again, or a position
    /// that is already in `proven`. Returns whether any were added.
    fn prove_held(&self, holder: Color, goals: &[Offenses; 2], proven: &NodeBytes) -> bool {
        let alive = NodeBytes::new(self.game.indexer.len());
        self.visit_all(|node| {
            let is_open = proven.get(node) == 0 && self.is_stored_held(node, holder);
            is_open && alive.set_bits(node, 1)
        });
        let mut changes = true;
        while changes {
            changes = false;
            for goal in goals {
                let reached = self.reaching(holder, *goal, &alive, proven);
                changes |=
                    self.visit_all(|node| reached.get(node) == 0 && alive.clear_bits(node, 1));
            }
        }
        self.visit_all(|node| alive.get(node) != 0 && proven.set_bits(node, 1))
    }

    /// Nodes of `alive` from which a side can force a node of `proven`, or a move within `alive` without the
    /// offenses of `goal`.
    fn reaching(
        &self,
        holder: Color,
        goal: Offenses,
        alive: &NodeBytes,
        proven: &NodeBytes,
    ) -> NodeBytes {
        let reached = NodeBytes::new(self.game.indexer.len());
        let is_good = |m: &QuietMove<'_>, holder_moves| {
            let reaches_goal = || holder_moves && m.possible_offenses(m.threats()).is_free_of(goal);
            proven.get(m.to) != 0
                || alive.get(m.to) != 0 && (reached.get(m.to) != 0 || reaches_goal())
        };
        while self.visit_all(|node| {
            alive.get(node) != 0
                && reached.get(node) == 0
                && self.reaches(node, holder, is_good)
                && reached.set_bits(node, 1)
        }) {}
        reached
    }

    /// Whether the table stores that `holder` does not lose. Illegal positions have arbitrary values.
    fn is_stored_held(&self, node: Node, holder: Color) -> bool {
        self.value(node).is_held_for(node.side() == holder)
    }

    /// Whether `holder` can force a won position, a capture after which it does not lose, or a quiet move that
    /// `is_good` accepts. [`Self::check_moves`] checks the captures of the other side. `is_good` receives the move and
    /// whether the holder makes it.
    fn reaches(
        &self,
        node: Node,
        holder: Color,
        is_good: impl Fn(&QuietMove<'_>, bool) -> bool,
    ) -> bool {
        let holder_moves = node.side() == holder;
        if self.value(node).is_won_for(holder_moves) {
            return true;
        }
        // An illegal position needs no proof.
        if self.game.mover(node).is_none() {
            return true;
        }
        let mut has_holding_capture = false;
        if holder_moves {
            self.game.captures(node, |value| has_holding_capture |= value.is_held_by_other());
        }
        if has_holding_capture {
            return true;
        }
        let mut result = !holder_moves;
        self.game.quiet_moves(node, |m| {
            result = is_good(&m, holder_moves);
            result != holder_moves
        });
        result
    }
}

/// Whether the plies of a win or loss by rule fit the `values` after the moves. A win has one ply more than the
/// position after the best move. A loss has one ply more than the position after the longest defense, or one ply less
/// if the loser can delay by repeating positions. Plies that are too many to be stored count as one more than the most
/// that can be stored. A loss without stored plies fits any plies.
fn plies_are_right(found: Value, values: &[Value]) -> bool {
    let too_long = i32::from(Value::LONGEST_BY_RULE) + 1;
    let plies = |value: &Value| value.plies_by_rule().map_or(too_long, i32::from);
    let own = plies(&found);
    if found.is_won_by_rule() {
        let after = values.iter().filter(|value| value.is_lost_by_rule());
        after.map(plies).min().is_some_and(|after| own == too_long.min(after + 1))
    } else if found.is_lost_by_rule() {
        let after = values.iter().filter(|value| value.is_won_by_rule());
        after
            .map(plies)
            .max()
            .is_some_and(|after| own == too_long || own == after + 1 || own == after - 1)
    } else {
        true
    }
}

/// Target of a quiet move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// The loser is mated.
    Mate,
    /// A position stored as lost by rule, by number.
    Listed(usize),
    Elsewhere,
}

impl Target {
    /// Whether the loser is proven to lose there.
    fn is_proven(self, proven: &[bool]) -> bool {
        match self {
            Self::Mate => true,
            Self::Listed(number) => proven[number],
            Self::Elsewhere => false,
        }
    }
}

/// A position stored as lost by rule for a side.
struct LostPosition {
    node: Node,
    /// Half the plies by rule, rounded down, which is equal for all positions of a zone (see `co_buchi`); [`UNCOUNTED`]
    /// if the plies are not stored.
    level: u8,
    loser_moves: bool,
    /// Whether the side to move has a capture that decides: for the loser one that is not proven to lose, for the other
    /// side one that wins.
    has_deciding_capture: bool,
    quiet: Vec<ListedMove>,
}

/// A quiet move of a [`LostPosition`].
struct ListedMove {
    target: Target,
    /// Offenses that the move may commit.
    possible: Offenses,
    /// Offenses that the move certainly commits.
    certain: Offenses,
}

/// Checks that `loser` loses all positions stored as lost by rule. Positions are proven in order of their level. Each
/// position of a level is in a zone (see `co_buchi`), or the other side can force proven positions from it. All zones
/// of a level must have the same offense. Positions without stored plies are proven zone by zone, as in the solver.
fn check_lost(checker: &Checker<'_>, loser: Color) {
    let list = lost_positions(checker, loser);
    let mut proven = vec![false; list.len()];
    let mut levels: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (number, lost) in list.iter().enumerate() {
        levels.entry(lost.level).or_default().push(number);
    }
    for (level, mut open) in levels {
        force(&list, &mut open, &mut proven);
        let mut has_found = true;
        while has_found && !open.is_empty() {
            has_found = Offenses::EACH.into_iter().any(|offense| {
                let zone = zone(checker, &list, &open, &proven, offense);
                let (mut left, mut extended) = (open.clone(), proven.clone());
                zone.iter().for_each(|number| extended[*number] = true);
                left.retain(|number| !extended[*number]);
                force(&list, &mut left, &mut extended);
                let is_enough = match level {
                    UNCOUNTED => !zone.is_empty(),
                    _ => left.is_empty(),
                };
                if is_enough {
                    (open, proven) = (left, extended);
                }
                is_enough
            });
        }
        if let Some(number) = open.first() {
            checker.report(list[*number].node, "the loss by rule is not proven");
        }
    }
}

/// Moves positions from `open` to `proven` while proven positions can be forced from them.
fn force(list: &[LostPosition], open: &mut Vec<usize>, proven: &mut [bool]) {
    let mut before = None;
    while before != Some(open.len()) {
        before = Some(open.len());
        open.retain(|number| {
            proven[*number] |= is_forced(&list[*number], proven);
            !proven[*number]
        });
    }
}

/// Level of positions without stored plies.
const UNCOUNTED: u8 = u8::MAX;

/// Positions stored as lost by rule for `loser`, with their moves.
fn lost_positions(checker: &Checker<'_>, loser: Color) -> Vec<LostPosition> {
    let is_stored_lost = |node: &Node| {
        let value = checker.value(*node);
        let is_lost =
            if node.side() == loser { value.is_lost_by_rule() } else { value.is_won_by_rule() };
        is_lost && checker.game.indexer.position(*node).is_some()
    };
    let all_of = |side| (0..checker.game.indexer.len()).map(move |index| Node::new(index, side));
    let all = Color::ALL.into_iter().flat_map(all_of);
    let nodes: Vec<Node> = all.filter(is_stored_lost).collect();
    let numbers: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
    let with_moves = |node: &Node| {
        let loser_moves = node.side() == loser;
        let mut lost = LostPosition {
            node: *node,
            level: checker.value(*node).plies_by_rule().map_or(UNCOUNTED, |plies| plies / 2),
            loser_moves,
            has_deciding_capture: false,
            quiet: Vec::new(),
        };
        checker.game.captures(*node, |value| {
            lost.has_deciding_capture |=
                if loser_moves { !value.is_won() } else { value.is_lost() };
        });
        checker.game.quiet_moves(*node, |m| {
            let value = checker.value(m.to);
            let mate = value.plies().is_some();
            let target = match numbers.get(&m.to) {
                Some(number) => Target::Listed(*number),
                None if mate && value.is_won_for(loser_moves) => Target::Mate,
                None => Target::Elsewhere,
            };
            let threats = m.threats();
            lost.quiet.push(ListedMove {
                target,
                possible: m.possible_offenses(threats),
                certain: m.offenses(threats),
            });
            true
        });
        lost
    };
    nodes.iter().map(with_moves).collect()
}

/// Whether the other side can force a proven position, a mate or a winning capture.
fn is_forced(lost: &LostPosition, proven: &[bool]) -> bool {
    let mut quiet = lost.quiet.iter();
    let is_proven = |m: &ListedMove| m.target.is_proven(proven);
    if lost.loser_moves {
        !lost.has_deciding_capture && quiet.all(is_proven)
    } else {
        lost.has_deciding_capture || quiet.any(is_proven)
    }
}

/// Positions of `open` in a zone of this offense.
fn zone(
    checker: &Checker<'_>,
    list: &[LostPosition],
    open: &[usize],
    proven: &[bool],
    offense: Offenses,
) -> Vec<usize> {
    // The number of the last vertex, which reaches no goal.
    let nowhere = open.len();
    let vertices: HashMap<usize, usize> = open.iter().copied().zip(0..).collect();
    let vertex_of = |target: &Target| match target {
        Target::Listed(number) => vertices.get(number).copied().unwrap_or(nowhere),
        Target::Mate | Target::Elsewhere => nowhere,
    };
    // Under the computer rules a repetition with a check by either side has no chases, so the winner must not give
    // check.
    let without_checks = checker.game.rules == RuleSet::Computer && offense != Offenses::CHECK;
    let vertex = |number: &usize| {
        let lost = &list[*number];
        let mut vertex = Vertex { chooses: !lost.loser_moves, edges: Vec::new() };
        for ListedMove { target, possible, certain } in &lost.quiet {
            let to = vertex_of(target);
            if target.is_proven(proven) {
                continue;
            }
            if lost.loser_moves {
                let to = if certain.contains(offense) { to } else { nowhere };
                vertex.edges.push((to, Offenses::NO_MOVE));
            } else if to != nowhere && !(without_checks && possible.contains(Offenses::CHECK)) {
                vertex.edges.push((to, *possible));
            }
        }
        if lost.loser_moves && lost.has_deciding_capture {
            vertex.edges.push((nowhere, Offenses::NO_MOVE));
        }
        vertex
    };
    let end = Vertex { chooses: false, edges: vec![(nowhere, Offenses::NO_MOVE)] };
    let graph: Vec<Vertex> = open.iter().map(vertex).chain([end]).collect();
    let held = held(&graph, offense.winner_goals());
    let zone = open.iter().zip(held);
    zone.filter_map(|(number, is_held)| is_held.then_some(*number)).collect()
}
