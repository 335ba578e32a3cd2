//! Move ordering: the staged move picker, which generates moves in groups and only when they are needed, and the
//! histories that it uses.

mod history;

pub use history::{Histories, PieceTo, QuietContext, Threats};

use arrayvec::ArrayVec;

use history::QuietBonus;

use crate::board::{Legality, MAX_MOVES, Move, Piece, Position, SEE_VALUES, see_at_least};
use crate::movegen::{Targets, for_each_origin, is_pseudo_legal};
use crate::search::parameters::values;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    InOrder,
    HashMove,
    GenerateCaptures,
    GoodCaptures,
    /// The killer with this index.
    Killer(u8),
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// The moves that a picker yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerMode {
    /// Every move.
    All,
    /// Captures with at least this static exchange value, in units of the evaluation.
    Captures { min_see: i32 },
}

#[derive(Clone, Copy, Debug)]
struct ScoredMove {
    played: Move,
    score: i32,
}

/// Yields the pseudo-legal moves of its mode, each once, except most of the illegal ones (see
/// [`Legality::candidates`]): the hash move, good captures by victim and capture history, killers (Akl and Newborn,
/// "The principal continuation and the killer heuristic", 1977), quiet moves by history with bonuses for checks and
/// escapes, and bad captures.
#[derive(Debug)]
pub struct MovePicker {
    stage: Stage,
    mode: PickerMode,
    hash_move: Move,
    killers: [Move; 2],
    list: ArrayVec<ScoredMove, MAX_MOVES>,
    next: usize,
    bad_captures: ArrayVec<Move, MAX_MOVES>,
}

impl MovePicker {
    /// A picker for a position. It skips a hash move or killer that is not pseudo-legal, or that the mode excludes.
    pub fn new(position: &Position, mode: PickerMode, hash_move: Move, killers: [Move; 2]) -> Self {
        let usable = is_pseudo_legal(position, hash_move)
            && match mode {
                PickerMode::All => true,
                PickerMode::Captures { min_see } => {
                    position.taken_by(hash_move).is_some()
                        && see_at_least(position, hash_move, min_see)
                }
            };
        let hash_move = if usable { hash_move } else { Move::NONE };
        Self {
            stage: Stage::HashMove,
            mode,
            hash_move,
            killers,
            list: ArrayVec::new(),
            next: 0,
            bad_captures: ArrayVec::new(),
        }
    }

    /// A picker that yields these moves in this order.
    pub fn in_order(moves: impl Iterator<Item = Move>) -> Self {
        let scored = |played| ScoredMove { played, score: 0 };
        Self {
            stage: Stage::InOrder,
            mode: PickerMode::All,
            hash_move: Move::NONE,
            killers: [Move::NONE; 2],
            list: moves.map(scored).collect(),
            next: 0,
            bad_captures: ArrayVec::new(),
        }
    }

    /// Skips the remaining quiet moves. Has no effect before the good captures have been yielded.
    pub fn skip_quiets(&mut self) {
        if matches!(self.stage, Stage::Killer(_) | Stage::GenerateQuiets | Stage::Quiets) {
            self.start_bad_captures();
        }
    }

