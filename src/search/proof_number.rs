//! Mates with quiet moves: a depth-first proof-number search (df-pn, Nagai 2002) over all moves of both sides.
//!
//! The proof number of a position estimates how many positions must still be proven to be mates to prove its mate. The
//! disproof number estimates how many must be refuted to rule the mate out. The search always expands a most-proving
//! node: its proof brings a proof of the root closer, and its refutation a refutation of the root. So the search
//! follows forcing lines, which have few replies, to any depth before it tries moves with many replies. Where several
//! moves must be proven or refuted, their effort counts as that of the hardest one, plus one for each of the others
//! (weak proof numbers, Ueda et al. 2008). A sum would be too large because of transpositions.
//!
//! Every position is searched with the number of plies left to the mate. This makes the graph free of cycles. A
//! repetition within a line needs no test, because the quickest mate has none. A line is no mate if it repeats a
//! position of the game and the rules then judge the repetition. Draws by the no-capture limit or by insufficient
//! material are no mates either.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering;

use super::mate::{ANY_DEPTH, MateTable, empty_slots};
use super::request::{NODES_BETWEEN_POLLS, NoCaptureLimit};
use super::tree::SharedState;
use crate::board::{MAX_MOVES, Move, Position};
use crate::movegen::{count_legal, legal_moves};
use crate::rules::is_material_insufficient;

/// The proof or disproof number of a goal that cannot be reached.
const INFINITE: u32 = 1 << 30;
/// Number of replies that count as one unit of effort for the attacker. The number of the attacker's own moves does not
/// count as effort for the defender. Found by experiment, together with [`SWITCH`]: 44 mates with quiet moves took 39
/// million nodes; with 4 here and in `SWITCH` they took 62 million.
const REPLIES_PER_EFFORT: u32 = 6;
/// The search continues with the second-best move when the effort of the best one exceeds that of the second best by
/// more than 1/`SWITCH` (1 + epsilon, Pawlewicz and Lew 2006). The margin saves changes between the two.
const SWITCH: u32 = 16;
/// Maximum number of attempts to follow a proof. It is reached only if the table loses the same positions each time.
const MAX_WALKS: u32 = 1000;
/// Slots per bucket. A position can be stored in any slot of its bucket.
const BUCKET: usize = 4;

/// The effort for the side to move and for its opponent to reach their goals, the mate or its refutation (phi and delta
/// of df-pn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// Effort of the side to move; 0 if it has reached its goal.
    own: u32,
    /// Effort of the opponent; 0 if it has reached its goal.
    other: u32,
    /// Plies within which the mate is proven or refuted, if one of the numbers is 0.
    plies: u32,
}

impl Numbers {
    const fn open(own: u32, other: u32) -> Self {
        let plies = 0;
        Self { own, other, plies }
    }

    /// The goal of the side to move if `wins`, else that of the opponent, is reached within `plies`.
    const fn settled(wins: bool, plies: u32) -> Self {
        let (own, other) = if wins { (0, INFINITE) } else { (INFINITE, 0) };
        Self { own, other, plies }
    }

    /// The limit of a search that ends only with a proof or a refutation.
    const NO_LIMIT: Self = Self::open(INFINITE, INFINITE);

    const fn is_settled(self) -> bool {
        self.own == 0 || self.other == 0
    }

    const fn reaches(self, limit: Self) -> bool {
        self.own >= limit.own || self.other >= limit.other
    }
}

/// Stored numbers of a position with a number of plies left.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The upper half of the key.
    check: u32,
    /// Nodes below the position; 0 for an empty slot.
    work: u32,
    own: u32,
    other: u32,
}

/// Numbers by key: buckets of fixed size, in which a new position replaces the one with the least work.
struct NumberTable {
    slots: Vec<Slot>,
}

impl NumberTable {
    /// A table for this number of positions, or for fewer if memory is short; `None` if there is no memory even for
    /// one bucket.
    fn new(positions: u64) -> Option<Self> {
        let slots = empty_slots(positions, BUCKET)?;
        Some(Self { slots })
    }

    fn bucket(&mut self, key: u64) -> &mut [Slot] {
        let start = key as usize & (self.slots.len() - 1) & !(BUCKET - 1);
        &mut self.slots[start..start + BUCKET]
    }

