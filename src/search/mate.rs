//! Mates by checks alone (连将杀): a proof search over checks and the answers to them.
//!
//! The attacker tries checks only and the defender every legal move, so that the tree is narrow and
//! a mate of dozens of plies is proven in a fraction of a second. Depth grows by two plies, which makes
//! the mate that is found the shortest one of its kind. A proof is exact; that there is no such proof
//! says nothing of mates with quiet moves in between.

use std::collections::HashMap;

use super::request::Control;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::Game;

/// Positions between two looks at the stop flag.
const POLL: u64 = 1024;
/// Positions remembered at most; beyond that the memory is cleared.
const MAX_KNOWN: usize = 1 << 21;

/// A mate that has been proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mate {
    /// Moves of both sides to the mate, with the longest resistance.
    pub line: Vec<Move>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Looks for a mate in at most `plies` plies in the position at the end of `game`, with a first move
/// out of `root_moves`, until it is stopped or has looked at so many positions.
pub(super) fn mate_by_checks(
    game: &Game,
    root_moves: &[Move],
    plies: u32,
    max_nodes: u64,
    control: &Control,
) -> Option<Mate> {
    let mut search = MateSearch {
        position: game.position().clone(),
        known: HashMap::new(),
        nodes: 0,
        max_nodes,
        control,
        stopped: false,
        cut_off: false,
    };
    for depth in (1..=plies).step_by(2) {
        for &first in root_moves {
            if search.is_mating(first, depth) {
                let line = search.line(first, depth);
                if line.len() != depth as usize {
                    // The line was broken off.
                    return None;
                }
                return Some(Mate {
                    line,
                    nodes: search.nodes,
                });
            }
            if search.stopped {
                return None;
            }
        }
        // Without a line that was cut off by the depth a greater one finds no more.
        if !std::mem::take(&mut search.cut_off) {
            return None;
        }
    }
    None
}

/// More plies than any search is deep.
const FOR_EVER: u32 = u32::MAX;

/// What is known of a position with the attacker to move.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// There is no mate by checks in this many plies.
    refuted: u32,
    /// There is one in this many, if not 0.
    proven: u32,
}

struct MateSearch<'a> {
    position: Position,
    known: HashMap<u64, Known>,
    nodes: u64,
    max_nodes: u64,
    control: &'a Control,
    stopped: bool,
    /// Whether the depth has ended a line in which the attacker might have gone on.
    cut_off: bool,
}

impl MateSearch<'_> {
    /// Whether the attacker, to move, mates by checks within so many plies.
    fn attack(&mut self, plies: u32) -> bool {
        let key = self.position.key();
        let known = self.known.get(&key).copied().unwrap_or_default();
        if known.proven > 0 && known.proven <= plies {
            return true;
        }
        if known.refuted >= plies {
            return false;
        }
        let moves = legal_moves(&self.position);
        let mut has_check = false;
        for &played in &moves {
            let undo = self.position.make(played);
            let is_check = self.position.in_check();
            self.position.unmake(played, undo);
            has_check |= is_check;
            if is_check && self.is_mating(played, plies) {
                let known = self.known.entry(key).or_default();
                known.proven = plies;
                return true;
            }
            if self.stopped {
                return false;
            }
        }
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let known = self.known.entry(key).or_default();
        known.refuted = if has_check { plies } else { FOR_EVER };
        false
    }

    /// Whether a move gives check and mates within so many plies, itself counted.
    fn is_mating(&mut self, played: Move, plies: u32) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL) && self.control.is_stopped()
            || self.nodes >= self.max_nodes
        {
            self.stopped = true;
            return false;
        }
        let undo = self.position.make(played);
        let mates = self.position.in_check() && self.is_lost(plies - 1);
        self.position.unmake(played, undo);
        mates
    }

    /// Whether the defender, in check, is mated whatever is played within so many plies.
    fn is_lost(&mut self, plies: u32) -> bool {
        let answers = legal_moves(&self.position);
        if plies == 0 {
            self.cut_off |= !answers.is_empty();
            return answers.is_empty();
        }
        answers.iter().all(|&answer| {
            let undo = self.position.make(answer);
            let lost = self.attack(plies - 1);
            self.position.unmake(answer, undo);
            lost
        })
    }

    /// The moves of a mate in `plies` that begins with `first`: the quickest attack against the
    /// longest defence.
    fn line(&mut self, first: Move, plies: u32) -> Vec<Move> {
        let start = self.position.clone();
        let mut line = vec![first];
        self.position.make(first);
        let mut left = plies - 1;
        while left > 0 && !self.stopped {
            let Some((answer, needed)) = self.longest_defence(left) else {
                break;
            };
            line.push(answer);
            self.position.make(answer);
            left = needed;
            let moves = legal_moves(&self.position);
            let Some(next) = moves.iter().copied().find(|&m| self.is_mating(m, left)) else {
                break;
            };
            line.push(next);
            self.position.make(next);
            left -= 1;
        }
        self.position = start;
        line
    }

    /// The answer after which the mate takes longest, and the plies that it takes.
    fn longest_defence(&mut self, plies: u32) -> Option<(Move, u32)> {
        let answers = legal_moves(&self.position);
        let mut longest = None;
        for &answer in &answers {
            let undo = self.position.make(answer);
            let needed = (1..plies).step_by(2).find(|&needed| self.attack(needed));
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

    fn mate(fen: &str, plies: u32) -> Option<Vec<String>> {
        let game = Game::new(fen.parse().unwrap());
        let moves = legal_moves(game.position()).to_vec();
        let mate = mate_by_checks(&game, &moves, plies, u64::MAX, &Control::new(false))?;
        Some(mate.line.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn mates_are_the_shortest() {
        let two_rooks = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";
        assert_eq!(mate(two_rooks, 1), None);
        let line = mate(two_rooks, 9).unwrap();
        assert_eq!(line.len(), 3, "{line:?}");
        let at_once = mate("3k5/R8/9/9/9/9/9/9/4R4/4K4 w", 9).unwrap();
        assert_eq!(at_once.len(), 1);
    }

    #[test]
    fn every_answer_is_met() {
        let game = Game::new("3k5/9/R8/1R7/9/9/9/9/9/5K3 w".parse().unwrap());
        let moves = legal_moves(game.position()).to_vec();
        let control = Control::new(false);
        let found = mate_by_checks(&game, &moves, 5, u64::MAX, &control).unwrap();
        let mut position = game.position().clone();
        for (n, played) in found.line.iter().enumerate() {
            assert!(legal_moves(&position).contains(played));
            position.make(*played);
            assert!(n % 2 == 1 || position.in_check());
        }
        assert!(legal_moves(&position).is_empty());
    }

    #[test]
    fn where_no_check_leads_on_the_search_ends() {
        assert_eq!(mate("4k4/9/9/9/9/9/4P4/9/9/3K5 w", 201), None);
        assert_eq!(
            mate(
                "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
                99
            ),
            None
        );
    }

    #[test]
    fn it_can_be_stopped() {
        let game = Game::startpos();
        let control = Control::new(false);
        control.stop();
        let moves = legal_moves(game.position()).to_vec();
        assert_eq!(mate_by_checks(&game, &moves, 61, u64::MAX, &control), None);
        assert_eq!(
            mate_by_checks(&game, &moves, 61, 5, &Control::new(false)),
            None
        );
    }
}
