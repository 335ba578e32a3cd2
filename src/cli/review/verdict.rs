//! Grades of moves by their loss of winning chances.

use crate::board::Position;
use crate::cli::common::texts;
use crate::eval::win_rate::WinRate;
use crate::search::Score;

/// The grade of a move by the expected points that it lost.
///
/// The bounds of 5, 10 and 15 % of a point are those of Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The best move of the search.
    Best,
    /// A loss of less than 5 %.
    Good,
    /// An inaccuracy (缓着): a loss of 5 to 10 %.
    Inaccuracy,
    /// A mistake (失着): a loss of 10 to 15 %.
    Mistake,
    /// A blunder (败着): a loss of 15 % or more.
    Blunder,
}

impl Grade {
    /// The grade of a move that lost `lost` percent of a point.
    pub fn of(lost: f64, is_best: bool) -> Self {
        match lost {
            _ if is_best => Self::Best,
            15.0.. => Self::Blunder,
            10.0.. => Self::Mistake,
            5.0.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// The name for tables; empty for a good move.
    pub fn name(self) -> &'static str {
        let texts = texts();
        match self {
            Self::Best => texts.best_move,
            Self::Good => "",
            Self::Inaccuracy => texts.inaccuracy,
            Self::Mistake => texts.mistake,
            Self::Blunder => texts.blunder,
        }
    }

    /// The name in JSON and PGN, always in English.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// The suffix of the move, such as `??`; empty for a good move.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Best | Self::Good => "",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The numeric annotation glyph of PGN.
    pub fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }
}

/// The points that the side to move can expect, in percent: its chance to win and half of its chance to draw.
pub fn expected_points(score: Score, position: &Position) -> f64 {
    let WinRate { win, draw, .. } = WinRate::of(score.units(), position);
    f64::from(win) / 10.0 + f64::from(draw) / 20.0
}

/// The accuracy, from 0 to 100, of a move that lost `lost` percent of a point, by the formula of Lichess
/// ("Accuracy metric").
pub fn accuracy(lost: f64) -> f64 {
    (103.1668 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The number of moves of one side by grade, and their accuracy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideSummary {
    /// The number of judged moves.
    pub moves: usize,
    /// The mean accuracy; `None` without moves.
    pub accuracy: Option<f64>,
    /// The mean loss, in percent of a point; `None` without moves.
    pub lost: Option<f64>,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
}

impl SideSummary {
    /// The summary of moves, each with its loss and grade.
    pub fn of(moves: &[(f64, Grade)]) -> Self {
        let count = |grade| moves.iter().filter(|(_, g)| *g == grade).count();
        let mean = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 = moves.iter().map(|(lost, _)| value(*lost)).sum();
            (!moves.is_empty()).then(|| sum / moves.len() as f64)
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
    fn side_without_moves_has_no_means() {
        let none = SideSummary::of(&[]);
        assert_eq!((none.accuracy, none.lost), (None, None));
    }

    #[test]
    fn grades_follow_losses() {
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
    fn accuracy_falls_with_losses() {
        assert!(accuracy(0.0) > 99.99);
        assert!(accuracy(100.0) < 1.0);
        assert!(accuracy(5.0) > accuracy(10.0));
        let side = SideSummary::of(&[(0.0, Grade::Best), (20.0, Grade::Blunder)]);
        assert_eq!((side.moves, side.blunders, side.mistakes), (2, 1, 0));
        assert!((side.lost.unwrap() - 10.0).abs() < 1e-9);
        let expected = (100.0 + accuracy(20.0)) / 2.0;
        assert!((side.accuracy.unwrap() - expected).abs() < 0.01);
        assert_eq!(SideSummary::of(&[]), SideSummary::default());
    }

    #[test]
    fn points_of_both_sides_add_up_to_100() {
        let start = Position::startpos();
        for units in [0, 77, 400, 5000] {
            let score = Score::from_units(units);
            let sum = expected_points(score, &start) + expected_points(-score, &start);
            assert!((sum - 100.0).abs() < 1e-9);
        }
        assert!(expected_points(Score::mate_in(3), &start) > 99.9);
    }
}