    /// The next move; it may be illegal. `legality` must be that of `position`. Pickers of captures do not use the
    /// context.
    pub fn next(
        &mut self,
        position: &Position,
        legality: &Legality,
        histories: &Histories,
        context: &QuietContext,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::InOrder => {
                    self.next += 1;
                    return self.list.get(self.next - 1).map(|m| m.played);
                }
                Stage::HashMove => {
                    self.stage = Stage::GenerateCaptures;
                    if self.hash_move.is_some() {
                        return Some(self.hash_move);
                    }
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(position, legality, histories);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_capture(position) {
                    Some(m) => return Some(m),
                    None if self.mode == PickerMode::All => self.stage = Stage::Killer(0),
                    None => self.stage = Stage::Done,
                },
                Stage::Killer(index) => {
                    self.stage = if index == 0 { Stage::Killer(1) } else { Stage::GenerateQuiets };
                    let killer = self.killers[usize::from(index)];
                    if self.is_usable_killer(position, killer) {
                        return Some(killer);
                    }
                }
                Stage::GenerateQuiets => {
                    self.generate_quiets(position, legality, histories, context);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.best_of_list() {
                    Some(ScoredMove { played, .. }) => return Some(played),
                    None => self.start_bad_captures(),
                },
                Stage::BadCaptures => match self.bad_captures.get(self.next) {
                    Some(m) => {
                        self.next += 1;
                        return Some(*m);
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    fn start_bad_captures(&mut self) {
        self.stage = Stage::BadCaptures;
        self.next = 0;
    }

    fn is_usable_killer(&self, position: &Position, killer: Move) -> bool {
        killer.is_some()
            && killer != self.hash_move
            && position.taken_by(killer).is_none()
            && is_pseudo_legal(position, killer)
    }

    // Not inlined into `next`, which is called for every move.
    #[inline(never)]
    fn generate_captures(
        &mut self,
        position: &Position,
        legality: &Legality,
        histories: &Histories,
    ) {
        let us = position.side_to_move();
        for_each_origin(position, Targets::Captures, |kind, from, destinations| {
            let piece = Piece::new(kind, us);
            for to in legality.candidates(from, destinations) {
                let played = Move::new(from, to);
                if let Some(victim) = position.piece_on(to)
                    && played != self.hash_move
                {
                    let value = values::capture_order_victim() * SEE_VALUES[victim.kind().index()];
                    let score = value + histories.capture_of(piece, to, victim.kind());
                    self.list.push(ScoredMove { played, score });
                }
            }
        });
    }

    // Not inlined, as above.
    #[inline(never)]
    fn generate_quiets(
        &mut self,
        position: &Position,
        legality: &Legality,
        histories: &Histories,
        context: &QuietContext,
    ) {
        self.list.clear();
        self.next = 0;
        let us = position.side_to_move();
        let histories = histories.quiets(us, context);
        let bonus = QuietBonus::new(position, context.threats);
        let yielded = [self.hash_move, self.killers[0], self.killers[1]];
        for_each_origin(position, Targets::Quiets, |kind, from, destinations| {
            let histories = histories.of_piece(Piece::new(kind, us), from);
            let bonus = bonus.of_piece(kind, from);
            for to in legality.candidates(from, destinations) {
                let played = Move::new(from, to);
                if !yielded.contains(&played) {
                    let score = histories.of(to) + bonus.of(position, to);
                    self.list.push(ScoredMove { played, score });
                }
            }
        });
    }

    /// Removes the remaining move with the best score, the first of equals.
    fn best_of_list(&mut self) -> Option<ScoredMove> {
        let rest = self.list.get_mut(self.next..)?;
        let mut best = 0;
        let mut best_score = rest.first()?.score;
        for (index, scored) in rest.iter().enumerate().skip(1) {
            if scored.score > best_score {
                (best, best_score) = (index, scored.score);
            }
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }

    fn next_capture(&mut self, position: &Position) -> Option<Move> {
        while let Some(ScoredMove { played, score }) = self.best_of_list() {
            match self.mode {
                // A good capture may lose material in the exchange: the more, the higher its ordering score.
                PickerMode::All
                    if see_at_least(
                        position,
                        played,
                        -score / values::capture_order_exchange(),
                    ) =>
                {
                    return Some(played);
                }
                PickerMode::All => self.bad_captures.push(played),
                PickerMode::Captures { min_see } if see_at_least(position, played, min_see) => {
                    return Some(played);
                }
                PickerMode::Captures { .. } => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    use super::history::Threats;
    use super::*;
    use crate::movegen::legal_moves;
    use crate::notation::fen::{START, parse_variant_position};

    /// The picker yields each legal move once, with any hash move and any killers.
    #[test]
    fn every_legal_move_is_yielded_once() {
        let histories = Histories::new();
        let mut random = StdRng::seed_from_u64(7);
        let mut checks = 0;
        for (fen, has_promotion) in [
            (START, false),
            // A check by a knight, a rook or a cannon, a double check, and a cannon that faces the king.
            ("3aka3/9/3N5/9/9/9/9/4R4/9/3AK4 b", false),
            ("3aka3/9/9/4R4/9/2n6/9/9/4A4/4KC3 b", false),
            ("3akab2/9/4b4/9/4C4/9/9/9/4R4/3K5 b", false),
            ("3aka3/9/3N5/9/9/4R4/9/9/4C4/3K5 b", false),
            ("3aka3/9/9/9/2n3r2/9/9/4C4/9/3K5 b", false),
            ("3k5/9/9/9/9/9/9/9/9/2BAKAB2 w", true),
        ] {
            let start = parse_variant_position(fen, has_promotion).unwrap();
            for _ in 0..20 {
                let mut position = start.clone();
                for _ in 0..60 {
                    let legal: Vec<Move> = legal_moves(&position).to_vec();
                    let Some(&played) = legal.choose(&mut random) else {
                        break;
                    };
                    checks += usize::from(position.in_check());
                    let mut pick = || match random.random_range(0..3) {
                        0 => Move::NONE,
                        _ => *legal.choose(&mut random).unwrap(),
                    };
                    let hash_move = pick();
                    let [first, second] = [pick(), pick()];
                    let killers = [first, if second == first { Move::NONE } else { second }];
                    let legality = Legality::new(&position);
                    let threats = Threats::new(&position);
                    let context = QuietContext { before: [None; 3], threats };
                    let mut picker =
                        MovePicker::new(&position, PickerMode::All, hash_move, killers);
                    let mut yielded = Vec::new();
                    while let Some(m) = picker.next(&position, &legality, &histories, &context) {
                        yielded.push(m);
                    }
                    yielded.retain(|m| legality.allows(&position, *m));
                    let [yielded, expected] = [yielded, legal].map(|mut moves| {
                        moves.sort_by_key(ToString::to_string);
                        moves
                    });
                    assert_eq!(yielded, expected, "{position}, {hash_move}, {killers:?}");
                    position.make(played);
                }
            }
        }
        assert!(checks > 50, "{checks}");
    }
}
