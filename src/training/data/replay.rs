//! Iteration over the positions of a record, each with its score and the result of the game.

use super::NO_SCORE;
use super::record::{LabeledResult, LooseRecord, Record, Termination, TrainingGame};
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// A position with its labels: the score, the result and the move played.
#[derive(Clone, Copy, Debug)]
pub struct Labeled<'a> {
    /// The position before the move.
    pub position: &'a Position,
    /// Plies before it in the game; for a loose sample, according to its move number.
    pub ply: usize,
    /// The move played in it; `None` if unknown.
    pub played: Option<Move>,
    /// The score for the side to move, in evaluation units.
    pub score: i16,
    pub result: LabeledResult,
}

impl Labeled<'_> {
    /// The score for red, in evaluation units.
    pub fn score_for_red(&self) -> i32 {
        i32::from(self.score) * self.position.side_to_move().sign()
    }

    /// Points of the game for the side to move: 1, 0.5 or 0.
    pub fn points(&self) -> f64 {
        self.result.points(self.position.side_to_move())
    }
}

/// The positions to skip, in addition to those without a score and those of the random plies at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Whether to skip positions in check.
    pub leave_out_checks: bool,
    /// Whether to skip positions in which the move played is a capture. Loose samples are not affected.
    pub leave_out_captures: bool,
    /// Positions whose absolute score is larger than this, in evaluation units, are skipped.
    pub largest_score: i16,
    /// Number of plies to skip after the random ones. Loose samples are not affected.
    pub first_plies: usize,
    /// Number of last plies to skip if a repetition decided the game, because its result depends on the path. Loose
    /// samples are not affected.
    pub repetition_plies: usize,
    /// Positions whose score differs from the score after the move by more than this, in evaluation units, are
    /// skipped, because the search probably overlooked something; [`i16::MAX`] is no limit. Loose samples are not
    /// affected.
    pub largest_swing: i16,
}

impl Filter {
    /// Skips only what every filter skips: positions without a score and those of the random plies at the start.
    pub const NONE: Self = Self {
        leave_out_checks: false,
        leave_out_captures: false,
        largest_score: i16::MAX,
        first_plies: 0,
        repetition_plies: 0,
        largest_swing: i16::MAX,
    };

    /// Skips positions in which a static evaluation cannot be expected to match the label.
    pub const QUIET: Self = Self {
        leave_out_checks: true,
        leave_out_captures: true,
        largest_score: 2200,
        repetition_plies: 12,
        ..Self::NONE
    };

    /// Whether the filter keeps the position. Conditions on plies and swings are not tested.
    pub fn allows(&self, sample: &Labeled<'_>) -> bool {
        let takes = |m| sample.position.taken_by(m).is_some();
        sample.score != NO_SCORE
            && sample.score.unsigned_abs() <= self.largest_score.unsigned_abs()
            && !(self.leave_out_checks && sample.position.in_check())
            && !(self.leave_out_captures && sample.played.is_some_and(takes))
    }
}

/// An illegal move in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} of seed {seed}: the move at ply {ply} is illegal")]
pub struct BadRecord {
    pub seed: u64,
    pub number: u32,
    /// Ply of the move, from 1.
    pub ply: usize,
}

impl Record {
    pub fn result(&self) -> LabeledResult {
        match self {
            Self::Game(game) => game.result,
            Self::Loose(loose) => loose.result,
        }
    }

    pub fn scored_positions(&self) -> usize {
        match self {
            Self::Game(game) => game.moves.iter().filter(|m| m.score != NO_SCORE).count(),
            Self::Loose(loose) => loose.samples.iter().filter(|s| s.score != NO_SCORE).count(),
        }
    }

    /// Calls `each` for the positions that `filter` keeps, in game order. Filters that need the moves have no effect on
    /// loose samples.
    ///
    /// # Errors
    /// A move is illegal. `each` has been called for the positions before it.
    pub fn visit(&self, filter: &Filter, each: impl FnMut(&Labeled<'_>)) -> Result<(), BadRecord> {
        match self {
            Self::Game(game) => game.visit(filter, each),
            Self::Loose(loose) => {
                loose.visit(filter, each);
                Ok(())
            }
        }
    }
}

impl TrainingGame {
    fn visit(&self, filter: &Filter, mut each: impl FnMut(&Labeled<'_>)) -> Result<(), BadRecord> {
        let mut position = self.start_position();
        let decided_by_path =
            matches!(self.ending, Termination::RepetitionDraw | Termination::RepetitionLoss);
        let end = if decided_by_path {
            self.moves.len().saturating_sub(filter.repetition_plies)
        } else {
            self.moves.len()
        };
        let first = usize::from(self.random_plies).saturating_add(filter.first_plies);
        for (ply, scored) in self.moves.iter().enumerate() {
            let sample = Labeled {
                position: &position,
                ply,
                played: Some(scored.played),
                score: scored.score,
                result: self.result,
            };
            let is_steady = filter.largest_swing == i16::MAX
                || self.swing_at(ply) <= filter.largest_swing.into();
            if (first..end).contains(&ply) && is_steady && filter.allows(&sample) {
                each(&sample);
            }
            if !is_legal(&position, scored.played) {
                return Err(BadRecord { seed: self.seed, number: self.number, ply: ply + 1 });
            }
            position.make(scored.played);
        }
        Ok(())
    }

    /// The score of each ply, averaged with the later ones: `1 - later_share` times the score of the ply plus
    /// `later_share` times the average at the next ply (TD(lambda): R. S. Sutton, "Learning to predict by the methods
    /// of temporal differences", 1988). Scores are averaged as expected results, with odds of e to 1 at `scale` units.
    /// A ply without a score keeps [`NO_SCORE`], and no average crosses it.
    pub fn averaged_scores(&self, later_share: f32, scale: f32) -> Vec<i16> {
        let mut scores: Vec<i16> = self.moves.iter().map(|m| m.score).collect();
        let mut next = None;
        for score in scores.iter_mut().rev() {
            if *score == NO_SCORE {
                next = None;
                continue;
            }
            let own = 1.0 / (1.0 + (-f32::from(*score) / scale).exp());
            // The next average is for the other side.
            let average = next.map_or(own, |next| own + later_share * (1.0 - next - own));
            let units = (scale * (average / (1.0 - average)).ln()).round();
            *score = units.clamp(f32::from(-i16::MAX), f32::from(i16::MAX)) as i16;
            next = Some(average);
        }
        scores
    }

    /// Absolute difference between the score at a ply and the score after the move; 0 if one is unknown.
    fn swing_at(&self, ply: usize) -> i32 {
        let score = |ply: usize| self.moves.get(ply).map(|m| m.score);
        match (score(ply), score(ply + 1)) {
            (Some(before), Some(after)) if before != NO_SCORE && after != NO_SCORE => {
                // The scores are for opposite sides.
                (i32::from(before) + i32::from(after)).abs()
            }
            _ => 0,
        }
    }
}

impl LooseRecord {
    fn visit(&self, filter: &Filter, mut each: impl FnMut(&Labeled<'_>)) {
        for sample in &self.samples {
            let position = &sample.position;
            let sample = Labeled {
                position,
                ply: position.ply() as usize,
                played: None,
                score: sample.score,
                result: self.result,
            };
            if filter.allows(&sample) {
                each(&sample);
            }
        }
    }
}