    fn get(&mut self, key: u64) -> Option<Numbers> {
        let check = (key >> 32) as u32;
        let mut slots = self.bucket(key).iter();
        let slot = slots.find(|slot| slot.work > 0 && slot.check == check)?;
        Some(Numbers::open(slot.own, slot.other))
    }

    fn store(&mut self, key: u64, numbers: Numbers, work: u64) {
        let check = (key >> 32) as u32;
        let rank = |slot: &Slot| if slot.check == check { 0 } else { slot.work };
        if let Some(slot) = self.bucket(key).iter_mut().min_by_key(|slot| rank(slot)) {
            *slot = Slot {
                check,
                work: u32::try_from(work).unwrap_or(u32::MAX).max(1),
                own: numbers.own,
                other: numbers.other,
            };
        }
    }
}

/// The key of a position with a number of plies left.
const fn key_with_plies(key: u64, left: u32) -> u64 {
    // An odd multiplier with well-mixed bits (the golden ratio).
    key ^ (left as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A move with the numbers of the position after it, whose side to move is the opponent.
#[derive(Clone, Copy, Debug)]
struct Child {
    played: Move,
    numbers: Numbers,
}

/// The role of the side to move: the attacker tries to mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Attacker,
    Defender,
}

impl Role {
    const fn opponent(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// The result of following a proof.
enum Walk {
    Line(Vec<Move>),
    /// The proof must be followed again, for a mate within this number of plies: the mate is shorter than was known in
    /// a position of the line.
    Again(u32),
}

/// A proof-number search for a mate at the root of a request. It is run in parts and keeps its numbers between them.
pub struct ProofSearch<'a> {
    shared: &'a SharedState,
    position: Position,
    root_moves: Vec<Move>,
    /// Maximum length of the mate in plies.
    plies: u32,
    no_capture_limit: NoCaptureLimit,
    known: MateTable,
    numbers: NumberTable,
    nodes: u64,
    /// The value of `nodes` at which the part ends.
    end: u64,
    stopped: bool,
}

impl<'a> ProofSearch<'a> {
    /// A search for a mate within `plies`; `None` if there is no memory for it.
    pub fn new(shared: &'a SharedState, plies: u32) -> Option<Self> {
        let limit = shared.request.limits.nodes.unwrap_or(u64::MAX);
        Some(Self {
            shared,
            position: shared.request.game.position().clone(),
            root_moves: shared.root_moves.clone(),
            plies,
            no_capture_limit: shared.request.no_capture_limit(),
            known: MateTable::new(limit)?,
            numbers: NumberTable::new(limit)?,
            nodes: 0,
            end: 0,
            stopped: false,
        })
    }

    /// Searches for up to `lines` mates that begin with different root moves, each with about `nodes` more nodes.
    /// Returns those that are found, shortest first; an empty list if there is no mate within the maximum length;
    /// `None` if neither a mate nor its absence is proven, or if the search ends before it has found the moves of the
    /// mate. After a mate is found, only the other root moves are searched.
    pub fn mates(&mut self, lines: usize, nodes: u64) -> Option<Vec<Vec<Move>>> {
        let mut mates = Vec::new();
        while mates.len() < lines {
            match self.run(nodes) {
                None if mates.is_empty() => return None,
                None => break,
                Some(line) if line.is_empty() => break,
                Some(line) => {
                    self.root_moves.retain(|m| line.first() != Some(m));
                    mates.push(line);
                }
            }
        }
        mates.sort_by_key(Vec::len);
        Some(mates)
    }

    /// Searches about `nodes` more nodes, which are added to those of the request. Returns the moves of a mate that
    /// begins with a root move, with the longest defense, as far as it is known; an empty list if there is no mate
    /// within the maximum length; `None` in the same cases as [`Self::mates`].
    fn run(&mut self, nodes: u64) -> Option<Vec<Move>> {
        // The replies of the last expanded position are counted even after the end.
        let left = self.shared.nodes_left().saturating_sub(MAX_MOVES as u64);
        if left == 0 || self.is_over() {
            return None;
        }
        self.end = self.nodes.saturating_add(nodes.min(left));
        self.stopped = false;
        let root_moves = std::mem::take(&mut self.root_moves);
        let root = self.expand(Role::Attacker, self.plies, Numbers::NO_LIMIT, &root_moves);
        let line = match root {
            Numbers { own: 0, plies, .. } => self.line(&root_moves, plies),
            Numbers { other: 0, .. } => Some(Vec::new()),
            _ => None,
        };
        self.root_moves = root_moves;
        line
    }

    /// The key of the position. Near the no-capture limit the plies without a capture are a part of it.
    fn key(&self) -> u64 {
        let key = self.position.key();
        let is_near = self.no_capture_limit.is_reached(&self.position, self.plies);
        if !is_near {
            return key;
        }
        let mut hasher = DefaultHasher::new();
        (key, self.position.clock()).hash(&mut hasher);
        hasher.finish()
    }

    /// Searches the position, with `left` plies to the mate, until its numbers reach a limit.
    fn search(&mut self, role: Role, left: u32, limit: Numbers) -> Numbers {
        let before = self.nodes;
        let moves = legal_moves(&self.position);
        let numbers = self.expand(role, left, limit, &moves);
        let key = self.key();
        if !numbers.is_settled() {
            let key = key_with_plies(key, left);
            self.numbers.store(key, numbers, self.nodes - before);
        } else if (numbers.own == 0) == (role == Role::Attacker) {
            let known = self.known.get_mut(key);
            if known.proven == 0 || numbers.plies < known.proven {
                known.proven = numbers.plies;
            }
        } else {
            let known = self.known.get_mut(key);
            known.refuted = known.refuted.max(numbers.plies);
        }
        numbers
    }

    /// Searches the position with these moves until its numbers reach a limit.
    fn expand(&mut self, role: Role, left: u32, limit: Numbers, moves: &[Move]) -> Numbers {
        let mut children: Vec<Child> = Vec::with_capacity(moves.len());
        for &played in moves {
            let undo = self.position.make(played);
            let numbers = self.look_up(role.opponent(), left - 1);
            self.position.unmake(played, undo);
            children.push(Child { played, numbers });
            if numbers.other == 0 {
                break;
            }
        }
        loop {
            let numbers = combine(role, &children);
            if numbers.is_settled() || numbers.reaches(limit) || self.stopped {
                return numbers;
            }
            let (best, child_limit) = select(&children, numbers, limit);
            let played = children[best].played;
            let undo = self.position.make(played);
            children[best].numbers = self.search(role.opponent(), left - 1, child_limit);
            self.position.unmake(played, undo);
        }
    }

    /// The numbers of a position as far as they are known without a search.
    fn look_up(&mut self, role: Role, left: u32) -> Numbers {
        let no_mate = Numbers::settled(role == Role::Defender, ANY_DEPTH);
        if self.shared.occurrences.decides(self.position.key()) {
            return no_mate;
        }
        let key = self.key();
        let known = self.known.get(key);
        if known.proven > 0 && known.proven <= left {
            return Numbers::settled(role == Role::Attacker, known.proven);
        }
        if left > 0 && known.refuted >= left {
            return Numbers::settled(role == Role::Defender, known.refuted);
        }
        if let Some(numbers) = self.numbers.get(key_with_plies(key, left)) {
            return numbers;
        }
        self.count_node();
        let moves = count_legal(&self.position) as u32;
        if moves == 0 && role == Role::Defender {
            return Numbers::settled(false, 0);
        }
        if moves == 0
            || self.no_capture_limit.is_reached(&self.position, 0)
            || is_material_insufficient(&self.position)
        {
            return no_mate;
        }
        match role {
            Role::Attacker => Numbers::open(1, 1),
            Role::Defender if left == 0 => Numbers::settled(true, 0),
            Role::Defender => Numbers::open(1, 1 + moves / REPLIES_PER_EFFORT),
        }
    }

    fn count_node(&mut self) {
        self.nodes += 1;
        self.shared.nodes.fetch_add(1, Ordering::Relaxed);
        let is_over = self.nodes.is_multiple_of(NODES_BETWEEN_POLLS) && self.is_over();
        self.stopped |= is_over || self.nodes >= self.end;
    }

    fn is_over(&self) -> bool {
        self.shared.is_over() || self.shared.is_past_soft_limit()
    }

    /// The moves of a mate within `plies` that begins with one of `root_moves`: the quickest attack against the
    /// longest defense, as far as they are proven. `None` if the moves are not found before the search ends.
    fn line(&mut self, root_moves: &[Move], mut plies: u32) -> Option<Vec<Move>> {
        let start = self.position.clone();
        for _ in 0..MAX_WALKS {
            let walk = self.walk(root_moves, plies);
            self.position = start.clone();
            match walk? {
                Walk::Line(line) => return Some(line),
                Walk::Again(within) => plies = within,
            }
        }
        None
    }

    /// Follows the proof to the mate. If the moves of a position show a shorter mate than the stored one, the shorter
    /// length is stored (at the root: returned), and the proof must be followed again, because another defense may now
    /// be the longest.
    fn walk(&mut self, root_moves: &[Move], plies: u32) -> Option<Walk> {
        let mut line = Vec::new();
        let mut moves = root_moves.to_vec();
        let (mut role, mut left) = (Role::Attacker, plies);
        while left > 0 {
            let (played, needed) = self.proven_move(role, left, &moves)?;
            if needed + 1 < left {
                if line.is_empty() {
                    return Some(Walk::Again(needed + 1));
                }
                let key = self.key();
                self.known.get_mut(key).proven = needed + 1;
                return Some(Walk::Again(plies));
            }
            line.push(played);
            self.position.make(played);
            moves = legal_moves(&self.position).to_vec();
            (role, left) = (role.opponent(), needed);
        }
        Some(Walk::Line(line))
    }

    /// The move of the quickest mate, or of the longest defense, and the plies to the mate after it. `None` if the
    /// search is stopped before they are found.
    fn proven_move(&mut self, role: Role, left: u32, moves: &[Move]) -> Option<(Move, u32)> {
        let mut best: Option<(Move, u32)> = None;
        // If the table has lost a proof, the position is searched again.
        for is_searched in [false, true] {
            if is_searched {
                self.expand(role, left, Numbers::NO_LIMIT, moves);
            }
            for &played in moves {
                let undo = self.position.make(played);
                let mut numbers = self.look_up(role.opponent(), left - 1);
                if role == Role::Defender && !numbers.is_settled() {
                    numbers = self.search(role.opponent(), left - 1, Numbers::NO_LIMIT);
                }
                self.position.unmake(played, undo);
                let is_mate =
                    numbers.is_settled() && (numbers.own == 0) != (role == Role::Attacker);
                let is_better = best.is_none_or(|(_, plies)| match role {
                    Role::Attacker => numbers.plies < plies,
                    Role::Defender => numbers.plies > plies,
                });
                if is_mate && is_better {
                    best = Some((played, numbers.plies));
                }
                if !is_mate && role == Role::Defender {
                    return None;
                }
            }
            if best.is_some() || self.stopped {
                break;
            }
        }
        best
    }
}

/// The numbers of a position from those after its moves.
fn combine(role: Role, children: &[Child]) -> Numbers {
    let own = children.iter().map(|child| child.numbers.other).min();
    let open = children.iter().filter(|child| child.numbers.own > 0);
    let largest = open.clone().map(|child| child.numbers.own).max();
    let wins = own == Some(0);
    let Some(largest) = largest.filter(|_| !wins) else {
        let decisive = children.iter().filter(|child| !wins || child.numbers.other == 0);
        let plies = decisive.map(|child| child.numbers.plies);
        let plies = match role {
            Role::Attacker => plies.min(),
            Role::Defender => plies.max(),
        };
        return Numbers::settled(wins, plies.map_or(ANY_DEPTH, |plies| plies.saturating_add(1)));
    };
    let others = open.count() as u32 - 1;
    let other = largest.saturating_add(others).min(INFINITE - 1);
    Numbers::open(own.unwrap_or(INFINITE), other)
}

/// The index of the move to search, which is the one with the least effort, and the limit for its numbers.
fn select(children: &[Child], numbers: Numbers, limit: Numbers) -> (usize, Numbers) {
    let effort = |i: &usize| children[*i].numbers.other;
    let best = (0..children.len()).min_by_key(effort).unwrap_or(0);
    let others = (0..children.len()).filter(|i| *i != best);
    let second = others.map(|i| effort(&i)).min().unwrap_or(INFINITE);
    let second = second.saturating_add(second / SWITCH + 1);
    let largest = children.iter().map(|child| child.numbers.own);
    let largest = largest.filter(|own| *own < INFINITE).max().unwrap_or(0);
    let others = numbers.other.saturating_sub(largest);
    let own = limit.other.saturating_sub(others);
    (best, Numbers::open(own, limit.own.min(second)))
}

#[cfg(test)]
mod tests;
