//! Mates by checks alone (连将杀): a search over checks and all replies to them.
//!
//! The tree is narrow, so a mate in dozens of plies is proven in a fraction of a second. The depth limit grows by two
//! plies per iteration, so the mate found is the shortest by checks. A line ends without a mate where a position of
//! the game occurs again and the rules then judge the repetition. Repetitions within the line need no test, because a
//! shortest mate has none. A mate found is therefore always correct, unless the no-capture limit comes before it, which
//! the caller tests. If none is found, there may still be a mate with quiet moves.

use std::time::Duration;

use super::game_occurrences::GameOccurrences;
use super::request::{Control, NODES_BETWEEN_POLLS};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::Game;

/// Maximum number of slots of a table.
const MAX_SLOTS: usize = 1 << 20;

/// Limits of a search for a mate.
#[derive(Clone, Copy, Debug)]
pub struct MateLimits {
    /// Maximum length of the mate in plies.
    pub plies: u32,
    /// Maximum number of nodes.
    pub nodes: u64,
    /// Maximum time since the clock started; `None` for no limit.
    pub time: Option<Duration>,
}

/// Searches the position at the end of `game` for a mate that begins with one of `root_moves`, until it is stopped or
/// reaches a limit. Returns the moves of both sides to the mate, with the longest defense, and the number of nodes
/// searched. Without a proven mate the list of moves is empty.
pub fn mate_by_checks(
    game: &Game,
    occurrences: &GameOccurrences,
    root_moves: &[Move],
    limits: MateLimits,
    control: &Control,
) -> (Vec<Move>, u64) {
    let Some(known) = MateTable::new(limits.nodes) else {
        return Default::default();
    };
    let mut search = MateSearch {
        position: game.position().clone(),
        occurrences,
        known,
        nodes: 0,
        limits,
        control,
        stopped: false,
        cut_off: false,
    };
    let line = search.shortest_mate(root_moves).unwrap_or_default();
    (line, search.nodes)
}

/// Larger than every depth: the [`MateBounds::refuted`] of a position without a mate of any length.
pub const ANY_DEPTH: u32 = u32::MAX;

/// Results for a position. The search by checks alone stores only positions with the attacker to move and considers
/// only mates by checks; the proof-number search stores all positions and considers all mates.
#[derive(Clone, Copy, Debug, Default)]
pub struct MateBounds {
    /// There is no mate within this number of plies; 0 if nothing is refuted.
    pub refuted: u32,
    /// There is a mate within this number of plies; 0 if none is proven.
    pub proven: u32,
}

/// Results by key: a table of fixed size, in which a new position replaces the old one of its slot.
pub struct MateTable {
    slots: Vec<(u64, MateBounds)>,
}

impl MateTable {
    /// A table for this number of positions, or for fewer if memory is short; `None` if there is no memory even for
    /// one.
    pub fn new(positions: u64) -> Option<Self> {
        let slots = empty_slots(positions, 1)?;
        Some(Self { slots })
    }

    pub fn get(&self, key: u64) -> MateBounds {
        let (known_key, known) = self.slots[self.index(key)];
        if known_key == key { known } else { MateBounds::default() }
    }

    pub fn get_mut(&mut self, key: u64) -> &mut MateBounds {
        let index = self.index(key);
        let (known_key, known) = &mut self.slots[index];
        if *known_key != key {
            (*known_key, *known) = (key, MateBounds::default());
        }
        known
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }
}

/// The slots of a table for this number of positions: a power of two from `least`, itself a power of two, to
/// [`MAX_SLOTS`]. There are fewer slots if memory is short; `None` if there is no memory even for `least`.
pub fn empty_slots<T: Clone + Default>(positions: u64, least: usize) -> Option<Vec<T>> {
    let wanted = usize::try_from(positions).unwrap_or(MAX_SLOTS);
    let mut size = wanted.clamp(least, MAX_SLOTS).next_power_of_two();
    let mut slots = Vec::new();
    while slots.try_reserve_exact(size).is_err() {
        size /= 2;
        if size < least {
            return None;
        }
    }
    slots.resize(size, T::default());
    Some(slots)
}

