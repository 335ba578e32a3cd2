//! Mates of both sides by retrograde analysis, without repetition rules, and the positions that no mate decides.
//!
//! As in one-sided classes, each position is examined once, then moves are taken back level by level. A level is a
//! number of plies to mate: even for losses and odd for wins of the side to move.

use std::sync::atomic::{AtomicU16, Ordering};

use super::graph::{GameGraph, Offenses};
use crate::board::{ByColor, Color};
use crate::tablebase::index::Node;
use crate::tablebase::solver_state::{BLOCK, BlockValues, NodeBytes, for_each_part};
use crate::tablebase::value::{ILLEGAL, Value};

/// Results of the captures of a position, as bits.
pub mod capture_bits {
    /// The capturing side is proven not to lose.
    pub const HOLD: u8 = 1;
    /// The capturing side is not proven to lose.
    pub const ESCAPE: u8 = 2;
    /// The capturing side wins by rule.
    pub const WIN_BY_RULE: u8 = 4;
    /// The other side is not proven to draw or win.
    pub const OTHER_AT_RISK: u8 = 8;
}

/// Added to the value of a win by a capture until its level is reached.
const PENDING_WIN: u16 = 1 << 8;
/// Added to the value of the longest known loss until all quiet moves are known to lose and its level is reached.
const PENDING_LOSS: u16 = 1 << 9;
/// Some capture does not lose by mate.
const SAFE: u16 = 1 << 10;
const NOT_LEGAL: u16 = 1 << 15;

struct MateSearch<'a> {
    game: &'a GameGraph<'a>,
    values: ByColor<Vec<AtomicU16>>,
    /// Number of quiet moves that are not known to lose.
    moves: NodeBytes,
    capture_results: NodeBytes,
    block_values: BlockValues,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl MateSearch<'_> {
    fn value(&self, node: Node) -> &AtomicU16 {
        &self.values[node.side()][node.index()]
    }

    fn start(&self) {
        let start = |node| self.start_node(node);
        let done = |indices| (self.progress)(indices / 2);
        self.game.for_each_node(start, done);
    }

    fn start_node(&self, node: Node) {
        let Some(mover) = self.game.mover(node) else {
            self.value(node).store(NOT_LEGAL, Ordering::Relaxed);
            return;
        };
        let quiet = mover.count_quiet_moves();
        let (mut bits, mut is_safe) = (0, false);
        let (mut win, mut loss) = (None, None);
        if mover.may_capture() {
            self.game.captures(node, |value| {
                bits |= bits_of_capture(value);
                match value.plies() {
                    Some(plies) if value.is_lost() => {
                        win = Some(win.map_or(plies + 1, |win: u8| win.min(plies + 1)));
                    }
                    Some(plies) => loss = loss.max(Some(plies + 1)),
                    None => is_safe = true,
                }
            });
        }
        self.moves.set(node, quiet);
        self.capture_results.set(node, bits);
        let now = match (win, loss) {
            (Some(plies), _) => PENDING_WIN | self.schedule(node, plies),
            (None, _) if is_safe => SAFE,
            (None, Some(plies)) if quiet == 0 => PENDING_LOSS | self.schedule(node, plies),
            (None, Some(plies)) => PENDING_LOSS | u16::from(Value::in_plies(plies).0),
            (None, None) if quiet == 0 => PENDING_LOSS | self.schedule(node, 0),
            (None, None) => 0,
        };
        self.value(node).store(now, Ordering::Relaxed);
    }

    /// Records that a node gets its value at this level. Returns the value.
    fn schedule(&self, node: Node, plies: u8) -> u16 {
        let value = Value::in_plies(plies).0;
        self.block_values.add(node, value);
        value.into()
    }

    /// Processes level after level. Returns `false` if a mate takes [`Value::LONGEST_MATE`] plies or more.
    fn propagate(&self) -> bool {
        let blocks = self.block_values.blocks();
        let mut plies = 0;
        while self.block_values.largest() > plies {
            if plies >= Value::LONGEST_MATE {
                return false;
            }
            for_each_part(self.game.threads, 2 * blocks, |part| {
                self.visit_block(Color::ALL[part % 2], part / 2, plies);
            });
            plies += 1;
        }
        // `start` reports half of the indices, this step a quarter, and the examination of the open positions a
        // quarter. A little less is reported here, so that the progress bar is not full before the class is solved.
        let (len, slice) = (self.game.indexer.len(), self.game.indexer.slice_len());
        (self.progress)((len / 4).saturating_sub(slice / 4) as u64);
        true
    }

    /// Visits the positions of a block that are decided at this level.
    fn visit_block(&self, side: Color, block: usize, plies: u8) {
        let wanted = Value::in_plies(plies).0;
        if !self.block_values.has(side, block, wanted) {
            return;
        }
        let first = block * BLOCK;
        for (index, value) in (first..).zip(self.values[side][first..].iter().take(BLOCK)) {
            let now = value.load(Ordering::Relaxed);
            if now & 0xff != u16::from(wanted) {
                continue;
            }
            let node = Node::new(index, side);
            let is_due = match now & !0xff {
                0 | PENDING_WIN => true,
                PENDING_LOSS => self.moves.get(node) == 0,
                _ => false,
            };
            if is_due {
                value.store(wanted.into(), Ordering::Relaxed);
                self.visit(node, plies);
            }
        }
    }

    /// Updates the predecessors of a node whose value is decided at this level.
    fn visit(&self, node: Node, plies: u8) {
        self.game.indexer.before(node, |before| match plies % 2 {
            0 => self.win(before, plies + 1),
            _ => self.count_loss(before, plies + 1),
        });
    }

    /// Records that a move of the node wins in this number of plies.
    fn win(&self, node: Node, plies: u8) {
        let value = u16::from(Value::in_plies(plies).0);
        let now = self.value(node).load(Ordering::Relaxed);
        let is_better = match now & !0xff {
            PENDING_WIN => now & 0xff > value,
            NOT_LEGAL => false,
            0 => now == 0,
            _ => true,
        };
        if is_better {
            self.value(node).store(value, Ordering::Relaxed);
            self.block_values.add(node, value as u8);
        }
    }

    /// Records that one more quiet move of the node loses, in this number of plies.
    fn count_loss(&self, node: Node, plies: u8) {
        let now = self.value(node).load(Ordering::Relaxed);
        if now != 0 && now & (PENDING_LOSS | SAFE) == 0 {
            return;
        }
        if self.moves.decrement(node) && now & SAFE == 0 {
            let value = u16::from(Value::in_plies(plies).0).max(now & 0xff);
            self.value(node).store(PENDING_LOSS | value, Ordering::Relaxed);
            self.block_values.add(node, value as u8);
        }
    }
}

