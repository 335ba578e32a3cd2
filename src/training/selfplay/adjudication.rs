//! Games that are over before the rules say so.

use crate::board::{Color, Position};
use crate::search::Score;
use crate::training::data::{LabelledResult, Termination};

/// A side this far ahead for [`WON_PLIES`] has won, in units of the evaluation.
const WON: i32 = 2200;
/// Plies for which a game must look won.
const WON_PLIES: u32 = 6;
/// A score this near zero for [`DRAWN_PLIES`] without a capture makes a draw, in units of the
/// evaluation.
const DRAWN: i32 = 40;
/// Plies for which a game must look drawn.
const DRAWN_PLIES: u32 = 12;
/// Before this ply no game is drawn for its scores.
const DRAWN_FROM: usize = 80;

/// What the scores of a game have come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SelfPlayAdjudicator {
    leader: Option<Color>,
    won_plies: u32,
    drawn_plies: u32,
}

impl SelfPlayAdjudicator {
    /// Takes up the score of a search in `position`, `ply` plies after the start; returns the result
    /// once the scores decide the game. A mate that was found decides it at once.
    pub(super) fn note(
        &mut self,
        position: &Position,
        ply: usize,
        score: Score,
    ) -> Option<(LabelledResult, Termination)> {
        let side = position.side_to_move();
        let leader = if score > Score::ZERO { side } else { !side };
        let is_won = score.units().abs() > WON;
        self.won_plies = match self.leader == Some(leader) && is_won {
            true => self.won_plies + 1,
            false => u32::from(is_won),
        };
        self.leader = is_won.then_some(leader);
        if self.won_plies >= WON_PLIES || score.is_decisive() {
            return Some((LabelledResult::win(leader), Termination::AdjudicatedWin));
        }
        let is_drawn = score.units().abs() <= DRAWN && position.clock().plies() > 0;
        self.drawn_plies = if is_drawn { self.drawn_plies + 1 } else { 0 };
        (ply >= DRAWN_FROM && self.drawn_plies >= DRAWN_PLIES)
            .then_some((LabelledResult::Draw, Termination::AdjudicatedDraw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;

    /// When and how a game ends whose scores for red are these, from ply `first`.
    fn ends(first: usize, scores: &[i32]) -> Option<(usize, LabelledResult)> {
        let mut position = Position::startpos();
        let mut adjudication = SelfPlayAdjudicator::default();
        for (index, score) in scores.iter().enumerate() {
            let quiet = legal_moves(&position)
                .into_iter()
                .find(|m| position.piece_on(m.to()).is_none());
            position.make(quiet.unwrap());
            let sign = position.side_to_move().sign();
            let score = Score::from_units(score * sign);
            if let Some((result, _)) = adjudication.note(&position, first + index, score) {
                return Some((index, result));
            }
        }
        None
    }

    #[test]
    fn one_side_must_be_ahead_all_the_time() {
        assert_eq!(ends(20, &[2300; 9]), Some((5, LabelledResult::RedWins)));
        assert_eq!(ends(20, &[-2300; 9]), Some((5, LabelledResult::BlackWins)));
        assert_eq!(ends(20, &[2200; 9]), None);
        let turning = [2300, 2300, 2300, -2300, -2300, -2300, 2300, 2300];
        assert_eq!(ends(20, &turning), None);
        assert_eq!(
            ends(20, &[0, -29_990]),
            Some((1, LabelledResult::BlackWins))
        );
    }

    #[test]
    fn only_late_games_are_drawn() {
        assert_eq!(ends(80, &[40; 20]), Some((11, LabelledResult::Draw)));
        assert_eq!(ends(60, &[-40; 40]), Some((20, LabelledResult::Draw)));
        assert_eq!(ends(20, &[0; 40]), None);
        assert_eq!(ends(80, &[41; 40]), None);
    }
}
