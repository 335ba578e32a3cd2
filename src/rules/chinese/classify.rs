//! The class of one move of a repetition.

use super::super::verdict::{Exemption, MoveClass};
use super::lookahead::{
    MATE_CHECKS, NodeBudget, begins_mate, forced_mate, has_move, moves_of, threatens_mate,
};
use super::threats::{
    Restriction, ThreatFinder, ThreatResult, is_joint_chase, takes_value, wins_exchange,
};
use crate::board::{Bitboard, Color, Move, PieceKind, Position, Reason, Square, Symmetry};

/// The node budget for classifying one move. When it is spent, no more mates are found, and captures are judged without
/// the answers that have not been searched. The class can then depend on the order in which moves are searched, but
/// images of a move by a symmetry of the board have the same class: see [`MoveContext::classify`].
const MOVE_BUDGET: u32 = 5_000;

/// A move of a repetition and the positions before it.
#[derive(Clone, Copy)]
pub struct MoveContext<'a> {
    /// The position before the enemy move that led to `before`.
    pub earlier: &'a Position,
    /// The position before the move.
    pub before: &'a Position,
    pub played: Move,
}

#[derive(Clone, Debug)]
pub struct Classification {
    pub class: MoveClass,
    /// The winning captures that the move newly threatens.
    pub chases: Vec<Move>,
    /// The squares of pieces that newly threaten to win material by a check.
    pub check_threats: Vec<Square>,
    /// Whether the chase is joint (联合捉子) or of a partly protected piece (少根子).
    pub is_joint: bool,
    /// The rule that makes the move idle although it may attack something.
    pub exemption: Option<Exemption>,
}

impl Classification {
    fn new(class: MoveClass) -> Self {
        Self {
            class,
            chases: Vec::new(),
            check_threats: Vec::new(),
            is_joint: false,
            exemption: None,
        }
    }

    fn exempt(exemption: Exemption) -> Self {
        Self { exemption: Some(exemption), ..Self::new(MoveClass::Idle) }
    }

    /// Whether the move chases only advisors and bishops (士象) on the given board.
    fn chases_defenders_only(&self, now: &Position) -> bool {
        let is_defender = |m: &Move| {
            let kind = now.piece_on(m.to()).map(|piece| piece.kind());
            matches!(kind, Some(PieceKind::Advisor | PieceKind::Bishop))
        };
        self.class == MoveClass::Chase
            && self.check_threats.is_empty()
            && self.chases.iter().all(is_defender)
    }
}