/// Converts a value to that of a file: one more than the plies to mate, 0 if there is no mate, or [`ILLEGAL`].
fn mate_byte(value: AtomicU16) -> u8 {
    match value.into_inner() {
        NOT_LEGAL => ILLEGAL,
        value @ 1..=0xff => value as u8,
        _ => Value::DRAW.0,
    }
}

/// Bits for a capture after which the side to move has this value.
fn bits_of_capture(value: Value) -> u8 {
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    bit(value.is_held_by_other(), capture_bits::HOLD)
        | bit(!value.is_won(), capture_bits::ESCAPE)
        | bit(value.is_lost_by_rule(), capture_bits::WIN_BY_RULE)
        | bit(!value.is_held(), capture_bits::OTHER_AT_RISK)
}

/// Bit of [`OpenPositions::results`] for positions that `side` is proven to lose by rule.
pub const fn lost_bit(side: Color) -> u8 {
    1 << side.index()
}

/// Bit of [`OpenPositions::results`] for positions that `side` is proven not to lose.
pub const fn held_bit(side: Color) -> u8 {
    4 << side.index()
}

/// A class whose mates are known. A legal position without a mate is open.
pub struct OpenPositions<'a> {
    pub game: &'a GameGraph<'a>,
    /// Value of each node if a mate decides it ([`mate_byte`]).
    mates: NodeBytes,
    /// Results of captures ([`capture_bits`]).
    capture_results: NodeBytes,
    /// Number of quiet moves that are not known to lose. For a position that is lost by rule, the number of quiet moves
    /// to positions of unknown [`depth`](super::depth).
    pub moves: NodeBytes,
    /// Offenses that all non-losing moves of a node commit. Once the losses by rule are known, the bytes are reused for
    /// their depth (see [`depth`](super::depth)).
    pub offenses: NodeBytes,
    /// Default goals that no move reaches ([`Offenses::missed_goals`]). Losing moves do not count, but a stale byte
    /// ([`NodeBytes::make_stale`]) may still count moves that lose by rule.
    pub missed_goals: NodeBytes,
    /// Proven results of the open positions ([`lost_bit`], [`held_bit`]).
    pub results: NodeBytes,
}

