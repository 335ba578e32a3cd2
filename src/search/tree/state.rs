//! The state of one search in one thread, and its polls: they check the clock and the limits, count nodes and report
//! progress.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::evaluator::Evaluator;
use super::iteration::{Iteration, NOT_OVERTAKEN};
use super::shared::SharedState;
use crate::board::{Move, Position};
use crate::rules::Ply;
use crate::search::event::Report;
use crate::search::game_occurrences::KeyFilter;
use crate::search::ordering::{Histories, PieceTo, QuietContext};
use crate::search::parameters::{self, Pruning, values};
use crate::search::request::{Degree, NODES_BETWEEN_POLLS, NoCaptureLimit, Techniques};
use crate::search::score::{MAX_PLY, Meaning, Score};
use crate::search::tt::{TranspositionTable, TtEntry};

/// One search in one thread. The data that outlives it is borrowed from [`ThreadData`].
pub struct Search<'a> {
    pub id: usize,
    pub shared: &'a SharedState,
    pub tt: &'a TranspositionTable,
    pub histories: &'a mut Histories,
    pub evaluator: &'a mut Evaluator,
    pub stack: &'a mut Stack,
    pub position: Position,
    /// The plies of the game and of the line from the root to the current node.
    pub path: Vec<Ply>,
    /// The positions before the current one: those of the game since its last capture, and those of the line, except
    /// positions in which a null move was made.
    pub earlier_keys: KeyFilter,
    pub pruning: Pruning,
    pub techniques: Techniques,
    /// The current iteration, or the last one.
    pub iteration: Iteration,
    /// Index of the principal variation being searched (MultiPV), from 0.
    pub pv_index: usize,
    pub nodes: u64,
    /// Tablebase hits that [`SharedState::tb_hits`] does not count yet.
    pub tb_hits: u64,
    pub polling: PollSchedule,
    pub selective_depth: usize,
    pub root_depth: i32,
    /// This thread stops its iteration when another thread has finished this depth.
    pub overtaken_at: i32,
    pub no_capture_limit: NoCaptureLimit,
    /// While a null move is verified, no null moves are made before this ply.
    pub null_move_floor: usize,
    /// A limit was reached, a stop was requested, or thread 0 has finished. The search ends, but not before the first
    /// iteration is complete.
    pub must_end: bool,
    /// The iteration ends now, because of `must_end` or because another thread has finished it.
    pub stopped: bool,
}

impl<'a> Search<'a> {
    pub fn new(thread: &'a mut ThreadData, shared: &'a SharedState) -> Self {
        let position = shared.request.game.position().clone();
        thread.evaluator.start(
            &position,
            &shared.request.settings,
            shared.request.network.as_ref(),
        );
        thread.stack.clear();
        let earlier = shared.request.game.plies_since_capture().iter();
        let techniques = shared.request.settings.techniques;
        let pruning = Pruning::new(shared.request.settings.pruning);
        Self {
            id: thread.id,
            shared,
            tt: &thread.tt,
            histories: &mut thread.histories,
            evaluator: &mut thread.evaluator,
            stack: &mut thread.stack,
            position,
            path: shared.request.game.plies().to_vec(),
            earlier_keys: KeyFilter::new(earlier.map(|ply| ply.undo.key())),
            pruning: Pruning {
                reductions: pruning.reductions && techniques.reductions,
                null_move: pruning.null_move && techniques.null_move,
                ..pruning
            },
            techniques,
            iteration: Iteration::new(&shared.root_moves),
            pv_index: 0,
            nodes: 0,
            tb_hits: 0,
            polling: PollSchedule::new(),
            selective_depth: 0,
            root_depth: 0,
            overtaken_at: NOT_OVERTAKEN,
            no_capture_limit: shared.request.no_capture_limit(),
            null_move_floor: 0,
            must_end: false,
            stopped: false,
        }
    }

    /// Prefetches the hash entries of the position after a move that will probably be played. The memory access takes
    /// longer than the move, so this is called as early as possible.
    #[inline]
    pub fn prefetch_after(&self, m: Move) {
        self.tt.prefetch(self.position.key_after(m));
    }

