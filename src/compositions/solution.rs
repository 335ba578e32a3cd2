//! Solutions of mate problems (排局): every defense with its refutation, other solutions, and the verification of a
//! solution by the rules alone.

use std::collections::HashMap;
use std::sync::Arc;

use super::{SolveError, VerifyError};
use crate::board::{Move, Position};
use crate::movegen::{is_legal, legal_moves};
use crate::rules::{Cause, Game, RuleSet, is_within_no_capture_limit, judge_outcome};
use crate::search::{Limits, Meaning, Outcome, SearchRequest, Settings, plies_of_mate};
use crate::tablebase::{RepeatedPositions, TableOutcome, Tables};

/// Maximum number of attacking moves in a solution.
const MAX_TREE: usize = 200_000;
/// The same for the tree that [`Solver::solve`] makes before it looks for shorter mates.
const MAX_QUICK_TREE: usize = 2_000;

/// A move of the attacker that mates by force, with the answers to all replies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatingMove {
    /// The move.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
    /// The length of the mate in plies, including this move.
    pub plies: u32,
    /// Whether the mate after this move is proven by an endgame tablebase, which takes the place of the replies.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    pub by_table: bool,
    /// All legal replies, longest defense first; none if the move mates or stalemates, or if `by_table` is set.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub replies: Vec<Refutation>,
}

/// A reply of the defender and the move that refutes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Refutation {
    /// The reply.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
    /// The move that refutes it.
    pub answer: MatingMove,
}

impl MatingMove {
    /// The main line: the longest defense.
    pub fn main_line(&self) -> Vec<Move> {
        let mut line = vec![self.played];
        let mut node = self;
        while let Some(reply) = node.replies.first() {
            line.extend([reply.played, reply.answer.played]);
            node = &reply.answer;
        }
        line
    }

    /// Number of moves of the attacker in the tree.
    pub fn size(&self) -> usize {
        let below = self.replies.iter().map(|reply| reply.answer.size());
        1 + below.sum::<usize>()
    }
}

/// Another move that mates in a position with the attacker to move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherMove {
    /// The move.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
    /// The length in plies of the mate that was found; there may be a shorter one after this move.
    pub plies: u32,
}

/// The other moves of the attacker, in a position of the main line, that mate within the remaining number of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherMoves {
    /// Number of the move in the solution, from 1. Other first moves are cooks, later ones duals.
    pub number: u32,
    /// The moves.
    pub moves: Vec<OtherMove>,
    /// Whether it is proven that no more of them exist.
    pub is_complete: bool,
}

/// The solution of a mate problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solution {
    /// The first move with the answers to all replies.
    pub tree: MatingMove,
    /// Whether it is proven that there is no shorter mate.
    pub is_shortest: bool,
    /// For each attacking move of the main line, the other moves that mate within the remaining number of moves.
    pub others: Vec<OtherMoves>,
}

/// A mate found after a reply, as stored to resume a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KnownMate {
    /// The position after the reply, with the attacker to move.
    #[cfg_attr(feature = "serde", serde(rename = "fen"))]
    pub position: Position,
    /// The first move of the mate.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
    /// The length of the mate in plies.
    pub plies: u32,
}

/// The result of one search for a mate.
enum Answer {
    Mate { played: Move, plies: u32 },
    NoMate,
    Unknown,
}

/// The mates that a tree has after each reply, and the positions in which its lines may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    /// The shortest mates that are found.
    Shortest,
    Any,
    /// Any mates; a line may end in a position of an endgame tablebase.
    AnyToTables,
}

/// Solves mate problems.
pub struct Solver<'a> {
    /// Runs a search to its end. An error ends the solver.
    run: Box<dyn FnMut(SearchRequest) -> Result<Outcome, SolveError> + 'a>,
    rules: RuleSet,
    /// Node limit of each search.
    nodes: u64,
    tables: Arc<Tables>,
    /// Whether a search was stopped, so that no more are started.
    is_stopped: bool,
    /// The mates found after replies, by the key of the position.
    mates: HashMap<u64, KnownMate>,
}

impl<'a> Solver<'a> {
    /// A solver under `rules`. It calls `run` for each position that `tables` do not decide, with the node limit
    /// `nodes`.
    pub fn new(
        rules: RuleSet,
        nodes: u64,
        tables: Arc<Tables>,
        run: impl FnMut(SearchRequest) -> Result<Outcome, SolveError> + 'a,
    ) -> Self {
        Self { run: Box::new(run), rules, nodes, tables, is_stopped: false, mates: HashMap::new() }
    }

    /// The mates found after replies.
    pub fn known(&self) -> Vec<KnownMate> {
        self.mates.values().cloned().collect()
    }

