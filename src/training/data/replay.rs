//! Games as positions to learn from.

use super::NO_SCORE;
use super::record::{LabelledResult, LooseRecord, Record, Termination, TrainingGame};
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// A position with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    /// The position before the move.
    pub position: &'a Position,
    /// Plies played before it.
    pub ply: usize,
    /// What the search found best; none where that is not known.
    pub best: Option<Move>,
    /// The score for the side to move, in units of the evaluation.
    pub score: i16,
    /// The result of the game.
    pub result: LabelledResult,
}

impl Labelled<'_> {
    /// The score for red.
    pub fn score_for_red(&self) -> i32 {
        i32::from(self.score) * self.position.side_to_move().sign()
    }

    /// Points of the game for the side to move: 1, 0.5 or 0.
    pub fn points(&self) -> f64 {
        self.result.points(self.position.side_to_move())
    }
}

/// Which positions to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Those in check.
    pub in_check: bool,
    /// Those in which the best move takes something.
    pub captures: bool,
    /// Those with a score above this either way, in units of the evaluation.
    pub decided: i16,
    /// So many of the first plies that a search has scored; nothing where the moves are not known.
    pub first_plies: usize,
    /// So many of the last plies of a game that a repetition has decided: its result depends on the path.
    pub repetition_plies: usize,
}

impl Filter {
    /// Leaves nothing out.
    pub const NONE: Self = Self {
        in_check: false,
        captures: false,
        decided: i16::MAX,
        first_plies: 0,
        repetition_plies: 0,
    };

    /// Leaves out what a static evaluation cannot be held to.
    pub const QUIET: Self = Self {
        in_check: true,
        captures: true,
        decided: 2200,
        first_plies: 0,
        repetition_plies: 12,
    };

    /// Whether the position is not left out for what it is in itself.
    pub fn allows(&self, sample: &Labelled<'_>) -> bool {
        let takes = |m| sample.position.taken_by(m).is_some();
        sample.score != NO_SCORE
            && sample.score.unsigned_abs() <= self.decided.unsigned_abs()
            && !(self.in_check && sample.position.in_check())
            && !(self.captures && sample.best.is_some_and(takes))
    }
}

/// A move that its position does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} of seed {seed}: ply {ply} is illegal")]
pub struct BadRecord {
    /// Seed of the game.
    pub seed: u64,
    /// Number of the game.
    pub number: u32,
    /// The ply, from 1.
    pub ply: usize,
}

impl Record {
    /// The result of the game.
    pub fn result(&self) -> LabelledResult {
        match self {
            Self::Game(game) => game.result,
            Self::Loose(loose) => loose.result,
        }
    }

    /// Positions that have a score.
    pub fn scored_positions(&self) -> usize {
        match self {
            Self::Game(game) => game.moves.iter().filter(|m| m.score != NO_SCORE).count(),
            Self::Loose(loose) => loose.samples.iter().filter(|s| s.score != NO_SCORE).count(),
        }
    }

    /// Hands the positions that `filter` allows to `each`, in the order of the game.
    ///
    /// # Errors
    /// A move is illegal; the positions before it have been handed out.
    pub fn visit(&self, filter: &Filter, each: impl FnMut(&Labelled<'_>)) -> Result<(), BadRecord> {
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
    /// As [`Record::visit`].
    ///
    /// # Errors
    /// As there.
    pub fn visit(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&Labelled<'_>),
    ) -> Result<(), BadRecord> {
        let mut position = self.start_position();
        let decided_by_path = matches!(
            self.ending,
            Termination::RepetitionDraw | Termination::RepetitionLoss
        );
        let path_from = match decided_by_path {
            true => self.moves.len().saturating_sub(filter.repetition_plies),
            false => self.moves.len(),
        };
        let first = usize::from(self.random_plies).saturating_add(filter.first_plies);
        for (ply, scored) in self.moves.iter().enumerate() {
            let sample = Labelled {
                position: &position,
                ply,
                best: Some(scored.played),
                score: scored.score,
                result: self.result,
            };
            if ply >= first && ply < path_from && filter.allows(&sample) {
                each(&sample);
            }
            if !is_legal(&position, scored.played) {
                return Err(BadRecord {
                    seed: self.seed,
                    number: self.number,
                    ply: ply + 1,
                });
            }
            position.make(scored.played);
        }
        Ok(())
    }
}

impl LooseRecord {
    /// As [`Record::visit`]; what depends on the moves is not known.
    pub fn visit(&self, filter: &Filter, mut each: impl FnMut(&Labelled<'_>)) {
        for sample in &self.samples {
            let position = &sample.position;
            let sample = Labelled {
                position,
                ply: position.ply() as usize,
                best: None,
                score: sample.score,
                result: self.result,
            };
            if filter.allows(&sample) {
                each(&sample);
            }
        }
    }
}