    #[inline]
    pub fn play(&mut self, ply: usize, m: Move) {
        self.stack.at_mut(ply).played = PieceTo::new(&self.position, m);
        self.earlier_keys.add(self.position.key());
        let undo = self.evaluator.make(&mut self.position, m);
        self.histories.prefetch_correction(&self.position, self.stack.before(ply + 1));
        self.path.push(Ply { played: m, undo });
        self.nodes += 1;
    }

    #[inline]
    pub fn take_back(&mut self) {
        if let Some(Ply { played, undo }) = self.path.pop() {
            self.evaluator.unmake(&mut self.position, played, undo);
            self.earlier_keys.remove(self.position.key());
        }
    }

    pub fn play_null(&mut self, ply: usize) {
        let undo = self.position.make_null();
        self.tt.prefetch(self.position.key());
        self.path.push(Ply { played: Move::NONE, undo });
        self.stack.at_mut(ply).played = None;
        self.nodes += 1;
    }

    pub fn take_back_null(&mut self) {
        if let Some(Ply { undo, .. }) = self.path.pop() {
            self.position.unmake_null(undo);
        }
    }

    /// The static evaluation with the correction history and the no-capture counter taken into account.
    #[inline]
    pub fn corrected(&self, ply: usize, raw: Score) -> Score {
        let counted = self.no_capture_limit.counted(&self.position).into();
        let damped = parameters::damped(raw.units(), counted);
        if !self.pruning.corrections {
            return Score::evaluation(damped);
        }
        let before = self.stack.before(ply);
        Score::evaluation(damped + self.histories.correction(&self.position, before))
    }

    /// The entry of the position in the transposition table. Its score is left out near the no-capture limit, where
    /// it depends on the number of plies left, and if its mate might come after the limit.
    #[inline]
    pub fn probe(&self) -> Option<TtEntry> {
        if !self.techniques.hash {
            return None;
        }
        let entry = self.tt.probe(self.position.key())?;
        let plies_to_mate = match entry.score.meaning() {
            Meaning::Mates(plies) | Meaning::Mated(plies) => plies,
            Meaning::Evaluation(_) => 0,
        };
        let needed = plies_to_mate.max(values::no_capture_near().unsigned_abs());
        let reaches_limit = self.no_capture_limit.is_reached(&self.position, needed);
        let bound = entry.bound.filter(|_| !reaches_limit);
        Some(TtEntry { bound, ..entry })
    }

    /// The uncorrected static evaluation, from the hash entry or computed. Without an entry it is stored at once,
    /// because a node that is cut off may store nothing else.
    #[inline]
    pub fn raw_evaluation(&mut self, entry: Option<TtEntry>, was_pv: bool) -> Score {
        if let Some(known) = entry.and_then(|e| e.evaluation) {
            return known;
        }
        let raw = self.evaluator.evaluate(&self.position);
        if entry.is_none() {
            self.write(TtEntry { evaluation: Some(raw), was_pv, ..TtEntry::default() });
        }
        raw
    }

    /// Stores an entry for the current position, at `ply`. If its score is a proven win or loss, its plies are counted
    /// from the root.
    #[inline]
    pub fn store(&self, ply: usize, entry: TtEntry) {
        let score = entry.score.to_tt(ply);
        self.write(TtEntry { score, ..entry });
    }

    /// As [`Self::store`], with the plies of a proven win or loss counted from the current position.
    #[inline]
    fn write(&self, entry: TtEntry) {
        if self.techniques.hash {
            self.tt.store(self.position.key(), entry);
        }
    }

    /// The score of a draw for the side to move at `ply`: the score of a draw for the side to move at the root, which
    /// depends on the playing style, with the opposite sign at odd plies.
    #[inline]
    pub fn draw_score(&self, ply: usize) -> Score {
        let for_root = self.shared.request.settings.draw_score().units();
        Score::from_units(if ply.is_multiple_of(2) { for_root } else { -for_root })
    }
}

