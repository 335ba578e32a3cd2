//! Proofs that a side does not lose: a move for each position that the opponent can reach.
//!
//! The positions with the defender to move form a graph: the defender plays the move of the strategy, then the
//! opponent any legal move. The defender does not lose under three conditions:
//!
//! - Every position of the graph has a move of the strategy.
//! - A line ends only where the opponent has no legal move, the material is insufficient, or an endgame tablebase shows
//!   that the defender does not lose.
//! - No infinite line loses by the rules on repetitions.
//!
//! For the last condition it is enough that every cycle contains a move of the defender that gives no check and one
//! that newly threatens no piece (see [`MoveThreats`](crate::rules::MoveThreats)). The graph must therefore contain no
//! cycle of checks alone and no cycle of chases alone. Under the Chinese rules every cycle must contain a move that
//! neither checks nor threatens mate nor chases. Whether a move does so also depends on the opponent's move before it,
//! so the edges of the graph are classified, not the moves. No cycle contains a capture. The no-capture limit only
//! makes draws and is ignored.
//!
//! The proof needs no history, because the condition on cycles does not depend on the path.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{SolveError, VerifyError};
use crate::board::{Color, Move, Position};
use crate::movegen::legal_moves;
use crate::rules::{Game, RuleSet, is_chinese_attack, is_material_insufficient, move_threats};
use crate::tablebase::{TableOutcome, Tables};

/// Maximum number of positions whose moves are chosen at once.
const BATCH: usize = 256;

/// A move of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reply {
    /// The position, with the defender to move.
    #[cfg_attr(feature = "serde", serde(rename = "fen"))]
    pub position: Position,
    /// The defender's move in this position.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
}

/// The state of an examined position, stored so that a search can be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Candidates {
    /// The position, with the defender to move.
    #[cfg_attr(feature = "serde", serde(rename = "fen"))]
    pub position: Position,
    /// The moves that were not refuted, best first.
    pub moves: Vec<Move>,
}

/// Whether a side is safe in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Safety {
    /// The side does not lose.
    Held,
    /// The side loses.
    Lost,
    /// Only a search can decide.
    Open,
}

/// The rules and tables that decide the result at the end of a line.
#[derive(Clone, Copy, Debug)]
pub struct RulesAndTables<'a> {
    /// The rules on repetitions.
    pub rules: RuleSet,
    /// The endgame tablebases.
    pub tables: &'a Tables,
}

impl RulesAndTables<'_> {
    /// The safety of `side` in a position, as far as it is known without a search.
    fn safety(self, position: &Position, side: Color) -> Safety {
        let is_mover = position.side_to_move() == side;
        if legal_moves(position).is_empty() {
            return if is_mover { Safety::Lost } else { Safety::Held };
        }
        if is_material_insufficient(position) {
            return Safety::Held;
        }
        let Some(probe) = self.tables.probe(position, self.rules) else {
            return Safety::Open;
        };
        let outcome = if is_mover { probe.outcome } else { probe.outcome.before_move() };
        match outcome {
            TableOutcome::Win(_) | TableOutcome::WinByRule(_) => Safety::Held,
            TableOutcome::Draw if probe.draw_holds => Safety::Held,
            TableOutcome::Draw => Safety::Open,
            TableOutcome::Loss(_) | TableOutcome::LossByRule(_) => Safety::Lost,
        }
    }

    /// The attacks of a move. `earlier`, the position before the previous move, matters only under the Chinese rules:
    /// without this position, only checks count as attacks.
    fn attacks(self, earlier: Option<&Position>, position: &Position, played: Move) -> Attacks {
        if position.taken_by(played).is_some() {
            return Attacks::default();
        }
        let mut game = Game::new(position.clone());
        if game.push(played).is_err() {
            return Attacks::default();
        }
        let after = game.position();
        match move_threats(after, &game.plies()[0], self.rules) {
            Some(threats) => {
                Attacks { check_or_attack: threats.gives_check, chase: !threats.chased.is_empty() }
            }
            None => Attacks {
                check_or_attack: earlier.map_or(after.in_check(), |earlier| {
                    is_chinese_attack(earlier, position, played)
                }),
                chase: false,
            },
        }
    }
}

/// The kinds of attack that a move makes. A side may lose if all its moves in a repetition make the same kind. Captures
/// make none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attacks {
    /// The move gives check or, under the Chinese rules, makes any attack.
    check_or_attack: bool,
    /// The move newly threatens a piece.
    chase: bool,
}

