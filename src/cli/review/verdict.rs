//! What a move was worth: how much of the chances it gave away.

use crate::board::Position;
use crate::eval::win_rate::WinRate;
use crate::search::Score;

/// What is said of a move, by the expected points that it lost.
///
/// The bounds are 5, 10 and 15 % of a point, those of Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// The move that the search would have played.
    Best,
    /// It lost little or nothing.
    Good,
    /// An inaccuracy (缓着): it lost 5 to 10 %.
    Inaccuracy,
    /// A mistake (失着): it lost 10 to 15 %.
    Mistake,
    /// A blunder (败着): it lost 15 % or more.
    Blunder,
}

impl Grade {
    /// The grade of a move that lost so many percent of a point.
    pub(super) fn of(lost: f64, is_best: bool) -> Self {
        match lost {
            _ if is_best => Self::Best,
            15.0.. => Self::Blunder,
            10.0.. => Self::Mistake,
            5.0.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// The word for the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// The mark behind the move, empty for a good one.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Best | Self::Good => "",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The numeric annotation glyph of PGN.
    pub(super) fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }
}

/// The points that the side to move may expect of a game, in percent: its chance to win and half of that
/// to draw.
pub(super) fn expected_points(score: Score, position: &Position) -> f64 {
    let WinRate { win, draw, .. } = WinRate::of(score.units(), position);
    f64::from(win) / 10.0 + f64::from(draw) / 20.0
}

/// How accurate a move was that lost so many percent of a point, from 0 to 100, by the formula of
/// Lichess ("Accuracy metric").
pub(super) fn accuracy(lost: f64) -> f64 {
    (103.1668 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The moves of one side in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideSummary {
    /// Moves that were judged.
    pub moves: usize,
    /// The mean of their accuracies; 0 without moves.
    pub accuracy: f64,
    /// The mean loss, in percent of a point.
    pub lost: f64,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
}

impl SideSummary {
    /// The summary of moves, each with its loss and grade.
    pub(super) fn of(moves: &[(f64, Grade)]) -> Self {
        let count = |grade| moves.iter().filter(|(_, g)| *g == grade).count();
        let mean = |value: &dyn Fn(f64) -> f64| {
            // An empty sum of floating-point numbers is -0.
            let sum = moves.iter().fold(0.0, |sum, (lost, _)| sum + value(*lost));
            sum / moves.len().max(1) as f64
        };
        Self {
            moves: moves.len(),
            accuracy: mean(&accuracy),
            lost: mean(&|lost| lost),
            inaccuracies: count(Grade::Inaccuracy),
            mistakes: count(Grade::Mistake),
            blunders: count(Grade::Blunder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_without_moves_has_plain_zeros() {
        let none = SideSummary::of(&[]);
        assert_eq!(format!("{:.1} {:.1}", none.accuracy, none.lost), "0.0 0.0");
    }

    #[test]
    fn losses_have_grades() {
        for (lost, grade) in [
            (0.0, Grade::Good),
            (4.99, Grade::Good),
            (5.0, Grade::Inaccuracy),
            (10.0, Grade::Mistake),
            (15.0, Grade::Blunder),
            (100.0, Grade::Blunder),
        ] {
            assert_eq!(Grade::of(lost, false), grade, "{lost}");
            assert_eq!(Grade::of(lost, true), Grade::Best);
        }
    }

    #[test]
    fn a_flawless_side_is_wholly_accurate() {
        assert!(accuracy(0.0) > 99.99);
        assert!(accuracy(100.0) < 1.0);
        assert!(accuracy(5.0) > accuracy(10.0));
        let side = SideSummary::of(&[(0.0, Grade::Best), (20.0, Grade::Blunder)]);
        assert_eq!((side.moves, side.blunders, side.mistakes), (2, 1, 0));
        assert!((side.lost - 10.0).abs() < 1e-9);
        assert!((side.accuracy - (100.0 + accuracy(20.0)) / 2.0).abs() < 0.01);
        assert_eq!(SideSummary::of(&[]), SideSummary::default());
    }

    #[test]
    fn points_are_those_of_both_sides() {
        let start = Position::startpos();
        for units in [0, 77, 400, 5000] {
            let score = Score::from_units(units);
            let sum = expected_points(score, &start) + expected_points(-score, &start);
            assert!((sum - 100.0).abs() < 1e-9);
        }
        assert!(expected_points(Score::mate_in(3), &start) > 99.9);
    }
}