    /// Uses mates that an earlier run found. A wrong mate can prevent a solution, but it never leads to a wrong
    /// solution.
    ///
    /// # Errors
    /// A move is illegal.
    pub fn resume(&mut self, known: Vec<KnownMate>) -> Result<(), SolveError> {
        for mate in known {
            if !is_legal(&mate.position, mate.played) {
                let error = format!("{}: illegal move {}", mate.position, mate.played);
                return Err(SolveError::Failed(error));
            }
            self.mates.insert(mate.position.key(), mate);
        }
        Ok(())
    }

    /// Proves that the position at the end of `game` is won, by a mate in at most `moves` moves that need not be the
    /// shortest. Its lines may end in positions of the endgame tablebases.
    ///
    /// # Errors
    /// There is no such mate, it or a refutation was not found, the tree is too large, or the searches failed or were
    /// stopped.
    pub fn win(&mut self, game: &Game, moves: u32) -> Result<MatingMove, SolveError> {
        let (played, plies) = self.first_mate(game, moves).map_err(|error| match error {
            SolveError::NoMate(moves) => SolveError::NoWin(moves),
            SolveError::NotFound(_) => SolveError::NoWinFound,
            error => error,
        })?;
        self.tree(game, played, plies, Lines::AnyToTables, &mut 0)
    }

    /// Solves the position at the end of `game`: a mate in at most `moves` moves. If the searches are stopped after a
    /// complete tree has been found, the solution has that tree, and what was not searched is not claimed.
    ///
    /// # Errors
    /// There is no such mate, it or a refutation was not found, the tree is too large, the searches failed, or they
    /// were stopped before a complete tree was found.
    pub fn solve(&mut self, game: &Game, moves: u32) -> Result<Solution, SolveError> {
        let (first, plies) = self.first_mate(game, moves)?;
        let quick = self.quick_tree(game, first, plies)?;
        let (tree, is_shortest) = match (self.shortest_tree(game, first, plies), quick) {
            (Err(SolveError::Stopped), Some(tree)) => (tree, false),
            (shortest, _) => shortest?,
        };
        let mut others = Vec::new();
        let mut here = game.clone();
        // Each chunk is a move of the attacker and the reply to it; the last one has no reply.
        for (number, moves) in (1..).zip(tree.main_line().chunks(2)) {
            // The number of the attacker's moves from this one to the mate.
            let left = (tree.plies + 3) / 2 - number;
            others.push(self.others(&here, number, moves[0], left)?);
            for played in moves {
                if here.push(*played).is_err() {
                    break;
                }
            }
        }
        Ok(Solution { tree, is_shortest, others })
    }

    /// The tree of the shortest mate that is found, and whether it is proven that there is no shorter one.
    fn shortest_tree(
        &mut self,
        game: &Game,
        first: Move,
        plies: u32,
    ) -> Result<(MatingMove, bool), SolveError> {
        let (first, plies, is_shortest) = self.shorten(game, first, plies)?;
        let tree = self.tree(game, first, plies, Lines::Shortest, &mut 0)?;
        let is_shortest = is_shortest && tree.plies == plies;
        Ok((tree, is_shortest))
    }

    /// A tree without searches for shorter mates, which is the solution if those searches are stopped. `None` if it has
    /// more than [`MAX_QUICK_TREE`] attacking moves or another error than a stop occurs.
    fn quick_tree(
        &mut self,
        game: &Game,
        first: Move,
        plies: u32,
    ) -> Result<Option<MatingMove>, SolveError> {
        let known = self.mates.clone();
        // The count of moves starts at this value, so that at most `MAX_QUICK_TREE` moves are left to the limit.
        let tree = self.tree(game, first, plies, Lines::Any, &mut (MAX_TREE - MAX_QUICK_TREE));
        // The mates found are not the shortest ones.
        self.mates = known;
        match tree {
            Err(SolveError::Stopped) => Err(SolveError::Stopped),
            tree => Ok(tree.ok()),
        }
    }

    /// The first move and the length in plies of a mate in at most `moves` moves.
    fn first_mate(&mut self, game: &Game, moves: u32) -> Result<(Move, u32), SolveError> {
        self.is_stopped = false;
        match self.mate(game, moves, None)? {
            Answer::Mate { played, plies } => Ok((played, plies)),
            Answer::Unknown => Err(SolveError::NotFound(moves)),
            Answer::NoMate => {
                let probe = self.tables.probe(game.position(), self.rules);
                Err(match probe.map(|probe| (probe.outcome, probe.draw_holds)) {
                    Some((TableOutcome::Draw, true)) => SolveError::Drawn,
                    Some((TableOutcome::Loss(_) | TableOutcome::LossByRule(_), _)) => {
                        SolveError::Lost
                    }
                    _ => SolveError::NoMate(moves),
                })
            }
        }
    }