impl<'a> OpenPositions<'a> {
    /// Finds all mates, then examines each open position once. `None` if a mate takes [`Value::LONGEST_MATE`] plies or
    /// more.
    pub fn find(game: &'a GameGraph<'a>, progress: &(dyn Fn(u64) + Sync)) -> Option<Self> {
        let len = game.indexer.len();
        let search = MateSearch {
            game,
            values: ByColor::from_fn(|_| bytemuck::zeroed_vec(len)),
            moves: NodeBytes::new(len),
            capture_results: NodeBytes::new(len),
            block_values: BlockValues::new(len),
            progress,
        };
        search.start();
        if !search.propagate() {
            return None;
        }
        let bytes = |values: Vec<AtomicU16>| values.into_iter().map(mate_byte).collect();
        let positions = Self {
            game,
            mates: NodeBytes::from_bytes(search.values.map(bytes)),
            capture_results: search.capture_results,
            moves: search.moves,
            offenses: NodeBytes::new(len),
            missed_goals: NodeBytes::new(len),
            results: NodeBytes::new(len),
        };
        let examine = |node| {
            if positions.is_open(node) {
                let (missed, offenses) = positions.missed_goals_and_offenses(node);
                positions.missed_goals.set(node, missed.0);
                positions.offenses.set(node, offenses.0);
            }
        };
        game.for_each_node(examine, |indices| progress(indices / 4));
        Some(positions)
    }

    pub fn is_legal(&self, node: Node) -> bool {
        self.mates.get(node) != ILLEGAL
    }

    /// Whether a position is legal and no mate decides it.
    pub fn is_open(&self, node: Node) -> bool {
        self.mates.get(node) == Value::DRAW.0
    }

    /// Value of a legal position if a mate decides it, else a draw.
    pub fn mate(&self, node: Node) -> Value {
        Value(self.mates.get(node))
    }

    /// Whether `loser` is proven to lose a position by rule.
    pub fn is_lost(&self, node: Node, loser: Color) -> bool {
        self.results.get(node) & lost_bit(loser) != 0
    }

    /// Whether some capture of an open position has the result `bit`, one of [`capture_bits`].
    pub fn has_capture(&self, node: Node, bit: u8) -> bool {
        self.capture_results.get(node) & bit != 0
    }

    /// Default goals that no move reaches, and offenses that all moves commit. Moves that lose by mate do not count.
    fn missed_goals_and_offenses(&self, node: Node) -> (Offenses, Offenses) {
        const NOTHING: (Offenses, Offenses) = (Offenses::NONE, Offenses::NONE);
        let missed = if self.has_capture(node, capture_bits::HOLD) {
            Offenses::NONE
        } else {
            Offenses::NO_MOVE
        };
        let mut found = (missed, self.offenses_of_captures(node));
        if found == NOTHING || self.has_peaceful_move(node, |to| !self.mate(to).is_won()) {
            return NOTHING;
        }
        self.game.quiet_moves(node, |m| {
            if !self.mate(m.to).is_won() {
                let threats = m.threats();
                found.0 = found.0.and(Offenses::missed_goals(threats));
                found.1 = found.1.and(m.offenses(threats));
            }
            found != NOTHING
        });
        found
    }

    /// Offenses that all moves of an open position commit, except moves to nodes that `is_excluded` accepts.
    pub fn offenses_of(&self, node: Node, is_excluded: impl Fn(Node) -> bool) -> Offenses {
        let mut offenses = self.offenses_of_captures(node);
        if offenses == Offenses::NONE || self.has_peaceful_move(node, |to| !is_excluded(to)) {
            return Offenses::NONE;
        }
        self.game.quiet_moves(node, |m| {
            if !is_excluded(m.to) {
                offenses = offenses.and(m.offenses(m.threats()));
            }
            offenses != Offenses::NONE
        });
        offenses
    }

    /// Whether a quiet move that threatens nothing leads to a node that `is_wanted` accepts. May miss some such moves.
    pub fn has_peaceful_move(&self, node: Node, is_wanted: impl Fn(Node) -> bool) -> bool {
        let mover = self.game.mover(node);
        mover.is_some_and(|mover| mover.has_peaceful_move(is_wanted))
    }

    /// [`Offenses::NONE`] if some capture is not proven to lose, else [`Offenses::NO_MOVE`].
    fn offenses_of_captures(&self, node: Node) -> Offenses {
        if self.has_capture(node, capture_bits::ESCAPE) {
            Offenses::NONE
        } else {
            Offenses::NO_MOVE
        }
    }
}
