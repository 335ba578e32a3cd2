//! The state of one search in one thread: the position on its line, how far it is.

use super::iteration::{Iteration, NOT_OVERTAKEN};
use super::line_evaluator::LineEvaluator;
use super::poll_schedule::PollSchedule;
use super::repetition::KeyFilter;
use super::shared::SharedState;
use super::stack::Stack;
use super::thread_data::ThreadData;
use crate::board::{Legality, Move, Position};
use crate::rules::{Ply, counted_plies};
use crate::search::ordering::{Histories, PieceTo};
use crate::search::parameters::{Pruning, formulas, values};
use crate::search::request::{Driver, Techniques};
use crate::search::score::{Meaning, Score};
use crate::search::table::{TranspositionTable, TtEntry};

/// One search, made new for each request, on top of what its thread keeps.
pub(super) struct Search<'a> {
    pub(super) id: usize,
    pub(super) shared: &'a SharedState,
    pub(super) table: &'a TranspositionTable,
    pub(super) histories: &'a mut Histories,
    pub(super) evaluator: &'a mut LineEvaluator,
    pub(super) stack: &'a mut Stack,
    pub(super) position: Position,
    /// The game's moves and those on the way from the root.
    pub(super) path: Vec<Ply>,
    /// The positions before the current one since the last capture of the game.
    pub(super) earlier_keys: KeyFilter,
    pub(super) pruning: Pruning,
    pub(super) techniques: Techniques,
    /// The iteration under way, or the last.
    pub(super) iteration: Iteration,
    /// Which of the best lines is looked for, from 0.
    pub(super) line: usize,
    pub(super) nodes: u64,
    /// Positions found in tables that [`SharedState::table_hits`] does not count yet.
    pub(super) table_hits: u64,
    pub(super) polling: PollSchedule,
    pub(super) selective_depth: usize,
    pub(super) root_depth: i32,
    /// The depth at which another thread's iteration makes this one's needless.
    pub(super) overtaken_at: i32,
    /// Plies without a capture that make a draw; `None` in a game that has gone on past them, for
    /// its players go by other rules.
    no_capture_limit: Option<u16>,
    /// Null moves are off, for both sides, before this ply, while one is being verified.
    pub(super) null_move_floor: usize,
    /// Something wants the search to end, which waits until one ply has been looked at.
    pub(super) must_end: bool,
    pub(super) stopped: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(thread: &'a mut ThreadData, shared: &'a SharedState) -> Self {
        let position = shared.game.position().clone();
        let rules = shared.settings.rules;
        let limit = rules.no_capture_limit();
        let counted = counted_plies(position.clock(), rules);
        thread
            .evaluator
            .start(&position, &shared.settings, shared.network.as_ref());
        thread.stack.clear();
        Self {
            id: thread.id,
            shared,
            table: &thread.table,
            histories: &mut thread.histories,
            evaluator: &mut thread.evaluator,
            stack: &mut thread.stack,
            position,
            path: shared.game.plies().to_vec(),
            earlier_keys: KeyFilter::new(shared.occurrences.keys_before_root()),
            pruning: Pruning::new(shared.settings.pruning),
            techniques: shared.settings.techniques,
            iteration: Iteration::new(&shared.root_moves),
            line: 0,
            nodes: 0,
            table_hits: 0,
            polling: PollSchedule::new(),
            selective_depth: 0,
            root_depth: 0,
            overtaken_at: NOT_OVERTAKEN,
            no_capture_limit: (shared.settings.no_capture_draws && counted < limit)
                .then_some(limit),
            null_move_floor: 0,
            must_end: false,
            stopped: false,
        }
    }

    #[inline]
    pub(super) fn legality(&self) -> Legality {
        Legality::new(&self.position)
    }

    /// Plays a legal move from the node at `ply`.
    #[inline]
    pub(super) fn play(&mut self, ply: usize, m: Move) {
        self.stack.at_mut(ply).played = PieceTo::new(&self.position, m);
        self.earlier_keys.add(self.position.key());
        let undo = self.evaluator.push(&mut self.position, m);
        self.table.prefetch(self.position.key());
        self.path.push(Ply { played: m, undo });
        self.nodes += 1;
    }

    /// Takes back the last move.
    #[inline]
    pub(super) fn take_back(&mut self) {
        if let Some(Ply { played, undo }) = self.path.pop() {
            self.position.unmake(played, undo);
            self.earlier_keys.remove(self.position.key());
            self.evaluator.pop();
        }
    }

    /// Passes the turn at `ply`.
    pub(super) fn play_null(&mut self, ply: usize) {
        let undo = self.position.make_null();
        self.path.push(Ply {
            played: Move::NONE,
            undo,
        });
        self.stack.at_mut(ply).played = None;
        self.nodes += 1;
    }

    /// Takes the pass back.
    pub(super) fn take_back_null(&mut self) {
        if let Some(Ply { undo, .. }) = self.path.pop() {
            self.position.unmake_null(undo);
        }
    }

    /// The static evaluation of the position, uncorrected.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Score {
        self.evaluator.evaluate(&self.position)
    }

    /// A static evaluation with what earlier searches found it to be off by.
    #[inline]
    pub(super) fn corrected(&self, ply: usize, raw: Score) -> Score {
        let counted = match self.shared.settings.no_capture_draws {
            true => i32::from(self.counted()),
            false => 0,
        };
        // Towards a draw with the plies without a capture, as the rule counts them (damping by the move
        // counter: Chessprogramming wiki, "Fifty-move Rule").
        let faded = raw.units() * formulas::fading(counted) / values::fading_plies();
        if !self.pruning.corrections {
            return Score::evaluation(faded);
        }
        let last = self.stack.last_two(ply);
        Score::evaluation(faded + self.histories.correction(&self.position, last))
    }

    /// Plies without a capture, as the rules count them.
    #[inline]
    fn counted(&self) -> u16 {
        counted_plies(self.position.clock(), self.shared.settings.rules)
    }

    /// Whether so many plies lie without a capture behind, and `ahead` more, that the game is drawn.
    #[inline]
    pub(super) fn is_past_no_capture_limit(&self, ahead: u16) -> bool {
        self.no_capture_limit
            .is_some_and(|limit| self.counted().saturating_add(ahead) >= limit)
    }

    /// The entry of the position in the transposition table. Its score is left out near the no-capture limit, where
    /// it depends on the number of plies left, and if its mate might come after the limit.
    #[inline]
    pub(super) fn probe(&self) -> Option<TtEntry> {
        if !self.techniques.hash {
            return None;
        }
        let entry = self.table.probe(self.position.key())?;
        let plies_to_mate = match entry.score.meaning() {
            Meaning::Mates(plies) | Meaning::Mated(plies) => plies as u16,
            Meaning::Evaluation(_) => 0,
        };
        let needed = plies_to_mate.max(values::no_capture_near() as u16);
        let bound = entry
            .bound
            .filter(|_| !self.is_past_no_capture_limit(needed));
        Some(TtEntry { bound, ..entry })
    }

    /// The uncorrected static evaluation, from the hash entry or new. A new one is stored at once, for a
    /// cut-off may leave nothing else of the position.
    #[inline]
    pub(super) fn raw_evaluation(&mut self, entry: Option<TtEntry>, was_pv: bool) -> Score {
        if let Some(known) = entry.and_then(|e| e.evaluation) {
            return known;
        }
        let raw = self.evaluate();
        if entry.is_none() {
            self.write(TtEntry {
                best: Move::NONE,
                score: Score::ZERO,
                bound: None,
                depth: 0,
                evaluation: Some(raw),
                was_pv,
            });
        }
        raw
    }

    /// Writes what was found of the position, which is that at `ply`, to the transposition table; the
    /// score of `entry` counts mates from the root.
    #[inline]
    pub(super) fn store(&self, ply: usize, entry: TtEntry) {
        let score = entry.score.to_tt(ply);
        self.write(TtEntry { score, ..entry });
    }

    /// Writes an entry, whose score counts mates from the position, to the transposition table.
    #[inline]
    fn write(&self, entry: TtEntry) {
        if self.techniques.hash {
            self.table.store(self.position.key(), entry);
        }
    }

    /// Whether windows are laid in this way.
    #[inline]
    pub(super) fn is_driven_by(&self, driver: Driver) -> bool {
        self.techniques.driver == driver
    }

    /// What a draw is worth to the side to move at `ply`: the root's side by the option `style`.
    #[inline]
    pub(super) fn draw_score(&self, ply: usize) -> Score {
        let for_root = self.shared.settings.draw_score().units();
        Score::from_units(if ply.is_multiple_of(2) {
            for_root
        } else {
            -for_root
        })
    }
}
