//! Static evaluation of the positions of the current line.

use std::sync::Arc;

use crate::board::{Move, Position, Undo};
use crate::eval::handcrafted::FULL_PHASE;
use crate::eval::nnue::simd::SimdLevel;
use crate::eval::nnue::{self, AccumulatorStack, Network};
use crate::eval::{
    HandcraftedEvaluator, Knowledge, NORMAL_ATTACK, TEMPO, phase, scale_down_unwinnable,
};
use crate::search::parameters::values;
use crate::search::request::{Settings, Style};
use crate::search::score::Score;

/// Debug builds compare the accumulators of one in this many positions, chosen by the key, with fresh ones.
const FRESH_SHARE: u64 = 32;

/// The evaluator of a thread. For the network, it keeps the accumulators of the current line: [`Self::make`] pushes
/// those of the new position, and [`Self::unmake`] pops them. A null move changes nothing.
#[derive(Debug)]
pub struct Evaluator {
    handcrafted: HandcraftedEvaluator,
    network: Option<NetworkLine>,
    /// Whether the network evaluates this line.
    uses_network: bool,
    /// [`value_of_phase`], from red's point of view.
    value_of_phase: i32,
    level: SimdLevel,
}

/// The network with its accumulators for the current line.
#[derive(Debug)]
struct NetworkLine {
    network: Arc<Network>,
    stack: AccumulatorStack,
}

impl Evaluator {
    pub fn new() -> Self {
        Self {
            handcrafted: HandcraftedEvaluator::new(Knowledge::Medium, NORMAL_ATTACK),
            network: None,
            uses_network: false,
            value_of_phase: 0,
            level: SimdLevel::widest(),
        }
    }

    /// Starts a line at `root`. The line is evaluated by `network` (`None`: the embedded one) if the settings ask for
    /// [`Knowledge::Large`], except in the promotion variant.
    pub fn start(&mut self, root: &Position, settings: &Settings, network: Option<&Arc<Network>>) {
        self.handcrafted.knowledge = settings.knowledge;
        self.handcrafted.attack = attack(settings.style);
        self.value_of_phase = value_of_phase(settings.style) * root.side_to_move().sign();
        self.uses_network = settings.knowledge == Knowledge::Large && !root.has_promotion();
        if !self.uses_network {
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

    /// Plays a pseudo-legal move.
    #[inline]
    pub fn make(&mut self, position: &mut Position, m: Move) -> Undo {
        match self.network() {
            Some(NetworkLine { network, stack }) => {
                position.make_observed(m, &mut stack.push(network))
            }
            None => position.make(m),
        }
    }

    /// Takes back the move that returned `undo`.
    #[inline]
    pub fn unmake(&mut self, position: &mut Position, m: Move, undo: Undo) {
        position.unmake(m, undo);
        if let Some(line) = self.network() {
            line.stack.pop();
        }
    }

    /// The static evaluation for the side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        let level = self.level;
        let value = match self.network() {
            Some(NetworkLine { network, stack }) => {
                debug_assert!(
                    !position.key().is_multiple_of(FRESH_SHARE)
                        || stack.equals_fresh(network, position),
                    "the incremental accumulators are wrong for {position}"
                );
                scale_down_unwinnable(position, nnue::evaluate(level, network, stack, position))
            }
            None => self.handcrafted.evaluate(position),
        };
        if self.value_of_phase == 0 {
            return Score::evaluation(value);
        }
        let bonus = self.value_of_phase * (phase(position) - FULL_PHASE / 2);
        Score::evaluation(value + bonus * position.side_to_move().sign())
    }

    /// The change of the evaluation by a quiet move, for the side that played it. `earlier` is the evaluation before
    /// the move, `now` the evaluation after it, for the opponent. The tempo bonus of the handcrafted evaluation is
    /// removed from both, and an offset is added, so that the median of the change is near 0.
    #[inline]
    pub fn swing(&self, position: &Position, earlier: Score, now: Score) -> i32 {
        let tempo = TEMPO.at_phase(phase(position));
        let offset = if self.uses_network {
            values::network_swing_offset()
        } else {
            values::evaluation_swing_offset()
        };
        2 * tempo - now.units() - earlier.units() + offset
    }
}

/// The static evaluation for the side to move, without any search.
pub fn static_score(
    position: &Position,
    settings: &Settings,
    network: Option<&Arc<Network>>,
) -> Score {
    let mut evaluator = Evaluator::new();
    evaluator.start(position, settings, network);
    evaluator.evaluate(position)
}

/// The value of each point of the phase for the side to move at the root, in units of the evaluation: a risky player
/// keeps rooks, knights and cannons on the board, a solid one exchanges them.
fn value_of_phase(style: Style) -> i32 {
    match style {
        Style::Solid => -3,
        Style::Normal => 0,
        Style::Risky => 3,
    }
}

/// The weight of the attack terms of the handcrafted evaluation (see [`NORMAL_ATTACK`]).
fn attack(style: Style) -> i32 {
    match style {
        Style::Solid => NORMAL_ATTACK * 7 / 8,
        Style::Normal => NORMAL_ATTACK,
        Style::Risky => NORMAL_ATTACK * 5 / 4,
    }
}