/// The data of a search thread that outlives its searches.
pub struct ThreadData {
    /// Number of the thread. Thread 0 reports and decides when the search ends.
    pub id: usize,
    pub tt: Arc<TranspositionTable>,
    pub histories: Histories,
    pub evaluator: Evaluator,
    pub stack: Stack,
}

impl ThreadData {
    pub fn new(id: usize, tt: Arc<TranspositionTable>) -> Self {
        Self {
            id,
            tt,
            histories: Histories::new(),
            evaluator: Evaluator::new(),
            stack: Stack::new(),
        }
    }
}

/// Entries before the root, because the histories use moves up to five plies back.
const ENTRIES_BEFORE_ROOT: usize = 5;
/// Entries after the deepest node. At least two are needed, because a node resets the killers two plies deeper.
const ENTRIES_AFTER_DEEPEST: usize = 4;

/// One ply of the current line.
#[derive(Clone, Debug, Default)]
pub struct StackEntry {
    /// Corrected static evaluation; `None` in check.
    pub evaluation: Option<Score>,
    /// The move played from here, as an index into the histories.
    pub played: Option<PieceTo>,
    /// The earlier moves and the threats here, for the histories of quiet moves.
    pub quiet_context: QuietContext,
    /// The plies by which the search after the move played from here is reduced.
    pub reduction: i32,
    /// The move excluded by a singular search.
    pub excluded: Move,
    /// For a singular search: whether its node has been on a principal variation.
    pub was_pv: bool,
    /// Killer moves: quiet moves that raised alpha, mostly with a cutoff, in nodes at this ply with the same
    /// grandparent.
    pub killers: [Move; 2],
    pub pv: Vec<Move>,
}

/// The entries of all plies, including some before the root.
#[derive(Debug)]
pub struct Stack {
    entries: Vec<StackEntry>,
}

impl Stack {
    pub fn new() -> Self {
        Self {
            entries: vec![
                StackEntry::default();
                ENTRIES_BEFORE_ROOT + MAX_PLY + ENTRIES_AFTER_DEEPEST
            ],
        }
    }

    pub fn clear(&mut self) {
        self.entries.fill(StackEntry::default());
    }

    #[inline]
    pub fn at(&self, ply: usize) -> &StackEntry {
        &self.entries[ply + ENTRIES_BEFORE_ROOT]
    }

    #[inline]
    pub fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.entries[ply + ENTRIES_BEFORE_ROOT]
    }

    /// The entry `back` plies before `ply`, which may lie before the root.
    #[inline]
    pub fn back(&self, ply: usize, back: usize) -> &StackEntry {
        &self.entries[ply + ENTRIES_BEFORE_ROOT - back]
    }

    /// The moves one, two and four plies ago, for continuation histories and the correction history.
    #[inline]
    pub fn before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|back| self.back(ply, back).played)
    }

    /// Sets the principal variation at `ply` to `first` followed by that of the next ply.
    pub fn update_pv(&mut self, ply: usize, first: Move) {
        let (head, tail) = self.entries.split_at_mut(ply + ENTRIES_BEFORE_ROOT + 1);
        if let (Some(here), Some(next)) = (head.last_mut(), tail.first()) {
            here.pv.clear();
            here.pv.push(first);
            here.pv.extend_from_slice(&next.pv);
        }
    }
}

/// The type of a node, known at compile time (Chessprogramming wiki, "Node Types").
pub trait NodeType {
    /// The node is on a principal variation. With MTD(f) only the root counts as such, although its window is null.
    const PV: bool;
    const ROOT: bool;
}

/// The root. Its moves are listed before the search and keep their scores.
pub struct Root;
pub struct Pv;
/// A node outside the principal variation. It has a null window (except in plain alpha-beta) and only shows on
/// which side of the window its score is.
pub struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// When the next poll is due, and the state at the last one.
#[derive(Debug)]
pub struct PollSchedule {
    /// Nodes of this thread that [`SharedState::nodes`](super::shared::SharedState::nodes) includes.
    counted_nodes: u64,
    /// The node count of the next poll.
    next: u64,
    /// The end of the last pause, or the start of the search.
    busy_since: Instant,
    /// Time of the last report of progress, in seconds since the search began.
    reported_seconds: u64,
}