struct MateSearch<'a> {
    position: Position,
    /// The earlier positions of the game, whose next occurrence may decide it.
    occurrences: &'a GameOccurrences,
    known: MateTable,
    nodes: u64,
    limits: MateLimits,
    control: &'a Control,
    stopped: bool,
    /// Whether the depth limit has ended a line before a mate, so that a deeper search may find one.
    cut_off: bool,
}

impl MateSearch<'_> {
    fn shortest_mate(&mut self, root_moves: &[Move]) -> Option<Vec<Move>> {
        for depth in (1..=self.limits.plies).step_by(2) {
            for &first in root_moves {
                if self.try_check(first, depth) {
                    let line = self.line(first, depth);
                    // A shorter line means that the search was stopped while it collected the moves.
                    return (line.len() == depth as usize).then_some(line);
                }
                if self.stopped {
                    return None;
                }
            }
            // The depth limit has ended no line of this iteration. A mate after a position that an earlier iteration
            // has refuted only to its depth limit may be missed, which is rare.
            if !std::mem::take(&mut self.cut_off) {
                return None;
            }
        }
        None
    }

    /// Whether the search was stopped or its time is up.
    fn is_over(&self) -> bool {
        let is_up = |time| self.control.clock_elapsed() >= time;
        self.control.is_stopped() || self.limits.time.is_some_and(is_up)
    }

    /// Whether this occurrence of the position decides the game by repetition.
    fn is_decided(&self) -> bool {
        self.occurrences.decides(self.position.key())
    }

    /// Whether the attacker, to move, mates by checks within `plies`.
    fn or_node(&mut self, plies: u32) -> bool {
        let key = self.position.key();
        let known = self.known.get(key);
        if known.proven > 0 && known.proven <= plies {
            return true;
        }
        if known.refuted >= plies {
            return false;
        }
        let moves = legal_moves(&self.position);
        let mut has_check = false;
        for &played in &moves {
            let is_check = self.position.gives_check(played);
            has_check |= is_check;
            if is_check && self.try_check(played, plies) {
                self.known.get_mut(key).proven = plies;
                return true;
            }
            if self.stopped {
                return false;
            }
        }
        self.known.get_mut(key).refuted = if has_check { plies } else { ANY_DEPTH };
        false
    }

    /// Whether a move gives check and mates within `plies`, including itself.
    fn try_check(&mut self, played: Move, plies: u32) -> bool {
        self.nodes += 1;
        if self.nodes % NODES_BETWEEN_POLLS == 1 && self.is_over()
            || self.nodes >= self.limits.nodes
        {
            self.stopped = true;
            return false;
        }
        let undo = self.position.make(played);
        let mates = self.position.in_check() && !self.is_decided() && self.and_node(plies - 1);
        self.position.unmake(played, undo);
        mates
    }

    /// Whether the defender, in check, is mated within `plies` after every reply.
    fn and_node(&mut self, plies: u32) -> bool {
        let answers = legal_moves(&self.position);
        if plies == 0 {
            self.cut_off |= !answers.is_empty();
            return answers.is_empty();
        }
        answers.iter().all(|&answer| {
            let undo = self.position.make(answer);
            let lost = !self.is_decided() && self.or_node(plies - 1);
            self.position.unmake(answer, undo);
            lost
        })
    }

    /// The moves of a mate in `plies` that begins with `first`: the quickest attack against the longest
    /// defense.
    fn line(&mut self, first: Move, plies: u32) -> Vec<Move> {
        let start = self.position.clone();
        let mut line = vec![first];
        self.position.make(first);
        let mut left = plies - 1;
        while left > 0 && !self.stopped {
            let Some((answer, needed)) = self.longest_defense(left) else {
                break;
            };
            line.push(answer);
            self.position.make(answer);
            left = needed;
            let moves = legal_moves(&self.position);
            let Some(next) = moves.iter().copied().find(|&m| self.try_check(m, left)) else {
                break;
            };
            line.push(next);
            self.position.make(next);
            left -= 1;
        }
        self.position = start;
        line
    }

    /// The reply after which the mate takes longest, and its length in plies after that reply.
    fn longest_defense(&mut self, plies: u32) -> Option<(Move, u32)> {
        let answers = legal_moves(&self.position);
        let mut longest = None;
        for &answer in &answers {
            let undo = self.position.make(answer);
            let needed = (1..plies).step_by(2).find(|&needed| self.or_node(needed));
            self.position.unmake(answer, undo);
            if needed > longest.map(|(_, needed)| needed) {
                longest = needed.map(|needed| (answer, needed));
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RuleSet, Verdict, judge_outcome};

    const TWO_ROOKS: &str = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";

    /// Limits of plies and nodes, without a time limit.
    fn within(plies: u32, nodes: u64) -> MateLimits {
        MateLimits { plies, nodes, time: None }
    }

    fn search(game: &Game, limits: MateLimits, control: &Control) -> (Vec<Move>, u64) {
        let moves = legal_moves(game.position()).to_vec();
        let occurrences = GameOccurrences::new(game, RuleSet::default());
        mate_by_checks(game, &occurrences, &moves, limits, control)
    }

    #[test]
    fn mates_are_the_shortest_and_their_lines_end_in_mate() {
        // The length of the mate, 0 if none is found. The last two searches end because no check is left.
        for (fen, plies, length) in [
            (TWO_ROOKS, 1, 0),
            (TWO_ROOKS, 5, 3),
            (TWO_ROOKS, 9, 3),
            ("3k5/R8/9/9/9/9/9/9/4R4/4K4 w", 9, 1),
            ("4k4/9/9/9/9/9/4P4/9/9/3K5 w", 201, 0),
            (crate::notation::fen::START, 99, 0),
        ] {
            let game = Game::new(fen.parse().unwrap());
            let (line, _) = search(&game, within(plies, u64::MAX), &Control::new(false));
            assert_eq!(line.len(), length, "{fen}: {line:?}");
            let mut position = game.position().clone();
            for (n, played) in line.iter().enumerate() {
                assert!(legal_moves(&position).contains(played));
                position.make(*played);
                assert!(n % 2 == 1 || position.in_check());
            }
            assert!(line.is_empty() || legal_moves(&position).is_empty());
        }
    }

    #[test]
    fn a_search_ends_at_its_limits_or_when_stopped() {
        let game = Game::new(TWO_ROOKS.parse().unwrap());
        let control = Control::new(false);
        let (line, nodes) = search(&game, within(61, u64::MAX), &control);
        assert_eq!(line.len(), 3);
        let interrupted = search(&game, within(61, nodes / 2), &control);
        assert!(interrupted.0.is_empty());
        assert!(interrupted.1 <= nodes / 2);
        let no_time = MateLimits { time: Some(Duration::ZERO), ..within(61, u64::MAX) };
        assert_eq!(search(&game, no_time, &control), (Vec::new(), 1));
        control.stop();
        let stopped = search(&game, within(61, u64::MAX), &control);
        assert!(stopped.0.is_empty());
    }

    #[test]
    fn a_repetition_that_decides_the_game_is_not_a_mate() {
        // The position after the first check of the mate has occurred twice. The third occurrence ends the game.
        for (fen, moves) in [
            ("3k5/R8/9/1N1P5/9/9/9/9/9/4K4 w - - 0 1", "a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a6 d8d9"),
            ("3k5/9/R8/1N1P5/9/9/9/9/9/4K4 w - - 0 1", "a7a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9"),
        ] {
            let mut game = Game::new(fen.parse().unwrap());
            game.push_line(moves);
            let mate = |game: &Game| search(game, within(99, u64::MAX), &Control::new(false)).0;
            assert!(mate(&game).is_empty(), "{fen}");
            // Without the history it is a mate.
            let line = mate(&Game::new(game.position().clone()));
            assert_eq!(line.len(), 3, "{fen}");
            game.push(line[0]).unwrap();
            let verdict = judge_outcome(&game, RuleSet::default()).verdict;
            assert_ne!(verdict, Verdict::Undecided, "{fen}");
        }
    }
}
