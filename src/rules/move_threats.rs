//! What one quiet move threatens by itself under the rules on repetitions: check and chase.

use super::chase::Retraction;
use super::game::Ply;
use super::rule_set::RuleSet;
use crate::board::{Bitboard, Position};

/// Check and chases of one quiet move as [`judge_repetition`](super::judge_repetition) counts them,
/// whatever was played before it and comes after it.
///
/// A side loses by check only if each of its moves in a repetition gives check, and by chase only if
/// there is one piece that each of them chases. So a repetition in which a side has a move that does not
/// check and a move, the same or another one, that chases nothing is never lost for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MoveThreats {
    /// Whether the move gives check, under rules that judge checks.
    pub gives_check: bool,
    /// The enemy pieces that it newly threatens, where they stand after it, under rules that judge
    /// chases.
    pub chased: Bitboard,
}

/// The threats of the quiet move `ply`, which led to `after`; `None` under the Chinese rules, which do
/// not judge a move by itself.
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
    Some(MoveThreats {
        gives_check,
        chased,
    })
}

#[cfg(test)]
mod tests {
    use super::super::game::Game;
    use super::*;

    #[test]
    fn a_move_checks_chases_or_does_neither() {
        let threats = |played: &str, rules| {
            let fen = "3k5/9/9/9/9/9/1n7/9/9/R3K4 w";
            let mut game = Game::new(fen.parse().unwrap());
            game.push(played.parse().unwrap()).unwrap();
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