/// The undecided positions after a move and each reply to it; `None` if the side that makes the move has lost after it
/// or after a reply.
fn successors(
    judge: RulesAndTables<'_>,
    position: &Position,
    played: Move,
) -> Option<Vec<Position>> {
    let side = position.side_to_move();
    let after = position.after(played);
    match judge.safety(&after, side) {
        Safety::Held => Some(Vec::new()),
        Safety::Lost => None,
        Safety::Open => open_after(judge, &after, side),
    }
}

/// The undecided positions after each legal move; `None` if `side` has lost in one of them.
fn open_after(
    judge: RulesAndTables<'_>,
    position: &Position,
    side: Color,
) -> Option<Vec<Position>> {
    let mut open = Vec::new();
    for played in legal_moves(position) {
        let next = position.after(played);
        match judge.safety(&next, side) {
            Safety::Held => {}
            Safety::Lost => return None,
            Safety::Open => open.push(next),
        }
    }
    Some(open)
}

/// A position of the defender with the move chosen for it.
struct Node {
    position: Position,
    /// The moves that were not refuted, the chosen one first. Empty if every move was refuted.
    moves: Vec<Move>,
    /// Whether the order of the moves is final: it comes from an earlier search, the first move makes no attack and
    /// leads only to examined positions, or there are fewer than two moves.
    is_sorted: bool,
    /// The undecided positions after the chosen move and each reply to it, by key.
    next: Vec<u64>,
}

/// Returns the moves of each position, best first. Also called without positions, so that it can stop the search.
pub type ChooseMoves<'a> = dyn FnMut(&[Position]) -> Result<Vec<Vec<Move>>, SolveError> + 'a;

/// Searches for a strategy with which `side` does not lose, among at most `limit` positions. `choose` orders the moves
/// of positions; a bad order makes the search longer, not wrong. `known` holds the positions that an earlier search
/// examined. After an interruption it also holds those of this search, after a success only the strategy, and after
/// another error nothing; if the start is already lost, it is unchanged. `progress` is called with the number of
/// positions examined so far.
///
/// # Errors
/// No strategy was found, or `choose` failed.
pub fn hold(
    start: &Position,
    side: Color,
    judge: RulesAndTables<'_>,
    limit: usize,
    known: &mut Vec<Candidates>,
    choose: &mut ChooseMoves<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Reply>, SolveError> {
    let roots = roots(start, side, judge).ok_or(SolveError::NoDefense(1))?;
    let mut graph = Graph::new(judge, &roots);
    graph.known.extend(known.drain(..).map(|known| (known.position.key(), known)));
    let strategy = graph.search(&roots, limit, choose, progress);
    match &strategy {
        Ok(replies) => known.extend(replies.iter().map(|reply| Candidates {
            position: reply.position.clone(),
            moves: vec![reply.played],
        })),
        Err(SolveError::Stopped) => *known = graph.candidates(),
        Err(_) => {}
    }
    strategy
}

/// The undecided positions in which `side` moves first: the start, or those after each move of the opponent. `None` if
/// the start or one of them is lost.
fn roots(start: &Position, side: Color, judge: RulesAndTables<'_>) -> Option<Vec<Position>> {
    match judge.safety(start, side) {
        Safety::Held => return Some(Vec::new()),
        Safety::Lost => return None,
        Safety::Open => {}
    }
    if start.side_to_move() == side {
        return Some(vec![start.clone()]);
    }
    open_after(judge, start, side)
}

/// The positions of the defender that were examined.
struct Graph<'a> {
    judge: RulesAndTables<'a>,
    /// By key. In this order, so that a search can be repeated.
    nodes: BTreeMap<u64, Node>,
    /// The roots and the positions that chosen moves have led to, as far as they were not examined, by key.
    unexamined: HashMap<u64, Position>,
    /// The positions of an earlier search that were not examined in this one, by key.
    known: BTreeMap<u64, Candidates>,
    /// The attacks of moves. The key consists of the keys of the positions before the previous move and before the
    /// move, and the move.
    known_attacks: HashMap<(u64, u64, Move), Attacks>,
}

impl<'a> Graph<'a> {
    fn new(judge: RulesAndTables<'a>, roots: &[Position]) -> Self {
        let roots = roots.iter().map(|root| (root.key(), root.clone()));
        Self {
            judge,
            nodes: BTreeMap::new(),
            unexamined: roots.collect(),
            known: BTreeMap::new(),
            known_attacks: HashMap::new(),
        }
    }