    /// Searches for a mate in at most `moves` moves that begins with one of `root_moves` (`None`: any).
    fn mate(
        &mut self,
        game: &Game,
        moves: u32,
        root_moves: Option<Vec<Move>>,
    ) -> Result<Answer, SolveError> {
        if moves == 0 {
            return Ok(Answer::NoMate);
        }
        let depth = plies_of_mate(moves);
        if let Some(answer) = self.table_answer(game, depth, root_moves.as_deref()) {
            return Ok(answer);
        }
        if self.is_stopped {
            return Err(SolveError::Stopped);
        }
        let limits = Limits { mate: Some(moves), nodes: Some(self.nodes), ..Limits::default() };
        let request = SearchRequest {
            root_moves,
            settings: Settings { rules: self.rules, ..Settings::default() },
            tablebases: Some(self.tables.clone()),
            ..SearchRequest::new(game.clone(), limits)
        };
        let outcome = (self.run)(request);
        self.is_stopped = matches!(outcome, Err(SolveError::Stopped));
        let outcome = outcome?;
        let meaning = outcome.score.map(|score| score.meaning());
        Ok(match (outcome.best, meaning) {
            (Some(played), Some(Meaning::Mates(plies))) if plies <= depth => {
                Answer::Mate { played, plies }
            }
            (None, _) => Answer::NoMate,
            _ if outcome.no_mate => Answer::NoMate,
            _ => Answer::Unknown,
        })
    }

    /// The answer of the endgame tablebases, if they have one: that there is no mate in at most `limit` plies, or the
    /// shortest such mate whose first move leads into a tablebase. The first move is one of `root_moves` (`None`: any).
    fn table_answer(&self, game: &Game, limit: u32, root_moves: Option<&[Move]>) -> Option<Answer> {
        let (position, rules) = (game.position(), self.rules);
        if self.tables.exclude_mate(position, rules, root_moves, limit) {
            return Some(Answer::NoMate);
        }
        let allowed = |played: &Move| root_moves.is_none_or(|moves| moves.contains(played));
        let moves = legal_moves(position).into_iter().filter(allowed);
        let mates = moves.filter_map(|played| {
            let mut after = game.clone();
            after.push(played).ok()?;
            let plies = 1 + mated_in(&after, &self.tables, rules)?;
            (plies <= limit).then_some((played, plies))
        });
        let (played, plies) = mates.min_by_key(|(_, plies)| *plies)?;
        Some(Answer::Mate { played, plies })
    }

    /// The shortest mate that is found, and whether it is proven that there is no shorter one.
    fn shorten(
        &mut self,
        game: &Game,
        mut first: Move,
        mut length: u32,
    ) -> Result<(Move, u32, bool), SolveError> {
        loop {
            // A mate in `length` plies, an odd number, takes `length / 2 + 1` moves. This searches for one move fewer.
            match self.mate(game, length / 2, None)? {
                Answer::Mate { played, plies } => (first, length) = (played, plies),
                Answer::NoMate => return Ok((first, length, true)),
                Answer::Unknown => return Ok((first, length, false)),
            }
        }
    }

    /// The tree of a mate in at most `plies` that begins with `first`. Adds the number of its attacking moves to
    /// `size`.
    fn tree(
        &mut self,
        game: &Game,
        first: Move,
        plies: u32,
        lines: Lines,
        size: &mut usize,
    ) -> Result<MatingMove, SolveError> {
        *size += 1;
        if *size > MAX_TREE {
            return Err(SolveError::TooLarge(MAX_TREE));
        }
        let mut after = game.clone();
        let mut replies = Vec::new();
        if after.push(first).is_ok() {
            if lines == Lines::AnyToTables
                && let Some(rest) = mated_in(&after, &self.tables, self.rules)
                && rest > 0
            {
                return Ok(MatingMove { played: first, plies: 1 + rest, by_table: true, replies });
            }
            for reply in legal_moves(after.position()) {
                let mut next = after.clone();
                if next.push(reply).is_err() {
                    continue;
                }
                let (answer, length) = self.refutation(&next, plies, lines)?;
                let answer = self.tree(&next, answer, length, lines, size)?;
                replies.push(Refutation { played: reply, answer });
            }
        }
        replies.sort_by_key(|reply| std::cmp::Reverse(reply.answer.plies));
        let longest = replies.first().map_or(0, |reply| reply.answer.plies + 1);
        Ok(MatingMove { played: first, plies: 1 + longest, by_table: false, replies })
    }

