//! One search thread's state: the position on its path, what it has learned, when to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::clock::TimeBudget;
use super::deepening::NEVER;
use super::event::Event;
use super::history::{Histories, PieceTo};
use super::margins::Pruning;
use super::request::{Control, Degree, Limits, Settings, Style};
use super::score::{MAX_PLY, Score};
use super::table::{Record, Table};
use super::team::Team;
use crate::board::{Legality, Move, Position};
use crate::eval::{Evaluator, NORMAL_ATTACK, PieceSquareAccumulator};
use crate::rules::{Game, Ply, counted_plies};

/// Frames before the root, so that looking back never leaves the stack.
const BEFORE_ROOT: usize = 6;
/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 1024;

/// Plies before the no-capture limit from which a hash score says too little of it.
const NEAR_LIMIT: u16 = 19;

/// Work between two rests, for the option `idle`.
const SHORTEST_WORK: Duration = Duration::from_millis(2);
/// So long a rest keeps nobody waiting who says `stop`.
const LONGEST_REST: Duration = Duration::from_millis(15);

/// What a node keeps for its children and siblings.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub sum: PieceSquareAccumulator,
    /// Corrected static evaluation; `None` in check.
    pub evaluation: Option<Score>,
    /// The move played from here, as histories know it.
    pub played: Option<PieceTo>,
    /// The move left out by a singular search.
    pub excluded: Move,
    pub killers: [Move; 2],
    pub pv: Vec<Move>,
}

/// What all threads of one search share.
#[derive(Debug)]
pub(super) struct Job {
    pub game: Game,
    pub limits: Limits,
    pub settings: Settings,
    pub control: Arc<Control>,
    /// Legal root moves to look at.
    pub root_moves: Vec<Move>,
    /// Its share of the time; `None` without a clock.
    pub budget: Option<TimeBudget>,
    /// Nodes of all threads, brought up to date at each poll.
    pub nodes: AtomicU64,
    /// Set when the main thread is done.
    pub finished: AtomicBool,
    /// Where the main thread reports to.
    pub events: Option<Sender<Event>>,
    /// What the threads tell each other; none for a thread alone.
    pub team: Option<Team>,
}

/// One thread of the search.
pub(super) struct Worker {
    /// 0 for the thread that decides and reports.
    pub id: usize,
    pub table: Arc<Table>,
    pub histories: Histories,
    pub position: Position,
    /// The game's moves and those on the way from the root.
    pub path: Vec<Ply>,
    frames: Vec<Frame>,
    pub job: Arc<Job>,
    pub evaluator: Evaluator,
    pub pruning: Pruning,
    pub nodes: u64,
    counted_nodes: u64,
    next_poll: u64,
    pub selective_depth: usize,
    pub root_depth: i32,
    /// The depth at which another thread's iteration makes this one's needless.
    pub overtaken_at: i32,
    /// Plies without a capture that make a draw; `None` in a game that has gone on past them, for
    /// its players go by other rules.
    no_capture_limit: Option<u16>,
    /// Null moves are off, for both sides, before this ply, while one is being verified.
    pub null_move_floor: usize,
    /// The last score returned depended on how the position was reached.
    pub path_dependent: bool,
    pub stopped: bool,
    /// Work since the last pause, for the option `idle`.
    busy_since: Instant,
    /// How often this search has told how far it is.
    progress_told: u64,
}

impl Worker {
    pub(super) fn new(id: usize, table: Arc<Table>, job: Arc<Job>) -> Self {
        let mut worker = Self {
            id,
            table,
            histories: Histories::new(),
            position: job.game.position().clone(),
            path: Vec::new(),
            frames: vec![Frame::default(); BEFORE_ROOT + MAX_PLY + 4],
            evaluator: Evaluator::default(),
            pruning: Pruning::new(Degree::Large),
            nodes: 0,
            counted_nodes: 0,
            next_poll: 0,
            selective_depth: 0,
            root_depth: 0,
            overtaken_at: NEVER,
            no_capture_limit: None,
            null_move_floor: 0,
            path_dependent: false,
            stopped: false,
            busy_since: Instant::now(),
            progress_told: 0,
            job: job.clone(),
        };
        worker.prepare(job);
        worker
    }

