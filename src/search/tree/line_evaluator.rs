//! The static evaluation along the line under search.

use std::sync::Arc;

use crate::board::{Move, Position, Undo};
use crate::eval::nnue::simd::SimdLevel;
use crate::eval::nnue::{self, AccumulatorStack, Network};
use crate::eval::{
    Evaluator, Knowledge, NORMAL_ATTACK, PieceSquareAccumulator, TEMPO, phase, scaled,
};
use crate::search::parameters::values;
use crate::search::request::{Settings, Style};
use crate::search::score::{MAX_PLY, Score};

/// A debug assertion computes the network's sums afresh for one position in so many, chosen by its key.
const FRESH_SHARE: u64 = 32;

/// The evaluator of a thread, with the incremental part of the evaluation for every position on the
/// line: a move pushes its position's, taking it back pops it, a null move leaves the stack alone.
#[derive(Debug)]
pub(super) struct LineEvaluator {
    evaluator: Evaluator,
    sums: Vec<PieceSquareAccumulator>,
    network: Option<NetworkLine>,
    /// Whether the network evaluates this line.
    uses_network: bool,
    level: SimdLevel,
}

/// The network with its sums for the line.
#[derive(Debug)]
struct NetworkLine {
    network: Arc<Network>,
    stack: AccumulatorStack,
}

impl LineEvaluator {
    pub(super) fn new() -> Self {
        Self {
            evaluator: Evaluator::default(),
            sums: Vec::with_capacity(MAX_PLY + 4),
            network: None,
            uses_network: false,
            level: SimdLevel::widest(),
        }
    }

    /// Begins a line at `root`, evaluated by `network` (`None`: the embedded one) if the settings ask for
    /// all knowledge and the network has an input for every piece. What is remembered of material stays.
    pub(super) fn start(
        &mut self,
        root: &Position,
        settings: &Settings,
        network: Option<&Arc<Network>>,
    ) {
        self.evaluator
            .set(settings.knowledge, attack(settings.style));
        self.sums.clear();
        self.uses_network = settings.knowledge == Knowledge::Large
            && !root.has_promotion()
            && nnue::features::is_representable(root);
        if !self.uses_network {
            self.sums.push(PieceSquareAccumulator::new(root));
            return;
        }
        let network = network.unwrap_or_else(|| nnue::embedded());
        match &mut self.network {
            Some(line) if Arc::ptr_eq(&line.network, network) => line.stack.reset(network, root),
            _ => {
                let stack = AccumulatorStack::new(network, root);
                let network = network.clone();
                self.network = Some(NetworkLine { network, stack });
            }
        }
    }

    /// The network, if it evaluates this line.
    #[inline]
    fn network(&mut self) -> Option<&mut NetworkLine> {
        self.network.as_mut().filter(|_| self.uses_network)
    }

    /// Plays a pseudo-legal move in the position at the end of the line.
    #[inline]
    pub(super) fn push(&mut self, position: &mut Position, m: Move) -> Undo {
        if let Some(NetworkLine { network, stack }) = self.network() {
            return position.make_observed(m, &mut stack.push(network));
        }
        let mut sum = *self.last();
        let undo = position.make_observed(m, &mut sum);
        self.sums.push(sum);
        undo
    }

    /// Forgets the last position of the line, whose move has been taken back.
    #[inline]
    pub(super) fn pop(&mut self) {
        match self.network() {
            Some(line) => line.stack.pop(),
            None => drop(self.sums.pop()),
        }
    }

    /// The static evaluation of the position at the end of the line, for its side to move.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        let level = self.level;
        let value = match self.network() {
            Some(NetworkLine { network, stack }) => {
                debug_assert!(
                    !position.key().is_multiple_of(FRESH_SHARE)
                        || stack.equals_fresh(network, position),
                    "the network's sums of {position} do not follow the line"
                );
                scaled(position, nnue::evaluate(level, network, stack, position))
            }
            None => self.evaluator.evaluate(position, self.last()),
        };
        Score::evaluation(value)
    }

    /// How much a quiet move raised the evaluation for its mover, from `earlier`, the evaluation for the
    /// mover, to `now`, that for the opponent at the end of the line. Each counts the tempo for its own
    /// side; passing it on is not the move's fault, and the rest of what the usual quiet move loses by each
    /// evaluation is taken off, so that the median is near 0.
    #[inline]
    pub(super) fn swing(&self, position: &Position, earlier: Score, now: Score) -> i32 {
        let tempo = TEMPO.at_phase(self.phase(position));
        let offset = match self.uses_network {
            true => values::network_swing_offset(),
            false => values::evaluation_swing_offset(),
        };
        2 * tempo - now.units() - earlier.units() + offset
    }

    /// The phase of the game in the position at the end of the line, from 0 to
    /// [`crate::eval::handcrafted::FULL_PHASE`].
    #[inline]
    pub(super) fn phase(&self, position: &Position) -> i32 {
        match self.uses_network {
            true => phase(position),
            false => self.last().phase,
        }
    }

    #[inline]
    fn last(&self) -> &PieceSquareAccumulator {
        &self.sums[self.sums.len() - 1]
    }
}

/// The evaluation that the settings ask for, without any search, for the side to move.
pub fn static_score(
    position: &Position,
    settings: &Settings,
    network: Option<&Arc<Network>>,
) -> Score {
    let mut evaluator = LineEvaluator::new();
    evaluator.start(position, settings, network);
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