impl MoveContext<'_> {
    /// A hash of everything that the class depends on.
    pub fn key(&self) -> u64 {
        let parts = [
            self.before.key(),
            self.earlier.key(),
            u64::from(self.played.bits()),
            u64::from(self.before.has_promotion()),
        ];
        // Mixed after each part, because the keys of successive positions are similar.
        parts.iter().fold(0, |key: u64, part| {
            let mixed = (key ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        })
    }

    /// The gravest class that applies to the move. Searches the standard image of the move, so that all images are
    /// searched in the same order.
    pub fn classify(&self) -> Classification {
        let budget = &mut NodeBudget::new(MOVE_BUDGET);
        let symmetry = self.standard_symmetry();
        if symmetry == Symmetry::default() {
            return self.classify_within(budget);
        }
        let [earlier, before] = [self.earlier, self.before].map(|board| board.image(symmetry));
        let image = MoveContext {
            earlier: &earlier,
            before: &before,
            played: symmetry.image_of_move(self.played),
        };
        let mut classification = image.classify_within(budget);
        let Classification { chases, check_threats, .. } = &mut classification;
        if chases.is_empty() && check_threats.is_empty() {
            return classification;
        }
        // Back to this board, in the order in which its moves are generated.
        let mut now = self.before.after(self.played);
        now.make_null();
        let order = moves_of(&now);
        for m in &mut *chases {
            *m = symmetry.image_of_move(*m);
        }
        chases.sort_by_key(|m| order.iter().position(|other| other == m));
        for square in &mut *check_threats {
            *square = symmetry.square(*square);
        }
        check_threats.sort_by_key(|square| order.iter().position(|m| m.from() == *square));
        classification
    }

    /// The symmetry that leads to the standard image: with red to move, and of the two mirror images the one whose
    /// [`Self::description`] comes first.
    fn standard_symmetry(&self) -> Symmetry {
        let ranks = self.before.side_to_move() == Color::Black;
        let [image, mirror] = [false, true].map(|files| Symmetry { ranks, files });
        let is_mirror_first = self.description(mirror).lt(self.description(image));
        if is_mirror_first { mirror } else { image }
    }

    /// The image by a symmetry as numbers: the pieces before the move and before the enemy move, and the move.
    fn description(&self, symmetry: Symmetry) -> impl Iterator<Item = usize> {
        let played = symmetry.image_of_move(self.played);
        let boards = [self.before, self.earlier].into_iter();
        let pieces = boards.flat_map(move |board| {
            Square::all().map(move |square| {
                let piece = board.piece_on(symmetry.square(square));
                piece.map_or(0, |piece| symmetry.piece(piece).index() + 1)
            })
        });
        pieces.chain([played.from().index(), played.to().index()])
    }

    /// [`Self::classify`] of the move itself, not of its standard image, with a given node budget.
    pub fn classify_within(&self, budget: &mut NodeBudget) -> Classification {
        let before = self.before;
        let after = before.after(self.played);
        if after.in_check() {
            return Classification::new(MoveClass::Check);
        }
        if self.king_leaves_check() {
            return Classification::exempt(Exemption::KingLeavesCheck);
        }
        let mut now = after.clone();
        now.make_null();
        let mut then = self.before_without_check();
        if self.threatens_new_mate(&mut then, &mut now, budget) {
            return Classification::new(MoveClass::MateThreat);
        }
        let classification = self.compare(&then, &now, budget);
        if classification.chases_defenders_only(&now) && self.parries_mate(&after, budget) {
            Classification::exempt(Exemption::ParriesMate)
        } else {
            classification
        }
    }

    /// Whether the move is one of the king in check. Such a move is idle unless it gives check, because the checking
    /// side caused the threats that it uncovers.
    pub fn king_leaves_check(&self) -> bool {
        let before = self.before;
        before.in_check() && self.played.from() == before.king(before.side_to_move())
    }

    /// Whether the mover, if it could move again, would force mate after the move (`now`) but not before it (`then`).
    /// If the move answers a check, a mate by a move that did not force mate before is new as well.
    fn threatens_new_mate(
        &self,
        then: &mut Position,
        now: &mut Position,
        budget: &mut NodeBudget,
    ) -> bool {
        if forced_mate(now, MATE_CHECKS, budget).is_none() {
            return false;
        }
        if !self.before.in_check() {
            return forced_mate(then, MATE_CHECKS, budget).is_none();
        }
        moves_of(now).into_iter().any(|m| {
            let old = self.before_move(m);
            begins_mate(now, m, MATE_CHECKS, budget)
                && !(has_move(then, old) && begins_mate(then, old, MATE_CHECKS, budget))
        })
    }

    /// The position before the move, with the mover to move and not in check. If the move answers a check, this is the
    /// position before that check or, if that check also answered a check, the position with the check ignored.
    fn before_without_check(&self) -> Position {
        if !self.before.in_check() {
            return self.before.clone();
        }
        if self.earlier.in_check() {
            return self.before.ignoring_checks();
        }
        let mut earlier = self.earlier.clone();
        earlier.make_null();
        earlier
    }

    /// Translates a move `m` that follows the played move to the position before it, where the moved piece is still at
    /// its origin.
    fn before_move(&self, m: Move) -> Move {
        Move::new(self.played.origin_of(m.from()), m.to())
    }

    /// Compares the threats of the mover after the move (`now`) and before it (`then`).
    fn compare(&self, then: &Position, now: &Position, budget: &mut NodeBudget) -> Classification {
        let present = ThreatFinder::new(now, None, budget);
        let found = present.results(budget);
        if found.is_empty() {
            return Classification::new(MoveClass::Idle);
        }
        let past = ThreatFinder::new(then, Some(self.played.from()), budget);
        let flees = self.flees_mate(budget);
        let mut classification = Classification::new(MoveClass::Idle);
        for (m, result) in found {
            let old = self.before_move(m);
            if !takes_value(now, m) {
                let is_known = classification.check_threats.contains(&m.from());
                if !is_known && !past.wins_by_check(old.from(), Restriction::None, budget) {
                    classification.check_threats.push(m.from());
                }
            } else if result == ThreatResult::Win {
                let is_known = flees && has_move(then, old)
                    || past.try_result(old, budget) == ThreatResult::Win
                    || self.is_old_threat(then, now, m, budget);
                if !is_known {
                    classification.chases.push(m);
                }
            } else if past.try_result(old, budget) == ThreatResult::Nothing {
                classification.class = MoveClass::Exchange;
            }
        }
        let Classification { chases, check_threats, .. } = &classification;
        if chases.is_empty() && check_threats.is_empty() {
            return classification;
        }
        let mut checkers = check_threats.iter();
        classification.is_joint = if chases.is_empty() {
            !checkers.any(|from| present.wins_by_check(*from, Restriction::Alone, budget))
        } else {
            is_joint_chase(now, chases)
        };
        classification.class = MoveClass::Chase;
        classification
    }

    /// Whether a capture that wins material after the move (`now`) but not before it (`then`) is an old threat
    /// nevertheless.
    fn is_old_threat(
        &self,
        then: &Position,
        now: &Position,
        m: Move,
        budget: &mut NodeBudget,
    ) -> bool {
        let old = self.before_move(m);
        // The moved piece already threatened to win the target.
        let continues = m.from() == self.played.to() && wins_exchange(then, old, budget);
        // As an answer to the check, the capture already won material.
        let was_in_check = self.before.in_check();
        if continues || was_in_check && wins_exchange(self.before, old, budget) {
            return true;
        }
        if !self.is_unrelated(then, now, m) || !self.wins_without_mover(now, m, budget) {
            return false;
        }
        // A capture that is unrelated to the repeated moves and also wins without the moved piece is old in two cases:
        // - It won material on its square before, and the move answered a check or the enemy did not threaten mate.
        // - It won material before, with the moved piece not regarded as hanging.
        let is_safe = was_in_check || !threatens_mate(self.before, MATE_CHECKS, budget);
        let none_hanging = ThreatFinder::new(then, None, budget);
        is_safe && wins_exchange(then, old, budget)
            || none_hanging.try_result(old, budget) == ThreatResult::Win
    }

    /// Whether a capture is unrelated to the repeated moves:
    ///
    /// - attacker and target did not move, and the attack existed before each of the last two moves,
    /// - the moved piece is not the king, and
    /// - neither the attacker nor its screen protects the moved piece or is protected by it.
    fn is_unrelated(&self, then: &Position, now: &Position, m: Move) -> bool {
        let us = now.side_to_move();
        let attackers = |board: &Position, square| board.attackers_to(square, us, board.occupied());
        let existed = |board: &Position| {
            let is_unmoved = board.piece_on(m.to()) == now.piece_on(m.to());
            is_unmoved && attackers(board, m.to()).contains(m.from())
        };
        let mover = self.played.to();
        if m.from() == mover || mover == now.king(us) {
            return false;
        }
        if !existed(self.earlier) || !existed(then) {
            return false;
        }
        let screen = Bitboard::between(m.from(), m.to()) & now.color(us);
        let is_linked = |board: &Position, piece: Square, square: Square| {
            attackers(board, square).contains(piece) || attackers(board, piece).contains(square)
        };
        !screen.with(m.from()).into_iter().any(|square| {
            is_linked(now, mover, square) || is_linked(then, self.played.from(), square)
        })
    }

    /// Whether a capture wins material on its square with the moved piece removed from the board. Also true if the
    /// removal exposes the mover's king to a check or to the enemy king. False if it leaves the enemy king in check.
    fn wins_without_mover(&self, now: &Position, m: Move, budget: &mut NodeBudget) -> bool {
        let mut setup = now.setup();
        setup.squares[self.played.to().index()] = None;
        match Position::try_from(&setup) {
            Ok(rest) => rest.in_check() || wins_exchange(&rest, m, budget),
            Err(error) => error.reasons == [Reason::FacingKings],
        }
    }

    /// Whether the king moves out of a threatened mate. Captures that were legal before the move are then not new.
    fn flees_mate(&self, budget: &mut NodeBudget) -> bool {
        let before = self.before;
        self.played.from() == before.king(before.side_to_move())
            && !before.in_check()
            && threatens_mate(before, MATE_CHECKS, budget)
    }

    /// Whether the enemy threatened mate before the move and no longer does after it.
    fn parries_mate(&self, after: &Position, budget: &mut NodeBudget) -> bool {
        !self.before.in_check()
            && threatens_mate(self.before, MATE_CHECKS, budget)
            && forced_mate(&mut after.clone(), MATE_CHECKS, budget).is_none()
    }
}