    /// Takes up a new job; what was learned stays.
    pub(super) fn prepare(&mut self, job: Arc<Job>) {
        self.position = job.game.position().clone();
        self.path = job.game.plies().to_vec();
        let settings = &job.settings;
        self.evaluator
            .set(settings.knowledge, attack(settings.style));
        self.pruning = Pruning::new(job.settings.pruning);
        self.nodes = 0;
        self.counted_nodes = 0;
        self.next_poll = 0;
        let rules = job.settings.rules;
        let limit = rules.no_capture_limit();
        let counted = counted_plies(self.position.clock(), rules);
        self.no_capture_limit = (counted < limit).then_some(limit);
        self.null_move_floor = 0;
        self.path_dependent = false;
        self.stopped = false;
        self.busy_since = Instant::now();
        self.progress_told = 0;
        self.frames
            .iter_mut()
            .for_each(|frame| *frame = Frame::default());
        self.frame_mut(0).sum = PieceSquareAccumulator::new(&self.position);
        self.job = job;
    }

    #[inline]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT]
    }

    #[inline]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The frame `back` plies before `ply`, which may lie before the root.
    #[inline]
    pub(super) fn frame_back(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT - back]
    }

    /// The moves one, two and four plies ago, for continuation histories.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|back| self.frame_back(ply, back).played)
    }

    /// The main line from `ply` becomes `first` and then that of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, first: Move) {
        let (head, tail) = self.frames.split_at_mut(ply + BEFORE_ROOT + 1);
        if let (Some(here), Some(next)) = (head.last_mut(), tail.first()) {
            here.pv.clear();
            here.pv.push(first);
            here.pv.extend_from_slice(&next.pv);
        }
    }

    #[inline]
    pub(super) fn legality(&self) -> Legality {
        Legality::new(&self.position)
    }

    /// Plays a legal move from the node at `ply`.
    #[inline]
    pub(super) fn play(&mut self, ply: usize, m: Move) {
        let played = PieceTo::new(&self.position, m);
        let mut sum = self.frame(ply).sum;
        let undo = self.position.make_observed(m, &mut sum);
        self.path.push(Ply { played: m, undo });
        self.frame_mut(ply).played = played;
        self.frame_mut(ply + 1).sum = sum;
        self.nodes += 1;
    }

    /// Takes back the last move.
    #[inline]
    pub(super) fn take_back(&mut self) {
        if let Some(Ply { played, undo }) = self.path.pop() {
            self.position.unmake(played, undo);
        }
    }

    /// Passes the turn at `ply`.
    pub(super) fn play_null(&mut self, ply: usize) {
        let undo = self.position.make_null();
        self.path.push(Ply {
            played: Move::NONE,
            undo,
        });
        self.frame_mut(ply).played = None;
        self.frame_mut(ply + 1).sum = self.frame(ply).sum;
        self.nodes += 1;
    }

    /// Takes the pass back.
    pub(super) fn take_back_null(&mut self) {
        if let Some(Ply { undo, .. }) = self.path.pop() {
            self.position.unmake_null(undo);
        }
    }

    /// The static evaluation of the node at `ply`, uncorrected.
    #[inline]
    pub(super) fn evaluate(&self, ply: usize) -> Score {
        Score::evaluation(
            self.evaluator
                .evaluate(&self.position, &self.frame(ply).sum),
        )
    }

    /// A static evaluation with what earlier searches found it to be off by.
    #[inline]
    pub(super) fn corrected(&self, raw: Score) -> Score {
        let counted = i32::from(self.counted());
        let faded = raw.units() * (250 - counted.min(120)) / 250;
        Score::evaluation(faded + self.histories.correction(&self.position))
    }

    /// Plies without a capture, as the rules count them.
    #[inline]
    fn counted(&self) -> u16 {
        counted_plies(self.position.clock(), self.job.settings.rules)
    }

    /// Whether so many plies lie without a capture behind, and `ahead` more, that the game is drawn.
    #[inline]
    pub(super) fn is_past_no_capture_limit(&self, ahead: u16) -> bool {
        self.no_capture_limit
            .is_some_and(|limit| self.counted().saturating_add(ahead) >= limit)
    }

    /// What the hash table knows of the position. Near the no-capture limit its score is left out, for
    /// the same position with more plies to go is worth something else.
    #[inline]
    pub(super) fn probe(&self) -> Option<Record> {
        let record = self.table.probe(self.position.key())?;
        let bound = record
            .bound
            .filter(|_| !self.is_past_no_capture_limit(NEAR_LIMIT));
        Some(Record { bound, ..record })
    }

    /// What a draw is worth to the side to move at `ply`: the root's side by the option `style`.
    #[inline]
    pub(super) fn draw_score(&self, ply: usize) -> Score {
        let for_root = match self.job.settings.style {
            Style::Solid => 60,
            Style::Normal => 0,
            Style::Risky => -120,
        };
        Score::from_units(if ply.is_multiple_of(2) {
            for_root
        } else {
            -for_root
        })
    }

    /// Looks now and then whether the search must end.
    #[inline]
    pub(super) fn poll(&mut self) {
        if self.nodes >= self.next_poll {
            self.poll_now();
        }
    }

    #[cold]
    pub(super) fn poll_now(&mut self) {
        let fresh = self.nodes - self.counted_nodes;
        self.counted_nodes = self.nodes;
        let total = self.job.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh;
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.rest();
        self.tell_progress(total);
        let control = &self.job.control;
        let out_of_nodes = self.job.limits.nodes.is_some_and(|limit| {
            // The last stretch before the limit is walked in single steps.
            self.next_poll = self.nodes + POLL_INTERVAL.min(limit.saturating_sub(total).max(1));
            total >= limit
        });
        let out_of_time = !control.is_pondering()
            && self
                .job
                .budget
                .is_some_and(|b| control.clock_elapsed() >= b.hard_after(control.pondered()));
        let asked_to_stop = control.is_stopped()
            || self.job.finished.load(Ordering::Relaxed)
            || self.is_overtaken()
            || out_of_nodes && !control.is_pondering()
            || out_of_time;
        // One ply is always looked at, so that even in no time the answer is not the first move at
        // hand.
        self.stopped |= asked_to_stop && self.root_depth > 1;
    }

    /// Tells the one who asked, if this is the thread that reports.
    pub(super) fn tell(&self, event: Event) {
        if self.id == 0
            && let Some(events) = &self.job.events
        {
            // The receiver may be gone while the process ends.
            let _ = events.send(event);
        }
    }

    /// Tells once a second how far the search is.
    fn tell_progress(&mut self, nodes: u64) {
        let time = self.job.control.elapsed();
        if time.as_secs() > self.progress_told {
            self.progress_told = time.as_secs();
            self.tell(Event::Progress { nodes, time });
        }
    }

    /// Adds the last nodes to the job's.
    pub(super) fn flush_nodes(&mut self) {
        let fresh = self.uncounted_nodes();
        self.counted_nodes = self.nodes;
        self.job.nodes.fetch_add(fresh, Ordering::Relaxed);
    }

    /// Nodes that [`Job::nodes`] does not hold yet.
    pub(super) fn uncounted_nodes(&self) -> u64 {
        self.nodes - self.counted_nodes
    }

    /// Leaves the processor to others for the share that the option `idle` names.
    fn rest(&mut self) {
        let rest_per_work = match self.job.settings.idle {
            Degree::None => return,
            Degree::Small => 1.0 / 3.0,
            Degree::Medium => 1.0,
            Degree::Large => 3.0,
        };
        let worked = self.busy_since.elapsed();
        if worked >= SHORTEST_WORK {
            let rest = worked.mul_f64(rest_per_work).min(LONGEST_REST);
            let left = self.job.budget.map_or(rest, |budget| {
                let elapsed = self.job.control.clock_elapsed();
                budget
                    .hard_after(self.job.control.pondered())
                    .saturating_sub(elapsed)
            });
            std::thread::sleep(rest.min(left));
            self.busy_since = Instant::now();
        }
    }
}

/// The evaluation that the settings ask for, without any search, for the side to move.
pub fn static_score(position: &Position, settings: &Settings) -> Score {
    let evaluator = Evaluator::new(settings.knowledge, attack(settings.style));
    Score::evaluation(evaluator.evaluate(position, &PieceSquareAccumulator::new(position)))
}

/// The weight of the tactical terms of the evaluation.
fn attack(style: Style) -> i32 {
    match style {
        Style::Solid => NORMAL_ATTACK * 7 / 8,
        Style::Normal => NORMAL_ATTACK,
        Style::Risky => NORMAL_ATTACK * 5 / 4,
    }
}
