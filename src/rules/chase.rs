//! The new threats of each move of a line, found while the moves are taken back.

use arrayvec::ArrayVec;

use super::game::Ply;
use super::rule_set::RuleSet;
use super::threat::{chaseable, chasers, cuts_off_protector, elephanteye_chase};
use crate::board::{Bitboard, Color, Move, Position, Square};

/// The checks and chases of one quiet move, as [`judge_repetition`](super::judge_repetition) counts
/// them, independent of the moves before and after it.
///
/// A side loses by check only if each of its moves in a repetition gives check, and by chase only if
/// each of them chases a piece. So a side cannot lose a repetition in which one of its moves gives
/// no check and one of them, perhaps another one, chases nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MoveThreats {
    /// Whether the move gives check, under rules that judge checks.
    pub gives_check: bool,
    /// The squares of the enemy pieces that the move newly threatens, under rules that judge chases.
    pub chased: Bitboard,
}

/// The threats of the quiet move `ply`, which led to `after`. `None` under the Chinese rules: there the threats of a
/// move also depend on the move before it ([`is_chinese_attack`](super::is_chinese_attack)).
pub fn move_threats(after: &Position, ply: &Ply, rules: RuleSet) -> Option<MoveThreats> {
    let chased = || {
        let mut retraction = Retraction::new(after, rules);
        let enemies = after.color(after.side_to_move());
        let threats = retraction.take_back(ply, enemies, Bitboard::EMPTY);
        threats.into_iter().map(|threat| threat.target).collect()
    };
    let (gives_check, chased) = match rules {
        RuleSet::Chinese => return None,
        RuleSet::None => (false, Bitboard::EMPTY),
        RuleSet::CheckOnly => (after.in_check(), Bitboard::EMPTY),
        RuleSet::Asian | RuleSet::Computer | RuleSet::ElephantEye => (after.in_check(), chased()),
    };
    Some(MoveThreats { gives_check, chased })
}

/// A piece that a move newly threatens.
#[derive(Clone, Copy, Debug)]
pub struct NewThreat {
    /// The identity of the piece: its square at the end of the line.
    pub id: Square,
    /// Its square after the move.
    pub target: Square,
    /// The squares, after the move, of the pieces whose threats against it count.
    pub chasers: Bitboard,
    /// The squares, after the move, of the excused pieces whose threats against it are new only because a protector was
    /// cut off.
    pub excused: Bitboard,
}

/// A side has at most 16 pieces.
type NewThreats = ArrayVec<NewThreat, 16>;

/// A line of moves without captures, taken back move by move.
pub struct Retraction {
    board: Position,
    tracker: PieceTracker,
    rules: RuleSet,
}

impl Retraction {
    /// Starts at the end of the line.
    pub fn new(end: &Position, rules: RuleSet) -> Self {
        Self { board: end.clone(), tracker: PieceTracker::new(), rules }
    }

    /// The board after the moves that have not been taken back.
    pub fn board(&self) -> &Position {
        &self.board
    }

    /// The side that played the next move to take back.
    pub fn mover(&self) -> Color {
        !self.board.side_to_move()
    }

    /// Takes back a move and returns its new threats against pieces with an id in `among`.
    ///
    /// If the threat of a piece with an id in `excused` is new only because a protector was cut off, the threat does
    /// not count. The piece is then in [`NewThreat::excused`] instead of [`NewThreat::chasers`].
    pub fn take_back(&mut self, ply: &Ply, among: Bitboard, excused: Bitboard) -> NewThreats {
        let mover = self.mover();
        let mut threats = self.threats(ply.played, among);
        let excused = self.tracker.squares(excused);
        let after = (excused.any() && !threats.is_empty()).then(|| self.board.clone());
        self.board.unmake(ply.played, ply.undo);
        self.tracker.step_back(ply.played);
        // Under the ElephantEye rules every chase counts as new.
        if self.rules == RuleSet::ElephantEye {
            return threats;
        }
        threats.retain(|threat| self.is_new(threat, mover, ply.played));
        if let Some(after) = after {
            for threat in &mut threats {
                threat.excused = self.cutting_off(threat, excused, &after, ply.played);
                threat.chasers &= !threat.excused;
            }
        }
        threats
    }

