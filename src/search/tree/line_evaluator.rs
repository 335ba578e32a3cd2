//! The static evaluation along the line under search.

use crate::board::{Move, Position, Undo};
use crate::eval::{Evaluator, NORMAL_ATTACK, PieceSquareAccumulator, TEMPO};
use crate::search::request::{Settings, Style};
use crate::search::score::{MAX_PLY, Score};

/// The evaluator of a thread, with the incremental part of the evaluation for every position on the
/// line: a move pushes its position's, taking it back pops it, a null move leaves the stack alone.
#[derive(Debug)]
pub(super) struct LineEvaluator {
    evaluator: Evaluator,
    sums: Vec<PieceSquareAccumulator>,
}

impl LineEvaluator {
    pub(super) fn new() -> Self {
        Self {
            evaluator: Evaluator::default(),
            sums: Vec::with_capacity(MAX_PLY + 4),
        }
    }

    /// Begins a line at `root`. What is remembered of material stays.
    pub(super) fn start(&mut self, root: &Position, settings: &Settings) {
        self.evaluator
            .set(settings.knowledge, attack(settings.style));
        self.sums.clear();
        self.sums.push(PieceSquareAccumulator::new(root));
    }

    /// Plays a pseudo-legal move in the position at the end of the line.
    #[inline]
    pub(super) fn push(&mut self, position: &mut Position, m: Move) -> Undo {
        let mut sum = *self.last();
        let undo = position.make_observed(m, &mut sum);
        self.sums.push(sum);
        undo
    }

    /// Forgets the last position of the line, whose move has been taken back.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.sums.pop();
    }

    /// The static evaluation of the position at the end of the line, for its side to move.
    #[inline]
    pub(super) fn evaluate(&self, position: &Position) -> Score {
        Score::evaluation(self.evaluator.evaluate(position, self.last()))
    }

    /// How much a quiet move raised the evaluation for its mover, from `earlier`, the evaluation for the
    /// mover, to `now`, that for the opponent at the end of the line. Each counts the tempo for its own
    /// side; passing it on is not the move's fault.
    #[inline]
    pub(super) fn swing(&self, earlier: Score, now: Score) -> i32 {
        let tempo = TEMPO.at_phase(self.phase());
        2 * tempo - now.units() - earlier.units()
    }

    /// The phase of the game at the end of the line, from 0 to [`crate::eval::FULL_PHASE`].
    #[inline]
    pub(super) fn phase(&self) -> i32 {
        self.last().phase
    }

    #[inline]
    fn last(&self) -> &PieceSquareAccumulator {
        &self.sums[self.sums.len() - 1]
    }
}

/// The evaluation that the settings ask for, without any search, for the side to move.
pub fn static_score(position: &Position, settings: &Settings) -> Score {
    let mut evaluator = LineEvaluator::new();
    evaluator.start(position, settings);
    evaluator.evaluate(position)
}

/// The weight of the tactical terms of the evaluation.
fn attack(style: Style) -> i32 {
    match style {
        Style::Solid => NORMAL_ATTACK * 7 / 8,
        Style::Normal => NORMAL_ATTACK,
        Style::Risky => NORMAL_ATTACK * 5 / 4,
    }
}