    fn search(
        &mut self,
        roots: &[Position],
        limit: usize,
        choose: &mut ChooseMoves<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Reply>, SolveError> {
        loop {
            let mut open = self.open(roots);
            if open.is_empty() {
                match self.attack_cycle(roots) {
                    None => return Ok(self.strategy(roots)),
                    Some(key) => self.refute(key),
                }
            }
            let room = limit.saturating_sub(self.nodes.len());
            if room == 0 && !open.is_empty() {
                return Err(SolveError::TooMany(limit));
            }
            open.truncate(room.min(BATCH));
            self.add(open, choose)?;
            progress(self.nodes.len());
            self.propagate();
            if roots.iter().any(|root| self.is_lost(root.key())) {
                return Err(SolveError::NoDefense(self.nodes.len()));
            }
        }
    }

    /// Whether every move of a position was refuted.
    fn is_lost(&self, key: u64) -> bool {
        self.nodes.get(&key).is_some_and(|node| node.moves.is_empty())
    }

    /// The positions that the chosen moves lead to and that were not examined.
    fn open(&self, roots: &[Position]) -> Vec<Position> {
        let reached = self.reached(roots);
        let open = reached.iter().filter_map(|key| self.unexamined.get(key));
        open.cloned().collect()
    }

    /// Adds positions, with their moves in the order in which they will be tried.
    fn add(
        &mut self,
        positions: Vec<Position>,
        choose: &mut ChooseMoves<'_>,
    ) -> Result<(), SolveError> {
        let mut nodes: Vec<Node> = positions.into_iter().map(|p| self.node(p)).collect();
        let is_unsorted = |node: &&mut Node| !node.is_sorted;
        let unsorted: Vec<_> = nodes.iter_mut().filter(is_unsorted).collect();
        let positions: Vec<_> = unsorted.iter().map(|node| node.position.clone()).collect();
        for (node, order) in unsorted.into_iter().zip(choose(&positions)?) {
            let rank = |played: &Move| order.iter().position(|m| m == played);
            node.moves.sort_by_key(|played| rank(played).unwrap_or(usize::MAX));
        }
        for node in nodes {
            let key = node.position.key();
            self.unexamined.remove(&key);
            self.known.remove(&key);
            self.nodes.insert(key, node);
            self.follow(key);
        }
        Ok(())
    }

    /// A position with the moves that are not refuted yet. A move that makes no attack and leads only to positions
    /// examined before comes first, because it makes the graph no larger.
    fn node(&self, position: Position) -> Node {
        let mut moves = legal_moves(&position).to_vec();
        moves.retain(|played| {
            let next = successors(self.judge, &position, *played);
            next.is_some_and(|next| next.iter().all(|next| !self.is_lost(next.key())))
        });
        let mut is_sorted = moves.len() < 2;
        if let Some(known) = self.known.get(&position.key()) {
            let known = known.moves.iter().copied();
            (moves, is_sorted) = (known.filter(|played| moves.contains(played)).collect(), true);
        } else if let Some(index) = moves.iter().position(|m| self.adds_no_position(&position, *m))
        {
            moves[..=index].rotate_right(1);
            is_sorted = true;
        }
        Node { position, moves, is_sorted, next: Vec::new() }
    }

    /// Whether a move makes no attack, as far as known without the move before it, and leads only to positions examined
    /// before.
    fn adds_no_position(&self, position: &Position, played: Move) -> bool {
        self.judge.attacks(None, position, played) == Attacks::default()
            && successors(self.judge, position, played)
                .is_some_and(|next| next.iter().all(|next| self.nodes.contains_key(&next.key())))
    }

    /// The positions examined in this and an earlier search with their moves.
    fn candidates(self) -> Vec<Candidates> {
        let examined = self
            .nodes
            .into_values()
            .map(|node| Candidates { position: node.position, moves: node.moves });
        examined.chain(self.known.into_values()).collect()
    }

    /// Stores where the chosen move of a position leads.
    fn follow(&mut self, key: u64) {
        let Some(node) = self.nodes.get_mut(&key) else {
            return;
        };
        let Some(played) = node.moves.first() else {
            return;
        };
        let next = successors(self.judge, &node.position, *played).unwrap_or_default();
        node.next = next.iter().map(Position::key).collect();
        for position in next {
            if !self.nodes.contains_key(&position.key()) {
                self.unexamined.insert(position.key(), position);
            }
        }
    }

    /// Removes the chosen move of a position, which must have one. The next move, if any, becomes the chosen one.
    fn refute(&mut self, key: u64) {
        if let Some(node) = self.nodes.get_mut(&key) {
            node.moves.remove(0);
        }
        self.follow(key);
    }

    /// Refutes the chosen moves that lead to lost positions, and repeats this until no chosen move does.
    fn propagate(&mut self) {
        loop {
            let leads_to_loss = |node: &Node| {
                !node.moves.is_empty() && node.next.iter().any(|next| self.is_lost(*next))
            };
            let wrong = self.nodes.iter().filter(|(_, node)| leads_to_loss(node));
            let wrong: Vec<u64> = wrong.map(|(key, _)| *key).collect();
            if wrong.is_empty() {
                return;
            }
            wrong.into_iter().for_each(|key| self.refute(key));
        }
    }

    /// The positions reached with the chosen moves.
    fn reached(&self, roots: &[Position]) -> BTreeSet<u64> {
        let mut seen = BTreeSet::new();
        let mut stack: Vec<u64> = roots.iter().map(Position::key).collect();
        while let Some(key) = stack.pop() {
            if seen.insert(key)
                && let Some(node) = self.nodes.get(&key)
            {
                stack.extend(&node.next);
            }
        }
        seen
    }

    /// A position in a cycle of checks alone or of chases alone, or between two such cycles. Requires that all
    /// positions that the chosen moves reach have been examined and none of them is lost.
    fn attack_cycle(&mut self, roots: &[Position]) -> Option<u64> {
        let reached = self.reached(roots);
        let mut edges = Vec::new();
        for from in reached {
            for to in self.nodes[&from].next.clone() {
                edges.push((from, to, self.edge_attacks(from, to)));
            }
        }
        let kinds: [fn(Attacks) -> bool; 2] =
            [|attacks| attacks.check_or_attack, |attacks| attacks.chase];
        kinds.into_iter().find_map(|is_kind| {
            let edges = edges.iter().filter(|(.., attacks)| is_kind(*attacks));
            let mut edges: Vec<_> = edges.map(|(from, to, _)| (*from, *to)).collect();
            loop {
                let count = edges.len();
                let starts: HashSet<u64> = edges.iter().map(|(from, _)| *from).collect();
                edges.retain(|(_, to)| starts.contains(to));
                let ends: HashSet<u64> = edges.iter().map(|(_, to)| *to).collect();
                edges.retain(|(from, _)| ends.contains(from));
                if edges.len() == count {
                    return edges.into_iter().map(|(from, _)| from).min();
                }
            }
        })
    }

    /// The attacks of the move chosen for the position `to`, which is reached from the position `from`.
    fn edge_attacks(&mut self, from: u64, to: u64) -> Attacks {
        let (first, second) = (&self.nodes[&from], &self.nodes[&to]);
        let (before, played) = (first.moves[0], second.moves[0]);
        let earlier = first.position.after(before);
        let key = (earlier.key(), to, played);
        let judge = self.judge;
        let find = || judge.attacks(Some(&earlier), &second.position, played);
        *self.known_attacks.entry(key).or_insert_with(find)
    }

    /// The chosen move of each position that the chosen moves reach.
    fn strategy(&self, roots: &[Position]) -> Vec<Reply> {
        let reached = self.reached(roots);
        let nodes = reached.iter().map(|key| &self.nodes[key]);
        let replies =
            nodes.map(|node| Reply { position: node.position.clone(), played: node.moves[0] });
        let mut strategy: Vec<Reply> = replies.collect();
        strategy.sort_by_cached_key(|reply| reply.position.to_string());
        strategy
    }
}

/// Checks that `side` does not lose with a strategy. Returns the number of its positions that are reached.
///
/// # Errors
/// The first error that was found in the strategy.
pub fn verify_strategy(
    start: &Position,
    side: Color,
    judge: RulesAndTables<'_>,
    strategy: &[Reply],
) -> Result<usize, VerifyError> {
    let moves = strategy.iter().map(|reply| (reply.position.key(), reply.played));
    let moves: HashMap<u64, Move> = moves.collect();
    let roots = roots(start, side, judge).ok_or(VerifyError::Lost)?;
    let mut graph = Graph::new(judge, &[]);
    let mut stack = roots.clone();
    while let Some(position) = stack.pop() {
        let key = position.key();
        if graph.nodes.contains_key(&key) {
            continue;
        }
        let played = moves.get(&key).copied();
        let played = played.ok_or_else(|| VerifyError::NoMove(position.to_string()))?;
        let is_legal = legal_moves(&position).contains(&played);
        let next = is_legal.then(|| successors(judge, &position, played)).flatten();
        let next = next.ok_or_else(|| VerifyError::Wrong(position.to_string(), played))?;
        let node = Node {
            next: next.iter().map(Position::key).collect(),
            moves: vec![played],
            is_sorted: true,
            position,
        };
        graph.nodes.insert(key, node);
        stack.extend(next);
    }
    match graph.attack_cycle(&roots) {
        Some(key) => Err(VerifyError::Repeats(graph.nodes[&key].position.to_string())),
        None => Ok(graph.nodes.len()),
    }
}

#[cfg(test)]
mod tests;