    /// The threats of the side that played the last move on the board, new or not.
    fn threats(&self, played: Move, among: Bitboard) -> NewThreats {
        let mut targets =
            self.tracker.squares(among) & chaseable(&self.board, self.board.side_to_move());
        if self.rules == RuleSet::ElephantEye {
            targets &=
                elephanteye_chase(&self.board, played).map_or(Bitboard::EMPTY, Bitboard::from);
        }
        let mut threats = NewThreats::new();
        for target in targets {
            let chasers = match self.rules {
                RuleSet::ElephantEye => Bitboard::from(played.to()),
                _ => chasers(&self.board, self.mover(), target),
            };
            if chasers.any() {
                threats.push(NewThreat {
                    id: self.tracker.id(target),
                    target,
                    chasers,
                    excused: Bitboard::EMPTY,
                });
            }
        }
        threats
    }

    /// The chasers among `excused` whose threat is new only because a protector was cut off.
    fn cutting_off(
        &self,
        threat: &NewThreat,
        excused: Bitboard,
        after: &Position,
        played: Move,
    ) -> Bitboard {
        (threat.chasers & excused)
            .into_iter()
            .filter(|chaser| {
                cuts_off_protector(&self.board, after, *chaser, threat.target, |square| {
                    played.origin_of(square)
                })
            })
            .collect()
    }

    /// Whether a threat is new: whether it did not exist before the move, which has already been taken back.
    fn is_new(&self, threat: &NewThreat, mover: Color, played: Move) -> bool {
        let before = chasers(&self.board, mover, threat.target);
        match self.rules {
            // The threat is new if no piece threatened the target before the move.
            RuleSet::Computer => before.is_empty(),
            // The threat is new if none of the pieces that make it threatened the target before the move.
            _ => {
                !threat.chasers.into_iter().any(|chaser| before.contains(played.origin_of(chaser)))
            }
        }
    }
}

/// Follows pieces while the moves of a line without captures are taken back. The id of a piece is its
/// square at the end of the line.
#[derive(Clone, Debug)]
struct PieceTracker {
    id_on: [Square; Square::COUNT],
    square_of: [Square; Square::COUNT],
}

impl PieceTracker {
    fn new() -> Self {
        Self { id_on: Square::ALL, square_of: Square::ALL }
    }

    /// Moves a piece back to its square before the move.
    fn step_back(&mut self, played: Move) {
        let (from, to) = (played.from().index(), played.to().index());
        self.id_on.swap(from, to);
        self.square_of[self.id_on[from].index()] = played.from();
        self.square_of[self.id_on[to].index()] = played.to();
    }

    fn id(&self, square: Square) -> Square {
        self.id_on[square.index()]
    }

    /// The squares of the pieces with the given ids.
    fn squares(&self, ids: Bitboard) -> Bitboard {
        let square = |id: Square| self.square_of[id.index()];
        ids.into_iter().map(square).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::Game;
    use super::*;

    #[test]
    fn single_moves_give_the_checks_and_chases_that_the_rules_judge() {
        let threats = |played: &str, rules| {
            let fen = "3k5/9/9/9/9/9/1n7/9/9/R3K4 w";
            let mut game = Game::new(fen.parse().unwrap());
            game.push_line(played);
            let threats = move_threats(game.position(), &game.plies()[0], rules)?;
            Some((threats.gives_check, threats.chased.len()))
        };
        for (played, asian, check_only) in [
            ("a0a1", (false, 0), (false, 0)),
            ("a0a3", (false, 1), (false, 0)),
            ("a0d0", (true, 0), (true, 0)),
        ] {
            assert_eq!(threats(played, RuleSet::Asian), Some(asian), "{played}");
            assert_eq!(threats(played, RuleSet::CheckOnly), Some(check_only));
            assert_eq!(threats(played, RuleSet::None), Some((false, 0)));
            assert_eq!(threats(played, RuleSet::Chinese), None);
        }
    }
}