    /// A mate after a reply to a move that mates in at most `plies`. It takes at most `plies - 2`, so that the tree is
    /// finite even if known mates are wrong or not the shortest ones.
    fn refutation(
        &mut self,
        game: &Game,
        plies: u32,
        lines: Lines,
    ) -> Result<(Move, u32), SolveError> {
        let (key, clock) = (game.position().key(), game.position().clock());
        // The mate may have been found with fewer plies without a capture before it.
        let is_in_time = |plies| is_within_no_capture_limit(clock, self.rules, plies);
        let known = self.mates.get(&key).filter(|known| {
            known.plies < plies.saturating_sub(1)
                && u16::try_from(known.plies).is_ok_and(is_in_time)
        });
        if let Some(known) = known {
            return Ok((known.played, known.plies));
        }
        let moves = plies.saturating_sub(1) / 2;
        let Answer::Mate { mut played, mut plies } = self.mate(game, moves, None)? else {
            return Err(SolveError::NotRefuted(moves_of(game)));
        };
        if lines == Lines::Shortest {
            (played, plies, _) = self.shorten(game, played, plies)?;
        }
        let position = game.position().clone();
        let mate = KnownMate { position, played, plies };
        self.mates.insert(key, mate);
        Ok((played, plies))
    }

    /// The moves other than `played` that mate in at most `moves` moves.
    fn others(
        &mut self,
        game: &Game,
        number: u32,
        played: Move,
        moves: u32,
    ) -> Result<OtherMoves, SolveError> {
        let mut left = legal_moves(game.position()).to_vec();
        left.retain(|m| *m != played);
        let mut found = Vec::new();
        let is_complete = loop {
            if left.is_empty() {
                break true;
            }
            match self.mate(game, moves, Some(left.clone())) {
                Ok(Answer::Mate { played, plies }) => {
                    left.retain(|m| *m != played);
                    found.push(OtherMove { played, plies });
                }
                Ok(Answer::NoMate) => break true,
                Ok(Answer::Unknown) | Err(SolveError::Stopped) => break false,
                Err(error) => return Err(error),
            }
        };
        Ok(OtherMoves { number, moves: found, is_complete })
    }
}

/// The moves of a game in coordinates, separated by spaces.
fn moves_of(game: &Game) -> String {
    let moves = game.plies().iter().map(|ply| ply.played.to_string());
    moves.collect::<Vec<_>>().join(" ")
}

/// The plies to the mate of the side to move according to an endgame tablebase, if no repetition of a position of the
/// game and no limit comes first.
fn mated_in(game: &Game, tables: &Tables, rules: RuleSet) -> Option<u32> {
    let position = game.position();
    match tables.probe(position, rules)?.outcome {
        TableOutcome::Loss(plies)
            if is_within_no_capture_limit(position.clock(), rules, plies)
                && RepeatedPositions::new(game, tables, rules).allow_mate(plies) =>
        {
            Some(u32::from(plies))
        }
        _ => None,
    }
}

/// Checks a solution by the rules alone: each reply is answered, each line ends in mate or stalemate, no line ends
/// earlier by another rule, and the stated lengths are right. A line that ends in a position of an endgame tablebase is
/// checked in `tables`. Returns the number of positions checked.
///
/// # Errors
/// The first mistake.
pub fn verify_solution(
    game: &Game,
    tree: &MatingMove,
    rules: RuleSet,
    tables: &Tables,
) -> Result<usize, VerifyError> {
    let check_undecided = |game: &Game| match judge_outcome(game, rules).cause {
        Cause::Nothing => Ok(()),
        cause => Err(VerifyError::Decided(cause, moves_of(game))),
    };
    let mut after = game.clone();
    if after.push(tree.played).is_err() {
        return Err(match moves_of(game) {
            line if line.is_empty() => VerifyError::IllegalFirst(tree.played),
            line => VerifyError::Illegal(tree.played, line),
        });
    }
    let line = moves_of(&after);
    if tree.by_table {
        check_undecided(&after)?;
        return match mated_in(&after, tables, rules) {
            None => Err(VerifyError::NotInTables(line)),
            Some(rest) if rest + 1 != tree.plies => Err(VerifyError::Length(tree.plies, line)),
            Some(_) => Ok(1),
        };
    }
    let legal = legal_moves(after.position());
    if let Some(reply) = tree.replies.iter().find(|reply| !legal.contains(&reply.played)) {
        return Err(VerifyError::Illegal(reply.played, line));
    }
    if !legal.is_empty() {
        check_undecided(&after)?;
    }
    let mut positions = 1;
    let mut longest = 0;
    for reply in &legal {
        let answer = tree.replies.iter().find(|known| known.played == *reply);
        let answer = answer.ok_or_else(|| VerifyError::Missing(*reply, line.clone()))?;
        let mut next = after.clone();
        next.push(*reply).map_err(|_| VerifyError::Illegal(*reply, line.clone()))?;
        check_undecided(&next)?;
        positions += 1 + verify_solution(&next, &answer.answer, rules, tables)?;
        longest = longest.max(answer.answer.plies + 1);
    }
    if tree.plies != longest + 1 {
        return Err(VerifyError::Length(tree.plies, line));
    }
    Ok(positions)
}

#[cfg(test)]
mod tests;