impl PollSchedule {
    pub fn new() -> Self {
        Self { counted_nodes: 0, next: 0, busy_since: Instant::now(), reported_seconds: 0 }
    }

    /// Makes the search poll at the next node; `nodes` is the current count.
    pub fn poll_next_node(&mut self, nodes: u64) {
        self.next = self.next.min(nodes);
    }
}

/// Minimum work between two pauses, for the option `idle`.
const MIN_WORK: Duration = Duration::from_millis(2);
/// Maximum pause. It delays the answer to a `stop`.
const MAX_PAUSE: Duration = Duration::from_millis(15);

impl Search<'_> {
    #[inline]
    pub fn poll(&mut self) {
        if self.nodes >= self.polling.next {
            self.poll_now();
        }
    }

    #[cold]
    fn poll_now(&mut self) {
        let total = self.count_nodes();
        let limit = self.shared.request.limits.nodes.unwrap_or(u64::MAX);
        let left = limit.saturating_sub(total);
        // With one thread, the next poll is due at the limit or before it.
        self.polling.next = self.nodes + NODES_BETWEEN_POLLS.min(left.max(1));
        self.pause();
        self.shared.current_lines.update(self.id, || self.line_here());
        self.report_progress(total);
        let shared = self.shared;
        let control = &shared.request.control;
        self.must_end = control.is_stopped()
            || shared.finished.load(Ordering::Relaxed)
            || left == 0
            || shared.is_past_hard_limit();
        // The first iteration is always completed, by this thread or by another one whose result is taken over. So
        // even without time the answer comes from a search.
        self.stopped |= self.is_overtaken() || self.must_end && self.root_depth > 1;
    }

    /// Adds the nodes and tablebase hits since the last call to those of all threads. Returns the nodes of all threads.
    pub fn count_nodes(&mut self) -> u64 {
        let fresh = self.uncounted_nodes();
        self.polling.counted_nodes = self.nodes;
        let hits = std::mem::take(&mut self.tb_hits);
        self.shared.tb_hits.fetch_add(hits, Ordering::Relaxed);
        self.shared.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh
    }

    /// The moves from the root to the current node, up to the first null move.
    fn line_here(&self) -> Vec<Move> {
        let path = self.path.iter().skip(self.shared.request.game.plies().len());
        let moves = path.map(|ply| ply.played);
        moves.take_while(|m| m.is_some()).collect()
    }

    fn uncounted_nodes(&self) -> u64 {
        self.nodes - self.polling.counted_nodes
    }

    /// Nodes of this thread now and of the others as of their last polls.
    pub fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.uncounted_nodes()
    }

    /// Whether this thread reports and a receiver exists.
    pub fn reports(&self) -> bool {
        self.id == 0 && self.shared.events.is_some()
    }

    /// Reports the progress once a second.
    fn report_progress(&mut self, nodes: u64) {
        if !self.reports() {
            return;
        }
        let time = self.shared.request.control.elapsed();
        if time.as_secs() > self.polling.reported_seconds {
            self.polling.reported_seconds = time.as_secs();
            self.shared.send_report(Report::Progress { nodes, time });
            let lines = self.shared.current_lines.all();
            if !lines.is_empty() {
                self.shared.send_report(Report::CurrentLines(lines));
            }
        }
    }

    /// Pauses for the share of the time that the option `idle` asks for.
    fn pause(&mut self) {
        let pause_per_work = match self.shared.request.settings.idle {
            Degree::None => return,
            Degree::Small => 1.0 / 3.0,
            Degree::Medium => 1.0,
            Degree::Large => 3.0,
        };
        let worked = self.polling.busy_since.elapsed();
        if worked >= MIN_WORK {
            let pause = worked.mul_f64(pause_per_work).min(MAX_PAUSE);
            let control = &self.shared.request.control;
            let left = self.shared.time.map_or(pause, |time| {
                time.hard_after(control.pondered()).saturating_sub(control.clock_elapsed())
            });
            std::thread::sleep(pause.min(left));
            self.polling.busy_since = Instant::now();
        }
    }
}
